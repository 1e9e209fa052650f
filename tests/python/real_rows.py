"""Numbered rows in files of the sizes that users have, with the blocks that writers make by default."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv
import pyarrow.parquet as pq

import arrowfeed as af

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES = int(os.environ.get("ARROWFEED_CASES", "200")) // 200 or 1
"""Random cases of each law and shape. `make test-long` runs ten times as many."""

IS_LONG = CASES > 1

LONG = 100_000
"""Characters of a long text."""


def small_rows(numbers: np.ndarray) -> pa.Table:
    """Rows of a few bytes, with nulls, and lists of no to three items."""
    ids = pa.array(numbers)
    starts = np.concatenate([[0], np.cumsum(numbers % 4)])
    items = np.arange(starts[-1]) - np.repeat(starts[:-1], numbers % 4) + np.repeat(numbers, numbers % 4)
    text = pc.binary_join_element_wise("x", pc.cast(ids, pa.string()), "")
    return pa.table(
        {
            "id": ids,
            "text": pc.if_else(pa.array(numbers % 7 > 0), text, None),
            "half": pa.array(numbers / 2, mask=numbers % 11 == 0),
            "key": pc.if_else(pa.array(numbers % 13 > 0), pc.utf8_slice_codeunits(text, -2), None),
            "list": pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(items)),
        }
    )


def long_rows(numbers: np.ndarray) -> pa.Table:
    """Rows of 100 kB."""
    ids = pa.array(numbers)
    digits = pc.utf8_lpad(pc.cast(ids, pa.string()), 10, "x")
    return pa.table({"id": ids, "text": pc.binary_repeat(digits, LONG // 10)})


def many_columns(numbers: np.ndarray) -> pa.Table:
    """Rows of 4,096 columns."""
    return pa.table({"id": numbers} | {f"c{nth}": numbers + nth for nth in range(1, 4096)})


@dataclasses.dataclass(frozen=True)
class Shape:
    """The sizes of rows and files.

    Args:
        rows: The rows of some numbers.
        sizes: Rows of each file.
        batches: Rows of a batch, of which a case takes one.
    """

    rows: Callable[[np.ndarray], pa.Table]
    sizes: tuple[int, ...]
    batches: tuple[int, ...]

    @property
    def total(self) -> int:
        """Rows of all files."""
        return sum(self.sizes)


SHAPES = {
    "a million small rows": Shape(
        small_rows, (1_000_003, 1, 0, 9_996), (1_000, 8_192, 8_193, 20_000, 300_000)
    ),
    "rows of 100 kB": Shape(long_rows, (500, 0, 201), (7, 64, 300)),
    "hundreds of files": Shape(small_rows, (37,) * 300, (10, 1_000, 8_193)),
    "thousands of columns": Shape(many_columns, (150, 0, 90), (50, 200)),
}
"""They cross 8,192 rows and 2 MiB of a batch, the bytes of a window, of a part and of `prefetch_bytes`, the
blocks and row groups of a window, open files, and 1,024 columns."""


def _parquet(table: pa.Table, path: Path) -> None:
    # Several row groups.
    pq.write_table(table, path, row_group_size=max(300, min(1 << 20, len(table) // 3)))


def _arrow(table: pa.Table, path: Path) -> None:
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def json_lines(table: pa.Table, path: Path) -> None:
    """Writes JSON lines. A null is written."""
    pl.DataFrame(table).write_ndjson(path)


def _csv(table: pa.Table, path: Path) -> None:
    pcsv.write_csv(without_lists(table), path)


def without_lists(table: pa.Table) -> pa.Table:
    """The columns that CSV can store."""
    return table.select([field.name for field in table.schema if not pa.types.is_list(field.type)])


WRITERS = {
    "avro": af.write_avro,
    "parquet": _parquet,
    "arrow": _arrow,
    "csv": _csv,
    "jsonl": json_lines,
    "tfrecord": af.write_tfrecord,
}
"""A writer for each format. Its name is the suffix of the files."""

DATASETS = {
    "avro": af.AvroDataset,
    "parquet": af.ParquetDataset,
    "arrow": af.ArrowDataset,
    "csv": af.CsvDataset,
    "jsonl": af.JsonLinesDataset,
    "tfrecord": af.ExampleDataset,
}


def write(shape: Shape, form: str, directory: Path) -> list[Path]:
    """Writes the files of a shape. The rows are numbered from 0."""
    paths, first = [], 0
    for nth, size in enumerate(shape.sizes):
        paths.append(directory / f"part-{nth:05}.{form}")
        WRITERS[form](shape.rows(np.arange(first, first + size)), paths[-1])
        first += size
    return paths


def check_table(found: pa.Table, expected: pa.Table, shown: str) -> None:
    """Asserts equal columns and values. Their types may be those of any format."""
    assert (len(found), sorted(found.schema.names)) == (len(expected), sorted(expected.schema.names)), shown
    for field in expected.schema:
        column = _single(found[field.name], field.type)
        wanted = expected[field.name]
        if not column.equals(wanted):
            pairs = zip(column.to_pylist(), wanted.to_pylist(), strict=True)
            row, pair = next((at, pair) for at, pair in enumerate(pairs) if pair[0] != pair[1])
            values = [str(value)[:200] for value in pair]
            raise AssertionError(f"{shown}: {field.name}: row {row}: found {values[0]}, expected {values[1]}")


def _single(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """The column with a type. A feature of `tf.Example` is a list of one value, or no list."""
    is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    if is_list and not pa.types.is_list(kind):
        lengths = pc.min_max(pc.list_value_length(column)).as_py()
        assert set(lengths.values()) <= {1, None}
        column = pc.list_element(column, 0) if len(column) else pa.chunked_array([], kind)
    return column.cast(kind)
