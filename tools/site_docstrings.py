"""Of the site: what the docstrings of this package need beyond what griffe reads."""

import re
from typing import Any

import griffe

SECTION = re.compile(r"^( *)Example:$", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Called by griffe for the objects that it finds."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Takes the section `Example:` for `Examples:`, whose lines are code."""
        if obj.docstring:
            obj.docstring.value = SECTION.sub(r"\1Examples:", obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Takes the arguments of `__new__` for those of the class."""
        new = cls.members.get("__new__")
        if isinstance(new, griffe.Function) and "__init__" not in cls.members:
            cls.set_member("__init__", griffe.Function("__init__", parameters=new.parameters))
