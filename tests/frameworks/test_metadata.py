"""arrowfeed reads messages of TensorFlow Metadata, and TensorFlow Metadata reads those of arrowfeed."""

from random import Random

import pyarrow as pa
import pytest
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.tfxio import tensor_representation_util, tensor_representation_util_test

import arrowfeed as af

KINDS = {
    "dense": ("dense_tensor { column_name: 'x' shape { } }", af.representations.Dense("x")),
    "dense_shape": (
        "dense_tensor { column_name: 'x' shape { dim { size: 2 } dim { size: 3 } } }",
        af.representations.Dense("x", [2, 3]),
    ),
    "dense_float": (
        "dense_tensor { column_name: 'x' shape { } default_value { float_value: 0.5 } }",
        af.representations.Dense("x", default=0.5),
    ),
    "dense_int": (
        "dense_tensor { column_name: 'x' shape { } default_value { int_value: -3 } }",
        af.representations.Dense("x", default=-3),
    ),
    "dense_uint": (
        f"dense_tensor {{ column_name: 'x' shape {{ }} default_value {{ uint_value: {2**64 - 1} }} }}",
        af.representations.Dense("x", default=2**64 - 1),
    ),
    "dense_bytes": (
        "dense_tensor { column_name: 'x' shape { } default_value { bytes_value: 'a\\xff' } }",
        af.representations.Dense("x", default=b"a\xff"),
    ),
    "varlen_sparse": ("varlen_sparse_tensor { column_name: 'x' }", af.representations.VarLenSparse("x")),
    "sparse": (
        "sparse_tensor { dense_shape { dim { size: 5 } dim { size: -1 } }"
        " index_column_names: ['i', 'j'] value_column_name: 'v' already_sorted: true }",
        af.representations.Sparse(["i", "j"], "v", [5, -1], already_sorted=True),
    ),
    "ragged": (
        "ragged_tensor { feature_path { step: ['a', 'b'] } row_partition_dtype: INT32"
        " partition { row_length: 'n' } partition { uniform_row_length: 4 } }",
        af.representations.Ragged(["a", "b"], partitions=["n", 4], row_splits_dtype="int32"),
    ),
}


@pytest.mark.parametrize(("text", "representation"), KINDS.values(), ids=KINDS)
def test_bytes_agree_both_ways(text, representation):
    message = text_format.Parse(text, schema_pb2.TensorRepresentation())
    assert af.Representation.from_proto(message.SerializeToString()) == representation
    assert af.Representation.from_proto(message) == representation
    assert representation.to_proto() == message.SerializeToString(deterministic=True)
    assert schema_pb2.TensorRepresentation.FromString(representation.to_proto()) == message


def test_unset_fields_have_their_defaults():
    for text, representation in (
        ("dense_tensor { column_name: 'x' }", af.representations.Dense("x")),
        ("ragged_tensor { feature_path { step: 'x' } }", af.representations.Ragged("x")),
        (
            "ragged_tensor { feature_path { step: 'x' } row_partition_dtype: UNSPECIFIED }",
            af.representations.Ragged("x"),
        ),
        (
            "sparse_tensor { value_column_name: 'v' already_sorted: false }",
            af.representations.Sparse([], "v", []),
        ),
    ):
        message = text_format.Parse(text, schema_pb2.TensorRepresentation())
        found = af.Representation.from_proto(message)
        assert found == representation
        assert hash(found) == hash(representation)
        assert found.to_proto() == message.SerializeToString(deterministic=True)
        assert found.to_proto() != representation.to_proto()


def random_message(random):
    """A valid message, whose optional fields are set or not."""
    message = schema_pb2.TensorRepresentation()

    def maybe(given, name, *values):
        if random.random() < 0.5:
            setattr(given, name, random.choice(values))

    def shape(given, *sizes):
        if random.random() < 0.7:
            given.SetInParent()
            for _ in range(random.randrange(3)):
                dim = given.dim.add()
                maybe(dim, "size", *sizes)
                maybe(dim, "name", "", "width")

    match random.randrange(4):
        case 0:
            dense = message.dense_tensor
            dense.column_name = "x"
            shape(dense.shape, 0, 1, 3)
            name, value = random.choice(
                [("float_value", 0.0), ("int_value", 0), ("uint_value", 7), ("bytes_value", b"")]
            )
            maybe(dense.default_value, name, value)
            if dense.default_value.WhichOneof("kind") is None:
                dense.ClearField("default_value")
        case 1:
            message.varlen_sparse_tensor.column_name = "x"
        case 2:
            sparse = message.sparse_tensor
            sparse.value_column_name = "v"
            shape(sparse.dense_shape, -1, 0, 9)
            sparse.index_column_names.extend(f"i{number}" for number in range(len(sparse.dense_shape.dim)))
            maybe(sparse, "already_sorted", *(False, True))
        case _:
            ragged = message.ragged_tensor
            ragged.feature_path.step.extend(["a", "b"][: random.randrange(1, 3)])
            for _ in range(random.randrange(3)):
                partition = ragged.partition.add()
                if random.random() < 0.5:
                    partition.uniform_row_length = random.randrange(1, 4)
                else:
                    partition.row_length = random.choice(["", "n"])
            maybe(ragged, "row_partition_dtype", *schema_pb2.TensorRepresentation.RowPartitionDType.values())
    return message


