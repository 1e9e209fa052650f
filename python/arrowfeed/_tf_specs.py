"""What TensorFlow knows of a tensor before there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import TensorSpec


def type_spec(tf: Any, spec: TensorSpec, batch: int | None = None) -> Any:
    """The `tf.TypeSpec` of a tensor; of a structured one, a dict of its fields'.

    Args:
        tf: TensorFlow.
        spec: Of the tensor.
        batch: Rows of every batch. None: not known.
    """
    if spec.dtype is None:
        return {name: type_spec(tf, field, batch) for name, field in spec.fields.items()}
    dtype, shape = tensor_dtype(tf, spec), (batch, *spec.shape[1:])
    if spec.kind == "dense":
        return tf.TensorSpec(shape, dtype)
    if spec.kind == "sparse":
        return tf.SparseTensorSpec(shape, dtype)
    splits = tf.as_dtype(spec.row_splits_dtype)
    return tf.RaggedTensorSpec(shape, dtype, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)


def tensor_dtype(tf: Any, spec: TensorSpec) -> Any:
    """The `tf.DType` of the values."""
    return tf.string if spec.dtype is not None and spec.dtype.hasobject else tf.as_dtype(spec.dtype)
