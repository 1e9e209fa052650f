"""Checks of the arguments of features. Messages name the argument, the expected and the found value."""

from __future__ import annotations

import operator
import re
from typing import Any, TypeAlias

import numpy as np

from arrowfeed._arrowfeed import Transform

Scalar: TypeAlias = bool | int | float | bytes
Default: TypeAlias = "Scalar | tuple[Default, ...]"

SHOWN = 60
"""Maximum length of the text of a value in a message."""

NUMBERS = frozenset(
    {
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64"),
    }
)
BYTE_STRINGS = ("string", "bytes", "str", "object", bytes, str, object, np.bytes_, np.str_, np.object_)


def found(value: object) -> str:
    """Type and text of a value for messages, such as `int -3`."""
    if value is None:
        return "None"
    return f"{type(value).__name__} {shown(value)}"


def shown(value: object) -> str:
    """The start of the `repr` of a value."""
    text = repr(value)
    return f"{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}"


def text(name: str, expected: str, value: object) -> str:
    """Checks for a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected {expected}, found {found(value)}")
    return str(value)


def texts(name: str, expected: str, value: object) -> tuple[str, ...]:
    """Checks for one or several strings."""
    if isinstance(value, str):
        return (str(value),)
    return tuple(text(name, expected, item) for item in _items(name, expected, value))


def flag(name: str, value: Any) -> bool:
    """Checks for a bool."""
    if not _is_bool(value):
        raise TypeError(f"{name}: expected a bool, found {found(value)}")
    return bool(value)


def flag_or_none(name: str, value: Any) -> bool | None:
    """Checks for a bool or None."""
    if value is None or _is_bool(value):
        return None if value is None else bool(value)
    raise TypeError(f"{name}: expected a bool or None, found {found(value)}")


def choice(name: str, words: tuple[str, ...], value: object) -> str:
    """Checks for one of several words."""
    *others, last = (f'"{word}"' for word in words)
    expected = f"{', '.join(others)} or {last}"
    word = text(name, expected, value)
    if word not in words:
        raise ValueError(f"{name}: expected {expected}, found {found(value)}")
    return word


def pad_to(value: Any) -> str | int:
    """Checks for a length to pad to: a word, a number, or a multiple of a number."""
    expected = '"longest", a length (int) of 1 or more, or "multiple of N"'
    if isinstance(value, str):
        word = str(value)
        if word != "longest" and re.fullmatch("multiple of [1-9][0-9]{0,17}", word) is None:
            raise ValueError(f"pad_to: expected {expected}, found {found(value)}")
        return word
    if not _is_int(value):
        raise TypeError(f"pad_to: expected {expected}, found {found(value)}")
    length = size("pad_to", value)
    if length == 0:
        raise ValueError(f"pad_to: expected {expected}, found {found(value)}")
    return length


def size(name: str, value: Any) -> int:
    """Checks for the size of a dimension."""
    message = f"{name}: expected an integer of 0 or more, found {found(value)}"
    if _is_bool(value):
        raise TypeError(message)
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(message) from None
    if number < 0:
        raise ValueError(message)
    if number >= 1 << 63:
        raise ValueError(f"{name}: expected an integer of 64 bits, found {found(value)}")
    return number


def sizes(name: str, value: object) -> tuple[int, ...]:
    """Checks for the sizes of all dimensions."""
    expected = _with_advice("a list or tuple of sizes (int)", value)
    return tuple(size(name, item) for item in _items(name, expected, value))


def open_sizes(name: str, value: object) -> tuple[int | None, ...]:
    """Checks for the sizes of all dimensions, where None means unknown."""
    expected = _with_advice("a list or tuple of sizes (int, or None if unknown)", value)
    return tuple(open_size(name, item) for item in _items(name, expected, value))


def _with_advice(expected: str, value: object) -> str:
    """Adds the classes that take the name of a column, if the value is a string."""
    is_text = isinstance(value, str)
    return f"{expected}; the classes of representations take the name of a column" if is_text else expected


def one_or_open_sizes(name: str, value: Any) -> tuple[int | None, ...]:
    """Like `open_sizes`, but also accepts one size without a list."""
    return (open_size(name, value),) if _is_int(value) else open_sizes(name, value)


def open_size(name: str, value: Any) -> int | None:
    """Checks for the size of a dimension, where None and -1 mean unknown."""
    return None if value is None or (_is_int(value) and value == -1) else size(name, value)


def dtype(value: Any) -> np.dtype[Any] | None:
    """Converts a type, the name of a type, or a `tf.DType` to a numpy dtype; `object` for byte strings."""
    if value is None:
        return None
    known = isinstance(value, str | type) or hasattr(value, "itemsize")
    given = value if known else getattr(value, "as_numpy_dtype", getattr(value, "name", value))
    if isinstance(given, str | type) and given in BYTE_STRINGS:
        return np.dtype(object)
    kind: Any = _numpy_dtype(given)
    if kind is not None and kind.name in NUMBERS:
        return np.dtype(str(kind.name))
    # numpy returns `object` for any class that it does not know.
    if kind is not None and kind.kind in "SUO" and not isinstance(given, type):
        return np.dtype(object)
    expected = "a type of numbers, bool, or object for byte strings"
    raise ValueError(f"dtype: expected {expected}, found {found(value)}")


def _numpy_dtype(value: Any) -> Any:
    try:
        return np.dtype(value)
    except (TypeError, ValueError, SyntaxError):
        return None


def type_name(kind: Any) -> str:
    """The name of a type; `bytes` for byte strings."""
    return "bytes" if kind.hasobject else kind.name


def default(value: object, shape: tuple[int, ...], kind: np.dtype[Any] | None) -> Default | None:
    """Converts a default to a scalar, or to nested tuples of the shape."""
    if value is None:
        return None
    expected = f"a scalar or the shape {list(shape)}" if shape else "a scalar"
    try:
        array = np.asarray(value)
    except ValueError:
        # The lists have different lengths.
        raise ValueError(f"default: expected {expected}, found {found(value)}") from None
    if array.dtype.kind in "SUO":
        array = _byte_strings(value)
    elif array.dtype.kind not in "biuf":
        raise TypeError(f"default: expected numbers, bools or byte strings, found {found(value)}")
    if array.shape not in ((), shape):
        raise ValueError(f"default: expected {expected}, found the shape {list(array.shape)}")
    return _nested(_of_kind(array, kind, value).tolist(), array.ndim)


def transforms(value: Any) -> tuple[Transform, ...]:
    """Checks for one or several transforms. None means none."""
    if value is None:
        return ()
    if isinstance(value, Transform):
        return (value,)
    expected = "a Transform of arrowfeed.features, or a list of them"
    items = _items("transform", expected, value)
    for item in items:
        if not isinstance(item, Transform):
            raise TypeError(f"transform: expected {expected}, found {found(item)}")
    return tuple(items)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_int(value: object) -> bool:
    return isinstance(value, int | np.integer)


def _byte_strings(value: Any) -> np.ndarray[Any, Any]:
    """An array of objects, because numpy drops trailing zeros in arrays of byte strings."""
    array: Any = np.asarray(value, object)
    encoded = np.empty(array.shape, object)
    items: Any = np.ndenumerate(array)
    for place, item in items:
        if not isinstance(item, str | bytes):
            raise TypeError(f"default: expected numbers, bools or byte strings, found {found(item)}")
        encoded[place] = item.encode() if isinstance(item, str) else bytes(item)
    return encoded


def _of_kind(array: Any, kind: np.dtype[Any] | None, value: object) -> Any:
    """Checks an array against a type. Integers become floats for a float type that holds them exactly, and
    nothing else changes.
    """
    if kind is None:
        return array
    if kind.hasobject:
        fits = array.dtype.hasobject
    else:
        fits = array.dtype.kind in ("biuf" if kind.kind == "f" else "biu")
    if not fits:
        raise ValueError(f"default: expected values of {type_name(kind)}, found {found(value)}")
    if kind.kind != "f":
        return array
    integers: list[int] = array.ravel().tolist() if array.dtype.kind in "iu" else []
    if not all(_holds_exactly(kind, integer) for integer in integers):
        raise ValueError(
            f"default: expected values that {type_name(kind)} holds exactly, found {found(value)}"
        )
    return array.astype(np.float64)


def _holds_exactly(kind: Any, integer: int) -> bool:
    """Whether a float type holds an integer exactly."""
    limits: Any = np.finfo(kind)
    magnitude = abs(integer)
    odd = magnitude // max(magnitude & -magnitude, 1)
    return odd.bit_length() <= limits.nmant + 1 and magnitude <= int(limits.max)


def _nested(value: Any, depth: int) -> Default:
    return tuple(_nested(item, depth - 1) for item in value) if depth else value


def _items(name: str, expected: str, value: Any) -> list[Any]:
    """The items of an iterable. Strings and dicts are rejected, because they are mistakes."""
    message = f"{name}: expected {expected}, found {found(value)}"
    if isinstance(value, str | bytes | bytearray | dict):
        raise TypeError(message)
    try:
        items = iter(value)
    except TypeError:
        raise TypeError(message) from None
    return list(items)
