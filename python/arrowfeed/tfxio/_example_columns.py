"""Selection of the features and tensors of `tf.Example` and `tf.SequenceExample`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import representations_from_tfmd
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._columns import Columns, source_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arrowfeed._arrowfeed import ExampleRecordDecoder, SequenceExampleRecordDecoder

KINDS = {"int64": "int64", "float": "float", "large_binary": "bytes"}
"""Kinds of features by the pyarrow type of their values."""


def columns_of_messages(
    decoder: Callable[[bytes], ExampleRecordDecoder | SequenceExampleRecordDecoder], features: bytes
) -> Columns:
    """Returns the columns and tensors of a TensorFlow Metadata schema.

    Args:
        decoder: The decoder class of the messages.
        features: The bytes of the schema.

    Raises:
        ValueError: A feature has an unsupported type, or its representation cannot be determined.
    """
    schema: Any = decoder(features).schema
    return Columns(schema.to_pyarrow().names, schema.to_pyarrow(), representations_from_tfmd(features))


def projected_messages(columns: Columns, wanted: Iterable[str]) -> Columns:
    """Returns the columns for some of the tensors. Columns, fields and tensors keep their order.

    Raises:
        ValueError: A name is not that of a tensor.
    """
    pa = framework("pyarrow")
    representations = columns.representations_of(wanted)
    paths = {path for one in representations.values() for path in source_columns(one)}
    names = {path[0] for path in paths}
    fields: list[Any] = []
    for field in columns.schema:
        if not pa.types.is_struct(field.type):
            fields += [field] if field.name in names else []
            continue
        steps = [step for step in field.type if {(field.name,), (field.name, step.name)} & paths]
        fields += [pa.field(field.name, pa.struct(steps))] if steps else []
    schema = pa.schema(fields, metadata=columns.schema.metadata)
    return Columns(schema.names, schema, representations)


def kinds(columns: Columns) -> dict[str, Any]:
    """Returns the columns as the argument `schema` of the dataset and decoder classes of the messages."""
    return {field.name: _kind(field.type) for field in columns.schema}


def _kind(arrow_type: Any) -> Any:
    """The kind of a feature, or the kinds of the feature lists in a struct by name."""
    if framework("pyarrow").types.is_struct(arrow_type):
        return {step.name: KINDS[str(step.type.value_type.value_type)] for step in arrow_type}
    return KINDS[str(arrow_type.value_type)]
