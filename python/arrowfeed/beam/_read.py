"""Splittable DoFns that read files. An element is a split, and a restriction is a byte range of it."""

from __future__ import annotations

import contextlib
import itertools
import os
from typing import TYPE_CHECKING, Any, BinaryIO

from arrowfeed._arrowfeed import Split, read_parquet_split, read_split
from arrowfeed._engines.splits import log_skipped
from arrowfeed._errors import ChangedError, SchemaError
from arrowfeed.beam._beam_files import opened
from arrowfeed.beam._imported import beam, imported, pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import RecordBatch, RecordBatchReader
    from arrowfeed._engines.splits import SplitReader
    from arrowfeed.beam._beam_files import BeamFiles
    from arrowfeed.types import Report

_trackers: Any = imported("apache_beam.io.restriction_trackers", "apache-beam")
RESTRICTION = beam.DoFn.RestrictionParam()


class Ranges(beam.DoFn, beam.RestrictionProvider):
    """Reads ranges of files as record batches. An element is the `Split` of a range.

    Each chunk is claimed by its offset before it is read, so a range can be split at any time and at any
    byte, and each chunk is read exactly once. The counters in the namespace `arrowfeed` are `rows`, `blocks`
    and `skipped_blocks`.

    Args:
        split_bytes: Initial size of a range in bytes.
    """

    OUTPUT_TYPE: Any = pa.RecordBatch
    """The type of its outputs."""

    def __init__(self, split_bytes: int) -> None:
        self.split_bytes = split_bytes

    def initial_restriction(self, element: Any) -> Any:
        """Returns the range of a split."""
        return _trackers.OffsetRange(element.start, element.end)

    def create_tracker(self, restriction: Any) -> Any:
        """Returns the tracker, which claims each chunk and which the runner splits."""
        return _trackers.OffsetRestrictionTracker(restriction)

    def split(self, element: Any, restriction: Any) -> Iterator[Any]:  # noqa: ARG002 - Beam's signature
        """Splits into ranges of `split_bytes`; the last one may be up to half of it larger or smaller."""
        return restriction.split(self.split_bytes, max(self.split_bytes // 2, 1))

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
        super().__init__(split_bytes)
        self.options = options

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range."""
        return read_split(split, **source, **self.options)


class ReadDatasetRanges(Ranges):
    """Reads ranges of files of any format.

    Args:
        reader: The reader of the splits.
        split_bytes: Initial size of a range in bytes.
        files: Beam's filesystem of the files. None: the reader opens them.
    """

    def __init__(self, reader: SplitReader, split_bytes: int, files: BeamFiles | None) -> None:
        super().__init__(split_bytes)
        self._reader, self._files = reader, files

    def part(self, element: Any, start: int, stop: int) -> Split:
        """Returns the split of a part of an element, of the same file."""
        return Split(element.path, start, stop, file_id=element.file_id)

    def opened(self, path: str) -> Any:
        """Opens a file of Beam's filesystem. None as the value of the context: the reader opens it."""
        return contextlib.nullcontext() if self._files is None else opened(self._files.url_of(path))

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range."""
        return self._reader.open(split, **source)


class ReadParquetRanges(ReadRanges):
    """Like `ReadRanges`, for Parquet files, whose row groups are claimed.

    Args:
        options: Options of `arrowfeed.read_parquet`.
        split_bytes: Initial size of a range in bytes.
        expected: The schema that every file must have. None: any schema.
    """

    EXTENSION = "parquet"

    def __init__(self, options: dict[str, Any], split_bytes: int, expected: Any = None) -> None:
        super().__init__(options, split_bytes)
        self._expected = expected

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range.

        Raises:
            SchemaError: The schema of the file differs from the expected one.
        """
        reader = read_parquet_split(split, **source, **self.options)
        if self._expected is not None:
            _check_schema(split.path, self._expected, pa.schema(reader))
        return reader


def _check_schema(path: str, expected: Any, found: Any) -> None:
    """Rejects a file with another schema.

    Raises:
        SchemaError: The schemas differ; the message names the first different column.
    """
    pairs = itertools.zip_longest(expected, found)
    different = next(((one, other) for one, other in pairs if one is None or not one.equals(other)), None)
    if different is not None:
        names = ["no column" if field is None else f'"{field.name}" as {field.type}' for field in different]
        message = f"expected the columns of the first file: {names[0]}, found {names[1]}"
        raise SchemaError(f"{path}: {message}", path=path)


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
