"""Conversion to eager TensorFlow tensors on the CPU, without a copy if their memory is aligned.

TensorFlow keeps the memory alive through DLPack as long as a tensor uses it, and never writes to it.
TensorFlow does not own the memory, so no operation reuses it for its result, except `tf.raw_ops.Inplace*`.

`tensorflow_errors` raises errors of data and files as TensorFlow errors.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._arrowfeed import DenseTensor, SparseTensor, StructuredTensor
from arrowfeed._errors import ArrowfeedError
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Generator

    from arrowfeed.types import Tensor

_tf: Any = framework("tensorflow")

SHAPES = 256
"""Size of the cache of shape tensors for sparse tensors."""


def eager(tensor: Tensor, spec: Any = None) -> Any:
    """Converts to a `tf.Tensor`, `tf.SparseTensor` or `tf.RaggedTensor`, or a structured tensor to a dict.

    Args:
        tensor: The tensor to convert.
        spec: Its `tf.TypeSpec`, or a dict of those of its fields. None: the shape of the tensor is used.
    """
    if isinstance(tensor, StructuredTensor):
        return {name: eager(field, spec and spec[name]) for name, field in tensor.fields.items()}
    if isinstance(tensor, DenseTensor):
        return _dense(tensor)
    if isinstance(tensor, SparseTensor):
        rank = len(tensor.dense_shape) if spec is None else len(spec.shape)
        return _composed_sparse(*_indices_and_values(tensor, rank), tensor.dense_shape[:rank])
    flat_values, row_splits = tensor.parts()
    return _composed_ragged(_dense(flat_values), [_dense(level) for level in row_splits])


def _dense(tensor: DenseTensor) -> Any:
    if tensor.dtype.hasobject:
        return _strings(tensor)
    # This takes 1 µs; tf.constant takes 9 µs and copies. With unaligned memory, TensorFlow would abort the
    # process in a later operation.
    return _tf.experimental.dlpack.from_dlpack(tensor.aligned().__dlpack__())


def _strings(tensor: DenseTensor) -> Any:
    """TensorFlow splits one joined buffer if that is faster than converting an object for each value."""
    joined = tensor.joined() if 0 not in tensor.shape else None
    if joined is None:
        return _tf.constant(tensor.values, _tf.string, tensor.shape)
    data, between = joined
    cut = _tf.raw_ops.StringSplitV2(input=[data], sep=between, maxsplit=-1)
    return _tf.reshape(cut.values, tensor.shape)


def _indices_and_values(tensor: SparseTensor, rank: int) -> tuple[Any, Any]:
    """For a rank below that of the tensor, the last indices are dropped, because they are 0."""
    indices, values = tensor.parts()
    if rank < len(tensor.dense_shape):
        indices = DenseTensor(np.ascontiguousarray(indices.values[:, :rank]))
    return _dense(indices), _dense(values)


@functools.lru_cache(SHAPES)
def _shape(sizes: tuple[int, ...]) -> tuple[Any, Any]:
    """The tensor of a shape, and the `tf.TensorShape`. Both are immutable."""
    return _dense(DenseTensor(np.array(sizes, np.int64))), _tf.TensorShape(sizes)


def _composed_sparse(indices: Any, values: Any, sizes: tuple[int, ...]) -> Any:
    dense_shape, static_shape = _shape(sizes)
    if not _sparse_is_as_known():
        return _tf.SparseTensor(indices, values, dense_shape)
    # This skips the checks of the constructor, which the tensor has already passed: they take 30 to 50 µs,
    # and this takes less than 1 µs.
    sparse = _tf.SparseTensor.__new__(_tf.SparseTensor)
    sparse._indices, sparse._values = indices, values  # noqa: SLF001
    sparse._dense_shape, sparse._dense_shape_default = dense_shape, static_shape  # noqa: SLF001
    return sparse


def _composed_ragged(flat_values: Any, row_splits: list[Any]) -> Any:
    """Builds a ragged tensor. The row splits of the outermost level come first."""
    partition_class = _row_partition_class()
    if partition_class is None:
        return _tf.RaggedTensor.from_nested_row_splits(flat_values, row_splits, validate=False)
    # As above: the checks take 43 µs per level, and this takes 1 µs.
    composed = flat_values
    for splits in reversed(row_splits):
        partition = partition_class.__new__(partition_class)
        partition._row_splits = splits  # noqa: SLF001
        partition._row_lengths = partition._value_rowids = partition._nrows = None  # noqa: SLF001
        partition._uniform_row_length = partition._nvals = None  # noqa: SLF001
        ragged = _tf.RaggedTensor.__new__(_tf.RaggedTensor)
        ragged._values, ragged._row_partition = composed, partition  # noqa: SLF001
        composed = ragged
    return composed


@functools.cache
def _sparse_is_as_known() -> bool:
    """Whether sparse tensors of this TensorFlow have exactly the attributes that are set above."""
    made = _attributes(_tf.SparseTensor(np.zeros((0, 1), np.int64), np.zeros(0), [0]))
    return set(made) == {"_indices", "_values", "_dense_shape", "_dense_shape_default"}


@functools.cache
def _row_partition_class() -> Any:
    """The class of row partitions. None: the attributes of ragged tensors differ from those above."""
    made = _attributes(_tf.RaggedTensor.from_row_splits(np.zeros(0), np.zeros(1, np.int64)))
    if set(made) != {"_values", "_row_partition"}:
        return None
    partition = _attributes(made["_row_partition"])
    unset = {name for name, value in partition.items() if value is None}
    is_as_known = unset == {"_row_lengths", "_value_rowids", "_nrows", "_uniform_row_length", "_nvals"}
    if is_as_known and set(partition) == {"_row_splits", *unset}:
        return made["_row_partition"].__class__
    return None


def _attributes(tensor: object) -> dict[str, Any]:
    return vars(tensor)


@contextlib.contextmanager
def tensorflow_errors() -> Generator[None]:
    """Raises errors of data, schemas and files as TensorFlow errors."""
    try:
        yield
    except ArrowfeedError as error:
        raise _tf.errors.InvalidArgumentError(None, None, str(error)) from error
    except FileNotFoundError as error:
        text = str(error) if error.filename is None else f"{error.filename}; {error.strerror}"
        raise _tf.errors.NotFoundError(None, None, text) from error
    except OSError as error:
        raise _tf.errors.UnknownError(None, None, f"{type(error).__name__}: {error}") from error
