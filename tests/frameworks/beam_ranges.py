"""Reads ranges as a Beam worker does, and splits them during the read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apache_beam.runners.sdf_utils import RestrictionTrackerView, ThreadsafeRestrictionTracker

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from apache_beam.io.restriction_trackers import OffsetRange

    from arrowfeed.beam._read import Ranges


class Reading:
    """A range during its read. It can be split at any time.

    Args:
        read: The DoFn that reads it.
        element: The element to which it belongs.
        restriction: Its offsets. None: the whole element.
        values: Returns the values of an output, which the test compares.
    """

    def __init__(
        self,
        read: Ranges,
        element: object,
        restriction: OffsetRange | None,
        values: Callable[[Any], list[Any]],
    ) -> None:
        restriction = restriction or read.initial_restriction(element)
        self.tracker = ThreadsafeRestrictionTracker(read.create_tracker(restriction))
        self._outputs = read.process(element, RestrictionTrackerView(self.tracker))
        self._values = values
        self._found: list[Any] = []

    def outputs(self, count: int) -> None:
        """Takes up to this many outputs."""
        for _ in range(count):
            for output in filter(None, [next(self._outputs, None)]):
                self._found += self._values(output)

    def split(self, fraction: float) -> OffsetRange | None:
        """Splits off a part of the unread rest. Returns its range, or None."""
        parts = self.tracker.try_split(fraction)
        if parts is None:
            return None
        primary, residual = parts
        assert primary.stop == residual.start
        return residual

    def rest(self) -> list[Any]:
        """Reads the rest, and returns all values."""
        for output in self._outputs:
            self._found += self._values(output)
        self.tracker.check_done()
        return self._found


def read_in_random_parts(
    chosen: random.Random, reading: Callable[[Any], Reading], whole: Any
) -> tuple[list[Any], int]:
    """Reads a range, and splits it and its parts at random during the read.

    Args:
        chosen: The source of random numbers.
        reading: Starts to read a restriction.
        whole: The restriction to read.

    Returns:
        The values of all parts, and the number of splits.
    """
    waiting, found, splits = [whole], [], 0
    while waiting:
        one = reading(waiting.pop())
        for _ in range(chosen.randrange(4)):
            one.outputs(chosen.randrange(20))
            residual = one.split(chosen.random())
            if residual is not None:
                waiting.append(residual)
                splits += 1
        found += one.rest()
    return found, splits
