"""Contradictory structs of the C data interface raise an error, and never crash the process."""

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
import foreign_structs
from foreign_structs import COLUMNS, Array, Foreign, Schema, nodes

PREFIX = "expected valid Arrow data, found "


def lines(cases):
    """The output of `foreign_structs.py`. If it crashes, the test fails and names the last case."""
    done = subprocess.run(
        [sys.executable, foreign_structs.__file__, cases],
        capture_output=True,
        text=True,
        cwd=Path(foreign_structs.__file__).parent,
        check=False,
    )
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, printed[-1:], done.stderr)
    return printed


def test_negative_numbers_are_reported():
    told = 0
    for name, place, field, value, how, outcome in lines("numbers"):
        case = (name, place, field, value, how, outcome)
        if outcome is None:
            # Negative numbers of buffers or children are noticed only when values are read.
            assert field in ("n_buffers", "n_children"), case
            continue
        kind, message = outcome
        if kind == "ConversionError" and PREFIX in message:
            assert str(value) in message, case
            told += 1
        else:
            assert how == "write" or kind == "ValueError", case
            assert kind != "InternalError", case
    assert told > 400


def test_schemas_that_are_too_deep_are_reported():
    deep = ["ConversionError", PREFIX + "a schema that is nested more than 128 levels deep"]
    found = dict(lines("schemas"))
    assert found == {
        "dictionary 64": None,
        "list 64": None,
        "struct 64": None,
        "list 20000": deep,
        "struct 5000": deep,
        "loop": deep,
    }


def convert(name, change):
    """Converts the column after a change of its batch."""
    batch = pa.record_batch({name: COLUMNS[name]})
    foreign = Foreign(batch)
    change(foreign)
    return af.TensorAdapter(batch.schema, {"t": foreign_structs.tensor_of(name)}).convert(foreign)


def column(name, place, **fields):
    """Sets fields of a struct of the column."""

    def change(foreign):
        for field, value in fields.items():
            setattr(nodes(foreign.array)[place], field, value)

    return name, change


def buffer(name, place, index):
    """A null pointer in place of a buffer."""

    def change(foreign):
        nodes(foreign.array)[place].buffers[index] = None

    return name, change


def no_child(foreign):
    foreign.array.children[0].contents.children[0] = ctypes.POINTER(Array)()


def extra_dictionary(foreign):
    foreign.array.children[0].contents.dictionary = ctypes.pointer(foreign.array)


ARRAYS = {
    "length": (column("int64", 1, length=-1), 'column "int64": ', "the length -1 of Int64"),
    "offset": (column("int64", 1, offset=-5), 'column "int64": ', "the offset -5 of Int64"),
    "batch_length": (column("int64", 0, length=-1), "", 'the length -1 of Struct("int64": Int64)'),
    "sum": (
        column("int64", 1, offset=2**63 - 1),
        'column "int64": ',
        "the offset 9223372036854775807 before 3 values",
    ),
    "size": (
        column("int64", 1, offset=2**62),
        'column "int64": ',
        "more values of Int64 than memory has bytes",
    ),
    "short": (column("int64", 1, length=2), 'column "int64": ', "2 values of Int64 where 3 are needed"),
    "nulls": (column("int64", 1, null_count=4), 'column "int64": ', "4 nulls in 3 values of Int64"),
    "negative_nulls": (
        column("int64", 1, null_count=-2),
        'column "int64": ',
        "-2 nulls in 3 values of Int64",
    ),
    "bitmap": (buffer("int64", 1, 0), 'column "int64": ', "1 nulls without a bitmap"),
    "released": (column("list", 2, release=None), 'column "list": ', "an array of Int64 that was released"),
    "buffers": (column("string", 1, n_buffers=2), 'column "string": ', "2 buffers of Utf8"),
    "no_buffers": (
        column("string", 1, buffers=None),
        'column "string": ',
        "a null pointer to the buffers of Utf8",
    ),
    "offsets": (buffer("string", 1, 1), 'column "string": ', "a null pointer to buffer 1 of Utf8"),
    "views": (
        buffer("string_view", 1, 3),
        'column "string_view": ',
        "a null pointer to buffer 3 of Utf8View",
    ),
    "children": (
        column("list", 1, n_children=0),
        'column "list": ',
        "0 children of List(Int64), which has 1",
    ),
    "more_children": (
        column("int64", 1, n_children=1),
        'column "int64": ',
        "1 children of Int64, which has 0",
    ),
    "no_children": (
        column("list", 1, children=None),
        'column "list": ',
        "a null pointer to the children of List(Int64)",
    ),
    "child": (("list", no_child), 'column "list": ', "a null pointer to child 0 of List(Int64)"),
    "dictionary": (
        column("dictionary", 1, dictionary=None),
        'column "dictionary": ',
        "an array of Dictionary(Int32, Utf8) without a dictionary",
    ),
    "extra_dictionary": (
        ("int64", extra_dictionary),
        'column "int64": ',
        "an array of Int64 with a dictionary",
    ),
}


