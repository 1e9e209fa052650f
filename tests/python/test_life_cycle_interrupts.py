"""Ctrl-C in any long call raises `KeyboardInterrupt`, in the night within 200 ms, and the next call works.

Two moments of each call; `make test-long` has five, and `ARROWFEED_INTERRUPTS=100` more.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time

import pytest

from conftest import Took, cores_used, is_answered, measures, users, write
from life_cycle import count
from session_seed import chance

resource = pytest.importorskip("resource")

INTERRUPTS = count("ARROWFEED_INTERRUPTS", 2)
ANSWER_SECONDS = 0.2
"""An exception is raised within this time, on a machine that does nothing else."""
EXIT_SECONDS = 0.5
"""A command ends within this time, which includes the end of its process."""
LONGEST_MOMENT = 0.3

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SCRIPT = """
import json, os, signal, sys, time
import arrowfeed as af
import numpy

given = json.loads(sys.argv[1])
endless, small, hole, folder = given["endless"], given["small"], given["hole"], given["folder"]


def rows(batches):
    return sum(batch.num_rows for batch in batches)


def works():
    '''Each part of the package, after a call that was stopped.'''
    assert rows(af.read_avro(small, threads=2)) == 100
    dataset = af.AvroDataset(small, representations={"id": af.representations.Dense("id")})
    assert dataset.num_rows == 100
    batches = dataset.tensors(batch_size=30, shuffle_buffer_size=50, threads=2)
    assert sum(len(batch["id"]) for batch in batches) == 100
    af.write_avro(af.read_avro(small), os.path.join(folder, "copy.avro"))
    os.unlink(os.path.join(folder, "copy.avro"))
    assert os.listdir(folder) == []


def ignore():
    pass


after = ignore
#CALL
answer = "done"
try:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("begin", flush=True)
    call()
    while True:
        time.sleep(0.001)
        answer = "after"
except KeyboardInterrupt:
    now = time.monotonic(), time.process_time()
signal.signal(signal.SIGINT, signal.SIG_IGN)
after()
works()
tasks = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
print(json.dumps([*now, answer, tasks - idle if tasks else 0]))
"""

READER = """
reader = af.read_avro({path}, {options})
idle = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0


def call():
    for batch in reader:
        pass


def after():
    # The interrupt ended the reader, unless it came between two batches.
    reader.report()
    reader.close()
    try:
        next(reader)
        raise AssertionError("a closed reader gave a batch")
    except ValueError as error:
        assert str(error) == "expected an open reader, found it closed"
"""

ITERATOR = """
dataset = af.AvroDataset({path}, columns=["id"])
batches = dataset.{make}({options})
idle = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0


def call():
    for batch in batches:
        pass


def after():
    state = batches.state_dict()
    batches.close()
    again = dataset.{make}({options})
    again.load_state_dict(state)
    assert again.state_dict() == state
"""

PLAIN = """
idle = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0
{before}


def call():
    {call}
