"""Representations accept these arguments, survive their messages, and reject other arguments."""

import contextlib
import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Sparse, Structured, VarLenRagged, VarLenSparse

ALL = [
    Dense("x"),
    Dense("x", [28, 28]),
    Dense("x", (2,), default=0.5),
    Dense("x", [], default=-7, pad=True),
    Dense("x", default=b"\x00\xff"),
    Dense("x", default=2**64 - 1),
    VarLenSparse("x"),
    Sparse(["i", "j"], "x", [100, -1]),
    Sparse([], "x", [], already_sorted=True),
    Ragged("x"),
    Ragged(("user", "x"), partitions=["lengths", 3, 2], row_splits_dtype="int32"),
    VarLenRagged("x"),
    VarLenRagged("x", row_splits_dtype="int32"),
    Structured(["x", "y"]),
    Structured(["x"], row_splits_dtype="int32"),
]
TEXTS = [
    "Dense('x')",
    "Dense('x', (28, 28))",
    "Dense('x', (2,), default=0.5)",
    "Dense('x', default=-7, pad=True)",
    "Dense('x', default=b'\\x00\\xff')",
    "Dense('x', default=18446744073709551615)",
    "VarLenSparse('x')",
    "Sparse(('i', 'j'), 'x', (100, -1))",
    "Sparse((), 'x', (), already_sorted=True)",
    "Ragged('x')",
    "Ragged(('user', 'x'), row_splits_dtype='int32', partitions=('lengths', 3, 2))",
    "VarLenRagged('x')",
    "VarLenRagged('x', row_splits_dtype='int32')",
    "Structured(('x', 'y'))",
    "Structured(('x',), row_splits_dtype='int32')",
]


@pytest.mark.parametrize(("representation", "text"), list(zip(ALL, TEXTS, strict=True)), ids=TEXTS)
def test_the_text_makes_an_equal_one(representation, text):
    assert repr(representation) == text
    again = eval(text, vars(af.representations))
    assert (type(again), again) == (type(representation), representation)


@pytest.mark.parametrize("representation", ALL, ids=TEXTS)
def test_messages_pickles_and_copies_are_equal(representation):
    assert isinstance(representation, af.Representation)
    agains = [
        af.Representation.from_proto(representation.to_proto()),
        af.Representation.from_proto(bytearray(representation.to_proto())),
        copy.copy(representation),
        copy.deepcopy(representation),
        *(pickle.loads(pickle.dumps(representation, protocol)) for protocol in range(2, 6)),
    ]
    for again in agains:
        assert type(again) is type(representation)
        assert again == representation
        assert hash(again) == hash(representation)


def test_all_representations_are_different():
    assert len(set(ALL)) == len(ALL)
    for one, representation in enumerate(ALL):
        assert [other == representation for other in ALL].index(True) == one
        assert representation != "x"


def test_representations_with_defaults_of_other_types_are_different():
    zeros = {Dense("x", default=zero) for zero in (0, 0.0, -0.0, b"0", b"")}
    assert len(zeros) == 5
    assert Dense("x", default=float("nan")) == Dense("x", default=float("nan"))


def test_attributes_are_the_arguments():
    dense = Dense("x", [2, 3], default=1.5, pad=True)
    assert (dense.column, dense.shape, dense.default, dense.pad) == ("x", (2, 3), 1.5, True)
    plain = Dense("x")
    assert (plain.shape, plain.default, plain.pad) == ((), None, False)
    sparse = Sparse(["i"], "v", [None], already_sorted=True)
    assert (sparse.index_columns, sparse.value_column) == (("i",), "v")
    assert (sparse.dense_shape, sparse.already_sorted) == ((-1,), True)
    ragged = Ragged(["a", "b"], partitions=(2, "n"))
    assert (ragged.path, ragged.partitions, ragged.row_splits_dtype) == (("a", "b"), (2, "n"), "int64")
    assert (Ragged("a.b").path, Ragged(["a"]).path) == ("a.b", "a")
    varlen = VarLenRagged("x", row_splits_dtype="int32")
    assert (varlen.column, varlen.row_splits_dtype) == ("x", "int32")
    assert VarLenSparse("x").column == "x"
    structured = Structured(("a", "b"))
    assert (structured.columns, structured.row_splits_dtype) == (("a", "b"), "int64")


def test_they_are_frozen():
    for representation in ALL:
        with pytest.raises(AttributeError):
            representation.column = "y"
    with pytest.raises(TypeError):
        af.Representation()


@pytest.mark.parametrize(
    ("given", "default"),
    [
        (True, 1),
        (np.bool_(1), 1),
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float32(0.5), 0.5),
        (np.float64(0.5), 0.5),
        ("é", "é".encode()),
    ],
)
def test_defaults_of_numpy_and_text_are_accepted(given, default):
    found = Dense("x", default=given).default
    assert (type(found), found) == (type(default), default)