@pytest.mark.parametrize(("case", "where", "found"), ARRAYS.values(), ids=ARRAYS)
def test_a_contradictory_array_is_reported(case, where, found):
    with pytest.raises(af.ConversionError) as caught:
        convert(*case)
    assert str(caught.value) == where + PREFIX + found
    assert isinstance(caught.value, ValueError)


HUGE = 2**58


def huge(batch, place, size):
    """The batch with a struct size and a row count beyond any memory."""
    foreign = Foreign(batch)
    foreign.array.length = nodes(foreign.array)[place].length = size
    return foreign


@pytest.mark.parametrize("by", [0, 1])
def test_values_beyond_any_address_are_refused(tmp_path, by):
    """Values that are not aligned would be copied, to 2^61 bytes."""
    memory = pa.allocate_buffer(40, resizable=False)
    values = pa.Array.from_buffers(pa.int64(), 3, [None, memory.slice(by, 24)])
    batch = pa.record_batch({"x": values})
    adapter = af.TensorAdapter(batch.schema, {"t": af.representations.VarLenSparse("x")})
    for use in (adapter.convert, lambda given: af.write_avro(given, tmp_path / "a.avro")):
        foreign = huge(batch, 1, HUGE)
        with pytest.raises(af.ConversionError) as caught:
            use(foreign)
        assert str(caught.value) == f'column "x": {PREFIX}more values of Int64 than memory has bytes'


def test_offsets_beyond_any_address_are_refused(tmp_path):
    foreign = Foreign(pa.record_batch({"x": pa.array(["a", "b", "c"], pa.large_string())}))
    offsets = (ctypes.c_int64 * 4)(0, 1, 2, HUGE)
    nodes(foreign.array)[1].buffers[1] = ctypes.addressof(offsets)
    with pytest.raises(af.ConversionError) as caught:
        af.write_avro(foreign, tmp_path / "a.avro")
    assert str(caught.value) == f'column "x": {PREFIX}more values of LargeUtf8 than memory has bytes'


def test_runs_without_an_end_are_not_written(tmp_path):
    ends = pa.array([HUGE], pa.int64())
    runs = pa.RunEndEncodedArray.from_arrays(ends, pa.array([1]))
    offsets = pa.py_buffer((ctypes.c_int64 * 2)(0, HUGE))
    lists = pa.Array.from_buffers(pa.large_list(runs.type), 1, [None, offsets], children=[runs])
    with pytest.raises(MemoryError, match="bytes of memory to write a column, found too little memory"):
        af.write_avro(pa.record_batch({"x": lists}), tmp_path / "a.avro")


SCHEMAS = {
    "format": ({"format": None}, "a schema without a format"),
    "text": ({"format": b"\xff"}, "a format of a schema that is not UTF-8"),
    "name": ({"name": b"\xff\xfe"}, "a name of a schema that is not UTF-8"),
    "children": ({"n_children": -1}, 'a schema of the format "l" with -1 children'),
    "more_children": ({"n_children": 1}, 'a schema of the format "l" with 1 children'),
    "list": ({"format": b"+l"}, 'a schema of the format "+l" with 0 children'),
    "bytes": ({"format": b"w:-1"}, "values of -1 bytes"),
    "digits": ({"format": b"d:77,2,256"}, "a decimal of 77 digits, where at most 76 fit"),
    "metadata": ({"metadata": b"\xff\xff\xff\xff"}, "metadata of -1 entries"),
    "key": ({"metadata": b"\x01\0\0\0\xfe\xff\xff\xff"}, "metadata of -2 bytes"),
    "released": ({"release": None}, "a schema that was released"),
}


