"""`Description`, the result of `Dataset.describe`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._statistics.collected import columns_of
from arrowfeed._statistics.page import page
from arrowfeed._statistics.report import Summary, as_text, extremes, figures, top

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from arrowfeed import Dataset
    from arrowfeed._statistics.field_stats import FieldStats
    from arrowfeed.types import OnError, Report

_BATCH_ROWS = 1 << 13


class LengthStatistics(NamedTuple):
    """Lengths of the values of a field: items of lists and maps, bytes of strings and byte strings.

    Attributes:
        min: The smallest length.
        mean: The mean length.
        max: The largest length.
    """

    min: int
    mean: float
    max: int


@dataclasses.dataclass(frozen=True)
class FieldStatistics:
    """The statistics of a field. Values have the forms of the command line: times are ISO 8601 texts.

    Attributes:
        path: The key expression of the field.
        type: Name of the Arrow type.
        count: Number of values with nulls; of a field inside a struct, a list or a map, only of those inside
            values that are not null.
        nulls: Number of nulls.
        nans: Number of NaNs. None: the type has no NaN.
        min: The smallest value that is not NaN. None: there is no value, or the type has no order.
        max: The largest value that is not NaN. None: as for `min`.
        lengths: The lengths of the values. None: there is no value, or the type has no lengths.
        distinct: Number of distinct values. None: there are more than 1,000, or they are not counted for the
            type.
        top: The ten most frequent values and their counts, the most frequent one first. None: `distinct` is
            None, or each value occurs once.
        bytes: Bytes in Arrow, with offsets and validity bitmaps, and with nested fields.
        share: The share of the field in the bytes of all columns, from 0 to 1.
    """

    path: str
    type: str
    count: int
    nulls: int
    nans: int | None
    min: Any
    max: Any
    lengths: LengthStatistics | None
    distinct: int | None
    top: list[tuple[Any, int]] | None
    bytes: int
    share: float


class Description(Mapping[str, FieldStatistics]):
    """The statistics of the rows of a dataset, as a mapping from field paths to those of each field.

    `Dataset.describe` returns it. The paths are key expressions such as `id`, `user.name` and `scores[*]`; a
    nested field follows the field that contains it. `print` shows tables, and a notebook shows the page of
    `write_html`.

    Example:
        >>> description = dataset.describe()
        >>> [path for path, field in description.items() if field.nulls]
        ['name']
    """

    __slots__ = ("_fields", "_summary")

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._fields = {field.path: _statistics(summary, field) for field in summary.walk()}

    def __getitem__(self, path: str) -> FieldStatistics:
        return self._fields[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self._summary.report["rows"]

    @property
    def arrow_bytes(self) -> int:
        """Bytes of all columns in Arrow."""
        return self._summary.arrow_bytes

    @property
    def report(self) -> Report:
        """The counts of the iteration, with the skipped parts, as `BatchIterator.report`."""
        return self._summary.report

    def to_dict(self) -> dict[str, Any]:
        """Returns the content of `arrowfeed stats --json` without the names of the files.

        Strings of more than 40 characters are cut.
        """
        return figures(self._summary)

    def write_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of `arrowfeed stats --html`: a self-contained file with tables and plots.

        Args:
            path: Path of the page. An existing file is replaced.

        Raises:
            OSError: The page cannot be written.
        """
        Path(path).write_text(page(self._summary), "utf-8")

    def __repr__(self) -> str:
        return as_text(self._summary).removesuffix("\n")

    def _repr_html_(self) -> str:
        # The style of the page applies only inside the frame.
        frame = 'style="width: 100%; height: 32em; border: 0"'
        return f'<iframe srcdoc="{escape(page(self._summary))}" {frame}></iframe>'


def described(
    dataset: Dataset, *, threads: int | None = None, on_error: OnError = "raise", progress: bool = False
) -> Description:
    """Implements `Dataset.describe`."""
    batches = dataset.record_batches(
        batch_size=_BATCH_ROWS, threads=threads, on_error=on_error, progress=progress
    )
    with batches:
        columns = columns_of(dataset.arrow_schema, batches, histograms=True)
    kind = type(dataset).__name__
    summary = Summary(f"arrowfeed.{kind}", [("dataset", kind)], batches.report(), columns)
    return Description(summary)


def _statistics(summary: Summary, field: FieldStats) -> FieldStatistics:
    least, most = extremes(field)
    lengths, distinct = field.lengths, field.distinct
    spread = None
    if lengths is not None and lengths.least is not None and lengths.mean is not None:
        spread = LengthStatistics(lengths.least, lengths.mean, lengths.most)
    return FieldStatistics(
        path=field.path,
        type=field.type,
        count=field.count,
        nulls=field.nulls,
        nans=field.nans,
        min=least,
        max=most,
        lengths=spread,
        distinct=distinct.count if distinct is not None and distinct.exact else None,
        top=top(field),
        bytes=field.bytes,
        share=summary.share(field),
    )
