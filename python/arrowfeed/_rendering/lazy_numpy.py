"""numpy, imported at its first use: a command that uses no values starts in 70 ms, and not in 120 ms."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import numpy as np  # noqa: PLC0415

    globals()[name] = value = getattr(np, name)
    return value
