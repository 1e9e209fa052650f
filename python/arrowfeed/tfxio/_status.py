"""Errors of `array_util` and `table_util`: the exceptions and the texts of tfx_bsl's compiled functions."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Generator

pa: Any = needed("pyarrow", "for the functions on arrays")

_KINDS = {
    pa.ArrowInvalid: "Invalid",
    pa.ArrowIndexError: "Index error",
    pa.ArrowTypeError: "Type error",
    pa.ArrowCapacityError: "Capacity error",
}


@contextmanager
def arrow_errors() -> Generator[None]:
    """Raises the errors of pyarrow as tfx_bsl does, as `RuntimeError` with the status code in the text."""
    try:
        yield
    except pa.ArrowNotImplementedError as error:
        raise unimplemented(error) from error
    except tuple(_KINDS) as error:
        raise internal(str(error), _KINDS[type(error)]) from error


def unimplemented(what: object) -> NotImplementedError:
    """Returns the error for a type that a function does not support. It is also a `RuntimeError`."""
    return NotImplementedError(f"UNIMPLEMENTED: {what}")


def internal(message: str, kind: str = "Invalid") -> RuntimeError:
    """Returns the error for a failure inside of Arrow."""
    return RuntimeError(f"INTERNAL: Arrow error {kind} : {message}")


def check_arrays(*arrays: Any) -> None:
    """Raises RuntimeError if an argument is not an array."""
    for array in arrays:
        if not isinstance(array, pa.Array):
            raise RuntimeError(f"expected a pyarrow.Array, found {type(array).__name__}")  # noqa: TRY004
