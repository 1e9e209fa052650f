"""Splittable DoFns that read files. An element is a split, and a restriction is a byte range of it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

from arrowfeed._arrowfeed import Split, read_parquet_split, read_split
from arrowfeed._engines.splits import log_skipped
from arrowfeed._errors import ChangedError
from arrowfeed.beam._beam_files import opened
from arrowfeed.beam._imported import beam, imported, pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed._arrowfeed import RecordBatch, RecordBatchReader
    from arrowfeed.beam._beam_files import BeamFiles
    from arrowfeed.types import Report, SeekableFile

_trackers: Any = imported("apache_beam.io.restriction_trackers", "apache-beam")
RESTRICTION = beam.DoFn.RestrictionParam()


class Ranges(beam.DoFn, beam.RestrictionProvider):
    """Reads ranges of files as record batches. An element is the `Split` of a range.

    Each chunk is claimed by its offset before it is read, so a range can be split at any time and at any
    byte, and each chunk is read exactly once. The counters in the namespace `arrowfeed` are `rows`, `blocks`
    and `skipped_blocks`.
    """

    output_type: Any = pa.RecordBatch
    """The type of its outputs."""

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
        split = self.part(element, restriction.start, restriction.stop)
        with self.opened(split.path) as file:
            reader = self.reader(split, claim=tracker.try_claim, file=file)
            if file is not None:
                _check_length(split.path, file, split.end)
            for batch in reader:
                yield from self.outputs(batch)
            # All chunks begin before the end of the range. Claiming the end marks the range as done.
            tracker.try_claim(restriction.stop)
            self._count(reader.report())

    def part(self, element: Any, start: int, stop: int) -> Split:
        """Returns the split of a part of an element."""
        return Split(element.path, start, stop)

    def opened(self, path: str) -> Any:
        """Opens a file. None as the value of the context: the reader opens it."""
        return opened(path)

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range.

        Args:
            split: The range.
            **source: The file and the claim function.
        """
        raise NotImplementedError

    def outputs(self, batch: RecordBatch) -> list[Any]:
        """Returns the outputs for a batch."""
        return [batch.to_pyarrow()]

    def _count(self, report: Report) -> None:
        counts = {
            "rows": report["rows"],
            "blocks": report["blocks"],
            "skipped_blocks": len(report["skipped"]),
        }
        for name, number in counts.items():
            beam.metrics.Metrics.counter("arrowfeed", name).inc(number)
        log_skipped(report)


class ReadRanges(Ranges):
    """Reads ranges of Avro files.

    Args:
        options: Options of `arrowfeed.read_avro`.
        split_bytes: Initial size of a range in bytes.
    """

    EXTENSION = "avro"
    """Extension of the files in a directory."""

    def __init__(self, options: dict[str, Any], split_bytes: int) -> None:
        self.options, self.split_bytes = options, split_bytes

    def split(self, element: Any, restriction: Any) -> Iterator[Any]:  # noqa: ARG002 - Beam's signature
        """Splits into ranges of `split_bytes`; the last one may be up to half of it larger or smaller."""
        return restriction.split(self.split_bytes, max(self.split_bytes // 2, 1))

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range."""
        return read_split(split, **source, **self.options)


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

    of_batch: Callable[[RecordBatch], list[Any]]
    """Returns the outputs for a batch."""
    type: Any
    """The type of the outputs."""


class ReadDatasetRanges(Ranges):
    """Reads ranges of files of any format. The ranges have the sizes with which they were planned.

    Args:
        reader: The reader of the splits.
        files: Beam's filesystem of the files. None: the reader opens them.
        outputs: The conversion of the batches. None: `pyarrow.RecordBatch`.
    """

    def __init__(self, reader: OpensSplits, files: BeamFiles | None, outputs: Outputs | None = None) -> None:
        self._reader, self._files, self._outputs = reader, files, outputs
        if outputs is not None:
            self.output_type = outputs.type

    def part(self, element: Any, start: int, stop: int) -> Split:
        """Returns the split of a part of an element, of the same file."""
        return Split(element.path, start, stop, file_id=element.file_id)

    def opened(self, path: str) -> Any:
        """Opens a file of Beam's filesystem. None as the value of the context: the reader opens it."""
        return contextlib.nullcontext() if self._files is None else opened(self._files.url_of(path))

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range."""
        return self._reader.open(split, **source)

    def outputs(self, batch: RecordBatch) -> list[Any]:
        """Returns the outputs for a batch."""
        return super().outputs(batch) if self._outputs is None else self._outputs.of_batch(batch)


class ReadParquetRanges(ReadRanges):
    """Like `ReadRanges`, for Parquet files, whose row groups are claimed.

    Args:
        options: Options of `arrowfeed.read_parquet`.
        split_bytes: Initial size of a range in bytes.
    """

    EXTENSION = "parquet"

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range."""
        return read_parquet_split(split, **source, **self.options)


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