"""

BATCH = """import pyarrow as pa
rows_of_batch = 1_000_000
text = pa.array([b"text", b"more text", b""]).take(pa.array(numpy.arange(rows_of_batch) % 3))
lists = pa.ListArray.from_arrays(pa.array(numpy.arange(rows_of_batch + 1, dtype="int32")), text)
batch = pa.record_batch({"text": text, "lists": lists})
wanted = {"text": af.representations.VarLenSparse("text"), "lists": af.representations.Ragged("lists")}
adapter = af.TensorAdapter(batch.schema, wanted)
idle = len(os.listdir("/proc/self/task"))
tensors = adapter.convert(batch)
"""

LONG = 'columns=["id"], batch_size=1_000_000'
CALLS = {
    "read, one thread": READER.format(path="endless", options=f"{LONG}, threads=1"),
    "read, two threads": READER.format(path="endless", options=f"{LONG}, threads=2"),
    "read, small batches": READER.format(path="endless", options='columns=["id"], batch_size=1, threads=2'),
    "read, skipped blocks, one thread": READER.format(
        path="hole", options='on_error="skip_block", threads=1'
    ),
    "read, skipped blocks, two threads": READER.format(
        path="hole", options='on_error="skip_block", threads=2'
    ),
    "read, many files": READER.format(path="[small] * 20_000", options="threads=2"),
    "iterate, one thread": ITERATOR.format(
        path="endless", make="record_batches", options="batch_size=1_000_000, threads=1"
    ),
    "iterate, two threads": ITERATOR.format(
        path="endless", make="record_batches", options="batch_size=1_000_000, threads=2"
    ),
    "shuffle": ITERATOR.format(
        path="endless",
        make="record_batches",
        options="batch_size=100, shuffle_buffer_size=100_000, seed=1, threads=2",
    ),
    "shuffle, skipped blocks": ITERATOR.format(
        path="hole",
        make="record_batches",
        options='batch_size=10, shuffle_buffer_size=100, seed=1, on_error="skip_block"',
    ).partition("\n    state = ")[0]
    + "\n    batches.close()\n",  # The state of a shuffle needs all blocks, behind the hole too.
    "number of rows": PLAIN.format(
        before='dataset = af.AvroDataset([endless] * 200, columns=["id"])', call="dataset.num_rows"
    ),
    "splits of many files": PLAIN.format(
        before="", call="af.AvroDataset([endless] * 20_000).plan_splits(target_bytes=1000)"
    ),
    "a split of a damaged file": PLAIN.format(
        before="dataset = af.AvroDataset(hole)",
        call="list(dataset.read_split(dataset.plan_splits(target_bytes=1 << 30)[3]))",
    ),
    "write a reader": PLAIN.format(
        before=f"reader = af.read_avro(endless, {LONG}, threads=2)",
        call='af.write_avro(reader, os.path.join(folder, "out.avro"))',
    ),
    "write a table": PLAIN.format(
        before=BATCH + "table = pa.Table.from_batches([batch] * 3000)",
        call='af.write_avro(table, os.path.join(folder, "out.avro"))',
    ),
    "write a batch": PLAIN.format(
        before=BATCH + "large = pa.Table.from_batches([batch] * 20).combine_chunks().to_batches()[0]",
        call='af.write_avro(large, os.path.join(folder, "out.avro"), codec="deflate", level=12, threads=2)',
    ),
    "convert to tensors": PLAIN.format(before=BATCH, call="[adapter.convert(batch) for _ in range(1000)]"),
    "objects of numpy": PLAIN.format(
        before=BATCH, call='[adapter.convert(batch)["text"].values for _ in range(100)]'
    ),
    "lists of Python": PLAIN.format(before=BATCH, call='[tensors["lists"].to_list() for _ in range(100)]'),
}


@pytest.fixture(scope="module")
def files(endless_file, tmp_path_factory):
    """An endless file, also by 2,000 names; a small one; and a sparse one of 20 GB."""
    folder = tmp_path_factory.mktemp("interrupts")
    small = write(folder / "small.avro", users(100))
    hole = write(folder / "hole.avro", users(100))
    with hole.open("r+b") as file:
        file.truncate(20 << 30)
    many = folder / "many"
    many.mkdir()
    for number in range(2000):
        (many / f"{number:04}.avro").symlink_to(endless_file)
    return {"endless": str(endless_file), "small": str(small), "hole": str(hole), "many": str(many)}


def interrupted(script, given, moment):
    """Runs and interrupts a script. Returns the time to the exception, its line, the threads left."""
    command = [sys.executable, "-W", "ignore", "-c", script, json.dumps(given)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            begun = process.stdout.readline() == "begin\n"
            if begun:
                time.sleep(moment)
                sent, before = time.monotonic(), cores_used(process.pid)
                process.send_signal(signal.SIGINT)
                assert select.select([process.stdout], [], [], 60)[0], "Ctrl-C is not answered"
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (begun, process.returncode, err) == (True, 0, "")
    now, cores, answer, left = json.loads(out)
    return Took(now - sent, cores - before), answer, left


@pytest.mark.parametrize("call", CALLS)
@measures
def test_ctrl_c_at_a_random_moment_is_answered(files, tmp_path, call, measure):
    moments, script = chance(call), SCRIPT.replace("#CALL", CALLS[call])
    for number in range(INTERRUPTS):
        folder = tmp_path / str(number)

        def of_the_answer(folder=folder):
            folder.mkdir(exist_ok=True)
            moment = moments.uniform(0.02, LONGEST_MOMENT)
            took, answer, left = interrupted(script, {**files, "folder": str(folder)}, moment)
            assert (answer, left) == ("done", 0), "the call was too short, or threads are left"
            return took

        is_answered(measure, ANSWER_SECONDS, of_the_answer)


COMMAND = """
import json, sys
from arrowfeed.cli import _main, main

