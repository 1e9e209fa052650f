"""TensorFlow's specs of tensors, and their values where nothing is eager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._arrowfeed import DenseTensor, SparseTensor

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import TensorSpec
    from arrowfeed.types import PlainTensor


def type_spec(tf: Any, spec: TensorSpec) -> Any:
    """The `tf.TypeSpec` of a tensor; of a structured one, a dict of its fields'."""
    if spec.dtype is None:
        return {name: type_spec(tf, field) for name, field in spec.fields.items()}
    dtype = tf.string if spec.dtype.hasobject else tf.as_dtype(spec.dtype)
    if spec.kind == "dense":
        return tf.TensorSpec(spec.shape, dtype)
    if spec.kind == "sparse":
        return tf.SparseTensorSpec(spec.shape, dtype)
    splits = tf.as_dtype(spec.row_splits_dtype)
    return tf.RaggedTensorSpec(spec.shape, dtype, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)


def value(tf: Any, tensor: PlainTensor) -> Any:
    """What a session is fed with: an array, or a tuple of arrays that TensorFlow has a name for."""
    if isinstance(tensor, DenseTensor):
        return tensor.values
    if isinstance(tensor, SparseTensor):
        dense_shape = np.array(tensor.dense_shape, np.int64)
        return tf.compat.v1.SparseTensorValue(tensor.indices, tensor.values, dense_shape)
    ragged: Any = tensor.flat_values
    for splits in reversed(tensor.row_splits):
        ragged = tf.compat.v1.ragged.RaggedTensorValue(ragged, splits)
    return ragged
