"""`TensorAdapter` has the values and the error texts of tfx_bsl."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.tfxio import tensor_adapter

import arrowfeed as af
from arrowfeed import tfxio
from conftest import run_script

BATCH = pa.record_batch(
    {
        "x": pa.array([[1, 2], [3, 4]], pa.large_list(pa.float32())),
        "t": pa.array([[b"a"], None], pa.large_list(pa.large_binary())),
        "i": pa.array([[3], []], pa.large_list(pa.int64())),
        "r": pa.array([[[1], [2, 3]], []], pa.large_list(pa.large_list(pa.int32()))),
    }
)
REPRESENTATIONS = {
    "dense": af.representations.Dense("x", [2]),
    "varlen": af.representations.VarLenSparse("t"),
    "sparse": af.representations.Sparse(["i"], "t", [5]),
    "ragged": af.representations.Ragged("r", row_splits_dtype="int32"),
}
SPECS = {
    "dense": tf.TensorSpec([None, 2], tf.float32),
    "varlen": tf.SparseTensorSpec([None, None], tf.string),
    "sparse": tf.SparseTensorSpec([None, 5], tf.string),
    "ragged": tf.RaggedTensorSpec([None, None, None], tf.int32, ragged_rank=2, row_splits_dtype=tf.int32),
}
LISTS = pa.schema({"x": pa.list_(pa.int64())})


def message(text: str) -> schema_pb2.TensorRepresentation:
    """A representation of TensorFlow Metadata."""
    return text_format.Parse(text, schema_pb2.TensorRepresentation())


def adapter(schema=BATCH.schema, representations=REPRESENTATIONS, original=None):
    """The adapter of arrowfeed."""
    return tfxio.TensorAdapter(tfxio.TensorAdapterConfig(schema, representations, original))


def one(array, representation):
    """The adapter and the batch of one column."""
    batch = pa.record_batch({"x": array})
    return adapter(batch.schema, {"t": representation}), batch


def test_specs_are_tensorflows():
    assert adapter().TypeSpecs() == SPECS
    assert adapter().OriginalTypeSpecs() == SPECS
    assert list(adapter().TypeSpecs()) == list(REPRESENTATIONS)


def test_eager_tensors_have_the_specs():
    tensors = adapter().ToBatchTensors(BATCH)
    assert list(tensors) == list(SPECS)
    assert all(spec.is_compatible_with(tensors[name]) for name, spec in SPECS.items())
    assert tensors["dense"].numpy().tolist() == [[1, 2], [3, 4]]
    assert tensors["ragged"].to_list() == [[[1], [2, 3]], []]
    assert tf.sparse.to_dense(tensors["sparse"]).numpy().tolist() == [[b"", b"", b"", b"a", b""], [b""] * 5]


def test_values_can_be_fed_to_sessions():
    tensors = adapter().ToBatchTensors(BATCH, produce_eager_tensors=False)
    assert isinstance(tensors["dense"], np.ndarray)
    assert isinstance(tensors["varlen"], tf.compat.v1.SparseTensorValue)
    assert isinstance(tensors["ragged"], tf.compat.v1.ragged.RaggedTensorValue)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = {name: placeholder(spec) for name, spec in SPECS.items()}
        found = session.run(fed, {fed[name]: value for name, value in tensors.items()})
    assert found["dense"].tolist() == [[1, 2], [3, 4]]
    assert found["varlen"].indices.tolist() == [[0, 0]]
    assert found["sparse"].dense_shape.tolist() == [2, 5]
    assert found["ragged"].to_list() == [[[1], [2, 3]], []]


def placeholder(spec):
    """A place in a graph for a value of this spec."""
    if isinstance(spec, tf.TensorSpec):
        return tf.compat.v1.placeholder(spec.dtype, spec.shape)
    if isinstance(spec, tf.SparseTensorSpec):
        return tf.compat.v1.sparse_placeholder(spec.dtype, [None, *spec.shape[1:]])
    splits = [tf.compat.v1.placeholder(spec.row_splits_dtype, [None]) for _ in range(spec.ragged_rank)]
    values = tf.compat.v1.placeholder(spec.dtype, [None])
    return tf.RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def test_outside_of_eager_mode_values_are_returned():
    with tf.Graph().as_default():
        assert isinstance(adapter().ToBatchTensors(BATCH)["dense"], np.ndarray)
        with pytest.raises(RuntimeError) as caught:
            adapter().ToBatchTensors(BATCH, produce_eager_tensors=True)
    assert str(caught.value) == "Eager Tensors were requested but eager mode was not enabled."


def test_batches_of_read_avro_are_accepted(tmp_path):
    path = str(tmp_path / "batch.avro")
    af.write_avro(BATCH, path)
    reader = af.read_avro(path, columns=["x"])
    batch = next(reader)
    tensors = adapter(reader.schema, {"x": af.representations.Dense("x", [2])}).ToBatchTensors(batch)
    assert tensors["x"].numpy().tolist() == [[1, 2], [3, 4]]


def test_another_schema_is_refused_as_tfx_bsl_does():
    for other in (
        BATCH.select(["x", "t", "i"]),
        BATCH.select(["t", "x", "i", "r"]),
        BATCH.cast(BATCH.schema.set(2, pa.field("i", pa.list_(pa.int64())))),
        BATCH.cast(BATCH.schema.set(2, pa.field("i", pa.large_list(pa.int64()), nullable=False))),
    ):
        with pytest.raises(ValueError, match=r"^Expected same schema\.$"):
            adapter().ToBatchTensors(other)
    described = BATCH.replace_schema_metadata({"about": "metadata does not matter"})
    assert list(adapter().ToBatchTensors(described)) == list(REPRESENTATIONS)


def test_a_row_that_does_not_fit_is_located_in_the_cause():
    this, batch = one(pa.array([[1], None, [2, 3]]), af.representations.Dense("x"))
    with pytest.raises(ValueError, match="^Error raised when handling tensor 't'$") as caught:
        this.ToBatchTensors(batch)
    cause = caught.value.__cause__
    assert isinstance(cause, af.ConversionError)
    reason = "expected 1 value, found null: give the tensor a `default`, which fills nulls"
    assert str(cause) == f'tensor "t", column "x", row 1: {reason}'


REFUSED = {
    "no kind": "",
    "nested": "dense_tensor { column_name: 'nested' shape { } }",
    "no lists": "ragged_tensor { feature_path { step: 'n' } }",
    "empty path": "ragged_tensor { feature_path { } }",
    "no such field": "ragged_tensor { feature_path { step: 's' step: 'z' } }",
    "a struct": "ragged_tensor { feature_path { step: 's' } }",
    "empty partition": "ragged_tensor { feature_path { step: 'x' } partition { } }",
    "no length": "ragged_tensor { feature_path { step: 'x' } partition { uniform_row_length: 0 } }",
    "lengths of floats": "ragged_tensor { feature_path { step: 'x' } partition { row_length: 'f' } }",
    "nested lengths": "ragged_tensor { feature_path { step: 'nested' } partition { row_length: 'nested' } }",
    "nested lengths in a struct": "ragged_tensor { feature_path { step: 's' step: 'y' }"
    " partition { row_length: 'y' } }",
    "more indices than sizes": "sparse_tensor { index_column_names: 'x' value_column_name: 'x' }",
    "indices of floats": "sparse_tensor { index_column_names: 'f' value_column_name: 'x'"
    " dense_shape { dim { size: 9 } } }",
    "empty default": "dense_tensor { column_name: 'x' shape { } default_value { } }",
    "default of another type": "dense_tensor { column_name: 'x' shape {} default_value { bytes_value: '' } }",
    "uint default": "dense_tensor { column_name: 'f' shape { } default_value { uint_value: 1 } }",
    "default out of range": "dense_tensor { column_name: 'b' shape { } default_value { int_value: 128 } }",
    "default below": "dense_tensor { column_name: 'u' shape { } default_value { int_value: -1 } }",
}
SCHEMA = pa.schema(
    {
        "x": pa.list_(pa.int64()),
        "b": pa.list_(pa.int8()),
        "u": pa.list_(pa.uint16()),
        "f": pa.large_list(pa.float32()),
        "n": pa.int64(),
        "nested": pa.list_(pa.list_(pa.int64())),
        "s": pa.struct({"y": pa.list_(pa.list_(pa.int32()))}),
    }
)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_errors_of_tfx_bsl_are_raised_with_its_texts(text):
    representations = {"t": message(text)}
    with pytest.raises(ValueError) as theirs:  # noqa: PT011
        tensor_adapter.TensorAdapter(tensor_adapter.TensorAdapterConfig(SCHEMA, representations))
    with pytest.raises(ValueError) as ours:  # noqa: PT011
        adapter(SCHEMA, representations)
    assert str(ours.value) == str(theirs.value)


def test_a_missing_column_is_a_value_error_that_names_it():
    with pytest.raises(ValueError, match="^Unable to handle tensor t with rep ") as caught:
        adapter(LISTS, {"t": af.representations.VarLenSparse("y")})
    expected = 'tensor "t", column "y": expected a column of this name, one of ["x"], found none'
    assert str(caught.value.__cause__) == expected


def test_original_specs_must_hold_the_own_ones():
    more = {**SPECS, "other": tf.TensorSpec([None], tf.int64)}
    assert adapter(original=more).OriginalTypeSpecs() == more
    for original in ({}, {**SPECS, "dense": tf.TensorSpec([None, 3], tf.float32)}):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            adapter(original=original)
        assert str(caught.value) == (
            "original_type_specs must be a superset of type_specs derived from TensorRepresentations. "
            f"But for tensor dense, got {original.get('dense')} vs {SPECS['dense']}"
        )


def test_no_representations_are_no_tensors():
    assert adapter(representations={}).ToBatchTensors(BATCH) == {}


def test_configs_are_tfx_bsls_and_hold_messages():
    given = {
        "m": message("varlen_sparse_tensor { column_name: 't' }"),
        "b": af.representations.Dense("x", [2]).to_proto(),
    }
    config = tfxio.TensorAdapterConfig(BATCH.schema, {**given, "r": af.representations.Ragged("r")})
    assert isinstance(config, tensor_adapter.TensorAdapterConfig)
    assert config.tensor_representations["m"] is given["m"]
    kinds = [this.WhichOneof("kind") for this in config.tensor_representations.values()]
    assert kinds == ["varlen_sparse_tensor", "dense_tensor", "ragged_tensor"]
    theirs, ours = tensor_adapter.TensorAdapter(config), tfxio.TensorAdapter(config)
    assert theirs.TypeSpecs() == ours.TypeSpecs()


def test_configs_of_tfx_bsl_are_accepted():
    config = tensor_adapter.TensorAdapterConfig(
        BATCH.schema, {"t": message("varlen_sparse_tensor { column_name: 't' }")}
    )
    assert tfxio.TensorAdapter(config).TypeSpecs() == {"t": SPECS["varlen"]}


def test_configs_can_be_pickled():
    config = tfxio.TensorAdapterConfig(BATCH.schema, REPRESENTATIONS, SPECS)
    copy = pickle.loads(pickle.dumps(config))
    assert copy.arrow_schema == config.arrow_schema
    assert copy.tensor_representations == config.tensor_representations
    assert copy.original_type_specs == SPECS
    assert tfxio.TensorAdapter(copy).ToBatchTensors(BATCH)["dense"].shape == [2, 2]


def test_types_that_only_arrowfeed_has_are_returned_too():
    tensors = adapter(
        BATCH.schema,
        {
            "s": af.representations.Structured(["x", "t"]),
            "v": af.representations.VarLenRagged("t"),
            "w": af.representations.VarLenSparse("r"),
        },
    )
    assert tensors.TypeSpecs() == {
        "s": {
            "x": tf.RaggedTensorSpec([None, None], tf.float32),
            "t": tf.RaggedTensorSpec([None, None], tf.string),
        },
        "v": tf.RaggedTensorSpec([None, None], tf.string),
        "w": tf.SparseTensorSpec([None, None, None], tf.int32),
    }
    for eager in (True, False):
        found = tensors.ToBatchTensors(BATCH, produce_eager_tensors=eager)
        assert found["s"]["x"].to_list() == [[1, 2], [3, 4]]
        assert found["v"].to_list() == [[b"a"], []]


WITHOUT = """
    import os, pickle, sys
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    for name in {absent}:
        sys.modules[name] = None
    import pyarrow as pa
    import arrowfeed as af
    from arrowfeed import tfxio
    batch = pa.record_batch({{"x": pa.array([[1, 2], None], pa.list_(pa.int64()))}})
    config = tfxio.TensorAdapterConfig(batch.schema, {{"t": af.representations.Dense("x", [2], default=7)}})
    config = pickle.loads(pickle.dumps(config))
    try:
        print(tfxio.TensorAdapter(config).ToBatchTensors(batch)["t"].numpy().tolist())
        dense = af.representations.Dense("x", default=b"")
        tfxio.TensorAdapter(tfxio.TensorAdapterConfig(batch.schema, {{"t": dense}}))
    except (ImportError, ValueError) as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize("absent", [["tfx_bsl"], ["tfx_bsl", "tensorflow_metadata"]], ids=" and ".join)
def test_tfx_bsl_is_not_needed(absent):
    done = run_script(WITHOUT.format(absent=absent))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[[1, 2], [7, 7]]",
        "ValueError Incompatible default value: bytes_value is set for a int64 column",
    ]


def test_without_tensorflow_the_error_says_so():
    done = run_script(WITHOUT.format(absent=["tensorflow"]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "ImportError expected tensorflow to make its tensors, found it not installed: pip install tensorflow"
    ]


def test_arrowfeed_itself_imports_none_of_it():
    script = "import sys, arrowfeed; print({'tensorflow', 'tfx_bsl', 'pyarrow'} & set(sys.modules))"
    assert run_script(script).stdout == "set()\n"
