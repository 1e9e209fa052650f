"""The worker processes of `Dataset.map`: how long they live, what they take and what they raise."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from dataset_files import ids
from law_sources import Chunks

ROWS = 200
STEP = 10


class RowError(Exception):
    """An exception whose class has other arguments than the exception."""

    def __init__(self, row, reason):
        super().__init__(f"row {row}: {reason}")
        self.row = row


class PrefixedError(Exception):
    """An exception whose pickle would have another text."""

    def __init__(self, text):
        super().__init__(f"prefix {text}")


def act(batch):
    """The process of each row. Some rows have another effect."""
    first = ids(batch)[0]
    if first == 100:
        raise RowError(100, "no such label")
    if first == 110:
        raise PrefixedError("text")
    if first == 120:

        class LocalError(Exception):
            pass

        raise LocalError("of a function")
    if first == 130:
        next(iter(()))
    if first == 140:
        os._exit(7)
    if first == 150:
        # The next iteration waits for this call.
        time.sleep(2)
    if first == 160:
        raise SystemExit("leave")
    return pa.table({"id": ids(batch), "process": pa.array([os.getpid()] * batch.num_rows, pa.int64())})


SCHEMA = pa.schema({"id": pa.int64(), "process": pa.int64()})


def source():
    return af.ChunkDataset([Chunks(0, ROWS)], columns=["id"])


@pytest.fixture(scope="module")
def mapped():
    """A dataset whose tests share one worker."""
    return source().map(act, workers=1, schema=SCHEMA)


def read(dataset, **options):
    """The numbers of the rows, and the processes that had them."""
    batches = dataset.record_batches(batch_size=STEP, **options)
    tables = pa.concat_tables(pa.table(batch) for batch in batches)
    return tables["id"].to_pylist(), set(tables["process"].to_pylist())


def rows_from(mapped, first):
    return mapped.skip(first).take(STEP)


def wait_until_ended(process):
    end = time.monotonic() + 60
    while process in {child.pid for child in multiprocessing.active_children()}:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_processes_stay_for_all_iterations_and_parts_of_a_dataset(mapped):
    found, processes = read(mapped.take(100), epochs=2, threads=2)
    assert found == 2 * list(range(100))
    assert len(processes) == 1
    assert os.getpid() not in processes
    assert read(mapped.take(50)) == (list(range(50)), processes)
    assert read(mapped.project(["id", "process"]).take(50))[1] == processes


def test_results_of_a_closed_iteration_do_not_reach_the_next_one(mapped):
    for _ in range(2):
        batches = mapped.take(100).record_batches(batch_size=STEP)
        next(batches)
        batches.close()
        assert read(mapped.skip(50).take(40))[0] == list(range(50, 90))


def test_two_iterations_at_once_have_workers_of_their_own(mapped):
    both = [mapped.take(50).record_batches(batch_size=STEP) for _ in range(2)]
    found = [[pa.table(batch) for batch in pair] for pair in zip(*both, strict=True)]
    for one, other in found:
        assert one["id"] == other["id"]
        assert one["process"] != other["process"]


@pytest.mark.parametrize(
    ("first", "kind", "text"),
    [
        (100, RowError, "row 100: no such label"),
        (110, PrefixedError, "prefix text"),
        (
            120,
            RuntimeError,
            "map: the function raised test_map_workers.act.<locals>.LocalError: of a function",
        ),
        (130, RuntimeError, "map: the function raised StopIteration"),
        (160, SystemExit, "leave"),
    ],
)
def test_an_exception_of_a_worker_has_its_class_and_text(mapped, first, kind, text):
    with pytest.raises(kind) as caught:
        read(rows_from(mapped, first))
    assert type(caught.value) is kind
    assert str(caught.value) == text
    cause = caught.value.__cause__
    if first == 130:
        assert isinstance(cause, StopIteration)
    else:
        assert "in act\n" in str(cause)
    assert getattr(caught.value, "row", None) == (100 if kind is RowError else None)


def test_a_worker_that_has_ended_is_an_error_and_the_next_iteration_starts_another(mapped):
    [_, before] = read(mapped.take(10))
    with pytest.raises(RuntimeError) as caught:
        read(rows_from(mapped, 140))
    assert str(caught.value) == (
        "map: expected a worker that calls the function, found it ended with exit code 7"
    )
    [found, after] = read(mapped.take(10))
    assert found == list(range(10))
    assert before.isdisjoint(after)
    # A worker that ends while nobody uses it is replaced.
    os.kill(*after, signal.SIGKILL)
    wait_until_ended(*after)
    [found, last] = read(mapped.take(10))
    assert found == list(range(10))
    assert last.isdisjoint(after)


def test_ctrl_c_ends_the_wait_and_no_worker(mapped):
    [_, before] = read(mapped.take(10))
    os.kill(*before, signal.SIGINT)
    assert read(mapped.take(10))[1] == before
    main, ended = threading.get_ident(), threading.Event()

    def interrupt():
        while not ended.wait(0.2):
            signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        read_until(ended, rows_from(mapped, 150))
    thread.join()


def read_until(ended, dataset):
    try:
        read(dataset)
    finally:
        ended.set()


def test_a_function_that_cannot_be_pickled_is_an_error_of_map():
    lock = threading.Lock()
    with pytest.raises(TypeError) as caught:
        source().map(lambda batch: lock and batch, workers=2)
    assert str(caught.value).startswith(
        "function: expected a function that can be pickled, because workers=2 calls it in other processes, "
        "found <function test_a_function_that_cannot_be_pickled_is_an_error_of_map.<locals>.<lambda> at 0x"
    )
    assert str(caught.value).endswith(
        "): define it at the top level of a module, and pass values with functools.partial"
    )
    assert caught.value.__cause__ is not None


class Large:
    """Counts rows and bytes, and returns as many bytes."""

    def __call__(self, batch):
        table = pa.table(batch)
        values = table["id"].combine_chunks()
        whole = pa.LargeListArray.from_arrays([0, len(values)], values)
        return pa.table({"rows": [len(table)], "bytes": [table.nbytes], "id": whole})


def test_batches_of_any_size_reach_a_worker_whole(tmp_path):
    """More than 8,192 rows, more than 2 MiB, and more than 256 MiB: the bounds of `read_arrow_ipc`."""
    path = tmp_path / "long.avro"
    af.write_avro(pa.table({"id": ["a" * 10_000] * 600}), path)
    counts = pa.schema({"rows": pa.int64(), "bytes": pa.int64(), "id": pa.large_list(pa.string())})
    long = af.AvroDataset(path).map(Large(), workers=1, schema=counts)
    found = [pa.table(batch) for batch in long.record_batches(batch_size=512)]
    assert [table["rows"].to_pylist() for table in found] == [[512], [88]]
    assert found[0]["bytes"][0].as_py() > 2 << 20
    assert found[0]["id"][0].as_py() == ["a" * 10_000] * 512
    rows = (256 << 20) // 8 + 8193
    path = tmp_path / "many.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, pa.schema({"id": pa.int64()})) as writer:
        for start in range(0, rows, 1 << 22):
            count = min(1 << 22, rows - start)
            writer.write_batch(pa.record_batch({"id": np.arange(start, start + count)}))
    counts = pa.schema({"rows": pa.int64(), "bytes": pa.int64(), "id": pa.large_list(pa.int64())})
    many = af.ArrowDataset(path, representations={}).map(Large(), workers=1, schema=counts)
    [batch] = many.record_batches(batch_size=rows, threads=1)
    table = pa.table(batch)
    assert table["rows"].to_pylist() == [rows]
    assert table["bytes"].to_pylist() == [8 * rows]
    assert (table["id"].chunk(0).values.to_numpy() == np.arange(rows)).all()


def test_the_processes_end_with_the_dataset():
    dataset = source().map(act, workers=1, schema=SCHEMA)
    [_, [process]] = read(dataset.take(10))
    copy = pickle.loads(pickle.dumps(dataset))
    assert process in {child.pid for child in multiprocessing.active_children()}
    del dataset
    gc.collect()
    wait_until_ended(process)
    assert copy.num_rows == ROWS


PROGRAM = """
import os, sys, time
sys.path[:0] = {path!r}
import test_map_workers as test

