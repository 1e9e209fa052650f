"""Iterators over TensorFlow datasets return the same elements in eager code as in tf.data."""

import gc
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
from feature_files import FEATURES, ROWS, dataset, write

import arrowfeed as af
from arrowfeed import tfio
from arrowfeed.tensorflow import to_tensorflow

BATCH = 64


def ids(batches):
    return [number for batch in batches for number in batch["id"].numpy().tolist()]


def plain(tensor):
    if isinstance(tensor, tf.SparseTensor):
        return [part.numpy().tolist() for part in (tensor.indices, tensor.values, tensor.dense_shape)]
    return tensor.to_list() if isinstance(tensor, tf.RaggedTensor) else tensor.numpy().tolist()


@pytest.fixture(name="found")
def fixture_found(tmp_path):
    return dataset(tmp_path).to_tf(batch_size=BATCH)


def test_eager_batches_are_those_of_tf_data(found):
    for batch, other in zip(found, found.map(lambda batch: batch), strict=True):
        assert list(batch) == list(other) == list(FEATURES)
        for name, tensor in batch.items():
            assert type(tensor) is type(other[name])
            assert (tensor.dtype, tensor.shape) == (other[name].dtype, other[name].shape)
            assert plain(tensor) == plain(other[name])


def test_sparse_tensors_are_as_their_constructor_makes_them(found):
    sparse = next(iter(found))["hot"]
    made = tf.SparseTensor(sparse.indices, sparse.values, sparse.dense_shape)
    assert vars(sparse).keys() == vars(made).keys()
    assert sparse.shape == made.shape
    assert np.array_equal(tf.sparse.to_dense(sparse), tf.sparse.to_dense(made))
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(sparse.dense_shape)[0] = 7


def test_iterators_are_those_of_tf_data(found):
    iterator = iter(found)
    assert isinstance(iterator, tf.data.Iterator)
    assert iterator.element_spec == found.element_spec
    first = iterator.get_next()["id"].numpy().tolist()
    rest = iterator.get_next_as_optional()
    assert rest.get_value()["id"].numpy().tolist() == [*range(len(first), 2 * len(first))]
    assert [*first, *range(BATCH, 2 * BATCH), *ids(iterator)] == [*range(ROWS)]
    assert not iterator.get_next_as_optional().has_value()


def test_an_eager_iterator_says_what_it_yields(found):
    assert repr(iter(found)) == f"<arrowfeed.EagerIterator of tensors {', '.join(FEATURES)}>"


