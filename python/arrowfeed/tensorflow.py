"""Tensors as TensorFlow has them. TensorFlow is imported on use."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import DenseTensor, SparseTensor
from arrowfeed._handoff import convert, framework

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed.types import PlainTensor, Tensor

__all__ = ["to_tensorflow"]


def to_tensorflow(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Hands tensors to TensorFlow, without a copy where their memory is aligned.

    | here | there |
    |---|---|
    | `DenseTensor` | `tf.Tensor` of its shape |
    | `SparseTensor` | `tf.SparseTensor` |
    | `RaggedTensor` | `tf.RaggedTensor`, row splits in their own integers |
    | `StructuredTensor` | dict of its fields |

    Numbers stay where they are if they begin at a multiple of 64 bytes, which TensorFlow relies on; elsewhere
    they are copied. Bools are bits in Arrow, and always copied. Byte strings are copied into `tf.string`.

    Args:
        tensors: Of `TensorAdapter.convert`.

    Returns:
        Eager tensors on the CPU, by the same names.

    Raises:
        ImportError: TensorFlow is not installed.
        TypeError: `tensors` is no dict of tensors.

    Example:
        >>> to_tensorflow(adapter.convert(batch))["x"].shape
        TensorShape([1024, 128])
    """
    tf = framework("tensorflow")
    return convert(tensors, functools.partial(_one, tf))


def _one(tf: Any, _name: str, tensor: PlainTensor) -> Any:
    if isinstance(tensor, DenseTensor):
        return _dense(tf, tensor)
    if isinstance(tensor, SparseTensor):
        indices, values = tensor.parts()
        return tf.SparseTensor(_dense(tf, indices), _dense(tf, values), tensor.dense_shape)
    flat_values, row_splits = tensor.parts()
    splits = [_dense(tf, level) for level in row_splits]
    # Checked when the tensor was made.
    return tf.RaggedTensor.from_nested_row_splits(_dense(tf, flat_values), splits, validate=False)


def _dense(tf: Any, tensor: DenseTensor) -> Any:
    if tensor.dtype.hasobject:
        return _strings(tf, tensor)
    # On memory that is not aligned, TensorFlow would end the process at some later operation.
    return tf.experimental.dlpack.from_dlpack(tensor.aligned().__dlpack__())


def _strings(tf: Any, tensor: DenseTensor) -> Any:
    """One buffer is cut by TensorFlow where that is faster than an object for each value."""
    joined = tensor.joined() if 0 not in tensor.shape else None
    if joined is None:
        return tf.constant(tensor.values, tf.string, tensor.shape)
    data, between = joined
    cut = tf.raw_ops.StringSplitV2(input=[data], sep=between, maxsplit=-1)
    return tf.reshape(cut.values, tensor.shape)
