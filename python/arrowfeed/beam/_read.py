"""Reading as a splittable DoFn: a restriction is a range of a file's bytes."""

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
    """Record batches of the files whose `FileMetadata` come in.

    Each block is claimed by its offset before it is read, so a range can be split at any time and any byte:
    its blocks are read once, here or there. Counters of the namespace `arrowfeed`: `rows`, `blocks`,
    `skipped_blocks`.

    Args:
        options: Of `arrowfeed.read_avro`.
        split_bytes: Bytes of a range at first.
    """

    EXTENSION = "avro"
    """Of the files of a directory."""

    GIVES: Any = pa.RecordBatch
    """The type of what it gives."""

    def __init__(self, options: dict[str, Any], split_bytes: int) -> None:
        self.options = options
        self.split_bytes = split_bytes

    def initial_restriction(self, element: Any) -> Any:
        """All bytes of a file; a file without any is opened to say that it is no Avro file."""
        return _trackers.OffsetRange(0, max(element.size_in_bytes, 1))

    def create_tracker(self, restriction: Any) -> Any:
        """What is asked for each block, and what a runner splits."""
        return _trackers.OffsetRestrictionTracker(restriction)

    def split(self, element: Any, restriction: Any) -> Iterator[Any]:  # noqa: ARG002 - Beam's signature
        """Ranges of `split_bytes`, the last one up to half as much larger or smaller."""
        return restriction.split(self.split_bytes, max(self.split_bytes // 2, 1))

    def restriction_size(self, element: Any, restriction: Any) -> int:  # noqa: ARG002 - Beam's signature
        """Bytes."""
        return restriction.size()

    def process(self, element: Any, tracker: Any = RESTRICTION) -> Iterator[Any]:
        """Record batches of pyarrow of one range.

        Raises:
            ArrowfeedError: As `arrowfeed.read_avro`, with the offset in the file, and the number of the
                block in the range. ChangedError: the file is shorter than it was when it was listed.
        """
        path, restriction = element.path, tracker.current_restriction()
        split = Split(path, restriction.start, restriction.stop)
        with _filesystems.FileSystems.open(path, compression_type=_PLAIN) as file:
            reader = self.reader(split, claim=tracker.try_claim, file=file)
            _check_length(path, file, restriction.stop)
            for batch in reader:
                yield from self.given(batch)
            # Blocks begin before the end of the range, which is claimed as well to say that it is done.
            tracker.try_claim(restriction.stop)
            self._count(reader.report())

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Reads one range.

        Args:
            split: The range.
            **source: Where its bytes come from, and who claims its blocks.
        """
        return read_split(split, **source, **self.options)

    def given(self, batch: RecordBatch) -> list[Any]:
        """What is given of a batch."""
        return [batch.to_pyarrow()]

    def _count(self, report: Report) -> None:
        skipped = report["skipped"]
        counts = {"rows": report["rows"], "blocks": report["blocks"], "skipped_blocks": len(skipped)}
        for name, number in counts.items():
            beam.metrics.Metrics.counter("arrowfeed", name).inc(number)
        for block in skipped:
            _log.warning("left out a block: %s", block["error"])


class ReadParquetRanges(ReadRanges):
    """The same of Parquet files, whose row groups are claimed.

    Args:
        options: Of `arrowfeed.read_parquet`.
        split_bytes: Bytes of a range at first.
        expected: The schema that every file must have. None: any.
    """

    EXTENSION = "parquet"

    def __init__(self, options: dict[str, Any], split_bytes: int, expected: Any = None) -> None:
        super().__init__(options, split_bytes)
        self._expected = expected

    def reader(self, split: Split, **source: Any) -> RecordBatchReader:
        """Reads one range.

        Raises:
            SchemaError: The file has another schema than the one that is expected.
        """
        reader = read_parquet_split(split, **source, **self.options)
        if self._expected is not None:
            _check_schema(split.path, self._expected, pa.schema(reader))
        return reader


def _check_schema(path: str, expected: Any, found: Any) -> None:
    """Refuses a file of another schema.

    Raises:
        SchemaError: Its message names the first column that differs.
    """
    pairs = itertools.zip_longest(expected, found)
    different = next(((one, other) for one, other in pairs if one is None or not one.equals(other)), None)
    if different is not None:
        names = ["no column" if field is None else f'"{field.name}" as {field.type}' for field in different]
        message = f"expected the columns of the first file: {names[0]}, found {names[1]}"
        raise SchemaError(f"{path}: {message}", path=path)


def _check_length(path: str, file: BinaryIO, expected: int) -> None:
    """Refuses a file that ends before a range of it does.

    Raises:
        ChangedError: It has got shorter since it was listed.
    """
    file.seek(0, os.SEEK_END)
    length = file.tell()
    if length < expected:
        found = f"expected a file of {expected:,} bytes or more, found its end at byte {length:,}"
        raise ChangedError(f"{path}: {found}", path=path, offset=length)
