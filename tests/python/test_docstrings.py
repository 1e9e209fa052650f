"""`help` shows the docstrings of the stubs: those of the compiled module are equal to them."""

import ast
import functools
import inspect
import types
from pathlib import Path

import arrowfeed._arrowfeed as native

STUBS = Path(__file__).resolve().parents[2] / "python" / "arrowfeed" / "_stubs"


def stub_docstrings() -> dict[str, str | None]:
    """The docstring of each name of the stubs: of functions, classes, methods and properties."""
    found: dict[str, str | None] = {}
    for stub in sorted(STUBS.glob("*.pyi")):
        for node in ast.parse(stub.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found[node.name] = ast.get_docstring(node)
            if isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        # One of several overloads has the text.
                        name = f"{node.name}.{method.name}"
                        found[name] = found.get(name) or ast.get_docstring(method)
    return found


def compiled_names() -> list[str]:
    """The public functions and classes of the compiled module, and the methods and properties of these."""
    names = []
    for name, value in vars(native).items():
        if not name.startswith("_"):
            names.append(name)
            if isinstance(value, type):
                names += [f"{name}.{member}" for member in vars(value)]
    # Python adds other objects to a class, such as `__slotnames__` after a pickle.
    return [name for name in names if is_documented_kind(compiled(name))]


def compiled(name: str) -> object:
    """The function, class, method or property of a name."""
    return functools.reduce(getattr, name.split("."), native)


def is_documented_kind(value: object) -> bool:
    return isinstance(value, type) or inspect.isroutine(value) or inspect.isdatadescriptor(value)


def is_described_by_python(name: str) -> bool:
    """Whether Python has its own text for a method, such as `Return self==value.`, and takes no other."""
    return name.endswith(".__new__") or isinstance(compiled(name), types.WrapperDescriptorType)


def test_docstrings_of_the_stubs_are_those_of_the_compiled_module():
    expected = {name: text for name, text in stub_docstrings().items() if text is not None}
    expected = {name: text for name, text in expected.items() if not is_described_by_python(name)}
    assert len(expected) > 100
    found = {name: inspect.getdoc(compiled(name)) for name in expected}
    assert [name for name in expected if found[name] != expected[name]] == []
    assert found == expected


def test_docstrings_of_the_compiled_module_are_in_the_stubs():
    stubs = stub_docstrings()
    names = [name for name in compiled_names() if not is_described_by_python(name)]
    assert len(names) > 100
    documented = [name for name in names if getattr(compiled(name), "__doc__", None)]
    assert [name for name in documented if stubs.get(name) is None] == []
