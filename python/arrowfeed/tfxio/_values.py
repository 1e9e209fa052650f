"""Conversion of tensors to values for graph mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._arrowfeed import DenseTensor, SparseTensor

if TYPE_CHECKING:
    from arrowfeed.types import PlainTensor


def value(tf: Any, tensor: PlainTensor) -> Any:
    """Returns a value to feed to a session: an array, or a named tuple of arrays of TensorFlow."""
    if isinstance(tensor, DenseTensor):
        return tensor.values
    if isinstance(tensor, SparseTensor):
        dense_shape = np.array(tensor.dense_shape, np.int64)
        return tf.compat.v1.SparseTensorValue(tensor.indices, tensor.values, dense_shape)
    ragged: Any = tensor.flat_values
    for splits in reversed(tensor.row_splits):
        ragged = tf.compat.v1.ragged.RaggedTensorValue(ragged, splits)
    return ragged
