"""Fails unless the Rust files that contain `unsafe` are exactly those listed in CONTRIBUTING.md."""

import re

from listed_files import compare
from repository import ROOT, files

CODE = re.compile(r"\bunsafe\b|\b(?:allow|expect)\(unsafe_code\)")
COMMENT = re.compile(r"//.*")


def used() -> set[str]:
    """The files of the repository that contain `unsafe` in code, or allow it."""
    unsafe = [path for path in files(".rs") if CODE.search(COMMENT.sub("", path.read_text("utf-8")))]
    return {path.relative_to(ROOT).as_posix() for path in unsafe}


if __name__ == "__main__":
    compare("unsafe files", used(), "unsafe", "`unsafe`")
