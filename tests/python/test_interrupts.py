"""Ctrl-C and `close()` end calls on long inputs, and paths that would block."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split
from conftest import Took, in_threads, is_answered, measures, run_script, wait_for_work

ANSWER_SECONDS = 0.2
"""Ctrl-C is answered within this time, on a machine that does nothing else."""


def faulty(path):
    """A file of some blocks, and then a sparse tebibyte that reads as zeros."""
    af.write_avro(pa.table({"i": range(2000)}), path, codec="null", block_bytes=1000)
    os.truncate(path, 1 << 40)
    return path


@pytest.fixture
def faulty_file(tmp_path):
    return faulty(tmp_path / "faulty.avro")


CALLS = {
    "read": "for _ in af.read_avro(path, on_error='skip_block', threads=1): pass",
    "read with threads": "for _ in af.read_avro(path, on_error='skip_block', threads=2): pass",
    "split": "dataset.read_split(af.Split(path, 1 << 30, 1 << 39))",
    "index": "dataset.record_batches(shard=(0, 2), **options).state_dict()",
    "shuffle": "next(dataset.record_batches(shuffle_buffer_size=9, seed=1, **options))",
    "sequence": "for _ in dataset.record_batches(threads=1, **options): pass",
}

INTERRUPTED = """
    import os, signal, sys, threading, time
    import arrowfeed as af

    path, call = sys.argv[1], sys.argv[2]
    dataset = af.AvroDataset(path, representations={"i": af.representations.Dense("i")})
    options = {"batch_size": 9, "on_error": "skip_block"}
    sent, begun = [], time.process_time()

    def interrupt():
        # Until the call works.
        while time.process_time() < begun + 0.05:
            time.sleep(0.002)
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        exec(compile(call, "call", "exec"))
        print("not interrupted")
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0][0], time.process_time() - sent[0][1])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("call", CALLS)
@measures
def test_ctrl_c_is_answered_while_a_block_is_looked_for(faulty_file, call, measure):
    def of_the_answer():
        done = run_script(INTERRUPTED, faulty_file, CALLS[call])
        assert done.returncode == 0, done.stderr
        return Took(*map(float, done.stdout.split()))

    is_answered(measure, ANSWER_SECONDS, of_the_answer)


@pytest.mark.parametrize("threads", [1, 2])
def test_close_stops_another_thread_that_looks_for_a_block(faulty_file, threads):
    # The rest of the file would take minutes.
    reader = af.read_avro(faulty_file, on_error="skip_block", threads=threads)

    def work(number):
        if number == 0:
            wait_for_work()
            reader.close()
            return
        with pytest.raises(ValueError, match="^expected an open reader, found it closed$"):
            for _ in reader:
                pass

    in_threads(2, work)
    assert reader.report()["rows"] <= 2000


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_is_answered_while_another_thread_is_in_the_reader(faulty_file):
    script = """
        import os, signal, sys, threading, time
        import arrowfeed as af

        reader = af.read_avro(sys.argv[1], on_error="skip_block", threads=1)
        begun = time.process_time()
        threading.Thread(target=lambda: list(reader), daemon=True).start()
        # Until the other thread is in the reader.
        while time.process_time() < begun + 0.05:
            time.sleep(0.002)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            # The other thread would be in the reader for minutes.
            next(reader)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        os._exit(0)
    """
    done = run_script(script, faulty_file)
    assert done.stdout == "interrupted\n", done.stderr


