"""Files of every format that the command line reads, of the same random rows."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import arrowfeed as af
from arrowfeed._formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[Path, list[dict[str, Any]]], None]

SCALARS = ("n", "x", "t")
SCHEMA = pa.schema(
    [
        pa.field("n", pa.int64()),
        pa.field("x", pa.float32()),
        pa.field("t", pa.string()),
        pa.field("l", pa.list_(pa.field("item", pa.int64(), nullable=False))),
    ]
)
TEXTS = ("a", "Bogotá", "größe", 'say "x"', "a,b", "two\nlines", "null", "0", " ", "\u2028")


def random_rows(seed: int, count: int | None = None) -> list[dict[str, Any]]:
    """Rows of `SCHEMA`. The first one has a value in every column; there are null lists and empty lists."""
    rng = random.Random(seed)
    rows = [{"n": 7, "x": 0.5, "t": "first", "l": [1]}]
    for _ in range(rng.randint(1, 60) if count is None else count - 1):
        row = {
            "n": rng.choice([0, -1, 2**63 - 1, -(2**63), rng.randint(-(10**9), 10**9)]),
            "x": float(np.float32(rng.choice([0.1, -0.0, 1e30, rng.gauss(0, 1)]))),
            "t": rng.choice(TEXTS),
            "l": [rng.randint(-(2**40), 2**40) for _ in range(rng.randint(0, 3))],
        }
        rows.append({name: value if rng.random() < 0.8 else None for name, value in row.items()})
    return rows


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """The rows as a table."""
    return pa.Table.from_pylist(rows, SCHEMA)


def _avro(path: Path, rows: list[dict[str, Any]]) -> None:
    af.write_avro(table(rows), path, block_bytes=300)


def _parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    pq.write_table(table(rows), path, row_group_size=20)


def _arrow(path: Path, rows: list[dict[str, Any]]) -> None:
    with pa.ipc.new_file(str(path), SCHEMA) as writer:
        writer.write_table(table(rows), max_chunksize=20)


def _arrow_stream(path: Path, rows: list[dict[str, Any]]) -> None:
    with pa.ipc.new_stream(str(path), SCHEMA) as writer:
        writer.write_table(table(rows), max_chunksize=20)


def _tfrecord(path: Path, rows: list[dict[str, Any]]) -> None:
    af.write_tfrecord(table(rows), path, compression="none")


def _json_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _csv(path: Path, rows: list[dict[str, Any]], delimiter: str = ",") -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, SCALARS, delimiter=delimiter, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def _tsv(path: Path, rows: list[dict[str, Any]]) -> None:
    _csv(path, rows, "\t")


def _compressed(write: Write, compress: Callable[[bytes], bytes]) -> Write:
    def write_compressed(path: Path, rows: list[dict[str, Any]]) -> None:
        write(path, rows)
        path.write_bytes(compress(path.read_bytes()))

    return write_compressed


WRITERS: dict[str, tuple[str, Write]] = {
    "rows.avro": ("avro", _avro),
    "rows.parquet": ("parquet", _parquet),
    "rows.arrow": ("arrow", _arrow),
    "rows.arrows": ("arrow", _arrow_stream),
    "rows.tfrecord": ("tfrecord", _tfrecord),
    "rows.tfrecord.gz": ("tfrecord", _compressed(_tfrecord, gzip.compress)),
    "rows.tfrecord.zz": ("tfrecord", _compressed(_tfrecord, zlib.compress)),
    "rows.jsonl": ("jsonl", _json_lines),
    "rows.jsonl.gz": ("jsonl", _compressed(_json_lines, gzip.compress)),
    "rows.csv": ("csv", _csv),
    "rows.csv.gz": ("csv", _compressed(_csv, gzip.compress)),
    "rows.tsv": ("csv", _tsv),
}
"""Names of files, their formats, and the functions that write them."""


def as_csv(name: str) -> list[str]:
    """The options for standard input that replace the name of a CSV file."""
    return ["--format", "csv", *(["--delimiter", "\t"] if name.endswith(".tsv") else [])]


def having(option: str) -> str:
    """The formats that have a reading option, as messages list them."""
    return ", ".join(known.name for known in FORMATS if known.has(option))


def held(rows: list[dict[str, Any]], *formats: str) -> list[dict[str, Any]]:
    """The rows without the columns that one of the formats cannot have: lists in CSV."""
    return [{name: row[name] for name in row if name != "l" or "csv" not in formats} for row in rows]


def write_as(name: str, folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Writes rows to a file in the format of its name."""
    path = folder / name
    WRITERS[name][1](path, rows)
    return path


def raw_records(folder: Path, records: list[bytes]) -> Path:
    """A TFRecord file whose records are not messages. The features of a row are cut out of its frame."""
    path = folder / "records.tfrecord"
    out = io.BytesIO()
    for record in records:
        out.write(frame(record))
    path.write_bytes(out.getvalue())
    return path


def frame(record: bytes) -> bytes:
    """A record of TFRecord."""
    length = len(record).to_bytes(8, "little")
    return length + masked_crc(length) + record + masked_crc(record)


def masked_crc(data: bytes) -> bytes:
    """CRC-32C, bit by bit, and the mask of TFRecord."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")