def test_an_end_stays_one(found):
    iterator = iter(found)
    assert len(list(iterator)) == -(-ROWS // BATCH)
    assert next(iterator, None) is None
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("taken", [0, 1, 3])
def test_functions_go_on_where_eager_code_was(found, taken, captured):
    iterator = iter(found)
    begun = ids(next(iterator) for _ in range(taken))

    @tf.function
    def passed(iterator):
        return next(iterator)["id"]

    @tf.function
    def closed_over():
        return next(iterator)["id"]

    for _ in range(2):
        begun += (closed_over() if captured else passed(iterator)).numpy().tolist()
    assert begun + ids(iterator) == [*range(ROWS)]


def test_loops_of_functions(found):
    @tf.function
    def total(batches):
        rows = tf.constant(0, tf.int64)
        for batch in batches:
            rows += tf.size(batch["id"], tf.int64)
        return rows

    iterator = iter(found)
    next(iterator)
    assert total(found) == ROWS
    assert total(iterator) == ROWS - BATCH


def test_a_loop_of_a_function_over_an_iterator_that_is_no_argument_is_an_error(found):
    iterator = iter(found)

    @tf.function
    def unrolled():
        rows = tf.constant(0, tf.int64)
        for batch in iterator:
            rows += tf.size(batch["id"], tf.int64)
        return rows

    with pytest.raises(
        TypeError, match="expected an iterator that is an argument of the tf.function, found one"
    ):
        unrolled()


def test_an_iterator_that_was_handed_over_may_be_left(found):
    iterator = iter(found)
    next(iterator)
    assert iterator.get_next_as_optional().has_value()
    del iterator
    gc.collect()
    assert ids(found) == [*range(ROWS)]


def test_batches_outlive_all_else(tmp_path):
    """The memory of a TensorFlow tensor is not reused for later batches."""
    numbers = np.arange(200_000, dtype=np.int64)
    rows = {
        "x": numbers,
        "i": pa.array([[n % 50, 50 + n % 50] for n in numbers]),
        "v": [[1.0, 2.0]] * len(numbers),
    }
    af.write_avro(pa.table(rows), tmp_path / "a.avro")
    wanted = {"x": af.features.Dense([]), "s": af.features.Sparse("@i[*]", "@v[*]", 100)}
    source = af.AvroDataset(tmp_path / "a.avro", features=wanted).to_tf(batch_size=20_000)
    for made in (source, source.map(lambda batch: batch).prefetch(2)):
        kept = [list(made)[at] for at in (0, 4, 9)]
        gc.collect()
        for _ in range(3):
            for _ in made:
                pass
        for at, batch in zip((0, 4, 9), kept, strict=True):
            expected = numbers[20_000 * at :][:20_000]
            assert np.array_equal(batch["x"].numpy(), expected)
            assert np.array_equal(batch["s"].indices.numpy()[::2, 1], expected % 50)
            assert np.array_equal(batch["s"].indices.numpy()[:, 0], np.repeat(np.arange(20_000), 2))


def test_numbers_and_indices_are_where_arrow_has_them(tmp_path):
    source = af.AvroDataset(write(tmp_path), features={name: FEATURES[name] for name in ("x", "hot")})
    tensors = next(source.tensors(batch_size=BATCH))
    indices, values = tensors["hot"].parts()
    for made in (tensors["x"], indices, values):
        assert made.aligned() is made
    eager = to_tensorflow(tensors)
    assert np.shares_memory(np.asarray(eager["hot"].indices), indices.values)


def test_a_missing_file_after_others(tmp_path):
    paths, missing = write(tmp_path), str(tmp_path / "missing.avro")
    found = tfio.ATDSDataset([*map(str, paths), missing], 10, {"id": tfio.DenseFeature([], tf.int64)})
    for made in (found, found.map(lambda batch: batch), found.prefetch(1).repeat(2)):
        with pytest.raises(tf.errors.NotFoundError, match="missing.avro; No such file or directory"):
            list(made)


def test_datasets_in_functions(tmp_path):
    paths = [str(path) for path in write(tmp_path)]

    @tf.function
    def rows(name):
        found = tfio.ATDSDataset(name, 64, {"id": tfio.DenseFeature([], tf.int64)})
        return found.reduce(
            tf.constant(0, tf.int64), lambda number, batch: number + tf.size(batch["id"], tf.int64)
        )

    assert rows(tf.constant(paths)) == ROWS
    assert rows(tf.constant(paths * 2)) == 2 * ROWS


def test_eager_operations_do_not_write_into_shared_memory(tmp_path):
    """The result of an operation does not overwrite a column that two tensors share."""
    af.write_avro(pa.table({"x": np.arange(100_000, dtype=np.float32)}), tmp_path / "a.avro")
    wanted = {"one": af.features.Dense([], key="x"), "other": af.features.Dense([], key="x")}
    source = af.AvroDataset(tmp_path / "a.avro", features=wanted)
    shared = next(source.tensors(batch_size=50_000))
    assert np.shares_memory(shared["one"].values, shared["other"].values)

    def changed(batch):
        return {"one": -tf.exp(batch["one"] + 1) * 2, "other": tf.identity(batch["other"])}

    made = source.to_tf(batch_size=50_000)
    for batches in (made.map(changed), map(tf.function(changed), made)):
        found = np.concatenate([batch["other"].numpy() for batch in batches])
        assert np.array_equal(found, np.arange(100_000, dtype=np.float32))


def test_a_dataset_has_the_methods_of_tf_data(found):
    assert isinstance(found.options(), tf.data.Options)
    spread = tf.distribute.OneDeviceStrategy("/cpu:0").experimental_distribute_dataset(found)
    assert ids(spread) == [*range(ROWS)]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of threads")
def test_a_pass_that_is_abandoned_after_it_went_over_to_tf_data_ends_its_threads(tmp_path):
    batches = dataset(tmp_path).to_tf(batch_size=BATCH, threads=2)

    def abandoned():
        iterator = iter(batches)
        next(iterator)
        assert iterator.get_next_as_optional().has_value()

    def decoding():
        names = (task.joinpath("comm").read_text() for task in Path("/proc/self/task").iterdir())
        return sum(name.startswith("arrowfeed") for name in names)

    for _ in range(3):
        abandoned()
    end = time.monotonic() + 60
    while decoding() and time.monotonic() < end:
        gc.collect()
        time.sleep(0.05)
    assert decoding() == 0


def test_threads_may_be_the_first_to_ask_for_tf_data_at_once(found):
    for _ in range(3):
        iterator, taken, start = iter(found), [], threading.Barrier(3)

        def take(iterator=iterator, taken=taken, start=start):
            start.wait(60)
            while (batch := iterator.get_next_as_optional()).has_value():
                taken.extend(batch.get_value()["id"].numpy().tolist())

        threads = [threading.Thread(target=take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(taken) == [*range(ROWS)]
