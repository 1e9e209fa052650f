"""Strategies of TensorFlow give each row to one replica once, and a killed `fit` resumes."""

import json
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

from feature_files import ROWS, write

from conftest import ENVIRONMENT, printed, run_script

HERE = Path(__file__).parent
START = f"""
    import json, os, sys
    sys.path.insert(0, {str(HERE)!r})
    import tensorflow as tf
    import arrowfeed as af
    from feature_files import FEATURES

    def source(directory):
        return af.AvroDataset(directory + "/part-*.avro", features=FEATURES)
"""

MIRRORED = """
    cpus = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpus[0], [tf.config.LogicalDeviceConfiguration()] * 2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
"""

WORKERS = """
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
"""

REPLICAS = """
    def whole(options):
        batches = source(sys.argv[1]).to_tf(batch_size=32, **options)
        return strategy.experimental_distribute_dataset(batches)

    def of_function(options):
        def own(context):
            shard = (context.input_pipeline_id, context.num_input_pipelines)
            return source(sys.argv[1]).to_tf(batch_size=16, shard=shard, **options)

        return strategy.distribute_datasets_from_function(own)

    @tf.function
    def step(batch):
        return strategy.run(lambda one: tf.identity(one["id"]), args=(batch,))

    def replicas(way, options):
        given = {}
        for batch in {"whole": whole, "of_function": of_function}[way](options):
            for number, ids in enumerate(strategy.experimental_local_results(step(batch))):
                given.setdefault(number, []).append(ids.numpy().tolist())
        return given

    print(json.dumps([replicas(way, options) for way, options in json.loads(sys.argv[2])]))
"""


def script(*parts):
    return "\n".join(textwrap.dedent(part) for part in (START, *parts))


def run_workers(program, *arguments):
    """The outputs of two workers in separate processes."""
    with socket.create_server(("localhost", 0)) as one, socket.create_server(("localhost", 0)) as other:
        addresses = [f"localhost:{server.getsockname()[1]}" for server in (one, other)]
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **ENVIRONMENT,
                "TF_CONFIG": json.dumps(
                    {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
                ),
            },
        )
        for index in range(2)
    ]
    try:
        printed = [worker.communicate(timeout=300) for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
    assert [worker.returncode for worker in workers] == [0, 0], printed
    return [json.loads(out) for out, _ in printed]


def rows(given):
    """All rows of all replicas."""
    return sorted(row for batches in given.values() for batch in batches for row in batch)


SHUFFLED = {"shuffle_buffer_size": 100, "seed": 3}


# A pair takes a second, and the start of TensorFlow five: one process has all pairs.
PAIRS = [(way, options) for way in ("whole", "of_function") for options in ({}, SHUFFLED)]


def test_replicas_of_one_process_share_the_rows(tmp_path):
    write(tmp_path)
    found = json.loads(printed(script(MIRRORED, REPLICAS), tmp_path, json.dumps(PAIRS)))
    for given, pair in zip(found, PAIRS, strict=True):
        assert given.keys() == {"0", "1"}, pair
        assert rows(given) == [*range(ROWS)], pair
        assert all(given[replica] for replica in given), pair


def test_workers_of_two_processes_share_the_rows(tmp_path):
    write(tmp_path)
    each = run_workers(script(WORKERS, REPLICAS), str(tmp_path), json.dumps(PAIRS))
    for first, second, pair in zip(*each, PAIRS, strict=True):
        assert sorted(rows(first) + rows(second)) == [*range(ROWS)], pair
        assert rows(first), pair
        assert rows(second), pair


FIT = """
    from pathlib import Path

    directory, kill = sys.argv[1], int(sys.argv[2])
    rows = source(directory).project(["id"]).to_tf(batch_size=32, shuffle_buffer_size=100, seed=3)

    def pair(batch):
        x = tf.reshape(batch["id"], [-1, 1]) / 1000
        return x, x

    pairs = rows.map(pair)
    steps = []

    class Order(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            rows.set_epoch(epoch)

        def on_train_batch_end(self, batch, logs=None):
            steps.append(batch)
            if len(steps) == kill:
                os.kill(os.getpid(), 9)

    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Input([1]), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    # The backup callback is first, because it sets the first epoch.
    backup = tf.keras.callbacks.BackupAndRestore(directory + "/backup")
    model.fit(pairs, epochs=4, verbose=0, callbacks=[backup, Order()])
    print(json.dumps({"steps": len(steps), "weights": [weight.tolist() for weight in model.get_weights()]}))
"""


def test_a_killed_fit_resumes_with_the_rows_of_its_epoch(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for directory in (whole, killed):
        directory.mkdir()
        write(directory)
    expected = json.loads(printed(script(FIT), whole, 0))
    each = expected["steps"] // 4
    assert run_script(script(FIT), killed, 2 * each + 3).returncode == -9
    found = json.loads(printed(script(FIT), killed, 0))
    # Two epochs were complete.
    assert found["steps"] == 2 * each
    assert found["weights"] == expected["weights"]
