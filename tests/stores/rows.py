"""Files of numbered rows in each format, with several blocks, row groups or chunks each; and readers."""

from __future__ import annotations

import functools
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import arrowfeed as af
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

FORMATS = ("avro", "parquet", "tfrecord", "csv", "jsonl")
"""The formats, by the endings of their files."""

READERS: dict[str, Callable[..., Any]] = {
    "avro": af.read_avro,
    "parquet": af.read_parquet,
    "tfrecord": af.read_tfrecord,
    "csv": af.read_csv,
    "jsonl": af.read_json_lines,
}
DATASETS: dict[str, Callable[..., Any]] = {
    "avro": af.AvroDataset,
    "parquet": af.ParquetDataset,
    "tfrecord": af.ExampleDataset,
    "csv": af.CsvDataset,
    "jsonl": af.JsonLinesDataset,
}

SCHEMA = pa.schema([("id", pa.int64()), ("text", pa.string()), ("score", pa.float64())])
SCHEMAS: dict[str, dict[str, Any]] = {
    "avro": {},
    "parquet": {},
    "tfrecord": {"schema": {"id": "int64", "text": "bytes", "score": "float"}},
    "csv": {"schema": SCHEMA},
    "jsonl": {"schema": SCHEMA},
}
"""Options with the columns, for formats that would infer them from the rows."""

PLAIN_AVRO_SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "text", "type": ["null", "string"]},
        {"name": "score", "type": "double"},
    ],
}
AVRO_SCHEMA = fastavro.parse_schema(PLAIN_AVRO_SCHEMA)
SYNC = bytes(range(16))
"""The sync marker of all Avro files here, so that equal rows have equal bytes."""

PAD = 7000
"""Padding of a row in bytes, because text and TFRecord files have chunks of 256 KiB."""
ROW_GROUP = 20


def row(number: int) -> dict[str, Any]:
    """The row of a number."""
    text = None if number % 5 == 0 else f"row {number} " + "abc" * (number % 7)
    return {"id": number, "text": text, "score": number / 4}


@functools.cache
def file_of(kind: str, numbers: range, pad: int = PAD) -> bytes:
    """The bytes of a file of some rows."""
    rows = [row(number) for number in numbers]
    if kind == "avro":
        file = io.BytesIO()
        fastavro.writer(file, AVRO_SCHEMA, rows, codec="deflate", sync_interval=300, sync_marker=SYNC)
        return file.getvalue()
    if kind == "parquet":
        file = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows, SCHEMA), file, row_group_size=ROW_GROUP)
        return file.getvalue()
    if kind == "tfrecord":
        table = pa.Table.from_pylist(rows, SCHEMA)
        table = table.append_column("pad", pa.array([bytes(pad)] * len(rows), pa.binary()))
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "rows.tfrecord")
            af.write_tfrecord(table, path)
            return path.read_bytes()
    if kind == "csv":
        lines = [f"{each['id']},{quoted(each['text'])},{each['score']},{'x' * pad}\n" for each in rows]
        return "".join(["id,text,score,pad\n", *lines]).encode()
    lines = [json.dumps({**each, "pad": "x" * pad}) + "\n" for each in rows]
    return "".join(lines).encode()


@functools.cache
def large_of(kind: str, numbers: range) -> bytes:
    """The bytes of a file whose rows have a `pad` of 1 KB each, so that it is several units of work.

    In Avro and Parquet the pad is a column.
    """
    if kind not in ("avro", "parquet"):
        return file_of(kind, numbers, 1000)
    rows = [{**row(number), "pad": bytes([number % 256]) * 1000} for number in numbers]
    file = io.BytesIO()
    if kind == "avro":
        schema = {
            **PLAIN_AVRO_SCHEMA,
            "fields": [*PLAIN_AVRO_SCHEMA["fields"], {"name": "pad", "type": "bytes"}],
        }
        fastavro.writer(file, schema, rows, codec="null", sync_interval=20_000, sync_marker=SYNC)
    else:
        table = pa.Table.from_pylist(rows, SCHEMA.append(pa.field("pad", pa.binary())))
        pq.write_table(table, file, row_group_size=100, compression="none", use_dictionary=False)
    return file.getvalue()


def quoted(text: str | None) -> str:
    """A cell of CSV. A line end in it does not end the record."""
    return "" if text is None else '"' + text.replace(" ", "\n") + '"'


def files_of(kind: str, sizes: Sequence[int], pad: int = PAD) -> dict[str, bytes]:
    """Files of this many rows each, numbered consecutively, by their names."""
    files, first = {}, 0
    for part, size in enumerate(sizes):
        files[f"part-{part}.{kind}"] = file_of(kind, range(first, first + size), pad)
        first += size
    return files


def frames(batches: Iterable[Any]) -> list[pa.RecordBatch]:
    """Batches of arrowfeed as those of pyarrow."""
    return [pa.record_batch(batch) for batch in batches]


def ids(batches: Iterable[Any]) -> list[int]:
    """The numbers of the rows of all batches. A feature of `tf.Example` is a list of one."""
    numbers = [number for batch in frames(batches) for number in batch.column("id").to_pylist()]
    return [number[0] if isinstance(number, list) else number for number in numbers]


def until_error(batches: Iterable[Any]) -> tuple[list[int], Exception | None]:
    """The numbers of the rows before an error, and the error."""
    found: list[int] = []
    try:
        for batch in batches:
            found += ids([batch])
    except Exception as error:
        return found, error
    return found, None


def rows_of(batches: Iterable[Any]) -> list[dict[str, Any]]:
    """The rows of all batches, as `row` makes them, with the columns that they have."""
    found = []
    for batch in frames(batches):
        for each in batch.to_pylist():
            each.pop("pad", None)
            found.append({name: plain(name, value) for name, value in each.items()})
    return found


def plain(name: str, value: Any) -> Any:
    """A value as it was written. A feature is a list of one, with bytes as text. CSV text has line ends."""
    if isinstance(value, list):
        value = value[0]
    if isinstance(value, bytes):
        value = value.decode()
    return value.replace("\n", " ") if name == "text" and value is not None else value


def expected(numbers: Iterable[int]) -> list[dict[str, Any]]:
    """The rows of some numbers."""
    return [row(number) for number in numbers]


READING = ("claim", "file", "batch_size", "on_error", "progress")
"""Options of `Dataset.read_split`. The others are those of the dataset class."""


def plan_splits(source: object, *, target_bytes: int = 64 << 20, **options: Any) -> list[af.Split]:
    """Plans the splits of Avro files."""
    return af.AvroDataset(source, representations={}, **options).plan_splits(target_bytes=target_bytes)


def read_split(split: af.Split, kind: Any = af.AvroDataset, **options: Any) -> af.RecordBatchReader:
    """Reads a split of a file with a dataset of the file."""
    reading = {name: options.pop(name) for name in READING if name in options}
    return kind(split.path, **{"representations": {}, **options}).read_split(split, **reading)
