"""Statistics of one field, collected batch by batch with constant memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed
from arrowfeed._rendering import parts
from arrowfeed._statistics.distribution import Histogram, Lengths, Moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
else:
    from arrowfeed._rendering import lazy_numpy as np

_NAME = re.compile(r"[^\W\d]\w*")
"""A name that needs no quotes in a key expression."""

MOST_DISTINCT = 1000
"""Maximum count of distinct values; beyond it, counting stops."""


class FieldStats:
    """Statistics of a field; `children` has those of its nested fields.

    A path is a key expression, except `m{keys}` for the keys of a map. Values inside a null record, list or
    map do not exist: `count` is the number of positions that can have a value.
    """

    def __init__(self, path: str, kind: Any, *, histograms: bool) -> None:
        self.path = path
        self.type = _name(kind)
        self.count = self.nulls = self.own_bytes = 0
        self.nans: int | None = 0 if parts.arrow().types.is_floating(kind) else None
        self.lengths = Lengths() if _has_lengths(kind) else None
        self.extremes = Extremes() if _has_order(kind) else None
        self.distinct = Distinct() if _has_distinct(kind) else None
        has_numbers = histograms and _is_number(kind)
        self.moments = Moments() if has_numbers else None
        self.histogram = Histogram(whole=parts.arrow().types.is_integer(kind)) if has_numbers else None
        self.children = [FieldStats(step, inner, histograms=histograms) for step, inner in _inner(path, kind)]

    def add(self, array: Any) -> None:
        """Adds an array of the field."""
        self.count += len(array)
        self.own_bytes += _own_bytes(array)
        self.nulls += _nulls(array)
        present = parts.present(array)
        if len(present) == 0:
            return
        if self.lengths is not None:
            self.lengths.add(_lengths(present))
        values = _decoded(present)
        if self.distinct is not None:
            self.distinct.add(present if parts.arrow().types.is_dictionary(present.type) else values)
        self._add_values(values)
        for child, values in zip(self.children, _inside(present), strict=True):
            child.add(values)

    def _add_values(self, values: Any) -> None:
        if self.nans is not None:
            compute = needed("pyarrow.compute", "to look at values")
            nan = compute.is_nan(values)
            found = compute.sum(nan).as_py()
            self.nans += found
            values = values.filter(compute.invert(nan)) if found else values
        if self.extremes is not None:
            self.extremes.add(values)
        if self.histogram is not None and self.moments is not None:
            numbers = parts.numbers(values.cast("float64", safe=False))
            self.histogram.add(numbers)
            self.moments.add(numbers)

    @property
    def bytes(self) -> int:
        """Bytes of the field in Arrow, including nested fields."""
        return self.own_bytes + sum(child.bytes for child in self.children)

    def walk(self) -> Iterator[FieldStats]:
        """Iterates over the field and its nested fields, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


class Extremes:
    """The smallest and the largest value, as None or an array of both."""

    def __init__(self) -> None:
        self.values: Any = None

    def add(self, values: Any) -> None:
        """Adds an array without nulls."""
        if len(values) == 0:
            return
        compute = needed("pyarrow.compute", "to compare values")
        if self.values is not None:
            values = parts.arrow().concat_arrays([self.values, values])
        found = compute.min_max(values)
        pa = parts.arrow()
        self.values = pa.concat_arrays([pa.repeat(found[name], 1) for name in ("min", "max")])


class Distinct:
    """The distinct values with their counts, or that there are more than `MOST_DISTINCT`."""

    def __init__(self) -> None:
        self.exact = True
        self._values: Any = None
        self._counts = np.zeros(0, np.int64)

    @property
    def count(self) -> int:
        """The number of distinct values; a lower bound if it is not exact."""
        return len(self._counts) if self.exact else MOST_DISTINCT

    def add(self, values: Any) -> None:
        """Adds an array without nulls, unless the maximum is exceeded."""
        if not self.exact:
            return
        values, counts = _value_counts(values)
        if self._values is not None:
            both = parts.arrow().concat_arrays([self._values, values])
            values = both.unique()
            places = needed("pyarrow.compute", "to count values").index_in(both, values)
            counts = np.bincount(parts.numbers(places), np.concatenate([self._counts, counts]), len(values))
        self.exact = len(values) <= MOST_DISTINCT
        self._values = values if self.exact else None
        self._counts = counts.astype(np.int64) if self.exact else self._counts[:0]

    def tokens(self, most: int | None) -> Any:
        """The most frequent values for a vocabulary. None: they are not exact, or no such values."""
        if not self.exact or self._values is None:
            return None
        kind = self._values.type
        if not (parts.is_text(kind) or parts.is_bytes(kind) or parts.arrow().types.is_integer(kind)):
            return None
        return self.top(len(self._counts) if most is None else most)[0]

    def top(self, most: int) -> tuple[Any, list[int]]:
        """The most frequent values and their counts. Of equally frequent values, the first ones."""
        chosen = np.argsort(-self._counts, kind="stable")[:most].astype(np.int32)
        return self._values.take(parts.int32(chosen)), self._counts[chosen].tolist()


