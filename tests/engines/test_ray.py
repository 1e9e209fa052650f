"""`arrowfeed.ray` on a local cluster of two workers."""

from __future__ import annotations

import collections
import contextlib
import importlib
import io
import itertools
import json
import os
import pickle
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clusters
import fastavro
import kills
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import pytest
import ray
import rows

import arrowfeed
import arrowfeed.ray
from arrowfeed import features

sys.path.append(str(Path(__file__).parents[1] / "python"))
from docstring_examples import examples_of, failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "ray.md"


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """A cluster of two workers, which ends with the tests of this module."""
    with clusters.ray_cluster():
        yield


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray stores the rows of a running task in blocks of 256 KiB."""
    monkeypatch.setattr(ray.data.DataContext.get_current(), "target_max_block_size", 1 << 18)


@pytest.fixture
def no_reservation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray starts tasks on all CPUs. By default it sometimes leaves one of two CPUs idle."""
    monkeypatch.setattr(ray.data.DataContext.get_current(), "op_resource_reservation_enabled", False)


def sums(table: pa.Table) -> pa.Table:
    """The checksum of a table as a table of one row."""
    return pa.Table.from_pylist([rows.checksum(table)._asdict()])


def checksum(dataset: ray.data.Dataset) -> rows.Checksum:
    """The checksum of all rows, from the sums that the workers make."""
    parts = dataset.map_batches(sums, batch_format="pyarrow", batch_size=None).take_all()
    return rows.total(rows.Checksum(**part) for part in parts)


def sum_of(dataset: ray.data.Dataset, name: str) -> int:
    """The sum of a column. That of Ray shuffles the rows, for which it starts more workers."""
    return sum(
        int(batch[name].sum()) for batch in dataset.iter_batches(batch_size=None, batch_format="numpy")
    )


def optimized(dataset: ray.data.Dataset, capsys: pytest.CaptureFixture[str]) -> str:
    """The plan that Ray runs."""
    capsys.readouterr()
    dataset.explain()
    printed = capsys.readouterr().out
    return printed[printed.index("Logical Plan (Optimized)") :]


# ---- rows


def test_all_rows_are_those_of_one_process(files: Path, expected: rows.Checksum) -> None:
    dataset = arrowfeed.ray.read_dataset(files)
    assert dataset.schema().names == ["id", "value", "name", "tags"]
    assert checksum(dataset) == expected


def avro(table: pa.Table, path: Path) -> None:
    arrowfeed.write_avro(table, path)


def csv(table: pa.Table, path: Path) -> None:
    pyarrow.csv.write_csv(table, path)


