"""Children that are forked while threads decode can read, drop, iterate and exit.

3 seconds of forks; `make test-long` has 10, and `ARROWFEED_FORK_SECONDS=600` more.
"""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import fastavro
import pytest

from dataset_files import people_files
from life_cycle import BATCHES, KINDS, count, run, run_all

SECONDS = count("ARROWFEED_FORK_SECONDS", 3)
WORKER = Path(__file__).with_name("life_cycle_worker.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")

FORKED = """
import collections, gc, random, shutil, subprocess


def show_threads(pid):
    '''Prints the threads of a process, with their native stacks where a debugger is installed.'''
    folder = f"/proc/{pid}/task"
    for thread in os.listdir(folder) if os.path.isdir(folder) else []:
        with open(f"{folder}/{thread}/comm") as name, open(f"{folder}/{thread}/wchan") as place:
            print("thread", thread, name.read().strip(), "waits in", place.read(), file=sys.stderr)
    if shutil.which("gdb"):
        command = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 40"]
        print(subprocess.run(command, capture_output=True, text=True).stdout, file=sys.stderr)


def child_of(work, number, limit=60):
    '''Forks, works in the child, and tells whether it ended well within the limit.'''
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
    end = time.monotonic() + limit
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status) == 0
        if time.monotonic() > end:
            print("the child", number, work.__name__, "hangs", file=sys.stderr)
            show_threads(pid)
            os.kill(pid, signal.SIGABRT)
            os.waitpid(pid, 0)
            return False
        time.sleep(0.0005)
"""

STRESS = (
    BATCHES
    + FORKED
    + """
given = json.loads(sys.argv[1])
path, kept, stop = given["path"], collections.deque(maxlen=200), []
features = {"id": af.representations.Dense("id"), "vector": af.representations.Ragged("vector")}
dataset = af.AvroDataset([path] * 3, representations=features)


def consume(kind):
    while not stop:
        for batch in itertools.islice(batches_of(kind, path, batch_size=2, threads=3), 2000):
            kept.append(batch)
            if stop:
                break


def consume_dataset():
    while not stop:
        for shuffled in (0, 100):
            for batch in dataset.record_batches(batch_size=20, threads=2, shuffle_buffer_size=shuffled):
                kept.append(batch)


def drop():
    kept.clear()
    gc.collect()


def read():
    assert sum(batch.num_rows for batch in af.read_avro(path, threads=2)) == given["rows"]


def iterate():
    rows = sum(batch.num_rows for batch in dataset.record_batches(batch_size=100, threads=2))
    assert rows == 3 * given["rows"]
    drop()


def shuffle():
    batches = dataset.tensors(batch_size=100, shuffle_buffer_size=300, threads=2)
    assert sum(len(batch["id"]) for batch in batches) == 3 * given["rows"]


def inherited():
    for batches in live:
        try:
            next(batches)
        except ValueError as error:
            assert "before a fork: make a new one in the child process" in str(error)
        else:
            raise AssertionError("an iterator of the parent went on")
        batches.close()
    live.clear()
    drop()


def convert():
    for batch in list(kept):
        if isinstance(batch, dict):
            batch["id"].numpy().sum()
            batch["vector"].row_splits
        else:
            assert batch.num_rows > 0
    batch = next(iter(af.read_avro(path, threads=1)))
    assert len(af.TensorAdapter(batch.schema, features).convert(batch)["id"]) == batch.num_rows


def write():
    target = given["path"] + "." + str(os.getpid())
    af.write_avro(af.read_avro(path, threads=2), target)
    os.unlink(target)


def leave():
    '''The destructors of all that the child has of the parent, in the order of the interpreter.'''
    try:
        sys.exit(0)
    finally:
        drop()


live = [batches_of(kind, path) for kind in given["kinds"]]
for batches in live:
    next(batches)
threads = [threading.Thread(target=consume, args=(kind,)) for kind in given["kinds"]]
threads.append(threading.Thread(target=consume_dataset))
for thread in threads:
    thread.start()
end, forks = time.monotonic() + given["seconds"], 0
works = [drop, read, drop, iterate, drop, shuffle, drop, inherited, drop, convert, drop, write]
good = True
while good and (forks < len(works) or time.monotonic() < end):
    good, forks = child_of(works[forks % len(works)], forks), forks + 1
stop.append(True)
for thread in threads:
    thread.join()
print(good)
"""
)


