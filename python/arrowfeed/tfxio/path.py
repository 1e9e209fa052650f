"""Paths of columns that are nested in structs, as in `tfx_bsl.arrow.path`. Only the import line changes.

    from arrowfeed.tfxio import path    # from tfx_bsl.arrow import path

The functions of `arrowfeed.tfxio.table_util` take and yield these paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ColumnPath"]


class ColumnPath:
    """The name of a column, and the names of fields in its structs.

    Paths can be keys of dicts, and are sorted by their steps. A path is false if it has no steps. It is equal
    to a path of tfx_bsl with the same steps.

    Args:
        steps: The names, or one name.
    """

    __slots__ = ("_steps",)

    def __init__(self, steps: Iterable[str] | str) -> None:
        self._steps = (steps,) if isinstance(steps, str) else tuple(steps)

    def to_proto(self) -> Any:
        """Returns the path as a message `Path` of TensorFlow Metadata."""
        messages = needed("tensorflow_metadata.proto.v0.path_pb2", "for messages of paths")
        return messages.Path(step=self._steps)

    @staticmethod
    def from_proto(path_proto: Any) -> ColumnPath:
        """Returns the path of a message `Path` of TensorFlow Metadata."""
        return ColumnPath(path_proto.step)

    def steps(self) -> tuple[str, ...]:
        """Returns the names."""
        return self._steps

    def parent(self) -> ColumnPath:
        """Returns the path without its last step.

        Raises:
            ValueError: The path has no steps.
        """
        if not self._steps:
            raise ValueError("Root does not have parent.")
        return ColumnPath(self._steps[:-1])

    def child(self, child_step: str) -> ColumnPath:
        """Returns the path with one more step."""
        return ColumnPath((*self._steps, child_step))

    def prefix(self, ending_index: int) -> ColumnPath:
        """Returns the path of the steps before an index."""
        return ColumnPath(self._steps[:ending_index])

    def suffix(self, starting_index: int) -> ColumnPath:
        """Returns the path of the steps from an index on."""
        return ColumnPath(self._steps[starting_index:])

    def initial_step(self) -> str:
        """Returns the first step.

        Raises:
            ValueError: The path has no steps.
        """
        if not self._steps:
            raise ValueError("This ColumnPath does not have any steps.")
        return self._steps[0]

    def __str__(self) -> str:
        return ".".join(self._steps)

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        steps = getattr(other, "steps", None)
        return self._steps == steps() if callable(steps) else NotImplemented

    def __lt__(self, other: ColumnPath) -> bool:
        return self._steps < other.steps()

    def __hash__(self) -> int:
        return hash(self._steps)

    def __len__(self) -> int:
        return len(self._steps)
