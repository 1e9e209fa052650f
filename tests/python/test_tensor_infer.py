"""`infer_representations` derives representations from schemas."""

import copy
import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, VarLenSparse


def test_each_column_gets_the_representation_of_its_type():
    schema = pa.schema(
        {
            "id": pa.int64(),
            "pixels": pa.list_(pa.list_(pa.float32(), 3), 2),
            "tags": pa.list_(pa.string()),
            "words": pa.list_(pa.list_(pa.int32())),
            "user": pa.struct({"age": pa.int8(), "tags": pa.list_(pa.int64())}),
            "items": pa.list_(pa.struct({"price": pa.float64()})),
            "nothing": pa.null(),
            "money": pa.decimal128(4, 2),
        }
    )
    inferred = af.infer_representations(schema)
    assert inferred == {
        "id": Dense("id"),
        "pixels": Dense("pixels", [2, 3]),
        "tags": VarLenSparse("tags"),
        "words": Ragged("words"),
        "user.age": Dense("user.age"),
        "user.tags": VarLenSparse("user.tags"),
        "items.price": Ragged(["items", "price"]),
    }
    assert list(inferred) == ["id", "pixels", "tags", "words", "user.age", "user.tags", "items.price"]
    assert list(af.TensorAdapter(schema, inferred).specs) == list(inferred)


def test_the_repr_names_skipped_parts_with_reasons():
    schema = pa.schema(
        {
            "id": pa.int64(),
            "nothing": pa.null(),
            "user": pa.struct({"money": pa.decimal128(4, 2), "empty": pa.struct({}), "name\x1b": pa.null()}),
            "a": pa.struct({"b": pa.int8()}),
            "a.b": pa.float32(),
        }
    )
    inferred = af.infer_representations(schema)
    assert repr(inferred) == (
        "{'id': Dense('id'), 'a.b': Dense('a.b')}\n"
        "left out:\n"
        "  'nothing': no tensor has values of type Null\n"
        "  'user.money': no tensor has values of type Decimal128(4, 2)\n"
        "  'user.empty': the struct has no fields\n"
        "  'user.name\\x1b': no tensor has values of type Null\n"
        "  'a.b': the name is used more than once"
    )
    assert inferred.left_out["nothing"] == "no tensor has values of type Null"
    for again in (pickle.loads(pickle.dumps(inferred)), copy.copy(inferred), copy.deepcopy(inferred)):
        assert (again, again.left_out, repr(again)) == (inferred, inferred.left_out, repr(inferred))


def test_a_repr_with_nothing_left_out_is_that_of_a_dict():
    inferred = af.infer_representations(pa.schema({"id": pa.int64()}))
    assert isinstance(inferred, dict)
    assert (repr(inferred), inferred.left_out) == ("{'id': Dense('id')}", {})


def test_schemas_of_readers_and_batches_serve(users_file):
    reader = af.read_avro(users_file)
    inferred = af.infer_representations(reader)
    assert inferred == af.infer_representations(reader.schema)
    tensors = af.TensorAdapter(reader, inferred).convert
    with pytest.raises(af.ConversionError) as caught:
        tensors(next(reader))
    assert (caught.value.tensor, caught.value.field, caught.value.record) == ("name", "name", 0)


def schema_proto(*features, groups=b""):
    """The bytes of a Schema, written by hand: features are field 1, groups field 13."""
    return b"".join(field(1, feature) for feature in features) + groups


def field(number, content):
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


TAGS = field(1, b"tags") + b"\x20\x02"
"""A feature of integers, with this name."""


def test_features_of_a_schema_become_representations():
    assert af.representations_from_tfmd(schema_proto(TAGS)) == {"tags": VarLenSparse("tags")}
    assert af.representations_from_tfmd(bytearray(schema_proto(TAGS)), group="") == {
        "tags": VarLenSparse("tags")
    }


def test_groups_of_a_schema_are_returned_unchanged():
    entry = field(1, b"t") + field(2, Ragged("tags").to_proto())
    group = field(13, field(1, b"g") + field(2, field(1, entry)))
    data = schema_proto(TAGS, groups=group)
    assert af.representations_from_tfmd(data, group="g") == {"t": Ragged("tags")}
    with pytest.raises(af.RepresentationError) as caught:
        af.representations_from_tfmd(data, group="h")
    assert str(caught.value) == 'expected a group of tensor representations, one of ["g"], found "h"'


def test_wrong_arguments_of_inference_say_what_was_expected():
    for make, kind, message in (
        (
            lambda: af.infer_representations({"a": 1}),
            TypeError,
            "schema: expected an object with __arrow_c_schema__, found dict {'a': 1}",
        ),
        (
            lambda: af.representations_from_tfmd(3),
            TypeError,
            "schema_proto: expected bytes, or a message with SerializeToString, found int 3",
        ),
        (
            lambda: af.representations_from_tfmd(b"", group=3),
            TypeError,
            "group: expected the name of a group (str), found int 3",
        ),
    ):
        with pytest.raises(kind) as caught:
            make()
        assert str(caught.value) == message
    with pytest.raises(af.RepresentationError, match="^expected the bytes of a Schema, found "):
        af.representations_from_tfmd(b"\xff\xff")
