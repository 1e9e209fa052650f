"""Writers of Avro and TFRecord files, which arrowfeed writes row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._formats import SEQUENCE_COLUMN
from arrowfeed._libraries import needed
from arrowfeed._rendering import parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed import AvroSchema
    from arrowfeed.cli._output import Output
    from arrowfeed.cli._rows import Rows


def write_avro(
    rows: Rows,
    output: Output,
    codec: Any,
    *,
    schema: AvroSchema | None = None,
    metadata: Mapping[str, bytes] | None = None,
) -> int:
    """Writes an Avro file with a schema, or with the schema derived from the Arrow schema."""
    with rows.stream() as stream:
        return arrowfeed.write_avro(
            stream, output.place, codec=codec, schema=schema, metadata=metadata, **output.stores
        )


def write_tfrecord(rows: Rows, output: Output, codec: Any, *, kind: Any) -> int:
    """Writes each row as a record. Call the check of the kind first, because writing rounds doubles."""
    with rows.stream() as stream:
        return arrowfeed.write_tfrecord(stream, output.place, format=kind, compression=codec, **output.stores)


def check_examples(schema: Any, *, double_as_float: bool = False) -> None:
    """Raises a ValueError that names the first column that `tf.Example` cannot represent without loss.

    Args:
        schema: A pyarrow schema.
        double_as_float: Whether doubles may be rounded to floats.
    """
    for field in schema:
        _check_feature(field, field.name, double_as_float=double_as_float)


def check_sequence_examples(schema: Any, *, double_as_float: bool = False) -> None:
    """Raises a ValueError that names the first column that `tf.SequenceExample` cannot represent without
    loss.

    Args:
        schema: A pyarrow schema.
        double_as_float: Whether doubles may be rounded to floats.
    """
    types = needed("pyarrow.types", "to look at columns")
    for column in schema:
        if column.name != SEQUENCE_COLUMN:
            _check_feature(column, column.name, double_as_float=double_as_float)
            continue
        if not types.is_struct(column.type):
            raise ValueError(
                f'column "{column.name}": expected a struct of feature lists, found {column.type}'
            )
        for field in column.type:
            name = f"{column.name}.{field.name}"
            if not parts.is_list(field.type):
                raise ValueError(f'column "{name}": expected a list of steps, found {field.type}')
            _check_feature(field.type.value_field, name, double_as_float=double_as_float)


def check_raw_records(schema: Any) -> None:
    """Raises a ValueError unless there is exactly one column, of bytes or text.

    Args:
        schema: A pyarrow schema.
    """
    if len(schema) != 1:
        raise ValueError(f"expected one column of records, found {len(schema)}: choose one with --columns")
    [field] = schema
    if not (parts.is_text(field.type) or parts.is_bytes(field.type)):
        raise ValueError(f'column "{field.name}": expected bytes or text, found {field.type}')


def _check_feature(field: Any, name: str, *, double_as_float: bool) -> None:
    types = needed("pyarrow.types", "to look at columns")
    leaf = field.type.value_type if parts.is_list(field.type) else field.type
    if types.is_dictionary(leaf):
        leaf = leaf.value_type
    if types.is_float64(leaf):
        if not double_as_float:
            raise ValueError(
                f'column "{name}": expected numbers that a float of 32 bits holds, found'
                f" {field.type}: round them with --double-as-float, or leave the column out with"
                " --exclude"
            )
        return
    number = types.is_integer(leaf) or types.is_floating(leaf) or types.is_boolean(leaf)
    fixed = types.is_fixed_size_binary(leaf) and not types.is_decimal(leaf)
    if not (number or fixed or parts.is_text(leaf) or parts.is_bytes(leaf)):
        raise ValueError(
            f'column "{name}": expected numbers, text or bytes, or lists of these, which a'
            f" tf.Example can hold, found {field.type}: leave the column out with --exclude"
        )
