"""Conversion of Arrow values to JSON values, in the forms that docs/command-line.md lists."""

from __future__ import annotations

import itertools
import math
import re
import uuid
from typing import TYPE_CHECKING, Any

from arrowfeed._rendering import parts

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
else:
    from arrowfeed._rendering import lazy_numpy as np

_NANOSECONDS = 1_000_000
"""Nanoseconds per millisecond, the unit of Avro durations."""


def json_rows(batch: Any) -> list[dict[str, Any]]:
    """Converts the rows of a pyarrow batch to JSON objects."""
    columns = [json_values(column) for column in batch.columns]
    names = batch.schema.names
    rows = zip(*columns, strict=True) if columns else [()] * batch.num_rows
    return [dict(zip(names, row, strict=True)) for row in rows]


def json_values(array: Any) -> list[Any]:
    """Converts the values of a pyarrow array to JSON values."""
    convert = _converter(array.type)
    if convert is _unions:
        return convert(array)
    values = convert(parts.present(array))
    if len(values) == len(array):
        return values
    rest = iter(values)
    return [next(rest) if valid else None for valid in array.is_valid().to_pylist()]


def _converter(kind: Any) -> Callable[[Any], list[Any]]:
    """The function that converts arrays of a type without nulls."""
    types = parts.arrow().types
    if isinstance(kind, parts.arrow().BaseExtensionType):
        return _uuids
    for matches, convert in (
        (types.is_floating, _floats),
        (parts.is_bytes, _bytes),
        (types.is_fixed_size_binary, _bytes),
        (types.is_date, _times),
        (types.is_timestamp, _times),
        (types.is_time, _clock),
        (types.is_decimal, _texts),
        (types.is_interval, _durations),
        (types.is_duration, _spans),
        (types.is_dictionary, _symbols),
        (types.is_map, _maps),
        (parts.is_list, _lists),
        (types.is_struct, _structs),
        (types.is_union, _unions),
    ):
        if matches(kind):
            return convert
    return _plain


def _plain(array: Any) -> list[Any]:
    return array.to_pylist()


def _texts(array: Any) -> list[Any]:
    return [str(value) for value in array.to_pylist()]


def _floats(array: Any) -> list[Any]:
    """The shortest decimals that represent the floats, also for 32 bits. JSON has only finite numbers."""
    narrow = array.type.bit_width < 64  # noqa: PLR2004
    return [_float(float(str(value)) if narrow else float(value)) for value in parts.numbers(array)]


def _float(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _bytes(array: Any) -> list[Any]:
    """As in Avro's JSON encoding, each byte becomes the character with its code."""
    return [value.decode("latin-1") for value in array.to_pylist()]


def _times(array: Any) -> list[Any]:
    """Converts with numpy, which supports all years and nanoseconds."""
    zoned = getattr(array.type, "tz", None) is not None
    texts = _moments(_datetimes(array))
    return [f"{text}Z" for text in texts] if zoned else texts


def _datetimes(array: Any) -> np.ndarray[Any, Any]:
    """Dates and timestamps without nulls as `datetime64`."""
    pa, kind = parts.arrow(), array.type
    if pa.types.is_date32(kind):
        return parts.numbers(array.view(pa.int32())).astype(np.int64).astype("datetime64[D]")
    unit = "ms" if pa.types.is_date64(kind) else kind.unit
    return parts.numbers(array.view(pa.int64())).astype(f"datetime64[{unit}]")


def _clock(array: Any) -> list[Any]:
    """A time of day is the time part of a timestamp on 1970-01-01."""
    pa = parts.arrow()
    wide = parts.numbers(array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64()))  # noqa: PLR2004
    moments = wide.astype(np.int64).astype(f"datetime64[{array.type.unit}]")
    return [text.partition("T")[2] for text in _moments(moments)]


def _moments(values: np.ndarray[Any, np.dtype[np.datetime64]]) -> list[str]:
    texts: list[str] = np.datetime_as_string(values).tolist()
    if any(text.startswith("-") for text in texts):
        # numpy counts the sign as one of the four digits of a year.
        return [re.sub(r"^-(\d{3})-", r"-0\1-", text) for text in texts]
    return texts


def _uuids(array: Any) -> list[Any]:
    return [str(uuid.UUID(bytes=value)) for value in array.storage.to_pylist()]


def _durations(array: Any) -> list[Any]:
    return [
        {"months": value.months, "days": value.days, "milliseconds": value.nanoseconds // _NANOSECONDS}
        for value in array.to_pylist()
    ]


def _spans(array: Any) -> list[Any]:
    """A number with its unit, such as 1500 ms."""
    return [f"{count} {array.type.unit}" for count in array.cast(parts.arrow().int64()).to_pylist()]


def _symbols(array: Any) -> list[Any]:
    symbols = array.dictionary.to_pylist()
    return [symbols[index] for index in array.indices.to_pylist()]


def _lists(array: Any) -> list[Any]:
    return _cut(json_values(parts.items(array)), array)


def _maps(array: Any) -> list[Any]:
    """Converts maps to objects. For a duplicate key, the last value is used."""
    keys, values = parts.entries(array)
    pairs = list(zip(json_values(keys), json_values(values), strict=True))
    return [dict(row) for row in _cut(pairs, array)]


def _cut(values: list[Any], array: Any) -> list[Any]:
    ends = parts.offsets(array).tolist()
    return [values[first:last] for first, last in itertools.pairwise(ends)]


def _structs(array: Any) -> list[Any]:
    names = [field.name for field in array.type]
    columns = [json_values(array.field(at)) for at in range(len(names))]
    rows = zip(*columns, strict=True) if columns else [()] * len(array)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _unions(array: Any) -> list[Any]:
    """As in Avro's JSON encoding, a value becomes null or an object whose key is the branch."""
    codes, values = parts.branches(array)
    rest = [iter(json_values(branch)) for branch in values]
    names = [field.name for field in array.type]
    null = parts.arrow().null()
    empty = [field.type == null for field in array.type]
    places = {code: at for at, code in enumerate(array.type.type_codes)}
    rows: list[Any] = []
    for at in map(places.__getitem__, codes.tolist()):
        value = next(rest[at])
        rows.append(None if empty[at] else {names[at]: value})
    return rows
