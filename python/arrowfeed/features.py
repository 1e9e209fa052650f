"""Features: what the tensors of key expressions are made like.

    from arrowfeed import features

    adapter = arrowfeed.TensorAdapter.from_features(reader.schema, {
        "name.first": features.Dense([], default=b"?"),
        "friends": features.VarLen("bytes", key="friends[*].name.first"),
    })

The names are those of the tensors. A name is the key expression too, unless the feature has a `key`. Keys,
and the kinds of features, are those of the Avro dataset RFC of TensorFlow I/O; docs/key-expressions.md has
their rules.

Features are frozen, comparable, hashable and picklable. Where a feature is taken, those of `tf.io`,
tensorflow-io and ATDS are taken as well.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

from arrowfeed._features import arguments as argument

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from arrowfeed.types import Duplicates, FeatureDType, RowSplitsDType

__all__ = ["Dense", "Feature", "FixedLenSequence", "Ragged", "Sparse", "VarLen"]


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Feature:
    """The base of the kinds. Two are equal when they are made alike: a default of 0 is not one of 0.0.

    All have a `dtype`, the type that the values must have, as numpy has it (`object` for byte strings;
    None: the field's), and a `key`, the key expression (None: the name of the tensor).
    """

    _kind: ClassVar[str]

    def _set(self, **values: object) -> None:
        """Sets the fields once; afterwards they are frozen."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        shown: list[str] = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.default is dataclasses.MISSING:
                shown.append(repr(value))
            elif field.name == "dtype" and value is not None:
                shown.append(f"dtype={argument.type_name(value)!r}")
            elif value != field.default:
                shown.append(f"{field.name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Dense(Feature):
    """Dense tensor `[batch, *shape]`: every row has the same shape. The RFC's `FixedLenFeature`.

    The key has as many dimensions as the shape, or one, whose elements fill the shape in row-major order. A
    list that is too long is an error always.

    Args:
        shape: Sizes of the dimensions after the batch. `[]`: one value in each row. Where lists have no fixed
            length, see `FixedLenSequence`.
        dtype: A type of numpy or TensorFlow, its name, or a type of Python; `"bytes"`, `"string"`, bytes,
            str and object for byte strings. A field of another type is an error, values are never
            converted. None: the type of the field.
        default: Takes the place of all that is missing: rows, ends of lists, null values. A scalar, or what
            numpy makes an array of exactly the shape, each place of which fills the same place of a row.
            None: what is missing is an error.
        key: The key expression. None: the name of the tensor.

    Raises:
        ValueError: A size is negative; the default is not of the shape, and the message has both, or not of
            the type.
        TypeError: An argument has a wrong type.

    Example:
        >>> features.Dense([1, 2], "string", [["35 Park Street", "275 California Street"]])
        Dense((1, 2), dtype='bytes', default=((b'35 Park Street', b'275 California Street'),))
    """

    _kind = "Dense"
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None = None
    default: argument.Default | None = None
    key: str | None = None

    def __init__(
        self,
        shape: Iterable[int],
        dtype: FeatureDType | None = None,
        default: Any = None,
        *,
        key: str | None = None,
    ) -> None:
        sizes = argument.sizes("shape", shape)
        kind = argument.dtype(dtype)
        value = argument.default(default, sizes, kind)
        self._set(shape=sizes, dtype=kind, default=value, key=_key(key))


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class FixedLenSequence(Feature):
    """Dense tensor `[batch, longest, *shape]`, padded. The RFC's `FixedLenSequenceFeature`.

    The key has one dimension more than the shape; or one, whose elements fill items of the shape one after
    the other. A key of two or more dimensions with a shape of as many gives `[batch, *shape]`.

    Args:
        shape: Sizes of the dimensions of one item. None or -1: as long as the longest list of the batch.
        dtype: As of `Dense`.
        default: A scalar, which takes the place of all that is missing: rows, ends of lists, null values.
            None: what is missing is an error, so that the rows of a batch have one length.
        key: The key expression. None: the name of the tensor.

    Raises:
        ValueError: A size is less than -1; the default is no scalar, or not of the type.
        TypeError: An argument has a wrong type.

    Example:
        >>> features.FixedLenSequence([], "int64", 0, key="scores[*]")
        FixedLenSequence((), dtype='int64', default=0, key='scores[*]')
    """

    _kind = "FixedLenSequence"
    shape: tuple[int | None, ...]
    dtype: np.dtype[Any] | None = None
    default: argument.Scalar | None = None
    key: str | None = None

    def __init__(
        self,
        shape: Iterable[int | None],
        dtype: FeatureDType | None = None,
        default: Any = None,
        *,
        key: str | None = None,
    ) -> None:
        sizes = argument.open_sizes("shape", shape)
        kind = argument.dtype(dtype)
        value = argument.default(default, (), kind)
        self._set(shape=sizes, dtype=kind, default=value, key=_key(key))


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class VarLen(Feature):
    """Sparse tensor `[batch, longest, ...]`, a dimension for each of the key. The RFC's `VarLenFeature`.

    A key without dimensions gives a row one value, or none where it is missing. Null lists are empty; a
    null in a list is an error.

    Args:
        dtype: As of `Dense`.
        shape: Sizes of the dimensions after the batch, one for each of the key: lists of another length are
            errors. None or -1 in it: the longest list of the batch. None in its place: all are.
        key: The key expression. None: the name of the tensor.

    Raises:
        ValueError: A size is less than -1. TypeError: an argument has a wrong type.

    Example:
        >>> features.VarLen("string", key="friends[*].name.first")
        VarLen(dtype='bytes', key='friends[*].name.first')
    """

    _kind = "VarLen"
    dtype: np.dtype[Any] | None = None
    shape: tuple[int | None, ...] | None = None
    key: str | None = None

    def __init__(
        self,
        dtype: FeatureDType | None = None,
        *,
        shape: Iterable[int | None] | None = None,
        key: str | None = None,
    ) -> None:
        sizes = None if shape is None else argument.open_sizes("shape", shape)
        self._set(dtype=argument.dtype(dtype), shape=sizes, key=_key(key))


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Sparse(Feature):
    """Sparse tensor `[batch, *size]` of values at indices. The RFC's `SparseFeature`.

    Index and value keys go on from the feature's key, and begin with `@` where they do not. If that key is
    an array, its `[*]` is implied. In each row all keys select the same number of elements.

    Args:
        index_key: A key of integers, or several, one for each dimension.
        value_key: The key of the values.
        size: Sizes of the dimensions, one for each index key. Or one more, in front, for each dimension of
            the feature's key, which are kept then. One size may be given as it is. None or -1: one more
            than the largest index of the batch; of a kept dimension, its longest list.
        dtype: Of the values, as of `Dense`.
        already_sorted: The entries of each row are sorted by their indices: they are not sorted again, nor
            checked.
        duplicates: Of two entries of a row with the same indices: `"keep"` or `"error"`.
        key: The key expression that the others go on from. None: the name of the tensor.

    Raises:
        ValueError: A size is less than -1, or `duplicates` no such word. TypeError: an argument has a wrong
            type.

    Example:
        >>> features.Sparse(["@car.serial", "id"], "power", [12, 10000], key="engine")
        Sparse(('@car.serial', 'id'), 'power', (12, 10000), key='engine')
    """

    _kind = "Sparse"
    index_key: tuple[str, ...]
    value_key: str
    size: tuple[int | None, ...]
    dtype: np.dtype[Any] | None = None
    already_sorted: bool = False
    duplicates: str = "keep"
    key: str | None = None

    def __init__(
        self,
        index_key: str | Iterable[str],
        value_key: str,
        size: int | Iterable[int | None],
        dtype: FeatureDType | None = None,
        already_sorted: bool = False,  # noqa: FBT001, FBT002
        *,
        duplicates: Duplicates = "keep",
        key: str | None = None,
    ) -> None:
        self._set(
            index_key=argument.texts("index_key", "a key expression (str), or several", index_key),
            value_key=argument.text("value_key", "a key expression (str)", value_key),
            size=argument.one_or_open_sizes("size", size),
            dtype=argument.dtype(dtype),
            already_sorted=argument.flag("already_sorted", already_sorted),
            duplicates=argument.choice("duplicates", ("error", "keep"), duplicates),
            key=_key(key),
        )


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Ragged(Feature):
    """Ragged tensor, a ragged dimension for each of the key. The `RaggedFeature` of `tf.io`.

    A key without dimensions gives a row one value, or none where it is missing. Null lists are empty; a
    null in a list is an error.

    Args:
        dtype: As of `Dense`.
        inner_shape: Sizes of dimensions after the ragged ones: the elements of each innermost list fill
            blocks of this shape, one after the other.
        row_splits_dtype: `"int64"` or `"int32"`, the integers of the row splits.
        key: The key expression. None: the name of the tensor.

    Raises:
        ValueError: A size is negative, or `row_splits_dtype` no such word. TypeError: an argument has a
            wrong type.

    Example:
        >>> features.Ragged("float32", key="friends[*].scores[*]")
        Ragged(dtype='float32', key='friends[*].scores[*]')
    """

    _kind = "Ragged"
    dtype: np.dtype[Any] | None = None
    inner_shape: tuple[int, ...] = ()
    row_splits_dtype: str = "int64"
    key: str | None = None

    def __init__(
        self,
        dtype: FeatureDType | None = None,
        *,
        inner_shape: Iterable[int] = (),
        row_splits_dtype: RowSplitsDType = "int64",
        key: str | None = None,
    ) -> None:
        self._set(
            dtype=argument.dtype(dtype),
            inner_shape=argument.sizes("inner_shape", inner_shape),
            row_splits_dtype=argument.choice("row_splits_dtype", ("int32", "int64"), row_splits_dtype),
            key=_key(key),
        )


def _key(key: object) -> str | None:
    return None if key is None else argument.text("key", "a key expression (str)", key)
