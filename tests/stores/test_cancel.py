"""`close()`, Ctrl-C and dropping end calls to a server that stalls before it goes on, and leave no thread."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import arrowfeed as af
import pytest
from corpus import ProxyOf, put_all
from limits import is_soon, measures, thread_names, wait_for_threads, wait_until, within
from rows import files_of, ids
from stores import Store

ANSWER_SECONDS = 0.2
"""A call ends within this time, on a machine that does nothing else."""
SIZES = (40, 40, 40, 40)
PATIENT = {"request_timeout": "600", "retry_timeout": "600"}


@pytest.fixture
def stalling(make_store: Callable[[str], Store], proxy_of: ProxyOf) -> Store:
    """A store in which all objects except the first will stall."""
    store = make_store("http")
    put_all(store, files_of("avro", SIZES))
    return store.through(proxy_of(store))


def stall(store: Store, names: str = "part-") -> None:
    """Makes requests for objects stall."""
    store.proxy.plan(stall=1, stall_seconds=600, path_contains=names)


def urls(store: Store) -> list[str]:
    """The URLs of the objects."""
    return [store.url_of(f"part-{part}.avro") for part in range(len(SIZES))]


def options(store: Store) -> dict[str, Any]:
    """Options of a patient client."""
    return {"storage_options": {**store.storage_options, **PATIENT}}


def reader(store: Store, threads: int) -> Any:
    """A reader that has opened the first object."""
    return af.read_avro(urls(store), threads=threads, batch_size=20, **options(store))


def iterator(store: Store, threads: int, **order: Any) -> Any:
    """An iterator that has sent no request."""
    dataset = af.AvroDataset(urls(store), **options(store))
    return dataset.record_batches(batch_size=20, threads=threads, **order)


MAKERS: dict[str, Callable[[Store, int], Any]] = {
    "reader": reader,
    "iterator": iterator,
    "shuffle": lambda store, threads: iterator(store, threads, shuffle_buffer_size=50, seed=1),
}


class Waiting:
    """A thread that waits for a batch."""

    def __init__(self, batches: Any) -> None:
        self.ended = 0.0
        self.outcome: object = None
        self.thread = threading.Thread(target=self.run, args=(batches,), daemon=True, name="waiting")
        self.thread.start()

    def run(self, batches: Any) -> None:
        try:
            self.outcome = ids(batches)
        except BaseException as error:
            self.outcome = error
        self.ended = time.monotonic()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", MAKERS)
@measures
def test_close_ends_a_wait_of_another_thread(stalling: Store, kind: str, threads: int, measure: str) -> None:
    def of_close() -> float:
        """The longer of the times after which `close` returns and the wait ends."""
        stalling.proxy.plan()
        before = thread_names()
        batches = MAKERS[kind](stalling, threads)
        stall(stalling)
        waiting = Waiting(batches)
        wait_until(lambda: stalling.proxy.stats()["faults"].get("stall"))
        time.sleep(0.1)
        assert waiting.thread.is_alive()
        begin = time.monotonic()
        within(60, batches.close)
        closed = time.monotonic()
        waiting.thread.join(60)
        assert not waiting.thread.is_alive()
        assert isinstance(waiting.outcome, ValueError), repr(waiting.outcome)
        wait_for_threads(before)
        wait_until(lambda: stalling.proxy.stats()["running"] == 0)
        return max(closed, waiting.ended) - begin

    is_soon(measure, ANSWER_SECONDS, of_close)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("how", ["close", "drop"])
@measures
def test_stopping_in_the_middle_waits_for_no_request(
    stalling: Store, kind: str, threads: int, how: str, measure: str
) -> None:
    def of_stopping() -> float:
        stalling.proxy.plan()
        before = thread_names()
        batches = MAKERS[kind](stalling, threads)
        if kind == "shuffle":
            # The heads of all blocks are read before the first batch.
            next(batches)
        stall(stalling, "part-3" if kind != "shuffle" else "part-")
        if kind != "shuffle":
            next(batches)
            if threads == 2:
                wait_until(lambda: stalling.proxy.stats()["faults"].get("stall"))
        begin = time.monotonic()
        if how == "close":
            batches.close()
        del batches
        gc.collect()
        seconds = time.monotonic() - begin
        assert seconds < 300, "it ended with the stall"
        wait_for_threads(before)
        wait_until(lambda: stalling.proxy.stats()["running"] == 0)
        return seconds

    is_soon(measure, ANSWER_SECONDS, of_stopping)


def test_a_store_can_be_read_after_a_close(stalling: Store) -> None:
    batches = reader(stalling, 2)
    stall(stalling)
    waiting = Waiting(batches)
    wait_until(lambda: stalling.proxy.stats()["faults"].get("stall"))
    batches.close()
    waiting.thread.join(60)
    stalling.proxy.plan()
    assert ids(reader(stalling, 2)) == list(range(sum(SIZES)))


SCRIPT = """
    import json, os, signal, sys, time
    import arrowfeed as af

    given = json.loads(sys.argv[1])
    urls, options = given["urls"], {"storage_options": given["options"]}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    def names():
        tasks = os.listdir("/proc/self/task")
        comms = [open(f"/proc/self/task/{task}/comm").read().strip() for task in tasks]
        return sorted(name for name in comms if not name.startswith("arrowfeed-store"))
    before = names()
    try:
        exec(compile(given["call"], "call", "exec"))
        answer = "no error"
    except KeyboardInterrupt:
        answer = "KeyboardInterrupt"
    except BaseException as error:
        answer = repr(error)
    now = time.monotonic()
    batches = None
    time.sleep(0.05)
    print(json.dumps([now, answer, before, names()]), flush=True)
    os._exit(0)
