"""Libraries that are optional: imported where they are needed, with a message that says how to get them."""

from __future__ import annotations

import importlib
from typing import Any


def needed(name: str, use: str) -> Any:
    """A module of the extra `cli`.

    Args:
        name: Of the module, such as `pyarrow.parquet`.
        use: What it is for, as in "to write Parquet".

    Raises:
        ImportError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"expected {package} {use}, found it not installed: pip install 'arrowfeed[cli]'"
        ) from error


def wanted(name: str) -> Any | None:
    """A module that is used where it is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
