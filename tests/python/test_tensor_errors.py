"""Conversion errors have these messages, and the location in their attributes."""

import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, VarLenSparse
from tensor_batch import BATCH, REPRESENTATIONS


@pytest.fixture
def adapter():
    return af.TensorAdapter(BATCH.schema, REPRESENTATIONS)


def adapt(representation, **options):
    return af.TensorAdapter(BATCH.schema, {"x": representation}, **options)


IMPOSSIBLE = {
    "missing": (
        Dense("nope"),
        'tensor "x", column "nope": expected a column of this name, one of ["dense", ',
    ),
    "type": (VarLenSparse("user"), 'tensor "x", column "user": expected '),
    "shape": (Dense("dense", [3]), 'tensor "x", column "dense": expected '),
    "default": (Dense("dense", [2], default=1), 'tensor "x", column "dense": expected '),
    "partition": (Ragged("varlen", partitions=["nope"]), 'tensor "x", column "nope": expected '),
}


@pytest.mark.parametrize(("representation", "start"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_an_impossible_representation_is_reported_before_any_data(representation, start):
    with pytest.raises(af.RepresentationError) as caught:
        adapt(representation)
    error = caught.value
    assert str(error).startswith(start)
    assert ", found " in str(error)
    assert error.tensor == "x"
    assert error.field is not None
    assert f"column {error.field!r}".replace("'", '"') in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.tensor, again.field) == (str(error), error.tensor, error.field)


def column(values, kind):
    return pa.record_batch({"x": pa.array(values, kind)})


UNFIT = {
    "null_row": (
        Dense("x"),
        column([1, None], pa.int64()),
        1,
        'tensor "t", column "x", row 1: expected 1 value, found null: '
        "give the tensor a `default`, which fills nulls",
    ),
    "short_row": (
        Dense("x", [2]),
        column([[1, 2], [3, 4], [5]], pa.list_(pa.int64())),
        2,
        'tensor "t", column "x", row 2: expected 2 values, found 1',
    ),
    "inner_null": (
        VarLenSparse("x"),
        column([[1], [2, None]], pa.list_(pa.int64())),
        1,
        'tensor "t", column "x", row 1: expected values without nulls, found a null',
    ),
}


@pytest.mark.parametrize(("representation", "batch", "row", "message"), UNFIT.values(), ids=UNFIT)
def test_a_row_that_does_not_fit_is_reported_with_its_location(representation, batch, row, message):
    adapter = af.TensorAdapter(batch.schema, {"t": representation})
    with pytest.raises(af.ConversionError) as caught:
        adapter.convert(batch)
    error = caught.value
    assert str(error) == message
    assert (error.tensor, error.field, error.record) == ("t", "x", row)
    assert (error.path, error.block, error.offset, error.limit) == (None, None, None, None)
    # The adapter still works.
    assert len(adapter.convert(batch.slice(0, 1))) == 1


WRONG = {
    "schema": (
        lambda adapter: af.TensorAdapter({"x": 1}, {}),
        TypeError,
        "schema: expected an object with __arrow_c_schema__, found dict {'x': 1}",
    ),
    "type_for_a_schema": (
        lambda adapter: af.TensorAdapter(pa.int64(), {}),
        TypeError,
        "schema: expected the schema of a record batch, found DataType DataType(int64)",
    ),
    "representations": (
        lambda adapter: af.TensorAdapter(BATCH.schema, [("x", 1)]),
        TypeError,
        "representations: expected a dict of names to representations, found list [('x', 1)]",
    ),
    "name": (
        lambda adapter: af.TensorAdapter(BATCH.schema, {3: Dense("text")}),
        TypeError,
        "representations: expected names of tensors (str), found int 3",
    ),
    "representation": (
        lambda adapter: adapt("text"),
        TypeError,
        'representations["x"]: expected a Representation, a TensorRepresentation message or its bytes,'
        " found str 'text'",
    ),
    "inner_nulls": (
        lambda adapter: adapt(Dense("text"), inner_nulls="drop"),
        ValueError,
        'inner_nulls: expected "error" or "fill", found str \'drop\'',
    ),
    "duplicates": (
        lambda adapter: adapt(Dense("text"), duplicates=True),
        TypeError,
        'duplicates: expected "keep" or "error", found bool True',
    ),
    "batch": (
        lambda adapter: adapter.convert({"x": [1]}),
        TypeError,
        "batch: expected an object with __arrow_c_array__, or with an __arrow_c_stream__ of one batch,"
        " found dict {'x': [1]}",
    ),
    "names": (
        lambda adapter: adapter.convert(BATCH, "d"),
        TypeError,
        "names: expected a list or tuple of names of tensors (str), found str 'd'",
    ),
    "unknown_name": (
        lambda adapter: adapter.convert(BATCH, ["e"]),
        af.ConversionError,
        'expected the name of a tensor, one of ["d", "v", "s", "r", "vr", "t", "b", "u"], found "e"',
    ),
    "other_schema": (
        lambda adapter: adapter.convert(BATCH.select(["varlen", "dense"]), ["d"]),
        af.ConversionError,
        'tensor "d", column "dense": expected FixedSizeList(2 x Float32) in column 0,'
        ' found the column "varlen"',
    ),
}


@pytest.mark.parametrize(("call", "kind", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_of_an_adapter_say_what_was_expected(adapter, call, kind, message):
    with pytest.raises(kind) as caught:
        call(adapter)
    assert (type(caught.value), str(caught.value)) == (kind, message)
