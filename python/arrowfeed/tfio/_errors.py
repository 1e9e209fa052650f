"""Errors as TensorFlow has them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from arrowfeed._errors import ArrowfeedError
from arrowfeed._handoff import framework

if TYPE_CHECKING:
    from collections.abc import Generator

_tf: Any = framework("tensorflow")
_InvalidArgumentError: Any = _tf.errors.InvalidArgumentError


class ArgumentError(_InvalidArgumentError, ValueError):
    """An argument that operations of tensorflow-io refuse; a ValueError, as those that Python refuses."""

    def __init__(self, message: str) -> None:
        _InvalidArgumentError.__init__(self, None, None, message)


@contextlib.contextmanager
def tensorflow_errors() -> Generator[None]:
    """Raises what is wrong with data, schemas and files as TensorFlow does."""
    try:
        yield
    except ArrowfeedError as error:
        raise _InvalidArgumentError(None, None, str(error)) from error
    except FileNotFoundError as error:
        message = f"{error.filename}; {error.strerror}"
        raise _tf.errors.NotFoundError(None, None, message) from error
