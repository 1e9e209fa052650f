"""The content of a benchmark file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]
Schema = dict[str, Any]


@dataclass(frozen=True)
class Dataset:
    """A schema and its records. Equal row counts and seeds give equal records."""

    name: str
    rows: int
    """Number of rows at scale 1."""
    schema: Schema
    records: Callable[[int, int], Iterator[Record]]
    """Makes records from a row count and a seed."""
    seed: int

    def scaled_rows(self, scale: float) -> int:
        """The number of rows at `scale`, at least one."""
        return max(1, round(self.rows * scale))


def record_schema(name: str, fields: list[tuple[str, Any]]) -> Schema:
    """The schema of an Avro record with these (name, type) pairs."""
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in fields]}


def chunk_sizes(rows: int, chunk: int) -> Iterator[int]:
    """Splits `rows` into the sizes of chunks that numpy fills at once."""
    for start in range(0, rows, chunk):
        yield min(chunk, rows - start)
