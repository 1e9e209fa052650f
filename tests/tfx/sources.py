"""Sources of arrowfeed and of tfx_bsl over the same rows."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NamedTuple

import apache_beam as beam
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
from random_rows import AVRO, KINDS, SEQUENCE_SCHEMA, SEQUENCES, features, values
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.public import tfxio as theirs
from tfx_bsl.tfxio import parquet_tfxio, raw_tf_record

from arrowfeed import tfxio as ours

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[[Path, list[dict], schema_pb2.Schema | None], "Pair"]

LISTS = {schema_pb2.INT: "int64_list", schema_pb2.FLOAT: "float_list", schema_pb2.BYTES: "bytes_list"}
TYPES = {
    schema_pb2.INT: pa.large_list(pa.int64()),
    schema_pb2.FLOAT: pa.large_list(pa.float32()),
    schema_pb2.BYTES: pa.large_list(pa.large_binary()),
}


class Source(NamedTuple):
    """A source, and its records if it reads a PCollection."""

    tfxio: object
    records: list[bytes] | None = None

    def batches(self, pipeline: beam.Pipeline, batch_size: int | None = None) -> beam.PCollection:
        """The record batches in a pipeline."""
        begin = pipeline if self.records is None else pipeline | "records" >> beam.Create(self.records)
        return begin | "source" >> self.tfxio.BeamSource(batch_size)


class Pair(NamedTuple):
    """Two sources of the same rows."""

    ours: Source
    theirs: Source


def example(row: dict) -> bytes:
    """A row as a `tf.Example`."""
    made = tf.train.Example()
    for name, value in row.items():
        items = values(value)
        if items is not None:
            fill(made.features.feature[name], KINDS[name], items)
    return made.SerializeToString()


def sequence_example(row: dict) -> bytes:
    """A row as a `tf.SequenceExample`: two values in each step, but one in the last of an odd number."""
    made = tf.train.SequenceExample()
    for name, value in row.items():
        items = values(value)
        if items is None:
            continue
        if name in SEQUENCES:
            steps = made.feature_lists.feature_list[name]
            steps.SetInParent()
            for start in range(0, len(items), 2):
                fill(steps.feature.add(), KINDS[name], items[start : start + 2])
        else:
            fill(made.context.feature[name], KINDS[name], items)
    return made.SerializeToString()


def fill(feature: tf.train.Feature, kind: int, items: list) -> None:
    """Sets the values of a feature."""
    chosen = getattr(feature, LISTS[kind])
    chosen.SetInParent()
    chosen.value.extend(items)


def halves(rows: list) -> list[tuple[str, list]]:
    """Two parts of the rows, each for a file."""
    half = len(rows) // 3
    return [("0", rows[:half]), ("1", rows[half:])]


def write_records(folder: Path, records: list[bytes]) -> str:
    """Writes TFRecord files. Returns their pattern."""
    for name, part in halves(records):
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecord")) as writer:
            for record in part:
                writer.write(record)
    return str(folder / "*.tfrecord")


def write_avro(folder: Path, rows: list[dict], schema: dict = AVRO) -> str:
    """Writes Avro files of several blocks. Returns their pattern."""
    for name, part in halves(rows):
        with (folder / f"{name}.avro").open("wb") as file:
            fastavro.writer(file, schema, part, codec="deflate", sync_interval=2000)
    return str(folder / "*.avro")


def avro_record(row: dict) -> bytes:
    """A row in the binary encoding."""
    file = io.BytesIO()
    fastavro.schemaless_writer(file, AVRO, row)
    return file.getvalue()


def example_files(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """TFRecord files of `tf.Example`."""
    files = write_records(folder, [example(row) for row in rows])
    return Pair(
        Source(ours.TFExampleRecord(files, schema=schema)),
        Source(theirs.TFExampleRecord(files, schema=schema)),
    )


def example_records(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Messages of `tf.Example`."""
    records = [example(row) for row in rows]
    return Pair(
        Source(ours.TFExampleBeamRecord("list", schema=schema), records),
        Source(theirs.TFExampleBeamRecord("list", schema=schema), records),
    )


