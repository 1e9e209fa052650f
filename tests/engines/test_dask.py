"""Dask: rows, projection, types, and a cluster that loses a worker."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import clusters
import pandas as pd
import probes
import pyarrow as pa
import pytest
import rows

import arrowfeed

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

from distributed import Client, get_worker  # noqa: E402

from arrowfeed.dask import read_dataset  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "hunter2-is-a-secret"
MOST_UNEQUAL = 1.3
"""Largest share of a worker divided by the smallest one."""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A client of two workers, which are processes with one thread."""
    with clusters.dask_client() as found:
        yield found


def frame_of(checksum: rows.Checksum, **more: Any) -> pd.DataFrame:
    return pd.DataFrame([{**checksum._asdict(), **more}])


def summed(frame: pd.DataFrame) -> pd.DataFrame:
    """The checksum of a partition, and the worker that read it."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return frame_of(rows.checksum(table), worker=get_worker().address)


META = frame_of(rows.Checksum(), worker="").iloc[:0]


def total(parts: pd.DataFrame) -> rows.Checksum:
    return rows.Checksum(*(int(parts[name].sum()) for name in rows.Checksum._fields))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return probes.people(tmp_path_factory.mktemp("people"))


def test_a_cluster_reads_exactly_the_rows(client: Client, files: Path, expected: rows.Checksum) -> None:
    found = read_dataset(files, split_bytes=1 << 20)
    assert found.npartitions > len(list(files.iterdir()))
    assert total(found.map_partitions(summed, meta=META).compute()) == expected


def paced(frame: pd.DataFrame) -> pd.DataFrame:
    """The checksum of a partition, after a pause that is long compared with the read."""
    time.sleep(0.1)
    return summed(frame)


def test_all_workers_read_one_large_file(client: Client, files: Path) -> None:
    """Dask gives the next split to a free worker. With the pause, other load on the machine matters less."""
    path = files / "part-0.avro"
    found = read_dataset(path, split_bytes=path.stat().st_size // 40)
    parts = found.map_partitions(paced, meta=META).compute()
    shares: Counter[str] = Counter()
    for worker, count in zip(parts["worker"], parts["rows"], strict=True):
        shares[worker] += count
    assert len(shares) == len(client.scheduler_info()["workers"]) == 2
    assert max(shares.values()) <= MOST_UNEQUAL * min(shares.values()), shares


def slow(frame: pd.DataFrame, marks: str) -> pd.DataFrame:
    """The checksum of a partition. Records its start, and takes long enough for a kill."""
    found = summed(frame)
    (Path(marks) / f"{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.1)
    return found


def test_a_killed_worker_of_dask_does_not_change_the_rows(
    client: Client, files: Path, expected: rows.Checksum, tmp_path: Path
) -> None:
    size = sum(path.stat().st_size for path in files.iterdir())
    found = read_dataset(files, split_bytes=size // 40)
    computation = client.compute(found.map_partitions(slow, str(tmp_path), meta=META))
    before = set(client.run(os.getpid).values())
    wait_for(lambda: len(list(tmp_path.iterdir())) >= found.npartitions // 3)
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) < found.npartitions
    assert total(computation.result(timeout=240)) == expected
    marks = Counter(int(mark.name.partition("-")[0]) for mark in tmp_path.iterdir())
    assert marks[killed] > 0
    # The results of the killed worker are lost, so other workers read its splits again.
    assert marks.total() > found.npartitions
    client.wait_for_workers(2, timeout=120)


def wait_for(condition: Any, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_error_of_a_task_is_that_of_arrowfeed(client: Client, tmp_path: Path) -> None:
    found = read_dataset(probes.damaged(tmp_path / "damaged.avro"))
    assert found[["good", "id"]].compute().to_dict("list") == {"good": ["ab", "cd"], "id": [1, 2]}
    with pytest.raises(arrowfeed.CorruptBlockError, match="UTF-8"):
        found["bad"].compute()
    with pytest.raises(arrowfeed.CorruptBlockError, match="UTF-8"):
        found.compute()


def test_a_file_that_changed_after_the_plan_is_an_error(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "rows.avro"
    arrowfeed.write_avro(pa.table({"id": [1, 2]}), path)
    found = read_dataset(path)
    assert found["id"].sum().compute() == 3
    arrowfeed.write_avro(pa.table({"id": [1, 2, 3]}), path)
    with pytest.raises(arrowfeed.ChangedError):
        found["id"].sum().compute()


def test_keys_and_splits_have_no_secret(files: Path) -> None:
    found = read_dataset(files, storage_options={"aws_secret_access_key": SECRET})
    computation = found["id"].sum().optimize()
    assert SECRET not in repr(found) + repr(computation) + str(list(computation.dask))
    splits = [
        argument
        for task in found.dask.values()
        for argument in task.args
        if type(argument) is arrowfeed.Split
    ]
    assert len(splits) == found.npartitions
    for split in splits:
        assert len(pickle.dumps(split)) < 1024
        assert SECRET.encode() not in pickle.dumps(split)


@pytest.fixture
def one_process() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("dtype_backend", ["pyarrow", "numpy_nullable"])
@pytest.mark.parametrize("ending", ["avro", "parquet", "csv", "jsonl", "tfrecord"])
def test_the_meta_has_the_types_and_the_rows_are_those_of_the_file(
    people: dict[str, Path], ending: str, dtype_backend: Any
) -> None:
    path = people[ending]
    found = read_dataset(path, split_bytes=1000, dtype_backend=dtype_backend)
    expected = probes.whole(path)
    result = found.compute()
    assert found.dtypes.to_dict() == result.dtypes.to_dict()
    assert list(found.columns) == expected.schema.names
    assert pa.Table.from_pandas(result, preserve_index=False).to_pylist() == expected.to_pylist()
    for name in expected.schema.names:
        if dtype_backend == "pyarrow" or pa.types.is_nested(expected.schema.field(name).type):
            assert found.dtypes[name] == pd.ArrowDtype(expected.schema.field(name).type)
        assert found[name].dtype == found[name].compute().dtype
    if dtype_backend == "numpy_nullable" and ending == "avro":
        assert [str(found.dtypes[name]) for name in ("id", "value", "name")] == ["Int64", "Float64", "string"]


@pytest.mark.usefixtures("one_process")
def test_a_computation_decodes_only_its_columns(
    people: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_dataset(people["avro"])
    decoded = probes.Decoded(monkeypatch)
    assert found["id"].sum().compute() == sum(range(100))
    assert decoded.take() == ["id"]
    assert list(found[["name", "id"]].compute().columns) == ["name", "id"]
    assert sorted(decoded.take()) == ["id", "name"]
    assert found[found["name"] == "name 3"]["value"].count().compute() == 9
    assert sorted(decoded.take()) == ["name", "value"]
    assert found["id"].map_partitions(len, meta=("id", int)).sum().compute() == 100
    assert decoded.take() == ["id"]
    # Dask removes the projection from `len`. The page on Dask shows the line above instead.
    assert len(found["id"]) == 100
    assert decoded.take() == probes.PEOPLE.column_names
    nothing = found[[]].compute()
    assert nothing.shape == (100, 0)
    assert decoded.take() == []


@pytest.mark.usefixtures("one_process")
def test_columns_of_dask_are_those_of_the_dataset(people: dict[str, Path]) -> None:
    path = people["avro"]
    found = read_dataset(path, columns=["user.age", "id"])
    assert found["user"].compute().iloc[3] == {"age": 3}
    assert list(found.columns) == ["user", "id"]
    assert list(read_dataset(path, columns=["id", "id"]).columns) == ["id"]
    twice = found[["id", "id"]].compute()
    assert list(twice.columns) == ["id", "id"]
    assert twice.iloc[3].tolist() == [3, 3]
    with pytest.raises(arrowfeed.SchemaError, match="nme"):
        read_dataset(path, columns=["nme"])


@pytest.mark.usefixtures("one_process")
def test_dask_filters_the_rows_of_a_source(people: dict[str, Path]) -> None:
    frame = read_dataset(people["avro"], where=arrowfeed.col("id") >= 90, columns=["name"], split_bytes=500)
    assert frame.npartitions > 1
    assert frame["name"].compute().tolist() == [f"name {n % 10}" for n in range(90, 100)]
    with pytest.raises(arrowfeed.OptionError, match="nothing"):
        read_dataset(people["avro"], where="nothing > 1")


def test_files_without_rows_have_one_empty_partition(tmp_path: Path) -> None:
    arrowfeed.write_avro(probes.PEOPLE.slice(0, 0), tmp_path / "empty.avro")
    found = read_dataset(tmp_path / "empty.avro")
    assert found.npartitions == 1
    assert found.compute().shape == (0, 5)
    assert found.dtypes.to_dict() == found.compute().dtypes.to_dict()


def test_arguments_are_checked(people: dict[str, Path]) -> None:
    path = people["avro"]
    with pytest.raises(
        ValueError, match="dtype_backend: expected 'pyarrow' or 'numpy_nullable', found 'numpy'"
    ):
        read_dataset(path, dtype_backend="numpy")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="target_bytes|split_bytes"):
        read_dataset(path, split_bytes=0)
    with pytest.raises(arrowfeed.OptionError, match="path"):
        read_dataset(path.read_bytes())
