"""`shard="auto"` in the processes of `jax.distributed`."""

from __future__ import annotations

from processes import assert_shards, free_address, numbers_of, python, write

PROGRAM = """if True:
    import os
    import sys
    import jax
    import arrowfeed as af

    jax.distributed.initialize(sys.argv[2], num_processes=2, process_id=int(os.environ["NUMBER"]))
    assert jax.process_count() == 2
    rows = af.AvroDataset(sys.argv[1]).to_jax(batch_size=8, shard="auto")
    print(*(int(x) for batch in rows for x in batch["x"].ravel()))
"""


def test_the_processes_of_jax_have_each_row_once(tmp_path):
    environments = [{"NUMBER": str(number), "JAX_PLATFORMS": "cpu"} for number in range(2)]
    assert_shards(numbers_of(python(PROGRAM, write(tmp_path), free_address()), environments))