def sequence_files(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """TFRecord files of `tf.SequenceExample`."""
    files = write_records(folder, [sequence_example(row) for row in rows])
    return Pair(
        Source(ours.TFSequenceExampleRecord(files, None, schema=schema)),
        Source(theirs.TFSequenceExampleRecord(files, None, schema=schema)),
    )


def sequence_records(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Messages of `tf.SequenceExample`."""
    records = [sequence_example(row) for row in rows]
    return Pair(
        Source(ours.TFSequenceExampleBeamRecord("list", None, schema=schema), records),
        Source(theirs.TFSequenceExampleBeamRecord("list", None, schema=schema), records),
    )


CSV = ["id", "weight", "label", "town", "color", "flag", "text", "counts", "absent"]
"""The columns of CSV files. A cell is text, so `photo` is none of them."""

CELLS = {"multivalent_columns": ["counts"], "secondary_delimiter": "|"}


def csv_record(row: dict) -> bytes:
    """A row as a record of CSV, without a line end."""
    cells = []
    for name in CSV:
        items = values(row[name]) or []
        cells.append("|".join(item.decode() if isinstance(item, bytes) else str(item) for item in items))
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().removesuffix("\r\n").encode()


def csv_files(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """CSV files with a line of names."""
    for name, part in halves(rows):
        lines = [",".join(CSV).encode(), *map(csv_record, part)]
        (folder / f"{name}.csv").write_bytes(b"\n".join(lines))
    options = {**CELLS, "schema": schema, "skip_header_lines": 1}
    files = str(folder / "*.csv")
    return Pair(
        Source(ours.CsvTFXIO(files, CSV, **options)),
        Source(theirs.CsvTFXIO(files, CSV, **options)),
    )


def csv_records(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Records of CSV."""
    options = {**CELLS, "schema": schema}
    records = [csv_record(row) for row in rows]
    return Pair(
        Source(ours.BeamRecordCsvTFXIO("list", CSV, **options), records),
        Source(theirs.BeamRecordCsvTFXIO("list", CSV, **options), records),
    )


def write_parquet(folder: Path, rows: list[dict]) -> str:
    """Writes Parquet files with the only types that tfx_bsl reads. Returns their pattern."""
    for file, part in halves(rows):
        columns = {
            name: pa.array([values(row[name]) for row in part], TYPES[kind]) for name, kind in KINDS.items()
        }
        pq.write_table(pa.table(columns), folder / f"{file}.parquet", row_group_size=40)
    return str(folder / "*.parquet")


def parquet_files(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Parquet files."""
    files = write_parquet(folder, rows)
    # Otherwise tfx_bsl reads columns that are not in its schema.
    options = {
        "schema": schema,
        "column_names": None if schema is None else [it.name for it in schema.feature],
    }
    return Pair(
        Source(ours.ParquetTFXIO(files, **options)),
        Source(parquet_tfxio.ParquetTFXIO(files, **options)),
    )


class RecordsAsBatches(NamedTuple):
    """A source whose `BeamSource` makes batches of its raw records."""

    tfxio: object

    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:  # noqa: N802
        """The raw records, and then their batches."""

        def expand(pipeline: beam.Pipeline) -> beam.PCollection:
            records = pipeline | "records" >> self.tfxio.RawRecordBeamSource()
            return records | "batches" >> self.tfxio.RawRecordToRecordBatch(batch_size)

        return beam.ptransform_fn(expand)()

    def __getattr__(self, name: str) -> object:
        """All else is that of the source."""
        return getattr(self.tfxio, name)


def parquet_records(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """The rows of Parquet files as raw records."""
    pair = parquet_files(folder, rows, schema)
    return Pair(*(Source(RecordsAsBatches(source.tfxio)) for source in pair))


def raw_files(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """TFRecord files whose records are the only column."""
    files = write_records(folder, [row["photo"] for row in rows])
    return Pair(
        Source(ours.RawTfRecordTFXIO(files, "photo", None)),
        Source(raw_tf_record.RawTfRecordTFXIO(files, "photo", None)),
    )


def raw_records(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Records that are the only column."""
    records = [row["photo"] for row in rows]
    return Pair(
        Source(ours.RawBeamRecordTFXIO("list", "photo", None), records),
        Source(raw_tf_record.RawBeamRecordTFXIO("list", "photo", None), records),
    )


def avro_files(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Avro files, and the same rows as `tf.Example`.

    Without a schema, arrowfeed has a column for each field, and tfx_bsl for the features that occur. So it
    gets a schema of all features.
    """
    return Pair(
        Source(ours.AvroRecord(write_avro(folder, rows), schema=schema)),
        example_files(folder, rows, schema or features(*KINDS)).theirs,
    )


def avro_records(folder: Path, rows: list[dict], schema: schema_pb2.Schema | None) -> Pair:
    """Avro records, and the same rows as `tf.Example`."""
    return Pair(
        Source(ours.AvroBeamRecord("list", schema=schema, avro_schema=AVRO), [*map(avro_record, rows)]),
        example_records(folder, rows, schema or features(*KINDS)).theirs,
    )


SCHEMAS = {
    "TFSequenceExampleRecord": SEQUENCE_SCHEMA,
    "TFSequenceExampleBeamRecord": SEQUENCE_SCHEMA,
    "CsvTFXIO": features(*CSV),
    "BeamRecordCsvTFXIO": features(*CSV),
}
"""The schemas of pairs whose schema is not `SCHEMA`."""

PAIRS: dict[str, Make] = {
    "TFExampleRecord": example_files,
    "TFExampleBeamRecord": example_records,
    "TFSequenceExampleRecord": sequence_files,
    "TFSequenceExampleBeamRecord": sequence_records,
    "CsvTFXIO": csv_files,
    "BeamRecordCsvTFXIO": csv_records,
    "ParquetTFXIO": parquet_files,
    "ParquetTFXIO, raw records": parquet_records,
    "RawTfRecordTFXIO": raw_files,
    "RawBeamRecordTFXIO": raw_records,
    "AvroRecord": avro_files,
    "AvroBeamRecord": avro_records,
}
