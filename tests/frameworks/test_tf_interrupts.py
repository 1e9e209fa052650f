"""Ctrl-C interrupts a TensorFlow function, in which Python waits and runs no signal handler."""

import json
import os

import pytest
from feature_files import ROWS, write

from conftest import printed

ANSWER_SECONDS = 0.2
"""Ctrl-C is answered within this time, on a machine that does nothing else."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

START = """
    import json, os, signal, sys, threading, time
    import numpy as np
    import tensorflow as tf
    import arrowfeed as af

    path, threads = sys.argv[1], int(sys.argv[2])

    # A stopped dataset waits for the thread of TensorFlow's autotuning, which sleeps for 10 ms, then 20 ms,
    # 40 ms, ...
    options = tf.data.Options()
    options.autotune.enabled = False

    def rows():
        source = af.AvroDataset(path, representations={"id": af.representations.Dense("id")})
        batches = source.to_tf(batch_size=1_000_000, on_error="skip_block", threads=threads)
        return batches.with_options(options)

    @tf.function
    def count(batches):
        return batches.reduce(np.int64(0), lambda total, batch: total + tf.size(batch["id"], tf.int64))

    def later(seconds):
        '''Sends Ctrl-C, and notes when.'''
        def send():
            time.sleep(seconds)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        sent = []
        threading.Thread(target=send, daemon=True).start()
        return sent

    # Traced first, because TensorFlow handles signals during tracing.
    count(rows())
    # Zeros after the rows take no space on disk, but a long time to search.
    size = os.stat(path).st_size
    os.truncate(path, 40 << 30)
"""

INTERRUPTED = """
    answers = []
    for moment in (1.0, 0.7, 0.4):
        sent = later(moment)
        try:
            total = int(count(rows()))
            # The function ended before the signal, so this round does not count.
            answers.append([total] if sent else None)
        except (KeyboardInterrupt, RuntimeError, tf.errors.CancelledError) as error:
            # Pybind makes a RuntimeError of TensorFlow's error, while Python raises KeyboardInterrupt.
            assert type(error) is not RuntimeError or "KeyboardInterrupt" in str(error), error
            answers.append(time.monotonic() - sent[0])
    os.truncate(path, size)
    interrupted = [answers, int(count(rows()))]
"""

HANDLED = """
    heard = []
    os.truncate(path, 1 << 30)
    signal.signal(signal.SIGINT, lambda *_: heard.append(time.monotonic()))
    sent = later(0.1)
    total = int(count(rows()))
    after = time.monotonic()
    time.sleep(0.2)
    print(json.dumps({"interrupted": interrupted, "handled": [total, len(heard), sent[0] < after]}))
"""


@pytest.fixture(scope="module", params=[1, 2])
def found(request, tmp_path_factory):
    """What a process prints that is interrupted first, and then handles the signal itself."""
    files = write(tmp_path_factory.mktemp("rows"), files=1)
    return json.loads(printed(START + INTERRUPTED + HANDLED, *files, request.param))


@pytest.fixture(scope="module")
def answers(found):
    """The seconds of each interrupted function."""
    answers = [answer for answer in found["interrupted"][0] if answer is not None]
    if not answers:
        pytest.skip(
            "expected a function that runs for a second, found that the machine searches 40 GB sooner"
        )
    return answers


def test_ctrl_c_is_answered_while_a_function_runs(found, answers):
    # No function searched the whole file, and returned rows.
    assert all(isinstance(answer, float) for answer in answers), answers
    assert found["interrupted"][1] == ROWS


@pytest.mark.night
def test_ctrl_c_is_answered_soon(answers):
    assert min(answers) <= ANSWER_SECONDS, answers


def test_a_handler_of_the_program_runs_and_the_function_goes_on(found):
    total, heard, was_running = found["handled"]
    assert (total, heard) == (ROWS, 1)
    if not was_running:
        pytest.skip("expected a function that runs for 0.1 s, found one that ended before")
