"""`ReadPlanned`, the base class of the transforms whose workers plan the splits of files and read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed.beam._imported import beam

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arrowfeed.beam._read import ReadDatasetRanges

_MOST_GROUPS = 1024
"""Maximum number of groups of files that are planned at the same time."""


class ReadPlanned(beam.PTransform):
    """Plans the splits of files, distributes these to the workers, and reads them.

    Args:
        plan: The DoFn that plans the splits of a group of files.
        read: The DoFn that reads the splits.
    """

    def __init__(self, plan: Any, read: ReadDatasetRanges) -> None:
        beam.PTransform.__init__(self)
        self._plan, self._read = plan, read

    def without_coder(self) -> ReadPlanned:
        """Leaves out the type of the outputs, for a consumer in the same stage.

        Otherwise the workers would import the library that has registered the coder of the type last, such as
        TensorFlow Data Validation for `pyarrow.RecordBatch`.
        """
        self._read.output_type = Any
        return self

    def _groups(self, pcoll: Any) -> Any:
        """Returns a PCollection of groups of files, each as a pair with its number."""
        raise NotImplementedError

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of the outputs of `read`."""
        # Flink drops a Reshuffle after another one, so the groups are distributed by their keys, and only the
        # splits by a Reshuffle.
        groups = self._groups(pcoll) | "ShareFiles" >> beam.GroupByKey()
        splits = groups | "Groups" >> beam.FlatMap(_values) | "Plan" >> beam.ParDo(self._plan)
        shared = splits | "ShareSplits" >> beam.Reshuffle()
        return shared | "Read" >> beam.ParDo(self._read).with_output_types(self._read.output_type)


def file_groups(count: int) -> list[tuple[int, int]]:
    """Divides files into groups of about equal size, each from one number of a file up to another."""
    groups = min(count, _MOST_GROUPS)
    borders = [count * number // groups for number in range(groups + 1)]
    return list(zip(borders, borders[1:]))  # noqa: B905, RUF007 - Python 3.10 has no `strict` for pairs


def _values(group: tuple[int, Iterable[Any]]) -> Iterable[Any]:
    return group[1]
