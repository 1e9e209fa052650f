"""A pickled dataset and the child of a fork read in other processes, through their own connections."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import arrowfeed as af
import pytest
from children import rows_of_pickle, rows_of_splits, work
from conftest import KINDS
from corpus import ProxyOf, put_all
from limits import wait_until, within
from rows import FORMATS, files_of, ids
from stores import Store

SECONDS = 60
CHILD_SECONDS = 60
SIZES = (60, 50, 40)
TOTAL = sum(SIZES)
SHUFFLE = {"batch_size": 20, "shuffle_buffer_size": 60, "seed": 2}


def dataset_of(store: Store, format: str = "avro") -> Any:
    """A dataset of some objects."""
    urls = put_all(store, files_of(format, SIZES))
    return af.open_dataset(urls, storage_options=store.storage_options)


@pytest.fixture(scope="module")
def spawned() -> Any:
    """Starts processes without a fork."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        yield pool


@pytest.mark.parametrize(
    ("kind", "format"), [*((kind, "avro") for kind in KINDS), *(("http", each) for each in FORMATS[1:])]
)
def test_a_pickled_dataset_reads_in_another_process(
    spawned: Any, make_store: Callable[[str], Store], kind: str, format: str
) -> None:
    dataset = dataset_of(make_store(kind), format)
    expected = ids(dataset.record_batches(**SHUFFLE))
    data = pickle.dumps(dataset)
    found = [spawned.submit(rows_of_pickle, data, {**SHUFFLE, "threads": threads}) for threads in (1, 2)]
    assert [each.result(SECONDS) for each in found] == [expected] * 2
    splits = dataset.plan_splits(target_bytes=1000)
    halves = [pickle.dumps(splits[number::2]) for number in range(2)]
    found = [spawned.submit(rows_of_splits, data, half) for half in halves]
    rows = [number for each in found for number in each.result(SECONDS)]
    assert sorted(rows) == list(range(TOTAL))


def in_child(call: Callable[[], Any]) -> Any:
    """The result of `call` in a forked child, with a time limit."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of forks of processes with threads.
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            signal.alarm(CHILD_SECONDS)
            try:
                value = call()
            except BaseException:
                value = traceback.format_exc()
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(value, pipe)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert status == 0, f"the child ended with status {status}: {CHILD_SECONDS} s are over, or it crashed"
    return pickle.loads(data)


def test_a_child_of_a_fork_reads(http_based: Store) -> None:
    dataset = dataset_of(http_based)
    expected = ids(dataset.record_batches(**SHUFFLE))
    for threads in (1, 2):
        options = {**SHUFFLE, "threads": threads}
        assert in_child(lambda options=options: ids(dataset.record_batches(**options))) == expected
        assert ids(dataset.record_batches(**options)) == expected


def test_a_child_reads_while_its_parent_reads(http_based: Store) -> None:
    dataset = dataset_of(http_based)
    batches = dataset.record_batches(batch_size=10, threads=2, epochs=20)
    found = ids([next(batches) for _ in range(5)])
    child = in_child(lambda: ids(dataset.record_batches(batch_size=10, threads=2)))
    assert child == list(range(TOTAL))
    assert found + within(SECONDS, lambda: ids(batches)) == list(range(TOTAL)) * 20


def test_hdfs_in_the_child_of_a_process_that_reads_hdfs_is_an_error(
    make_store: Callable[[str], Store],
) -> None:
    dataset = dataset_of(make_store("hdfs"))
    assert len(ids(dataset.record_batches(batch_size=10))) == TOTAL
    text = in_child(lambda: ids(dataset.record_batches(batch_size=10)))
    assert "expected a process that was not forked from one that reads HDFS, found a forked one" in text


def test_an_iterator_of_the_parent_is_an_error_in_the_child(store: Store) -> None:
    dataset = dataset_of(store)
    batches = dataset.record_batches(batch_size=10, threads=2)
    reader = af.read_avro(store.url_of("part-0.avro"), storage_options=store.storage_options)
    next(batches)

    def errors() -> list[str]:
        texts = []
        for each in (batches, reader):
            try:
                next(each)
            except ValueError as error:
                texts.append(str(error))
        # Neither dropping nor closing waits for threads that the child lacks.
        batches.close()
        reader.close()
        return texts

    texts = in_child(errors)
    assert len(texts) == 2
    assert all("fork" in text for text in texts), texts
    assert ids(reader) == list(range(SIZES[0]))


def test_forks_at_any_moment_do_not_hang(http_based: Store) -> None:
    """Other threads of the parent send requests while it forks: their locks may be held."""
    dataset = dataset_of(http_based)
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            ids(dataset.record_batches(batch_size=30, threads=2))

    threads = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            time.sleep(0.02)
            found = in_child(lambda: ids(dataset.record_batches(batch_size=30, threads=2)))
            assert found == list(range(TOTAL))
    finally:
        stop.set()
        for thread in threads:
            thread.join(SECONDS)
    assert not any(thread.is_alive() for thread in threads)


def test_a_child_has_connections_of_its_own(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> None:
    store = make_store("http")
    dataset = dataset_of(store.through(proxy_of(store)))
    proxy = proxy_of(store)
    dataset = af.AvroDataset(
        [store.through(proxy).url_of(f"part-{part}.avro") for part in range(3)],
        storage_options=store.storage_options,
    )
    assert ids(dataset.record_batches(batch_size=50)) == list(range(TOTAL))
    proxy.reset()
    for _ in range(3):
        assert in_child(lambda: ids(dataset.record_batches(batch_size=50))) == list(range(TOTAL))
    assert proxy.stats()["connections"] >= 3
    proxy.reset()
    # The connections of the parent still work. One more may open where two requests overlap.
    assert ids(dataset.record_batches(batch_size=50)) == list(range(TOTAL))
    counts = proxy.stats()
    assert counts["connections"] < counts["requests"]
    wait_until(lambda: proxy.stats()["running"] == 0)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_share_the_rows(store: Store, method: str) -> None:
    if (store.kind, method) == ("hdfs", "fork"):
        pytest.skip(
            "SKIPPED: HDFS is refused in the child of a process that reads HDFS, see the test of that"
        )
    dataset = dataset_of(store)
    options = {"batch_size": 9, "shuffle_buffer_size": 40, "seed": 3, "threads": 1, "epochs": 2}
    expected = [ids(dataset.record_batches(shard=(number, 2), **options)) for number in range(2)]
    context: Any = multiprocessing.get_context(method)
    batches = context.Queue(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        workers = [
            context.Process(target=work, args=(dataset, number, 2, batches, options), daemon=True)
            for number in range(2)
        ]
        for worker in workers:
            worker.start()
    found: list[list[int]] = [[], []]
    left = 2
    while left:
        number, rows = batches.get(timeout=SECONDS)
        if rows is None:
            left -= 1
        else:
            assert isinstance(rows, list), rows
            found[number] += rows
    assert found == expected
    assert sorted(found[0] + found[1]) == sorted([*range(TOTAL)] * 2)
    for worker in workers:
        worker.join(SECONDS)
        assert worker.exitcode == 0
