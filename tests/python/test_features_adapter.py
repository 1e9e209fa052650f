"""Adapters accept features of arrowfeed, TensorFlow, tensorflow-io and ATDS, and reject other objects."""

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense
from foreign_features import (
    FLOAT32,
    INT32,
    INT64,
    STRING,
    Atds,
    DenseFeature,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    RowLengths,
    SparseFeature,
    UniformRowLength,
    VarLenFeature,
    VarlenFeature,
    VarLenFeatureWithRank,
)

SPARSE = pa.struct(
    {
        "values": pa.list_(pa.float32()),
        "indices1": pa.list_(pa.int32()),
        "indices0": pa.list_(pa.int64()),
    }
)
BATCH = pa.record_batch(
    {
        "x": pa.array([1, None, 3], pa.int32()),
        "s": pa.array(["a", None, "c"]),
        "l": pa.array([[1, 2, 3, 4], [], [5, 6]], pa.list_(pa.int64())),
        "ll": pa.array([[[1, 2], [3, 4]], [], [[5, 6]]], pa.list_(pa.list_(pa.int64()))),
        "m": pa.array([[[1, 2]], [[3, 4]], [[5, 6]]], pa.list_(pa.list_(pa.int64()))),
        "w": pa.array([["p", "q"], [], ["r"]]),
        "sp": pa.array(
            [
                {"values": [0.5, 1.5], "indices0": [3, 0], "indices1": [1, 2]},
                {"values": [], "indices0": [], "indices1": []},
                {"values": [2.5], "indices0": [1], "indices1": [0]},
            ],
            SPARSE,
        ),
    }
)


def tensor(feature, name="t"):
    return af.TensorAdapter.from_features(BATCH.schema, {name: feature}).convert(BATCH)[name]


def parts(tensor):
    """The parts of a tensor as lists."""
    if isinstance(tensor, af.DenseTensor):
        return tensor.values.dtype, tensor.values.tolist()
    if isinstance(tensor, af.SparseTensor):
        return tensor.indices.tolist(), tensor.values.tolist(), tensor.dense_shape
    splits = [(splits.dtype, splits.tolist()) for splits in tensor.row_splits]
    return splits, tensor.flat_values.tolist()


SAME = {
    "fixed_len": (
        ("x", FixedLenFeature([], INT32, -1)),
        features.Dense([], "int32", -1, key="x"),
    ),
    "fixed_len_of_one_size": (
        ("l[0]", FixedLenFeature(1, INT64, np.array([7]))),
        features.Dense([1], "int64", [7], key="l[0]"),
    ),
    "fixed_len_of_an_open_size": (
        ("l[*]", FixedLenFeature([None], INT64, 0)),
        features.FixedLenSequence([], "int64", 0, key="l[*]"),
    ),
    "fixed_len_of_open_sizes": (
        ("ll[*][*]", FixedLenFeature([None, 2], INT64, 0)),
        features.FixedLenSequence([None, 2], "int64", 0, key="ll[*][*]"),
    ),
    "sequence": (
        ("l[*]", FixedLenSequenceFeature([2], INT64, allow_missing=True)),
        features.FixedLenSequence([2], "int64", 0, key="l[*]"),
    ),
    "sequence_of_strings": (
        ("w[*]", FixedLenSequenceFeature([], STRING, allow_missing=True)),
        features.FixedLenSequence([], "bytes", b"", key="w[*]"),
    ),
    "sequence_with_a_default": (
        ("w[*]", FixedLenSequenceFeature([], STRING, allow_missing=True, default_value="?")),
        features.FixedLenSequence([], "bytes", b"?", key="w[*]"),
    ),
    "varlen": (("ll[*][*]", VarLenFeature(INT64)), features.VarLen("int64", key="ll[*][*]")),
    "varlen_of_no_dimension": (("s", VarLenFeature(STRING)), features.VarLen("bytes", key="s")),
    "varlen_with_rank": (
        ("ll[*][*]", VarLenFeatureWithRank(INT64, 2)),
        features.VarLen("int64", key="ll[*][*]"),
    ),
    "sparse": (
        ("sp", SparseFeature("indices0[*]", "values[*]", FLOAT32, 9)),
        features.Sparse("indices0[*]", "values[*]", 9, "float32", key="sp"),
    ),
    "sparse_of_two": (
        (
            "any",
            SparseFeature(
                ["@sp.indices0[*]", "@sp.indices1[*]"], "@sp.values[*]", FLOAT32, [9, 3], already_sorted=True
            ),
        ),
        features.Sparse(
            ["indices0[*]", "indices1[*]"], "values[*]", [9, 3], "float32", already_sorted=True, key="sp"
        ),
    ),
    "ragged": (
        ("ll[*][*]", RaggedFeature(INT64)),
        features.Ragged("int64", row_splits_dtype="int32", key="ll[*][*]"),
    ),
    "ragged_by_value_key": (
        ("any", RaggedFeature(INT64, "l[*]", row_splits_dtype=INT64)),
        features.Ragged("int64", key="l[*]"),
    ),
    "ragged_of_uniform_rows": (
        ("any", RaggedFeature(INT64, "l[*]", [UniformRowLength(2), UniformRowLength(1)])),
        features.Ragged("int64", inner_shape=[2, 1], row_splits_dtype="int32", key="l[*]"),
    ),
    "atds_dense": (("m", DenseFeature([1, 2], INT64)), features.Dense([1, 2], "int64", key="m[*][*]")),
    "atds_sparse": (
        ("sp", Atds.SparseFeature([4, 3], FLOAT32)),
        features.Sparse(["indices0[*]", "indices1[*]"], "values[*]", [4, 3], "float32", key="sp"),
    ),
    "atds_sparse_of_open_sizes": (
        ("sp", Atds.SparseFeature([-1, None], FLOAT32)),
        features.Sparse(["indices0[*]", "indices1[*]"], "values[*]", [4, 3], "float32", key="sp"),
    ),
    "atds_varlen": (("m", VarlenFeature([1, -1], INT64)), features.VarLen("int64", key="m[*][*]")),
    "atds_varlen_scalar": (("s", VarlenFeature([], STRING)), features.VarLen("bytes", key="s")),
}


