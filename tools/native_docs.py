"""Writes the docstrings of the stubs into `python/src/docs.rs`. With `--check`, fails if the file differs."""

import ast
import re
import sys

from repository import ROOT

STUBS = ROOT / "python" / "arrowfeed" / "_stubs"
RUST = ROOT / "python" / "src" / "docs.rs"

HEADER = """\
//! Docstrings of the compiled module, by the names of Python.
//!
//! `tools/native_docs.py` writes this file from `python/arrowfeed/_stubs`. Edit the stubs, then run it.

macro_rules! docs {
"""


def docstrings() -> dict[str, str]:
    """The docstrings in the stubs by name, such as `read_avro`, `Split` and `Split.path`."""
    found = {}
    for path in sorted(STUBS.glob("*.pyi")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef):
                continue
            found[node.name] = ast.get_docstring(node)
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    found[f"{node.name}.{member.name}"] = ast.get_docstring(member)
    return {name: text for name, text in sorted(found.items()) if text is not None}


def raw_string(text: str) -> str:
    """A Rust raw string literal, with more `#` around it than follow any quote in the text."""
    hashes = "#" * (1 + max((len(run) for run in re.findall(r'"(#*)', text)), default=0))
    return f'r{hashes}"{text}"{hashes}'


def rust() -> str:
    """The text of the Rust file: a macro with one arm per name."""
    texts = ((name, raw_string(text)) for name, text in docstrings().items())
    return HEADER + "".join(f"    ({name}) => {{\n        {text}\n    }};\n" for name, text in texts) + "}\n"


def main() -> None:
    """Writes the file, or compares it."""
    text = rust()
    if sys.argv[1:] != ["--check"]:
        RUST.write_text(text, "utf-8")
    elif not RUST.exists() or RUST.read_text("utf-8") != text:
        name = RUST.relative_to(ROOT).as_posix()
        sys.exit(f"{name}: differs from the docstrings of the stubs: run tools/native_docs.py")
    print(f"docstrings: {text.count(') => {')} of the compiled module, as in its stubs")


if __name__ == "__main__":
    main()
