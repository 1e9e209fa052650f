"""The dataset op supports checkpoints, other processes and several iterators, and leaks nothing."""

import gc
import json
import os
import textwrap
import time
from pathlib import Path

import pytest
import tensorflow as tf
from feature_files import ROWS, dataset, flat

import arrowfeed as af
from arrowfeed._tensorflow.op import MOST_PICKLED, op_of_arguments, state_of_arguments, texts_of
from conftest import printed

BATCH = 64
EPOCHS = int(os.environ.get("ARROWFEED_EPOCHS", "150"))
"""Iterators that are left. `make test-long` has 1,000."""

ORDERS = [{}, {"shuffle_buffer_size": 300, "seed": 5}, {"shuffle_buffer_size": 300}]


def ids(batches):
    return [batch["id"].numpy().tolist() for batch in batches]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("taken", [0, 1, 7])
def test_a_checkpoint_resumes_with_exactly_the_remaining_batches(tmp_path, order, threads, taken):
    source = dataset(tmp_path)
    options = {"batch_size": BATCH, "threads": threads, "epochs": 2, **order}
    iterator = iter(source.to_tf(**options))
    for _ in range(taken):
        next(iterator)
    saved = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "checkpoint"))
    left = ids(iterator)
    assert len(left) == 2 * -(-ROWS // BATCH) - taken
    other = iter(source.to_tf(**options))
    next(other)
    tf.train.Checkpoint(iterator=other).restore(saved)
    assert ids(other) == left


def test_a_checkpoint_of_a_pipeline_goes_on_in_another_process(tmp_path):
    source = dataset(tmp_path)
    script = """
        import json, sys
        import tensorflow as tf
        import arrowfeed as af
        from feature_files import FEATURES

        action, paths, checkpoint = sys.argv[1:]
        source = af.AvroDataset(paths, features=FEATURES)
        rows = source.to_tf(batch_size=32, shuffle_buffer_size=300, seed=3, threads=2)
        iterator = iter(rows.map(lambda batch: batch["id"]).rebatch(10).prefetch(3))
        checkpoint_of = tf.train.Checkpoint(iterator=iterator)
        if action == "save":
            given = [next(iterator).numpy().tolist() for _ in range(20)]
            checkpoint_of.write(checkpoint)
        else:
            checkpoint_of.read(checkpoint)
            given = [batch.numpy().tolist() for batch in iterator]
        print(json.dumps(sum(given, [])))
    """
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n" + textwrap.dedent(script)
    paths, checkpoint = tmp_path / "part-*.avro", tmp_path / "checkpoint"
    first, rest = (json.loads(printed(script, action, paths, checkpoint)) for action in ("save", "read"))
    expected = flat(ids(source.to_tf(batch_size=32, shuffle_buffer_size=300, seed=3)))
    assert len(first) == 200
    assert first + rest == expected


def test_datasets_of_one_pipeline_do_not_disturb_each_other(tmp_path):
    found = dataset(tmp_path).to_tf(batch_size=BATCH).map(lambda batch: batch["id"])
    whole = [batch.numpy().tolist() for batch in found]
    pairs = [(a.numpy().tolist(), b.numpy().tolist()) for a, b in tf.data.Dataset.zip((found, found))]
    assert pairs == [(batch, batch) for batch in whole]
    shifted = tf.data.Dataset.zip((found, found.skip(2)))
    assert [(a.numpy().tolist(), b.numpy().tolist()) for a, b in shifted] == list(
        zip(whole, whole[2:], strict=False)
    )
    many = tf.data.Dataset.range(20).interleave(lambda _: found, cycle_length=20, block_length=1)
    assert sorted(flat([batch.numpy().tolist() for batch in many])) == sorted(20 * flat(whole))
    assert [batch.numpy().tolist() for batch in found.repeat(2)] == 2 * whole


def test_each_pass_over_a_repeated_dataset_has_the_order_of_its_number(tmp_path):
    source = dataset(tmp_path)
    options = {"batch_size": BATCH, "shuffle_buffer_size": 300, "seed": 5}
    epochs = ids(source.to_tf(**options, epochs=3))
    assert ids(source.to_tf(**options).repeat(3)) == epochs
    one = source.to_tf(**options)
    assert [batch for _ in range(3) for batch in ids(one)] == epochs


def test_passes_are_counted_where_a_graph_brought_the_dataset_along(tmp_path):
    source = dataset(tmp_path)
    options = {"batch_size": BATCH, "shuffle_buffer_size": 300, "seed": 5}
    epochs = ids(source.to_tf(**options, epochs=3))
    found = source.to_tf(**options).map(lambda batch: batch["id"]).repeat(3)
    graph = tf.data.experimental.to_variant(found)
    del found
    gc.collect()
    rest = tf.data.experimental.from_variant(graph, tf.TensorSpec([None], tf.int64))
    assert [batch.numpy().tolist() for batch in rest] == epochs


def test_a_dataset_that_cannot_be_pickled_is_an_error(tmp_path):
    data = _numbers(tmp_path, MOST_PICKLED // 8).read_bytes()
    found = af.AvroDataset(data).to_tf(batch_size=BATCH)
    assert next(iter(found.map(lambda batch: batch["x"]))).shape == [BATCH]
    graph = tf.data.experimental.to_variant(found.map(lambda batch: batch["x"]))
    del found
    gc.collect()
    rest = tf.data.experimental.from_variant(graph, tf.TensorSpec([None], tf.float64))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        next(iter(rest))
    expected = (
        "expected a dataset of this process, found one of a different process that cannot "
        "be pickled or is larger than 1 MiB: use a dataset of files"
    )
    assert expected in caught.value.message


def test_operations_of_a_graph_do_not_write_into_shared_memory(tmp_path):
    source = af.AvroDataset(
        _numbers(tmp_path),
        representations={
            "a": af.representations.Dense("x"),
            "b": af.representations.Dense("x"),
            "c": af.representations.Dense("x"),
        },
    )

    @tf.function
    def total(found):
        sums = tf.constant(0.0, tf.float64)
        for batch in found:
            twice = batch["a"] * 2.0 + 1.0
            sums += tf.reduce_sum(twice - 2.0 * batch["b"] - 1.0) + tf.reduce_sum(batch["c"])
        return sums

    found = source.to_tf(batch_size=512)
    assert total(found).numpy() == total(found).numpy() == sum(range(5000))
    for batch in found:
        assert (batch["a"].numpy() == batch["b"].numpy()).all()


def _numbers(directory, count=5000):
    import pyarrow as pa  # noqa: PLC0415 - for this

    path = directory / "numbers.avro"
    af.write_avro(pa.table({"x": pa.array(range(count), pa.float64())}), path, codec="null")
    return path


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
def test_datasets_that_are_left_leave_no_threads_and_no_memory(tmp_path):
    source = dataset(tmp_path)

    def threads():
        names = (task.joinpath("comm").read_text() for task in Path("/proc/self/task").iterdir())
        return sum(name.startswith("arrowfeed") for name in names)

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def leave(count):
        for _ in range(count):
            iterator = iter(source.to_tf(batch_size=BATCH, threads=2).map(lambda batch: batch["id"]))
            next(iterator)

    def growth(count):
        before = resident()
        leave(count)
        gc.collect()
        return resident() - before

    leave(50)
    gc.collect()
    # A leak grows in each round, the arenas of an allocator do not.
    least = min(growth(EPOCHS // 3) for _ in range(3))
    end = time.monotonic() + 60
    while threads() and time.monotonic() < end:
        time.sleep(0.05)
    assert threads() == 0
    # 600 iterators were measured at 1 MB. A function for each would take 100 kB.
    assert least < EPOCHS // 3 * (24 << 10)


@pytest.mark.parametrize("state", [b"", b"a", b"a5:1:x", b"a3:9:x", b"x3:1:x", b"a4:-1:x"])
def test_a_state_that_is_none_is_an_error(state):
    op = op_of_arguments(lambda _: None, tf.TensorSpec([None], tf.string))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected a state of arrowfeed, found other data"
    ):
        list(op.dataset(state))


def test_arguments_with_nothing_to_iterate_over_have_no_batches():
    def make(arguments):
        assert arguments == [b"x"]

    op = op_of_arguments(make, tf.TensorSpec([None], tf.string))
    assert list(op.dataset(b"a3:1:x7 {}")) == []


def test_arguments_of_any_bytes_come_as_they_were():
    names, seen = [b"", b"3:abc", "é".encode(), b"\x00,\n" * 40], []

    def make(arguments):
        seen.append(arguments)

    op = op_of_arguments(make, tf.TensorSpec([None], tf.string))
    assert list(op.dataset(state_of_arguments(texts_of([tf.constant(names), tf.constant(7)])))) == []
    assert seen == [[*names, b"7"]]