@pytest.mark.parametrize(("fields", "found"), SCHEMAS.values(), ids=SCHEMAS)
def test_a_contradictory_schema_is_reported(fields, found):
    foreign = Foreign(pa.record_batch({"c": pa.array([1, 2])}))
    for field, value in fields.items():
        setattr(foreign.schema.children[0].contents, field, value)
    for use in (af.infer_representations, lambda given: af.write_avro(given, "never.avro")):
        with pytest.raises(af.ConversionError) as caught:
            use(foreign)
        assert str(caught.value).endswith(PREFIX + found)


def test_a_schema_without_its_children_is_reported():
    foreign = Foreign(pa.record_batch({"c": pa.array([1, 2])}))
    foreign.schema.children[0] = ctypes.POINTER(Schema)()
    with pytest.raises(af.ConversionError) as caught:
        af.infer_representations(foreign)
    assert str(caught.value) == PREFIX + "a null pointer to child 0 of a schema"


def test_a_type_that_is_asked_for_is_checked_too(tmp_path):
    wanted = Foreign(pa.record_batch({"c": pa.array([1, 2])}))
    wanted.schema.n_children = -1
    path = tmp_path / "x.avro"
    af.write_avro(pa.table({"x": [1, 2]}), path)
    given = next(iter(af.read_avro(path)))
    with pytest.raises(af.ConversionError) as caught:
        given.__arrow_c_array__(wanted.capsules[0])
    assert str(caught.value) == PREFIX + 'a schema of the format "+s" with -1 children'


def test_a_pickled_schema_has_a_maximum_depth():
    program = """
import arrowfeed._arrowfeed as native
fields = ("l", "x", 2, {}, (), None)
for _ in range(100_000):
    fields = ("+s", "x", 2, {}, (fields,), None)
try:
    native._schema_of_fields(fields)
except ValueError as error:
    print(error, end="", flush=True)
import os; os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    message = "expected fields nested at most 512 levels deep, found more"
    assert (done.returncode, done.stdout) == (0, message), done.stderr


@pytest.mark.parametrize("item", [pa.list_(pa.int32()), pa.string(), pa.large_list(pa.bool_())], ids=str)
@pytest.mark.parametrize("rows", [0, 1])
def test_list_views_that_reach_nothing_do_not_look_at_their_values(item, rows):
    offsets = np.array([0, 1, 1], "i8" if "large" in str(item) else "i4")
    values = [pa.py_buffer(b"x" * 64)] if item == pa.string() else []
    inner = (
        []
        if item == pa.string()
        else [pa.array([7], pa.int32()) if "large" not in str(item) else pa.array([True])]
    )
    child = pa.Array.from_buffers(item, 2, [None, pa.py_buffer(offsets), *values], 0, 0, inner or None)
    zeros = pa.py_buffer(np.zeros(4, "i4"))
    views = pa.Array.from_buffers(
        pa.list_view(item), rows, [pa.py_buffer(b"\0"), zeros, zeros], rows, 0, [child]
    )
    batch = pa.record_batch({"c": views})
    offsets[0] = 2**31 - 1
    adapter = af.TensorAdapter(batch.schema, {"c": af.representations.VarLenSparse("c")})
    assert adapter.convert(batch)["c"].values.tolist() == []


def test_lists_of_lists_are_sliced_to_the_items_of_their_rows():
    inner_offsets = np.array([0, 2, 3, 5, 6], "i4")
    inner = pa.Array.from_buffers(
        pa.list_(pa.int64()), 4, [None, pa.py_buffer(inner_offsets)], children=[pa.array(range(6))]
    )
    for outer in (
        pa.ListArray.from_arrays(pa.array([0, 1, 3, 4], pa.int32()), inner),
        pa.ListViewArray.from_arrays(pa.array([0, 1, 3], pa.int32()), pa.array([1, 2, 1], pa.int32()), inner),
    ):
        batch = pa.record_batch({"x": outer}).slice(1, 1)
        before = inner_offsets[0]
        inner_offsets[0] = 99
        adapter = af.TensorAdapter(batch.schema, {"t": af.representations.VarLenRagged("x")})
        assert adapter.convert(batch)["t"].to_list() == [[[2], [3, 4]]]
        inner_offsets[0] = before