def test_close_ends_an_iterator_that_another_thread_waits_for(faulty_file):
    dataset = af.AvroDataset(faulty_file, representations={"i": af.representations.Dense("i")})
    batches = dataset.record_batches(batch_size=100, on_error="skip_block", threads=1)

    def work(number):
        if number == 0:
            wait_for_work()
            batches.close()
            return 0
        rows = 0
        try:
            for batch in batches:
                rows += batch.num_rows
        except ValueError as error:
            assert str(error) == "expected an open iterator, found it closed"  # noqa: PT017
            return rows
        return -1

    assert 0 <= in_threads(2, work)[1] <= 2000
    with pytest.raises(ValueError, match="^expected an open iterator, found it closed$"):
        next(batches)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_handler_may_not_close_the_reader_that_it_interrupts(faulty_file):
    script = """
        import os, signal, sys, threading
        import arrowfeed as af

        def handler(number, frame):
            try:
                reader.close()
            except ValueError as error:
                print(error)
            if number == signal.SIGUSR2:
                raise KeyboardInterrupt

        signal.signal(signal.SIGUSR1, handler)
        signal.signal(signal.SIGUSR2, handler)
        reader = af.read_avro(sys.argv[1], on_error="skip_block", threads=1)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        threading.Timer(0.9, os.kill, (os.getpid(), signal.SIGUSR2)).start()
        try:
            for _ in reader:
                pass
        except KeyboardInterrupt:
            print("stopped")
    """
    done = run_script(script, faulty_file)
    message = "expected a reader that is not in use, found a call from inside another call to it"
    assert done.stdout == f"{message}\n{message}\nstopped\n", done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_pattern_of_many_files_is_resolved_with_a_look_at_ctrl_c(tmp_path):
    for name in range(40):
        (tmp_path / f"d{name}").mkdir()
    (tmp_path / "a.avro").touch()
    script = """
        import signal, sys
        import arrowfeed as af

        def handler(number, frame):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            # Each star multiplies the paths: to look at all of them would take years.
            af.read_avro(sys.argv[1] + "/d*/.." * 9 + "/*.avro")
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = run_script(script, tmp_path)
    assert done.stdout == "interrupted\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_fifo_is_refused_at_once(tmp_path):
    path = tmp_path / "a.avro"
    os.mkfifo(path)
    for use in (
        lambda: af.read_avro(path),
        lambda: af.avro_schema(path),
        lambda: plan_splits(path),
        lambda: read_split(af.Split(path, 0, 1)),
        lambda: af.AvroDataset(path),
    ):
        with pytest.raises(OSError, match="expected a regular file, found a pipe or a device") as caught:
            use()
        assert caught.value.filename == str(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_path_that_becomes_a_fifo_never_blocks(tmp_path):
    regular, fifo, path = tmp_path / "regular", tmp_path / "fifo", tmp_path / "a.avro"
    af.write_avro(pa.table({"i": [1]}), regular)
    os.mkfifo(fifo)
    script = """
        import os, sys
        folder = sys.argv[1]
        while True:
            for file in ("fifo", "regular"):
                os.link(f"{folder}/{file}", f"{folder}/next")
                os.rename(f"{folder}/next", f"{folder}/a.avro")
    """
    os.link(regular, path)
    swapping = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), str(tmp_path)])
    ended = threading.Event()

    def work():
        for _ in range(3000):
            with contextlib.suppress(OSError):
                af.read_avro(path).close()
        ended.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        assert ended.wait(60), "an open waits for ever"
    finally:
        swapping.kill()
        swapping.wait()
    thread.join()


@pytest.mark.skipif(sys.platform != "linux", reason="no leases")
def test_a_file_with_a_lease_is_waited_for(tmp_path):
    path = tmp_path / "a.avro"
    af.write_avro(pa.table({"i": [1]}), path)
    script = """
        import fcntl, signal, sys, time

        def release(number, frame):
            time.sleep(0.3)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            print("released", flush=True)

        signal.signal(signal.SIGIO, release)
        file = open(sys.argv[1], "r+b")
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            print("no leases", flush=True)
            sys.exit()
        print("leased", flush=True)
        time.sleep(20)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        if holder.stdout.readline() != "leased\n":
            pytest.skip("the file system has no leases")
        assert sum(batch.num_rows for batch in af.read_avro(path)) == 1
        assert holder.stdout.readline() == "released\n"
        holder.send_signal(signal.SIGKILL)
