"""Readers survive signals, threads and forks, and end with the process.

Each script runs in a separate process, with a watchdog.
"""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import (
    BIG_ROWS,
    Took,
    in_threads,
    is_answered,
    measures,
    run_script,
    tasks,
    wait_for_work,
)

ANSWER_SECONDS = 0.2
"""Ctrl-C is answered within this time, on a machine that does nothing else."""


def test_import_loads_no_other_library():
    script = """
        import sys, arrowfeed
        heavy = {"pyarrow", "polars", "tensorflow", "torch", "jax", "apache_beam", "pandas", "scipy"}
        heavy |= {"fsspec", "arrowfeed._frameworks"}
        print(sorted(heavy & set(sys.modules)))
    """
    done = run_script(script)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_types_for_annotations_can_be_imported():
    done = run_script("import arrowfeed.types as types; print(types.Source is not None)")
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


INTERRUPTED = """
    import os, signal, sys, threading, time
    import arrowfeed as af

    path, threads, how, use = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    sent = []

    def interrupt():
        # Until the call works.
        while time.process_time() < begun + 0.05:
            time.sleep(0.002)
        sent.append((time.monotonic(), time.process_time()))
        if how == "thread":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        else:
            os.kill(os.getpid(), signal.SIGINT)

    reader = af.read_avro(path, columns=["id"], batch_size=1_000_000, threads=threads)
    thread = threading.Thread(target=interrupt)
    if use in ("pyarrow", "to_pyarrow"):
        import pyarrow
    begun = time.process_time()
    thread.start()
    try:
        if use == "pyarrow":
            # The C interface carries only a text. The second signal stops the calls that follow.
            try:
                pyarrow.table(reader)
            except pyarrow.ArrowInvalid as error:
                assert "the caller asked to stop" in str(error)
            time.sleep(10)
        elif use == "to_pyarrow":
            reader.to_pyarrow()
        elif use == "write":
            af.write_avro(reader, path + ".copy")
        else:
            next(reader)
        print("not interrupted")
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0][0], time.process_time() - sent[0][1])
    try:
        reader.close()
    except KeyboardInterrupt:
        print("late")
    thread.join()
    print(len(os.listdir("/proc/self/task")) if use == "next" else 1)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("how", "use"),
    [
        ("process", "next"),
        ("thread", "next"),
        ("process", "pyarrow"),
        ("process", "to_pyarrow"),
        ("process", "write"),
    ],
)
@measures
def test_ctrl_c_stops_a_reader(endless_file, threads, how, use, measure):
    def of_the_answer():
        done = run_script(INTERRUPTED, endless_file, threads, how, use)
        assert done.returncode == 0, done.stderr
        clock, cores, tasks = map(float, done.stdout.split())
        assert tasks == 1, "threads are left"
        return Took(clock, cores)

    is_answered(measure, ANSWER_SECONDS, of_the_answer)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signal")
def test_another_signal_runs_its_handler(endless_file):
    script = """
        import os, signal, sys, threading
        import arrowfeed as af

        class Stop(Exception):
            pass

        def handler(number, frame):
            try:
                reader.close()
            except ValueError as error:
                print(error)
            raise Stop

        signal.signal(signal.SIGUSR1, handler)
        reader = af.read_avro(sys.argv[1], columns=["id"], batch_size=1_000_000, threads=1)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        try:
            next(reader)
        except Stop:
            print("stopped")
    """
    done = run_script(script, endless_file)
    message = "expected a reader that is not in use, found a call from inside another call to it"
    assert done.stdout == f"{message}\nstopped\n", done.stderr


@pytest.mark.parametrize("threads", [1, 2])
def test_eight_threads_each_read_all(big_file, threads):
    def count(_):
        return sum(batch.num_rows for batch in af.read_avro(big_file, threads=threads, columns=["id"]))

    assert in_threads(8, count) == [BIG_ROWS] * 8


@pytest.mark.parametrize("threads", [1, 2])
def test_eight_threads_share_one_reader(big_file, threads):
    reader = af.read_avro(big_file, threads=threads, columns=["id"], batch_size=100)

    def take(_):
        ids = []
        for batch in reader:
            ids += batch.column("id").to_pyarrow().to_pylist()
            reader.report()
        return ids

    taken = in_threads(8, take)
    assert sorted(row for ids in taken for row in ids) == list(range(BIG_ROWS))


def test_threads_share_a_reader_of_a_python_file(big_file):
    with big_file.open("rb") as file:
        reader = af.read_avro(file, columns=["id"], batch_size=1000)
        taken = in_threads(4, lambda _: sum(batch.num_rows for batch in reader))
    assert sum(taken) == BIG_ROWS


def test_a_reader_can_be_closed_by_another_thread(endless_file):
    reader = af.read_avro(endless_file, columns=["id"], batch_size=50, threads=2)

    def work(number):
        if number == 0:
            wait_for_work()
            reader.close()
            return None
        try:
            for _ in reader:
                pass
        except ValueError as error:
            return str(error)

    assert in_threads(2, work)[1] == "expected an open reader, found it closed"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
@pytest.mark.parametrize("how", ["close", "drop", "end", "error", "stream"])
def test_no_thread_of_a_reader_is_left(big_file, how):
    before = tasks()
    reader = af.read_avro(big_file, threads=3, batch_size=1000)
    assert tasks() <= before, "threads start with the first batch"
    next(reader)
    assert len(tasks() - before) == 3
    if how == "close":
        reader.close()
    elif how == "drop":
        del reader
    elif how == "end":
        list(reader)
    elif how == "stream":
        stream = pa.RecordBatchReader.from_stream(reader)
        del reader
        stream.read_next_batch()
        assert len(tasks() - before) == 3
        del stream
    else:
        reader.close()
        broken = big_file.with_name("broken.avro")
        broken.write_bytes(big_file.read_bytes()[:-1])
        reader = af.read_avro(broken, threads=3)
        with pytest.raises(af.TruncatedError):
            list(reader)
    # A joined thread may be listed for a moment.
    for _ in range(6000):
        if tasks() <= before:
            break
        time.sleep(0.01)
    assert tasks() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("threads", [1, 2])
def test_after_a_fork_the_child_needs_a_reader_of_its_own(big_file, threads):
    script = """
        import os, signal, sys
        import arrowfeed as af

        path, threads = sys.argv[1], int(sys.argv[2])
        reader = af.read_avro(path, threads=threads, batch_size=1000)
        rows = next(reader).num_rows
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            for use in (lambda: next(reader), reader.report, reader.__arrow_c_stream__):
                try:
                    use()
                    print("no error")
                except ValueError as error:
                    print(error)
            reader.close()
            del reader
            print(sum(batch.num_rows for batch in af.read_avro(path, threads=threads)), flush=True)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(rows + sum(batch.num_rows for batch in reader))
    """
    done = run_script(script, big_file, threads)
    message = (
        "expected a reader of this process, found one that was made before a fork: make a "
        "new one in the child process"
    )
    expected = [message] * 3 + [str(BIG_ROWS), "7", str(BIG_ROWS)]
    assert done.stdout.splitlines() == expected, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_while_a_thread_is_in_the_reader_does_not_hang(endless_file):
    script = """
        import os, signal, sys, threading, time
        import arrowfeed as af

        path = sys.argv[1]
        reader = af.read_avro(path, columns=["id"], batch_size=1_000_000, threads=1)
        begun = time.process_time()
        threading.Thread(target=next, args=(reader, None), daemon=True).start()
        # Until the other thread is in the reader.
        while time.process_time() < begun + 0.05:
            time.sleep(0.002)
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            try:
                next(reader)
            except ValueError as error:
                print("refused")
            del reader
            print(next(af.read_avro(path, columns=["id"], batch_size=1)).num_rows, flush=True)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        os._exit(0)
    """
    done = run_script(script, endless_file)
    assert done.stdout == "refused\n1\n7\n", done.stderr


@pytest.mark.parametrize("source", ["path", "file", "cycle", "stream"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_process_ends_with_live_readers(big_file, source, threads):
    script = """
        import sys
        import arrowfeed as af

        path, kind, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
        source = open(path, "rb") if kind == "file" else path
        reader = af.read_avro(source, threads=threads, batch_size=1000)
        assert next(reader).num_rows == 1000
        if kind == "cycle":
            cycle = [reader]
            cycle.append(cycle)
        if kind == "stream":
            import pyarrow
            stream = pyarrow.RecordBatchReader.from_stream(reader)
            stream.read_next_batch()
        print("end")
    """
    done = run_script(script, big_file, source, threads)
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


def test_a_process_ends_while_a_daemon_thread_reads(endless_file):
    script = """
        import sys, threading, time
        import arrowfeed as af

        reader = af.read_avro(sys.argv[1], columns=["id"], batch_size=1_000_000, threads=2)
        begun = time.process_time()
        threading.Thread(target=next, args=(reader,), daemon=True).start()
        # Until the other thread is in the reader.
        while time.process_time() < begun + 0.05:
            time.sleep(0.002)
        print("end")
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), str(endless_file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


def test_other_python_threads_run_while_a_batch_is_decoded(endless_file):
    reader = af.read_avro(endless_file, columns=["id"], batch_size=100, threads=1)
    ticks = 0
    done = threading.Event()

    def work():
        next(reader)
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5
