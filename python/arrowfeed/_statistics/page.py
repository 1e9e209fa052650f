"""The statistics of rows as a self-contained HTML page, with escaped text and SVG plots."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from arrowfeed._rendering.text import printable
from arrowfeed._statistics.report import HEADER, NUMBERS, cells, overview, top_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arrowfeed._statistics.field_stats import FieldStats
    from arrowfeed._statistics.report import Summary

_WIDTH, _HEIGHT = 72, 24
"""Size of a plot in pixels."""

_PLOTS = ("share of bytes", "share of nulls", "spread of lengths", "spread of values")
"""The plots follow the names and types of the fields, so they are visible without scrolling."""
_NAMES = 2

_STYLE = """
:root { --text: #222; --page: #fff; --line: #ddd; --plot: #f3f3f3; --bar: #3b6ea8; }
body { font: 14px system-ui, sans-serif; margin: 1.5em; color: var(--text); background: var(--page); }
h1 { font-size: 1.5em; overflow-wrap: anywhere; }
table { border-collapse: separate; border-spacing: 0; }
th, td { padding: 0.25em 0.75em; text-align: left; vertical-align: top; }
th, td { border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
td { overflow-wrap: anywhere; }
.fields { overflow: auto; max-height: 95vh; width: fit-content; max-width: 100%; }
.fields :is(th, td) { vertical-align: middle; min-width: 4em; max-width: 14em; padding: 0.25em 0.5em; }
.fields :is(td:first-child, .number) { white-space: nowrap; }
.fields :is(th, td):first-child { position: sticky; left: 0; border-right: 1px solid var(--line); }
.fields :is(th, td:first-child) { background: var(--page); }
.fields th { position: sticky; top: 0; z-index: 1; }
.fields th:first-child { z-index: 2; }
@media (max-width: 40em) {
  body { margin: 0.75em; }
  .fields td:first-child { white-space: normal; min-width: 9em; }
}
.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { display: block; background: var(--plot); }
rect { fill: var(--bar); }
p { max-width: 50em; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e6eb; --page: #16181d; --line: #3a3f4a; --plot: #262a33; --bar: #7aa7e0; }
}
"""

_NOTES = (
    "Bytes are the size of the decoded Arrow columns with offsets and validity bitmaps, and include nested"
    " fields. Lengths are minimum / mean / maximum: items of lists and maps, bytes of strings and byte"
    " strings. Their bars count the lengths 0, 1, 2 to 3, 4 to 7, and so on. The bars of numbers are ranges"
    " of equal width. Hover over a bar to see its count."
)


def page(summary: Summary) -> str:
    """Formats the complete document."""
    title = _text(summary.title)
    facts = "".join(
        f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>\n" for name, value in overview(summary)
    )
    rows = "".join(_row(summary, field) for field in summary.walk())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<table>\n{facts}</table>\n<h2>Fields</h2>\n<p>{_NOTES}</p>\n"
        f'<div class="fields" tabindex="0">\n<table>\n{_header()}{rows}</table>\n</div>\n</body>\n</html>\n'
    )


def _header() -> str:
    names = [_cell("th", name, number=at in NUMBERS) for at, name in enumerate(HEADER)]
    names[_NAMES:_NAMES] = [_cell("th", name) for name in _PLOTS]
    names.append(_cell("th", "most frequent values"))
    return f"<tr>{''.join(names)}</tr>\n"


def _row(summary: Summary, field: FieldStats) -> str:
    row = [_cell("td", text, number=at in NUMBERS) for at, text in enumerate(cells(summary, field))]
    nulls = field.nulls / field.count if field.count else 0.0
    plots = (
        _bar(summary.share(field)),
        _bar(nulls),
        _bars([] if field.lengths is None else [(*it, 1) for it in field.lengths.bins()]),
        _bars([] if field.histogram is None else field.histogram.bins()),
    )
    row[_NAMES:_NAMES] = [f"<td>{plot}</td>" for plot in plots]
    row.append(_cell("td", top_cell(field)))
    return f"<tr>{''.join(row)}</tr>\n"


def _cell(tag: str, text: str, *, number: bool = False) -> str:
    kind = ' class="number"' if number else ""
    return f"<{tag}{kind}>{_text(text)}</{tag}>"


def _bar(part: float) -> str:
    """A horizontal bar."""
    return _svg([_rect(0, 0, part * _WIDTH, _HEIGHT, f"{part:.1%}")])


def _bars(bins: Sequence[tuple[str, int, int]]) -> str:
    """A vertical bar for each bin, whose height is the count per width of the bin.

    A bar of a bin that is not empty has at least one pixel.
    """
    most = max((count / size for _, count, size in bins), default=0)
    if most == 0:
        return ""
    width = _WIDTH / len(bins)
    return _svg(
        _rect(at * width, _HEIGHT - height, width * 0.9, height, f"{name}: {count:,}")
        for at, (name, count, size) in enumerate(bins)
        if (height := max(1.0, count / size / most * _HEIGHT) if count else 0.0)
    )


def _svg(shapes: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}">{"".join(shapes)}</svg>'
    )


def _rect(x: float, y: float, width: float, height: float, title: str) -> str:
    place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
    return f"<rect {place}><title>{_text(title)}</title></rect>"


def _text(text: str) -> str:
    return escape(printable(text))
