"""Features of `tf.io` give the tensors of `tf.io.parse_example` for the same rows."""

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf

import arrowfeed as af
from arrowfeed import features
from arrowfeed.tensorflow import to_tensorflow

ROWS = [
    {
        "x": 7,
        "f": 0.5,
        "s": b"a",
        "l": [1, 2, 3, 4],
        "w": [b"p", b"q"],
        "i": [3, 0],
        "j": [1, 2],
        "v": [0.5, 1.5],
    },
    {"x": None, "f": None, "s": None, "l": [], "w": [], "i": [], "j": [], "v": []},
    {"x": -1, "f": 2.5, "s": b"c\x00", "l": [5, 6], "w": [b""], "i": [1], "j": [0], "v": [2.5]},
]
SCHEMA = pa.schema(
    {
        "x": pa.int64(),
        "f": pa.float32(),
        "s": pa.binary(),
        "l": pa.list_(pa.int64()),
        "w": pa.list_(pa.binary()),
        "i": pa.list_(pa.int64()),
        "j": pa.list_(pa.int64()),
        "v": pa.list_(pa.float32()),
    }
)
BATCH = pa.RecordBatch.from_pylist(ROWS, SCHEMA)
# The name of each feature in an example, and in the batch.
KEYS = {"x": "x", "f": "f", "s": "s"} | {
    key: column for column in "lwijv" for key in (f"{column}[*]", f"@{column}[*]")
}
FEATURES = {
    "x": tf.io.FixedLenFeature([], tf.int64, 0),
    "f": tf.io.FixedLenFeature([1], tf.float32, [1]),
    "s": tf.io.FixedLenFeature((), tf.string, "none"),
    "l[*]": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    "w[*]": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True, default_value="?"),
    "v[*]": tf.io.VarLenFeature(tf.float32),
    "sparse": tf.io.SparseFeature("@i[*]", "@v[*]", tf.float32, 9),
    "sparse of two": tf.io.SparseFeature(["@i[*]", "@j[*]"], "@v[*]", tf.float32, [9, 3]),
    "i[*]": tf.io.RaggedFeature(tf.int64),
    "ragged": tf.io.RaggedFeature(tf.string, "w[*]", row_splits_dtype=tf.int64),
    "uniform": tf.io.RaggedFeature(tf.int64, "l[*]", [tf.io.RaggedFeature.UniformRowLength(2)]),
}


def example(row):
    def values(value):
        items = value if isinstance(value, list) else [value] * (value is not None)
        if items and isinstance(items[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=items))
        if items and isinstance(items[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=items))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=items) if items else None)

    feature = {key: values(row[column]) for key, column in KEYS.items()}
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


@pytest.mark.parametrize("name", FEATURES)
def test_tensors_are_those_of_parse_example(name):
    wanted = {name: FEATURES[name]}
    adapter = af.TensorAdapter.from_features(SCHEMA, wanted)
    found = to_tensorflow(adapter.convert(BATCH))[name]
    parsed = tf.io.parse_example([example(row) for row in ROWS], wanted)[name]
    assert type(found) is type(parsed)
    assert found.dtype == parsed.dtype
    if isinstance(parsed, tf.SparseTensor):
        assert found.indices.numpy().tolist() == parsed.indices.numpy().tolist()
        assert found.values.numpy().tolist() == parsed.values.numpy().tolist()
        assert found.dense_shape.numpy().tolist() == parsed.dense_shape.numpy().tolist()
    elif isinstance(parsed, tf.RaggedTensor):
        assert found.to_list() == parsed.to_list()
        assert found.row_splits.dtype == parsed.row_splits.dtype
        assert found.shape.as_list() == parsed.shape.as_list()
    else:
        np.testing.assert_array_equal(found.numpy(), parsed.numpy())


@pytest.mark.parametrize("dtype", [tf.bool, tf.int32, tf.int64, tf.uint8, tf.float16, tf.float32, tf.float64])
def test_types_of_tensorflow_are_numpys(dtype):
    assert features.VarLen(dtype).dtype == dtype.as_numpy_dtype
    assert features.VarLen(tf.string).dtype == np.dtype(object)


def test_a_type_that_tensors_do_not_have():
    with pytest.raises(ValueError, match="expected") as caught:
        features.VarLen(tf.bfloat16)
    message = "dtype: expected a type of numbers, bool, or object for byte strings, found DType tf.bfloat16"
    assert str(caught.value) == message


def test_partitions_of_other_features_are_refused():
    feature = tf.io.RaggedFeature(tf.int64, "l[*]", [tf.io.RaggedFeature.RowLengths("n")])
    with pytest.raises(ValueError, match="expected") as caught:
        af.TensorAdapter.from_features(SCHEMA, {"t": feature})
    assert str(caught.value) == (
        'features["t"]: partitions: expected UniformRowLength only, because the lists of the key'
        " already have row splits, found RowLengths RowLengths(key='n')"
    )
