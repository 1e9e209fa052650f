"""Arrow columns as the plain JSON form of README.md, the form in which Java's values are written.

The mapping to Arrow merges some distinctions of Avro, and so does this form: a union of null and one
other type is that type, nullable, whichever came first; a uuid is its 16 bytes, whether it was a string or a
fixed; a decimal is its unscaled integer, whether it was bytes or a fixed. A branch of any other union is
known by its position, which is what Avro writes, so that nothing here depends on how the children of a union
are named in Arrow.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyarrow import types

Plain = Any  # None, bool, int, float, str, or lists and dicts of these


def rows(table: pa.Table, *, record_root: bool) -> list[Plain]:
    """The rows of a table; those of a root that is not a record are in its one column, ``value``."""
    columns = {
        name: [value for chunk in table[name].chunks for value in plain(chunk)] for name in table.column_names
    }
    if not record_root:
        assert table.column_names == ["value"]
        return columns["value"]
    return [{name: values[row] for name, values in columns.items()} for row in range(table.num_rows)]


def plain(array: pa.Array) -> list[Plain]:
    """The values of an Arrow array in the plain form.

    From arrays, not from scalars: the scalar of a union's null has lost its branch.
    """
    kind = array.type
    if types.is_union(kind):
        return _union(array)
    if isinstance(kind, pa.BaseExtensionType):
        assert kind.extension_name == "arrow.uuid"
        values = [value and value.hex() for value in array.storage.to_pylist()]
    elif types.is_struct(kind):
        values = _records(array)
    elif types.is_map(kind):
        entries = list(zip(plain(array.keys), plain(array.items), strict=True))
        values = [[list(entry) for entry in sorted(part, key=_key)] for part in _parts(array, entries)]
    elif types.is_list(kind):
        values = _parts(array, plain(array.values))
    else:
        leaf = _leaf(kind)
        values = [leaf(scalar) if scalar.is_valid else None for scalar in array]
    return [
        value if valid else None for value, valid in zip(values, array.is_valid().to_pylist(), strict=True)
    ]


def _union(array: pa.UnionArray) -> list[Plain]:
    branches = [plain(array.field(position)) for position in range(array.type.num_fields)]
    # pyarrow's own accessors of these two forget that a slice does not begin at 0.
    _, codes, offsets = array.buffers()[:3]
    codes = pa.Array.from_buffers(pa.int8(), len(array), [None, codes], offset=array.offset).to_pylist()
    offsets = pa.Array.from_buffers(pa.int32(), len(array), [None, offsets], offset=array.offset).to_pylist()
    places = zip(map(array.type.type_codes.index, codes), offsets, strict=True)
    return [{"branch": position, "value": branches[position][offset]} for position, offset in places]


def _records(array: pa.StructArray) -> list[Plain]:
    fields = {field.name: plain(array.field(position)) for position, field in enumerate(array.type)}
    return [{name: values[row] for name, values in fields.items()} for row in range(len(array))]


def _parts(array: pa.ListArray | pa.MapArray, items: list[Plain]) -> list[list[Plain]]:
    bounds = array.offsets.to_pylist()
    return [items[start:end] for start, end in pairwise(bounds)]


def _key(entry: tuple[str, Plain]) -> str:
    return entry[0]


def _leaf(kind: pa.DataType) -> Callable[[pa.Scalar], Plain]:
    if types.is_interval(kind):
        return _duration
    if types.is_temporal(kind):
        return lambda scalar: scalar.value  # not every one of them is a date that Python knows
    if types.is_decimal(kind):
        return _unscaled
    if types.is_binary(kind) or types.is_fixed_size_binary(kind):
        return lambda scalar: scalar.as_py().decode("latin-1")
    if types.is_float32(kind) or types.is_float64(kind):
        return _floating
    assert kind in _AS_THEY_ARE, f"expected a type of the native mapping, found {kind}"
    return lambda scalar: scalar.as_py()


_ENUM = pa.dictionary(pa.int32(), pa.string())
_AS_THEY_ARE = (pa.null(), pa.bool_(), pa.int32(), pa.int64(), pa.string(), _ENUM)


def _duration(scalar: pa.Scalar) -> list[int]:
    months, days, nanoseconds = scalar.as_py()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    assert rest == 0
    return [months, days, milliseconds]


def _unscaled(scalar: pa.Scalar) -> str:
    """From the digits, since arithmetic would round to the precision of the decimal context."""
    sign, digits, exponent = scalar.as_py().as_tuple()
    assert exponent == -scalar.type.scale
    unscaled = int("".join(map(str, digits)))
    return str(-unscaled if sign else unscaled)


def _floating(scalar: pa.Scalar) -> float | str:
    """JSON has no number for the three that are not finite."""
    value = scalar.as_py()
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def difference(found: Plain, expected: Plain, place: str = "rows") -> str | None:
    """The first place where two values differ: 1 is not 1.0, 0.0 is not -0.0, the order of fields counts."""
    if isinstance(found, dict) and isinstance(expected, dict) and list(found) == list(expected):
        parts = ((f"{place}.{name}", found[name], expected[name]) for name in expected)
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        parts = ((f"{place}[{index}]", *pair) for index, pair in enumerate(zip(found, expected, strict=True)))
    else:
        same = json.dumps(found) == json.dumps(expected)
        return None if same else f"{place}: expected {expected!r}, found {found!r}"
    return next((text for at, left, right in parts if (text := difference(left, right, at))), None)
