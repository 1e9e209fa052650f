"""Tensors as values, where nothing is eager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._arrowfeed import DenseTensor, SparseTensor

if TYPE_CHECKING:
    from arrowfeed.types import PlainTensor


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
