"""Fails if a link in a Markdown file points to a file or a heading that does not exist."""

import re
import sys
from pathlib import Path

from repository import ROOT, files

FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
INLINE_CODE = re.compile(r"`[^`\n]*`")
# The text of a link may contain brackets and images, so only its end is matched.
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
ELSEWHERE = ("http:", "https:", "mailto:")


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page."""
    headings = HEADING.findall(FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(text: str) -> list[str]:
    """The targets of the links and images of a page. Code has none."""
    return LINK.findall(INLINE_CODE.sub("", FENCE.sub("", text)))


def faults(file: Path) -> list[str]:
    """The broken links of one file."""
    found = []
    for link in links(file.read_text("utf-8")):
        if link.startswith(ELSEWHERE):
            continue
        path, _, heading = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        if not target.exists():
            found.append(f"{file.relative_to(ROOT)}: expected {link}, which is not there")
        elif heading and heading not in anchors(target.read_text("utf-8")):
            found.append(f"{file.relative_to(ROOT)}: expected the heading of {link}, which is not there")
    return found


def main() -> None:
    """Prints each broken link."""
    pages = files(".md")
    if found := [fault for page in pages for fault in faults(page)]:
        sys.exit("\n".join(found))
    print(f"links: {len(pages)} Markdown files, all lead somewhere")


if __name__ == "__main__":
    main()
