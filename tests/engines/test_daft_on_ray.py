"""Daft on a Ray cluster of two workers, one of which is killed in mid-run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import kills
import pytest
import rows

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python"
SECONDS = 240

for name in ("daft", "ray"):
    pytest.importorskip(name, reason=f"SKIPPED Daft on Ray: expected {name} to be installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory in which the workers record what they read."""
    return tmp_path_factory.mktemp("seen")


@pytest.fixture(scope="module")
def results(files: Path, folder: Path) -> dict[str, Any]:
    """Results of `daft_on_ray.py`."""
    # The workers import the modules of the tests.
    paths = os.pathsep.join([str(HERE), str(PACKAGE)])
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "RAY_USAGE_STATS_ENABLED": "0",
        "DAFT_PROGRESS_BAR": "0",
    }
    command = [sys.executable, "-W", "ignore", HERE / "daft_on_ray.py", files, folder]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return json.loads((folder / "results.json").read_text())


def test_two_workers_read_exactly_the_rows(results: dict[str, Any], expected: rows.Checksum) -> None:
    assert rows.Checksum(**results["checksum"]) == expected
    assert results["count"] == rows.ROWS
    assert sorted(results["ids"]) == list(range(10))


def test_a_killed_worker_of_ray_does_not_change_the_rows(
    results: dict[str, Any], expected: rows.Checksum, folder: Path
) -> None:
    assert rows.Checksum(**results["after_a_kill"]) == expected
    seen, killed = kills.seen(folder), kills.ended(folder)
    of_killed = [batch for batch in seen if batch.pid == killed]
    of_other = [batch for batch in seen if batch.pid != killed]
    # The killed worker had read more than half of a split, which another process has read from its beginning.
    assert kills.rows_of(of_killed) > rows.ROWS // 10
    assert kills.rows_of(seen) > rows.ROWS + rows.ROWS // 10
    assert {batch.first for batch in of_killed[-3:]} <= {batch.first for batch in of_other}
