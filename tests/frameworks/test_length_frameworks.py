"""Batches by length in TensorFlow and JAX: each row once, checkpoints, and the epochs of passes."""

import tensorflow as tf
from feature_files import FEATURES, ROWS, flat, write

import arrowfeed as af

KINDS = {"id": FEATURES["id"], "scores": af.features.Ragged(key="user.scores[*]", pad_to="longest")}
OPTIONS = {"batches": af.ByLength("user.scores", max_tokens=16, window=150)}
SHUFFLE = {"shuffle_buffer_size": 300, "seed": 7}


def ids(batches):
    return [batch["id"].numpy().tolist() for batch in batches]


def test_to_tf_yields_the_batches_of_tensors(tmp_path):
    source = af.AvroDataset(write(tmp_path), features=KINDS)
    expected = [batch["id"].values.tolist() for batch in source.tensors(**OPTIONS, **SHUFFLE)]
    batches = source.to_tf(**OPTIONS, **SHUFFLE)
    assert batches.element_spec["scores"].shape.as_list() == [None, None]
    assert ids(batches) == expected
    assert ids(batches.map(lambda row: row)) != expected
    for batch in batches:
        rows, longest = batch["scores"].shape
        assert rows * max(longest, 1) <= 16
    assert batches.cardinality() == tf.data.UNKNOWN_CARDINALITY


def test_a_checkpoint_resumes_inside_a_window(tmp_path):
    source = af.AvroDataset(write(tmp_path), features=KINDS)
    batches = source.to_tf(**OPTIONS, **SHUFFLE)
    iterator = iter(batches.map(lambda row: row))
    for _ in range(7):
        next(iterator)
    saved = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "checkpoint"))
    rest = ids(iterator)
    restored = iter(source.to_tf(**OPTIONS, **SHUFFLE).map(lambda row: row))
    tf.train.Checkpoint(iterator=restored).read(saved)
    assert ids(restored) == rest


def test_to_jax_resumes(tmp_path):
    source = af.AvroDataset(write(tmp_path), features=KINDS)
    batches = source.to_jax(**OPTIONS, **SHUFFLE)
    whole = [batch["id"].tolist() for batch in source.to_jax(**OPTIONS, **SHUFFLE)]
    assert sorted(flat(whole)) == [*range(ROWS)]
    for _ in range(9):
        next(batches)
    resumed = source.to_jax(**OPTIONS, **SHUFFLE)
    resumed.load_state_dict(batches.state_dict())
    assert [batch["id"].tolist() for batch in resumed] == whole[9:]


def test_packed_tensors_have_a_line_for_each_sequence(tmp_path):
    kinds = {
        "id": FEATURES["id"],
        "scores": af.features.Ragged(key="user.scores[*]", pad_to=8, pack="values"),
    }
    source = af.AvroDataset(write(tmp_path), features=kinds)
    batches = source.to_tf(batch_size=50, drop_remainder=True)
    assert batches.element_spec["scores"].shape.as_list() == [None, 8]
    assert batches.element_spec["id"].shape.as_list() == [50]
    assert {tuple(row["id"].shape) for row in batches.map(lambda row: row)} == {(50,)}
    packed = source.to_tf(batches=af.ByLength("user.scores", pack_to=8, window=ROWS), batch_size=6)
    shapes = [tuple(row["scores"].shape) for row in packed]
    assert set(shapes[:-1]) == {(6, 8)}
