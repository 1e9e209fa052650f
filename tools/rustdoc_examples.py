"""Checks that each public type of the Rust crates has an example, in the pages that `cargo doc` has written.

A type has an example if its page shows one: on the type or on one of its methods. Otherwise its
description must link to an item that shows one: the owner of the type, or the function that takes it or
returns it.

`python tools/rustdoc_examples.py` fails for types without an example. It reads `target/doc`, which
`make docs` writes.
"""

import os
import re
import sys
from functools import cache
from pathlib import Path

from cargo_packages import DATAFUSION, published
from repository import ROOT

PAGES = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc"

INTERNAL = {
    "arrowfeed-ffi",
    "arrowfeed-select",
    "arrowfeed-source",
    "arrowfeed-tensorflow",
    "arrowfeed-values",
}
"""Published crates that users do not see. `arrowfeed` re-exports some types of `arrowfeed-source`."""

WITHOUT = {
    "arrowfeed/source/io/remote/enum.ObjectBody",
    "arrowfeed/source/io/remote/struct.ObjectRequest",
    "arrowfeed/source/io/remote/struct.ObjectResponse",
    "arrowfeed/source/io/remote/trait.RemoteObject",
}
"""Types without an example: an implementation of the trait needs an executor. `arrowfeed-store` has one."""

TYPE = re.compile(r'href="((?:\w+/)*(?:struct|enum|trait|union)\.\w+\.html)"')
EXAMPLE = 'class="rust rust-example-rendered"'
TOP = re.compile(r'<details class="toggle top-doc" open>(.*?)</details>', re.DOTALL)
LINK = re.compile(r'<a href="([^"#:]+\.html)(?:#[^"]*)?"')
SOURCE = re.compile(r'<a class="src" href="(?:\.\./)*src/(\w+)/')


@cache
def page(path: Path) -> str:
    """The page of an item, without implementations of traits, whose descriptions are those of the traits."""
    if not path.is_file():
        return ""
    return path.read_text("utf-8").split('<h2 id="trait-implementations"')[0]


def has_example(path: Path) -> bool:
    """Whether the page of an item shows an example."""
    return EXAMPLE in page(path)


def links_to_example(path: Path) -> bool:
    """Whether the description of an item links to an item with an example."""
    top = TOP.search(page(path))
    links = LINK.findall(top[1]) if top else []
    return any(has_example(Path(os.path.normpath(path.parent / link))) for link in links)


def types(crate: str) -> list[Path]:
    """The pages of the types that a crate defines. `arrowfeed` also has pages of types that it re-exports."""
    root = PAGES / crate
    found = [root / name for name in TYPE.findall((root / "all.html").read_text("utf-8"))]
    if crate == "arrowfeed":
        return found
    return [path for path in found if (source := SOURCE.search(page(path))) and source[1] == crate]


def main() -> None:
    """Prints each type without an example, and fails if there is one."""
    crates = [name.replace("-", "_") for name in published() if name not in INTERNAL | {DATAFUSION}]
    if missing := [crate for crate in crates if not (PAGES / crate / "all.html").is_file()]:
        sys.exit(f"expected the pages of {', '.join(missing)}: run make docs")
    every = [path for crate in crates for path in types(crate)]
    without = [path for path in every if not has_example(path) and not links_to_example(path)]
    names = {path.relative_to(PAGES).with_suffix("").as_posix() for path in without}
    faults = [f"{name}: expected an example, or a link to one" for name in names - WITHOUT]
    faults += [f"{name}: is in WITHOUT, and has an example or is no type" for name in WITHOUT - names]
    if faults:
        sys.exit("\n".join(sorted(faults)))
    shown = sum(has_example(path) for path in every)
    print(f"examples: {len(every)} types, {shown} show one, {len(WITHOUT)} have none, the others link to one")


if __name__ == "__main__":
    main()
