"""Training runs that are killed and go on with another number of processes: files, losses and launchers."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import arrowfeed as af

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 1003
OPTIONS = {"global_batch_size": 48, "streams": 12, "shuffle_buffer_size": 200, "seed": 7, "epochs": 2}
STEPS = ROWS // 48 * 2
"""Of all epochs, with `even="drop"`."""

MODEL = """
import json, os, sys
from pathlib import Path
import numpy as np

def step(weights, x):
    # All processes have the same global batch, so that the sums have one order.
    error = x * weights[0] + weights[1] - np.sin(x)
    slope = np.array([(error * x).mean(), error.mean()])
    return weights - 0.1 * slope, float((error * error).mean())

def log(directory, number, loss, ids):
    line = json.dumps({"step": number, "loss": loss.hex(), "ids": [int(n) for n in ids]})
    with open(Path(directory) / "log", "a") as file:
        file.write(line + "\\n")

def save(directory, weights, number, state):
    text = json.dumps({"weights": [w.hex() for w in weights.tolist()], "step": number, "state": state})
    (Path(directory) / "new").write_text(text)
    (Path(directory) / "new").replace(Path(directory) / "checkpoint")

def load(directory):
    path = Path(directory) / "checkpoint"
    if not path.exists():
        return np.zeros(2), 0, None
    saved = json.loads(path.read_text())
    return np.array([float.fromhex(w) for w in saved["weights"]]), saved["step"], saved["state"]
"""


def write(directory):
    """Writes a file of numbered rows in small blocks."""
    path = directory / "rows.avro"
    batch = pa.record_batch({"id": range(ROWS), "x": [n / 128 for n in range(ROWS)]})
    af.write_avro(batch, path, block_bytes=400)
    return path


def train_alone(path, directory):
    """Writes the log of an unbroken run of one process, without a framework."""
    names: dict[str, Any] = {}
    exec(MODEL, names)
    weights = np.zeros(2)
    for number, batch in enumerate(af.AvroDataset(path).tensors(**OPTIONS, even="drop"), 1):
        weights, loss = names["step"](weights, batch["x"].values)
        names["log"](directory, number, loss, batch["id"].values)


def logged(directory):
    """The complete lines of the log, in the order of the steps."""
    path = directory / "log"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line.endswith("}")]


def run(command, environment, *, kill_at=None, directory: Path):
    """Runs the processes of a launcher. `kill_at`: the step after which all of them are killed with -9."""
    running = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        if kill_at is None:
            output, _ = running.communicate(timeout=240)
            assert running.returncode == 0, output[-4000:]
            return
        end = time.monotonic() + 240
        while len(logged(directory)) < kill_at:
            assert running.poll() is None, running.communicate()[0][-4000:]
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def assert_goes_on(whole, killed):
    """Checks that a killed run and its continuation have the losses and the rows of the unbroken run."""
    expected = logged(whole)
    found = logged(killed)
    # The last step before the kill may be repeated, from the checkpoint before it.
    steps = {}
    for line in found:
        number = line.split(",")[0]
        assert steps.setdefault(number, line) == line
    assert list(steps.values()) == expected
    assert len(expected) == STEPS
