"""Daft: rows, projection, filters and limits."""

from __future__ import annotations

import asyncio
import pickle
from typing import TYPE_CHECKING, Any

import probes
import pyarrow as pa
import pytest
import rows

import arrowfeed
from arrowfeed._engines.splits import SplitSource

daft = pytest.importorskip("daft")

from daft.io.pushdowns import Pushdowns  # noqa: E402

from arrowfeed.daft import _DataSource, read_dataset  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-is-a-secret"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return probes.people(tmp_path_factory.mktemp("people"))


def test_a_data_frame_has_exactly_the_rows(files: Path, expected: rows.Checksum) -> None:
    found = read_dataset(files, split_bytes=4 << 20)
    assert rows.total(map(rows.checksum, found.to_arrow_iter())) == expected
    assert found.count_rows() == rows.ROWS
    assert found.agg(daft.col("id").sum()).to_pydict() == {"id": [expected.ids]}


@pytest.mark.parametrize("ending", ["avro", "parquet", "csv", "jsonl", "tfrecord"])
def test_the_types_and_rows_of_each_format(people: dict[str, Path], ending: str) -> None:
    path = people[ending]
    expected = probes.whole(path)
    found = read_dataset(path, split_bytes=1000)
    assert found.schema() == daft.Schema.from_pyarrow_schema(expected.schema)
    first = expected.schema.names[0] if ending == "tfrecord" else "id"
    assert sorted(found.to_pylist(), key=str) == sorted(expected.to_pylist(), key=str)
    assert found.select(first).to_arrow().num_rows == 100


def test_a_data_frame_decodes_only_its_columns(
    people: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_dataset(people["avro"])
    decoded = probes.Decoded(monkeypatch)
    assert found.select("id").sum("id").to_pydict() == {"id": [sum(range(100))]}
    assert decoded.take() == ["id"]
    assert found.select("tags", "id").to_pydict()["tags"][3] == [0, 1, 2]
    assert decoded.take() == ["id", "tags"]
    assert found.where(daft.col("name") == "name 3").select("id").to_pydict()["id"] == list(range(3, 100, 10))
    assert decoded.take() == ["id", "name"]
    assert found.select(daft.col("user")["age"]).to_pydict()["age"] == list(range(100))
    assert decoded.take() == ["user"]
    assert found.count_rows() == 100
    assert decoded.take() == ["id"]


def test_a_column_that_a_data_frame_does_not_use_may_be_damaged(tmp_path: Path) -> None:
    found = read_dataset(probes.damaged(tmp_path / "damaged.avro"))
    assert found.select("good", "id").to_pydict() == {"good": ["ab", "cd"], "id": [1, 2]}
    with pytest.raises(Exception, match="UTF-8"):
        found.select("bad").collect()


def test_a_limit_of_a_data_frame_stops_early(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read_dataset(files, split_bytes=1 << 20)
    decoded = probes.Decoded(monkeypatch)
    assert found.limit(10).to_arrow().num_rows == 10
    # Daft starts several tasks, which decode until it ends them. Their number does not grow with the rows.
    assert 10 <= decoded.rows < min(rows.ROWS // 2, 1_000_000)


def test_a_limit_after_a_filter_has_all_its_rows(people: dict[str, Path]) -> None:
    found = read_dataset(people["avro"])
    last = found.where(daft.col("id") >= 90).limit(3).select("name").to_pydict()
    assert last == {"name": ["name 0", "name 1", "name 2"]}
    assert found.limit(5).where(daft.col("id") >= 3).to_pydict()["id"] == [3, 4]


def test_a_task_is_read_from_a_pickle_and_its_split_has_no_secret(people: dict[str, Path]) -> None:
    path = people["avro"]
    source = SplitSource(path, {"storage_options": {"aws_secret_access_key": SECRET}})
    reader = source.reader()
    plan = _DataSource(source, reader, 1000)

    async def read() -> tuple[list[Any], list[Any]]:
        tasks = [task async for task in plan.get_tasks(Pushdowns())]
        copies = [pickle.loads(pickle.dumps(task)) for task in tasks]
        return tasks, [batch.to_arrow_table() for task in copies async for batch in task.read()]

    tasks, tables = asyncio.run(read())
    assert pa.concat_tables(tables)["id"].to_pylist() == list(range(100))
    for task in tasks:
        assert len(pickle.dumps(task._split)) < 1024
        assert SECRET.encode() not in pickle.dumps(task._split)
        assert SECRET not in repr(task)
    assert SECRET not in repr(read_dataset(path, storage_options={"aws_secret_access_key": SECRET}))


def test_columns_of_daft_are_those_of_the_dataset(people: dict[str, Path]) -> None:
    path = people["avro"]
    found = read_dataset(path, columns=["user.age", "id"])
    assert found.select("user").to_pydict()["user"][3] == {"age": 3}
    with pytest.raises(arrowfeed.SchemaError, match="nme"):
        read_dataset(path, columns=["nme"])


def test_daft_filters_the_rows_of_a_source(people: dict[str, Path]) -> None:
    frame = read_dataset(people["avro"], where="id >= 90", columns=["name"], split_bytes=500)
    assert sorted(frame.to_pydict()["name"]) == sorted(f"name {n % 10}" for n in range(90, 100))
    assert frame.count_rows() == 10


def test_a_data_frame_skips_a_damaged_block(tmp_path: Path) -> None:
    path = probes.damaged(tmp_path / "damaged.avro")
    assert read_dataset(path, on_error="skip_block").count_rows() == 2
    assert read_dataset(path, on_error="skip_block").select("bad").to_pydict() == {"bad": []}
