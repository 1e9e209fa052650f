"""Conversion of features of other libraries to `arrowfeed.features`. The compiled module calls it.

Features of TensorFlow, tensorflow-io and ATDS are recognised by their class names and attributes, without
importing their modules. Their values are never converted to another type, as in those libraries.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arrowfeed._arrowfeed import Representation
from arrowfeed._features import arguments as argument
from arrowfeed.features import Dense, Feature, FixedLenSequence, Ragged, Sparse, VarLen

if TYPE_CHECKING:
    from collections.abc import Callable


def normalised(name: str, value: Any) -> Feature:
    """Returns the feature for a tensor, with its key set.

    Raises:
        ValueError: A feature of another library has an attribute that arrowfeed does not support.
        TypeError: The value is not a feature.
    """
    try:
        feature: Any = value if isinstance(value, _OURS) else _foreign(name, value)
    except (TypeError, ValueError) as error:
        raise type(error)(f'features["{name}"]: {error}') from None
    return feature if feature.key is not None else dataclasses.replace(feature, key=name)


_OURS = (Dense, FixedLenSequence, VarLen, Sparse, Ragged)


class _Kind(NamedTuple):
    """A feature class of another library: its name, its distinctive attributes, and its conversion."""

    name: str
    attributes: tuple[str, ...]
    feature: Callable[[str, Any], Feature]


def _foreign(name: str, value: Any) -> Feature:
    classes = [] if isinstance(value, type) else [base.__name__ for base in type(value).__mro__]
    for kind in _KINDS:
        if kind.name in classes and all(hasattr(value, attribute) for attribute in kind.attributes):
            return kind.feature(name, value)
    if isinstance(value, Representation):
        raise TypeError(
            "expected a feature, such as arrowfeed.features.Dense, found the representation "
            f"arrowfeed.representations.{argument.shown(value)}: pass representations as representations=, "
            "or to TensorAdapter"
        )
    ours = "Dense, FixedLenSequence, VarLen, Sparse or Ragged of arrowfeed.features"
    theirs = ", ".join(dict.fromkeys(kind.name for kind in _KINDS))
    raise TypeError(f"expected {ours}, or {theirs}, found {argument.found(value)}")


def _fixed_len(_name: str, value: Any) -> Feature:
    """With open sizes, rows are padded to the longest row, as in tensorflow-io."""
    sizes = argument.one_or_open_sizes("shape", value.shape)
    if None in sizes:
        return FixedLenSequence(sizes, value.dtype, given_default(value), lossy=None)
    return Dense([size for size in sizes if size is not None], value.dtype, given_default(value), lossy=None)


def _fixed_len_sequence(_name: str, value: Any) -> Feature:
    if value.allow_missing is not True:
        raise ValueError(f"allow_missing: expected True, found {argument.found(value.allow_missing)}")
    kind = argument.dtype(value.dtype)
    if kind is None:
        raise TypeError("dtype: expected the type of the values, found None")
    zero = b"" if kind.hasobject else kind.type(0)
    default = zero if value.default_value is None else given_default(value)
    return FixedLenSequence(argument.one_or_open_sizes("shape", value.shape), kind, default, lossy=None)


def given_default(value: Any) -> Any:
    """The default of a feature. As in TensorFlow, a float type rounds integers."""
    kind, given = argument.dtype(value.dtype), value.default_value
    if kind is None or kind.kind != "f":
        return given
    try:
        default: Any = np.asarray(given)
    except ValueError:
        # The lists have different lengths, for which the feature has an error.
        return given
    return default.astype(np.float64) if default.dtype.kind in "iu" else given


def _var_len(_name: str, value: Any) -> Feature:
    return VarLen(value.dtype, lossy=None)


def _var_len_with_rank(_name: str, value: Any) -> Feature:
    return VarLen(value.dtype, shape=[None] * argument.size("rank", value.rank), lossy=None)


def _sparse(_name: str, value: Any) -> Feature:
    return Sparse(value.index_key, value.value_key, value.size, value.dtype, value.already_sorted, lossy=None)


def _ragged(_name: str, value: Any) -> Feature:
    """The lists of the key already are partitions; uniform partitions are dimensions inside them."""
    partitions = list(value.partitions)
    uniform = [partition for partition in partitions if type(partition).__name__ == "UniformRowLength"]
    others = [argument.found(partition) for partition in partitions if partition not in uniform]
    if others:
        expected = "UniformRowLength only, because the lists of the key already have row splits"
        raise ValueError(f"partitions: expected {expected}, found {', '.join(others)}")
    splits: Any = argument.dtype(value.row_splits_dtype)
    return Ragged(
        value.dtype,
        inner_shape=[partition.length for partition in uniform],
        row_splits_dtype="int64" if splits is None else splits.name,
        key=value.value_key,
        lossy=None,
    )


def _atds_dense(name: str, value: Any) -> Feature:
    sizes = argument.sizes("shape", value.shape)
    return Dense(sizes, value.dtype, key=_lists(name, len(sizes)), lossy=None)


def _atds_sparse(_name: str, value: Any) -> Feature:
    """Reads a record with a list of values and one list of indices for each dimension."""
    sizes = argument.open_sizes("shape", value.shape)
    return Sparse(
        [f"indices{nth}[*]" for nth in range(len(sizes))], "values[*]", sizes, value.dtype, lossy=None
    )


def _atds_varlen(name: str, value: Any) -> Feature:
    sizes = argument.open_sizes("shape", value.shape)
    return VarLen(value.dtype, shape=sizes or None, key=_lists(name, len(sizes)), lossy=None)


def _lists(name: str, rank: int) -> str:
    """The key of an ATDS field, whose lists are the dimensions."""
    return name + "[*]" * rank


_KINDS = (
    _Kind("FixedLenFeature", ("shape", "dtype", "default_value"), _fixed_len),
    _Kind(
        "FixedLenSequenceFeature", ("shape", "dtype", "allow_missing", "default_value"), _fixed_len_sequence
    ),
    _Kind("VarLenFeature", ("dtype",), _var_len),
    _Kind("VarLenFeatureWithRank", ("dtype", "rank"), _var_len_with_rank),
    _Kind("SparseFeature", ("index_key", "value_key", "dtype", "size", "already_sorted"), _sparse),
    _Kind("RaggedFeature", ("dtype", "value_key", "partitions", "row_splits_dtype"), _ragged),
    _Kind("DenseFeature", ("shape", "dtype"), _atds_dense),
    _Kind("SparseFeature", ("shape", "dtype"), _atds_sparse),
    _Kind("VarlenFeature", ("shape", "dtype"), _atds_varlen),
)