if __name__ == "__main__":
    mapped = test.source().map(test.locked, workers=2, schema=test.SCHEMA)
    batches = mapped.record_batches(batch_size=test.STEP)
    print(next(batches).num_rows, flush=True)
    time.sleep(600)
"""


def locked(batch):
    """Locks a file until the process ends. The second batch takes long."""
    import fcntl  # noqa: PLC0415

    descriptor = os.open(os.environ["MAP_LOCK"], os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return act(batch) if ids(batch)[0] == 0 else time.sleep(600)


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_workers_end_with_a_parent_that_was_killed(tmp_path):
    import fcntl  # noqa: PLC0415

    lock = tmp_path / "lock"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(path=sys.path))
    parent = subprocess.Popen(
        [sys.executable, program], env={**os.environ, "MAP_LOCK": str(lock)}, stdout=subprocess.PIPE
    )
    try:
        assert parent.stdout.readline() == b"10\n"
        with lock.open("a") as file:
            with pytest.raises(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            parent.kill()
            end = time.monotonic() + 60
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    assert time.monotonic() < end
                    time.sleep(0.02)
    finally:
        parent.kill()
        parent.communicate()


def run(tmp_path, text):
    """The output of a program that maps `dataset` with `double`."""
    program = tmp_path / "program.py"
    path = tmp_path / "rows.avro"
    af.write_avro(pa.table({"id": range(30)}), path)
    start = f"""
        import pyarrow as pa, arrowfeed as af
        def double(batch):
            table = pa.table(batch)
            return pa.table({{"id": pa.compute.multiply(table["id"], 2)}})
        dataset = af.AvroDataset({str(path)!r})
        """
    program.write_text(textwrap.dedent(start) + textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, "-W", "ignore", program], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_program_without_a_guard_is_an_error_that_names_it(tmp_path):
    ended = run(tmp_path, "next(dataset.map(double, workers=1).record_batches(batch_size=9))")
    assert ended.returncode == 1
    assert not ended.stdout
    guard = 'put the code that starts the program below `if __name__ == "__main__":`'
    assert (
        "RuntimeError: map: expected a main program that can be imported, found one that starts workers "
        f"while a worker imports it: {guard}\n"
    ) in ended.stderr
    assert ended.stderr.endswith(
        "RuntimeError: map: expected a worker that imports the main program, found it ended with exit code "
        f"1, after the message above: {guard}\n"
    )


def test_a_program_ends_with_an_iteration_and_workers_that_are_left(tmp_path):
    text = """
        if __name__ == "__main__":
            batches = dataset.map(double, workers=2).record_batches(batch_size=5)
            print(pa.table(next(batches))["id"].to_pylist())
        """
    ended = run(tmp_path, text)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "[0, 2, 4, 6, 8]\n", "")


def in_child(dataset, results):
    results.put(read(dataset.take(20)))


def test_a_forked_process_has_workers_of_its_own(mapped):
    [_, before] = read(mapped.take(20))
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=in_child, args=(mapped, results), daemon=False)
    child.start()
    found, processes = results.get()
    child.join(60)
    assert child.exitcode == 0
    assert found == list(range(20))
    assert processes.isdisjoint(before)
    assert read(mapped.take(20)) == (list(range(20)), before)


def test_a_process_without_children_calls_the_function_itself(mapped):
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=in_child, args=(mapped, results), daemon=True)
    child.start()
    assert results.get() == (list(range(20)), {child.pid})
    child.join(60)
