"""Imports of optional libraries, with a message that tells how to install them."""

from __future__ import annotations

import importlib
from typing import Any


def needed(name: str, purpose: str) -> Any:
    """Imports a module of a library that arrowfeed does not depend on.

    Args:
        name: Name of the module, such as `pyarrow.parquet`.
        purpose: The purpose for messages, such as "to write Parquet".

    Raises:
        ImportError: The library is not installed, or its import fails.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        message = f"expected {package} {purpose}, found it not installed: pip install {package}"
        raise ImportError(message, name=package) from error


def wanted(name: str) -> Any | None:
    """Imports a module; None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
