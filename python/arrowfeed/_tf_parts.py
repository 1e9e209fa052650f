"""Tensors on their way into a graph of TensorFlow: numpy's arrays in, composed by the graph.

A function that Python runs for a graph gives arrays only. Numbers are handed over without a copy where their
memory is aligned. Byte strings travel as one, which the graph cuts outside of the interpreter.

| tensor | parts |
|---|---|
| dense numbers | values |
| dense byte strings | strings, the byte between them (empty: there is none, they are whole), shape |
| sparse | indices, values, dense shape |
| ragged | flat values, row splits of each level |
| structured | those of its fields |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arrowfeed._arrowfeed import DenseTensor, SparseTensor, StructuredTensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed.types import Tensor

WHOLE = b""


def parts(tensor: Tensor) -> list[Any]:
    """The arrays that a tensor is composed of."""
    if isinstance(tensor, StructuredTensor):
        return [part for field in tensor.fields.values() for part in parts(field)]
    if isinstance(tensor, DenseTensor):
        return _dense_parts(tensor)
    if isinstance(tensor, SparseTensor):
        indices, values = tensor.parts()
        return [indices.values, *_dense_parts(values), np.array(tensor.dense_shape, np.int64)]
    flat_values, row_splits = tensor.parts()
    return [*_dense_parts(flat_values), *(level.values for level in row_splits)]


def _dense_parts(tensor: DenseTensor) -> list[Any]:
    if not tensor.dtype.hasobject:
        return [tensor.values]
    joined = tensor.joined() if 0 not in tensor.shape else None
    strings, between = ([joined[0]], joined[1]) if joined else (tensor.values.ravel(), WHOLE)
    return [np.array(strings, object), between, np.array(tensor.shape, np.int64)]


def signature(tf: Any, spec: Any) -> list[Any]:
    """The `tf.TensorSpec` of each part.

    Args:
        tf: TensorFlow.
        spec: The `tf.TypeSpec` of the tensor, or a dict of those of its fields.
    """
    if isinstance(spec, dict):
        fields = cast("dict[str, Any]", spec)
        return [part for field in fields.values() for part in signature(tf, field)]
    if isinstance(spec, tf.TensorSpec):
        return _dense_signature(tf, spec.shape, spec.dtype)
    if isinstance(spec, tf.SparseTensorSpec):
        rank = len(spec.shape)
        indices, shape = tf.TensorSpec([None, rank], tf.int64), tf.TensorSpec([rank], tf.int64)
        return [indices, *_dense_signature(tf, [None], spec.dtype), shape]
    flat = _dense_signature(tf, [None, *_inner(spec)], spec.dtype)
    outer = spec.shape[0]
    rows = [None if outer is None else outer + 1, *[None] * (spec.ragged_rank - 1)]
    return [*flat, *(tf.TensorSpec([level], spec.row_splits_dtype) for level in rows)]


def _dense_signature(tf: Any, shape: Any, dtype: Any) -> list[Any]:
    if dtype != tf.string:
        return [tf.TensorSpec(shape, dtype)]
    sizes = tf.TensorSpec([len(shape)], tf.int64)
    return [tf.TensorSpec([None], tf.string), tf.TensorSpec([], tf.string), sizes]


def _inner(spec: Any) -> list[int | None]:
    """Sizes of the dimensions inside of a ragged tensor's ragged ones."""
    return list(spec.shape[spec.ragged_rank + 1 :])


def composed(tf: Any, spec: Any, given: Iterator[Any]) -> Any:
    """The tensor of a spec, in a graph.

    Args:
        tf: TensorFlow.
        spec: As of `signature`.
        given: Tensors of its parts, and then those of others.
    """
    if isinstance(spec, dict):
        fields = cast("dict[str, Any]", spec)
        return {name: composed(tf, field, given) for name, field in fields.items()}
    if isinstance(spec, tf.TensorSpec):
        return _dense(tf, spec.shape, spec.dtype, given)
    if isinstance(spec, tf.SparseTensorSpec):
        indices, values = next(given), _dense(tf, [None], spec.dtype, given)
        sparse = tf.SparseTensor(indices, values, next(given))
        sparse.set_shape(spec.shape)
        return sparse
    flat_values = _dense(tf, [None, *_inner(spec)], spec.dtype, given)
    row_splits = [next(given) for _ in range(spec.ragged_rank)]
    # Checked when the tensor was made.
    return tf.RaggedTensor.from_nested_row_splits(flat_values, row_splits, validate=False)


def _dense(tf: Any, shape: Any, dtype: Any, given: Iterator[Any]) -> Any:
    if dtype != tf.string:
        return next(given)
    strings, between, sizes = next(given), next(given), next(given)
    cut = tf.cond(
        tf.equal(between, WHOLE),
        lambda: strings,
        lambda: tf.raw_ops.StringSplitV2(input=strings, sep=between, maxsplit=-1).values,
    )
    return tf.ensure_shape(tf.reshape(cut, sizes), shape)
