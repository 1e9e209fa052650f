"""Files that show which columns and rows an engine decodes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

import arrowfeed
from arrowfeed._engines.splits import SplitReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

PEOPLE = pa.table(
    {
        "id": pa.array(range(100), pa.int64()),
        "value": pa.array([None if n % 7 == 0 else n / 4 for n in range(100)], pa.float64()),
        "name": pa.array([f"name {n % 10}" for n in range(100)], pa.string()),
        "tags": pa.array([list(range(n % 4)) for n in range(100)], pa.list_(pa.int64())),
        "user": pa.array([{"age": n, "nick": f"n{n}"} for n in range(100)]),
    }
)


def damaged(path: Path) -> Path:
    """Writes an Avro file whose column `bad` is not UTF-8. Only readers that decode it fail."""
    arrowfeed.write_avro(pa.table({"id": [1, 2], "good": ["ab", "cd"], "bad": ["\x01\x01", "ef"]}), path)
    path.write_bytes(path.read_bytes().replace(b"\x01\x01", b"\xff\xff"))
    return path


def people(directory: Path) -> dict[str, Path]:
    """Writes `PEOPLE`, or their columns that a format has, in several formats."""
    flat = PEOPLE.select(["id", "value", "name"])
    paths = {ending: directory / f"people.{ending}" for ending in ("avro", "parquet", "csv", "jsonl")}
    paths["tfrecord"] = directory / "people.tfrecord.gz"
    arrowfeed.write_avro(PEOPLE, paths["avro"])
    pq.write_table(PEOPLE, paths["parquet"], row_group_size=30)
    lines = [
        f"{row['id']},{'' if row['value'] is None else row['value']},{row['name']}"
        for row in flat.to_pylist()
    ]
    paths["csv"].write_text("id,value,name\n" + "\n".join(lines) + "\n")
    paths["jsonl"].write_text("".join(json.dumps(row) + "\n" for row in PEOPLE.to_pylist()))
    arrowfeed.write_tfrecord(flat, paths["tfrecord"])
    return paths


def whole(path: Path) -> pa.Table:
    """The rows of a file, without an engine."""
    dataset = arrowfeed.open_dataset(path, representations={})
    batches = [batch.to_pyarrow() for batch in dataset.record_batches(batch_size=1000)]
    return pa.Table.from_batches(batches, pa.schema(dataset.arrow_schema))


def columns_of_predicate(reader: SplitReader) -> list[str]:
    """The columns of `PEOPLE` that the predicate of a reader has, which are decoded too."""
    text = re.sub(r'"[^"]*"', "", "" if reader._predicate is None else str(reader._predicate))
    return [name for name in PEOPLE.schema.names if re.search(rf"\b{name}\b", text)]


class Decoded:
    """Records the columns and the number of rows that readers of splits decode in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.columns: list[list[str]] = []
        self.rows = 0
        for name in ("read", "read_all_decoded"):
            monkeypatch.setattr(SplitReader, name, self._recorded(getattr(SplitReader, name)))

    def _recorded(self, method: Any) -> Any:
        def recorded(reader: SplitReader, *arguments: Any, **options: Any) -> Iterator[Any]:
            self.columns.append(reader.schema.names + columns_of_predicate(reader))
            for batch in method(reader, *arguments, **options):
                self.rows += batch.num_rows
                yield batch

        return recorded

    def take(self) -> list[str]:
        """The columns of the reads since the last call, which all read the same ones."""
        found = self.columns
        self.columns = []
        assert found
        assert all(columns == found[0] for columns in found)
        return found[0]
