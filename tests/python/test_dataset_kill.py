"""A process that is killed repeatedly at random moments resumes from its last saved state.

10 kills each; `make test-long` has 100, and `ARROWFEED_KILLS=200` more.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import arrowfeed as af
from law_sources import SOURCES, flat_ids
from session_seed import chance

KILLS = int(os.environ.get("ARROWFEED_KILLS", "10"))
WORKER = Path(__file__).with_name("dataset_worker.py")
TIMEOUT = 60

ORDERS = {
    "in file order": {"batch_size": 17},
    "shuffled": {"batch_size": 17, "shuffle_buffer_size": 300, "seed": 3},
    "a shuffled shard": {"batch_size": 17, "shuffle_buffer_size": 300, "seed": 3, "shard": (1, 2)},
}

CASES = [("avro", order) for order in ORDERS] + [
    (kind, "a shuffled shard") for kind in SOURCES if kind not in ("avro", "chunks")
]
"""Formats of files, and orders."""


class Worker:
    """Starts processes one after the other, which iterate and resume from the last saved state."""

    def __init__(self, folder, options, files):
        command = [sys.executable, "-W", "ignore", WORKER, folder, json.dumps(options), *files]
        self.starter = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.starter.stdin.close()
        self.starter.stdout.close()
        self.starter.wait(TIMEOUT)

    def begin(self, line):
        """Starts a process that does what the line says, and returns its number."""
        self.starter.stdin.write(f"{line}\n")
        self.starter.stdin.flush()
        return int(self.until("process").split()[1])

    def until(self, word):
        """Reads until a line that begins with this word."""
        for line in self.starter.stdout:
            if line.startswith(word):
                return line
            assert not line.startswith("code"), f"expected {word}, found the end of the process with {line}"
        raise AssertionError(f"expected {word}, found the end of the output")

    def code(self):
        """The exit code of the process."""
        return int(self.until("code").split()[1])

    def kill(self, word, seconds):
        """Starts a process, kills it this long after a word, and returns its exit code."""
        process = self.begin("work")
        self.until(word)
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
        return self.code()


@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")
@pytest.mark.parametrize(("kind", "order"), CASES)
def test_every_row_comes_once_and_in_order_however_often_it_is_killed(tmp_path, kind, order):
    SOURCES[kind](tmp_path, [400, 10, 0, 390])
    files = sorted(tmp_path.glob(f"part-*.{kind}"))
    # Enough epochs that the process is killed before its end.
    options = {**ORDERS[order], "threads": 2, "epochs": 4 + KILLS}
    (tmp_path / "ids").touch()
    moments = chance(kind, order)
    with Worker(tmp_path, options, files) as worker:
        for _ in range(KILLS):
            code = worker.kill(moments.choice(["begun", "going"]), moments.uniform(0, 0.06))
            assert code == -signal.SIGKILL, "came to the end before it was killed"
        before = len((tmp_path / "ids").read_text().split())
        worker.begin("finish")
        assert worker.code() == 0
    given = list(map(int, (tmp_path / "ids").read_text().split()))
    batches = af.open_dataset(files, columns=["id"]).record_batches(**options)
    assert given == [number for batch in batches for number in flat_ids(batch)]
    assert 0 < before < len(given), "no kill was in the midst of it"
