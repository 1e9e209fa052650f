"""Selection of the features and tensors of `tf.Example`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import ExampleRecordDecoder, representations_from_tfmd
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._columns import Columns, source_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = {"int64": "int64", "float": "float", "large_binary": "bytes"}
"""Kinds of features by the pyarrow type of their values."""


def columns_of_examples(features: bytes) -> Columns:
    """Returns the columns and tensors of a TensorFlow Metadata schema.

    Args:
        features: The bytes of the schema.

    Raises:
        ValueError: A feature has an unsupported type, or its representation cannot be determined.
    """
    schema: Any = ExampleRecordDecoder(features).schema
    return Columns(schema.to_pyarrow().names, schema.to_pyarrow(), representations_from_tfmd(features))


def projected_examples(columns: Columns, wanted: Iterable[str]) -> Columns:
    """Returns the columns for some of the tensors. Columns and tensors keep their order.

    Raises:
        ValueError: A name is not that of a tensor.
    """
    representations = columns.representations_of(wanted)
    needed = {path[0] for one in representations.values() for path in source_columns(one)}
    names = [name for name in columns.names if name in needed]
    fields = [field for field in columns.schema if field.name in needed]
    schema = framework("pyarrow").schema(fields, metadata=columns.schema.metadata)
    return Columns(names, schema, representations)


def kinds(columns: Columns) -> dict[str, Any]:
    """Returns the columns as the argument `schema` of `arrowfeed.ExampleDataset`."""
    return {field.name: KINDS[str(field.type.value_type)] for field in columns.schema}
