"""Sources of numbered rows, for the laws of datasets: files of each format, and one written in Python."""

import gzip
import itertools
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, VarLenRagged

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("list", pa.list_(pa.field("item", pa.int64(), nullable=False)), nullable=False),
    ]
)

REPRESENTATIONS = {"id": Dense("id"), "list": VarLenRagged("list")}

CHUNK = 37
"""Rows of a chunk."""


def rows(start, end):
    """Numbered rows. The other columns are computed from the number."""
    numbers = range(start, end)
    return pa.record_batch(
        {
            "id": pa.array(numbers, pa.int64()),
            "text": pa.array([f"row {n}" if n % 3 else None for n in numbers]),
            "list": pa.array([list(range(n, n + n % 4)) for n in numbers], SCHEMA.field("list").type),
        },
        SCHEMA,
    )


class Chunks(af.ChunkSource):
    """Numbered rows. A chunk in `damaged` raises an error."""

    def __init__(self, start, end, damaged=(), error=None):
        self.start, self.end, self.damaged, self.error = start, end, damaged, error
        self.asked = []

    arrow_schema = SCHEMA

    @property
    def name(self):
        return f"rows {self.start} to {self.end}"

    @property
    def version(self):
        return str(self.start)

    @property
    def chunk_rows(self):
        return [min(CHUNK, self.end - at) for at in range(self.start, self.end, CHUNK)]

    def read_chunk(self, number, columns):
        self.asked.append((number, list(columns)))
        if number in self.damaged:
            raise self.error or af.CorruptBlockError(f"chunk {number} is damaged")
        start = self.start + number * CHUNK
        batch = rows(start, min(start + CHUNK, self.end))
        # Another order and an extra column: the dataset selects the columns that it needs.
        return batch.select(list(reversed(SCHEMA.names)))


def avro(directory, sizes):
    """Avro files of several blocks each."""
    paths, first = [], 0
    for number, size in enumerate(sizes):
        paths.append(directory / f"part-{number}.avro")
        with af.AvroWriter(paths[-1], SCHEMA, codec="deflate", block_bytes=400) as writer:
            for start in range(first, first + size, CHUNK):
                writer.write(rows(start, min(start + CHUNK, first + size)))
        first += size
    return af.AvroDataset(paths, representations=REPRESENTATIONS)


def arrow(directory, sizes, new=pa.ipc.new_file, extension="arrow"):
    """Arrow IPC files with a record batch for each chunk."""
    paths, first = [], 0
    for number, size in enumerate(sizes):
        paths.append(directory / f"part-{number}.{extension}")
        with new(str(paths[-1]), SCHEMA) as writer:
            for start in range(first, first + size, CHUNK):
                writer.write_batch(rows(start, min(start + CHUNK, first + size)))
        first += size
    return af.ArrowDataset(paths, representations=REPRESENTATIONS)


def arrow_stream(directory, sizes):
    """Arrow IPC streams with a record batch for each chunk."""
    return arrow(directory, sizes, pa.ipc.new_stream, "arrows")


def parquet(directory, sizes):
    """Parquet files with a row group for each chunk."""
    paths, first = [], 0
    for number, size in enumerate(sizes):
        paths.append(directory / f"part-{number}.parquet")
        with pq.ParquetWriter(paths[-1], SCHEMA) as writer:
            for start in range(first, first + size, CHUNK):
                writer.write_batch(rows(start, min(start + CHUNK, first + size)))
        first += size
    return af.ParquetDataset(paths, representations=REPRESENTATIONS)


def examples(directory, sizes, suffix=".tfrecord"):
    """Messages of `tf.Example`. A record has 7 KB of padding, so that a file has several chunks."""
    paths, first = [], 0
    for number, size in enumerate(sizes):
        paths.append(directory / f"part-{number}{suffix}")
        batch = rows(first, first + size).append_column("pad", pa.array([bytes(7000)] * size, pa.binary()))
        af.write_tfrecord(batch, paths[-1])
        first += size
    schema = {"id": "int64", "text": "bytes", "list": "int64"}
    return af.ExampleDataset(paths, schema=schema, representations=REPRESENTATIONS)


