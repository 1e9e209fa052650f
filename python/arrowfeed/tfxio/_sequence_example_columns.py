"""Which features are read of `tf.SequenceExample`, and which tensors are made of them."""

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
    """The columns and the tensors of a schema of TensorFlow Metadata.

    Args:
        features: Its bytes.

    Raises:
        ValueError: A feature has another type, or its representation cannot be told.
    """
    schema: Any = SequenceExampleRecordDecoder(features).schema
    return _columns(schema.to_pyarrow(), representations_from_tfmd(features))


def projected_sequence_examples(columns: Columns, wanted: Iterable[str]) -> Columns:
    """What is read for some of the tensors. Columns, fields and tensors stay in their order.

    Raises:
        ValueError: There is no tensor of a name.
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
    """The same as the argument `schema` of `arrowfeed.SequenceExampleDataset`."""
    return {
        field.name: {step.name: KINDS[str(step.type.value_type.value_type)] for step in field.type}
        if field.name == SEQUENCE_COLUMN
        else KINDS[str(field.type.value_type)]
        for field in columns.schema
    }


def _columns(schema: Any, representations: dict[str, Any]) -> Columns:
    return Columns(schema.names, schema, representations)
