"""A source of tensors for another format in one class: files with one JSON object per line.

    python json_lines.py

The class reads lines with the standard library. Its base class `arrowfeed.Tfxio` converts batches to tensors.
"""

import itertools
import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import arrowfeed as af
import pyarrow as pa
from arrowfeed import representations

Representations: TypeAlias = dict[str, representations.Dense | representations.VarLenRagged]


class JsonLines(af.Tfxio):
    """The rows of a file in file order. Supports the options `batch_size`, `drop_remainder` and `epochs`."""

    def __init__(self, path: Path, schema: pa.Schema, tensors: Representations) -> None:
        self._path = path
        self._schema = schema
        self._representations = tensors

    @property
    def arrow_schema(self) -> pa.Schema:
        """The columns that are read from each object."""
        return self._schema

    @property
    def tensor_representations(self) -> Representations:
        """The representation of each tensor."""
        return self._representations

    def record_batches(
        self, *, batch_size: int, drop_remainder: bool = False, epochs: int | None = 1
    ) -> Iterator[pa.RecordBatch]:
        """Yields batches of `batch_size` lines. Other options raise a TypeError."""
        for _ in itertools.count() if epochs is None else range(epochs):
            with self._path.open(encoding="utf-8") as lines:
                while rows := [json.loads(line) for line in itertools.islice(lines, batch_size)]:
                    if len(rows) == batch_size or not drop_remainder:
                        yield pa.RecordBatch.from_pylist(rows, schema=self._schema)

    def project(self, names: Iterable[str]) -> "JsonLines":
        """Returns a source of the same file for some of the tensors, with the columns that these need."""
        kept = {name: self._representations[name] for name in names}
        columns = {representation.column.partition(".")[0] for representation in kept.values()}
        return JsonLines(self._path, pa.schema([self._schema.field(name) for name in sorted(columns)]), kept)


ROWS = [{"id": number, "x": [number / 2, 1.0], "tags": ["odd"] * (number % 2)} for number in range(5)]
SCHEMA = pa.schema({"id": pa.int64(), "x": pa.list_(pa.float32()), "tags": pa.list_(pa.string())})
REPRESENTATIONS: Representations = {
    "id": representations.Dense("id"),
    "x": representations.Dense("x", [2]),
    "tags": representations.VarLenRagged("tags"),
}


def main() -> None:
    """Writes a file of five rows, and prints its tensors."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
        source = JsonLines(path, SCHEMA, REPRESENTATIONS)
        for tensors in source.tensors(batch_size=3):
            print(tensors["id"].values, tensors["x"].values.tolist(), tensors["tags"].to_list())
        for tensors in source.project(["id"]).tensors(batch_size=2, drop_remainder=True, epochs=2):
            print(tensors["id"].values)


if __name__ == "__main__":
    main()
