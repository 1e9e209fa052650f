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
AT_LEAST = 5
"""Number of methods and properties from which on a class has a table."""


def reference():
    """The classes of the reference, each with the names of its public methods and properties in order."""
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    entries = {
        entry.rpartition(".")[2] for entry in re.findall(r"^::: (arrowfeed\.\S+)$", pages, re.MULTILINE)
    }
    files = [
        *sorted((PACKAGE / "_stubs").glob("*.pyi")),
        PACKAGE / "_dataset" / "tfxio.py",
        PACKAGE / "_dataset" / "chunk_source.py",
        PACKAGE / "_dataset" / "samples.py",
        PACKAGE / "_frameworks" / "jax_iterator.py",
        PACKAGE / "_frameworks" / "torch_dataset.py",
        PACKAGE / "_statistics" / "description.py",
        PACKAGE / "_tensorflow" / "wrapped.py",
    ]
    nodes = [node for file in files for node in ast.parse(file.read_text("utf-8")).body]
    return {
        node.name: list(dict.fromkeys(member.name for member in node.body if is_public(member)))
        for node in nodes
        if isinstance(node, ast.ClassDef) and node.name in entries
    }


def is_public(member):
    return isinstance(member, ast.FunctionDef) and not member.name.startswith("_")


CLASSES = reference()


def test_every_class_with_many_methods_has_a_table():
    assert len(CLASSES) > 30
    assert {name for name, members in CLASSES.items() if len(members) >= AT_LEAST} == set(TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_a_table_has_every_method_once(name):
    listed = [member for members in TASKS[name].values() for member in members]
    assert sorted(listed) == sorted(CLASSES[name])
