"""Comparison of messages, field by field."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    Keys = dict[str, Callable[[Message], object]]

FLOATS = (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT)
TOLERANCE = 1e-9
"""Largest difference of floating numbers, relative or absolute: sums depend on the order of the rows."""


def assert_same(found: Message, expected: Message, keys: Keys) -> None:
    """Fails with the path of the first difference.

    `keys` has functions by the names of repeated fields whose order has no meaning: such a field is compared
    as a mapping, whose keys are the results of the function.
    """
    result = difference(found, expected, keys, "")
    assert result is None, result


def difference(found: Message, expected: Message, keys: Keys, path: str) -> str | None:
    """The first difference of two messages, or None."""
    for field in expected.DESCRIPTOR.fields:
        where = f"{path}.{field.name}".lstrip(".")
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if field.is_repeated:
            result = of_lists(field, one, other, keys, where)
        elif field.has_presence and not (found.HasField(field.name) and expected.HasField(field.name)):
            result = unequal(where, *(is_set(message, field) for message in (found, expected)))
        else:
            result = of_values(field, one, other, keys, where)
        if result is not None:
            return result
    return None


def of_lists(field: FieldDescriptor, found: Any, expected: Any, keys: Keys, where: str) -> str | None:
    """The first difference of two repeated fields, or None."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return of_maps(field.message_type.fields_by_name["value"], found, expected, keys, where)
    found, expected = list(found), list(expected)
    key = keys.get(field.name)
    names = [range(len(values)) for values in (found, expected)]
    if key is not None:
        found, expected = sorted(found, key=key), sorted(expected, key=key)
        names = [[key(value) for value in values] for values in (found, expected)]
    if result := unequal(where, *map(list, names)):
        return result
    for name, one, other in zip(names[0], found, expected, strict=True):
        if result := of_values(field, one, other, keys, f"{where}[{name}]"):
            return result
    return None


def of_maps(field: FieldDescriptor, found: dict, expected: dict, keys: Keys, where: str) -> str | None:
    """The first difference of two maps with values of a field, or None."""
    if result := unequal(where, sorted(found), sorted(expected)):
        return result
    for name in sorted(expected):
        if result := of_values(field, found[name], expected[name], keys, f"{where}[{name!r}]"):
            return result
    return None


def of_values(field: FieldDescriptor, found: object, expected: object, keys: Keys, where: str) -> str | None:
    """The difference of two values, or None."""
    if field.message_type is not None:
        return difference(found, expected, keys, where)
    if field.cpp_type in FLOATS:
        if math.isnan(found) and math.isnan(expected):
            return None
        if math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return None
    return unequal(where, found, expected)


def is_set(message: Message, field: FieldDescriptor) -> str:
    """Whether a message has a field, in words."""
    return "a value" if message.HasField(field.name) else "no value"


def unequal(where: str, found: object, expected: object) -> str | None:
    """A message unless two values are equal."""
    if found == expected:
        return None
    return f"{where}: expected {expected!r}, found {found!r}"
