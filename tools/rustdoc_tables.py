"""Fails if the documentation of a public Rust module has a table of private modules."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT

MODULE = re.compile(r"^(pub )?(?:pub\([^)]*\) )?mod (\w+);", re.MULTILINE)
TABLE = re.compile(r"(?:^//! *\|.*\n)+", re.MULTILINE)
NAME = re.compile(r"`(\w+)`")


def public_modules(path: Path) -> Iterator[Path]:
    """The file of a public module, and those of the public modules inside it."""
    yield path
    folder = path.parent if path.stem in ("lib", "mod") else path.with_suffix("")
    for is_public, name in MODULE.findall(path.read_text("utf-8")):
        if is_public:
            file = folder / f"{name}.rs"
            yield from public_modules(file if file.exists() else folder / name / "mod.rs")


def faults(root: Path) -> list[str]:
    """Describes each table that names a private module, in the crates of a repository."""
    found = []
    for library in sorted(root.glob("crates/*/src/lib.rs")):
        for path in public_modules(library):
            text = path.read_text("utf-8")
            private = {name for is_public, name in MODULE.findall(text) if not is_public}
            for table in TABLE.finditer(text):
                if names := [name for name in NAME.findall(table[0]) if name in private]:
                    line = text.count("\n", 0, table.start()) + 1
                    message = f"expected a table for users, found the private module `{names[0]}`"
                    found.append(f"{path.relative_to(root).as_posix()}:{line}: {message}: use // comments")
    return found


if __name__ == "__main__":
    found = faults(ROOT)
    if found:
        sys.exit("\n".join(found))
    print("tables of public modules: without private modules")
