"""The messages of `arrowfeed.tfx.avro_executor` are those of TFX's executor."""

import os
import random
from pathlib import Path

import pytest
import tensorflow as tf
from avro_records import random_file
from example_gen import run, splits_of
from tfx.components.example_gen.custom_executors import avro_executor as of_tfx

from arrowfeed.tfx import avro_executor

# A case runs two pipelines. `test_example_gen_messages` compares the messages of many random files.
CASES = int(os.environ.get("ARROWFEED_CASES", "200")) // 100
SEED = int(os.environ.get("ARROWFEED_SEED", random.randrange(1 << 32)))


@pytest.mark.parametrize("case", range(CASES))
def test_random_records_give_equal_messages_in_equal_splits(tmp_path: Path, case: int) -> None:
    rng = random.Random(f"{SEED} {case}")
    data = tmp_path / "data"
    data.mkdir()
    random_file(data / "rows.avro", rng, rng.randint(0, 60))
    output = splits_of(train=rng.randint(1, 9), eval=rng.randint(1, 3), test=1)
    expected = run(of_tfx.Executor, data, tmp_path / "tfx", output=output)
    found = run(avro_executor.Executor, data, tmp_path / "ours", output=output)
    assert parsed(found.messages) == parsed(expected.messages), f"ARROWFEED_SEED={SEED}"
    assert found.artifact.split_names == expected.artifact.split_names


def parsed(messages: dict[str, list[bytes]]) -> dict[str, list[str]]:
    """The texts of messages, because NaN does not equal itself, and the order of a map is not defined."""
    return {
        split: sorted(str(tf.train.Example.FromString(record)) for record in records)
        for split, records in messages.items()
    }
