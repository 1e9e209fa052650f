"""Tools of the repository as modules that a test may change."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def load_tool(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """A function that loads a tool by its name, as a module of its own for each test."""

    def load(name: str) -> Any:
        monkeypatch.syspath_prepend(str(TOOLS))
        spec = importlib.util.spec_from_file_location(f"{name}_under_test", TOOLS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return load
