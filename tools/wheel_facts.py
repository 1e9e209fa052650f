"""The properties of a wheel that docs/releasing.md states."""

import re

from repository import ROOT

PAGE = ROOT / "docs" / "releasing.md"
TABLE = re.compile(r"<!-- wheel -->\n+(.*?)\n+<!-- end -->", re.DOTALL)
MEGABYTE = 1_000_000


def stated(page: str | None = None) -> dict[str, list[str]]:
    """The values of each row: the texts in backticks, in their order.

    Args:
        page: The text of the page. None: docs/releasing.md.
    """
    table = TABLE.search(PAGE.read_text("utf-8") if page is None else page)
    if table is None:
        raise ValueError("expected a table between <!-- wheel --> and <!-- end --> in docs/releasing.md")
    rows = [line.strip("|").split("|", 1) for line in table[1].splitlines()[2:]]
    return {name.strip(): re.findall(r"`([^`]+)`", values) for name, values in rows}