run = _main.run


def begun(*arguments, **options):
    print("begin", file=sys.stderr, flush=True)
    return run(*arguments, **options)


# `main` handles Ctrl-C from here on.
_main.run = begun
sys.exit(main(json.loads(sys.argv[1])))
"""

COMMANDS = {
    "stats": ["stats", "{endless}"],
    "stats, one thread": ["stats", "--threads", "1", "{endless}"],
    "head": ["head", "-n", "1000000", "{endless}"],
    "convert": ["convert", "{endless}", "-o", "{folder}/out.avro"],
    "convert to Arrow": ["convert", "{endless}", "-o", "{folder}/out.arrow"],
    "splits": ["splits", "--target-bytes", "100", "{many}"],
}


def end_of_command(script, arguments, moment):
    """Runs and interrupts a command. Returns the time until its end, its exit code and its errors."""
    ended = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, json.dumps(arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr.readline() == "begin\n"
        time.sleep(moment)
        sent, before = time.monotonic(), cores_used(process.pid)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=60)[1]
    clock, cores = time.monotonic() - sent, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - ended
    return Took(clock, cores - before), process.returncode, err


@pytest.mark.parametrize("command", COMMANDS)
@measures
def test_ctrl_c_ends_a_command(files, tmp_path, command, measure):
    arguments = [text.format(folder=tmp_path, **files) for text in COMMANDS[command]]
    moments = chance(command)

    def of_the_end():
        took, code, err = end_of_command(COMMAND, arguments, moments.uniform(0.05, LONGEST_MOMENT))
        assert (code, err) == (130, "")
        assert list(tmp_path.iterdir()) == []
        return took

    for _ in range(INTERRUPTS):
        is_answered(measure, EXIT_SECONDS, of_the_end)


START = """
import json, sys


class Begin:
    def find_spec(self, name, path=None, target=None):
        if name == "arrowfeed.cli._main":
            print("begin", file=sys.stderr, flush=True)


sys.meta_path.insert(0, Begin())
from arrowfeed.cli import main

sys.exit(main(json.loads(sys.argv[1])))
"""

STARTS = {
    "head": ["head", "--table", "-n", "1000000", "--columns", "id", "{endless}"],
    "cat": ["cat", "--columns", "id", "{endless}"],
    "count": ["count", "{many}"],
    "stats": ["stats", "{endless}"],
}
IMPORT_MOMENTS = [number * 0.02 for number in range(8)]
"""Seconds from the import of the commands, numpy and pyarrow, which begins about 0.06 seconds after the start
of the process. Nothing can handle Ctrl-C before it: Python starts, and imports the package `arrowfeed`."""


@pytest.mark.parametrize("command", STARTS)
@measures
def test_ctrl_c_ends_a_command_that_starts(files, command, measure):
    arguments = [text.format(**files) for text in STARTS[command]]
    for moment in IMPORT_MOMENTS:

        def of_the_end(moment=moment):
            took, code, err = end_of_command(START, arguments, moment)
            assert (code, err) == (130, "")
            return took

        is_answered(measure, ANSWER_SECONDS, of_the_end)
