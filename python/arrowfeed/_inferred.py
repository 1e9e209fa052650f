"""`InferredRepresentations`, the result of `infer_representations`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import Representation


class InferredRepresentations(dict[str, "Representation"]):
    """A dict of representations, whose `repr` also lists the fields without a representation.

    Attributes:
        left_out: The reason for each field that has no representation, by name.
    """

    left_out: dict[str, str]

    def __init__(self, representations: dict[str, Representation], left_out: dict[str, str]) -> None:
        super().__init__(representations)
        self.left_out = left_out

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self.left_out)

    def __repr__(self) -> str:
        text = super().__repr__()
        if self.left_out:
            text += "\nleft out:"
        return text + "".join(f"\n  {name!r}: {reason}" for name, reason in self.left_out.items())
