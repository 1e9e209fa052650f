"""Batches of rows of similar length: `ByLength`."""

from collections.abc import Sequence
from typing import final

@final
class ByLength:
    """Makes batches of rows of similar length, so that padding adds little.

    It is the option `batches` of an iteration over a dataset. The rows of a window, `window` rows in the
    order of the dataset, are sorted by length and divided into batches. With `shuffle_buffer_size`, the
    batches of a window are in random order. Not with `global_batch_size` or `drop_remainder`.

    Args:
        column: Name of a column that is read: the length of a row is that of its list or string, or its
            integer. `a.b` is the field `b` of column `a`. The length of a null is 0.
        boundaries: Ascending lengths that divide the rows into buckets, instead of sorting them. A bucket has
            the lengths from one boundary up to, but without, the next. A batch has rows of one bucket. None:
            the rows are sorted.
        max_tokens: Maximum of the number of rows of a batch times the length of its longest row, which is the
            size of the padded batch. `batch_size` is then optional. A longer row is an error. None: no
            maximum.
        pack_to: Length of the sequences into which the rows of a window are packed, in their order. Each row
            follows the rows of the first sequence with enough room. `batch_size` is then the maximum number
            of sequences of a batch. Features with the same length `pad_to` and `pack` make the tensors of
            these sequences. None: rows are not packed.
        window: Number of rows that are divided into batches together, and that are in memory together. None:
            100 times `batch_size`, or 10,000 without a `batch_size`.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: A number is below 1.

    Example:
        >>> by_length = arrowfeed.ByLength("tokens", max_tokens=4096, boundaries=[64, 256])
        >>> batches = dataset.tensors(batches=by_length, shuffle_buffer_size=10_000, seed=7)
    """

    def __new__(
        cls,
        column: str,
        *,
        boundaries: Sequence[int] | None = None,
        max_tokens: int | None = None,
        pack_to: int | None = None,
        window: int | None = None,
    ) -> ByLength: ...
    @property
    def column(self) -> str:
        """The column of the lengths."""

    @property
    def boundaries(self) -> tuple[int, ...] | None:
        """The lengths that divide the rows into buckets. None: the rows are sorted."""

    @property
    def max_tokens(self) -> int | None:
        """Maximum of the number of rows of a batch times the length of its longest row."""

    @property
    def pack_to(self) -> int | None:
        """Length of the sequences into which rows are packed."""

    @property
    def window(self) -> int | None:
        """Number of rows that are divided into batches together. None: the default."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
