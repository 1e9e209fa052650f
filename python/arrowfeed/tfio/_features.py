"""Conversion of features by the rules of tensorflow-io to those of arrowfeed."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arrowfeed import features as ours
from arrowfeed._features.arguments import found
from arrowfeed._features.foreign import given_default, normalised
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from arrowfeed.features import Feature

_tf: Any = framework("tensorflow")

_QUOTED = r"'(?:[^']|'')*'"
_BRACKETS = re.compile(rf"\[((?:{_QUOTED}|[^\]'])*)\]")
_ONE = re.compile(rf"\s*(?:{_QUOTED}|-?\d+)\s*")
"""An index, or a map key: both select one value and add no dimension."""


def converted(features: Any) -> dict[str, Feature]:
    """Converts the features, sorted by name.

    Raises:
        ValueError: There are no features, a value is not a feature, or a feature has an invalid argument.
    """
    given = checked_dict(features)
    return {name: _converted(name, given[name]) for name in sorted(given)}


def checked_dict(features: Any) -> dict[str, Any]:
    """Returns the features if they are a dict that is not empty."""
    if not isinstance(features, dict) or not features:
        message = (
            f"features: expected a dict of at least one feature, found {found(cast('object', features))}"
        )
        raise ValueError(message)
    return cast("dict[str, Any]", features)


def _converted(name: str, value: Any) -> Feature:
    try:
        if isinstance(value, _tf.io.FixedLenFeature):
            value = _fixed_len(value)
        elif isinstance(value, _tf.io.SparseFeature):
            value = _sparse(name, value)
    except ValueError as error:
        raise ValueError(f'features["{name}"]: {error}') from None
    try:
        feature = normalised(name, value)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if isinstance(feature, ours.Sparse):
        # tensorflow-io does not check for entries with the same indices.
        return dataclasses.replace(feature, duplicates="keep")
    return feature


def _fixed_len(value: Any) -> Any:
    """For a default of several values, the tensor has the shape of the default if the first size is open."""
    if value.default_value is None:
        return value
    default: Any = np.asarray(given_default(value))
    shape: list[int | None] = list(value.shape)
    if default.size == 1:
        return _tf.io.FixedLenFeature(shape, value.dtype, default.ravel().tolist()[0])
    sizes: list[Any] = list(default.shape) if shape and shape[0] is None else shape
    if None in sizes or default.size != math.prod(sizes):
        expected = f"one value, or as many as the shape {sizes} has"
        raise ValueError(f"default_value: expected {expected}, found {default.size}")
    return ours.Dense(sizes, value.dtype, default.reshape(sizes).tolist(), lossy=None)


def _sparse(name: str, value: Any) -> ours.Sparse:
    """The dimensions of the arrays that contain the entries are kept, before those of the indices."""
    keys = [value.index_key] if isinstance(value.index_key, str) else list(value.index_key)
    sizes = [value.size] if isinstance(value.size, int) else list(value.size)
    if len(keys) != len(sizes):
        raise ValueError(f"size: expected one for each of the {len(keys)} index keys, found {len(sizes)}")
    key, keys, value_key = _shared(name, keys, value.value_key)
    outer = [None] * dimensions(key) if not value_key.startswith("@") else []
    return ours.Sparse(keys, value_key, outer + sizes, value.dtype, value.already_sorted, key=key, lossy=None)


def _shared(name: str, index_keys: list[str], value_key: str) -> tuple[str, list[str], str]:
    """Converts absolute keys with one common array of records to keys relative to that array."""
    heads, tails = zip(*(key.rpartition("[*].")[::2] for key in (value_key, *index_keys)), strict=True)
    head = heads[0]
    if len(set(heads)) > 1 or not head.startswith("@") or not dimensions(head):
        return name, index_keys, value_key
    return head[1:], list(tails[1:]), tails[0]


def dimensions(key: str) -> int:
    """The number of dimensions of a key: one for each `[*]` and each filter."""
    return sum(_ONE.fullmatch(inside) is None for inside in _BRACKETS.findall(key))