def test_children_of_forks_work_or_raise_while_threads_decode(tmp_path):
    [path] = people_files(tmp_path, [300])
    given = {"path": str(path), "rows": 300, "kinds": ["reader", "tensors"], "seconds": SECONDS}
    ended = run(STRESS, given, limit=SECONDS + 120)
    assert (ended.code, ended.out, ended.err) == (0, "True\n", "")


DROPPED = (
    BATCHES
    + FORKED
    + """
given = json.loads(sys.argv[1])
path, kept, stop = given["path"], collections.deque(maxlen=200), []


def consume():
    '''Decodes in this thread, which holds the lock of a column's pool for a part of the time.'''
    while not stop:
        for batch in af.read_avro([path] * 50, batch_size=1, threads=1):
            kept.append(batch)
            if stop:
                break


consumers = [threading.Thread(target=consume) for _ in range(2)]
for consumer in consumers:
    consumer.start()
time.sleep(0.5)
end, forks = time.monotonic() + given["seconds"], 0
good = True
while good and (forks == 0 or time.monotonic() < end):
    good, forks = child_of(kept.clear, forks), forks + 1
stop.append(True)
for consumer in consumers:
    consumer.join()
print(good)
"""
)


def test_a_child_of_a_fork_that_only_drops_batches_ends(tmp_path):
    """Small batches of many columns: the locks of the buffer pools are held most of the time."""
    names = [f"c{number}" for number in range(200)]
    path = write_numbers(tmp_path / "wide.avro", names, 2_000)
    ended = run(DROPPED, {"path": str(path), "seconds": SECONDS}, limit=SECONDS + 120)
    assert (ended.code, ended.out, ended.err) == (0, "True\n", "")


def write_numbers(path, names, rows):
    """A file of integers."""
    fields = [{"name": name, "type": "long"} for name in names]
    schema = fastavro.parse_schema({"type": "record", "name": "R", "fields": fields})
    row = {name: number for number, name in enumerate(names)}
    with Path(path).open("wb") as file:
        fastavro.writer(file, schema, [row] * rows, sync_interval=64_000)
    return path


LEFT = (
    BATCHES
    + """
given = json.loads(sys.argv[1])
kept = [(batches := batches_of(kind, given["path"]), next(batches)) for kind in given["kinds"]]
pid = os.fork()
if pid == 0:
    # The interpreter of the child ends with all objects of the parent.
    if given["end"] == "return":
        del kept
    elif given["end"] == "sys.exit":
        sys.exit(0)
    elif given["end"] == "fork":
        child = os.fork()
        if child:
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
else:
    for batches, _ in kept:
        next(batches)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for batches, _ in kept:
        next(batches)
    print(code)
"""
)


@pytest.mark.parametrize("end", ["return", "sys.exit", "fork"])
def test_a_child_of_a_fork_ends_with_iterators_of_its_parent(tmp_path, end):
    [path] = people_files(tmp_path, [600])
    # A child moves the position of a file that it shares with its parent, so no file objects here.
    kinds = [kind for kind in KINDS if kind != "file object"]
    given = [{"path": str(path), "kinds": chosen, "end": end} for chosen in [kinds, kinds[::-1]] * 5]
    assert [(it.code, it.out, it.err) for it in run_all(LEFT, given)] == [(0, "0\n", "")] * len(given)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_workers_of_multiprocessing_read_while_threads_decode(tmp_path, method):
    [path] = people_files(tmp_path, [600])
    command = [sys.executable, "-W", "ignore", str(WORKER), str(path), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1800] 8\n", "")
