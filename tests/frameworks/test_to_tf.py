"""`AvroDataset.to_tf` matches its spec and returns each row once, and Keras trains on it."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
from feature_files import FEATURES, ROWS, cut, dataset, flat, write

import arrowfeed as af
from arrowfeed.representations import Ragged, Structured, VarLenRagged
from arrowfeed.tensorflow import to_tensorflow


def plain(tensor):
    """Tensors as nested lists."""
    if isinstance(tensor, dict):
        return {name: plain(field) for name, field in tensor.items()}
    if isinstance(tensor, tf.SparseTensor):
        return [part.numpy().tolist() for part in (tensor.indices, tensor.values, tensor.dense_shape)]
    return tensor.to_list() if isinstance(tensor, tf.RaggedTensor) else tensor.numpy().tolist()


def ids(batches):
    return [batch["id"].numpy().tolist() for batch in batches]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drop_remainder": True},
        {"epochs": 2, "across_epochs": True},
        {"epochs": 2, "start_epoch": 1, "shuffle_buffer_size": 300, "seed": 7},
    ],
)
@pytest.mark.parametrize(("batch_size", "rows"), [(1, 350), (64, ROWS), (5000, ROWS)])
def test_batches_are_those_of_tensors_and_of_the_spec(tmp_path, batch_size, rows, options):
    source = af.AvroDataset(write(tmp_path, rows), features=FEATURES)
    found = source.to_tf(batch_size=batch_size, **options)
    expected = list(source.tensors(batch_size=batch_size, **options))
    batches = list(found)
    assert len(batches) == len(expected)
    for batch, tensors in zip(batches, expected, strict=True):
        assert list(batch) == list(FEATURES)
        wanted = to_tensorflow(tensors)
        for name, spec in found.element_spec.items():
            assert spec.is_compatible_with(batch[name]), name
            assert type(batch[name]) is type(wanted[name]), name
            assert plain(batch[name]) == plain(wanted[name]), name


def test_the_spec_has_types_and_sizes(tmp_path):
    source = dataset(tmp_path)

    def specs(rows):
        return {
            "id": tf.TensorSpec([rows], tf.int64),
            "x": tf.TensorSpec([rows, 4], tf.float32),
            "tags": tf.SparseTensorSpec([rows, None], tf.string),
            "words": tf.RaggedTensorSpec([rows, None], tf.string, 1, tf.int64),
            "hot": tf.SparseTensorSpec([rows, 10], tf.float64),
            "flag": tf.TensorSpec([rows], tf.bool),
            "name": tf.TensorSpec([rows], tf.string),
            "long": tf.TensorSpec([rows, None], tf.int64),
        }

    assert source.to_tf(batch_size=64).element_spec == specs(None)
    assert source.to_tf(batch_size=64, drop_remainder=True).element_spec == specs(64)


REPRESENTATIONS = {
    "user": Structured(["user"]),
    "inner": Ragged("pairs", partitions=[2]),
    "deep": Ragged("deep", row_splits_dtype="int32"),
    "bytes": VarLenRagged("bytes"),
}


@pytest.mark.parametrize("drop_remainder", [False, True])
def test_nested_structures(tmp_path, drop_remainder):
    rows = pa.table(
        {
            "user": [{"age": i, "tags": [f"t{i}"] * i} for i in range(7)],
            "pairs": [[i, i, 2, 3] * (i % 2) for i in range(7)],
            "deep": [[[i]] * (i % 3) for i in range(7)],
            # Strings of every byte, so that no byte can be a separator, and long strings.
            "bytes": [[bytes(range(256)), b"x" * 1000]] * 7,
        }
    )
    af.write_avro(rows, tmp_path / "nested.avro")
    source = af.AvroDataset(tmp_path / "nested.avro", representations=REPRESENTATIONS)
    options = {"batch_size": 3, "drop_remainder": drop_remainder}
    found = source.to_tf(**options)
    rows = 3 if drop_remainder else None
    assert found.element_spec == {
        "user": {
            "user": {
                "age": tf.TensorSpec([rows], tf.int64),
                "tags": tf.RaggedTensorSpec([rows, None], tf.string, 1, tf.int64),
            }
        },
        "inner": tf.RaggedTensorSpec([rows, None, 2], tf.int64, 1, tf.int64),
        "deep": tf.RaggedTensorSpec([rows, None, None], tf.int64, 2, tf.int32),
        "bytes": tf.RaggedTensorSpec([rows, None], tf.string, 1, tf.int64),
    }
    for batch, tensors in zip(found, source.tensors(**options), strict=True):
        assert plain(batch) == plain(to_tensorflow(tensors))


@pytest.mark.parametrize("epochs", [1, 2])
def test_shuffled_rows_come_once_an_epoch_in_another_order_each_iteration(tmp_path, epochs):
    source = dataset(tmp_path)
    options = {"batch_size": 64, "shuffle_buffer_size": 300, "seed": 7, "epochs": epochs}
    found = source.to_tf(**options)
    passes = [flat(ids(found)) for _ in range(2)]
    for order in passes:
        assert sorted(order) == sorted([*range(ROWS)] * epochs)
    assert passes[0] != passes[1]
    # The orders are those of the epochs of one iterator, and equal in each run.
    twice = source.tensors(**options | {"epochs": 2 * epochs})
    assert flat(passes) == [number for batch in twice for number in batch["id"].values.tolist()]
    again = source.to_tf(**options)
    assert passes == [flat(ids(again)) for _ in range(2)]


def test_without_a_seed_iterations_differ(tmp_path):
    found = dataset(tmp_path).to_tf(batch_size=64, shuffle_buffer_size=300)
    first, second = ids(found), ids(found)
    assert first != second
    assert sorted(flat(first)) == sorted(flat(second))


def test_shards_have_each_row_once(tmp_path):
    source = dataset(tmp_path)
    shards = [source.to_tf(batch_size=64, shard=(n, 3), shuffle_buffer_size=50, seed=1) for n in range(3)]
    assert sorted(flat(flat(ids(shard)) for shard in shards)) == [*range(ROWS)]


def parts_and_mixture(source):
    train, test = source.split(0.8, seed=1)
    return [train, af.MixedDataset([train, test], weights=[1, 2])]


@pytest.mark.parametrize("number", [0, 1])
def test_a_part_and_a_mixture_have_passes_a_cardinality_and_checkpoints(tmp_path, number):
    source = parts_and_mixture(dataset(tmp_path))[number]
    options = {"batch_size": 64, "shuffle_buffer_size": 300, "seed": 7}
    found = source.to_tf(**options)
    assert found.cardinality() == source.num_batches(**options)
    passes = [flat(ids(found)) for _ in range(2)]
    assert sorted(passes[0]) == sorted(passes[1]) == sorted(flat(ids(source.to_tf(batch_size=50))))
    assert passes[0] != passes[1]
    later = source.tensors(**options, start_epoch=1)
    assert passes[1] == [number for batch in later for number in batch["id"].values.tolist()]
    batches = iter(found)
    next(batches)
    path = tf.train.Checkpoint(batches=batches).save(str(tmp_path / "checkpoint"))
    rest = ids(batches)
    resumed = iter(found)
    tf.train.Checkpoint(batches=resumed).restore(path)
    assert ids(resumed) == rest


def test_epochs_without_end_have_no_cardinality(tmp_path):
    found = dataset(tmp_path).to_tf(batch_size=300, epochs=None)
    assert found.cardinality() == tf.data.INFINITE_CARDINALITY
    assert [len(batch) for batch in ids(found.take(5))] == [300, 300, 300, 100, 300]


def test_iterations_may_run_side_by_side_and_be_left(tmp_path):
    found = dataset(tmp_path).to_tf(batch_size=10)
    one, two = iter(found), iter(found)
    assert next(one)["id"][0] == next(two)["id"][0] == 0
    del one
    assert next(two)["id"][0] == 10


def test_keras_trains_on_it(tmp_path):
    source = af.AvroDataset(write(tmp_path), features={name: FEATURES[name] for name in ("id", "x", "flag")})

    def labelled(row):
        return row["x"] / ROWS, tf.cast(row["id"], tf.float32) / ROWS

    batches = source.to_tf(batch_size=50, shuffle_buffer_size=500, seed=3, drop_remainder=True).map(labelled)
    model = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.05), "mse")
    losses = model.fit(batches, epochs=8, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 5
    endless = source.to_tf(batch_size=50, epochs=None).map(labelled)
    assert len(model.fit(endless, epochs=2, steps_per_epoch=3, verbose=0).history["loss"]) == 2
    assert model.evaluate(source.to_tf(batch_size=50).map(labelled), verbose=0) < losses[0]


def test_a_damaged_file_is_an_invalid_argument(tmp_path):
    path, text = cut(tmp_path)
    found = af.AvroDataset(path, features=FEATURES).to_tf(batch_size=10)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(found)
    assert caught.value.message == text
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(found.map(lambda batch: batch))
    assert f"{text}\n" in caught.value.message
    assert len(list(af.AvroDataset(path, features=FEATURES).to_tf(batch_size=10, on_error="skip_file"))) > 0


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({}, TypeError, "to_tf() missing 1 required keyword-only argument: 'batch_size'"),
        ({"batch_size": 1, "size": 1}, TypeError, "to_tf() got an unexpected keyword argument 'size'"),
        ({"batch_size": 0}, ValueError, "batch_size: expected an integer of 1 or more, found int 0"),
    ],
)
def test_options_of_to_tf_are_checked_at_once(tmp_path, options, kind, message):
    with pytest.raises(kind) as caught:
        dataset(tmp_path).to_tf(**options)
    assert str(caught.value) == message


def test_numbers_are_not_copied_on_the_way_to_eager_code(tmp_path):
    source = dataset(tmp_path)
    tensors = next(source.tensors(batch_size=64))
    eager = to_tensorflow(tensors)["x"]
    assert np.shares_memory(np.asarray(eager), tensors["x"].values)


def damaged(directory):
    """A file of one block, and one whose only block is damaged."""
    paths = [directory / "whole.avro", directory / "damaged.avro"]
    for path in paths:
        af.write_avro(pa.table({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0, 4.0]}), path)
    data = bytearray(paths[1].read_bytes())
    data[-20] ^= 1
    paths[1].write_bytes(data)
    return paths


@pytest.mark.parametrize("way", ["eager", "op", "label", "keras"])
def test_skipped_blocks_are_reported_and_named_once(tmp_path, way):
    paths = damaged(tmp_path)
    source = af.AvroDataset(paths)
    options = {"batch_size": 2, "on_error": "skip_block"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = source.to_tf(**options, label="y" if way in ("label", "keras") else None)
        if way == "keras":
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            model.compile(loss="mse")
            model.fit(rows.map(lambda x, y: (x["x"][:, None], y)), epochs=3, verbose=0)
        else:
            for _ in range(3):
                assert len(list(rows.prefetch(1) if way == "op" else rows)) == 2
    [skipped] = source.report()["skipped"]
    assert skipped["path"] == str(paths[1])
    assert skipped["rows"] == 4
    assert source.report()["rows"] == 12
    assert rows.report() == source.report()
    assert rows.stats().to_dict() == source.stats().to_dict()
    assert (source.stats().to_dict()["rows"], source.stats().to_dict()["batches"]) == (4, 2)
    [message] = [str(one.message) for one in caught if one.category is af.SkippedWarning]
    assert message == f"skipped a block: {skipped['error']} (`report()` lists all skipped parts of the file)"
