"""The parts of pipelines that sources of records need. Importing this module imports apache_beam."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import encode_records, read_csv
from arrowfeed.beam import ReadAvro, ReadParquet
from arrowfeed.beam._imported import beam, pa
from arrowfeed.beam._read import ReadParquetRanges, ReadRanges
from arrowfeed.beam._transforms import SPLIT_BYTES, matching
from arrowfeed.tfxio._csv_cells import csv_batches, inferred_schema, kinds_of_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arrowfeed._arrowfeed import AvroSchema, Limits, RecordBatch
    from arrowfeed.tfxio._csv_cells import Cells

CSV = "csv"
"""The extension of the files of a directory."""

MOST = 1000
"""Rows of a batch, where nobody says how many."""


class Chained(beam.PTransform):
    """Transforms one after the other.

    Args:
        **steps: By their labels.
    """

    def __init__(self, **steps: Any) -> None:
        beam.PTransform.__init__(self)
        self._steps = steps

    def expand(self, pcoll: Any) -> Any:
        """What the last one gives."""
        for label, step in self._steps.items():
            pcoll = pcoll | label >> step
        return pcoll


class RawRecords(ReadAvro):
    """Reads the records of files, each as bytes in Avro's binary encoding.

    Args:
        file_pattern: Of the files.
        schema: To write the records in, whatever that of a file is.
        limits: Of a file.
    """

    def __init__(self, file_pattern: list[str], schema: AvroSchema, limits: Limits) -> None:
        super().__init__(file_pattern, reader_schema=schema, batch_size=MOST, limits=limits)
        self._read = _RawRanges(self._read, schema)


class _RawRanges(ReadRanges):
    """Gives the rows of batches as bytes.

    Args:
        read: Reads the batches.
        schema: To write the rows in.
    """

    GIVES = bytes

    def __init__(self, read: ReadRanges, schema: AvroSchema) -> None:
        super().__init__(read.options, read.split_bytes)
        self._schema = schema

    def given(self, batch: RecordBatch) -> list[bytes]:
        """One for each row."""
        return encode_records(batch, self._schema)


class ReadParquetBatches(ReadParquet):
    """Reads Parquet files in the types that are promised.

    Args:
        patterns: Of the files.
        least_bytes: Bytes of a range, at least.
        validate: Whether files are looked for here.
        expected: The schema that every file must have. None: any.
        **options: Of `ReadParquet`.

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
    """A transform that gives the records that it takes."""
    return beam.Map(_itself).with_input_types(bytes).with_output_types(bytes)


def batched(batch_size: int | None) -> Any:
    """A transform that gives lists of so many elements. None: Beam decides."""
    least, most = (1, MOST) if batch_size is None else (batch_size, batch_size)
    return beam.BatchElements(min_batch_size=least, max_batch_size=most)


class RecordBatches(beam.PTransform):
    """Records made batches.

    Args:
        decoder: Makes batches of a list of records.
        batch_size: Rows of a batch. None: Beam decides.
    """

    def __init__(self, decoder: Callable[[list[bytes]], Iterator[Any]], batch_size: int | None) -> None:
        beam.PTransform.__init__(self)
        self._decoder, self._batch_size = decoder, batch_size

    def expand(self, pcoll: Any) -> Any:
        """A PCollection of `pyarrow.RecordBatch`."""
        decoded = beam.FlatMap(self._decoder).with_input_types(list[bytes]).with_output_types(pa.RecordBatch)
        return pcoll | "Batch" >> batched(self._batch_size) | "Read" >> decoded


class ReadCsvRecords(beam.PTransform):
    """Reads the records of CSV files, a file at a time.

    Args:
        patterns: Of the files.
        options: Of `arrowfeed.read_csv`, for records as bytes.
        validate: Whether files are looked for here.

    Raises:
        FileNotFoundError: No file matches a pattern.
    """

    def __init__(self, patterns: list[str], options: dict[str, Any], *, validate: bool) -> None:
        beam.PTransform.__init__(self)
        self._patterns, self._options = patterns, options
        for pattern in patterns if validate else ():
            matching(pattern, CSV)

    def expand(self, pcoll: Any) -> Any:
        """A PCollection of bytes."""
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
    """Of each column, the last of its types. Nothing where there are no records."""
    return [max(kinds) for kinds in zip(*found, strict=True)]


class InferredCsvBatches(beam.PTransform):
    """Records of CSV made batches of the types that all of them have.

    Args:
        cells: How the records are written.
        raw_column: Name of a last column for the records. None: there is none.
        batch_size: Rows of a batch. None: Beam decides.
    """

    def __init__(self, cells: Cells, raw_column: str | None, batch_size: int | None) -> None:
        beam.PTransform.__init__(self)
        self._cells, self._raw_column, self._batch_size = cells, raw_column, batch_size

    def expand(self, pcoll: Any) -> Any:
        """A PCollection of `pyarrow.RecordBatch`."""
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

    A file whose name ends with `.gz` is a compressed one, as Beam has it.

    Args:
        patterns: Of the files.
    """

    def __init__(self, patterns: list[str]) -> None:
        beam.PTransform.__init__(self)
        self._patterns = patterns

    def expand(self, pcoll: Any) -> Any:
        """A PCollection of bytes."""
        pipeline = getattr(pcoll, "pipeline", pcoll)
        read = [
            pipeline | f"Read{number}" >> beam.io.ReadFromTFRecord(pattern)
            for number, pattern in enumerate(self._patterns)
        ]
        return tuple(read) | "Flatten" >> beam.Flatten(pipeline=pipeline)


def _itself(record: bytes) -> bytes:
    return record
