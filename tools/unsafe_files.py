"""Fails unless `unsafe` stands in exactly the Rust files that CONTRIBUTING.md lists."""

import re
import sys

from repository import ROOT, files

LIST = re.compile(r"<!-- unsafe files -->\n(.*?)<!-- end -->", re.DOTALL)
CODE = re.compile(r"\bunsafe\b|\b(?:allow|expect)\(unsafe_code\)")
COMMENT = re.compile(r"//.*")


def listed() -> set[str]:
    """The files between the two marks of CONTRIBUTING.md."""
    found = LIST.search((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    if found is None:
        sys.exit("expected the list of unsafe files in CONTRIBUTING.md, found no marks")
    return set(re.findall(r"`([^`\s]+\.rs)`", found[1]))


def used() -> set[str]:
    """The files of the repository that have `unsafe` in code, or allow it."""
    unsafe = [path for path in files(".rs") if CODE.search(COMMENT.sub("", path.read_text("utf-8")))]
    return {path.relative_to(ROOT).as_posix() for path in unsafe}


def main() -> None:
    """Names each file that is only on one side."""
    expected, found = listed(), used()
    if expected == found:
        print(f"unsafe: {len(found)} files, as listed")
        return
    for name in sorted(found - expected):
        print(f"{name}: has `unsafe`, and is not listed in CONTRIBUTING.md", file=sys.stderr)
    for name in sorted(expected - found):
        print(f"{name}: is listed in CONTRIBUTING.md, and has no `unsafe`", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
