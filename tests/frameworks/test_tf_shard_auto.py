"""`shard="auto"` in the processes of a cluster of TensorFlow."""

from __future__ import annotations

import json

from processes import assert_shards, free_address, numbers_of, python, write

PROGRAM = """if True:
    import sys
    import tensorflow as tf
    import arrowfeed as af

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rows = af.AvroDataset(sys.argv[1]).to_tf(batch_size=8, shard="auto")
    numbers = [int(x) for batch in rows for x in batch["x"].numpy().ravel()]
    resolver = strategy.cluster_resolver
    assert resolver.cluster_spec().num_tasks("worker") == 2
    print(*numbers)
"""


def test_the_workers_of_a_strategy_have_each_row_once(tmp_path):
    workers = [free_address(), free_address()]
    environments = [
        {
            "TF_CONFIG": json.dumps(
                {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
            )
        }
        for index in range(2)
    ]
    assert_shards(numbers_of(python(PROGRAM, write(tmp_path)), environments))
