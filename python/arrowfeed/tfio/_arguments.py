"""Conversion of arguments in the forms of tensorflow-io: numbers and names, also as tensors."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from arrowfeed._features.arguments import found
from arrowfeed._frameworks import framework
from arrowfeed.tfio._errors import ArgumentError

_tf: Any = framework("tensorflow")

AUTOTUNE = -1
"""`tf.data.AUTOTUNE`."""


def names(filenames: Any) -> Any:
    """Converts file names to a tensor of rank 0 or 1.

    Raises:
        TypeError: The argument is something else.
    """
    expected = "filenames: expected names of files (str, or a tensor of tf.string)"
    try:
        tensor = _tf.convert_to_tensor(
            os.fspath(filenames) if hasattr(filenames, "__fspath__") else filenames
        )
    except (TypeError, ValueError):
        raise TypeError(f"{expected}, found {found(filenames)}") from None
    if tensor.dtype != _tf.string:
        raise TypeError(f"{expected}, found a tensor of {tensor.dtype.name}")
    if tensor.shape.rank not in (None, 0, 1):
        raise ArgumentError(f"{expected} of rank 0 or 1, found rank {tensor.shape.rank}")
    return tensor


def paths(filenames: Any) -> list[str]:
    """The names in the value of such a tensor, as a list."""
    return [os.fsdecode(name) for name in np.atleast_1d(filenames).ravel().tolist()]


def number(name: str, value: Any, least: int, *, automatic: bool = False) -> Any:
    """Converts an integer to a scalar tensor, and checks it if it is known. None: the minimum.

    Raises:
        ValueError: The number is less than `least`, and is not an allowed `AUTOTUNE`.
    """
    tensor = _tf.convert_to_tensor(least if value is None else value, _tf.int64, name=name)
    known = _tf.get_static_value(tensor)
    if known is not None and known < least and not (automatic and known == AUTOTUNE):
        or_automatic = " or tf.data.AUTOTUNE" if automatic else ""
        raise ArgumentError(f"{name}: expected an integer of {least} or more{or_automatic}, found {known}")
    return tensor


def threads(value: Any) -> int | None:
    """Number of decoding threads; None: one per core."""
    return None if value is None or value == AUTOTUNE else int(value)
