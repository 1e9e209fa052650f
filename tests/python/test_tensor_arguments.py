"""Functions of tensors accept these arguments, and specs and tensors survive pickling."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Sparse, Structured, VarLenRagged
from tensor_batch import BATCH, REPRESENTATIONS


def test_shapes_and_names_may_be_anything_that_can_be_gone_through():
    dense = Dense("x", [2, 3])
    assert Dense("x", np.array([2, 3])) == dense
    assert Dense("x", (size for size in (2, 3))) == dense
    assert Dense("x", range(2, 4)) == dense
    sparse = Sparse(["i", "j"], "v", [4, -1])
    assert Sparse({"i": 0, "j": 1}.keys(), "v", np.array([4, -1])) == sparse
    assert Structured(iter(["a", "b"])) == Structured(["a", "b"])
    assert Ragged(np.array(["a", "b"])) == Ragged(["a", "b"])
    assert af.TensorSpec("dense", "int8", iter([None, 2])).shape == (None, 2)
    adapter = af.TensorAdapter(BATCH.schema, REPRESENTATIONS)
    assert list(adapter.convert(BATCH, {"t": 1, "d": 2}.keys())) == ["t", "d"]
    assert af.SparseTensor([[0, 1]], [5], np.array([1, 2])).dense_shape == (1, 2)


def failing():
    yield 2
    raise ZeroDivisionError("mine")


def test_an_error_of_a_generator_of_a_shape_is_raised():
    with pytest.raises(ZeroDivisionError, match="^mine$"):
        Dense("x", failing())


class Broken:
    """A message that cannot be written."""

    def SerializeToString(self):  # noqa: N802
        raise RuntimeError("not today")


class NoBytes:
    """A message of text."""

    def SerializeToString(self):  # noqa: N802
        return "text"


def test_an_error_of_a_message_is_raised():
    for use in (
        lambda: af.TensorAdapter(BATCH.schema, {"x": Broken()}),
        lambda: af.Representation.from_proto(Broken()),
        lambda: af.representations_from_tfmd(Broken()),
    ):
        with pytest.raises(RuntimeError, match="^not today$"):
            use()


WRONG = {
    "one_string": (
        lambda: Structured("ab"),
        "columns: expected a list or tuple of columns (str), found str 'ab'",
    ),
    "a_dict": (
        lambda: Structured({"a": 1}),
        "columns: expected a list or tuple of columns (str), found dict {'a': 1}",
    ),
    "one_size": (lambda: Dense("x", 3), "shape: expected a list or tuple of sizes (int), found int 3"),
    "no_dimension": (
        lambda: Dense("x", np.array(3)),
        "shape: expected a list or tuple of sizes (int), found ndarray array(3)",
    ),
    "bool_size": (lambda: Dense("x", [True]), "shape: expected an integer of 0 or more, found bool True"),
    "bool_dimension": (
        lambda: Sparse(["i"], "v", [False]),
        "dense_shape: expected an integer of 0 or more, found bool False",
    ),
    "bool_partition": (
        lambda: Ragged("x", partitions=[True]),
        "partitions: expected an integer of 1 or more, found bool True",
    ),
    "no_bytes": (
        lambda: af.TensorAdapter(BATCH.schema, {"x": NoBytes()}),
        'representations["x"]: expected a Representation, a TensorRepresentation message or its bytes,'
        " found str 'text'",
    ),
    "feature": (
        lambda: af.TensorAdapter(BATCH.schema, {"x": af.features.Dense([])}),
        'representations["x"]: expected a representation, such as arrowfeed.representations.Dense, found the '
        "feature arrowfeed.features.Dense(()): pass features as features=, or to TensorAdapter.from_features",
    ),
    "no_fields": (
        lambda: af.TensorSpec("structured", None, [None]),
        "fields: expected a dict of names to TensorSpec for the kind structured, found None",
    ),
    "fields_of_dense": (
        lambda: af.TensorSpec("dense", "int8", [None], fields={}),
        "fields: expected a dict of names to TensorSpec for the kind structured, found dict {}",
    ),
    "no_rows": (
        lambda: af.StructuredTensor({}),
        "rows: expected the number of rows, because there are neither fields nor row_splits",
    ),
}


@pytest.mark.parametrize(("call", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_say_what_was_expected(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


def test_specs_of_every_kind_can_be_pickled():
    specs = af.TensorAdapter(BATCH.schema, REPRESENTATIONS).specs
    again = pickle.loads(pickle.dumps(specs))
    assert again == specs
    assert {spec.kind for spec in again.values()} == {"dense", "sparse", "ragged", "structured"}
    user = specs["u"].fields["user"]
    assert again["u"].fields["user"].fields == user.fields
    made = af.TensorSpec("structured", None, [None], fields=user.fields)
    assert made == user


def test_structured_tensors_can_be_made_and_pickled():
    rows = [[{"x": 1, "y": ["a"]}, {"x": 2, "y": []}], [], [{"x": 3, "y": ["b", "c"]}]]
    kind = pa.list_(pa.struct({"x": pa.int64(), "y": pa.list_(pa.string())}))
    batch = pa.record_batch({"u": pa.array(rows, kind)})
    tensor = af.TensorAdapter(batch.schema, {"t": Structured(["u"])}).convert(batch)["t"]
    again = pickle.loads(pickle.dumps(tensor))
    inner = again.fields["u"]
    assert (len(again), len(inner)) == (3, 3)
    assert [splits.tolist() for splits in inner.row_splits] == [[0, 2, 2, 3]]
    assert inner.fields["x"].to_list() == [[1, 2], [], [3]]
    assert inner.fields["y"].to_list() == [[[b"a"], []], [], [[b"b", b"c"]]]
    assert len(pickle.loads(pickle.dumps(af.StructuredTensor({}, rows=4)))) == 4
    with pytest.raises(af.ConversionError) as caught:
        af.StructuredTensor({"a": af.DenseTensor([1, 2]), "b": af.DenseTensor([1])})
    assert str(caught.value) == 'expected 2 rows in field "b", found 1'


def test_one_value_is_reported_in_the_singular():
    batch = pa.record_batch({"x": pa.array([[7]])})
    tensor = af.TensorAdapter(batch.schema, {"t": VarLenRagged("x")}).convert(batch)["t"]
    assert repr(tensor) == "<arrowfeed.RaggedTensor int64 [1, ?], 1 value>"
