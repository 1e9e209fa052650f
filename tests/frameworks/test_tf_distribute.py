"""Strategies of TensorFlow give each row to one replica once, and a killed `fit` resumes."""

import json
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
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

WHOLE = """
    batches = strategy.experimental_distribute_dataset(
        source(sys.argv[1]).to_tf(batch_size=32, **json.loads(sys.argv[2]))
    )
"""

OF_FUNCTION = """
    def own(context):
        shard = (context.input_pipeline_id, context.num_input_pipelines)
        return source(sys.argv[1]).to_tf(batch_size=16, shard=shard, **json.loads(sys.argv[2]))

    batches = strategy.distribute_datasets_from_function(own)
"""

REPLICAS = """
    given = {}

    @tf.function
    def step(batch):
        return strategy.run(lambda one: tf.identity(one["id"]), args=(batch,))

    for batch in batches:
        for number, ids in enumerate(strategy.experimental_local_results(step(batch))):
            given.setdefault(number, []).append(ids.numpy().tolist())
    print(json.dumps(given))
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


@pytest.mark.parametrize("options", [{}, SHUFFLED])
@pytest.mark.parametrize("way", [WHOLE, OF_FUNCTION])
def test_replicas_of_one_process_share_the_rows(tmp_path, way, options):
    write(tmp_path)
    given = json.loads(printed(script(MIRRORED, way, REPLICAS), tmp_path, json.dumps(options)))
    assert given.keys() == {"0", "1"}
    assert rows(given) == [*range(ROWS)]
    assert all(given[replica] for replica in given)


# The other pairs run in one process.
@pytest.mark.parametrize(("way", "options"), [(WHOLE, SHUFFLED), (OF_FUNCTION, {})])
def test_workers_of_two_processes_share_the_rows(tmp_path, way, options):
    write(tmp_path)
    first, second = run_workers(script(WORKERS, way, REPLICAS), str(tmp_path), json.dumps(options))
    assert sorted(rows(first) + rows(second)) == [*range(ROWS)]
    assert rows(first)
    assert rows(second)


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
