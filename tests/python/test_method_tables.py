"""The reference has a table of the methods of each class, by task."""

import ast
import re
import sys
from pathlib import Path

import pytest

if sys.version_info < (3, 11):
    import tomli as tomllib
else:
    import tomllib

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "arrowfeed"
TASKS = tomllib.loads((ROOT / "tools" / "method_tasks.toml").read_text("utf-8"))


def public_name(path):
    """The name of a class after that of its package, such as `tfxio.AvroRecord`."""
    _, *modules, name = path.split(".")
    return f"{modules[0]}.{name}" if modules and not modules[0].startswith("_") else name


def reference():
    """The public classes by name, each with the names of its documented methods and properties in order."""
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    entries = re.findall(r"^::: (arrowfeed\.\S+)$", pages, re.MULTILINE)
    shown = {public_name(entry) for entry in entries}
    found = {}
    for file in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")]):
        module = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
        for node in ast.parse(file.read_text("utf-8")).body:
            path = f"{module}.{getattr(node, 'name', '')}".replace("_stubs.transform", "features")
            if path != "arrowfeed._stubs.representation.Representation":
                path = path.replace("_stubs.representation", "representations")
            name = public_name(path)
            if is_documented_class(node) and (name in shown or module in entries):
                members = list(dict.fromkeys(member.name for member in node.body if is_shown(member)))
                found.setdefault(name, []).append(members)
    return found


def is_documented_class(node):
    """Whether a node is a public class that is no protocol, whose methods are those of other libraries."""
    public = isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    return public and "Protocol" not in ast.unparse(node).partition(":")[0]


def is_shown(member):
    function = isinstance(member, ast.FunctionDef) and not member.name.startswith("_")
    return function and ast.get_docstring(member) is not None


CLASSES = reference()


def test_every_class_with_methods_has_a_table():
    assert len(CLASSES) > 90
    assert {name for name, classes in CLASSES.items() if any(classes)} == set(TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_a_table_has_every_method_once(name):
    # A subclass may have the name of its base class, and no methods of its own.
    (members,) = filter(None, CLASSES[name])
    listed = [member for members in TASKS[name].values() for member in members]
    assert sorted(listed) == sorted(members)
