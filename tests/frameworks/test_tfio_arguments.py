"""`arrowfeed.tfio` rejects wrong arguments with the errors of tensorflow-io."""

import pytest
import tensorflow as tf
from tfio_rows import INT, LIST, VARLEN, fixed, parse, refused, schema

from arrowfeed import tfio


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: VARLEN(tf.int32, 0), "rank: expected an integer of 1 or more, found int 0"),
        (lambda: VARLEN(tf.int32, None), "rank: expected an integer of 1 or more, found None"),
        (
            lambda: tfio.parse_avro([], "{}", {}),
            "features: expected a dict of at least one feature, found dict {}",
        ),
        (
            lambda: parse(schema(x=INT), [], {"x": tf.io.SparseFeature(["a", "b"], "v", tf.int32, 3)}),
            'features["x"]: size: expected one for each of the 2 index keys, found 1',
        ),
        (
            lambda: parse(schema(x=LIST), [], {"x[*]": fixed([3], default=[1, 2])}),
            'features["x[*]"]: default_value: expected one value, or as many as the shape [3] has, found 2',
        ),
        (
            lambda: tfio.DenseFeature([-1], tf.int32),
            "shape: expected a list of sizes of 1 or more, found list [-1]",
        ),
        (
            lambda: tfio.VarlenFeature(None, tf.int32),
            "shape: expected a list of sizes of 1 or more, or -1 if unknown, found None",
        ),
        (lambda: tfio.SparseFeature([], tf.int32), "shape: expected at least one size, found []"),
        (
            lambda: tfio.DenseFeature([], tf.uint8),
            "dtype: expected one of int32, int64, float32, float64, string, bool, found DType tf.uint8",
        ),
        (
            lambda: tfio.ATDSDataset("a", 1, {}),
            "features: expected a dict of at least one feature, found dict {}",
        ),
        (
            lambda: tfio.ATDSDataset("a", 1, {"x": 3}),
            'features["x"]: expected a DenseFeature, SparseFeature or VarlenFeature, found int 3',
        ),
        (
            lambda: tfio.AvroRecordDataset("a", num_parallel_reads=2, num_parallel_calls=3),
            "num_parallel_calls: expected no more than num_parallel_reads, which is 2, found 3",
        ),
        (
            lambda: tfio.AvroRecordDataset("a", num_parallel_reads=2, num_parallel_calls=0),
            "num_parallel_calls: expected 1 or more, or tf.data.AUTOTUNE, found 0",
        ),
    ],
)
def test_wrong_arguments_are_value_errors(call, message):
    assert refused(call, ValueError) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size: expected an integer of 1 or more, found 0"),
        ({"shuffle_buffer_size": -1}, "shuffle_buffer_size: expected an integer of 0 or more, found -1"),
        ({"reader_buffer_size": 0}, "reader_buffer_size: expected an integer of 1 or more, found 0"),
        (
            {"num_parallel_calls": 0},
            "num_parallel_calls: expected an integer of 1 or more or tf.data.AUTOTUNE, found 0",
        ),
    ],
)
def test_a_refused_operation_raises_an_error_of_both_classes(arguments, message):
    one = {"x": tfio.DenseFeature([], tf.int32)}
    for kind in (ValueError, tf.errors.InvalidArgumentError):
        assert (
            refused(
                lambda: tfio.ATDSDataset(**{"filenames": "a", "batch_size": 1, "features": one, **arguments}),
                kind,
            )
            == message
        )


def test_names_are_names():
    one = {"x": tfio.DenseFeature([], tf.int32)}
    expected = "filenames: expected names of files (str, or a tensor of tf.string), found a tensor of int32"
    assert refused(lambda: tfio.ATDSDataset([1], 1, one), TypeError) == expected
    assert refused(lambda: tfio.AvroRecordDataset([1]), TypeError) == expected
