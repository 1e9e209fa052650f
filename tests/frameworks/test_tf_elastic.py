"""Workers of `MultiWorkerMirroredStrategy` that are killed go on, also with another number of them."""

from __future__ import annotations

import json
import sys

from elastic_training import MODEL, OPTIONS, assert_goes_on, run, train_alone, write
from processes import free_address

TRAIN = (
    MODEL
    + """
import tensorflow as tf
import arrowfeed as af

path, directory, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
index = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
batches = iter(af.AvroDataset(path).to_tf(**options, shard="auto"))
weights, number, _ = load(directory)
checkpoint = tf.train.Checkpoint(batches=batches)
if number:
    checkpoint.read(f"{directory}/batches-{number}").assert_consumed()

def gathered(batch):
    # The batch of each worker, one after another: the global batch.
    local = strategy.run(lambda one: tf.identity(one), args=(batch,))
    return strategy.gather(local, axis=0).numpy().ravel()

for batch in batches:
    ids, x = gathered(batch["id"]), gathered(batch["x"])
    weights, loss = step(weights, x)
    number += 1
    if index == 0:
        log(directory, number, loss, ids)
        checkpoint.write(f"{directory}/batches-{number}")
        save(directory, weights, number, None)
"""
)

LAUNCH = """
import json, os, subprocess, sys
count, addresses = int(sys.argv[1]), json.loads(sys.argv[2])
running = [
    subprocess.Popen(
        [sys.executable, *sys.argv[3:]],
        env={
            **os.environ,
            "TF_CONFIG": json.dumps(
                {"cluster": {"worker": addresses[:count]}, "task": {"type": "worker", "index": index}}
            ),
        },
    )
    for index in range(count)
]
sys.exit(max(process.wait() for process in running))
"""


def test_killed_workers_go_on_with_another_number(tmp_path):
    path, program = write(tmp_path), tmp_path / "train.py"
    program.write_text(TRAIN)

    def train(directory, count, kill_at=None):
        addresses = json.dumps([free_address() for _ in range(count)])
        arguments = [str(count), addresses, str(program), str(path), str(directory), json.dumps(OPTIONS)]
        run([sys.executable, "-c", LAUNCH, *arguments], {}, kill_at=kill_at, directory=directory)

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    train_alone(path, whole)
    train(killed, 2, kill_at=7)
    train(killed, 1)
    assert_goes_on(whole, killed)
