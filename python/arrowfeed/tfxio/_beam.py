"""Beam transforms for sources of records. Importing this module imports apache_beam."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import encode_records, read_csv
from arrowfeed._engines.splits import SPLIT_BYTES
from arrowfeed.beam import ReadAvro, ReadParquet
from arrowfeed.beam._imported import beam, pa
from arrowfeed.beam._read import ReadParquetRanges, ReadRanges
from arrowfeed.beam._transforms import matching
from arrowfeed.tfxio._csv_cells import csv_batches, inferred_schema, kinds_of_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arrowfeed._arrowfeed import AvroSchema, Limits, RecordBatch
    from arrowfeed.tfxio._csv_cells import Cells

CSV = "csv"
"""The extension of the files in a directory."""

MOST = 1000
"""Default number of rows of a batch."""


class Chained(beam.PTransform):
    """A sequence of transforms.

    Args:
        **steps: The transforms by label.
    """

    def __init__(self, **steps: Any) -> None:
        beam.PTransform.__init__(self)
        self._steps = steps

    def expand(self, pcoll: Any) -> Any:
        """Returns the result of the last transform."""
        for label, step in self._steps.items():
            pcoll = pcoll | label >> step
        return pcoll


class RawRecords(ReadAvro):
    """Reads the records of Avro files as bytes in Avro's binary encoding.

    Args:
        file_pattern: Patterns of the files.
        schema: Schema in which the records are written, whatever the schema of a file is.
        limits: Limits of a file.
    """

    def __init__(self, file_pattern: list[str], schema: AvroSchema, limits: Limits) -> None:
        super().__init__(file_pattern, reader_schema=schema, batch_size=MOST, limits=limits)
        self._read = _RawRanges(self._read, schema)


class _RawRanges(ReadRanges):
    """Reads ranges, and returns the rows of batches as bytes.

    Args:
        read: The DoFn that reads the batches.
        schema: Schema in which the rows are written.
    """

    OUTPUT_TYPE = bytes

    def __init__(self, read: ReadRanges, schema: AvroSchema) -> None:
        super().__init__(read.options, read.split_bytes)
        self._schema = schema

    def outputs(self, batch: RecordBatch) -> list[bytes]:
        """Encodes each row."""
        return encode_records(batch, self._schema)


class ReadParquetBatches(ReadParquet):
    """Reads Parquet files with the declared types.

    Args:
        patterns: Patterns of the files.
        least_bytes: Minimum size of a range in bytes.
        validate: Whether the constructor checks that files exist.
        expected: The schema that every file must have. None: any schema.
        **options: Options of `ReadParquet`.

    Raises:
        FileNotFoundError: No file matches a pattern.
    """

    def __init__(
        self, patterns: list[str], least_bytes: int, *, validate: bool, expected: Any, **options: Any
    ) -> None:
        super().__init__(patterns, split_bytes=max(least_bytes, SPLIT_BYTES), **options)
        self._read = ReadParquetRanges(self._read.options, self._read.split_bytes, expected)
        for pattern in patterns if validate else ():
            matching(pattern, self._read.EXTENSION)


def unchanged() -> Any:
    """Returns a transform that passes records through."""
    return beam.Map(_itself).with_input_types(bytes).with_output_types(bytes)


def batched(batch_size: int | None) -> Any:
    """Returns a transform that groups elements into lists of `batch_size`. None: Beam decides."""
    least, most = (1, MOST) if batch_size is None else (batch_size, batch_size)
    return beam.BatchElements(min_batch_size=least, max_batch_size=most)


class RecordBatches(beam.PTransform):
    """Converts records to batches.

    Args:
        decoder: Function that converts a list of records to batches.
        batch_size: Number of rows of a batch. None: Beam decides.
    """

    def __init__(self, decoder: Callable[[list[bytes]], Iterator[Any]], batch_size: int | None) -> None:
        beam.PTransform.__init__(self)
        self._decoder, self._batch_size = decoder, batch_size

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        decoded = beam.FlatMap(self._decoder).with_input_types(list[bytes]).with_output_types(pa.RecordBatch)
        return pcoll | "Batch" >> batched(self._batch_size) | "Read" >> decoded


class ReadCsvRecords(beam.PTransform):
    """Reads the records of CSV files, a file at a time.

    Args:
        patterns: Patterns of the files.
        options: Options of `arrowfeed.read_csv`, for records as bytes.
        validate: Whether the constructor checks that files exist.

    Raises:
        FileNotFoundError: No file matches a pattern.
    """

    def __init__(self, patterns: list[str], options: dict[str, Any], *, validate: bool) -> None:
        beam.PTransform.__init__(self)
        self._patterns, self._options = patterns, options
        for pattern in patterns if validate else ():
            matching(pattern, CSV)

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of bytes."""
        names = pcoll | "Patterns" >> beam.Create(self._patterns) | "Files" >> beam.FlatMap(_csv_files)
        read = beam.FlatMap(functools.partial(_csv_records, self._options))
        read = read.with_input_types(str).with_output_types(bytes)
        return names | "Shuffle" >> beam.Reshuffle() | "Read" >> read


def _csv_files(pattern: str) -> list[str]:
    return [metadata.path for metadata in matching(pattern, CSV)]


def _csv_records(options: dict[str, Any], name: str) -> Iterator[bytes]:
    for batch in read_csv(name, threads=1, **options):
        yield from batch.to_pyarrow()["record"].to_pylist()


def _widest(found: Iterable[list[int]]) -> list[int]:
    """The last of the types of each column. Empty if there are no records."""
    return [max(kinds) for kinds in zip(*found, strict=True)]


class InferredCsvBatches(beam.PTransform):
    """Converts CSV records to batches with types that fit all records.

    Args:
        cells: The dialect of the records.
        raw_column: Name of an additional last column with the records. None: no such column.
        batch_size: Number of rows of a batch. None: Beam decides.
    """

    def __init__(self, cells: Cells, raw_column: str | None, batch_size: int | None) -> None:
        beam.PTransform.__init__(self)
        self._cells, self._raw_column, self._batch_size = cells, raw_column, batch_size

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        cells, raw_column, names = self._cells, self._raw_column, self._cells.names
        batches = pcoll | "Batch" >> batched(self._batch_size)
        kinds = (
            batches
            | "Types" >> beam.Map(functools.partial(kinds_of_records, cells))
            | "AllTypes" >> beam.CombineGlobally(_widest)
        )

        def decode(records: list[bytes], found: list[int]) -> Iterator[Any]:
            schema = inferred_schema(names, found or [0] * len(names))
            return csv_batches(cells, raw_column, records, schema)

        decoded = beam.FlatMap(decode, beam.pvalue.AsSingleton(kinds))
        return batches | "Decode" >> decoded.with_output_types(pa.RecordBatch)


class ReadTfRecords(beam.PTransform):
    """Reads the records of TFRecord files, each as bytes.

    As in Beam, a file whose name ends with `.gz` is compressed.

    Args:
        patterns: Patterns of the files.
    """

    def __init__(self, patterns: list[str]) -> None:
        beam.PTransform.__init__(self)
        self._patterns = patterns

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of bytes."""
        pipeline = getattr(pcoll, "pipeline", pcoll)
        read = [
            pipeline | f"Read{number}" >> beam.io.ReadFromTFRecord(pattern)
            for number, pattern in enumerate(self._patterns)
        ]
        return tuple(read) | "Flatten" >> beam.Flatten(pipeline=pipeline)


def _itself(record: bytes) -> bytes:
    return record
