"""Properties of a base class that attributes of a subclass replace, also those that `__init__` sets."""

from __future__ import annotations

from typing import Any


class _Default:
    """A property that an attribute of the instance replaces."""

    def __init__(self, made: property) -> None:
        self.__doc__ = made.__doc__
        self._made = made

    def __get__(self, source: object | None, kind: type) -> Any:
        return self if source is None else self._made.__get__(source, kind)


def let_instances_set(base: type, *names: str) -> None:
    """Lets instances of `base` have attributes that replace its properties of these names."""
    for name in names:
        setattr(base, name, _Default(vars(base)[name]))


def missing(source: object, name: str) -> TypeError:
    """The error of a source whose class has no value for a property without a default."""
    kind = type(source).__name__
    return TypeError(f"expected {kind} to have the attribute {name}: set it in the class or in __init__")
