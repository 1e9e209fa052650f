"""Splittable DoFns that read files. A restriction is a byte range of a file."""

from __future__ import annotations

import itertools
import logging
import os
from typing import TYPE_CHECKING, Any, BinaryIO

from arrowfeed._arrowfeed import Split, read_parquet_split, read_split
from arrowfeed._errors import ChangedError, SchemaError
from arrowfeed.beam._imported import beam, imported, pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import RecordBatch, RecordBatchReader
    from arrowfeed.types import Report

_trackers: Any = imported("apache_beam.io.restriction_trackers", "apache-beam")
_filesystems: Any = imported("apache_beam.io.filesystems", "apache-beam")
_PLAIN = imported("apache_beam.io.filesystem", "apache-beam").CompressionTypes.UNCOMPRESSED
RESTRICTION = beam.DoFn.RestrictionParam()
_log = logging.getLogger("arrowfeed")


class ReadRanges(beam.DoFn, beam.RestrictionProvider):
    """Reads the files of a PCollection of `FileMetadata` as record batches.

    Each block is claimed by its offset before it is read, so a range can be split at any time and at any
    byte, and each block is read exactly once. The counters in the namespace `arrowfeed` are `rows`, `blocks`
    and `skipped_blocks`.

    Args:
        options: Options of `arrowfeed.read_avro`.
        split_bytes: Initial size of a range in bytes.
    """

    EXTENSION = "avro"
    """Extension of the files in a directory."""

    GIVES: Any = pa.RecordBatch
    """The type of its outputs."""

    def __init__(self, options: dict[str, Any], split_bytes: int) -> None:
        self.options = options
        self.split_bytes = split_bytes

    def initial_restriction(self, element: Any) -> Any:
        """Returns the range of a whole file. For an empty file it is one byte, so that reading raises an
        error.
        """
        return _trackers.OffsetRange(0, max(element.size_in_bytes, 1))

    def create_tracker(self, restriction: Any) -> Any:
        """Returns the tracker, which claims each block and which the runner splits."""
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
            ArrowfeedError: As in `arrowfeed.read_avro`, with the offset in the file and the number of the
                block in the range.
            ChangedError: The file is shorter than when it was listed.
        """
        path, restriction = element.path, tracker.current_restriction()
        split = Split(path, restriction.start, restriction.stop)
        with _filesystems.FileSystems.open(path, compression_type=_PLAIN) as file:
            reader = self.reader(split, claim=tracker.try_claim, file=file)
            _check_length(path, file, restriction.stop)
            for batch in reader:
                yield from self.given(batch)
            # All blocks begin before the end of the range. Claiming the end marks the range as done.
            tracker.try_claim(restriction.stop)
            self._count(reader.report())

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Opens a reader of one range.

        Args:
            split: The range.
            **source: The file and the claim function.
        """
        return read_split(split, **source, **self.options)

    def given(self, batch: RecordBatch) -> list[Any]:
        """Returns the outputs for a batch."""
        return [batch.to_pyarrow()]

    def _count(self, report: Report) -> None:
        skipped = report["skipped"]
        counts = {"rows": report["rows"], "blocks": report["blocks"], "skipped_blocks": len(skipped)}
        for name, number in counts.items():
            beam.metrics.Metrics.counter("arrowfeed", name).inc(number)
        for block in skipped:
            _log.warning("skipped a block: %s", block["error"])


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