@pytest.mark.parametrize(("given", "ours"), SAME.values(), ids=SAME)
def test_features_of_other_libraries_equal_one_of_ours(given, ours):
    name, feature = given
    assert parts(tensor(feature, name)) == parts(tensor(ours))


def test_a_class_below_a_known_one_is_known():
    class Mine(FixedLenFeature):
        pass

    assert tensor(Mine([], INT32, 0), "x").values.tolist() == [1, 0, 3]


def test_a_class_below_ours_is_of_its_kind():
    class Mine(features.Dense):
        pass

    assert tensor(Mine([], default=0), "x").values.tolist() == [1, 0, 3]


def test_the_order_is_that_of_the_dict():
    wanted = {
        "l[*]": features.Ragged(),
        "b": features.Dense([], default=b"", key="s"),
        "x": VarLenFeature(INT32),
    }
    adapter = af.TensorAdapter.from_features(BATCH.schema, wanted)
    assert list(adapter.convert(BATCH)) == list(adapter.specs) == list(wanted)
    assert list(adapter.convert(BATCH, ["x", "b"])) == ["x", "b"]
    assert pa.schema(adapter.schema) == BATCH.schema
    assert repr(adapter) == (
        "<arrowfeed.TensorAdapter of 3 tensors>\n"
        "  l[*]: ragged int64 [?, ?] (row splits int64)\n"
        "  b: dense bytes [?]\n"
        "  x: sparse int32 [?, ?]"
    )
    assert adapter.explain().splitlines()[:3] == [
        "l[*]: ragged int64 [?, ?] (row splits int64)",
        "  values: shared; copied where a null list has stored values",
        "  row_splits: shared; copied where the lists' offsets are not int64",
    ]


def test_no_features_make_no_tensors():
    assert af.TensorAdapter.from_features(BATCH.schema, {}).convert(BATCH) == {}


def test_duplicates_are_kept_unless_they_are_to_be_errors():
    batch = pa.record_batch({"i": [[1, 1]], "v": [[5, 6]]})
    twice = features.Sparse("@i[*]", "@v[*]", 3)
    adapter = af.TensorAdapter.from_features(batch.schema, {"t": twice})
    assert adapter.convert(batch)["t"].values.tolist() == [5, 6]
    once = features.Sparse("@i[*]", "@v[*]", 3, duplicates="error")
    strict = af.TensorAdapter.from_features(batch.schema, {"t": once})
    with pytest.raises(af.ConversionError) as raised:
        strict.convert(batch)
    assert str(raised.value) == 'tensor "t", key "@v[*]", row 0: expected each index once, found [1] twice'


TAKEN = (
    "Dense, FixedLenSequence, VarLen, Sparse or Ragged of arrowfeed.features, or FixedLenFeature,"
    " FixedLenSequenceFeature, VarLenFeature, VarLenFeatureWithRank, SparseFeature, RaggedFeature,"
    " DenseFeature, VarlenFeature"
)


