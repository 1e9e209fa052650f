"""Small files of all formats, and the parts of a pipeline that workers run."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import arrowfeed

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 3000


def table(start: int = 0, count: int = ROWS) -> pa.Table:
    """Rows with the ids from `start` on."""
    ids = range(start, start + count)
    return pa.table({"id": pa.array(ids, pa.int64()), "text": [f"row {number}" for number in ids]})


def write(path: Path, start: int = 0, count: int = ROWS) -> Path:
    """Writes rows in many small chunks, in the format that the name says."""
    rows = table(start, count)
    if path.name.endswith(".avro"):
        arrowfeed.write_avro(rows, path, codec="deflate", block_bytes=400)
    elif path.name.endswith(".parquet"):
        pq.write_table(rows, path, row_group_size=50)
    elif ".tfrecord" in path.name:
        arrowfeed.write_tfrecord(rows, path)
    elif ".csv" in path.name:
        text = pa.BufferOutputStream()
        pyarrow.csv.write_csv(rows, text)
        data = text.getvalue().to_pybytes()
        path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    return path


def ids(batch: Any) -> list[int]:
    """The ids of a batch. A `tf.Example` has lists of values."""
    column = pa.record_batch(batch)["id"]
    return (column.flatten() if pa.types.is_large_list(column.type) else column).to_pylist()
