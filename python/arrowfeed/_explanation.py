"""`Explanation`, the result of `explain()`."""

from __future__ import annotations

import html


class Explanation(str):
    """A text that notebooks show with its line breaks. It is a `str` in every other respect."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self)}</pre>"
