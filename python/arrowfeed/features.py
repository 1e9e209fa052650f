"""Features, which define tensors by key expressions.

    from arrowfeed import features

    adapter = arrowfeed.TensorAdapter.from_features(reader.schema, {
        "name.first": features.Dense([], default=b"?"),
        "friends": features.VarLen("bytes", key="friends[*].name.first"),
    })

The keys of the dict are the names of the tensors. A name is also the key expression, unless the feature has a
`key`. Key expressions and kinds of features follow the Avro dataset RFC of TensorFlow I/O; the page "Key
expressions and features" has the rules.

A feature may have transforms, which make ids and other numbers of the values; representations take them, too:

    features.Dense([], key="country", transform=features.hashed(1000))

Features are immutable, and can be compared, hashed and pickled. Functions that accept these features also
accept the features of `tf.io`, tensorflow-io and ATDS.
"""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any, ClassVar

from arrowfeed._arrowfeed import (
    Transform,
    bucketized,
    cast,
    clipped,
    crossed,
    hashed,
    normalised,
    vocabulary,
)
from arrowfeed._features import arguments as argument

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from arrowfeed.types import Duplicates, FeatureDType, Packed, RowSplitsDType

__all__ = [
    "Dense",
    "Feature",
    "FixedLenSequence",
    "Ragged",
    "Sparse",
    "Transform",
    "VarLen",
    "bucketized",
    "cast",
    "clipped",
    "crossed",
    "hashed",
    "normalised",
    "vocabulary",
]


def __getattr__(name: str) -> Any:
    similar = difflib.get_close_matches(name, __all__, 1)
    hint = f": did you mean {similar[0]}?" if similar else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}", name=name)


