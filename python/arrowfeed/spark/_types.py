"""Conversions between Spark types and Arrow types.

A schema is converted twice: `readable` returns the Arrow types in which Spark accepts batches, and
`spark_schema` returns the Spark types of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arrowfeed._errors import SchemaError
from arrowfeed.spark._imported import pa, pc, types

_SAME: list[tuple[Any, Any]] = [
    (pa.null(), types.NullType()),
    (pa.bool_(), types.BooleanType()),
    (pa.int8(), types.ByteType()),
    (pa.int16(), types.ShortType()),
    (pa.int32(), types.IntegerType()),
    (pa.int64(), types.LongType()),
    (pa.float32(), types.FloatType()),
    (pa.float64(), types.DoubleType()),
    (pa.string(), types.StringType()),
    (pa.binary(), types.BinaryType()),
    (pa.date32(), types.DateType()),
    (pa.timestamp("us", "UTC"), types.TimestampType()),
    (pa.timestamp("us"), types.TimestampNTZType()),
    (pa.duration("us"), types.DayTimeIntervalType()),
]
"""Arrow types without children, and the Spark types with the same values."""

_TO_SPARK = dict(_SAME)
_TO_ARROW = {spark: arrow for arrow, spark in _SAME}

_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
    pa.uuid(): pa.string(),
    pa.time32("s"): pa.int32(),
    pa.time32("ms"): pa.int32(),
    pa.time64("us"): pa.int64(),
    pa.time64("ns"): pa.int64(),
}
"""Arrow types without children that Spark does not have, and the types that can contain their values."""

_DIGITS = 38
"""Maximum precision of a decimal of Spark."""


def readable(schema: Any) -> Any:
    """Returns the schema of the batches for Spark, without metadata.

    Args:
        schema: The `pyarrow.Schema` of the files.

    Raises:
        SchemaError: Spark has no type for the values of a column.
    """
    return pa.schema([_readable_field(field, field.name) for field in schema])


def _readable_field(field: Any, path: str) -> Any:
    return pa.field(field.name, _readable_type(field.type, path), nullable=field.nullable)


def _readable_type(arrow: Any, path: str) -> Any:
    if arrow in _TO_SPARK:
        return arrow
    if isinstance(arrow, pa.BaseExtensionType) and arrow not in _WIDER:
        return _readable_type(arrow.storage_type, path)
    if pa.types.is_dictionary(arrow):
        return _readable_type(arrow.value_type, path)
    found = _readable_nested(arrow, path) if pa.types.is_nested(arrow) else _readable_scalar(arrow)
    if found is None:
        message = f"{path}: expected a type that Spark has, found {arrow}"
        raise SchemaError(f"{message}: select other columns with the option columns")
    return found


def _readable_scalar(arrow: Any) -> Any | None:
    """Returns the type for a type without children; None if Spark has none."""
    if pa.types.is_fixed_size_binary(arrow):
        return pa.binary()
    if pa.types.is_timestamp(arrow):
        return pa.timestamp("us", None if arrow.tz is None else "UTC")
    if pa.types.is_duration(arrow):
        return pa.duration("us")
    if pa.types.is_decimal(arrow) and arrow.precision <= _DIGITS and 0 <= arrow.scale <= arrow.precision:
        return pa.decimal128(arrow.precision, arrow.scale)
    return _WIDER.get(arrow)


def _readable_nested(arrow: Any, path: str) -> Any | None:
    """Returns the type for a list, map or struct; None for a union."""
    if pa.types.is_map(arrow):
        key = _readable_field(arrow.key_field, f"{path}.key")
        return pa.map_(key, _readable_field(arrow.item_field, f"{path}.value"))
    if pa.types.is_list(arrow) or pa.types.is_large_list(arrow) or pa.types.is_fixed_size_list(arrow):
        return pa.list_(_readable_field(arrow.value_field, f"{path}.{arrow.value_field.name}"))
    if pa.types.is_struct(arrow):
        return pa.struct([_readable_field(field, f"{path}.{field.name}") for field in arrow])
    return None


def spark_schema(schema: Any) -> Any:
    """Returns the `StructType` of a schema that `readable` has returned."""
    return types.StructType([_spark_field(field) for field in schema])


def _spark_field(field: Any) -> Any:
    return types.StructField(field.name, _spark_type(field.type), field.nullable)


def _spark_type(arrow: Any) -> Any:
    if pa.types.is_decimal(arrow):
        return types.DecimalType(arrow.precision, arrow.scale)
    if pa.types.is_map(arrow):
        key, value = _spark_type(arrow.key_type), _spark_type(arrow.item_type)
        return types.MapType(key, value, arrow.item_field.nullable)
    if pa.types.is_list(arrow):
        return types.ArrayType(_spark_type(arrow.value_type), arrow.value_field.nullable)
    if pa.types.is_struct(arrow):
        return types.StructType([_spark_field(field) for field in arrow])
    return _TO_SPARK[arrow]


def arrow_schema(schema: Any) -> Any:
    """Returns the `pyarrow.Schema` in which rows of Spark are written.

    Args:
        schema: The `StructType` of the rows.

    Raises:
        SchemaError: Arrow or Avro has no type for the values of a column.
    """
    return pa.schema([_arrow_field(field, field.name) for field in schema.fields])


def _arrow_field(field: Any, path: str) -> Any:
    return pa.field(field.name, _arrow_type(field.dataType, path), nullable=field.nullable)


def _arrow_type(spark: Any, path: str) -> Any:
    if isinstance(spark, types.DecimalType):
        return pa.decimal128(spark.precision, spark.scale)
    if isinstance(spark, types.ArrayType):
        item = _arrow_type(spark.elementType, f"{path}.element")
        return pa.list_(pa.field("element", item, nullable=spark.containsNull))
    if isinstance(spark, types.MapType):
        value = _arrow_type(spark.valueType, f"{path}.value")
        return pa.map_(
            _arrow_type(spark.keyType, f"{path}.key"), pa.field("value", value, spark.valueContainsNull)
        )
    if isinstance(spark, types.StructType):
        return pa.struct([_arrow_field(field, f"{path}.{field.name}") for field in spark.fields])
    if isinstance(spark, types.StringType):
        return pa.string()
    if spark not in _TO_ARROW or isinstance(spark, types.DayTimeIntervalType):
        raise SchemaError(f"{path}: expected a type that Avro has, found {spark.simpleString()}")
    return _TO_ARROW[spark]


def converted(batch: Any, schema: Any) -> Any:
    """Converts the columns of a batch to the types of a schema. Columns with the same type are shared.

    Args:
        batch: A `pyarrow.RecordBatch`.
        schema: The schema that `readable` or `arrow_schema` has returned for the columns of the batch.

    Raises:
        pyarrow.ArrowInvalid: A value does not fit.
    """
    if not batch.columns:
        return batch
    columns = [_converted(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _converted(array: Any, target: Any) -> Any:
    found = array.type
    if found.equals(target, check_metadata=True):
        return array
    if found == pa.uuid():
        return _uuid_text(array.storage)
    if isinstance(found, pa.BaseExtensionType):
        return _converted(array.storage, target)
    if pa.types.is_dictionary(found):
        return _converted(array.dictionary_decode(), target)
    if pa.types.is_nested(target):
        return _converted_nested(array, target)
    if pa.types.is_timestamp(found) and found.unit == "ns":
        # A cast rounds towards 1970.
        array = pc.floor_temporal(array.cast(pa.timestamp("ns")), unit="microsecond")
        array = array.cast(pa.timestamp("us"))
    is_exact = not pa.types.is_duration(found) or found.unit != "ns"
    return array.cast(target, safe=is_exact)


def _converted_nested(array: Any, target: Any) -> Any:
    """Converts a list, map or struct."""
    if pa.types.is_struct(target):
        children = [_converted(array.field(index), field.type) for index, field in enumerate(target)]
        return pa.StructArray.from_arrays(children, fields=list(target), mask=array.is_null())
    if pa.types.is_map(target):
        entries = [_converted(array.keys, target.key_type), _converted(array.items, target.item_type)]
        child = pa.StructArray.from_arrays(entries, fields=[target.key_field, target.item_field])
        return _with_child(array, target, child)
    if not pa.types.is_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    return _with_child(array, target, _converted(array.values, target.value_type))


def _with_child(array: Any, target: Any, child: Any) -> Any:
    """Returns a list or map with the offsets and nulls of another one."""
    buffers = array.buffers()[:2]
    return pa.Array.from_buffers(target, len(array), buffers, offset=array.offset, children=[child])


_HEXADECIMAL: Any = np.array([list(b"%02x" % byte) for byte in range(256)], dtype=np.uint8)
"""The two digits of each byte."""

_DIGIT_PLACES = [place for place in range(36) if place not in (8, 13, 18, 23)]
"""The places of the digits in the text of a UUID; the others are hyphens."""


def _uuid_text(storage: Any) -> Any:
    """Returns UUIDs as text of 36 characters."""
    count = len(storage)
    start = 16 * storage.offset
    bytes_ = np.frombuffer(storage.buffers()[1], dtype=np.uint8)[start : start + 16 * count]
    text = np.full((count, 36), ord("-"), dtype=np.uint8)
    text[:, _DIGIT_PLACES] = _HEXADECIMAL[bytes_].reshape(count, 32)
    offsets = np.arange(0, 36 * (count + 1), 36, dtype=np.int32)
    whole = pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text))
    return pc.if_else(storage.is_valid(), whole, None) if storage.null_count else whole