class FeatureOfMine:
    """A feature of an unknown library."""

    def __repr__(self):
        return "FeatureOfMine()"


NO_FEATURES = {
    "no_dict": ([features.Ragged()], "features: expected a dict of names to features, found list [Ragged()]"),
    "no_name": ({3: features.Ragged()}, "features: expected names of tensors (str), found int 3"),
    "representation": (
        {"x": Dense("x")},
        'features["x"]: expected a feature, such as arrowfeed.features.Dense, found the representation '
        "arrowfeed.representations.Dense('x'): pass representations as representations=, or to TensorAdapter",
    ),
    "none": ({"x": None}, f'features["x"]: expected {TAKEN}, found None'),
    "class": (
        {"x": features.VarLen},
        f"features[\"x\"]: expected {TAKEN}, found type <class 'arrowfeed.features.VarLen'>",
    ),
    "base": ({"x": features.Feature()}, f'features["x"]: expected {TAKEN}, found Feature Feature()'),
    "no_shape": (
        {"x": FixedLenFeature(None, INT64)},
        'features["x"]: shape: expected a list or tuple of sizes (int, or None if unknown), found None',
    ),
    "unknown": (
        {"x": FeatureOfMine()},
        f'features["x"]: expected {TAKEN}, found FeatureOfMine FeatureOfMine()',
    ),
    "rank": (
        {"x": VarLenFeatureWithRank(INT64, None)},
        'features["x"]: rank: expected an integer of 0 or more, found None',
    ),
    "no_type": (
        {"x": FixedLenSequenceFeature([], None, allow_missing=True)},
        'features["x"]: dtype: expected the type of the values, found None',
    ),
}


@pytest.mark.parametrize(("given", "message"), NO_FEATURES.values(), ids=NO_FEATURES)
def test_an_object_that_is_not_a_feature_is_an_error_that_lists_features(given, message):
    with pytest.raises(TypeError) as caught:
        af.TensorAdapter.from_features(BATCH.schema, given)
    assert str(caught.value) == message


REFUSED = {
    "missing_not_allowed": (
        FixedLenSequenceFeature([], INT64),
        'features["x"]: allow_missing: expected True, found bool False',
    ),
    "partitions": (
        RaggedFeature(INT64, "l[*]", [RowLengths("n"), UniformRowLength(2)]),
        'features["x"]: partitions: expected UniformRowLength only, because the lists of the key'
        " already have row splits, found RowLengths RowLengths(key='n')",
    ),
    "default_of_open_sizes": (
        FixedLenFeature([None, 3], INT64, [0, 1, 2]),
        'features["x"]: default: expected a scalar, found the shape [3]',
    ),
}


@pytest.mark.parametrize(("feature", "message"), REFUSED.values(), ids=REFUSED)
def test_unsupported_features_are_refused(feature, message):
    with pytest.raises(ValueError, match="expected") as caught:
        af.TensorAdapter.from_features(BATCH.schema, {"x": feature})
    assert (type(caught.value), str(caught.value)) == (ValueError, message)


UNFIT = {
    "rank": (
        ("l[*]", VarLenFeatureWithRank(INT64, 2)),
        'key "l[*]": expected a shape of 1 dimension, as the key has, found 2',
    ),
    "type": (("x", VarLenFeature(INT64)), 'key "x": expected values of int64, found Int32, which is int32'),
    "atds_rank": (
        ("l", DenseFeature([2, 2], INT64)),
        'tensor "l", key "l[*][*]", character 5: expected an array or a map for "[*]", found Int64',
    ),
    "range_of_default": (
        ("x", FixedLenFeature([], INT32, 1 << 40)),
        'key "x": expected an integer of type int32 as default value, found the integer 1099511627776',
    ),
}


@pytest.mark.parametrize(("given", "message"), UNFIT.values(), ids=UNFIT)
def test_a_feature_that_does_not_fit_the_schema_is_an_error(given, message):
    name, feature = given
    with pytest.raises(af.RepresentationError) as caught:
        af.TensorAdapter.from_features(BATCH.schema, {name: feature})
    assert str(caught.value) == message
    assert caught.value.tensor == name


def test_a_known_size_of_atds_is_checked():
    adapter = af.TensorAdapter.from_features(BATCH.schema, {"l": VarlenFeature([4], INT64)})
    assert adapter.specs["l"].shape == (None, 4)
    with pytest.raises(af.ConversionError) as caught:
        adapter.convert(BATCH)
    assert str(caught.value) == 'tensor "l", key "l[*]", row 1: expected 4 values, found 0'
    assert (caught.value.tensor, caught.value.record) == ("l", 1)
