"""Interpreters exit cleanly while readers and iterators are alive.

60 interpreters; `make test-long` starts 500, and `ARROWFEED_EXITS=10000` more.
"""

import itertools
import json
import os

import pytest

from dataset_files import people_files
from life_cycle import BATCHES, KINDS, count, run, run_all
from session_seed import chance

EXITS = count("ARROWFEED_EXITS", 60)
LIMIT = 60

SCRIPT = (
    BATCHES
    + """
import atexit, gc, random
import numpy

given = json.loads(sys.argv[1])
kind, holder, end = given["kind"], given["holder"], given["end"]
sys.excepthook = lambda *exception: None


def generator(batches):
    for batch in batches:
        try:
            yield batch
        finally:
            kept.append(batch)


class Closes:
    def __init__(self):
        self.batches = batches_of(kind, given["path"])

    def __del__(self):
        next(self.batches)
        self.batches.close()


def iterate(batches, begun):
    for batch in batches:
        kept[-50:] = [*kept[-50:], batch]
        begun.set()


kept = []
if holder == "global":
    batches = batches_of(kind, given["path"])
    kept.append(next(batches))
elif holder == "generator":
    batches = generator(batches_of(kind, given["path"], threads=given["threads"]))
    kept.append(next(batches))
elif holder == "cycle":
    gc.disable()
    cycle = [batches_of(kind, given["path"], threads=given["threads"])]
    kept.append(next(cycle[0]))
    cycle.append(cycle)
elif holder == "finalizer":
    closes = Closes()
    kept.append(next(closes.batches))
elif holder == "exit handler":
    batches = batches_of(kind, given["path"])
    atexit.register(lambda: kept.append(next(batches)))
elif holder == "daemon threads":
    shared = batches_of(kind, given["path"])
    begun = [threading.Event() for _ in range(3)]
    for event in begun:
        batches = shared if event is begun[0] else batches_of(kind, given["path"], threads=given["threads"])
        threading.Thread(target=iterate, args=(batches, event), daemon=True).start()
    for event in begun:
        event.wait()
time.sleep(given["delay"])
if end == "sys.exit":
    sys.exit(3)
elif end == "exception":
    raise LookupError
elif end == "os._exit":
    os._exit(4)
elif end == "signal":
    os.kill(os.getpid(), signal.SIGTERM)
elif end == "exec":
    os.execv(sys.executable, [sys.executable, "-c", "import sys; sys.exit(5)"])
"""
)

HOLDERS = ["global", "generator", "cycle", "finalizer", "exit handler", "daemon threads"]
CODES = {"return": 0, "sys.exit": 3, "exception": 1, "os._exit": 4, "signal": -15, "exec": 5}


