"""Tensors: dense, sparse, ragged and structured."""

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from arrowfeed._stubs.arrow import Array
from arrowfeed.types import AnyTensor, TensorT

@final
class DenseTensor:
    """A dense tensor, with the batch dimension first.

    `numpy.asarray(tensor)` returns a read-only view; `torch.from_dlpack(tensor)` and similar functions share
    the memory of the tensor. Tensors can be pickled; a pickle contains a copy.

    Args:
        values: An object that numpy converts to an array of numbers, bools, bytes or str. The constructor
            copies the values; a `TensorAdapter` makes tensors without a copy.

    Raises:
        ValueError: The values have a type that tensors do not support.
        TypeError: A value is neither a number, a bool, bytes nor a str.

    Example:
        >>> tensor = adapter.convert(batch)["x"]
        >>> tensor.shape, tensor.dtype
        ((1024, 128), dtype('float32'))
    """

    def __new__(cls, values: npt.ArrayLike) -> DenseTensor: ...
    @property
    def values(self) -> npt.NDArray[Any]:
        """Read-only array of shape `[*shape]`, which shares the Arrow buffer if the layouts are the same.

        Bools, which are bits in Arrow, are converted to bytes on first use. Byte strings are converted to
        `bytes` objects on first use; `arrow` returns them without this conversion. The array keeps the shared
        memory alive.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of all dimensions, with the batch dimension first."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the values; `object` for byte strings."""

    @property
    def arrow(self) -> Array:
        """The values as a flat Arrow array, without a copy."""

    def numpy(self) -> npt.NDArray[Any]:
        """Returns `values`."""

    def aligned(self) -> DenseTensor:
        """Returns this tensor if its memory is aligned to 64 bytes, otherwise an aligned copy.

        Raises:
            TypeError: The values are byte strings.
        """

    def __array__(self, dtype: npt.DTypeLike | None = None, *, copy: bool | None = None) -> npt.NDArray[Any]:
        """Implements `numpy.asarray` and `numpy.array`.

        Raises:
            ValueError: `copy` is False, and the values must be converted.
        """

    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Returns a DLPack capsule, as specified by the Python array API standard.

        Args:
            stream: Must be None, because CPU memory has no stream.
            max_version: (1, 0) or later: a versioned capsule, which marks the memory as read-only. Otherwise:
                an unversioned capsule without this mark, so the consumer must not write to the memory.
            dl_device: (1, 0), the CPU.
            copy: True: a writable copy, aligned to 64 bytes. False: no copy, or an error. None: copies bools
                and, for an unversioned capsule, memory that is not aligned to 64 bytes. (TensorFlow requests
                unversioned capsules.)

        Raises:
            BufferError: The values are byte strings, another device is requested, or bools are requested
                without a copy.
            TypeError: An argument has the wrong type.
        """

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns (1, 0), the CPU."""

    def joined(self) -> tuple[bytes, bytes] | None:
        """Returns the byte strings, joined by a byte that none of them contains, and this byte.

        Some libraries split one string faster than they convert many `bytes` objects. The result is None if
        each of the 256 bytes occurs in the values, if the values have more than 256 bytes on average, or if
        they are not byte strings.
        """

    def __len__(self) -> int: ...

@final
class SparseTensor:
    """A sparse tensor: the coordinates and values of its stored elements, row by row.

    Elements that are not stored are zero or empty. Tensors can be pickled.

    Args:
        indices: Coordinates `[values, rank]`, with the row (the batch dimension) first. The constructor
            copies indices and values.
        values: An object that numpy converts to an array `[values]`.
        dense_shape: Sizes of all dimensions, with the batch dimension first.

    Raises:
        ConversionError: An index is outside its dimension.
        ValueError: The arguments contradict each other.
        TypeError: An argument has the wrong type.

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
        """Read-only coordinates `[values, rank]`, with the row (the batch dimension) first."""

    @property
    def values(self) -> npt.NDArray[Any]:
        """Read-only values `[values]`, which share the Arrow buffer if the layouts are the same."""

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """Sizes of all dimensions, with the batch dimension first."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the values; `object` for byte strings."""

    @property
    def arrow(self) -> Array:
        """The values as an Arrow array, without a copy."""

    def parts(self) -> tuple[DenseTensor, DenseTensor]:
        """Returns the indices and the values as dense tensors, which support DLPack."""

    def to_scipy(self) -> Any:
        """Converts a tensor of rank 2 to a `scipy.sparse.coo_array`, which shares the values.

        Raises:
            ValueError: The tensor has another rank.
            TypeError: The values are byte strings.
            ImportError: scipy is not installed.
        """

