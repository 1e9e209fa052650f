"""The time for many columns is proportional to their number."""

from __future__ import annotations

import gc
import json
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed._rendering import table as _table
from arrowfeed.tfxio import RecordBatchToExamplesEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FEW = 4_000
"""So many columns that comparisons of each name with all others take most of the time."""

pytestmark = pytest.mark.night


def is_proportional(work: Callable[[int], object]) -> None:
    """Asserts that four times the columns take less than ten times as long: quadratic work takes sixteen.

    Compares the fastest of two runs.
    """
    fastest = dict.fromkeys((FEW, 4 * FEW), float("inf"))
    gc.collect()
    gc.disable()
    try:
        for _ in range(2):
            for columns in fastest:
                started = time.process_time()
                work(columns)
                fastest[columns] = min(fastest[columns], time.process_time() - started)
    finally:
        gc.enable()
    few, many = fastest.values()
    assert many < 10 * few, f"{few:.3f} s, and of four times as many {many:.3f} s"


def names(columns: int) -> list[str]:
    return [f"column_number_{number}" for number in range(columns)]


def backwards(columns: int) -> list[str]:
    return names(columns)[::-1]


def batch(columns: int) -> Any:
    values = pa.array([1, 2], pa.int64())
    return pa.RecordBatch.from_arrays([values] * columns, names(columns))


def lists(columns: int) -> Any:
    values = pa.array([[1], [2]], pa.large_list(pa.int64()))
    return pa.RecordBatch.from_arrays([values] * columns, names(columns))


def nested(columns: int) -> Any:
    return pa.RecordBatch.from_arrays([batch(columns).to_struct_array()], ["s"])


def write_sequence_examples(path: Path, columns: int) -> None:
    steps = pa.array([[[1]], [[2]]], pa.large_list(pa.large_list(pa.int64())))
    rows = pa.StructArray.from_arrays([steps] * columns, names(columns))
    context = lists(columns)
    made = pa.RecordBatch.from_arrays([*context.columns, rows], [*context.schema.names, "##SEQUENCE##"])
    af.write_tfrecord(made, path, format="sequence_example")


def write_csv(path: Path, columns: int) -> None:
    row = ",".join(["1"] * columns)
    path.write_text("\n".join([",".join(names(columns)), row, row, ""]))


def write_json(path: Path, columns: int) -> None:
    row = json.dumps(dict.fromkeys(names(columns), 1))
    path.write_text(f"{row}\n{row}\n")


WRITERS: dict[str, Callable[[Path, int], object]] = {
    "avro": lambda path, columns: af.write_avro(batch(columns), path, codec="null"),
    "csv": write_csv,
    "jsonl": write_json,
    "parquet": lambda path, columns: pq.write_table(pa.Table.from_batches([batch(columns)]), path),
    "nested.parquet": lambda path, columns: pq.write_table(pa.Table.from_batches([nested(columns)]), path),
    "sequence.tfrecord": write_sequence_examples,
    "tfrecord": lambda path, columns: af.write_tfrecord(lists(columns), path),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Path]:
    """Returns the file of a format with this number of columns."""
    folder = tmp_path_factory.mktemp("many_columns")

    def made(suffix: str, columns: int) -> Path:
        path = folder / f"{columns}.{suffix}"
        if not path.exists():
            WRITERS[suffix](path, columns)
        return path

    return made


def test_dicts_are_written_in_proportional_time(tmp_path: Path) -> None:
    def work(columns: int) -> None:
        row = dict.fromkeys(names(columns), 1)
        assert af.write_tfrecord(iter([row, row]), tmp_path / "rows.tfrecord") == 2

    is_proportional(work)


DATASETS = {
    "avro": af.AvroDataset,
    "csv": af.CsvDataset,
    "jsonl": af.JsonLinesDataset,
    "parquet": af.ParquetDataset,
    "nested.parquet": af.ParquetDataset,
    "tfrecord": af.ExampleDataset,
}


