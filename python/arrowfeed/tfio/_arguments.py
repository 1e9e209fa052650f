"""Arguments as tensorflow-io takes them: numbers and names, also as tensors."""

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
    """A tensor of names of files, of rank 0 or 1.

    Raises:
        TypeError: It is something else.
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
    """The names in the value of such a tensor."""
    return [os.fsdecode(name) for name in np.atleast_1d(filenames).ravel().tolist()]


def number(name: str, value: Any, least: int, *, automatic: bool = False) -> Any:
    """A scalar tensor of an integer; checked where it is known already. None: the least one.

    Raises:
        ValueError: It is less than `least`, and not `AUTOTUNE` where this may be.
    """
    tensor = _tf.convert_to_tensor(least if value is None else value, _tf.int64, name=name)
    known = _tf.get_static_value(tensor)
    if known is not None and known < least and not (automatic and known == AUTOTUNE):
        or_automatic = " or tf.data.AUTOTUNE" if automatic else ""
        raise ArgumentError(f"{name}: expected an integer of {least} or more{or_automatic}, found {known}")
    return tensor


def threads(value: Any) -> int | None:
    """How many threads decode; None: as many as there are cores."""
    return None if value is None or value == AUTOTUNE else int(value)