def write_text(path, numbers, line, header=""):
    """A file of text with 7 KB of padding in each line, so that a file has several chunks."""
    text = header + "".join(line(row) for row in rows(numbers.start, numbers.stop).to_pylist())
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def text_files(directory, sizes, suffix, line, header=""):
    """Files with this many rows each."""
    borders = np.cumsum([0, *sizes]).tolist()
    parts = enumerate(itertools.pairwise(borders))
    return [write_text(directory / f"part-{n}.{suffix}", range(*part), line, header) for n, part in parts]


def csv_line(row):
    """A record of CSV. The text has a line end, and the list is a text such as `5;6`."""
    text = "" if row["text"] is None else '"' + row["text"].replace(" ", "\n") + '"'
    return f"{row['id']},{text},{';'.join(map(str, row['list']))},{'x' * 7000}\n"


def csv(directory, sizes, suffix="csv"):
    """CSV files."""
    paths = text_files(directory, sizes, suffix, csv_line, "id,text,list,pad\n")
    schema = pa.schema({"id": pa.int64(), "text": pa.string(), "list": pa.string()})
    representations = {"id": Dense("id"), "list": VarLenRagged("list")}
    return af.CsvDataset(paths, schema=schema, representations=representations)


def json_line(row):
    """An object without the key of a null text, and an empty line after it."""
    pad = {"pad": "x" * 7000}
    return json.dumps({name: value for name, value in row.items() if value is not None} | pad) + "\n\n"


def json_lines(directory, sizes, suffix="jsonl"):
    """Files of JSON lines."""
    paths = text_files(directory, sizes, suffix, json_line)
    return af.JsonLinesDataset(paths, schema=SCHEMA, representations=REPRESENTATIONS)


def compressed_csv(directory, sizes):
    """The same, compressed: a file is one chunk."""
    return csv(directory, sizes, "csv.gz")


def compressed_json_lines(directory, sizes):
    """The same, compressed: a file is one chunk."""
    return json_lines(directory, sizes, "jsonl.gz")


def compressed_examples(directory, sizes):
    """The same, compressed: a file is one chunk."""
    return examples(directory, sizes, ".gz")


def sequence_examples(directory, sizes):
    """Messages of `tf.SequenceExample`: the items of `list` are the steps. Padded as in `examples`."""
    paths, first = [], 0
    for number, size in enumerate(sizes):
        paths.append(directory / f"part-{number}.sequences")
        batch = rows(first, first + size)
        steps = pa.StructArray.from_arrays([batch["list"]], names=["list"])
        pad = pa.array([bytes(7000)] * size, pa.binary())
        columns = {"id": batch["id"], "text": batch["text"], "##SEQUENCE##": steps, "pad": pad}
        af.write_tfrecord(pa.record_batch(columns), paths[-1], format="sequence_example")
        first += size
    schema = {"id": "int64", "text": "bytes", "##SEQUENCE##": {"list": "int64"}}
    representations = {**REPRESENTATIONS, "list": Ragged(["##SEQUENCE##", "list"])}
    return af.SequenceExampleDataset(paths, schema=schema, representations=representations)


def chunks(_directory, sizes):
    """Sources written in Python."""
    borders = np.cumsum([0, *sizes]).tolist()
    sources = [Chunks(start, end) for start, end in itertools.pairwise(borders)]
    return af.ChunkDataset(sources, representations=REPRESENTATIONS)


def plain(row):
    """A row as the values from which it was written.

    A feature is a list, of one if it was a number; of CSV, a list is a text.
    """
    if "##SEQUENCE##" in row:
        steps = row.pop("##SEQUENCE##")["list"]
        row["list"] = [value for step in steps for value in step]
    if not isinstance(row.get("list", []), list):
        row["list"] = [int(item) for item in (row["list"] or "").split(";") if item]
    return row | {"id": row["id"][0]} if isinstance(row["id"], list) else row


def flat_ids(batch):
    """The numbers of the rows of a batch. A feature of `tf.Example` is a list of one."""
    numbers = batch.column("id").to_pyarrow().to_pylist()
    return [number[0] if isinstance(number, list) else number for number in numbers]


SOURCES = {
    "avro": avro,
    "arrow": arrow,
    "arrows": arrow_stream,
    "parquet": parquet,
    "tfrecord": examples,
    "gz": compressed_examples,
    "sequences": sequence_examples,
    "csv": csv,
    "csv.gz": compressed_csv,
    "jsonl": json_lines,
    "jsonl.gz": compressed_json_lines,
    "chunks": chunks,
}
