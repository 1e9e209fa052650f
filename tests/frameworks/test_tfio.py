"""The datasets of `arrowfeed.tfio` read damaged and empty files and files of other schemas."""

import json
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tfio_rows import INT, LIST, fixed, refused, schema, write

from arrowfeed import tfio

ATDS = schema(x=INT, v=LIST)
DENSE = {"x": tfio.DenseFeature([], tf.int32)}


@pytest.mark.parametrize(
    "make",
    [
        lambda path: tfio.ATDSDataset(path, 2, DENSE),
        tfio.AvroRecordDataset,
        lambda path: tfio.make_avro_record_dataset(path, {"x": fixed([])}, 2, None, num_epochs=1),
    ],
    ids=["atds", "records", "make"],
)
def test_missing_or_damaged_files_are_errors(tmp_path, make):
    missing = str(tmp_path / "missing.avro")
    assert f"{missing}; No such file or directory" in refused(
        lambda: list(make(missing)), tf.errors.NotFoundError
    )
    rows = [{"x": n, "v": []} for n in range(1000)]
    path = tmp_path / "whole.avro"
    content = Path(write(path, ATDS, rows, sync_interval=100)).read_bytes()
    cases = {"cut": content[:-20], "no file": b"junk" * 10, "marker": content[:-16] + bytes(16)}
    for name, damaged in cases.items():
        other = tmp_path / f"{name}.avro"
        other.write_bytes(damaged)
        assert f"{other}: " in refused(lambda other=other: list(make(str(other))))


def test_schemas_of_files_are_checked(tmp_path):
    path = write(tmp_path / "a.avro", ATDS, [{"x": 1, "v": [1, 2]}])
    other = write(tmp_path / "b.avro", schema(x="long", v=LIST), [{"x": 1, "v": []}])

    def text(features, files=path):
        found = tfio.ATDSDataset(files, 2, features)
        message = refused(lambda: list(found))
        in_pipeline = refused(lambda: list(found.map(lambda batch: batch)))
        # TensorFlow puts the name of a node before it, and a line about the node after it.
        assert in_pipeline.splitlines()[0].rpartition("}} ")[2] == message
        return message

    assert text({"y": tfio.DenseFeature([], tf.int32)}) == (
        'key "y", character 1: expected a column of this name, one of ["x", "v"], found "y"'
    )
    assert text({"x": tfio.DenseFeature([], tf.int64)}) == (
        'key "x": expected values of int64, found Int32, which is int32'
    )
    assert text({"v": tfio.DenseFeature([3], tf.int32)}) == (
        'tensor "v", key "v[*]", row 0: expected 3 values, found 2'
    )
    assert text({"v": tfio.VarlenFeature([-1, -1], tf.int32)}) == (
        'tensor "v", key "v[*][*]", character 5: expected an array or a map for "[*]", found Int32'
    )
    assert text(DENSE, [path, other]) == (
        f'{other}: expected the columns of {path}: column "x" to be Int32, found "x" as Int64; '
        "set `reader_schema`, or merge the schemas of the files, to read both"
    )


def test_tfio_reads_records_of_no_bytes(tmp_path):
    path = write(tmp_path / "a.avro", schema(x="null"), [{"x": None}] * 5)
    assert [item.numpy() for item in tfio.AvroRecordDataset(path)] == [b""] * 5


def test_a_reader_schema_that_is_none_is_refused(tmp_path):
    path = write(tmp_path / "a.avro", ATDS, [{"x": 1, "v": []}])
    assert refused(lambda: tfio.AvroRecordDataset(path, reader_schema="{")).startswith("expected ")
    other = json.dumps(schema(y=INT))
    assert "y" in refused(lambda: list(tfio.AvroRecordDataset(path, reader_schema=other)))


def test_no_files_are_no_batches():
    assert list(tfio.ATDSDataset(tf.constant([], tf.string), 2, DENSE)) == []
    assert list(tfio.AvroRecordDataset(tf.constant([], tf.string))) == []


def test_shuffled_rows_come_once_in_another_order(tmp_path):
    rows = [{"x": n, "v": []} for n in range(500)]
    path = write(tmp_path / "a.avro", ATDS, rows, sync_interval=100)

    def order(made):
        return np.concatenate([batch["x"].numpy() for batch in made]).tolist()

    one = {"x": fixed([])}
    atds = order(tfio.ATDSDataset(path, 64, DENSE, shuffle_buffer_size=200))
    seeded = [
        order(tfio.make_avro_record_dataset(path, one, 64, None, num_epochs=1, shuffle_seed=3)) for _ in "ab"
    ]
    assert seeded[0] == seeded[1]
    for found in (atds, seeded[0]):
        assert sorted(found) == [*range(500)]
        assert found != sorted(found)


def test_a_model_trains_on_it(tmp_path):
    rows = [{"x": n % 10, "v": []} for n in range(500)]
    path = write(tmp_path / "a.avro", ATDS, rows)
    batches = tfio.make_avro_record_dataset(path, {"x": fixed([])}, 50, None)

    def labelled(row):
        x = tf.cast(row["x"], tf.float32)[:, None] / 10
        return x, 2 * x

    model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    losses = model.fit(batches.map(labelled), epochs=5, steps_per_epoch=10, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 5
