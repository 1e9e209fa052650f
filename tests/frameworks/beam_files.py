"""Files of numbered rows that the tests of pipelines read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

import arrowfeed as af

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 3000
SCHEMA = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "text", "type": "string"},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
    ],
}


def rows(start: int, count: int) -> pa.RecordBatch:
    """Rows with consecutive ids."""
    numbers = range(start, start + count)
    columns = {
        "id": pa.array(numbers, pa.int64()),
        "text": pa.array([f"row {n}" for n in numbers], pa.string()),
        "tags": pa.array([[str(n)] * (n % 3) for n in numbers], pa.list_(pa.string())),
    }
    return pa.record_batch(columns)


def write(
    path: Path, *, start: int = 0, count: int = ROWS, codec: str = "null", block_bytes: int = 400
) -> Path:
    """Writes rows in small blocks."""
    af.write_avro(rows(start, count), path, codec=codec, block_bytes=block_bytes, schema=SCHEMA)
    return path


def ids(batches: object) -> list[int]:
    """The ids of batches, in their order."""
    return [number for batch in batches for number in pa.record_batch(batch).column("id").to_pylist()]
