"""`to_tf(label=...)` returns pairs for `model.fit`, and `to_tf` knows its cardinality."""

import warnings

import pytest
import tensorflow as tf
from feature_files import FEATURES, ROWS, dataset, write

import arrowfeed as af


@pytest.mark.parametrize("options", [{}, {"shuffle_buffer_size": 100, "seed": 3}])
def test_a_label_is_apart_from_the_features(tmp_path, options):
    source = dataset(tmp_path).project(["id", "x", "tags", "flag"])
    pairs = source.to_tf(batch_size=64, label="flag", **options)
    plain = source.to_tf(batch_size=64, **options)
    features, label = pairs.element_spec
    assert (sorted(features), label) == (["id", "tags", "x"], plain.element_spec["flag"])
    for (features, label), batch in zip(pairs, plain, strict=True):
        assert label.numpy().tolist() == batch["flag"].numpy().tolist()
        assert features["id"].numpy().tolist() == batch["id"].numpy().tolist()
        assert "flag" not in features


def test_several_labels_are_a_dict(tmp_path):
    source = dataset(tmp_path).project(["id", "x", "flag"])
    features, labels = next(iter(source.to_tf(batch_size=64, label=["flag", "id"])))
    assert (list(features), list(labels)) == (["x"], ["flag", "id"])


def test_weights_are_the_third_item(tmp_path):
    source = dataset(tmp_path).project(["id", "x", "flag"])
    rows = source.to_tf(batch_size=64, label="flag", weight="id")
    plain = source.to_tf(batch_size=64)
    for (features, label, weight), batch in zip(rows, plain, strict=True):
        assert list(features) == ["x"]
        assert label.numpy().tolist() == batch["flag"].numpy().tolist()
        assert weight.numpy().tolist() == batch["id"].numpy().tolist()
    with pytest.raises(ValueError, match="^weight: expected a label too, found only the weight 'id'$"):
        source.to_tf(batch_size=64, weight="id")


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("none", "label: expected one of the tensors id, x, found 'none'"),
        ([], "label: expected a name, found none"),
    ],
)
def test_a_wrong_label_is_refused(tmp_path, label, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        dataset(tmp_path).project(["id", "x"]).to_tf(batch_size=64, label=label)


def test_the_order_of_a_pass_is_set_with_a_label_too(tmp_path):
    source = dataset(tmp_path).project(["id", "flag"])
    options = {"batch_size": 64, "shuffle_buffer_size": 100, "seed": 3}
    rows, pairs = source.to_tf(**options), source.to_tf(**options, label="flag")
    rows.set_epoch(5)
    pairs.set_epoch(5)
    expected = [batch["id"].numpy().tolist() for batch in rows]
    assert [features["id"].numpy().tolist() for features, _ in pairs] == expected


def test_the_number_of_batches_is_known(tmp_path):
    source = dataset(tmp_path).project(["id", "flag"])
    for options in (
        {},
        {"drop_remainder": True},
        {"epochs": 3},
        {"shard": (1, 3)},
        {"shuffle_buffer_size": 9},
    ):
        rows = source.to_tf(batch_size=64, **options)
        assert len(rows) == len(list(rows)) == source.num_batches(batch_size=64, **options)
        assert len(source.to_tf(batch_size=64, label="flag", **options)) == len(rows)
    assert source.to_tf(batch_size=64, epochs=None).cardinality() == tf.data.INFINITE_CARDINALITY
    assert source.to_tf(batch_size=64, on_error="skip_block").cardinality() == tf.data.UNKNOWN_CARDINALITY


def test_the_rest_of_a_pass_ends_where_the_pass_ends(tmp_path):
    rows = dataset(tmp_path).project(["id"]).to_tf(batch_size=64)
    iterator = iter(rows)
    first = next(iterator)["id"].numpy().tolist()

    @tf.function
    def left(iterator):
        count = tf.constant(0)
        for _ in iterator:
            count += 1
        return count

    assert len(first) == 64
    assert left(iterator).numpy() == len(rows) - 1


def test_a_damaged_file_is_an_error_of_to_tf(tmp_path):
    source = dataset(tmp_path).project(["id"])
    path = tmp_path / "part-1.avro"
    path.write_bytes(path.read_bytes()[:-10])
    rows = source.to_tf(batch_size=64)
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(rows)


@pytest.mark.parametrize("options", [{}, {"shuffle_buffer_size": 100, "seed": 1}])
def test_keras_knows_the_length_of_an_epoch(tmp_path, options):
    steps = []

    class Steps(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            steps.append(self.params["steps"])

    source = dataset(tmp_path).project(["x", "flag"])
    inputs = tf.keras.Input((4,), name="x")
    model = tf.keras.Model({"x": inputs}, tf.keras.layers.Dense(1, activation="sigmoid")(inputs))
    model.compile(loss="binary_crossentropy")
    rows = source.to_tf(batch_size=64, label="flag", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = model.fit(rows, epochs=2, verbose=0, shuffle=False, callbacks=[Steps()])
    assert len(history.history["loss"]) == 2
    assert [len(rows)] == steps == [-(-ROWS // 64)]


def test_the_number_of_batches_of_many_files_is_known_after_they_were_counted(tmp_path):
    source = af.AvroDataset(write(tmp_path, 101, files=101), features={"id": FEATURES["id"]})
    assert source.to_tf(batch_size=64).cardinality() == tf.data.UNKNOWN_CARDINALITY
    assert source.num_rows == 101
    assert source.to_tf(batch_size=64).cardinality() == 2
