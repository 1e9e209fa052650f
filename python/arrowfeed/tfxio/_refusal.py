"""The error texts of tfx_bsl for a representation that does not fit the schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arrowfeed._arrowfeed import Dense, Ragged, Representation
from arrowfeed.tfxio._config import proto

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOATS = ("halffloat", "float", "double")
BYTES = ("binary", "large_binary", "string", "large_string")
"""Type names in pyarrow."""


def refusal(name: str, representation: Any, schema: Any) -> str:
    """Returns the error text for a representation that does not fit.

    Args:
        name: Name of the tensor.
        representation: A message, or a representation of arrowfeed.
        schema: A `pyarrow.Schema`.
    """
    if not isinstance(representation, Representation) and representation.WhichOneof("kind") is None:
        return f"Unable to handle tensor {name} with rep {representation}"
    unable = f"Unable to handle tensor {name} with rep {representation} against schema: {schema}"
    default = _default(representation)
    return unable if default is None else _wrong_default(default, schema) or unable


class _Default(NamedTuple):
    column: str
    kind: str | None
    value: Any


def _default(representation: Any) -> _Default | None:
    """The default value of a dense tensor, and the field of the message that contains it."""
    if isinstance(representation, Representation):
        if not isinstance(representation, Dense) or representation.default is None:
            return None
        value = representation.default
        kinds = {int: "int_value", float: "float_value", bytes: "bytes_value"}
        return _Default(representation.column, kinds[type(value)], value)
    dense = representation.dense_tensor
    if not dense.HasField("default_value"):
        return None
    kind = dense.default_value.WhichOneof("kind")
    return _Default(dense.column_name, kind, kind and getattr(dense.default_value, kind))


def _wrong_default(default: _Default, schema: Any) -> str | None:
    """The text for a default value whose type differs from that of the column, or that is out of range."""
    lists = _type(schema, [default.column])
    if lists is None or not hasattr(lists, "value_type"):
        return None
    column = lists.value_type
    integers = _integers(column)
    if integers is not None and default.kind in {"int_value", "uint_value"}:
        if integers.min <= default.value <= integers.max:
            return None
        return f"Integer default value out of range: {default.value} is set for a {column} column"
    if integers is None and str(column) not in (*FLOATS, *BYTES):
        return None
    fits = default.kind == "float_value" and str(column) in FLOATS
    fits = fits or (default.kind == "bytes_value" and str(column) in BYTES)
    return None if fits else f"Incompatible default value: {default.kind} is set for a {column} column"


def nested_row_lengths(representation: Any, schema: Any) -> str | None:
    """The first partition whose row lengths are lists of lists, which tfx_bsl does not accept."""
    ragged = Representation.from_proto(proto(representation))
    if not isinstance(ragged, Ragged):
        return None
    path = [ragged.path] if isinstance(ragged.path, str) else list(ragged.path)
    for partition in ragged.partitions:
        if isinstance(partition, str):
            lengths = _type(schema, [*path[:-1], partition])
            if lengths is not None and _integers(getattr(lengths, "value_type", None)) is None:
                return partition
    return None


def _integers(arrow_type: Any) -> Any:
    """The range of an integer type; None for other types."""
    if str(arrow_type).lstrip("u") not in {"int8", "int16", "int32", "int64"}:
        return None
    return np.iinfo(arrow_type.to_pandas_dtype())


def _type(schema: Any, path: Sequence[str]) -> Any:
    """The type of a column or of a field in its structs; lists need no step. None: it does not exist."""
    index = schema.get_field_index(path[0])
    found: Any = schema.field(index).type if index >= 0 else None
    for step in path[1:]:
        while hasattr(found, "value_field"):
            found = found.value_type
        index = found.get_field_index(step) if hasattr(found, "get_field_index") else -1
        found = found[index].type if index >= 0 else None
    return found
