"""Imports of the libraries that only pipelines need."""

from __future__ import annotations

import importlib
from typing import Any


def imported(name: str, distribution: str) -> Any:
    """Imports a module.

    Args:
        name: Name of the module.
        distribution: Name of the distribution that provides it.

    Raises:
        ImportError: The module is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        message = f"expected {name} to read in pipelines, found it not installed: pip install {distribution}"
        raise ImportError(message, name=name) from error


beam: Any = imported("apache_beam", "apache-beam")
pa: Any = imported("pyarrow", "pyarrow")
