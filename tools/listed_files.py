"""Compares a list of Rust files in CONTRIBUTING.md with the files found in the code."""

import re
import sys

from repository import ROOT


def compare(marks: str, found: set[str], subject: str, thing: str) -> None:
    """Exits with 1 unless the list between the marks has exactly the files that were found.

    Args:
        marks: The text of the comment before the list.
        found: The files, relative to the repository.
        subject: The first words of the line that is printed on success.
        thing: The thing that each of the files contains, for messages.
    """
    pattern = re.compile(rf"<!-- {marks} -->\n(.*?)<!-- end -->", re.DOTALL)
    section = pattern.search((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    if section is None:
        sys.exit(f"expected the list of {marks} in CONTRIBUTING.md, found no marks")
    listed = set(re.findall(r"`([^`\s]+\.rs)`", section[1]))
    if listed == found:
        print(f"{subject}: {len(found)} files, as listed")
        return
    for name in sorted(found - listed):
        print(f"{name}: has {thing}, and is not listed in CONTRIBUTING.md", file=sys.stderr)
    for name in sorted(listed - found):
        print(f"{name}: is listed in CONTRIBUTING.md, and has no {thing.removeprefix('a ')}", file=sys.stderr)
    sys.exit(1)
