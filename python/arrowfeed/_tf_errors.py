"""Errors as TensorFlow has them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from arrowfeed._errors import ArrowfeedError
from arrowfeed._handoff import framework

if TYPE_CHECKING:
    from collections.abc import Generator

_tf: Any = framework("tensorflow")


@contextlib.contextmanager
def tensorflow_errors() -> Generator[None]:
    """Raises what is wrong with data, schemas and files as TensorFlow does."""
    try:
        yield
    except ArrowfeedError as error:
        raise _tf.errors.InvalidArgumentError(None, None, str(error)) from error
    except FileNotFoundError as error:
        text = str(error) if error.filename is None else f"{error.filename}; {error.strerror}"
        raise _tf.errors.NotFoundError(None, None, text) from error
    except OSError as error:
        raise _tf.errors.UnknownError(None, None, f"{type(error).__name__}: {error}") from error
