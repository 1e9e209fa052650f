"""Processes of `jax.distributed` that are killed go on with another number of them."""

from __future__ import annotations

import json
import sys

from elastic_training import MODEL, OPTIONS, assert_goes_on, run, train_alone, write
from processes import free_address

TRAIN = (
    MODEL
    + """
import jax
from jax.experimental import multihost_utils
import arrowfeed as af

path, directory, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
number, count, address = int(os.environ["NUMBER"]), int(os.environ["COUNT"]), os.environ["ADDRESS"]
jax.distributed.initialize(address, num_processes=count, process_id=number)
assert jax.device_count() == 4
weights, at, state = load(directory)
rows = af.AvroDataset(path).to_jax(**options, shard="auto")
if state is not None:
    rows.load_state_dict(state)
for batch in rows:
    # The batch of each process, one after another: the global batch.
    own = {name: np.asarray(batch[name]) for name in ("id", "x")}
    every = multihost_utils.process_allgather(own, tiled=True)
    weights, loss = step(weights, np.asarray(every["x"], np.float64).ravel())
    at += 1
    if jax.process_index() == 0:
        log(directory, at, loss, np.asarray(every["id"]).ravel())
        save(directory, weights, at, rows.state_dict())
    multihost_utils.sync_global_devices("step")
"""
)

LAUNCH = """
import os, subprocess, sys
count = int(sys.argv[1])
devices = f"--xla_force_host_platform_device_count={4 // count}"
environment = {**os.environ, "COUNT": str(count), "XLA_FLAGS": devices, "JAX_PLATFORMS": "cpu"}
running = [
    subprocess.Popen(
        [sys.executable, *sys.argv[2:]],
        env={**environment, "NUMBER": str(number)},
    )
    for number in range(count)
]
sys.exit(max(process.wait() for process in running))
"""


def test_killed_processes_go_on_with_fewer(tmp_path):
    path, program = write(tmp_path), tmp_path / "train.py"
    program.write_text(TRAIN)

    def train(directory, count, kill_at=None):
        arguments = [str(count), str(program), str(path), str(directory), json.dumps(OPTIONS)]
        command = [sys.executable, "-c", LAUNCH, *arguments]
        run(command, {"ADDRESS": free_address()}, kill_at=kill_at, directory=directory)

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    train_alone(path, whole)
    train(killed, 4, kill_at=9)
    train(killed, 2)
    assert_goes_on(whole, killed)
