"""`tf.TypeSpec`s of tensors, and their components in graphs.

| spec | components |
|---|---|
| `tf.TensorSpec` | values |
| `tf.SparseTensorSpec` | indices, values, dense shape |
| `tf.RaggedTensorSpec` | flat values, row splits of each level |
| dict | the components of its specs, sorted by name |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import TensorSpec

_tf: Any = framework("tensorflow")


def type_spec(spec: TensorSpec, batch: int | None = None) -> Any:
    """Returns the `tf.TypeSpec` of a tensor; for a structured tensor, a dict of those of its fields.

    Args:
        spec: The spec of the tensor.
        batch: Number of rows of every batch. None: unknown.
    """
    if spec.dtype is None:
        return {name: type_spec(field, batch) for name, field in spec.fields.items()}
    dtype, shape = _dtype(spec), (batch, *spec.shape[1:])
    if spec.kind == "dense":
        return _tf.TensorSpec(shape, dtype)
    if spec.kind == "sparse":
        return _tf.SparseTensorSpec(shape, dtype)
    splits = _tf.as_dtype(spec.row_splits_dtype)
    return _tf.RaggedTensorSpec(shape, dtype, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)


def _dtype(spec: TensorSpec) -> Any:
    """The `tf.DType` of the values."""
    return _tf.string if spec.dtype is not None and spec.dtype.hasobject else _tf.as_dtype(spec.dtype)


def component_specs(spec: Any) -> list[Any]:
    """The `tf.TensorSpec` of each component."""
    if isinstance(spec, dict):
        return [part for field in _sorted(spec) for part in component_specs(field)]
    if isinstance(spec, _tf.TensorSpec):
        return [spec]
    if isinstance(spec, _tf.SparseTensorSpec):
        rank = len(spec.shape)
        indices, shape = _tf.TensorSpec([None, rank], _tf.int64), _tf.TensorSpec([rank], _tf.int64)
        return [indices, _tf.TensorSpec([None], spec.dtype), shape]
    outer, inner = spec.shape[0], spec.shape[spec.ragged_rank + 1 :]
    rows = [None if outer is None else outer + 1, *[None] * (spec.ragged_rank - 1)]
    splits = [_tf.TensorSpec([level], spec.row_splits_dtype) for level in rows]
    return [_tf.TensorSpec([None, *inner], spec.dtype), *splits]


def composed(spec: Any, given: Iterator[Any]) -> Any:
    """Builds the tensor of a spec, or a dict of tensors, from components.

    Args:
        spec: A spec as in `component_specs`.
        given: An iterator that starts with the components of the spec.
    """
    if isinstance(spec, dict):
        fields = cast("dict[str, Any]", spec)
        made = {name: composed(fields[name], given) for name in sorted(fields)}
        return {name: made[name] for name in fields}
    if isinstance(spec, _tf.TensorSpec):
        return next(given)
    if isinstance(spec, _tf.SparseTensorSpec):
        sparse = _tf.SparseTensor(next(given), next(given), next(given))
        sparse.set_shape(spec.shape)
        return sparse
    flat_values = next(given)
    row_splits = [next(given) for _ in range(spec.ragged_rank)]
    # The constructor of the tensor has already checked the row splits.
    return _tf.RaggedTensor.from_nested_row_splits(flat_values, row_splits, validate=False)


def element_specs(spec: Any) -> list[Any]:
    """The `tf.TensorSpec` of each tensor in a dataset element. Composite tensors are variants."""
    if isinstance(spec, dict):
        return [part for field in _sorted(spec) for part in element_specs(field)]
    return [spec if isinstance(spec, _tf.TensorSpec) else _tf.TensorSpec(None, _tf.variant)]


def element(spec: Any, given: Iterator[Any]) -> list[Any]:
    """Builds the tensors of a dataset element from components, as in `composed`."""
    if isinstance(spec, dict):
        return [part for field in _sorted(spec) for part in element(field, given)]
    made = composed(spec, given)
    if isinstance(spec, _tf.SparseTensorSpec):
        return [_tf.io.serialize_sparse(made, out_type=_tf.variant)]
    if isinstance(spec, _tf.RaggedTensorSpec):
        variant = _tf.raw_ops.RaggedTensorToVariant(
            rt_nested_splits=made.nested_row_splits, rt_dense_values=made.flat_values, batched_input=False
        )
        return [variant]
    return [made]


def _sorted(spec: Any) -> list[Any]:
    """The specs of a dict, sorted by name as in TensorFlow."""
    return [spec[name] for name in sorted(spec)]
