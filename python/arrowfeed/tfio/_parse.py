"""`parse_avro`."""

from __future__ import annotations

import contextlib
import functools
import pickle
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import AvroRecordDecoder, AvroSchema
from arrowfeed._errors import ArrowfeedError, LimitError
from arrowfeed._features.arguments import found
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow import (
    component_specs,
    composed,
    eager,
    parsed_records,
    tensorflow_errors,
    type_spec,
)
from arrowfeed.tfio._errors import ArgumentError
from arrowfeed.tfio._features import converted

if TYPE_CHECKING:
    from arrowfeed.features import Feature
    from arrowfeed.types import AnyTensor

_tf: Any = framework("tensorflow")

PLANS = 32
"""Size of the cache of plans, one for each schema with its features."""


def parse_avro(
    serialized: Any,
    reader_schema: Any,
    features: dict[str, Any],
    avro_names: Any = None,  # noqa: ARG001 - the signature is tensorflow-io's
    name: str | None = None,
) -> dict[str, Any]:
    """Converts Avro records to tensors, eagerly or in a graph.

    Args:
        serialized: Records in Avro's binary encoding, which `AvroRecordDataset` produces: a tensor `[batch]`
            of `tf.string`, or a value that can be converted to such a tensor.
        reader_schema: The schema of the records, as JSON.
        features: Dict of key expressions to `tf.io.FixedLenFeature`, `tf.io.SparseFeature`,
            `VarLenFeatureWithRank`, or any other feature that `arrowfeed.AvroDataset` accepts.
        avro_names: Ignored, as in tensorflow-io.
        name: Name of the operation in a graph.

    Returns:
        Dict of `tf.Tensor` and `tf.SparseTensor`, sorted by name.

    Raises:
        ValueError: A feature has an invalid argument.
        tf.errors.InvalidArgumentError: The schema, a key or a record is invalid; the text names the record.
            In a graph, an invalid record raises this error when the graph runs.

    Example:
        >>> records = AvroRecordDataset("part-0.avro", reader_schema=schema).batch(128)
        >>> features = {"age": tf.io.FixedLenFeature([], tf.int64)}
        >>> tensors = records.map(lambda batch: parse_avro(batch, schema, features))
    """
    records = _records(serialized)
    plan = _plan(reader_schema, features)
    return _eager(records, plan) if _tf.executing_eagerly() else _in_graph(records, plan, name)


def _records(serialized: Any) -> Any:
    tensor = _tf.convert_to_tensor(serialized, _tf.string)
    if tensor.shape.rank not in (None, 1):
        raise ArgumentError(f"serialized: expected a tensor of rank 1, found rank {tensor.shape.rank}")
    return tensor


class _Plan(NamedTuple):
    """The data that is common to all records.

    Attributes:
        schema: The schema of the records.
        features: The features of arrowfeed.
        specs: The `tf.TypeSpec` of each tensor.
        decoders: Idle decoders without rows. In a graph, several calls run in parallel.
    """

    schema: AvroSchema
    features: dict[str, Feature]
    specs: dict[str, Any]
    decoders: list[AvroRecordDecoder]

    def decoder(self) -> AvroRecordDecoder:
        """Takes a decoder for one thread, which must return it to `decoders`."""
        try:
            return self.decoders.pop()
        except IndexError:
            # One batch must contain all records of a call.
            return AvroRecordDecoder(self.schema, features=self.features, batch_size=sys.maxsize)


def _plan(reader_schema: Any, features: dict[str, Any]) -> _Plan:
    """Returns a cached plan. Making a plan for each batch of eager code would take a third of the time."""
    text = _tf.get_static_value(reader_schema) if _tf.is_tensor(reader_schema) else reader_schema
    if isinstance(text, str | bytes):
        # Features may contain lists, so they cannot be cache keys; their pickles are. Features that cannot be
        # pickled get a new plan each time.
        with contextlib.suppress(pickle.PicklingError, TypeError, AttributeError):
            return _kept_plan(text, pickle.dumps(features))
    return _new_plan(text, features)


@functools.lru_cache(PLANS)
def _kept_plan(text: str | bytes, pickled: bytes) -> _Plan:
    return _new_plan(text, pickle.loads(pickled))  # noqa: S301 - pickled above


def _new_plan(text: Any, features: dict[str, Any]) -> _Plan:
    wanted = converted(features)
    with tensorflow_errors():
        schema = _schema(text)
        plan = _Plan(schema, wanted, {}, [])
        decoder = plan.decoder()
    plan.specs.update((key, type_spec(spec)) for key, spec in decoder.specs.items())
    plan.decoders.append(decoder)
    return plan


def _schema(text: Any) -> AvroSchema:
    if isinstance(text, bytes):
        text = text.decode()
    if text is None or (isinstance(text, str) and not text):
        raise ArgumentError(f"reader_schema: expected the JSON of an Avro schema, found {found(text)}")
    return AvroSchema(text)


def _eager(records: Any, plan: _Plan) -> dict[str, Any]:
    try:
        tensors = _tensors(records.numpy().tolist(), plan)
    except ArrowfeedError as error:
        raise _tf.errors.InvalidArgumentError(None, None, _text(error)) from error
    if tensors is None:
        return {key: _no_rows(spec) for key, spec in plan.specs.items()}
    return {key: eager(tensors[key], spec) for key, spec in plan.specs.items()}


def _no_rows(spec: Any) -> Any:
    """A tensor without rows."""
    parts = [_tf.zeros([size or 0 for size in part.shape], part.dtype) for part in component_specs(spec)]
    if isinstance(spec, _tf.RaggedTensorSpec):
        # Row splits start with 0.
        parts[1:] = [_tf.zeros([1], spec.row_splits_dtype) for _ in parts[1:]]
    return composed(spec, iter(parts))


def _in_graph(records: Any, plan: _Plan, name: str | None) -> dict[str, Any]:
    with _tf.name_scope(name or "ParseAvro"):
        return parsed_records(records, plan.schema, plan.features, plan.specs)


def _tensors(records: list[bytes], plan: _Plan) -> dict[str, AnyTensor] | None:
    """Converts records to tensors. None: there are no records."""
    decoder = plan.decoder()
    # After an error, the decoder and its rows are discarded.
    decoder.extend(records)
    tensors = decoder.flush_tensors()
    if decoder.rows:
        message = f"serialized: expected records that fit in one batch, found {decoder.rows} more"
        raise LimitError(message, limit="batch_bytes")
    plan.decoders.append(decoder)
    return tensors


def _text(error: ArrowfeedError) -> str:
    """The text of an error, with the number of the record."""
    if error.reason is None or error.record is None:
        return str(error)
    place = "" if error.field is None else f"{error.field}: "
    return f"serialized[{error.record}]: {place}{error.reason}"
