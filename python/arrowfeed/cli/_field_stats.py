"""What is counted of one field, batch by batch, in memory that does not grow with the data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arrowfeed.cli import _parts as parts
from arrowfeed.cli._distribution import Histogram, Lengths
from arrowfeed.cli._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[^\W\d]\w*")
"""A step of a key expression that needs no quotes."""

MOST_DISTINCT = 1000
"""Distinct values are counted up to here, and no longer looked for behind it."""


class FieldStats:
    """The values of a field, of those inside of it in `children`.

    A path is a key expression, but for `m{keys}`, the keys of a map. Values under a null record, list or map
    are not there: `count` is that of the places that could hold one.
    """

    def __init__(self, path: str, kind: Any, *, histograms: bool) -> None:
        self.path = path
        self.type = _name(kind)
        self.count = self.nulls = self.own_bytes = 0
        self.nans: int | None = 0 if parts.arrow().types.is_floating(kind) else None
        self.lengths = Lengths() if _has_lengths(kind) else None
        self.extremes = Extremes() if _has_order(kind) else None
        self.distinct = Distinct() if _has_distinct(kind) else None
        self.histogram = (
            Histogram(whole=parts.arrow().types.is_integer(kind)) if histograms and _is_number(kind) else None
        )
        self.children = [FieldStats(step, inner, histograms=histograms) for step, inner in _inner(path, kind)]

    def add(self, array: Any) -> None:
        """Counts an array of the field."""
        self.count += len(array)
        self.own_bytes += _own_bytes(array)
        self.nulls += _nulls(array)
        present = parts.present(array)
        if len(present) == 0:
            return
        if self.lengths is not None:
            self.lengths.add(_lengths(present))
        self._add_values(_decoded(present))
        for child, values in zip(self.children, _inside(present), strict=True):
            child.add(values)

    def _add_values(self, values: Any) -> None:
        if self.distinct is not None:
            self.distinct.add(values)
        if self.nans is not None:
            compute = needed("pyarrow.compute", "to look at values")
            nan = compute.is_nan(values)
            found = compute.sum(nan).as_py()
            self.nans += found
            values = values.filter(compute.invert(nan)) if found else values
        if self.extremes is not None:
            self.extremes.add(values)
        if self.histogram is not None:
            self.histogram.add(values.cast("float64", safe=False).to_numpy())

    @property
    def bytes(self) -> int:
        """Bytes of the field in Arrow, with all that is inside of it."""
        return self.own_bytes + sum(child.bytes for child in self.children)

    def walk(self) -> Iterator[FieldStats]:
        """The field, then those inside of it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()


class Extremes:
    """The smallest and the largest value, as an array of none or of two."""

    def __init__(self) -> None:
        self.values: Any = None

    def add(self, values: Any) -> None:
        """Looks at an array without nulls."""
        if len(values) == 0:
            return
        compute = needed("pyarrow.compute", "to compare values")
        if self.values is not None:
            values = parts.arrow().concat_arrays([self.values, values])
        found = compute.min_max(values)
        self.values = parts.arrow().array([found["min"], found["max"]], values.type)


class Distinct:
    """The number of distinct values, or that there are more than `MOST_DISTINCT`."""

    def __init__(self) -> None:
        self.exact = True
        self._known: Any = None

    @property
    def count(self) -> int:
        """The number; where it is not exact, there are more."""
        if not self.exact:
            return MOST_DISTINCT
        return 0 if self._known is None else len(self._known)

    def add(self, values: Any) -> None:
        """Looks at an array without nulls, unless too many are known already."""
        if not self.exact:
            return
        found = values.unique()
        if self._known is not None:
            found = parts.arrow().concat_arrays([self._known, found]).unique()
        self.exact = len(found) <= MOST_DISTINCT
        self._known = found if self.exact else None


def _name(kind: Any) -> str:
    """Of nested types without what is inside, which has lines of its own."""
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
    """Paths and types of what is directly inside of a type."""
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
    """The key expression of a column."""
    return _step(name, "")


def _step(name: str, dot: str) -> str:
    """A step of a key expression to a field."""
    return f"{dot}{name}" if _NAME.fullmatch(name) else f"['{name.replace(chr(39), 2 * chr(39))}']"


def _inside(array: Any) -> list[Any]:
    """The arrays of `_inner`, of an array without nulls."""
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
    """Nulls; of a union, its rows of the branch null."""
    pa = parts.arrow()
    if not pa.types.is_union(array.type):
        return array.null_count
    return sum(len(values) for values in parts.branches(array).values if values.type == pa.null())


def _own_bytes(array: Any) -> int:
    """Bytes of an array without those of arrays inside of it.

    A row has one offset of 4 or 8 bytes, none where all lists have one size, and a bit where nulls are in the
    batch. The symbols of an enum are not counted.
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
    """Values that can be compared: the symbols of an enum, each that occurs once; half floats as floats."""
    if parts.arrow().types.is_float16(array.type):
        return array.cast("float32")
    if parts.arrow().types.is_dictionary(array.type):
        return array.dictionary.take(array.indices.unique())
    return array


def _lengths(array: Any) -> Any:
    if parts.is_list(array.type) or parts.arrow().types.is_map(array.type):
        offsets = parts.offsets(array)
        return offsets[1:] - offsets[:-1]
    return needed("pyarrow.compute", "to measure texts").binary_length(array).to_numpy()


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
