"""Part of `make demo`: the files of people, `data/part-*.avro`, that the examples of the pages read."""

from pathlib import Path
from typing import Any

import arrowfeed as af
import pyarrow as pa

FILES, ROWS = 12, 25

NAME = pa.struct([pa.field("first", pa.string(), nullable=False), pa.field("last", pa.string())])
FRIEND = pa.struct([pa.field("name", NAME, nullable=False), pa.field("age", pa.int32())])
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("name", NAME, nullable=False),
        pa.field("weight", pa.float64()),
        pa.field("paid", pa.bool_(), nullable=False),
        pa.field("vector", pa.list_(pa.field("item", pa.float32(), nullable=False)), nullable=False),
        pa.field("friends", pa.list_(pa.field("item", FRIEND, nullable=False)), nullable=False),
        pa.field(
            "counts", pa.map_(pa.string(), pa.field("value", pa.int32(), nullable=False)), nullable=False
        ),
    ]
)


def person(number: int) -> dict[str, Any]:
    """Returns the person of a number, who has up to two friends with the next numbers."""
    friends = range(number + 1, number + 1 + number % 3)
    return {
        "id": number,
        "name": {"first": f"first {number}", "last": None if number % 4 == 0 else f"last {number}"},
        "weight": None if number % 5 == 0 else 50 + number / 8,
        "paid": number % 2 == 1,
        "vector": [float(number), number / 2],
        "friends": [{"name": {"first": f"first {friend}"}, "age": friend % 90} for friend in friends],
        "counts": {"clicks": number % 7},
    }


def write(folder: Path) -> None:
    """Writes the files, in blocks of a few rows."""
    for file in range(FILES):
        people = [person(number) for number in range(file * ROWS, (file + 1) * ROWS)]
        path = folder / f"part-{file:02}.avro"
        af.write_avro(pa.Table.from_pylist(people, SCHEMA), path, block_bytes=400)
