"""The tutorial of tensorflow-io and its page on ATDSDataset run with only the import changed."""

import json

import fastavro
import pytest
import tensorflow as tf
import tf_keras

from arrowfeed import tfio

SCHEMA = {
    "type": "record",
    "name": "ImageDataset",
    "fields": [
        {"name": "features", "type": {"type": "array", "items": "int"}},
        {"name": "label", "type": ["int", "null"]},
        {
            "name": "dataType",
            "type": {"type": "enum", "name": "dataTypes", "symbols": ["TRAINING", "VALIDATION"]},
        },
    ],
}
ROWS = [
    {"features": [0, 0, 0, 1, 4], "label": None, "dataType": "TRAINING"},
    {"features": [0, 0], "label": 2, "dataType": "TRAINING"},
    {"features": [0], "label": 3, "dataType": "VALIDATION"},
    {"features": [1], "label": 4, "dataType": "VALIDATION"},
]


@pytest.fixture
def paths(tmp_path):
    """A data file, and its schema as one."""
    data, schema = tmp_path / "train.avro", tmp_path / "train.avsc"
    with data.open("wb") as out:
        fastavro.writer(out, SCHEMA, ROWS)
    schema.write_text(json.dumps(SCHEMA))
    return str(data), str(schema)


@pytest.mark.parametrize(
    "options", [{}, {"drop_final_batch": True}, {"num_parallel_reads": 16}, {"num_parallel_parser_calls": 2}]
)
def test_records_to_tensors(paths, options):
    features = {
        "features[*]": tfio.experimental.columnar.VarLenFeatureWithRank(dtype=tf.int32),
        "label": tf.io.FixedLenFeature(shape=[], dtype=tf.int32, default_value=-100),
        "dataType": tf.io.FixedLenFeature(shape=[], dtype=tf.string),
    }
    dataset = tfio.experimental.columnar.make_avro_record_dataset(
        file_pattern=[paths[0]],
        reader_schema=tf.io.gfile.GFile(paths[1]).read(),
        features=features,
        shuffle=False,
        batch_size=3,
        num_epochs=1,
        **options,
    )
    first, *rest = dataset
    assert tf.sparse.to_dense(first["features[*]"]).numpy().tolist() == [
        [0, 0, 0, 1, 4],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]
    assert first["features[*]"].values.numpy().tolist() == [0, 0, 0, 1, 4, 0, 0, 0]
    assert first["label"].numpy().tolist() == [-100, 2, 3]
    assert first["dataType"].numpy().tolist() == [b"TRAINING", b"TRAINING", b"VALIDATION"]
    assert [batch["label"].numpy().tolist() for batch in rest] == (
        [] if "drop_final_batch" in options else [[4]]
    )


def test_a_model_of_keras_takes_the_dataset(paths):
    """The model of the tutorial has no layers and no target, which Keras now rejects. This one has both."""
    columnar = tfio.experimental.columnar
    dataset = columnar.make_avro_record_dataset(
        file_pattern=[paths[0]],
        reader_schema=tf.io.gfile.GFile(paths[1]).read(),
        features={
            "features[*]": columnar.VarLenFeatureWithRank(dtype=tf.int32),
            "label": tf.io.FixedLenFeature(shape=[], dtype=tf.int32, default_value=1),
        },
        shuffle=False,
        batch_size=1,
        num_epochs=1,
    )

    def first_feature(batch):
        first = tf.sparse.to_dense(batch["features[*]"])[:, :1]
        return tf.ensure_shape(first, [None, 1]), batch["label"]

    rows = dataset.map(first_feature)
    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    assert model.fit(x=rows, epochs=1, steps_per_epoch=1, verbose=0).epoch == [0]


def test_atds_dataset_reads_the_written_rows(tmp_path):
    fields = [{"name": name, "type": "float"} for name in ("x", "y")]
    rows = [{"x": i / 4, "y": i / 8} for i in range(3)]
    path = tmp_path / "example.avro"
    with path.open("wb") as out:
        fastavro.writer(out, {"type": "record", "name": "example", "fields": fields}, rows)
    features = {name: tfio.DenseFeature([], dtype=tf.float32) for name in ("x", "y")}
    batches = list(tfio.ATDSDataset([str(path)], batch_size=2, features=features))
    assert [batch["x"].numpy().tolist() for batch in batches] == [[0, 0.25], [0.5]]
    assert [batch["y"].numpy().tolist() for batch in batches] == [[0, 0.125], [0.25]]