def jsonl(table: pa.Table, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def parquet(table: pa.Table, path: Path) -> None:
    pyarrow.parquet.write_table(table, path, row_group_size=100)


def tfrecord(table: pa.Table, path: Path) -> None:
    arrowfeed.write_tfrecord(table, path)


@pytest.mark.parametrize("write", [avro, csv, jsonl, parquet, tfrecord])
def test_every_format(write: Callable[[pa.Table, Path], None], tmp_path: Path) -> None:
    for number in range(3):
        ids = range(number * 1000, number * 1000 + 1000)
        table = pa.table({"id": list(ids), "text": [f"text {one}" for one in ids]})
        write(table, tmp_path / f"{number}.{write.__name__}")
    dataset = arrowfeed.ray.read_dataset(tmp_path, split_bytes=4000)
    found = pa.concat_tables(ray.get(dataset.to_arrow_refs()))
    flat = [pc.list_flatten(found[name]) if write is tfrecord else found[name] for name in ("id", "text")]
    assert sorted(flat[0].to_pylist()) == list(range(3000))
    assert sorted(flat[1].cast(pa.string()).to_pylist()) == sorted(f"text {one}" for one in range(3000))
    assert dataset.count() == 3000
    assert dataset.select_columns(["text"]).schema().names == ["text"]


def test_records_as_bytes_have_one_column_that_is_counted_without_it(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        path = tmp_path / "raw.tfrecord"
        arrowfeed.write_tfrecord(pa.table({"id": range(100)}), path)
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(
            "arrowfeed._engines.splits.dataset_class", lambda *_: arrowfeed.RawRecordDataset
        )
        dataset = arrowfeed.ray.read_dataset(path)
    assert dataset.schema().names == ["record"]
    assert dataset.count() == 100
    assert len(dataset.take(3)) == 3


def test_a_file_without_rows(tmp_path: Path) -> None:
    avro(pa.table({"id": pa.array([], pa.int64())}), tmp_path / "none.avro")
    dataset = arrowfeed.ray.read_dataset(tmp_path)
    assert dataset.schema().names == ["id"]
    assert dataset.count() == 0
    assert dataset.take_all() == []


def test_a_limit_of_a_ray_dataset_stops_early(files: Path) -> None:
    # A small file, because Ray ends the workers of tasks whose rows exceed a limit.
    dataset = arrowfeed.ray.read_dataset(files / "part-1.avro", batch_size=100)
    assert len(dataset.take(7)) == 7
    assert dataset.limit(1234).count() == 1234
    [task, *_] = ours(files, batch_size=100).get_read_tasks(1, per_task_row_limit=150)
    assert [table.num_rows for table in task()] == [100, 50]


# ---- retries


def end_once(table: pa.Table, directory: str, at: int) -> pa.Table:
    """Returns the checksum of a table. The worker that first reads the row `at` kills itself."""
    kills.end_once(table["id"], directory, at)
    return sums(table)


@pytest.mark.night
@pytest.mark.usefixtures("small_blocks")
def test_a_worker_that_is_killed_changes_no_row(files: Path, expected: rows.Checksum, tmp_path: Path) -> None:
    size = (files / "part-0.avro").stat().st_size
    dataset = arrowfeed.ray.read_dataset(files, split_bytes=size // 4, batch_size=10_000)
    # The task has read more than half of its rows, and its first blocks are stored.
    at = int(rows.ROWS * 0.92 * 0.7)
    ending = dataset.map_batches(
        end_once, batch_format="pyarrow", batch_size=None, fn_args=[str(tmp_path), at]
    ).materialize()
    found = rows.total(rows.Checksum(**part) for part in ending.take_all())
    assert "ReadArrowfeed->MapBatches(end_once)" in ending.stats()
    seen, ended = kills.seen(tmp_path), kills.ended(tmp_path)
    assert sum(batch.pid == ended for batch in seen) > 3
    firsts = collections.Counter(batch.first for batch in seen)
    assert sum(count > 1 for count in firsts.values()) > 3
    assert found == expected


def test_a_task_that_runs_again_yields_the_same_tables(files: Path) -> None:
    [task, *_] = ours(files, split_bytes=1 << 20).get_read_tasks(1)
    assert list(task()) == list(task())


# ---- sharing


def worker(table: pa.Table) -> pa.Table:
    """The process that reads a table. Reading is so fast that a pause sets the time of each table."""
    time.sleep(0.05)
    return pa.table({"pid": [os.getpid()], "rows": [table.num_rows]})


def shares(path: Path) -> list[int]:
    """The number of rows that each worker reads of a file."""
    dataset = arrowfeed.ray.read_dataset(path, split_bytes=path.stat().st_size // 40, batch_size=None)
    counts = collections.Counter[int]()
    for one in dataset.map_batches(worker, batch_format="pyarrow", batch_size=None).iter_rows():
        counts[one["pid"]] += one["rows"]
    return list(counts.values())


@pytest.mark.usefixtures("no_reservation")
def test_the_workers_share_one_file_evenly(files: Path) -> None:
    path = files / "part-0.avro"
    # A worker that starts, or other programs on the machine, can only make the shares less even.
    found = [shares(path)]
    while len(found) < 4 and (len(found[-1]) < 2 or max(found[-1]) > 1.3 * min(found[-1])):
        found.append(shares(path))
    assert {sum(one) for one in found} == {rows.ROWS - 8 * (rows.ROWS // 100)}
    assert len(found[-1]) == 2
    assert max(found[-1]) <= 1.3 * min(found[-1]), found


def test_tasks_have_about_the_same_number_of_bytes(files: Path) -> None:
    size = sum(path.stat().st_size for path in files.iterdir())
    for options in ({"split_bytes": -(-size // 24)}, {"override_num_blocks": 24}, {}):
        sizes = [task.metadata.size_bytes for task in ours(files, **options).get_read_tasks(1)]
        assert sum(sizes) == pytest.approx(size, rel=0.01)
        assert max(sizes) <= 1.7 * size / len(sizes)
        # Two CPUs have four tasks each.
        expected = 24 if options else max(8, size >> 26)
        assert expected - 2 <= len(sizes) <= expected + 1


def test_a_task_reads_several_small_files(tmp_path: Path) -> None:
    for number in range(100):
        avro(pa.table({"id": [number] * 10}), tmp_path / f"{number:03}.avro")
    tasks = ours(tmp_path).get_read_tasks(1)
    assert len(tasks) == 1
    assert len(tasks[0].metadata.input_files) == 100
    assert arrowfeed.ray.read_dataset(tmp_path).count() == 1000


# ---- projection


def ours(source: Path, **options: Any) -> arrowfeed.ray.ArrowfeedDatasource:
    """The datasource that `read_dataset` passes to Ray."""
    given: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray.data, "read_datasource", lambda datasource, **_: given.append(datasource))
        arrowfeed.ray.read_dataset(source, **options)
    return given[0]


def test_only_the_selected_columns_are_read(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = arrowfeed.ray.read_dataset(files / "part-1.avro").select_columns(["tags", "id"])
    assert "Project" not in optimized(dataset, capsys)
    assert dataset.schema().names == ["tags", "id"]
    first = rows.ROWS - 8 * (rows.ROWS // 100)
    assert dataset.take(1) == [{"tags": [], "id": first}]
    assert sum_of(dataset, "id") == sum(range(first, first + rows.ROWS // 100))
    [task, *_] = ours(files).apply_projection({"value": "value"}).get_read_tasks(1)
    assert next(iter(task())).column_names == ["value"]


def test_a_column_that_is_not_selected_is_not_decoded(tmp_path: Path) -> None:
    schema = {
        "type": "record",
        "name": "row",
        "fields": [{"name": "id", "type": "long"}, {"name": "text", "type": "bytes", "doc": "xx"}],
    }
    file = io.BytesIO()
    fastavro.writer(file, schema, [{"id": number, "text": b"\xff"} for number in range(100)])
    wrong = file.getvalue().replace(b'"bytes", "doc": "xx"', b'"string", "doc": "x"')
    assert wrong != file.getvalue()
    (tmp_path / "rows.avro").write_bytes(wrong)
    dataset = arrowfeed.ray.read_dataset(tmp_path)
    assert sum_of(dataset.select_columns(["id"]), "id") == 4950
    assert dataset.count() == 100
    with pytest.raises(arrowfeed.CorruptBlockError, match="UTF-8"):
        dataset.take_all()


# ---- filters


def test_a_filter_is_pushed_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    col = ray.data.expressions.col
    table = pa.table(
        {
            "id": range(200),
            "n": [None if n % 5 == 0 else n % 7 for n in range(200)],
            "text": [f"t{n % 3}" for n in range(200)],
        }
    )
    arrowfeed.write_avro(table, tmp_path / "rows.avro")
    dataset = arrowfeed.ray.read_dataset(tmp_path, split_bytes=500)
    n, text = pc.field("n"), pc.field("text")
    for expression, same in [
        (col("n") > 3, n > 3),
        ((col("n") >= 2) & (col("text") == "t1"), (n >= 2) & (text == "t1")),
        (col("n").is_null() | ~(col("text") == "t1"), n.is_null() | ~(text == "t1")),
        (col("n").is_in([1, 2]), n.isin([1, 2])),
        (col("n") > col("id"), n > pc.field("id")),
        (col("n") > 100, n > 100),
    ]:
        expected = table.filter(same)
        filtered = dataset.filter(expr=expression)
        assert "Filter" not in optimized(filtered, capsys)
        assert sorted(row["id"] for row in filtered.take_all()) == expected["id"].to_pylist()
        assert filtered.count() == expected.num_rows
        names = filtered.select_columns(["text"])
        assert sorted(row["text"] for row in names.take_all()) == sorted(expected["text"].to_pylist())
    few = dataset.filter(expr=col("n") > 3).filter(expr=col("n") != col("id"))
    assert few.count() == table.filter((n > 3) & (n != pc.field("id"))).num_rows
    datasource = ours(tmp_path).apply_predicate(col("n") > 3)
    assert str(datasource._files.dataset.predicate) == "n > 3"


def test_an_empty_list_is_not_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pa.table({"id": [[n] for n in range(9)], "list": [[None, [], [1]][n % 3] for n in range(9)]})
    arrowfeed.write_tfrecord(table, tmp_path / "rows.tfrecord")
    dataset = arrowfeed.ray.read_dataset(tmp_path)
    column = ray.data.expressions.col("list")
    for expression, rest in [
        (column.is_null(), [0]),
        (column.is_not_null(), [1, 2]),
        (~column.is_null(), [1, 2]),
    ]:
        filtered = dataset.filter(expr=expression)
        assert "Filter" not in optimized(filtered, capsys)
        found = sorted(row["id"][0] for row in filtered.take_all())
        assert found == [n for n in range(9) if n % 3 in rest]


def test_ray_filters_rows_with_tensors(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A filter may name a tensor."""
    dataset = arrowfeed.ray.read_dataset(examples, features={"label": features.Dense([])})
    label = dataset.take(1)[0]["label"]
    filtered = dataset.filter(expr=ray.data.expressions.col("label") == label)
    assert "Filter" in optimized(filtered, capsys)
    assert {row["label"] for row in filtered.take_all()} == {label}


def test_ray_filters_the_rows_of_a_source(files: Path) -> None:
    dataset = arrowfeed.ray.read_dataset(files, columns=["tags"], where=pc.field("id") < 1000)
    assert dataset.schema().names == ["tags"]
    assert dataset.count() == 1000
    with pytest.raises(arrowfeed.OptionError, match="nothing"):
        arrowfeed.ray.read_dataset(files, where="nothing > 1")


def test_no_columns(files: Path) -> None:
    dataset = arrowfeed.ray.read_dataset(files)
    assert dataset.count() == rows.ROWS
    assert dataset.select_columns([]).count() == rows.ROWS
    nothing = arrowfeed.ray.read_dataset(files, columns=[])
    assert nothing.count() == rows.ROWS
    assert nothing.materialize().schema().names == []


def test_computed_and_renamed_columns(files: Path) -> None:
    dataset = arrowfeed.ray.read_dataset(files)
    renamed = dataset.rename_columns({"id": "number"}).select_columns(["number"])
    assert sum_of(renamed, "number") == rows.ROWS * (rows.ROWS - 1) // 2
    twice = dataset.with_column("twice", ray.data.expressions.col("id") * 2)
    assert sum_of(twice.select_columns(["twice"]), "twice") == rows.ROWS * (rows.ROWS - 1)


def test_a_projection_does_not_widen_the_columns_of_the_caller(tmp_path: Path) -> None:
    users = [{"age": number, "name": "x"} for number in range(10)]
    avro(pa.table({"user": users, "id": range(10), "other": range(10)}), tmp_path / "rows.avro")
    dataset = arrowfeed.ray.read_dataset(tmp_path, columns=["id", "user.age"])
    assert dataset.take(1) == [{"id": 0, "user": {"age": 0}}]
    assert dataset.select_columns(["user"]).take(2) == [{"user": {"age": 0}}, {"user": {"age": 1}}]
    assert dataset.count() == 10


def test_an_unknown_column(files: Path) -> None:
    with pytest.raises(arrowfeed.SchemaError, match="found 'nothing'"):
        ours(files).apply_projection({"nothing": "nothing"})
    with pytest.raises(arrowfeed.SchemaError, match="nothing"):
        arrowfeed.ray.read_dataset(files, columns=["nothing"])


def test_without_pushdown_ray_selects_the_columns(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray.data.Datasource, arrowfeed.ray._RENAMES, None, raising=False)
    dataset = arrowfeed.ray.read_dataset(files).select_columns(["id"])
    assert "Project" in optimized(dataset, capsys)
    assert sum_of(dataset, "id") == rows.ROWS * (rows.ROWS - 1) // 2


# ---- tensors


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A file with columns for tensors of all kinds."""
    count = 1000
    table = pa.table(
        {
            "image": [[number + 0.5] * 6 for number in range(count)],
            "mask": [[True, number % 2 == 0] for number in range(count)],
            "label": range(count),
            "kind": [f"kind {number % 3}" for number in range(count)],
            "words": [["a", "b"]] * count,
            "tags": [[1] * (number % 3) for number in range(count)],
        }
    )
    avro(table, tmp_path / "examples.avro")
    return tmp_path / "examples.avro"


REPRESENTATIONS = {
    "x": arrowfeed.representations.Dense("image", [2, 3]),
    "m": arrowfeed.representations.Dense("mask", [2]),
    "y": arrowfeed.representations.Dense("label"),
    "k": arrowfeed.representations.Dense("kind"),
    "w": arrowfeed.representations.Dense("words", [2]),
    "t": arrowfeed.representations.VarLenRagged("tags"),
}


def test_tensors_of_fixed_shapes_are_tensor_columns(examples: Path) -> None:
    dataset = arrowfeed.ray.read_dataset(examples, representations=REPRESENTATIONS, batch_size=300)
    assert dataset.schema().names == ["x", "m", "y", "k", "words", "tags"]
    assert [getattr(one, "shape", None) for one in dataset.schema().types[:3]] == [(2, 3), (2,), None]
    found = list(dataset.iter_batches(batch_size=256, batch_format="numpy"))
    assert [batch["x"].shape for batch in found] == [(256, 2, 3)] * 3 + [(232, 2, 3)]
    joined = {name: np.concatenate([batch[name] for batch in found]) for name in ("x", "m", "y", "k")}
    order = joined["y"].argsort()
    assert joined["y"][order].tolist() == list(range(1000))
    assert (joined["x"][order] == np.arange(1000)[:, None, None] + 0.5).all()
    assert joined["m"].dtype == np.bool_
    assert (joined["m"][order] == [[True, number % 2 == 0] for number in range(1000)]).all()
    assert joined["k"][order[2]] == "kind 2"
    [row] = [row for row in dataset.take_all() if row["y"] == 5]
    assert (list(row["words"]), list(row["tags"])) == (["a", "b"], [1, 1])


def test_a_projection_of_tensors(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = arrowfeed.ray.read_dataset(examples, representations=REPRESENTATIONS)
    assert dataset.count() == 1000
    selected = dataset.select_columns(["tags", "x"])
    assert "Project" not in optimized(selected, capsys)
    assert selected.schema().names == ["tags", "x"]
    assert next(iter(selected.iter_batches(batch_size=10)))["x"].shape == (10, 2, 3)
    datasource = ours(examples, representations=REPRESENTATIONS)
    assert datasource.apply_projection({"tags": "", "x": ""})._rows.reader.schema.names == ["image", "tags"]
    assert datasource.apply_projection({"tags": ""})._rows.reader.schema.names == ["tags"]
    assert datasource.apply_projection({})._rows.reader.schema.names == []


def test_features_of_a_ray_dataset(examples: Path) -> None:
    selected = {"image": features.Dense([6]), "label": features.Dense([])}
    dataset = arrowfeed.ray.read_dataset(examples, features=selected)
    assert dataset.schema().names == ["image", "label"]
    assert next(iter(dataset.iter_batches(batch_size=100)))["image"].shape == (100, 6)


def test_tensors_without_fixed_shapes_leave_the_columns_that_they_need(tmp_path: Path) -> None:
    friends = [[{"name": "a", "age": 1}] * (number % 3) for number in range(10)]
    avro(pa.table({"id": range(10), "friends": friends}), tmp_path / "rows.avro")
    selected = {"friends[*].name": features.Ragged()}
    dataset = arrowfeed.ray.read_dataset(tmp_path, features={**selected, "id": features.Dense([])})
    row = {"friends": [{"name": "a"}]}
    assert dataset.take(2) == [{"id": 0, "friends": []}, {"id": 1, **row}]
    assert dataset.select_columns(["friends"]).take(2)[1] == row
    dataset = arrowfeed.ray.read_dataset(tmp_path, features=selected)
    assert dataset.take(2)[1] == row
    assert dataset.select_columns(["friends"]).take(2)[1] == row
    assert dataset.count() == 10


def test_columns_that_no_tensor_uses_stay_arrow_columns(examples: Path) -> None:
    tensors = {"x": arrowfeed.representations.Dense("image", [6])}
    dataset = arrowfeed.ray.read_dataset(examples, representations=tensors, columns=["kind", "image"])
    assert dataset.schema().names == ["x", "kind"]
    assert dataset.select_columns(["kind"]).take(1) == [{"kind": "kind 0"}]


def test_a_tensor_with_the_name_of_an_arrow_column(examples: Path) -> None:
    tensors = {
        "tags": arrowfeed.representations.Dense("label"),
        "t": arrowfeed.representations.VarLenRagged("tags"),
    }
    with pytest.raises(arrowfeed.SchemaError, match="found 'tags': rename the tensor"):
        arrowfeed.ray.read_dataset(examples, representations=tensors)


def test_a_row_that_does_not_fit_a_tensor(examples: Path) -> None:
    dataset = arrowfeed.ray.read_dataset(
        examples, representations={"t": arrowfeed.representations.Dense("tags", [2])}
    )
    with pytest.raises(arrowfeed.ConversionError, match='tensor "t", column "tags"'):
        dataset.take_all()


# ---- errors


def damaged(files: Path, path: Path) -> Path:
    """A copy of the large file with 100 wrong bytes in its middle."""
    data = bytearray((files / "part-0.avro").read_bytes())
    data[len(data) // 2 : len(data) // 2 + 100] = b"x" * 100
    path.write_bytes(data)
    return path


def test_an_error_names_the_file_and_the_block(files: Path, tmp_path: Path) -> None:
    path = damaged(files, tmp_path / "damaged.avro")
    with pytest.raises(arrowfeed.ArrowfeedError, match=rf"{path}: block \d+ at byte [\d,]+") as caught:
        arrowfeed.ray.read_dataset(path).materialize()
    assert caught.value.cause.path == str(path)
    block = caught.value.cause.block
    total = rows.ROWS - 8 * (rows.ROWS // 100)
    skipping = arrowfeed.ray.read_dataset(path, on_error="skip_block")
    assert isinstance(block, int)
    assert total - 20_000 < skipping.count() < total


def test_a_file_that_changes_after_the_call(tmp_path: Path) -> None:
    path = tmp_path / "rows.avro"
    avro(pa.table({"id": range(1000)}), path)
    dataset = arrowfeed.ray.read_dataset(path)
    avro(pa.table({"id": range(2000)}), path)
    with pytest.raises(arrowfeed.ChangedError):
        dataset.count()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"on_error": "skip_file"}, ValueError, "expected 'raise' or 'skip_block'"),
        ({"split_bytes": 0}, ValueError, "target_bytes"),
        ({"override_num_blocks": 0}, ValueError, "override_num_blocks: expected an integer of 1 or more"),
        ({"split_bytes": 1, "override_num_blocks": 1}, ValueError, "found both"),
        ({"unknown": 1}, TypeError, "unknown"),
        ({"columns": [], "batch_size": 0}, ValueError, "batch_size"),
    ],
)
def test_wrong_arguments_of_ray(
    options: dict[str, Any], error: type[Exception], message: str, files: Path
) -> None:
    with pytest.raises(error, match=message):
        arrowfeed.ray.read_dataset(files, **options)


def test_wrong_sources(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        arrowfeed.ray.read_dataset(tmp_path / "nothing.avro")
    avro(pa.table({"id": [1]}), tmp_path / "rows.avro")
    with pytest.raises(arrowfeed.OptionError):
        arrowfeed.ray.read_dataset((tmp_path / "rows.avro").read_bytes())
    (tmp_path / "unknown.bin").write_bytes(bytes(100))
    with pytest.raises(arrowfeed.FormatError):
        arrowfeed.ray.read_dataset(tmp_path / "unknown.bin")


# ---- tasks


def test_options_of_tasks_reach_ray(files: Path) -> None:
    given: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray.data, "read_datasource", ReadDatasource(given))
        arrowfeed.ray.read_dataset(
            files, concurrency=1, ray_remote_args={"num_cpus": 0.5, "max_retries": 7}, split_bytes=1 << 40
        )
    assert given == {
        "concurrency": 1,
        "num_cpus": 0.5,
        "override_num_blocks": 1,
        "ray_remote_args": {"max_retries": 7},
    }
    dataset = arrowfeed.ray.read_dataset(files, concurrency=1, ray_remote_args={"num_cpus": 0.5})
    assert dataset.count() == rows.ROWS


class ReadDatasource:
    """`ray.data.read_datasource` that keeps its arguments."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def __call__(self, _datasource: Any, *, num_cpus: Any = None, **arguments: Any) -> None:
        self._given.update(arguments, num_cpus=num_cpus)


def test_a_split_of_a_ray_dataset_is_small_and_has_no_secret(files: Path) -> None:
    secret = "do-not-tell-anyone"
    datasource = ours(files, storage_options={"aws_secret_access_key": secret}, split_bytes=1 << 20)
    splits = list(itertools.chain.from_iterable(datasource._parts))
    assert len(splits) > 10
    for split in splits:
        pickled = pickle.dumps(split)
        assert len(pickled) < 1024
        assert secret.encode() not in pickled
    for task in datasource.get_read_tasks(1):
        assert secret not in repr((task.metadata, task.schema, task.read_fn))
    # The workers need the options to read the splits.
    assert secret.encode() in pickle.dumps(datasource._rows)


def test_names_that_are_not_public() -> None:
    """Without them, a table without columns would show a column of nulls."""
    module = importlib.import_module("ray.data._internal.arrow_block")
    assert arrowfeed.ray._STUB == module._BATCH_SIZE_PRESERVING_STUB_COL_NAME


def test_ray_is_needed_only_by_its_module() -> None:
    code = "import sys; sys.modules['ray'] = None; import arrowfeed; import arrowfeed.ray"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "expected ray to read with Ray Data (ray[data]), found it not installed" in done.stderr


# ---- documentation


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)


def test_the_example_of_the_docstring_of_ray_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    numbers = range(1000)
    arrowfeed.write_avro(
        pa.table({"id": numbers, "value": [float(number) for number in numbers]}), "part-0.avro"
    )
    (one,) = examples_of("ray")
    assert failures(one, {"arrowfeed": arrowfeed}, compares=True) == ""