@pytest.mark.skipif(os.name != "posix", reason="signals and exec of POSIX")
@pytest.mark.parametrize("holder", HOLDERS)
def test_an_interpreter_ends_with_live_iterators(tmp_path, holder):
    [path] = people_files(tmp_path, [600])
    moments = chance("ends", holder)
    # An interpreter that replaces itself takes twice as long.
    ends = [*(end for end in CODES if end != "exec"), *(["exec"] if holder == "daemon threads" else [])]
    cases = list(itertools.product(KINDS, ends, [1, 2]))
    moments.shuffle(cases)
    given = [
        {
            "path": str(path),
            "kind": kind,
            "holder": holder,
            "end": end,
            "threads": threads,
            "delay": moments.choice([0, moments.uniform(0, 0.03)]),
        }
        for kind, end, threads in itertools.islice(itertools.cycle(cases), max(1, EXITS // len(HOLDERS)))
    ]
    for case, ended in zip(given, run_all(SCRIPT, given, limit=LIMIT), strict=True):
        assert (ended.code, ended.out, ended.err) == (CODES[case["end"]], "", ""), case


WRITES = """
import itertools, json, os, sys, tempfile, threading, time
import arrowfeed as af, pyarrow as pa

given = json.loads(sys.argv[1])
sys.excepthook = lambda *exception: None
batch = pa.record_batch({"id": list(range(2000)), "name": ["x" * 10] * 2000})
begun = [threading.Event() for _ in range(2)]


def batches(event):
    for number in itertools.count():
        yield batch
        if number == 2:
            event.set()


class Target:
    def write(self, piece):
        return len(piece)


def write(event):
    target = given["path"]
    if given["to"] == "file":
        target = open(os.devnull, "wb", buffering=0)
    elif given["to"] == "object":
        target = Target()
    stream = pa.RecordBatchReader.from_batches(batch.schema, batches(event))
    af.write_avro(stream, target, threads=given["threads"])


for event in begun:
    threading.Thread(target=write, args=(event,), daemon=True).start()
for event in begun:
    event.wait()
time.sleep(given["delay"])
"""


@pytest.mark.parametrize("to", ["file", "object", "path"])
def test_an_interpreter_ends_while_daemon_threads_write_batches_of_python(tmp_path, to):
    moments = chance("written", to)
    path = tmp_path / "written.avro"
    given = [
        {"path": str(path), "to": to, "threads": number % 2 + 1, "delay": moments.uniform(0, 0.03)}
        for number in range(max(1, EXITS // 20))
    ]
    for case, ended in zip(given, run_all(WRITES, given, limit=LIMIT), strict=True):
        assert (ended.code, ended.out, ended.err) == (0, "", ""), case
    assert not path.exists()


# Arrow's C++ library reads without the interpreter. When the process ends, destructors free what it uses.
# With a file object of Python instead of a path, pyarrow aborts at the end, also without this package.
READS = """
import json, os, sys, threading, time
import arrowfeed as af
from pyarrow import csv

given = json.loads(sys.argv[1])
sys.excepthook = lambda *exception: None
options = csv.ReadOptions(use_threads=False, block_size=1 << 20)


def write(stream):
    with open(os.devnull, "wb", buffering=0) as target:
        af.write_avro(stream, target, threads=given["threads"])


streams = [csv.open_csv(given["path"], read_options=options) for _ in range(2)]
for stream in streams:
    threading.Thread(target=write, args=(stream,), daemon=True).start()
time.sleep(given["delay"])
"""


def test_an_interpreter_ends_while_another_library_makes_the_batches_of_daemon_threads(tmp_path):
    moments = chance("rows")
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{row},{row / 2}\n" for row in range(1_000_000)))
    # With a short delay, the streams are released while the interpreter ends.
    given = [
        {"path": str(path), "threads": number % 2 + 1, "delay": moments.uniform(0, longest)}
        for number, longest in enumerate([0.006, 0.1] * max(1, EXITS // 10))
    ]
    for case, ended in zip(given, run_all(READS, given, limit=LIMIT), strict=True):
        assert (ended.code, ended.out, ended.err) == (0, "", ""), case


# Functions of `atexit` run in the reverse order: this one runs after that of the package.
WAITS = """
import atexit, json, queue, sys, threading, time

given = json.loads(sys.argv[1])


def end():
    if given["joins"]:
        thread.join()
    print(json.dumps(written))


atexit.register(end)
import arrowfeed as af
import pyarrow as pa

batch, written, begun = pa.record_batch({"id": range(100)}), [], threading.Event()


def batches():
    for number in range(30):
        yield batch
        begun.set()
        if given["joins"]:
            time.sleep(0.01)
        else:
            queue.Queue().get()


def write():
    stream = pa.RecordBatchReader.from_batches(batch.schema, batches())
    written.append(af.write_avro(stream, given["path"]))


thread = threading.Thread(target=write, daemon=True)
thread.start()
begun.wait()
"""


@pytest.mark.parametrize("joins", [True, False])
def test_the_exit_does_not_wait_for_ever_for_batches_of_daemon_threads(tmp_path, joins):
    ended = run(WAITS, {"path": str(tmp_path / "a.avro"), "joins": joins}, limit=LIMIT)
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == ([3000] if joins else [])
