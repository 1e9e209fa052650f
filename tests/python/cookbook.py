"""The recipes of docs/cookbook.md."""

from __future__ import annotations

import contextlib
import io
import re
from typing import NamedTuple

from example_programs import BLOCK, DOCS

FRAMEWORKS = ("keras", "torch", "to_jax")
"""Words of the recipes that need a framework."""


class Recipe(NamedTuple):
    """A recipe."""

    title: str
    code: str

    @property
    def needs_framework(self) -> bool:
        """Whether the program needs a framework."""
        return any(word in self.code for word in FRAMEWORKS)

    def expected(self) -> list[str]:
        """The lines that the program prints, as its comments say."""
        return re.findall(r"^ *print\(.*\)  # (.+)$", self.code, re.MULTILINE)

    def printed(self) -> list[str]:
        """Runs the program in the current directory, and returns the lines that it prints."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(self.code, self.title, "exec"), {})
        return out.getvalue().splitlines()


def recipes() -> list[Recipe]:
    """All recipes, in the order of the page."""
    parts = re.split(r"^## (.*)$", (DOCS / "cookbook.md").read_text("utf-8"), flags=re.MULTILINE)
    found = []
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        [code] = BLOCK.findall(text)
        found.append(Recipe(title, code))
    return found