@final
class RaggedTensor:
    """A ragged tensor: flat values and row splits. Row `i` is `flat_values[splits[i]:splits[i + 1]]`.

    If there are several row splits, each indexes the rows of the next one, and the last indexes
    `flat_values`. Tensors can be pickled.

    Args:
        flat_values: An object that numpy converts to an array `[values, *inner]`. The constructor copies
            values and row splits.
        row_splits: Row splits of the ragged dimensions, from the outside in. An int32 array remains int32;
            other arrays are converted to int64.

    Raises:
        ConversionError: There are no row splits; or row splits do not start at 0, decrease, or do not end at
            the number of rows of the next level.
        TypeError: An argument has the wrong type.

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
        """Read-only values `[values, *inner]`, which share the Arrow buffer if the layouts are the same."""

    @property
    def row_splits(self) -> tuple[npt.NDArray[np.int64] | npt.NDArray[np.int32], ...]:
        """Read-only row splits, from the outside in, each `[rows + 1]`."""

    @property
    def ragged_rank(self) -> int:
        """Number of row splits."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the values; `object` for byte strings."""

    @property
    def arrow(self) -> Array:
        """The values as a flat Arrow array, without a copy."""

    def parts(self) -> tuple[DenseTensor, Sequence[DenseTensor]]:
        """Returns the flat values and the row splits as dense tensors, which support DLPack."""

    def lengths(self) -> DenseTensor:
        """Returns the number of values of each row, `[rows]`, in the integer type of the row splits.

        Raises:
            ConversionError: The tensor has several ragged dimensions.
        """

    def segment_ids(self) -> DenseTensor:
        """Returns the row of each value, `[values]`, in the integer type of the row splits.

        Raises:
            ConversionError: The tensor has several ragged dimensions.
        """

    def padded(
        self,
        pad_to: str | int | None = None,
        *,
        pad_value: bool | float | bytes | str | None = None,
        truncate: bool = False,
    ) -> tuple[DenseTensor, DenseTensor]:
        """Pads the rows. Returns a dense tensor `[rows, length, *inner]` and the mask of its values.

        Args:
            pad_to: `"longest"`, a length, or `"multiple of N"`, as in `features.Ragged`. None: `"longest"`.
            pad_value: A scalar, which follows the values of shorter rows. None: zero, False or an empty
                string.
            truncate: Whether to cut rows that are longer than `pad_to` at their ends. Requires an int. False:
                a row that is too long is an error.

        Returns:
            The values, and bools `[rows, length]`, which are True where the row has a value.

        Raises:
            ConversionError: The tensor has several ragged dimensions, a row is too long, or the value has
                another type.
            ValueError: `pad_to` has another value.
            TypeError: An argument has the wrong type.

        Example:
            >>> values, mask = arrowfeed.RaggedTensor([1, 2, 3], [[0, 1, 1, 3]]).padded()
            >>> values.values.tolist(), mask.values.tolist()
            ([[1, 0], [0, 0], [2, 3]], [[True, False], [False, False], [True, True]])
        """

    def to_list(self) -> list[Any]:
        """Converts the rows to nested lists of Python objects."""

    def __len__(self) -> int: ...

@final
class StructuredTensor:
    """A structured tensor: named tensors with the same number of rows.

    Tensors can be pickled; a pickle contains a copy.

    Args:
        fields: The tensors by name.
        row_splits: Arrays of integers: the outer row splits that all tensors share, from the outside in.
        rows: Number of rows of the batch. None: the number of rows of the row splits or, without row splits,
            of the first field.

    Raises:
        ConversionError: The fields have different numbers of rows or different row splits.
        TypeError: An argument has the wrong type.

    Example:
        >>> tensor = adapter.convert(batch)["user"]
        >>> tensor.fields["user"].fields
        {'age': <arrowfeed.DenseTensor int64 [1024]>, 'id': <arrowfeed.DenseTensor bytes [1024]>}
    """

    def __new__(
        cls,
        fields: dict[str, TensorT],
        row_splits: Sequence[npt.ArrayLike] = (),
        *,
        rows: int | None = None,
    ) -> StructuredTensor: ...
    @property
    def fields(self) -> dict[str, AnyTensor]:
        """The tensors, in the order of the columns."""

    @property
    def row_splits(self) -> tuple[npt.NDArray[np.int64] | npt.NDArray[np.int32], ...]:
        """The outer row splits that all fields share, from the outside in. Empty: each row is one struct."""

    def __len__(self) -> int: ...

def join_jagged(tensors: dict[str, TensorT]) -> tuple[DenseTensor, DenseTensor, list[int]]:
    """Joins the values of tensors, for `arrowfeed.torch.keyed_jagged`.

    Returns:
        The values of all tensors, the number of values of each row of each tensor as int32, and the number of
        values of each tensor.

    Raises:
        ConversionError: A tensor has another type or another number of rows than the first one, or it is
            neither ragged with one ragged dimension nor dense with one or two dimensions.
    """