@pytest.mark.parametrize("suffix", DATASETS)
def test_a_dataset_is_opened_and_read_in_proportional_time(file: Callable[..., Path], suffix: str) -> None:
    def work(columns: int) -> None:
        dataset = DATASETS[suffix](file(suffix, columns))
        (tensors,) = dataset.tensors(batch_size=2)
        assert len(tensors) == columns

    is_proportional(work)


@pytest.mark.parametrize("suffix", DATASETS)
def test_columns_are_chosen_in_proportional_time(file: Callable[..., Path], suffix: str) -> None:
    prefix = "s." if suffix == "nested.parquet" else ""

    def work(columns: int) -> None:
        chosen = [prefix + name for name in backwards(columns)]
        dataset = DATASETS[suffix](file(suffix, columns), columns=chosen)
        (found,) = dataset.record_batches(batch_size=2)
        assert found.num_columns == (1 if prefix else columns)

    is_proportional(work)


def test_features_and_their_projection_take_proportional_time(file: Callable[..., Path]) -> None:
    def work(columns: int) -> None:
        wanted = {name: features.Dense([]) for name in names(columns)}
        dataset = af.AvroDataset(file("avro", columns), features=wanted)
        projected = dataset.project(backwards(columns))
        (tensors,) = projected.tensors(batch_size=2)
        assert list(tensors) == backwards(columns)

    is_proportional(work)


def test_a_requested_schema_takes_proportional_time(file: Callable[..., Path]) -> None:
    def work(columns: int) -> None:
        schema = pa.schema([(name, pa.float64()) for name in backwards(columns)])
        (plain,) = af.read_parquet(file("parquet", columns), schema=schema)
        (inside,) = af.read_parquet(
            file("nested.parquet", columns), schema=pa.schema({"s": pa.struct(schema)})
        )
        (cells,) = af.read_csv(file("csv", columns), schema=schema)
        assert plain.schema == cells.schema
        assert inside.num_columns == 1

    is_proportional(work)


def test_cells_of_several_values_take_proportional_time(file: Callable[..., Path]) -> None:
    def work(columns: int) -> None:
        cells = {"multivalent_columns": names(columns), "secondary_delimiter": "|"}
        (found,) = af.read_csv(file("csv", columns), **cells)
        assert found.num_columns == columns

    is_proportional(work)


def test_sequence_examples_take_proportional_time(file: Callable[..., Path]) -> None:
    def work(columns: int) -> None:
        steps = [f"##SEQUENCE##.{name}" for name in backwards(columns)]
        dataset = af.SequenceExampleDataset(
            file("sequence.tfrecord", columns), columns=[*steps, *backwards(columns)]
        )
        (found,) = dataset.record_batches(batch_size=2)
        assert found.num_columns == columns + 1

    is_proportional(work)


def test_the_columns_of_a_batch_are_found_in_proportional_time(file: Callable[..., Path]) -> None:
    def found(columns: int) -> Any:
        (batch,) = af.read_avro(file("avro", columns))
        return batch

    made = {columns: found(columns) for columns in (FEW, 4 * FEW)}
    is_proportional(lambda columns: [made[columns][name] for name in names(columns)])


def test_chunks_of_a_source_take_proportional_time() -> None:
    class Chunks(af.ChunkSource):
        name, chunk_rows, arrow_schema = "chunks", [2], None

        def __init__(self, columns: int) -> None:
            self.rows = batch(columns)
            self.arrow_schema = self.rows.schema

        def read_chunk(self, index: int, columns: list[str]) -> Any:
            return self.rows

    def work(columns: int) -> None:
        (found,) = af.ChunkDataset(Chunks(columns)).record_batches(batch_size=2)
        assert found.num_columns == columns

    is_proportional(work)


def test_examples_of_a_batch_are_encoded_in_proportional_time() -> None:
    made = {columns: lists(columns) for columns in (FEW, 4 * FEW)}
    is_proportional(lambda columns: RecordBatchToExamplesEncoder().encode(made[columns]))


def test_a_table_is_fitted_to_a_terminal_in_proportional_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    is_proportional(lambda columns: _table.table(names(columns), [["1"] * columns]))
