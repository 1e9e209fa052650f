"""Imports of TFX and of the libraries that it depends on."""

from __future__ import annotations

from typing import Any

from arrowfeed.beam._imported import imported


def of_tfx(name: str) -> Any:
    """Imports a module of TFX.

    Args:
        name: Its name without `tfx.`.

    Raises:
        ImportError: TFX is not installed.
    """
    return imported(f"tfx.{name}", "tfx")


example_gen_pb2: Any = of_tfx("proto.example_gen_pb2")
keys: Any = of_tfx("types.standard_component_specs")
tf: Any = imported("tensorflow", "tensorflow")
