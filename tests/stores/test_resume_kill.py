"""A process that is killed repeatedly while it reads from a store resumes, and each row comes once, in order.

8 kills in each case; `make test-long` has 20, and `ARROWFEED_STORE_KILLS=200` more.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arrowfeed as af
import pytest
from corpus import ProxyOf, put_all
from rows import files_of, ids
from stores import Store

KILLS = int(os.environ.get("ARROWFEED_STORE_KILLS", "8"))
WORKER = Path(__file__).with_name("resuming.py")
SECONDS = 120
SIZES = (200, 10, 0, 190)

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "in file order": ("s3", {"batch_size": 17}),
    "a shuffled shard": ("azure", {"batch_size": 7, "shuffle_buffer_size": 90, "seed": 4, "shard": (1, 2)}),
    "faults": ("http", {"batch_size": 17, "shuffle_buffer_size": 100, "seed": 5}),
    "a cache": ("gcs", {"batch_size": 17, "shuffle_buffer_size": 100, "seed": 6}),
    "hdfs": ("hdfs", {"batch_size": 17, "shuffle_buffer_size": 100, "seed": 7}),
}
"""The kind of the store, and options of the iteration."""


def run(given: dict[str, Any], kill_after: tuple[str, float] | None = None) -> bool:
    """Runs a worker until shortly after its first word. Returns whether it was killed."""
    command = [sys.executable, "-W", "ignore", str(WORKER), json.dumps(given)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        if kill_after:
            word, seconds = kill_after
            for line in worker.stdout:
                if line.strip() in (word, "end"):
                    break
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(seconds)
            worker.kill()
        _, errors = worker.communicate(timeout=SECONDS)
        assert worker.returncode in (0, -signal.SIGKILL), errors
        return worker.returncode != 0


@pytest.mark.parametrize("case", CASES)
def test_every_row_of_a_store_comes_once_however_often_the_process_is_killed(
    make_store: Callable[[str], Store], proxy_of: ProxyOf, tmp_path: Path, case: str
) -> None:
    kind, iteration = CASES[case]
    store = make_store(kind)
    put_all(store, files_of("avro", SIZES))
    if case == "faults":
        store = store.through(proxy_of(store))
        faults = {"status_503": 0.1, "reset": 0.1, "short_body": 0.1, "truncated_length": 0.1}
        store.proxy.plan(seed=KILLS, most_per_request=1000, **faults)
    # Enough epochs that the process is killed before its end.
    given = {
        "folder": str(tmp_path),
        "urls": [store.url_of(f"part-{part}.avro") for part in range(len(SIZES))],
        "dataset": {"storage_options": store.storage_options},
        "iteration": {**iteration, "threads": 2, "epochs": 4 + KILLS},
    }
    if case == "a cache":
        given["dataset"]["cache"] = str(tmp_path / "cache")
    (tmp_path / "ids").touch()
    moments = random.Random(KILLS)
    for _ in range(KILLS):
        moment = moments.choice(["begun", "going"]), moments.uniform(0, 0.06)
        assert run(given, moment), "came to the end before it was killed"
    before = len((tmp_path / "ids").read_text().split())
    assert not run(given)
    found = list(map(int, (tmp_path / "ids").read_text().split()))
    dataset = af.AvroDataset(given["urls"], **given["dataset"])
    assert found == ids(dataset.record_batches(**given["iteration"]))
    assert len(found) >= (4 + KILLS) * sum(SIZES) // 2
    assert 0 < before < len(found), "no kill was in the midst of it"
    if case == "faults":
        assert sum(store.proxy.stats()["faults"].values()) > KILLS