WRONG = {
    "column": (lambda: Dense(3), TypeError, "column: expected the name of a column (str), found int 3"),
    "shape as column": (
        lambda: Dense([]),
        TypeError,
        "column: expected the name of a column (str); the classes of arrowfeed.features take a shape, "
        "found list []",
    ),
    "shape": (
        lambda: Dense("x", 3),
        TypeError,
        "shape: expected a list or tuple of sizes (int), found int 3",
    ),
    "size": (
        lambda: Dense("x", [-1]),
        ValueError,
        "shape: expected an integer of 0 or more, found int -1",
    ),
    "default": (
        lambda: Dense("x", default=[1]),
        TypeError,
        "default: expected an int, a float, a bool, bytes or a str, found list [1]",
    ),
    "big_default": (
        lambda: Dense("x", default=2**64),
        ValueError,
        "default: expected an integer of 64 bits, found int 18446744073709551616",
    ),
    "pad": (
        lambda: Dense("x", [2], pad=True),
        af.RepresentationError,
        "expected a default value to pad with, found none",
    ),
    "big_shape": (
        lambda: Dense("x", [2**32, 2**32]),
        af.RepresentationError,
        "expected a shape of less than 2^63 values, found [4294967296, 4294967296]",
    ),
    "index_columns": (
        lambda: Sparse("i", "x", [3]),
        TypeError,
        "index_columns: expected a list or tuple of columns (str), found str 'i'",
    ),
    "dense_shape": (
        lambda: Sparse(["i"], "x", [-2]),
        ValueError,
        "dense_shape: expected an integer of 0 or more, found int -2",
    ),
    "dimensions": (
        lambda: Sparse(["i"], "x", [3, 4]),
        af.RepresentationError,
        "expected 1 dimension, one for each index column, found 2",
    ),
    "partition": (
        lambda: Ragged("x", partitions=[0]),
        ValueError,
        "partitions: expected an integer of 1 or more, found int 0",
    ),
    "path": (
        lambda: Ragged(3),
        TypeError,
        "path: expected a path (str, or a list or tuple of str), found int 3",
    ),
    "row_splits_dtype": (
        lambda: VarLenRagged("x", row_splits_dtype="int16"),
        ValueError,
        'row_splits_dtype: expected "int32" or "int64", found str \'int16\'',
    ),
    "columns": (
        lambda: Structured([]),
        af.RepresentationError,
        "expected at least one column, found none",
    ),
    "no_proto": (
        lambda: af.Representation.from_proto("x"),
        TypeError,
        "data: expected bytes, or a message with SerializeToString, found str 'x'",
    ),
    "empty_proto": (
        lambda: af.Representation.from_proto(b""),
        af.RepresentationError,
        "expected a known kind of representation, found an unknown kind",
    ),
}


@pytest.mark.parametrize(("make", "kind", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_of_representations_say_what_was_expected(make, kind, message):
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message


def test_bytes_that_are_no_message_are_refused():
    with pytest.raises(af.RepresentationError, match="^expected the bytes of a TensorRepresentation, found "):
        af.Representation.from_proto(b"\xff\xff")


# A path of one step, and messages that leave fields unset or set them to their defaults.
STEP = b"\x0a\x03\x0a\x01x"
UNSET = {
    "ragged": (b"\x22\x05" + STEP, Ragged("x")),
    "ragged_unspecified": (b"\x22\x07" + STEP + b"\x10\x00", Ragged("x")),
    "ragged_unknown": (b"\x22\x07" + STEP + b"\x10\x63", Ragged("x")),
    "varlen_ragged": (b"\xca\x3e\x03\x0a\x01x", VarLenRagged("x")),
    "structured": (b"\xd2\x3e\x03\x0a\x01x", Structured(["x"])),
    "dense": (b"\x0a\x03\x0a\x01x", Dense("x")),
    "dense_not_padded": (b"\x0a\x08\x0a\x01x\x12\x00\xc8\x3e\x00", Dense("x")),
    "dense_size": (b"\x0a\x07\x0a\x01x\x12\x02\x12\x00", Dense("x", [0])),
    "dense_name": (b"\x0a\x0c\x0a\x01x\x12\x07\x12\x05\x08\x02\x12\x01w", Dense("x", [2])),
    "sparse": (b"\x1a\x03\x1a\x01v", Sparse([], "v", [])),
    "sparse_not_sorted": (b"\x1a\x05\x1a\x01v\x20\x00", Sparse([], "v", [])),
}


@pytest.mark.parametrize(("message", "representation"), UNSET.values(), ids=UNSET)
def test_a_message_survives_a_round_trip_with_its_unset_fields(message, representation):
    parsed = af.Representation.from_proto(message)
    assert parsed.to_proto() == message
    assert representation.to_proto() != message
    assert parsed == representation
    assert (hash(parsed), repr(parsed)) == (hash(representation), repr(representation))
    agains = [copy.copy(parsed), *(pickle.loads(pickle.dumps(parsed, protocol)) for protocol in range(2, 6))]
    assert [again.to_proto() for again in agains] == [message] * len(agains)
    assert [type(again) for again in agains] == [type(representation)] * len(agains)


def test_a_dataset_gives_the_messages_of_its_representations_back(tmp_path):
    message = UNSET["ragged"][0]
    path = tmp_path / "x.avro"
    af.write_avro(pa.table({"x": pa.array([[1], [2, 3]], pa.list_(pa.int64()))}), path)
    dataset = af.AvroDataset(path, representations={"t": message})
    assert dataset.tensor_representations["t"].to_proto() == message
    [tensors] = dataset.tensors(batch_size=2)
    assert tensors["t"].row_splits[0].dtype == np.int64


@pytest.mark.parametrize("representation", ALL, ids=TEXTS)
def test_every_prefix_of_a_message_is_accepted_or_refused(representation):
    message = representation.to_proto()
    refused = 0
    for end in range(len(message)):
        with contextlib.suppress(af.RepresentationError):
            af.Representation.from_proto(message[:end])
            continue
        refused += 1
    assert refused > 0


def test_a_class_at_the_root_is_an_error_that_names_its_module():
    with pytest.raises(AttributeError) as raised:
        af.Dense  # noqa: B018
    hint = "use arrowfeed.features.Dense or arrowfeed.representations.Dense"
    assert str(raised.value) == f"module 'arrowfeed' has no attribute 'Dense': {hint}"
    assert not hasattr(af, "Structured")
    assert not hasattr(af, "unknown")
