"""Iterations survive signals, threads and forks, and end with the process."""

import gc
import itertools
import os
import signal
import threading
import time
from pathlib import Path

import pytest

import arrowfeed as af
from conftest import BIG_ROWS, Took, in_threads, is_answered, measures, run_script, tasks
from dataset_files import ids

CLOSED = "^expected an open iterator, found it closed$"

ANSWER_SECONDS = 0.2
"""Ctrl-C is answered within this time, on a machine that does nothing else."""

INTERRUPTED = """
    import os, signal, sys, threading, time
    import arrowfeed as af

    path, threads, shuffled = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sent = []

    def interrupt():
        # Until the call works.
        while time.process_time() < begun + 0.05:
            time.sleep(0.002)
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    dataset = af.AvroDataset(path, columns=["id"])
    batches = dataset.record_batches(batch_size=1_000_000, threads=threads, shuffle_buffer_size=shuffled)
    thread, begun = threading.Thread(target=interrupt), time.process_time()
    thread.start()
    try:
        next(batches)
        print("not interrupted")
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0][0], time.process_time() - sent[0][1])
    thread.join()
    batches.close()
    print(len(os.listdir("/proc/self/task")), batches.state_dict()["position"]["place"])
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shuffled", [0, 1_000_000])
@measures
def test_ctrl_c_stops_an_iteration(endless_file, threads, shuffled, measure):
    def of_the_answer():
        done = run_script(INTERRUPTED, endless_file, threads, shuffled)
        assert done.returncode == 0, done.stderr
        clock, cores, left, place = done.stdout.split()
        assert (left, place) == ("1", "start"), "threads are left"
        return Took(float(clock), float(cores))

    is_answered(measure, ANSWER_SECONDS, of_the_answer)


COUNTED = """
    import os, signal, sys, threading, time
    import arrowfeed as af

    dataset = af.AvroDataset([sys.argv[1]] * 2000, columns=["id"])
    sent = []

    def interrupt():
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.1, interrupt).start()
    try:
        print(dataset.num_rows)
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0][0], time.process_time() - sent[0][1])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@measures
def test_ctrl_c_is_answered_while_blocks_are_looked_for(endless_file, measure):
    def of_the_answer():
        done = run_script(COUNTED, endless_file)
        assert done.returncode == 0, done.stderr
        return Took(*map(float, done.stdout.split()))

    is_answered(measure, ANSWER_SECONDS, of_the_answer)


def test_the_interpreter_is_free_while_a_batch_is_decoded(endless_file):
    dataset = af.AvroDataset(endless_file, columns=["id"])
    batches, done = dataset.record_batches(batch_size=100, threads=1), threading.Event()

    def work():
        next(batches)
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ticks = 0
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"shuffle_buffer_size": 1000}])
def test_eight_threads_share_an_iterator(big_file, options):
    batches = af.AvroDataset(big_file, columns=["id"]).tensors(batch_size=100, **options)

    def take(_):
        taken = []
        for batch in batches:
            taken += ids(batch)
            batches.report()
            batches.state_dict()
        return taken

    assert sorted(itertools.chain(*in_threads(8, take))) == list(range(BIG_ROWS))


def test_eight_threads_each_iterate_over_one_dataset(big_file):
    dataset = af.AvroDataset(big_file, columns=["id"])

    def last(number):
        batches = dataset.record_batches(batch_size=1000, shuffle_buffer_size=5000, seed=number % 2)
        return [ids(batch)[0] for batch in batches]

    firsts = in_threads(8, last)
    assert all(first == firsts[number % 2] for number, first in enumerate(firsts))
    assert len(firsts[0]) == BIG_ROWS // 1000


def test_an_iterator_can_be_closed_by_another_thread(endless_file):
    batches = af.AvroDataset(endless_file, columns=["id"]).record_batches(batch_size=50, threads=2)
    begun = threading.Event()

    def work(number):
        if number == 0:
            assert begun.wait(60)
            batches.close()
            return None
        taken = 0
        try:
            for _ in batches:
                begun.set()
                taken += 1
        except ValueError:
            return taken
        return -1

    assert 0 <= in_threads(2, work)[1] < 20_000 // 50
    with pytest.raises(ValueError, match=CLOSED):
        next(batches)


