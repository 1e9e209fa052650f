"""`Dataset.map` in TensorFlow and JAX: the batches of the function, and exact checkpoints."""

import itertools

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tensorflow as tf
from feature_files import write

import arrowfeed as af
from arrowfeed.representations import Dense

SHUFFLE = {"batch_size": 64, "shuffle_buffer_size": 300, "seed": 7}
DOUBLE = {"id": Dense("id"), "double": Dense("double")}


def doubled(batch):
    table = pa.table(batch)
    return table.append_column("double", pc.multiply(table["id"], 2))


def failing(batch):
    raise LookupError(f"no row of {batch.num_rows}")


@pytest.fixture
def mapped(tmp_path):
    return af.AvroDataset(write(tmp_path), columns=["id"]).map(doubled, representations=DOUBLE)


def pairs(batches):
    return [list(zip(*(batch[name].numpy().tolist() for name in DOUBLE), strict=True)) for batch in batches]


@pytest.mark.parametrize("in_graph", [False, True])
def test_tensorflow_yields_the_results(tmp_path, mapped, in_graph):
    rows = mapped.to_tf(**SHUFFLE)
    assert list(rows.element_spec) == list(DOUBLE)
    whole = pairs(mapped_rows(rows, in_graph))
    assert sorted(itertools.chain.from_iterable(whole)) == [(number, 2 * number) for number in range(1000)]
    batches = iter(mapped_rows(mapped.to_tf(**SHUFFLE), in_graph))
    first = pairs([next(batches)])
    path = tf.train.Checkpoint(batches=batches).save(str(tmp_path / "checkpoint"))
    resumed = iter(mapped_rows(mapped.to_tf(**SHUFFLE), in_graph))
    tf.train.Checkpoint(batches=resumed).restore(path)
    assert first + pairs(resumed) == whole


def mapped_rows(rows, in_graph):
    """The rows, also as another dataset of tf.data, whose threads call the function."""
    return rows.map(lambda row: row, num_parallel_calls=2) if in_graph else rows


def test_an_error_of_the_function_is_that_of_tensorflow(tmp_path):
    source = af.AvroDataset(write(tmp_path), columns=["id"])
    rows = source.map(failing, schema=source.arrow_schema).to_tf(batch_size=64)
    with pytest.raises(LookupError, match="^'?no row of 64'?$"):
        list(rows)


def test_jax_yields_the_results(mapped):
    def ids_of(batches):
        return [list(zip(*(batch[name].tolist() for name in DOUBLE), strict=True)) for batch in batches]

    whole = ids_of(mapped.to_jax(**SHUFFLE))
    assert sorted(itertools.chain.from_iterable(whole)) == [(number, 2 * number) for number in range(1000)]
    batches = mapped.to_jax(**SHUFFLE)
    next(batches)
    resumed = mapped.to_jax(**SHUFFLE)
    resumed.load_state_dict(batches.state_dict())
    assert ids_of(resumed) == whole[1:]
    # A function of the elements.
    sums = mapped.to_jax(**SHUFFLE).map(lambda row: row["id"] + row["double"]).map(lambda total: total.sum())
    assert sum(map(int, sums)) == 3 * sum(range(1000))
    halved = mapped.to_jax(**SHUFFLE, label="double").map(lambda pair: pair[1] // 2)
    halved.load_state_dict(batches.state_dict())
    assert [number for batch in halved for number in batch.tolist()] == [n for b in whole[1:] for n, _ in b]
    with pytest.raises(TypeError) as caught:
        mapped.to_jax(**SHUFFLE).map("sum")
    assert str(caught.value) == "function: expected a function of an element, found str 'sum'"


def test_stop_iteration_of_a_function_of_jax_arrays_is_no_end(mapped):
    pytest.importorskip("jax")
    batches = mapped.to_jax(batch_size=10).map(lambda _arrays: next(iter(())))
    with pytest.raises(RuntimeError, match="^map: the function raised StopIteration$"):
        next(batches)
