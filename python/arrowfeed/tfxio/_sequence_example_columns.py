"""Selection of the features and tensors of `tf.SequenceExample`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import SequenceExampleRecordDecoder, representations_from_tfmd
from arrowfeed._dataset.opening import SEQUENCE_COLUMN
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._columns import Columns, source_columns
from arrowfeed.tfxio._example_columns import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable


def columns_of_sequence_examples(features: bytes) -> Columns:
    """Returns the columns and tensors of a TensorFlow Metadata schema.

    Args:
        features: The bytes of the schema.

    Raises:
        ValueError: A feature has an unsupported type, or its representation cannot be determined.
    """
    schema: Any = SequenceExampleRecordDecoder(features).schema
    return _columns(schema.to_pyarrow(), representations_from_tfmd(features))


def projected_sequence_examples(columns: Columns, wanted: Iterable[str]) -> Columns:
    """Returns the columns for some of the tensors. Columns, fields and tensors keep their order.

    Raises:
        ValueError: A name is not that of a tensor.
    """
    pa = framework("pyarrow")
    representations = columns.representations_of(wanted)
    needed = {path for one in representations.values() for path in source_columns(one)}
    fields: list[Any] = []
    for field in columns.schema:
        if field.name == SEQUENCE_COLUMN:
            steps = [step for step in field.type if {(field.name,), (field.name, step.name)} & needed]
            fields += [pa.field(field.name, pa.struct(steps))] if steps else []
        elif (field.name,) in needed:
            fields.append(field)
    return _columns(pa.schema(fields), representations)


def sequence_kinds(columns: Columns) -> dict[str, Any]:
    """Returns the columns as the argument `schema` of `arrowfeed.SequenceExampleDataset`."""
    return {
        field.name: {step.name: KINDS[str(step.type.value_type.value_type)] for step in field.type}
        if field.name == SEQUENCE_COLUMN
        else KINDS[str(field.type.value_type)]
        for field in columns.schema
    }


def _columns(schema: Any, representations: dict[str, Any]) -> Columns:
    return Columns(schema.names, schema, representations)