def test_a_message_survives_a_round_trip():
    random, sizes, kinds = Random(3), set(), set()
    for _ in range(2000):
        message = random_message(random)
        kinds.add(message.WhichOneof("kind"))
        found = af.Representation.from_proto(message)
        assert found.to_proto() == message.SerializeToString(deterministic=True), message
        sizes.add(len(found.to_proto()))
    assert len(kinds) == 4
    assert len(sizes) > 20


def test_kinds_that_metadata_lacks_are_unknown_fields():
    for representation in (af.representations.VarLenRagged("x"), af.representations.Structured(["x", "y"])):
        message = schema_pb2.TensorRepresentation.FromString(representation.to_proto())
        assert message.WhichOneof("kind") is None
        assert af.Representation.from_proto(message.SerializeToString()) == representation


SCHEMA = """
    feature {
      name: "image"
      type: FLOAT
      presence { min_fraction: 1 }
      shape { dim { size: 28 } dim { size: 28 } }
    }
    feature { name: "tags" type: BYTES }
    feature { name: "old" type: INT deprecated: true }
    feature { name: "i" type: INT int_domain { min: 0 max: 9 } }
    feature { name: "v" type: FLOAT }
    feature { name: "user" type: STRUCT struct_domain { feature { name: "scores" type: INT } } }
    sparse_feature { name: "s" index_feature { name: "i" } value_feature { name: "v" } is_sorted: true }
    tensor_representation_group {
      key: "other"
      value { tensor_representation { key: "t" value { varlen_sparse_tensor { column_name: "tags" } } } }
    }
"""


def test_a_whole_schema_gives_its_representations():
    schema = text_format.Parse(SCHEMA, schema_pb2.Schema())
    expected = {
        "s": af.representations.Sparse(["i"], "v", [10], already_sorted=True),
        "image": af.representations.Dense("image", [28, 28]),
        "tags": af.representations.VarLenSparse("tags"),
        "user.scores": af.representations.Ragged(["user", "scores"]),
    }
    assert af.representations_from_tfmd(schema) == expected
    assert af.representations_from_tfmd(schema.SerializeToString()) == expected
    assert af.representations_from_tfmd(schema, group="other") == {
        "t": af.representations.VarLenSparse("tags")
    }


def test_tfx_bsl_finds_the_same_representations():
    schema = text_format.Parse(SCHEMA, schema_pb2.Schema())
    theirs = tensor_representation_util.InferTensorRepresentationsFromMixedSchema(schema)
    theirs = {name: af.Representation.from_proto(message) for name, message in theirs.items()}
    assert af.representations_from_tfmd(schema) == theirs


INFERRED = [
    *tensor_representation_util_test._INFER_TEST_CASES,
    *tensor_representation_util_test._MIXED_SCHEMA_INFER_TEST_CASES,
]


@pytest.mark.parametrize("case", INFERRED, ids=lambda case: case["testcase_name"])
def test_inferred_messages_are_those_that_tfx_bsls_tests_expect(case):
    schema = text_format.Parse(case["ascii_proto"], schema_pb2.Schema())
    parse = schema_pb2.TensorRepresentation.FromString
    found = {name: parse(one.to_proto()) for name, one in af.representations_from_tfmd(schema).items()}
    expected = {
        name: text_format.Parse(text, schema_pb2.TensorRepresentation())
        for name, text in case["expected"].items()
    }
    assert found == expected


def test_messages_are_representations_of_an_adapter():
    batch = pa.record_batch({"tags": pa.array([["a"], ["b", "c"]])})
    schema = text_format.Parse(SCHEMA, schema_pb2.Schema())
    given = schema.tensor_representation_group["other"].tensor_representation
    adapter = af.TensorAdapter(batch.schema, dict(given))
    assert adapter.convert(batch)["t"].values.tolist() == [b"a", b"b", b"c"]
    with pytest.raises(af.RepresentationError) as caught:
        af.TensorAdapter(batch.schema, {"t": schema_pb2.TensorRepresentation()})
    assert caught.value.tensor == "t"
    assert str(caught.value) == 'tensor "t": expected a known kind of representation, found an unknown kind'
