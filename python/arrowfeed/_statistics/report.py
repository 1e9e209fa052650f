"""The statistics of rows as JSON values and as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._rendering.json_values import json_values
from arrowfeed._rendering.table import table
from arrowfeed._rendering.text import cut, printable

if TYPE_CHECKING:
    from arrowfeed._statistics.field_stats import FieldStats
    from arrowfeed.types import Report


TOP, _TOP_TEXT = 10, 3
"""Maximum number of frequent values, and of those in tables."""


class Summary(NamedTuple):
    """The statistics of all rows."""

    title: str
    """The title of the page."""
    origin: list[tuple[str, str]]
    """Names and values of the first overview lines, which tell where the rows come from."""
    report: Report
    """The report of the reader at its end."""
    fields: list[FieldStats]
    """The columns."""

    @property
    def arrow_bytes(self) -> int:
        """Bytes of all columns in Arrow."""
        return sum(field.bytes for field in self.fields)

    @property
    def ratio(self) -> float | None:
        """Ratio of the bytes in Arrow to the bytes of the file blocks; None without blocks."""
        return self.arrow_bytes / self.report["bytes"] if self.report["bytes"] else None

    def share(self, field: FieldStats) -> float:
        """The share of the field in all bytes in Arrow."""
        return field.bytes / self.arrow_bytes if self.arrow_bytes else 0.0

    def walk(self) -> list[FieldStats]:
        """All fields, with nested fields after their parents."""
        return [inner for field in self.fields for inner in field.walk()]


def figures(summary: Summary) -> dict[str, Any]:
    """Returns the statistics as JSON values. docs/command-line.md lists the keys."""
    return {
        "rows": summary.report["rows"],
        "blocks": summary.report["blocks"],
        "file_bytes": summary.report["bytes"],
        "arrow_bytes": summary.arrow_bytes,
        "ratio": _rounded(summary.ratio),
        "skipped": summary.report["skipped"],
        "fields": [_field(summary, field) for field in summary.walk()],
    }


def _field(summary: Summary, field: FieldStats) -> dict[str, Any]:
    least, most = map(_shortened, extremes(field))
    lengths, distinct = field.lengths, field.distinct
    return {
        "path": field.path,
        "type": field.type,
        "count": field.count,
        "nulls": field.nulls,
        "nans": field.nans,
        "min": least,
        "max": most,
        "lengths": None
        if lengths is None or lengths.least is None
        else {"min": lengths.least, "mean": _rounded(lengths.mean), "max": lengths.most},
        "distinct": None if distinct is None else {"count": distinct.count, "exact": distinct.exact},
        "top": None if (found := top(field)) is None else [_entry(*pair) for pair in found],
        "bytes": field.bytes,
        "share": _rounded(summary.share(field)),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.4g}")


def extremes(field: FieldStats) -> tuple[Any, Any]:
    """The smallest and the largest value as JSON values."""
    if field.extremes is None or field.extremes.values is None:
        return None, None
    least, most = json_values(field.extremes.values)
    return least, most


def top(field: FieldStats, most: int = TOP) -> list[tuple[Any, int]] | None:
    """The most frequent values as JSON values, and their counts. None: unknown, or each value occurs once."""
    distinct = field.distinct
    if distinct is None or not distinct.exact or distinct.count in {0, field.count - field.nulls}:
        return None
    values, counts = distinct.top(most)
    return list(zip(json_values(values), counts, strict=True))


def _entry(value: Any, count: int) -> dict[str, Any]:
    return {"value": _shortened(value), "count": count}


def _shortened(value: Any) -> Any:
    return cut(value) if isinstance(value, str) else value


def overview(summary: Summary) -> list[tuple[str, str]]:
    """The names and values of the overview lines."""
    report = summary.report
    ratio = "" if summary.ratio is None else f", {summary.ratio:.2f} times those"
    lines = [
        *summary.origin,
        ("rows", f"{report['rows']:,}"),
        ("blocks", f"{report['blocks']:,}"),
        ("bytes in blocks", f"{report['bytes']:,}"),
        ("bytes in Arrow", f"{summary.arrow_bytes:,}{ratio}"),
    ]
    return [*lines, ("skipped", f"{len(report['skipped']):,}")] if report["skipped"] else lines


HEADER = ("field", "type", "count", "nulls", "NaN", "min", "max", "lengths", "distinct", "bytes", "share")
NUMBERS = {2, 3, 4, 7, 8, 9, 10}
"""Right-aligned columns of the header."""
_OPTIONAL = (9, 7, 4, 8, 2)
"""Columns that a narrow terminal does not show, the least useful first; `share` tells most of `bytes`."""


def cells(summary: Summary, field: FieldStats) -> list[str]:
    """The cells of a field under `HEADER`; missing values are empty."""
    least, most = map(_shortened, extremes(field))
    lengths, distinct = field.lengths, field.distinct
    more = "" if distinct is None or distinct.exact else ">"
    return [
        field.path,
        field.type,
        f"{field.count:,}",
        f"{field.nulls:,}",
        "" if field.nans is None else f"{field.nans:,}",
        _cell(least),
        _cell(most),
        ""
        if lengths is None or lengths.least is None
        else f"{lengths.least:,} / {lengths.mean:,.1f} / {lengths.most:,}",
        "" if distinct is None else f"{more}{distinct.count:,}",
        f"{field.bytes:,}",
        f"{summary.share(field):.1%}",
    ]


def as_text(summary: Summary) -> str:
    """Formats the overview, a table of the fields, and a table of the most frequent values."""
    lines = "".join(f"{name:<17}{printable(value)}\n" for name, value in overview(summary))
    rows = [cells(summary, field) for field in summary.walk()]
    text = f"{lines}\n{table(HEADER, rows, right=NUMBERS, paths={0}, optional=_OPTIONAL)}"
    frequent = [[field.path, values] for field in summary.walk() if (values := top_cell(field))]
    return text + (f"\n{table(('field', 'most frequent values'), frequent, paths={0})}" if frequent else "")


def top_cell(field: FieldStats) -> str:
    """The most frequent values with their counts, such as `a (12), b (3)`; empty if they are unknown."""
    return ", ".join(
        f"{_cell(_shortened(value))} ({count:,})" for value, count in top(field, _TOP_TEXT) or []
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else f"{value}"