"""

CALLS = {
    "reader": "for _ in af.read_avro(urls, threads={threads}, **options): pass",
    "constructor": "af.AvroDataset(urls, **options)",
    "glob": "af.read_avro(urls[0].replace('part-0', 'part-*'), **options)",
    "schema": "af.avro_schema(urls[0], **options)",
    "plan": "af.AvroDataset(urls, **options).plan_splits()",
    "iteration": (
        "for _ in af.AvroDataset(urls, **options).record_batches(batch_size=9, threads={threads}): pass"
    ),
    "shuffle": (
        "next(af.AvroDataset(urls, **options)"
        ".record_batches(batch_size=9, threads={threads}, shuffle_buffer_size=9, seed=1))"
    ),
    "num_rows": "af.AvroDataset(urls, **options).num_rows",
    "split": "for _ in af.AvroDataset(urls[3], **options).read_split(af.Split(urls[3], 0, 1 << 30)): pass",
    "inference": "af.read_json_lines(urls[3], **options)",
    "open": "af.open_dataset(urls[3], **options)",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", CALLS)
@measures
def test_ctrl_c_ends_a_call_that_waits_for_a_store(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, call: str, threads: int, measure: str
) -> None:
    if "{threads}" not in CALLS[call] and threads == 2:
        pytest.skip("the call has no threads")
    store = make_store("s3")
    put_all(store, files_of("avro", SIZES))
    store = store.through(proxy_of(store))
    later = call in ("reader", "iteration", "plan", "shuffle", "num_rows")
    given = {
        "urls": urls(store),
        "options": {**store.storage_options, **PATIENT},
        "call": CALLS[call].format(threads=threads),
    }
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(SCRIPT), json.dumps(given)]

    def of_the_answer() -> float:
        store.proxy.plan(stall=1, stall_seconds=600, path_contains="part-3" if later else "")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                wait_until(lambda: store.proxy.stats()["faults"].get("stall") or process.poll() is not None)
                time.sleep(0.2)
                sent = time.monotonic()
                process.send_signal(signal.SIGINT)
                out, errors = process.communicate(timeout=60)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
        assert out, errors
        ended, answer, before, after = json.loads(out)
        assert answer == "KeyboardInterrupt"
        assert ended >= sent
        assert after == before
        wait_until(lambda: store.proxy.stats()["running"] == 0)
        return ended - sent

    is_soon(measure, ANSWER_SECONDS, of_the_answer)
