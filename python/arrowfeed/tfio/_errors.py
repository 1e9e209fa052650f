"""`ArgumentError`, for arguments that operations of tensorflow-io reject."""

from __future__ import annotations

from typing import Any

from arrowfeed._frameworks import framework

_tf: Any = framework("tensorflow")
_InvalidArgumentError: Any = _tf.errors.InvalidArgumentError


class ArgumentError(_InvalidArgumentError, ValueError):
    """An argument that an operation of tensorflow-io rejects. It is also a ValueError."""

    def __init__(self, message: str) -> None:
        _InvalidArgumentError.__init__(self, None, None, message)
