"""tf.data service: the policy that gives each row once, and the effect of a killed worker.

A restarted worker keeps its port, because the client of TensorFlow waits for the old address.
"""

import contextlib
import socket
import subprocess
import sys
import textwrap

import pytest
import tensorflow as tf
from feature_files import ROWS, dataset

from conftest import ENVIRONMENT

SERVICE = tf.data.experimental.service
WORKER = """
    import sys
    import tensorflow as tf
    import arrowfeed.tensorflow

    config = tf.data.experimental.service.WorkerConfig(
        dispatcher_address=sys.argv[1], port=int(sys.argv[2]), heartbeat_interval_ms=100
    )
    worker = tf.data.experimental.service.WorkerServer(config)
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def dispatched():
    """The target of a dispatcher of two workers, and a function that kills a worker and starts it again.

    All tests share the workers, because each takes five seconds to start.
    """
    dispatcher = SERVICE.DispatchServer(SERVICE.DispatcherConfig(port=0))
    address = dispatcher.target.split("://")[1]
    with contextlib.ExitStack() as opened:
        servers = [opened.enter_context(socket.create_server(("localhost", 0))) for _ in range(2)]
        ports = [server.getsockname()[1] for server in servers]

    def start(port):
        command = [sys.executable, "-c", textwrap.dedent(WORKER), address, str(port)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        worker = subprocess.Popen(command, text=True, env=ENVIRONMENT, **pipes)
        assert worker.stdout.readline() == "ready\n"
        return worker

    def stop(worker):
        worker.kill()
        worker.communicate()

    workers = [start(port) for port in ports]

    def again(number):
        stop(workers[number])
        workers[number] = start(ports[number])

    try:
        yield dispatcher.target, again
    finally:
        for worker in workers:
            stop(worker)


def distributed(rows, target, policy, **options):
    return rows.apply(SERVICE.distribute(processing_mode=policy, service=target, **options))


def ids(batches):
    return [row for batch in batches for row in batch.numpy().tolist()]


def id_of(batch):
    return batch["id"]


@pytest.mark.parametrize("options", [{}, {"shuffle_buffer_size": 100, "seed": 3}])
def test_shards_that_workers_take_give_each_row_once(tmp_path, dispatched, options):
    """Policy DYNAMIC, over the numbers of the shards."""
    source = dataset(tmp_path)

    def shard(number):
        return source.to_tf(batch_size=16, shard=(number, 8), **options)

    rows = tf.data.Dataset.range(8).flat_map(shard).map(id_of)
    assert sorted(ids(rows)) == [*range(ROWS)]
    target, _ = dispatched
    spread = distributed(rows, target, SERVICE.ShardingPolicy.DYNAMIC)
    assert sorted(ids(spread)) == [*range(ROWS)]


def test_each_worker_gives_all_rows_where_nothing_is_sharded(tmp_path, dispatched):
    rows = dataset(tmp_path).to_tf(batch_size=16).map(id_of)
    target, _ = dispatched
    spread = distributed(rows, target, SERVICE.ShardingPolicy.OFF)
    assert sorted(ids(spread)) == sorted(2 * [*range(ROWS)])


def test_a_worker_that_is_killed_loses_no_more_than_its_shards(tmp_path, dispatched):
    source, shards = dataset(tmp_path), 8

    def shard(number):
        return source.to_tf(batch_size=4, shard=(number, shards))

    rows = tf.data.Dataset.range(shards).flat_map(shard).map(id_of)
    target, again = dispatched
    policy = SERVICE.ShardingPolicy.DYNAMIC
    iterator = iter(distributed(rows, target, policy, max_outstanding_requests=2))
    given = [row for _ in range(3) for row in next(iterator).numpy().tolist()]
    again(0)
    given += ids(iterator)
    # No row occurs twice. Rows of the killed worker's shards may be missing.
    assert len(given) == len(set(given))
    assert len(given) >= ROWS - 2 * (ROWS // shards + 1)


def test_a_restarted_worker_yields_all_rows_again(tmp_path, dispatched):
    rows = dataset(tmp_path).to_tf(batch_size=4).map(id_of)
    target, again = dispatched
    policy = SERVICE.ShardingPolicy.OFF
    iterator = iter(distributed(rows, target, policy, max_outstanding_requests=2))
    given = next(iterator).numpy().tolist()
    again(0)
    given += ids(iterator)
    assert set(given) == {*range(ROWS)}
