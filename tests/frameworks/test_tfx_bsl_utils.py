"""`array_util`, `table_util` and `path` have tfx_bsl's names and pass its tests, which are in its wheel."""

import importlib.util
import inspect
import subprocess
import sys
import unittest

import pytest
import tfx_bsl.arrow
import tfx_bsl.arrow.array_util
import tfx_bsl.arrow.path
import tfx_bsl.arrow.table_util

from arrowfeed.tfxio import array_util, path, table_util

OURS = {"array_util": array_util, "path": path, "table_util": table_util}
NAMES = sorted(OURS)


def outcomes(name: str) -> tuple[int, list[str]]:
    """Runs a test module of tfx_bsl. Returns the number of its tests, and the reports of failures."""
    found = importlib.util.find_spec(f"tfx_bsl.arrow.{name}")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TestResult()
    suite.run(result)
    assert not result.skipped
    return result.testsRun, [report for _, report in result.failures + result.errors]


@pytest.mark.parametrize(("name", "number"), [("array_util_test", 91), ("table_util_test", 62)])
def test_the_tests_of_utils_of_tfx_bsl_pass(name, number, monkeypatch):
    for module, ours in OURS.items():
        monkeypatch.setattr(tfx_bsl.arrow, module, ours)
        monkeypatch.setitem(sys.modules, f"tfx_bsl.arrow.{module}", ours)
    count, failed = outcomes(name)
    assert failed == []
    assert count == number


def public(module) -> dict[str, object]:
    """The functions and classes of a module of tfx_bsl, without those of other libraries."""
    return {
        name: one
        for name, one in vars(module).items()
        if not name.startswith("_")
        and (inspect.isroutine(one) or inspect.isclass(one))
        and (getattr(one, "__module__", None) or "tfx_bsl").startswith("tfx_bsl")
    }


@pytest.mark.parametrize("name", NAMES)
def test_public_names_are_those_of_tfx_bsl(name):
    theirs = public(getattr(tfx_bsl.arrow, name))
    assert sorted(OURS[name].__all__) == sorted(theirs)
    for one in OURS[name].__all__:
        assert inspect.getdoc(getattr(OURS[name], one))


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_tfx_bsl(name):
    """The functions that tfx_bsl compiles have no parameter names."""
    for one, theirs in public(getattr(tfx_bsl.arrow, name)).items():
        ours = getattr(OURS[name], one)
        if inspect.isclass(theirs):
            members = [member for member in vars(theirs) if inspect.isfunction(getattr(theirs, member))]
            assert {member for member in members if not member.startswith("_")} <= set(dir(ours))
            pairs = [
                (getattr(ours, member), getattr(theirs, member)) for member in members if member != "__bool__"
            ]
        elif inspect.isfunction(theirs):
            pairs = [(ours, theirs)]
        else:
            number = theirs.__doc__.partition(") ->")[0].count("arg")
            assert len(inspect.signature(ours).parameters) == number, one
            continue
        for mine, other in pairs:
            assert parameters(mine) == parameters(other), one


def parameters(function) -> list[tuple]:
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.kind, one.default) for one in found]


def test_paths_are_equal_to_those_of_tfx_bsl():
    ours, theirs = path.ColumnPath(["a", "b"]), tfx_bsl.arrow.path.ColumnPath(["a", "b"])
    assert ours == theirs
    assert theirs == ours
    assert {ours: 1}[theirs] == 1
    assert ours.child("c") != theirs
    assert theirs < ours.child("c")
    assert ours.parent() < theirs
    assert ours != ("a", "b")
    assert path.ColumnPath.from_proto(ours.to_proto()) == theirs == theirs.from_proto(ours.to_proto())
    assert (str(ours), repr(ours), len(ours), bool(path.ColumnPath([]))) == ("a.b", "a.b", 2, False)
    assert (ours.prefix(1), ours.suffix(1)) == (path.ColumnPath("a"), path.ColumnPath("b"))
    assert ours.initial_step() == "a"
    for function in (path.ColumnPath([]).parent, path.ColumnPath([]).initial_step):
        with pytest.raises(ValueError, match=r"."):
            function()


def test_the_modules_need_neither_tfx_bsl_nor_tensorflow():
    code = """
import sys
sys.modules.update(dict.fromkeys(["tfx_bsl", "tensorflow", "apache_beam", "tensorflow_metadata"]))
from arrowfeed.tfxio import array_util, table_util
import pyarrow as pa
batch = pa.RecordBatch.from_pydict({"a": [[{"b": 1}], None]})
(path, array), = table_util.enumerate_arrays(batch, True)
assert (str(path), array.to_pylist()) == ("a.b", [1])
"""
    subprocess.run([sys.executable, "-c", code], check=True)
