"""`Description`, the result of `Dataset.describe`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import normalised, vocabulary
from arrowfeed._statistics.collected import columns_of
from arrowfeed._statistics.page import page
from arrowfeed._statistics.report import Summary, as_text, extremes, figures, top

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from arrowfeed import Dataset
    from arrowfeed._arrowfeed import Transform
    from arrowfeed._statistics.field_stats import Distinct, FieldStats
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
        mean: The mean of the finite numbers. None: there is no such number, or the type has no numbers.
        std: Their standard deviation, with the number of values as divisor. None: as for `mean`.
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
    mean: float | None
    std: float | None
    lengths: LengthStatistics | None
    distinct: int | None
    top: list[tuple[Any, int]] | None
    bytes: int
    share: float
    _distinct: Distinct | None = dataclasses.field(default=None, repr=False, compare=False)

    def normalised(self) -> Transform:
        """Returns the transform `features.normalised` with this mean and standard deviation.

        Raises:
            ValueError: The field has no numbers, or all of them are equal.

        Example:
            >>> history = dataset.filter("id < 800").describe()
            >>> features.Dense([], key="id", transform=history["id"].normalised())
            Dense((), key='id', transform=(normalised(400.0, 230.65125189341592),))
        """
        if self.mean is None or not self.std:
            raise ValueError(
                f"{self.path}: expected different numbers, found a standard deviation of {self.std}"
            )
        return normalised(self.mean, self.std)

    def vocabulary(
        self,
        most: int | None = None,
        *,
        oov: int = 1,
        default: int | None = None,
        mask: str | bytes | int | None = None,
    ) -> Transform:
        """Returns the transform `features.vocabulary` of the values, the most frequent one first.

        Args:
            most: Maximum number of values. None: all.
            oov: As in `features.vocabulary`.
            default: As in `features.vocabulary`.
            mask: As in `features.vocabulary`.

        Raises:
            ValueError: The field has no strings, byte strings or integers, or more than 1,000 distinct ones.

        Example:
            >>> dataset.describe()["name"].vocabulary(most=100)
            vocabulary(["Ada", "Emmy", "Mary"])
        """
        if most is not None and (type(most) is not int or most < 1):
            raise ValueError(f"most: expected an integer of 1 or more, found {most!r}")
        tokens = None if self._distinct is None else self._distinct.tokens(most)
        if tokens is None:
            is_more = self._distinct is not None and not self._distinct.exact
            found = "more" if is_more else f"values of {self.type}"
            expected = "at most 1,000 distinct strings, byte strings or integers"
            raise ValueError(f"{self.path}: expected {expected}, found {found}")
        return vocabulary(tokens, oov=oov, default=default, mask=mask)


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
        mean=None if field.moments is None else field.moments.mean,
        std=None if field.moments is None else field.moments.std,
        lengths=spread,
        distinct=distinct.count if distinct is not None and distinct.exact else None,
        top=top(field),
        bytes=field.bytes,
        share=summary.share(field),
        _distinct=distinct,
    )
