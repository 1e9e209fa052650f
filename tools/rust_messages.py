"""Fails if a text of the Rust crates has Python syntax: users of Rust, C and SQL see it too.

An error names an option (`exclude`), or says in words what to do. Only Python writes `exclude=`, `True`
and `None`, and only Python has the names of `PYTHON_NAMES`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:[^"\\]|\\.)*"|b?'(?:[^'\\\n]|\\[^\n]+?)'|'\w+""", re.DOTALL
)
TESTS = re.compile(r"^#\[cfg\((?:all\()?test\b[^\n]*\n(?:#[^\n]*\n)*mod \w+ \{", re.MULTILINE)
CONTINUED = re.compile(r"\\\n\s*")

PYTHON_NAMES = ("global_batch_size", "load_state_dict", "state_dict")
PYTHON = re.compile(
    rf"""(?<![\w.=/])[a-z]\w*=(?=$|[\s`"'\\.,:;)]|\{{|\d+\b(?![-/])|True|False|None)|\b(?:True|False|None|{"|".join(PYTHON_NAMES)})\b"""
)

WITHOUT_ADVICE = {
    "arrowfeed-datafusion/src/listing.rs": "EXPLAIN of DataFusion",
    "arrowfeed-datafusion/src/scan.rs": "EXPLAIN of DataFusion",
    "arrowfeed-tensor/src/representation/source_message.rs": "`Debug` of an `Option`",
    "arrowfeed-tensor/src/transform/python_text.rs": "`Display`, an expression of Python",
    "arrowfeed/src/dataset/files/selection.rs": "the text of a split in a state, as Python writes it",
}
"""Files whose texts may have Python syntax, with the reason."""


def literals(text: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each string literal, except in the tests at the end of a file."""
    tests = TESTS.search(text)
    for token in TOKEN.finditer(text, 0, tests.start() if tests else len(text)):
        if '"' in token[0] and not token[0].startswith(("//", "/*", "'", "b'")):
            yield text.count("\n", 0, token.start()) + 1, CONTINUED.sub("", token[0])


def faults(root: Path) -> list[str]:
    """Describes each text with Python syntax, and each file of `WITHOUT_ADVICE` that has none."""
    found, used = [], set()
    crates = root / "crates"
    for path in sorted(crates.glob("*/src/**/*.rs")):
        name = path.relative_to(crates).as_posix()
        if path.name == "tests.rs" or "/tests/" in name:
            continue
        for line, text in literals(path.read_text("utf-8")):
            if syntax := PYTHON.search(text):
                if name in WITHOUT_ADVICE:
                    used.add(name)
                else:
                    found.append(
                        f"crates/{name}:{line}: expected words for users of every language, found {syntax[0]}"
                    )
    present = {name for name in WITHOUT_ADVICE if (crates / name).exists()}
    unused = [f"{name}: is in WITHOUT_ADVICE, and has no Python syntax" for name in sorted(present - used)]
    return found + unused


if __name__ == "__main__":
    if found := faults(ROOT):
        sys.exit("\n".join(found))
    print("texts of the Rust crates: without Python syntax")
