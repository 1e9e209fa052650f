"""The page on tfx_bsl lists all names of tfx_bsl, and arrowfeed has those that it replaces."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "from-tfx-bsl.md"
PACKAGES = ("tfx_bsl.public.tfxio", "tfx_bsl.tfxio", "tfx_bsl.coders", "tfx_bsl.arrow")
OF_TESTS = re.compile(r"_test$|\.test_case$|\.test_util$|\.telemetry_test_util$")


def rows() -> list[tuple[str, list[str], str]]:
    """The rows of the table: a module, its names, and the last column."""
    section = PAGE.read_text("utf-8").split("## Imports\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return [(module.strip("`"), re.findall(r"`(\w+)`", names), ours) for module, names, ours in cells]


def modules() -> list[str]:
    """The modules of tfx_bsl that are not for tests."""
    found = ["tfx_bsl.public.tfxio"]
    for package in map(importlib.import_module, PACKAGES[1:]):
        found += [one.name for one in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    return [name for name in found if not OF_TESTS.search(name)]


def public(name: str) -> set[str]:
    """The classes and functions of a module of tfx_bsl, without those that it wraps (`Cpp`)."""
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return set(listed)
    return {
        key
        for key, one in vars(module).items()
        if not key.startswith("_")
        and not key.endswith("Cpp")
        and (inspect.isroutine(one) or inspect.isclass(one))
        and (getattr(one, "__module__", None) or "").startswith((name, "tfx_bsl.cc"))
    }


@pytest.mark.parametrize("module", modules())
def test_the_table_has_all_names_of_tfx_bsl(module):
    listed = [name for theirs, names, _ in rows() if theirs == module for name in names]
    assert len(listed) == len(set(listed))
    assert public(module) - set(listed) == set()
    assert [name for name in listed if not hasattr(importlib.import_module(module), name)] == []


def test_arrowfeed_has_the_names():
    found = [(names, ours) for theirs, names, ours in rows() if theirs.startswith("tfx_bsl")]
    replaced = [(names, ours) for names, ours in found if not ours.startswith("none: ")]
    assert len(replaced) > 10
    for names, ours in replaced:
        module = importlib.import_module(ours.strip("`"))
        assert [name for name in names if not hasattr(module, name)] == []


def test_what_the_table_names_instead_exists():
    texts = " ".join(ours for _, _, ours in rows() if ours.startswith("none: "))
    found = re.findall(r"`(arrowfeed[\w.]*)\.(\w+)`", texts)
    assert len(found) > 8
    for module, name in found:
        assert hasattr(importlib.import_module(module), name)


def test_the_executors_of_tfx_are_in_the_table():
    found = {theirs: ours for theirs, _, ours in rows() if not theirs.startswith("tfx_bsl")}
    start = "tfx.components.example_gen.custom_executors."
    assert found == {
        f"{start}avro_executor": "`arrowfeed.tfx.avro_executor` ([TFX](tfx.md))",
        f"{start}parquet_executor": "`arrowfeed.tfx.parquet_executor`",
    }