PACKED = ("values", "segment_ids", "positions")
"""The tensors of packed rows."""


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Feature:
    """The base class of features.

    Two features are equal if their arguments are equal; a default of 0 differs from a default of 0.0.

    All features have the attributes `dtype`, `key`, `lossy` and `transform`. `dtype` is the numpy type of the
    values: `object` for byte strings, None for the type of the field. `key` is the key expression; None means
    the name of the tensor. `lossy` determines which values are converted to the `dtype`, as described in
    `Dense`. `transform` has the conversions of the values, in their order.
    """

    _kind: ClassVar[str]

    def _set(self, **values: object) -> None:
        """Sets the fields of the frozen instance, in the constructor."""
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
    """A dense tensor `[batch, *shape]`: all rows have the same shape. `FixedLenFeature` in the RFC.

    The key must have as many dimensions as the shape, or one dimension, whose elements fill the shape in
    row-major order.

    Args:
        shape: Sizes of the dimensions after the batch. `[]`: one value per row. For lists without a fixed
            length, see `FixedLenSequence`.
        dtype: A numpy or TensorFlow type, its name, or a Python type; `"bytes"`, `"string"`, bytes, str and
            object mean byte strings. A field of another numeric type is converted if the `dtype` represents
            all values of that type exactly; `lossy` allows further conversions. With an integer type, an Avro
            enum becomes the indices of its symbols. Any other type must be that of the field. None: the type
            of the field.
        default: The value for missing rows, for missing elements at the end of short lists, and for nulls. A
            scalar, or an object that numpy converts to an array of exactly the shape, whose elements replace
            the missing elements at the same positions. For a float type, an int is allowed if the type
            represents it exactly. None: a missing value is an error.
        key: The key expression. None: the name of the tensor.
        lossy: Whether values may change when they are converted to the `dtype`. True: numbers and decimals
            become the nearest floats, numbers are truncated to integers, and a value out of the range of the
            type is an error. False: a `dtype` that does not represent all values exactly is an error. None:
            no value is converted, as for features of other libraries; a field of another type is an error.
        truncate: Whether to cut lists that are too long at their ends, in each dimension. False: a list that
            is too long is an error.
        transform: Conversions of the values, such as `hashed(1000)`; several are a list, in their order. They
            come before the conversion to the `dtype`, and missing values stay missing, so `dtype` and
            `default` are those of the results. The results of `normalised` become any float type.

    Raises:
        ValueError: A size is negative, or the default has the wrong shape or type.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.Dense([1, 2], "string", [["35 Park Street", "275 California Street"]])
        Dense((1, 2), dtype='bytes', default=((b'35 Park Street', b'275 California Street'),))
    """

    _kind = "Dense"
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | None = None
    default: argument.Default | None = None
    key: str | None = None
    lossy: bool | None = False
    truncate: bool = False
    transform: tuple[Transform, ...] = ()

    def __init__(
        self,
        shape: Iterable[int],
        dtype: FeatureDType | None = None,
        default: Any = None,
        *,
        key: str | None = None,
        lossy: bool | None = False,
        truncate: bool = False,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> None:
        sizes = argument.sizes("shape", shape)
        kind = argument.dtype(dtype)
        value = argument.default(default, sizes, kind)
        self._set(
            shape=sizes,
            dtype=kind,
            default=value,
            key=_key(key),
            lossy=argument.flag_or_none("lossy", lossy),
            truncate=argument.flag("truncate", truncate),
            transform=argument.transforms(transform),
        )


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class FixedLenSequence(Feature):
    """A padded dense tensor `[batch, longest, *shape]`. `FixedLenSequenceFeature` in the RFC.

    The key must have one dimension more than the shape, or exactly one dimension, whose elements fill one
    item of the shape after another. If the key has two or more dimensions and the shape has as many, the
    tensor is `[batch, *shape]`.

    Args:
        shape: Sizes of the dimensions of one item. None or -1: the length of the longest list of the batch.
        dtype: As in `Dense`.
        default: A scalar: the value for missing rows, for missing elements at the end of short lists, and for
            nulls. None: a missing value is an error, so all rows of a batch must have the same length.
        key: The key expression. None: the name of the tensor.
        lossy: As in `Dense`.
        truncate: Whether to cut lists that are longer than their size at their ends. Requires a `shape` with
            a fixed size and a key of two or more dimensions. False: a list that is too long is an error.
        transform: As in `Dense`.

    Raises:
        ValueError: A size is less than -1, or the default is not a scalar or does not have the type.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.FixedLenSequence([], "int64", 0, key="scores[*]")
        FixedLenSequence((), dtype='int64', default=0, key='scores[*]')
    """

    _kind = "FixedLenSequence"
    shape: tuple[int | None, ...]
    dtype: np.dtype[Any] | None = None
    default: argument.Scalar | None = None
    key: str | None = None
    lossy: bool | None = False
    truncate: bool = False
    transform: tuple[Transform, ...] = ()

    def __init__(
        self,
        shape: Iterable[int | None],
        dtype: FeatureDType | None = None,
        default: Any = None,
        *,
        key: str | None = None,
        lossy: bool | None = False,
        truncate: bool = False,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> None:
        sizes = argument.open_sizes("shape", shape)
        kind = argument.dtype(dtype)
        value = argument.default(default, (), kind)
        self._set(
            shape=sizes,
            dtype=kind,
            default=value,
            key=_key(key),
            lossy=argument.flag_or_none("lossy", lossy),
            truncate=argument.flag("truncate", truncate),
            transform=argument.transforms(transform),
        )


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class VarLen(Feature):
    """A sparse tensor `[batch, longest, ...]` with the dimensions of the key. `VarLenFeature` in the RFC.

    If the key has no dimensions, each row has one value, or none if the value is missing. A null list counts
    as empty; a null in a list is an error.

    Args:
        dtype: As in `Dense`.
        shape: Sizes of the dimensions after the batch, one for each dimension of the key. A list of another
            length is an error. A size of None or -1: the length of the longest list of the batch. None for
            the whole shape: no size is fixed.
        key: The key expression. None: the name of the tensor.
        lossy: As in `Dense`.
        truncate: Whether to cut lists that are longer than their size at their ends. Requires a `shape` with
            a fixed size. A list that is too short is an error in any case. False: a list that is too long is
            an error, too.
        transform: As in `Dense`.

    Raises:
        ValueError: A size is less than -1.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.VarLen("string", key="friends[*].name.first")
        VarLen(dtype='bytes', key='friends[*].name.first')
    """

    _kind = "VarLen"
    dtype: np.dtype[Any] | None = None
    shape: tuple[int | None, ...] | None = None
    key: str | None = None
    lossy: bool | None = False
    truncate: bool = False
    transform: tuple[Transform, ...] = ()

    def __init__(
        self,
        dtype: FeatureDType | None = None,
        *,
        shape: Iterable[int | None] | None = None,
        key: str | None = None,
        lossy: bool | None = False,
        truncate: bool = False,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> None:
        sizes = None if shape is None else argument.open_sizes("shape", shape)
        self._set(
            dtype=argument.dtype(dtype),
            shape=sizes,
            key=_key(key),
            lossy=argument.flag_or_none("lossy", lossy),
            truncate=argument.flag("truncate", truncate),
            transform=argument.transforms(transform),
        )


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Sparse(Feature):
    """A sparse tensor `[batch, *size]` of values at indices. `SparseFeature` in the RFC.

    Index and value keys are relative to the key of the feature; a leading `@` makes a key absolute. If the
    key of the feature ends at an array, the other keys select from the elements of the array: with the key
    `points`, the index key `at` means `points[*].at`. In each row, all keys must select the same number of
    elements.

    Args:
        index_key: The key of the integer indices, or one key for each dimension.
        value_key: The key of the values.
        size: Sizes of the dimensions, one for each index key. Further sizes at the front, one for each
            dimension of the key of the feature, keep these dimensions too. A single size may be an int. A
            size of None or -1: the largest index of the batch plus 1 or, for a dimension of the key, the
            length of the longest list.
        dtype: The type of the values, as in `Dense`.
        already_sorted: Whether the entries of each row are already sorted by their indices. True: the adapter
            neither sorts the entries nor checks their order.
        duplicates: How to treat two entries of a row with the same indices: `"keep"` or `"error"`.
        key: The key expression to which the other keys are relative. None: the name of the tensor.
        lossy: As in `Dense`, for the values. Indices are never converted.
        transform: As in `Dense`, for the values. The keys of `crossed` begin at the record.

    Raises:
        ValueError: A size is less than -1, or `duplicates` has another value.
        TypeError: An argument has the wrong type.

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
    lossy: bool | None = False
    transform: tuple[Transform, ...] = ()

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
        lossy: bool | None = False,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> None:
        self._set(
            index_key=argument.texts("index_key", "a key expression (str), or several", index_key),
            value_key=argument.text("value_key", "a key expression (str)", value_key),
            size=argument.one_or_open_sizes("size", size),
            dtype=argument.dtype(dtype),
            already_sorted=argument.flag("already_sorted", already_sorted),
            duplicates=argument.choice("duplicates", ("error", "keep"), duplicates),
            key=_key(key),
            lossy=argument.flag_or_none("lossy", lossy),
            transform=argument.transforms(transform),
        )


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Ragged(Feature):
    """A ragged tensor with one ragged dimension for each dimension of the key. `RaggedFeature` in `tf.io`.

    If the key has no dimensions, each row has one value, or none if the value is missing. A null list counts
    as empty; a null in a list is an error.

    Args:
        dtype: As in `Dense`.
        inner_shape: Sizes of the dimensions after the ragged ones. The elements of each innermost list fill
            one block of this shape after another.
        row_splits_dtype: `"int64"` or `"int32"`, the integer type of the row splits.
        key: The key expression. None: the name of the tensor.
        lossy: As in `Dense`.
        pad_to: Pads the rows, so that the tensor is dense: `[batch, length, *inner_shape]`. `"longest"`: to
            the longest row of the batch. An int: to this length. `"multiple of 8"`: to the smallest multiple
            of 8 that is not below the length of the longest row, and so for other numbers. The key must have
            at most one dimension. None: the tensor is ragged.
        pad_value: A scalar, which follows the values of shorter rows. None: zero, False or an empty string.
        truncate: Whether to cut rows that are longer than `pad_to` at their ends. Requires an int. False: a
            row that is too long is an error.
        mask: True: the tensor has bools `[batch, length]` in place of the values. They are True where the
            padded tensor has a value of the row, and False where it has a `pad_value`.
        pack: Packs short rows into sequences of the length `pad_to`, which must be an int. Each row follows
            the rows of the first sequence with enough room. `"values"`: the tensor has the values,
            `[sequences, pad_to, *inner_shape]`. `"segment_ids"`: the number of the row of each value in its
            sequence, from 1; 0 for padding. `"positions"`: the number of each value in its row, from 0.
            These are int32. Features whose rows have equal lengths have the same sequences.
        transform: As in `Dense`.

    Raises:
        ValueError: A size is negative, `row_splits_dtype` or `pad_to` has another value, or an argument
            requires `pad_to`.
        TypeError: An argument has the wrong type.

    Example:
        >>> features.Ragged("float32", key="friends[*].scores[*]")
        Ragged(dtype='float32', key='friends[*].scores[*]')
        >>> features.Ragged(key="tokens[*]", pad_to="multiple of 8"), features.Ragged(
        ...     key="tokens[*]", pad_to="multiple of 8", mask=True
        ... )
        (Ragged(key='tokens[*]', pad_to='multiple of 8'), \
Ragged(key='tokens[*]', pad_to='multiple of 8', mask=True))
    """

    _kind = "Ragged"
    dtype: np.dtype[Any] | None = None
    inner_shape: tuple[int, ...] = ()
    row_splits_dtype: str = "int64"
    key: str | None = None
    lossy: bool | None = False
    pad_to: str | int | None = None
    pad_value: argument.Scalar | None = None
    truncate: bool = False
    mask: bool = False
    pack: str | None = None
    transform: tuple[Transform, ...] = ()

    def __init__(
        self,
        dtype: FeatureDType | None = None,
        *,
        inner_shape: Iterable[int] = (),
        row_splits_dtype: RowSplitsDType = "int64",
        key: str | None = None,
        lossy: bool | None = False,
        pad_to: str | int | None = None,
        pad_value: Any = None,
        truncate: bool = False,
        mask: bool = False,
        pack: Packed | None = None,
        transform: Transform | Iterable[Transform] | None = None,
    ) -> None:
        kind = argument.dtype(dtype)
        if pad_to is None and (pad_value is not None or truncate or mask or pack is not None):
            raise ValueError(
                "pad_to: expected a length to pad to, with pad_value=, truncate=, mask= or pack=, found None"
            )
        self._set(
            dtype=kind,
            inner_shape=argument.sizes("inner_shape", inner_shape),
            row_splits_dtype=argument.choice("row_splits_dtype", ("int32", "int64"), row_splits_dtype),
            key=_key(key),
            lossy=argument.flag_or_none("lossy", lossy),
            pad_to=None if pad_to is None else argument.pad_to(pad_to),
            pad_value=argument.default(pad_value, (), kind),
            truncate=argument.flag("truncate", truncate),
            mask=argument.flag("mask", mask),
            pack=None if pack is None else argument.choice("pack", PACKED, pack),
            transform=argument.transforms(transform),
        )


def _key(key: object) -> str | None:
    return None if key is None else argument.text("key", "a key expression (str)", key)
