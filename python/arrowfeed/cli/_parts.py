"""The arrays inside of an Arrow array, of the rows that it shows and of no others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arrowfeed.cli._libraries import needed


def arrow() -> Any:
    """The pyarrow module.

    Raises:
        ImportError: It is not installed.
    """
    return needed("pyarrow", "to look into record batches")


class Branches(NamedTuple):
    """A dense union, taken apart."""

    codes: np.ndarray[Any, np.dtype[np.int8]]
    """Of each row, the number of its branch."""
    values: list[Any]
    """Of each branch, the values of its rows, in order."""


def present(array: Any) -> Any:
    """The values of an array that are not null.

    pyarrow's `drop_null` fails where all are null and the type has a uuid inside of it.
    """
    return array.filter(array.is_valid()) if array.null_count else array


def offsets(array: Any) -> np.ndarray[Any, Any]:
    """Where the items of each row of a list or map begin, from 0 on, and where the last ones end."""
    if len(array) == 0:
        return np.zeros(1, np.int32)
    ends = array.offsets.to_numpy()
    return ends - ends[0]


def items(array: Any) -> Any:
    """The items of a list, of all its rows."""
    return _between(array, array.values)


def entries(array: Any) -> tuple[Any, Any]:
    """The keys and the values of a map, of all its rows."""
    return _between(array, array.keys), _between(array, array.items)


def branches(array: Any) -> Branches:
    """The branches of a dense union.

    Its buffers are read: pyarrow's `type_codes` and `offsets` are those of the array that it is a slice of.
    """
    _, codes, places = array.buffers()[:3]
    count, first = len(array), array.offset
    numbers = np.frombuffer(codes, np.int8, count, first) if count else np.empty(0, np.int8)
    ends = np.frombuffer(places, np.int32, count, 4 * first) if count else np.empty(0, np.int32)
    chosen = [ends[numbers == code] for code in array.type.type_codes]
    return Branches(numbers, [array.field(at).take(arrow().array(rows)) for at, rows in enumerate(chosen)])


def _between(array: Any, values: Any) -> Any:
    if len(array) == 0:
        return values.slice(0, 0)
    ends = array.offsets
    first, last = ends[0].as_py(), ends[-1].as_py()
    return values.slice(first, last - first)
