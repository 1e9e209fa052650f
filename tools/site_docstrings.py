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
OTHER_CLASSES = ("arrowfeed.features.", "arrowfeed.tfxio.")
"""Modules whose classes have the names of others."""


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
        # Classes of other modules may have the same name, such as the features.
        if cls.docstring and cls.name in TASKS and not cls.path.startswith(OTHER_CLASSES):
            summary, _, rest = cls.docstring.value.partition("\n\n")
            cls.docstring.value = f"{summary}\n\n{method_table(cls)}\n\n{rest}".rstrip("\n")


def method_table(cls: griffe.Class) -> str:
    """The methods and properties of a class by their tasks, with the first sentences of their docstrings."""
    # The reference shows the compiled classes under the name of the package.
    path = f"arrowfeed.{cls.name}" if cls.path.startswith("arrowfeed._stubs.") else cls.path
    rows = [
        f"| {task} | [`{name}`][{path}.{name}] | {_summary(cls, name)} |"
        for task, names in TASKS[cls.name].items()
        for name in names
    ]
    return "\n".join(["| task | method | |", "|---|---|---|", *rows])


def _summary(cls: griffe.Class, name: str) -> str:
    # One of several overloads has the text.
    documented = [cls.members.get(name), *cls.overloads.get(name, [])]
    docstring = next(found.docstring for found in documented if found is not None and found.docstring)
    paragraph = docstring.value.partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")