def left(before):
    """New threads. A joined thread may be listed for a moment."""
    end = time.monotonic() + 60
    while tasks() - before and time.monotonic() < end:
        time.sleep(0.01)
    return tasks() - before


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
@pytest.mark.parametrize("shuffle_buffer_size", [0, 20_000])
@pytest.mark.parametrize("how", ["close", "drop", "cycle", "end", "error", "load", "with"])
def test_no_thread_of_an_iteration_is_left(big_file, how, shuffle_buffer_size):
    before = tasks()
    dataset = af.AvroDataset(big_file, representations={"name": af.representations.Dense("name")})
    make = dataset.tensors if how == "error" else dataset.record_batches
    batches = make(batch_size=500, threads=3, shuffle_buffer_size=shuffle_buffer_size)
    state = batches.state_dict()
    assert tasks() <= before, "threads start with the first batch"
    if how == "error":
        with pytest.raises(af.ConversionError):
            next(batches)
        assert not left(before)
        return
    next(batches)
    assert len(tasks() - before) == 3
    if how == "close":
        batches.close()
        batches.close()
        with pytest.raises(ValueError, match=CLOSED):
            next(batches)
    elif how == "drop":
        del batches
    elif how == "cycle":
        cycle = [batches]
        cycle.append(cycle)
        del batches, cycle
        gc.collect()
    elif how == "end":
        assert len(list(batches)) == BIG_ROWS // 500 - 1
    elif how == "load":
        batches.load_state_dict(state)
    else:
        with batches as same:
            assert same is batches
    assert not left(before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("threads", [1, 2])
def test_after_a_fork_the_child_needs_an_iterator_of_its_own(big_file, threads):
    script = """
        import os, signal, sys
        import arrowfeed as af

        path, threads = sys.argv[1], int(sys.argv[2])
        dataset = af.AvroDataset(path, columns=["id"])
        batches = dataset.record_batches(batch_size=1000, threads=threads)
        rows, state = next(batches).num_rows, batches.state_dict()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            load = lambda: batches.load_state_dict(state)
            for use in (lambda: next(batches), batches.report, batches.state_dict, load):
                try:
                    use()
                    print("no error")
                except ValueError as error:
                    print(error)
            batches.close()
            del batches
            own = dataset.record_batches(batch_size=1000, threads=threads)
            own.load_state_dict(state)
            print(sum(batch.num_rows for batch in own), flush=True)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(rows + sum(batch.num_rows for batch in batches))
    """
    done = run_script(script, big_file, threads)
    message = (
        "expected an iterator of this process, found one that was made before a fork: make "
        "a new one in the child process"
    )
    assert done.stdout.splitlines() == [message] * 4 + [str(BIG_ROWS - 1000), "7", str(BIG_ROWS)], done.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signal")
def test_a_signal_handler_inside_a_call_is_refused_not_stuck(endless_file):
    script = """
        import os, signal, sys, threading
        import arrowfeed as af

        def handler(number, frame):
            try:
                batches.state_dict()
            except ValueError as error:
                print(error)
            raise ZeroDivisionError

        signal.signal(signal.SIGUSR1, handler)
        batches = af.AvroDataset(sys.argv[1], columns=["id"]).record_batches(batch_size=1_000_000, threads=1)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        try:
            next(batches)
        except ZeroDivisionError:
            print("stopped")
    """
    done = run_script(script, endless_file)
    message = "expected an iterator that is not in use, found a call from inside another call to it"
    assert done.stdout == f"{message}\nstopped\n", done.stderr


@pytest.mark.parametrize("kind", ["global", "cycle", "shuffled", "tensors", "in a daemon thread"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_process_ends_with_live_iterators(big_file, kind, threads):
    script = """
        import sys, threading
        import arrowfeed as af

        path, kind, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
        dataset = af.AvroDataset(path, columns=["id"])
        options = {"batch_size": 1000, "threads": threads, "epochs": None}
        if kind == "shuffled":
            options["shuffle_buffer_size"] = 10_000
        batches = (dataset.tensors if kind == "tensors" else dataset.record_batches)(**options)
        kept = next(batches)
        if kind == "cycle":
            cycle = [batches]
            cycle.append(cycle)
        if kind == "in a daemon thread":
            begun = threading.Event()

            def run():
                for batch in batches:
                    begun.set()

            threading.Thread(target=run, daemon=True).start()
            begun.wait()
        print("end")
    """
    done = run_script(script, big_file, kind, threads)
    assert (done.stdout, done.stderr, done.returncode) == ("end\n", "", 0)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity")
@pytest.mark.skipif(os.cpu_count() == 1, reason="one core")
def test_removing_cores_during_an_epoch_loses_no_row(big_file):
    dataset = af.AvroDataset(big_file, columns=["id"])
    options = {"batch_size": 100, "shuffle_buffer_size": BIG_ROWS, "seed": 1}
    expected = [ids(batch) for batch in dataset.record_batches(threads=1, **options)]
    cores = os.sched_getaffinity(0)
    batches = dataset.record_batches(**options)
    try:
        found = [ids(next(batches)) for _ in range(5)]
        os.sched_setaffinity(0, {min(cores)})
        found += [ids(next(batches)) for _ in range(5)]
    finally:
        os.sched_setaffinity(0, cores)
    assert found + [ids(batch) for batch in batches] == expected
