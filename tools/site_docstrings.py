"""Extension of griffe for the site: adapts the docstrings of this package to the conventions of griffe."""

import re
from pathlib import Path
from typing import Any

import griffe
import tomllib

SECTION = re.compile(r"^( *)Example:$", re.MULTILINE)
TASKS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("method_tasks.toml").read_text("utf-8")
)

SUBMODULES = {"transform": "features", "representation": "representations"}
"""Stubs of the compiled classes that a submodule exports, and this submodule. The package exports all others,
and the base class `Representation`."""


class Docstrings(griffe.Extension):
    """An extension that griffe calls for each object that it finds."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Renames the section `Example:` to `Examples:`, which griffe treats as code."""
        if obj.docstring:
            obj.docstring.value = SECTION.sub(r"\1Examples:", obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Uses the parameters of `__new__` as those of the class, and adds the table of its methods."""
        new = cls.members.get("__new__")
        if isinstance(new, griffe.Function) and "__init__" not in cls.members:
            cls.set_member("__init__", griffe.Function("__init__", parameters=new.parameters))
        tasks = TASKS.get(public_name(public_path(cls)), {})
        # A subclass may have the name of its base class, and no methods of its own.
        if cls.docstring and any(name in cls.members for names in tasks.values() for name in names):
            summary, _, rest = cls.docstring.value.partition("\n\n")
            cls.docstring.value = f"{summary}\n\n{method_table(cls, tasks)}\n\n{rest}".rstrip("\n")


def public_path(cls: griffe.Class) -> str:
    """The path under which the reference shows a class."""
    stub = re.match(r"arrowfeed\._stubs\.(\w+)\.", cls.path)
    if stub is None:
        return cls.path
    module = None if cls.name == "Representation" else SUBMODULES.get(stub[1])
    return ".".join(filter(None, ["arrowfeed", module, cls.name]))


def public_name(path: str) -> str:
    """The name of a class after that of its package, such as `tfxio.AvroRecord`."""
    _, *modules, name = path.split(".")
    return f"{modules[0]}.{name}" if modules and not modules[0].startswith("_") else name


def method_table(cls: griffe.Class, tasks: dict[str, list[str]]) -> str:
    """The methods and properties of a class by their tasks, with the first sentences of their docstrings."""
    path = public_path(cls)
    rows = [
        f"| {task} | [`{name}`][{path}.{name}] | {_summary(cls, name)} |"
        for task, names in tasks.items()
        for name in names
    ]
    return "\n".join(["| task | method | |", "|---|---|---|", *rows])


def _summary(cls: griffe.Class, name: str) -> str:
    # One of several overloads has the text.
    documented = [cls.members.get(name), *cls.overloads.get(name, [])]
    docstring = next(found.docstring for found in documented if found is not None and found.docstring)
    paragraph = docstring.value.partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")
