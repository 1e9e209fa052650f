"""Readers send few and concurrent requests, fetch few bytes, and return the first batch early."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import ProxyOf, put_all
from limits import wait_until, within
from rows import files_of, ids, large_of
from stores import Store

ROWS = 20_000
SIZES = (ROWS, ROWS, ROWS)


@pytest.fixture
def large(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> Store:
    """Three Avro files of some 200 KB each, behind a proxy."""
    store = make_store("http")
    put_all(store, files_of("avro", SIZES))
    return store.through(proxy_of(store))


def urls(store: Store, count: int = len(SIZES)) -> list[str]:
    """The URLs of the files."""
    return [store.url_of(f"part-{part}.avro") for part in range(count)]


def size(store: Store, count: int = len(SIZES)) -> int:
    """The bytes of the files."""
    return sum(len(store.get(f"part-{part}.avro")) for part in range(count))


def options(store: Store, **more: str) -> dict[str, Any]:
    """Options of the store."""
    return {"storage_options": {**store.storage_options, **more}}


def ranges(store: Store) -> dict[str, list[tuple[int, int]]]:
    """The requested ranges by path, sorted."""
    found = defaultdict(list)
    for entry in store.proxy.stats()["log"]:
        if match := re.fullmatch(r"bytes=(\d+)-(\d+)", entry["range"]):
            found[entry["path"]].append((int(match[1]), int(match[2]) + 1))
    return {path: sorted(each) for path, each in found.items()}


def test_a_merge_of_schemas_reads_only_headers(large: Store) -> None:
    large.proxy.reset()
    dataset = af.AvroDataset(urls(large), reader_schema="merge", representations={}, **options(large))
    found = ranges(large)
    assert sorted(found) == sorted({f"/{url.split('/', 3)[3]}" for url in urls(large)})
    assert {each for ranges_of_file in found.values() for each in ranges_of_file} == {(0, 64 << 10)}
    assert dataset.schema_changes == []


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("request_bytes", ["4194304", "50000"])
def test_each_byte_is_fetched_once_in_file_order(large: Store, threads: int, request_bytes: str) -> None:
    large.proxy.reset()
    reader = af.read_avro(urls(large), threads=threads, **options(large, request_bytes=request_bytes))
    # The constructor has read the start of the first file.
    opening = large.proxy.stats()
    large.proxy.reset()
    assert ids(reader) == list(range(3 * ROWS))
    stats = large.proxy.stats()
    assert size(large) <= stats["body_bytes"] <= 1.05 * size(large)
    asked = ranges(large)
    assert len(asked) == 3
    for each in asked.values():
        assert each[0][0] == 0
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(each)), each
        assert all(end - start <= int(request_bytes) for start, end in each)
    requests = reader.report()["requests"]
    assert requests == {
        **{"requests": stats["requests"] + opening["requests"], "retries": 0},
        **{"bytes": stats["body_bytes"] + opening["body_bytes"]},
        **{"cached_bytes": 0, "without_ranges": 0, "slow": 0},
    }


def test_an_epoch_of_a_dataset_fetches_each_byte_once(large: Store) -> None:
    dataset = af.AvroDataset(urls(large), **options(large))
    opening = large.proxy.stats()
    for threads in (1, 2):
        large.proxy.reset()
        batches = dataset.record_batches(batch_size=1000, threads=threads)
        assert ids(batches) == list(range(3 * ROWS))
        stats = large.proxy.stats()
        assert size(large) <= stats["body_bytes"] <= 1.05 * size(large)
        requests = batches.report()["requests"]
        # The first reading reports the requests of the constructor.
        assert requests["bytes"] == stats["body_bytes"] + opening["body_bytes"]
        assert requests["requests"] == stats["requests"] + opening["requests"]
        opening = {"body_bytes": 0, "requests": 0}


def test_a_constructor_fetches_the_start_of_the_first_file(large: Store) -> None:
    for make in (af.read_avro, af.AvroDataset):
        large.proxy.reset()
        made = make(urls(large), **options(large))
        entries = [each for each in large.proxy.stats()["log"] if "part-0" in each["path"]]
        assert len(entries) == 1
        assert entries[0]["sent"] <= 1 << 17
        if make is af.AvroDataset:
            assert large.proxy.stats()["requests"] == 1
        del made


def test_a_glob_is_one_listing(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("s3")
    put_all(store, files_of("avro", (50, 50, 50)))
    store = store.through(proxy_of(store))
    dataset = af.AvroDataset(store.url_of("*.avro"), **options(store))
    assert store.proxy.stats()["requests"] == 2
    batches = dataset.record_batches(batch_size=40, threads=1)
    next(batches)
    store.proxy.reset()
    state = batches.state_dict()
    # The listing has the lengths. The reader may still fetch chunks of the next file meanwhile.
    assert [each for each in store.proxy.stats()["log"] if not each["range"]] == []
    again = dataset.record_batches(batch_size=40, threads=1)
    again.load_state_dict(state)
    assert ids(again) == list(range(40, 150))


@pytest.mark.parametrize("most", ["1", "4"])
def test_no_more_requests_are_in_flight_than_the_option_says(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, most: str
) -> None:
    store = make_store("http")
    put_all(store, files_of("avro", (20,) * 40))
    store = store.through(proxy_of(store))
    dataset = af.AvroDataset(urls(store, 40), **options(store, max_requests=most))
    for order in ({}, {"shuffle_buffer_size": 100, "seed": 1}, {"shard": (1, 2)}):
        store.proxy.plan()
        found = ids(dataset.record_batches(batch_size=50, threads=2, **order))
        assert len(found) == (400 if "shard" in order else 800)
        assert store.proxy.stats()["most_concurrent"] <= int(most)
        # No answer ends, so all the requests that may be in flight are.
        store.proxy.plan(stall=1, stall_seconds=600)
        batches = dataset.record_batches(batch_size=50, threads=2, **order)
        waiting, _ = read_until_closed(batches)
        try:
            wait_until(lambda: store.proxy.stats()["running"] >= max(int(most) * 3 // 4, 1))
            assert store.proxy.stats()["most_concurrent"] <= int(most)
        finally:
            batches.close()
        waiting.join(60)
        assert not waiting.is_alive()


def read_until_closed(batches: Any) -> tuple[threading.Thread, list[int]]:
    """Starts a thread that reads rows until another thread closes the iterator."""
    found: list[int] = []

    def read() -> None:
        with contextlib.suppress(ValueError):
            found.extend(ids(batches))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread, found


def test_the_first_batch_of_many_files_waits_for_none_of_the_others(
    make_store: Callable[[str], Store], proxy_of: ProxyOf
) -> None:
    store = make_store("http")
    files = files_of("avro", (20,) * 200)
    names = ["first.avro", *(f"later-{part}.avro" for part in range(1, 200))]
    put_all(store, dict(zip(names, files.values(), strict=True)))
    store = store.through(proxy_of(store, stall=1, stall_seconds=600, path_contains="later-"))
    dataset = within(60, lambda: af.AvroDataset(list(map(store.url_of, names)), **options(store)))
    batches = dataset.record_batches(batch_size=20, threads=2)
    assert within(60, lambda: next(batches)).num_rows == 20
    # The others are requested meanwhile, several at a time.
    waiting, rest = read_until_closed(batches)
    wait_until(lambda: store.proxy.stats()["running"] >= 12)
    assert store.proxy.stats()["most_concurrent"] <= 16
    assert waiting.is_alive()
    batches.close()
    waiting.join(60)
    assert rest == []


def test_a_shuffle_reads_the_heads_of_files_at_a_time(
    make_store: Callable[[str], Store], proxy_of: ProxyOf
) -> None:
    store = make_store("http")
    put_all(store, files_of("avro", (20,) * 64))
    store = store.through(proxy_of(store))
    # Requests that stall are sent again after this time.
    dataset = af.AvroDataset(urls(store, 64), **options(store, request_timeout="3"))
    store.proxy.plan(stall=1, stall_seconds=600)
    counted: list[int] = []
    counting = threading.Thread(target=lambda: counted.append(dataset.num_rows))
    counting.start()
    # None of the requests has an answer.
    wait_until(lambda: store.proxy.stats()["running"] >= 8)
    assert store.proxy.stats()["most_concurrent"] <= 16
    store.proxy.plan()
    counting.join(60)
    assert counted == [64 * 20]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_indexed_shuffle_does_not_read_all_before_the_first_batch(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, tmp_path: Path, threads: int
) -> None:
    store = make_store("http")
    files = {
        f"part-{part}.avro": large_of("avro", range(1000 * part, 1000 * part + 1000)) for part in range(40)
    }
    put_all(store, files)
    total = sum(map(len, files.values()))
    store = store.through(proxy_of(store))
    index = tmp_path / "index.json"
    af.AvroDataset(urls(store, 40), **options(store)).save_index(index)
    order = {"batch_size": 100, "shuffle_buffer_size": 1000, "seed": 1, "threads": threads}
    few = options(store, read_ahead_bytes="2000000")
    dataset = af.AvroDataset(urls(store, 40), index=index, **few)
    store.proxy.reset()
    with dataset.record_batches(**order) as batches:
        next(batches)
        time.sleep(0.2)
        assert 0 < store.proxy.stats()["body_bytes"] < 0.7 * total
    dataset = af.AvroDataset(urls(store, 40), index=index, **options(store))
    store.proxy.reset()
    assert len(ids(dataset.record_batches(**order))) == 40_000
    # Ranges that are close share a request, and the start of each file is read.
    assert store.proxy.stats()["body_bytes"] < 1.5 * total


def test_read_ahead_has_a_bound(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("http")
    files = files_of("jsonl", (1000,), pad=4000)
    [url] = put_all(store, files)
    total = sum(map(len, files.values()))
    store = store.through(proxy_of(store))
    more = options(store, read_ahead_bytes="400000", request_bytes="100000")
    reader = af.read_json_lines(
        url.replace(store.direct, store.address),
        schema=pa.schema([("id", pa.int64())]),
        batch_size=10,
        threads=1,
        **more,
    )
    next(reader)
    wait_until(lambda: store.proxy.stats()["running"] == 0)
    time.sleep(0.2)
    # The bytes that were read, up to 256 KiB at a time, and as many that may wait.
    assert total > 4_000_000
    assert store.proxy.stats()["body_bytes"] < 1_600_000
    assert len(ids(reader)) == 990
    assert store.proxy.stats()["body_bytes"] <= 1.1 * total


def wide(groups: int, rows: int) -> bytes:
    """A Parquet file of 20 incompressible columns."""
    random = np.random.default_rng(1)
    columns = {f"c{number}": random.integers(0, 1 << 60, groups * rows) for number in range(20)}
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, row_group_size=rows, use_dictionary=False, compression="none")
    return file.getvalue()


@pytest.mark.parametrize("threads", [1, 2])
def test_two_columns_of_twenty_fetch_their_pages(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, threads: int
) -> None:
    store = make_store("http")
    body = wide(3, 20_000)
    store.put("wide.parquet", body)
    store = store.through(proxy_of(store))
    metadata = pq.ParquetFile(io.BytesIO(body)).metadata
    chunks = [metadata.row_group(group).column(column) for group in range(3) for column in (3, 15)]
    wanted = sum(chunk.total_compressed_size for chunk in chunks)
    assert wanted < len(body) / 8
    footers = 2 * (64 << 10)
    url = store.url_of("wide.parquet")
    reader = af.read_parquet(url, columns=["c3", "c15"], threads=threads, **options(store))
    table = pa.table(reader)
    assert table == pq.read_table(io.BytesIO(body), columns=["c3", "c15"])
    assert wanted <= store.proxy.stats()["body_bytes"] < 1.3 * wanted + footers
    store.proxy.reset()
    dataset = af.ParquetDataset(url, columns=["c3", "c15"], **options(store))
    rows = sum(batch.num_rows for batch in dataset.record_batches(batch_size=999, threads=threads))
    assert rows == 60_000
    assert wanted <= store.proxy.stats()["body_bytes"] < 1.3 * wanted + 2 * footers


def test_close_columns_share_requests(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("http")
    body = wide(3, 2000)
    store.put("wide.parquet", body)
    store = store.through(proxy_of(store))
    reader = af.read_parquet(store.url_of("wide.parquet"), threads=1, **options(store))
    assert sum(batch.num_rows for batch in reader) == 6000
    stats = store.proxy.stats()
    # Of 60 chunks of columns.
    assert stats["requests"] <= 8
    assert stats["body_bytes"] <= 1.1 * len(body) + (64 << 10)


def test_a_filter_fetches_the_row_groups_that_may_have_rows_that_pass(
    make_store: Callable[[str], Store],
) -> None:
    numbers = np.arange(200_000)
    noise = np.random.default_rng(1)
    table = pa.table({"id": numbers, "mixed": noise.permutation(numbers), "pad": noise.random(len(numbers))})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, row_group_size=10_000, write_page_index=True)
    store = make_store("http")
    store.put("a.parquet", buffer.getvalue())
    group = len(buffer.getvalue()) / 20
    # The pad of the last filter is not fetched.
    for where, rows, groups in [
        ("id < 100", 100, 1),
        ("id >= 50000 and id < 50010", 10, 1),
        ("id >= 59999 and id <= 60000", 2, 2),
        ("id < 0", 0, 0),
        ("id < 20000 and mixed < 0", 0, 0),
    ]:
        reader = af.read_parquet(store.url_of("a.parquet"), where=where, **options(store))
        assert sum(batch.num_rows for batch in reader) == rows
        fetched = reader.report()["requests"]["bytes"]
        assert fetched < (1 << 20) + 65_536 + 1.2 * group * groups, (where, fetched)
        assert fetched < len(buffer.getvalue()) / 2
