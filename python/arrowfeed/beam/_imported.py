"""The libraries that pipelines need, which arrowfeed does without elsewhere."""

from __future__ import annotations

import importlib
from typing import Any


def imported(name: str, distribution: str) -> Any:
    """A module.

    Args:
        name: Of the module.
        distribution: What is to be installed to have it.

    Raises:
        ImportError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        message = (
            f"expected {name} to read in pipelines with, found it not installed: pip install {distribution}"
        )
        raise ImportError(message, name=name) from error


beam: Any = imported("apache_beam", "apache-beam")
pa: Any = imported("pyarrow", "pyarrow")
