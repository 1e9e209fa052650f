"""Features of `ATDSDataset`: fields in the fixed layout of AvroTensorDataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from arrowfeed._features.arguments import found
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

_tf: Any = framework("tensorflow")
DTYPES = (_tf.int32, _tf.int64, _tf.float32, _tf.float64, _tf.string, _tf.bool)

OPEN = -1
"""The size of a dimension without a fixed size."""


class _Feature(NamedTuple):
    shape: Any
    dtype: Any


FeatureT = TypeVar("FeatureT", bound=_Feature)
"""The type of the values of a dict of features."""


class DenseFeature(_Feature):
    """A `tf.Tensor` `[batch, *shape]` of a field that contains one value or nested arrays of exactly the
    shape.

    Args:
        shape: Sizes of the dimensions after the batch, each at least 1. `[]`: one value per row.
        dtype: The `tf.DType` of the field. Values are never converted.

    Raises:
        ValueError: The shape or the type is invalid.

    Example:
        >>> feature = DenseFeature([28, 28], tf.float32)
    """

    __slots__ = ()

    def __new__(cls, shape: Sequence[int], dtype: Any) -> Self:
        return super().__new__(cls, _shape(shape, least=1), _dtype(dtype))


class SparseFeature(_Feature):
    """A `tf.SparseTensor` `[batch, *shape]` of a record field with the arrays `indices0`, `indices1`, ... and
    `values`.

    Args:
        shape: Sizes of the dimensions after the batch, one for each index array. -1: the largest index of the
            batch plus 1.
        dtype: The `tf.DType` of `values`.

    Raises:
        ValueError: The shape or the type is invalid.

    Example:
        >>> feature = SparseFeature([100, -1], tf.float32)
    """

    __slots__ = ()

    def __new__(cls, shape: Sequence[int], dtype: Any) -> Self:
        sizes = _shape(shape, least=OPEN)
        if not sizes:
            raise ValueError("shape: expected at least one size, found []")
        return super().__new__(cls, sizes, _dtype(dtype))


class VarlenFeature(_Feature):
    """A `tf.SparseTensor` `[batch, *shape]` of a field of nested arrays, whose lengths may differ.

    Args:
        shape: Sizes of the dimensions after the batch. -1: any size. `[]`: one value per row.
        dtype: The `tf.DType` of the values of the field.

    Raises:
        ValueError: The shape or the type is invalid.

    Example:
        >>> feature = VarlenFeature([-1], tf.string)
    """

    __slots__ = ()

    def __new__(cls, shape: Sequence[int], dtype: Any) -> Self:
        return super().__new__(cls, _shape(shape, least=OPEN), _dtype(dtype))


def _shape(shape: Any, least: int) -> list[int]:
    sizes = "sizes of 1 or more" if least > OPEN else "sizes of 1 or more, or -1 if unknown"
    message = f"shape: expected a list of {sizes}, found {found(shape)}"
    if shape is None or isinstance(shape, str | bytes) or not hasattr(shape, "__iter__"):
        raise ValueError(message)
    given: list[Any] = list(shape)
    if not all(isinstance(size, int) and size >= least and size != 0 for size in given):
        raise ValueError(message)
    return given


def _dtype(dtype: Any) -> Any:
    if dtype not in DTYPES:
        names = ", ".join(known.name for known in DTYPES)
        raise ValueError(f"dtype: expected one of {names}, found {found(dtype)}")
    return dtype
