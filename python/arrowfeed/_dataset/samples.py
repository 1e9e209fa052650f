"""`Samples`, the rows of a dataset as a sequence of dicts of NumPy values."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import RaggedTensor, RowReader, SparseTensor, StructuredTensor
from arrowfeed._frameworks import of_tensors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import SupportsIndex

    import numpy as np
    import numpy.typing as npt

    from arrowfeed._arrowfeed import Dataset, TensorSpec
    from arrowfeed.types import AnyTensor


class SparseRow(NamedTuple):
    """A row of a sparse tensor.

    Attributes:
        indices: Coordinates of the stored values, `[values, dimensions]`.
        values: The stored values, `[values]`.
        shape: The size of each dimension. If the tensor has no fixed size, the smallest one that contains
            the coordinates.
    """

    indices: npt.NDArray[np.int64]
    values: npt.NDArray[Any]
    shape: tuple[int, ...]


class Samples:
    """The rows of a dataset as a sequence of samples. See `Dataset.samples`."""

    def __init__(self, dataset: Dataset, *, cache_bytes: int = 64 << 20, threads: int | None = 1) -> None:
        self._dataset = dataset
        self._options: dict[str, Any] = {"cache_bytes": cache_bytes, "threads": threads}
        self._reader = RowReader(dataset, cache_bytes, threads)
        self._specs = dataset.specs

    def __len__(self) -> int:
        """Returns the number of rows.

        Raises:
            ArrowfeedError, OSError: As in `Dataset.num_rows`.
        """
        return self._reader.num_rows()

    def __getitem__(self, number: SupportsIndex) -> dict[str, Any]:
        """Returns a row. A negative number counts from the end.

        Raises:
            IndexError: The dataset has no row of this number.
            ArrowfeedError, OSError, TypeError: As in `Dataset.row_tensors`.
        """
        return self.__getitems__([operator.index(number)])[0]

    def __getitems__(self, numbers: Iterable[SupportsIndex]) -> list[dict[str, Any]]:
        """Returns several rows in the order of their numbers. Each block is decoded once.

        Raises:
            IndexError: The dataset has no row of a number.
            ArrowfeedError, OSError, TypeError: As in `Dataset.row_tensors`.
        """
        numbers = list(numbers)
        return _dicts(self._reader.tensors(numbers), self._specs, len(numbers))

    def __repr__(self) -> str:
        return of_tensors("Samples", self._specs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._dataset, self._options)


def _restored(dataset: Dataset, options: dict[str, Any]) -> Samples:
    return Samples(dataset, **options)


def _dicts(tensors: dict[str, AnyTensor], specs: dict[str, TensorSpec], count: int) -> list[dict[str, Any]]:
    """Returns the rows of several tensors, as a dict for each row."""
    rows = [_rows(tensor, specs[name], count) for name, tensor in tensors.items()]
    return (
        [dict(zip(tensors, row, strict=True)) for row in zip(*rows, strict=True)]
        if rows
        else [{} for _ in range(count)]
    )


def _rows(tensor: AnyTensor, spec: TensorSpec, count: int) -> list[Any]:
    """Returns the rows of a tensor, as copies."""
    import numpy as np  # noqa: PLC0415 - on use

    if isinstance(tensor, StructuredTensor):
        return _dicts(tensor.fields, spec.fields, count)
    if isinstance(tensor, SparseTensor):
        return _sparse_rows(tensor, spec.shape[1:], count)
    if isinstance(tensor, RaggedTensor):
        rows: Any = np.array(tensor.flat_values)
        for splits in reversed(tensor.row_splits):
            rows = [rows[start:end] for start, end in itertools.pairwise(splits.tolist())]
        return rows
    values: npt.NDArray[Any] = np.array(tensor.values)
    return list(values)


def _sparse_rows(tensor: SparseTensor, sizes: tuple[int | None, ...], count: int) -> list[SparseRow]:
    import numpy as np  # noqa: PLC0415 - on use

    indices, values = np.array(tensor.indices), np.array(tensor.values)
    borders = np.searchsorted(indices[:, 0], np.arange(count + 1)).tolist()
    rows: list[SparseRow] = []
    for start, end in itertools.pairwise(borders):
        own: npt.NDArray[np.int64] = indices[start:end, 1:]
        least = own.max(axis=0, initial=-1) + 1
        shape = tuple(int(least[n]) if size is None else size for n, size in enumerate(sizes))
        rows.append(SparseRow(own, values[start:end], shape))
    return rows
