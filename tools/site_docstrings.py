"""Extension of griffe for the site: adapts the docstrings of this package to the conventions of griffe."""

import re
from typing import Any

import griffe

SECTION = re.compile(r"^( *)Example:$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """An extension that griffe calls for each object that it finds."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Renames the section `Example:` to `Examples:`, which griffe treats as code."""
        if obj.docstring:
            obj.docstring.value = SECTION.sub(r"\1Examples:", obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Uses the parameters of `__new__` as the parameters of the class."""
        new = cls.members.get("__new__")
        if isinstance(new, griffe.Function) and "__init__" not in cls.members:
            cls.set_member("__init__", griffe.Function("__init__", parameters=new.parameters))