def _value_counts(values: Any) -> tuple[Any, np.ndarray[Any, np.dtype[np.int64]]]:
    """The distinct values of an array without nulls, and their counts."""
    is_enum = parts.arrow().types.is_dictionary(values.type)
    found = (values.indices if is_enum else values).value_counts()
    distinct = found.field(0)
    return values.dictionary.take(distinct) if is_enum else distinct, parts.numbers(found.field(1))


def _name(kind: Any) -> str:
    """The name of a type. For nested types, it omits the inner types, which have their own lines."""
    pa = parts.arrow()
    for matches, name in (
        (pa.types.is_struct, "struct"),
        (pa.types.is_map, "map"),
        (parts.is_list, "list"),
        (pa.types.is_union, "union"),
        (pa.types.is_dictionary, "enum"),
    ):
        if matches(kind):
            return name
    return "uuid" if isinstance(kind, pa.BaseExtensionType) else str(kind)


def _inner(path: str, kind: Any) -> list[tuple[str, Any]]:
    """Paths and types of the direct children of a type."""
    pa = parts.arrow()
    if pa.types.is_struct(kind):
        return [(f"{path}{_step(field.name, '.')}", field.type) for field in kind]
    if pa.types.is_map(kind):
        return [(f"{path}{{keys}}", kind.key_type), (f"{path}[*]", kind.item_type)]
    if parts.is_list(kind):
        return [(f"{path}[*]", kind.value_type)]
    if pa.types.is_union(kind):
        return [(f"{path}:{field.name}", field.type) for field in kind if field.type != pa.null()]
    return []


def column_path(name: str) -> str:
    """Returns the key expression of a column."""
    return _step(name, "")


def _step(name: str, dot: str) -> str:
    """A step of a key expression to a field."""
    return f"{dot}{name}" if _NAME.fullmatch(name) else f"['{name.replace(chr(39), 2 * chr(39))}']"


def _inside(array: Any) -> list[Any]:
    """The child arrays for `_inner`, from an array without nulls."""
    pa = parts.arrow()
    if pa.types.is_struct(array.type):
        return [array.field(at) for at in range(array.type.num_fields)]
    if pa.types.is_map(array.type):
        return list(parts.entries(array))
    if parts.is_list(array.type):
        return [parts.items(array)]
    if pa.types.is_union(array.type):
        return [values for values in parts.branches(array).values if values.type != pa.null()]
    return []


def _nulls(array: Any) -> int:
    """The number of nulls; for a union, of its rows with the branch null."""
    pa = parts.arrow()
    if not pa.types.is_union(array.type):
        return array.null_count
    return sum(len(values) for values in parts.branches(array).values if values.type == pa.null())


def _own_bytes(array: Any) -> int:
    """Bytes of an array without its child arrays.

    A row has one offset of 4 or 8 bytes (no offset in fixed-size lists), and one bit if the batch has nulls.
    The symbols of an enum are not counted.
    """
    types, kind, rows = parts.arrow().types, array.type, len(array)
    if types.is_null(kind):
        return 0
    if types.is_union(kind):
        return 5 * rows
    if types.is_dictionary(kind):
        values = rows * kind.index_type.bit_width // 8
    elif types.is_struct(kind) or types.is_map(kind) or parts.is_list(kind):
        values = rows * parts.offset_bytes(kind)
    elif parts.is_text(kind) or parts.is_bytes(kind):
        compute = needed("pyarrow.compute", "to measure texts")
        length = compute.sum(compute.binary_length(array)).as_py() or 0
        values = rows * parts.offset_bytes(kind) + length
    else:
        values = (rows * getattr(kind, "storage_type", kind).bit_width + 7) // 8
    return values + ((rows + 7) // 8 if array.null_count else 0)


def _decoded(array: Any) -> Any:
    """Converts to comparable values: an enum to its distinct symbols, half floats to floats."""
    if parts.arrow().types.is_float16(array.type):
        return array.cast("float32")
    if parts.arrow().types.is_dictionary(array.type):
        return array.dictionary.take(array.indices.unique())
    return array


def _lengths(array: Any) -> Any:
    if parts.is_list(array.type) or parts.arrow().types.is_map(array.type):
        offsets = parts.offsets(array)
        return offsets[1:] - offsets[:-1]
    return parts.numbers(needed("pyarrow.compute", "to measure texts").binary_length(array))


def _has_lengths(kind: Any) -> bool:
    is_map = parts.arrow().types.is_map(kind)
    return parts.is_list(kind) or is_map or parts.is_text(kind) or parts.is_bytes(kind)


def _is_number(kind: Any) -> bool:
    types = parts.arrow().types
    return types.is_integer(kind) or types.is_floating(kind)


def _has_order(kind: Any) -> bool:
    types = parts.arrow().types
    others = types.is_boolean(kind) or types.is_decimal(kind) or types.is_temporal(kind)
    text = parts.is_text(kind) or types.is_dictionary(kind)
    return (_is_number(kind) or others or text) and not (types.is_interval(kind) or types.is_duration(kind))


def _has_distinct(kind: Any) -> bool:
    types = parts.arrow().types
    return _has_order(kind) or parts.is_bytes(kind) or types.is_fixed_size_binary(kind)
