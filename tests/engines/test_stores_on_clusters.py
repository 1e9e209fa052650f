"""Workers of the clusters read an object store, with the credentials of `storage_options`."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import pickle
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import clusters
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rows

import arrowfeed

# The modules of this directory come first: both directories have a module `rows`.
sys.path.append(str(Path(__file__).resolve().parents[1] / "stores"))

from servers import S3Server
from stores import S3Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS = 100_000
SECRET = "hunter2-is-a-secret"
SPLIT_BYTES = 1 << 18


class Stored(NamedTuple):
    """Files in a store."""

    urls: list[str]
    """A glob of several Avro files, and a Parquet file."""
    options: dict[str, str]
    """The `storage_options`."""
    expected: rows.Checksum
    """The checksum of the local files of each format."""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    """Nine Avro files, and a Parquet file with the same rows, on an S3 server."""
    folder = rows.write(tmp_path_factory.mktemp("stored"), ROWS)
    table = pa.Table.from_batches(rows.batches(0, ROWS))
    pq.write_table(table, folder / "rows.parquet", row_group_size=ROWS // 10)
    local = arrowfeed.read_avro([str(path) for path in sorted(folder.glob("*.avro"))])
    expected = rows.total(rows.checksum(batch.to_pyarrow()) for batch in local)
    assert expected == rows.checksum(table)
    with S3Server() as server:
        store = S3Store(server, "rows")
        store.create()
        for path in folder.iterdir():
            store.put(path.name, path.read_bytes())
        assert len(store.names()) == 10
        urls = [store.url_of("part-*.avro"), store.url_of("rows.parquet")]
        yield Stored(urls, {**store.storage_options, "aws_secret_access_key": SECRET}, expected)


def sums(batch: pa.RecordBatch | pa.Table) -> dict[str, int]:
    """The checksum of rows, and the process that has read them."""
    return {**rows.checksum(batch)._asdict(), "pid": os.getpid()}


def assert_rows(parts: list[dict[str, Any]], stored: Stored) -> None:
    """The parts have the rows of the local files, and other processes have read them."""
    assert os.getpid() not in {part.pop("pid") for part in parts}
    assert rows.total(rows.Checksum(**part) for part in parts) == stored.expected


def summed(table: pa.Table) -> pa.Table:
    return pa.Table.from_pylist([sums(table)])


def test_ray(stored: Stored) -> None:
    with clusters.ray_cluster():
        read = importlib.import_module("arrowfeed.ray").read_dataset
        for url in stored.urls:
            found = read(url, storage_options=stored.options, split_bytes=SPLIT_BYTES)
            parts = found.map_batches(summed, batch_format="pyarrow", batch_size=None).take_all()
            assert_rows(parts, stored)


def summed_frame(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame([sums(pa.Table.from_pandas(frame, preserve_index=False))])


def test_dask(stored: Stored) -> None:
    with clusters.dask_client():
        read = importlib.import_module("arrowfeed.dask").read_dataset
        meta = pd.DataFrame([{**rows.Checksum()._asdict(), "pid": 0}]).iloc[:0]
        for url in stored.urls:
            found = read(url, storage_options=stored.options, split_bytes=SPLIT_BYTES)
            parts = found.map_partitions(summed_frame, meta=meta).compute()
            assert_rows(parts.to_dict("records"), stored)


def summed_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_pylist([sums(batch)])


def test_spark(spark: Any, stored: Stored) -> None:
    options = {f"storage.{name}": value for name, value in stored.options.items()}
    types = ", ".join(f"`{name}` long" for name in [*rows.Checksum._fields, "pid"])
    for url in stored.urls:
        reader = spark.read.format("arrowfeed").options(**options, split_bytes=SPLIT_BYTES)
        parts = reader.load(url).mapInArrow(summed_batches, types).collect()
        assert_rows([part.asDict() for part in parts], stored)


def test_beam(stored: Stored, tmp_path: Path) -> None:
    with clusters.job_service(tmp_path) as given:
        beam: Any = importlib.import_module("apache_beam")
        options = importlib.import_module("apache_beam.options.pipeline_options").PipelineOptions(given)
        read = importlib.import_module("arrowfeed.beam").ReadFromDataset
        for number, url in enumerate(stored.urls):
            with beam.Pipeline(runner="PortableRunner", options=options) as started:
                batches = started | read(url, storage_options=stored.options, split_bytes=SPLIT_BYTES)
                lines = batches | beam.Map(sums) | beam.Map(json.dumps)
                _ = lines | beam.io.WriteToText(str(tmp_path / f"sums-{number}"))
            written = "".join(path.read_text() for path in tmp_path.glob(f"sums-{number}-*"))
            assert_rows(list(map(json.loads, written.splitlines())), stored)


# ---- secrets


def of_ray(url: str, options: dict[str, str]) -> list[Any]:
    module = pytest.importorskip("arrowfeed.ray")
    given: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray.data.read_datasource", lambda datasource, **_: given.append(datasource))
        module.read_dataset(url, storage_options=options, split_bytes=SPLIT_BYTES)
    return list(itertools.chain.from_iterable(given[0]._parts))


def of_dask(url: str, options: dict[str, str]) -> list[Any]:
    module = pytest.importorskip("arrowfeed.dask")
    found = module.read_dataset(url, storage_options=options, split_bytes=SPLIT_BYTES)
    arguments = itertools.chain.from_iterable(task.args for task in found.dask.values())
    return [one for one in arguments if type(one) is arrowfeed.Split]


def of_spark(url: str, options: dict[str, str]) -> list[Any]:
    module = pytest.importorskip("arrowfeed.spark._source")
    texts = {f"storage.{name}": value for name, value in options.items()}
    source = module.ArrowfeedSource({"path": url, "split_bytes": str(SPLIT_BYTES), **texts})
    return source.reader(source.schema()).partitions()


def of_beam(url: str, options: dict[str, str]) -> list[Any]:
    module = pytest.importorskip("arrowfeed.beam")
    plan = module.ReadFromDataset(url, storage_options=options, split_bytes=SPLIT_BYTES)._plan
    return [split for group in plan.groups() for split in plan.process(group)]


@pytest.mark.parametrize("parts", [of_ray, of_dask, of_spark, of_beam])
def test_the_splits_have_no_secret(stored: Stored, parts: Callable[[str, dict[str, str]], list[Any]]) -> None:
    for url in stored.urls:
        found = parts(url, stored.options)
        assert len(found) > 2
        for part in found:
            assert len(pickle.dumps(part)) < 1024
            assert SECRET.encode() not in pickle.dumps(part)
            assert SECRET not in repr(part)
