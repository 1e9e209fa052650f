"""Splittable DoFns that read files. An element is a split, and a restriction is a byte range of it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

from arrowfeed._arrowfeed import Split
from arrowfeed._engines.splits import log_skipped
from arrowfeed._errors import ChangedError
from arrowfeed.beam._beam_files import opened
from arrowfeed.beam._imported import beam, imported, pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arrowfeed._arrowfeed import RecordBatch, RecordBatchReader
    from arrowfeed.beam._beam_files import BeamFiles
    from arrowfeed.types import Report, SeekableFile

_trackers: Any = imported("apache_beam.io.restriction_trackers", "apache-beam")
RESTRICTION = beam.DoFn.RestrictionParam()


class OpensSplits(Protocol):
    """An object that opens splits of files in any process."""

    def open(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> RecordBatchReader:
        """Opens a reader of a split, with the arguments of `Dataset.read_split`."""
        ...


class Outputs(NamedTuple):
    """A conversion of batches."""

    of_batch: Callable[[RecordBatch], Iterable[Any]]
    """Returns the outputs for a batch."""
    type: Any
    """The type of the outputs."""


class ReadDatasetRanges(beam.DoFn, beam.RestrictionProvider):
    """Reads ranges of files of any format as record batches. An element is the `Split` of a range.

    Each chunk is claimed by its offset before it is read, so a range can be split at any time and at any
    byte, and each chunk is read exactly once. The counters in the namespace `arrowfeed` are `rows`, `blocks`
    and `skipped_blocks`.

    Args:
        reader: The reader of the splits.
        files: Beam's filesystem of the files. None: the reader opens them.
        outputs: The conversion of the batches. None: `pyarrow.RecordBatch`.
    """

    output_type: Any = pa.RecordBatch
    """The type of its outputs."""

    def __init__(self, reader: OpensSplits, files: BeamFiles | None, outputs: Outputs | None = None) -> None:
        self._reader, self._files, self._outputs = reader, files, outputs
        if outputs is not None:
            self.output_type = outputs.type

    def initial_restriction(self, element: Any) -> Any:
        """Returns the range of a split."""
        return _trackers.OffsetRange(element.start, element.end)

    def create_tracker(self, restriction: Any) -> Any:
        """Returns the tracker, which claims each chunk and which the runner splits."""
        return _trackers.OffsetRestrictionTracker(restriction)

    def restriction_size(self, element: Any, restriction: Any) -> int:  # noqa: ARG002 - Beam's signature
        """Returns the size of the range in bytes."""
        return restriction.size()

    def process(self, element: Any, tracker: Any = RESTRICTION) -> Iterator[Any]:
        """Reads one range as pyarrow record batches.

        Raises:
            ArrowfeedError: As in the function that reads such files, with the offset in the file and the
                number of the chunk in the range.
            ChangedError: The file has changed since it was listed.
        """
        restriction = tracker.current_restriction()
        split = Split(element.path, restriction.start, restriction.stop, file_id=element.file_id)
        with self.opened(split.path) as file:
            reader = self._reader.open(split, claim=tracker.try_claim, file=file)
            if file is not None:
                _check_length(split.path, file, split.end)
            for batch in reader:
                outputs = self._outputs
                yield from [batch.to_pyarrow()] if outputs is None else outputs.of_batch(batch)
            # All chunks begin before the end of the range. Claiming the end marks the range as done.
            tracker.try_claim(restriction.stop)
            self._count(reader.report())

    def opened(self, path: str) -> Any:
        """Opens a file of Beam's filesystem. None as the value of the context: the reader opens it."""
        return contextlib.nullcontext() if self._files is None else opened(self._files.url_of(path))

    def _count(self, report: Report) -> None:
        counts = {
            "rows": report["rows"],
            "blocks": report["blocks"],
            "skipped_blocks": len(report["skipped"]),
        }
        for name, number in counts.items():
            beam.metrics.Metrics.counter("arrowfeed", name).inc(number)
        log_skipped(report)


def _check_length(path: str, file: BinaryIO, expected: int) -> None:
    """Rejects a file that ends before its range.

    Raises:
        ChangedError: The file has become shorter since it was listed.
    """
    file.seek(0, os.SEEK_END)
    length = file.tell()
    if length < expected:
        found = f"expected a file of {expected:,} bytes or more, found its end at byte {length:,}"
        raise ChangedError(f"{path}: {found}", path=path, offset=length)
