"""Tensors: dense, sparse, ragged and structured."""

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arrowfeed._stubs.arrow import Array

@final
class DenseTensor:
    """Values in the order of a shape, the batch first.

    `numpy.asarray(tensor)` is its read-only view; `torch.from_dlpack(tensor)` and the like share its memory.
    Picklable; a pickle holds a copy.

    Args:
        values: What numpy makes an array of: numbers, bools, bytes or str. Copied. Adapters need no copy.

    Raises:
        ValueError: The values are of a type that tensors do not have.

    Example:
        >>> tensor = adapter.convert(batch)["x"]
        >>> tensor.shape, tensor.dtype
        ((1024, 128), dtype('float32'))
    """

    def __new__(cls, values: npt.ArrayLike) -> DenseTensor: ...
    @property
    def values(self) -> npt.NDArray[Any]:
        """Read-only array `[*shape]`, over the Arrow buffer where it has the numbers as they are.

        Bools are bits in Arrow: bytes are made of them on first use. Byte strings are an array of `bytes`
        objects, made on first use; `arrow` has them without. The array keeps the memory alive.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of all dimensions, the batch first."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values; `object` for byte strings."""

    @property
    def arrow(self) -> Array:
        """The values as a flat Arrow array, without a copy."""

    def numpy(self) -> npt.NDArray[Any]:
        """The same as `values`."""

    def aligned(self) -> DenseTensor:
        """The tensor itself where its memory begins at a multiple of 64 bytes, else a copy that does.

        Raises:
            TypeError: The values are byte strings.
        """

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        """For `numpy.asarray` and `numpy.array`.

        Raises:
            ValueError: `copy` is False and the values have to be converted.
        """

    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """A DLPack capsule, as the Python array API standard has it.

        Args:
            stream: None: there is none for the processor's memory.
            max_version: From (1, 0) on, a versioned capsule, which says that the memory is read-only. Else
                the old form, which cannot say so: do not write to it.
            dl_device: (1, 0), the processor.
            copy: True: a copy, which may be written to, aligned to 64 bytes. False: no copy, or an error.

        Raises:
            BufferError: The values are byte strings, another device is asked for, or bools without a copy.
            TypeError: An argument has a wrong type.
        """

    def __dlpack_device__(self) -> tuple[int, int]:
        """(1, 0): the processor's memory."""

    def joined(self) -> tuple[bytes, bytes] | None:
        """Byte strings in one, with a byte between them that none of them has, and that byte.

        For libraries that cut strings faster than they take objects. None where there is no such byte, where
        the values are long (more than 256 bytes each, on average), or where they are no byte strings.
        """

    def __len__(self) -> int: ...

@final
class SparseTensor:
    """Coordinates and values, row after row; what has no coordinates is zero, or empty. Picklable.

    Args:
        indices: Coordinates `[values, rank]`, the row first. Copied, as the values are.
        values: What numpy makes an array `[values]` of.
        dense_shape: Sizes of all dimensions, the batch first.

    Raises:
        ConversionError: An index is outside of its dimension.
        ValueError: The parts do not fit together. TypeError: an argument has a wrong type.

    Example:
        >>> tensor = adapter.convert(batch)["tags"]
        >>> tensor.indices, tensor.values, tensor.dense_shape
        (array([[0, 0], [0, 1], [2, 0]]), array([7, 8, 9]), (3, 2))
    """

    def __new__(
        cls,
        indices: npt.ArrayLike,
        values: npt.ArrayLike,
        dense_shape: Iterable[int],
    ) -> SparseTensor: ...
    @property
    def indices(self) -> npt.NDArray[np.int64]:
        """Read-only coordinates `[values, rank]`, the row first."""

    @property
    def values(self) -> npt.NDArray[Any]:
        """Read-only values `[values]`, over the Arrow buffer where it has them as they are."""

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Sizes of all dimensions, the batch first."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values; `object` for byte strings."""

    @property
    def arrow(self) -> Array:
        """The values as an Arrow array, without a copy."""

    def parts(self) -> tuple[DenseTensor, DenseTensor]:
        """Indices and values as dense tensors, which have DLPack."""

    def to_scipy(self) -> Any:
        """A `scipy.sparse.coo_array` over the same values. Rank 2 only.

        Raises:
            ValueError: The tensor has another rank.
            TypeError: The values are byte strings.
            ImportError: scipy is not installed.
        """

@final
class RaggedTensor:
    """Flat values and the row splits over them: row `i` is `flat_values[splits[i]:splits[i + 1]]`.

    With several levels, the splits of one level are over the rows of the next, the last over `flat_values`.
    Picklable.

    Args:
        flat_values: What numpy makes an array of, `[values, *inner]`. Copied, as the row splits are.
        row_splits: From the outside in, int64 or, where an array has it, int32.

    Raises:
        ConversionError: The row splits do not start at 0, decrease, or do not end where they must.
        TypeError: An argument has a wrong type.

    Example:
        >>> tensor = adapter.convert(batch)["words"]
        >>> tensor.flat_values, tensor.row_splits, tensor.to_list()
        (array([1, 2, 3]), (array([0, 1, 1, 3]),), [[1], [], [2, 3]])
    """

    def __new__(
        cls,
        flat_values: npt.ArrayLike,
        row_splits: list[npt.ArrayLike] | tuple[npt.ArrayLike, ...],
    ) -> RaggedTensor: ...
    @property
    def flat_values(self) -> npt.NDArray[Any]:
        """Read-only values `[values, *inner]`, over the Arrow buffer where it has them as they are."""

    @property
    def row_splits(self) -> tuple[npt.NDArray[np.int64] | npt.NDArray[np.int32], ...]:
        """Read-only row splits, from the outside in, each `[rows + 1]`."""

    @property
    def ragged_rank(self) -> int:
        """Number of row splits."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values; `object` for byte strings."""

    @property
    def arrow(self) -> Array:
        """The values as a flat Arrow array, without a copy."""

    def parts(self) -> tuple[DenseTensor, Sequence[DenseTensor]]:
        """Flat values and row splits as dense tensors, which have DLPack."""

    def to_list(self) -> list[Any]:
        """The rows as nested lists of Python's own objects."""

    def __len__(self) -> int: ...

@final
class StructuredTensor:
    """Tensors by name, all of them with the same rows: those of the innermost of `row_splits`, or of the
    batch. Picklable; a pickle holds a copy.

    Args:
        fields: The tensors by name.
        row_splits: The row splits that all of them begin with, from the outside in: arrays of integers.
        rows: Number of rows of the batch; None: as many as the row splits or the first field have.

    Raises:
        ConversionError: A field has other rows, or other row splits. TypeError: an argument has a wrong type.

    Example:
        >>> tensor = adapter.convert(batch)["user"]
        >>> tensor.fields
        {'age': <arrowfeed.DenseTensor int64 [1024]>, 'id': <arrowfeed.DenseTensor bytes [1024]>}
    """

    def __new__(
        cls,
        fields: dict[str, DenseTensor | SparseTensor | RaggedTensor | StructuredTensor],
        row_splits: Sequence[npt.ArrayLike] = (),
        *,
        rows: int | None = None,
    ) -> StructuredTensor: ...
    @property
    def fields(self) -> dict[str, DenseTensor | SparseTensor | RaggedTensor | StructuredTensor]:
        """The tensors, in the order of the columns."""

    @property
    def row_splits(self) -> tuple[npt.NDArray[np.int64] | npt.NDArray[np.int32], ...]:
        """Row splits that all fields begin with, from the outside in; none for a plain struct."""

    def __len__(self) -> int: ...
