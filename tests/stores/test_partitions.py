"""A directory in a store has the files of all directories below, and their values as columns."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import arrowfeed as af
import pytest
from corpus import put_all
from rows import DATASETS, FORMATS, READERS, SCHEMAS, file_of, frames
from stores import Store

PARTS = {"dt=2026-01-01/n=1": range(30), "dt=2026-01-02/n=2": range(30, 50), "n=3": range(50, 65)}
ADDED: dict[str, Any] = {"partitioning": "hive", "file_column": "path", "row_column": "row"}


@pytest.fixture(params=("s3", "gcs", "azure", "hdfs"))
def store(request: pytest.FixtureRequest, make_store: Callable[[str], Store]) -> Store:
    """A store that lists files."""
    return make_store(request.param)


@pytest.mark.parametrize("format", FORMATS)
def test_directories_of_a_store_are_columns(store: Store, format: str) -> None:
    files = {f"table/{part}/part.{format}": file_of(format, numbers) for part, numbers in PARTS.items()}
    others = {f"table/{part}/part.{format}": file_of(format, range(5)) for part in ("_log", "n=1/.hidden")}
    urls = put_all(store, files)
    put_all(store, others)
    wanted = [
        {
            "dt": part[3:13] if part.startswith("dt") else None,
            "n": int(part[-1]),
            "path": url,
            "row": row,
        }
        for (part, numbers), url in zip(PARTS.items(), urls, strict=True)
        for row in range(len(numbers))
    ]
    source, options = store.url_of("table/"), {"storage_options": store.storage_options, **ADDED}

    def added(batches: Any) -> list[dict[str, Any]]:
        return [row for batch in frames(batches) for row in batch.select(list(wanted[0])).to_pylist()]

    for threads in (1, 2):
        reader = READERS[format](source, threads=threads, batch_size=7, **SCHEMAS[format], **options)
        assert added(reader) == wanted
    dataset = DATASETS[format](source, representations={}, **SCHEMAS[format], **options)
    copy = pickle.loads(pickle.dumps(dataset))
    assert added(copy.record_batches(batch_size=9)) == wanted
    shuffled = added(copy.record_batches(batch_size=9, shuffle_buffer_size=40, seed=1, threads=2))
    assert sorted(shuffled, key=lambda row: (row["n"], row["row"])) == wanted
    splits = copy.plan_splits(target_bytes=2000)
    assert added(batch for split in splits for batch in copy.read_split(split)) == wanted
    opened = af.open_dataset(source, representations={}, **SCHEMAS[format], **options)
    assert added(opened.record_batches(batch_size=50)) == wanted
