"""Which features are read of `tf.Example`, and which tensors are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import ExampleRecordDecoder, representations_from_tfmd
from arrowfeed.tfxio._columns import Columns, source_columns

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = {"int64": "int64", "float": "float", "large_binary": "bytes"}
"""Kinds of features, by the type of their values as pyarrow has it."""


def columns_of_examples(features: bytes) -> Columns:
    """The columns and the tensors of a schema of TensorFlow Metadata.

    Args:
        features: Its bytes.

    Raises:
        ValueError: A feature has another type, or its representation cannot be told.
    """
    schema: Any = ExampleRecordDecoder(features).schema
    return Columns(schema.to_pyarrow().names, schema.to_pyarrow(), representations_from_tfmd(features))


def projected_examples(columns: Columns, wanted: Iterable[str]) -> Columns:
    """What is read for some of the tensors. Columns and tensors stay in their order.

    Raises:
        ValueError: There is no tensor of a name.
    """
    representations = columns.representations_of(wanted)
    needed = {path[0] for one in representations.values() for path in source_columns(one)}
    names = [name for name in columns.names if name in needed]
    schema = columns.schema
    for name in columns.names:
        if name not in needed:
            schema = schema.remove(schema.get_field_index(name))
    return Columns(names, schema, representations)


def kinds(columns: Columns) -> dict[str, Any]:
    """The same as the argument `schema` of `arrowfeed.ExampleDataset`."""
    return {field.name: KINDS[str(field.type.value_type)] for field in columns.schema}
