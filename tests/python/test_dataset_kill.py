"""A process that is killed at any moment, again and again, and goes on from its last saved state.

20 kills each; `ARROWFEED_KILLS=200` for the long mode.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import arrowfeed as af
from law_sources import SOURCES, flat_ids
from session_seed import chance

KILLS = int(os.environ.get("ARROWFEED_KILLS", "20"))
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


def run(folder, options, files, kill_after=None):
    """Runs a worker until it said a word, and a moment longer; False if it came to its end before."""
    command = [
        sys.executable,
        "-W",
        "ignore",
        str(WORKER),
        str(folder),
        json.dumps(options),
        *map(str, files),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        if kill_after:
            word, seconds = kill_after
            for line in worker.stdout:
                if line.strip() in (word, "end"):
                    break
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(seconds)
            worker.kill()
        worker.communicate(timeout=TIMEOUT)
        assert worker.returncode in (0, -signal.SIGKILL)
        return worker.returncode != 0


@pytest.mark.skipif(os.name != "posix", reason="no SIGKILL")
@pytest.mark.parametrize(("kind", "order"), CASES)
def test_every_row_comes_once_and_in_order_however_often_it_is_killed(tmp_path, kind, order):
    SOURCES[kind](tmp_path, [400, 10, 0, 390])
    files = sorted(tmp_path.glob(f"part-*.{kind}"))
    # So many epochs that the process is killed before it is done.
    options = {**ORDERS[order], "threads": 2, "epochs": 4 + KILLS}
    (tmp_path / "ids").touch()
    moments = chance(kind, order)
    for _ in range(KILLS):
        moment = moments.choice(["begun", "going"]), moments.uniform(0, 0.06)
        assert run(tmp_path, options, files, moment), "came to the end before it was killed"
    before = len((tmp_path / "ids").read_text().split())
    assert not run(tmp_path, options, files)
    given = list(map(int, (tmp_path / "ids").read_text().split()))
    batches = af.open_dataset(files, columns=["id"]).record_batches(**options)
    assert given == [number for batch in batches for number in flat_ids(batch)]
    assert 0 < before < len(given), "no kill was in the midst of it"
