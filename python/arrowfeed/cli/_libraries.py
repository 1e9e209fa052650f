"""Imports of optional libraries, with a message that tells how to install them."""

from __future__ import annotations

import importlib
from typing import Any


def needed(name: str, use: str) -> Any:
    """Imports a module of the extra `cli`.

    Args:
        name: Name of the module, such as `pyarrow.parquet`.
        use: The purpose for messages, such as "to write Parquet".

    Raises:
        ImportError: The module is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"expected {package} {use}, found it not installed: pip install {package}"
        ) from error


def wanted(name: str) -> Any | None:
    """Imports a module; None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
