"""`array_util` and `table_util` give what tfx_bsl gives for random arrays: results, exceptions and texts."""

import os
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from random_arrays import BYTES, NUMBERS, random_array, random_struct, random_type
from tfx_bsl.arrow import array_util as their_arrays
from tfx_bsl.arrow import path as their_path
from tfx_bsl.arrow import table_util as their_tables

from arrowfeed.tfxio import array_util, table_util

CASES = int(os.environ.get("ARROWFEED_CASES", "200"))
THEIRS = {array_util: their_arrays, table_util: their_tables}


def outcome(function, args: tuple) -> object:
    try:
        return function(*args)
    except Exception as error:  # noqa: BLE001 -- the types are compared
        return error


def compare(module, name: str, *args: object) -> object:
    """Calls both functions. Returns the result, or the exception."""
    ours = outcome(getattr(module, name), args)
    check_outcome(ours, outcome(getattr(THEIRS[module], name), args))
    return ours


def check_outcome(ours: object, theirs: object) -> None:
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), (ours, theirs)
        assert str(ours) == str(theirs)
    else:
        assert not isinstance(ours, Exception), repr(ours)
        check_equal(ours, theirs)


def check_equal(ours: object, theirs: object) -> None:
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            check_equal(one, other)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        assert ours.tolist() == theirs.tolist()
    elif isinstance(theirs, pa.Array | pa.RecordBatch):
        ours.validate(full=True)
        assert (ours.schema if isinstance(ours, pa.RecordBatch) else ours.type) == (
            theirs.schema if isinstance(theirs, pa.RecordBatch) else theirs.type
        )
        assert ours.equals(theirs), (ours, theirs)
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


UNARY = [
    *("CooFromListArray", "CountInvalidUTF8", "GetArrayNullBitmapAsByteArray", "GetBinaryArrayTotalByteSize"),
    *("GetByteSize", "GetElementLengths", "GetFlattenedArrayParentIndices", "ListLengthsFromListArray"),
    "ToSingletonListArray",
]


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_array(name):
    rng = Random(name)
    for _ in range(CASES):
        kind = random_type(rng, structs=True, others=True)
        compare(array_util, name, random_array(rng, kind, rng.choice([0, 1, 7, 8, 9, 30])))


def test_functions_of_types():
    rng = Random(1)
    for _ in range(CASES):
        kind = random_type(rng, structs=True, others=True)
        assert array_util.is_list_like(kind) == their_arrays.is_list_like(kind)
        assert array_util.get_innermost_nested_type(kind) == their_arrays.get_innermost_nested_type(kind)
    for kind in "biufcmMOSUV?":
        assert table_util.NumpyKindToArrowType(kind) == their_tables.NumpyKindToArrowType(kind)


def test_flatten_nested():
    rng = Random(2)
    for _ in range(CASES):
        array = random_array(rng, random_type(rng, structs=True), rng.randint(0, 20), hidden=False)
        for indices in (False, True):
            compare(array_util, "flatten_nested", array, indices)


def test_flatten_nested_gives_one_row_for_each_value_if_null_lists_have_stored_values():
    """tfx_bsl also gives rows of the stored values, so its rows do not fit its values."""
    rng = Random(3)
    for _ in range(CASES):
        array = random_array(rng, pa.large_list(random_type(rng)), rng.randint(0, 20))
        flat, rows = array_util.flatten_nested(array, return_parent_indices=True)
        assert len(flat) == len(rows)
        expected = [row for row, one in enumerate(array.to_pylist()) for _ in leaves(one, array.type)]
        assert rows.tolist() == expected


def leaves(value: object, kind: pa.DataType) -> list:
    if not array_util.is_list_like(kind):
        return [value]
    return [leaf for one in value or [] for leaf in leaves(one, kind.value_type)]


def test_index_in():
    rng = Random(4)
    single = [[kind] for kind in [*NUMBERS, pa.bool_(), pa.timestamp("s"), pa.date32(), pa.binary(2)]]
    for _ in range(CASES * 2):
        family = rng.choice([*single, *[BYTES] * 10, NUMBERS])
        kinds = rng.choice(family), rng.choice(family)
        values, value_set = (random_array(rng, kind, rng.randint(0, 12)) for kind in kinds)
        compare(array_util, "IndexIn", values, value_set)


def test_index_in_of_nan():
    values = pa.array([float("nan"), 1.0, None, -0.0, 0.0])
    compare(array_util, "IndexIn", values, pa.array([1.0, float("nan"), None, 0.0]))


def test_make_list_array_from_parent_indices_and_values():
    rng = Random(5)
    for _ in range(CASES):
        values = random_array(rng, random_type(rng, structs=True), rng.randint(0, 20))
        parents = rng.randint(0, 12)
        number = len(values) + rng.choice([0, 0, 0, 0, 1])
        indices = sorted(rng.randint(0, max(parents - rng.choice([0, 1, 1]), 0)) for _ in range(number))
        extra = rng.randint(0, 2)
        array = pa.array([0] * extra + indices, rng.choice([pa.int64()] * 5 + [pa.int32()])).slice(extra)
        null = rng.random() < 0.5
        made = compare(array_util, "MakeListArrayFromParentIndicesAndValues", parents, array, values, null)
        if isinstance(made, pa.Array):
            theirs = their_arrays.MakeListArrayFromParentIndicesAndValues(parents, array, values, null)
            assert made.null_count == theirs.null_count
            assert (made.buffers()[0] is None) == (theirs.buffers()[0] is None)


@pytest.mark.parametrize("indices", [[2, 0], [-1, 0], [0, None]])
def test_parent_indices_that_are_not_in_order_are_an_error(indices):
    """tfx_bsl leaves the values from there on out of the lists."""
    with pytest.raises(RuntimeError, match="INVALID_ARGUMENT: expected parent indices"):
        array_util.MakeListArrayFromParentIndicesAndValues(3, pa.array(indices), pa.array([1, 2]))


@pytest.mark.parametrize("number", [-1, 1.5, "1", None])
def test_a_number_of_parents_that_is_not_a_number_is_a_type_error(number):
    args = (number, pa.array([0]), pa.array([1]))
    for module in (array_util, their_arrays):
        with pytest.raises(TypeError):
            module.MakeListArrayFromParentIndicesAndValues(*args)


def test_fill_null_lists():
    rng = Random(6)
    for _ in range(CASES):
        kind = random_type(rng, 3, structs=True)
        filler = kind.value_type if array_util.is_list_like(kind) and rng.random() < 0.9 else pa.int64()
        array = random_array(rng, kind, rng.randint(0, 20))
        compare(array_util, "FillNullLists", array, random_array(rng, filler, rng.randint(0, 4)))


def test_get_field():
    rng = Random(7)
    for _ in range(CASES):
        kind = random_struct(rng, 2)
        array = random_array(rng, kind, rng.randint(0, 20))
        for field in kind:
            compare(array_util, "get_field", array, field.name)
        compare(array_util, "get_field", array, "missing")
        assert array_util.get_field(array, -1).equals(array_util.get_field(array, kind[-1].name))


def test_arguments_that_are_not_arrays_raise_the_exception_of_tfx_bsl():
    """The text is another one: tfx_bsl's names a version of pyarrow that is too old."""
    for name in UNARY[:-1]:
        for module in (array_util, their_arrays):
            with pytest.raises(RuntimeError):
                getattr(module, name)(1)
    for module in (array_util, their_arrays):
        with pytest.raises(RuntimeError):
            module.IndexIn([1], pa.array([1]))
        with pytest.raises(RuntimeError):
            module.FillNullLists(pa.array([[1]]), 1)


def test_offsets_that_decrease_are_an_error():
    offsets = pa.py_buffer(np.array([0, 2, 1], np.int32))
    array = pa.Array.from_buffers(pa.list_(pa.int64()), 2, [None, offsets], children=[pa.array([1, 2])])
    with pytest.raises(RuntimeError, match="INTERNAL: Arrow error Invalid : .* at index 1"):
        raise compare(array_util, "GetFlattenedArrayParentIndices", array)


def random_batch(rng: Random, rows: int, *, hidden: bool = True, **options: bool) -> pa.RecordBatch:
    names = rng.sample(["x", "y", "z.w"], rng.randint(1, 3))
    columns = [random_array(rng, random_type(rng, **options), rows, hidden=hidden) for _ in names]
    return pa.RecordBatch.from_arrays(columns, names)


def test_total_byte_size():
    rng = Random(8)
    for _ in range(CASES):
        batch = random_batch(rng, rng.randint(0, 20), structs=True, others=True)
        for ignore in (False, True):
            compare(table_util, "TotalByteSize", batch, ignore)
            compare(table_util, "TotalByteSize", pa.Table.from_batches([batch, batch.slice(1)]), ignore)


def test_record_batch_take():
    rng = Random(9)
    for _ in range(CASES):
        rows = rng.randint(1, 20)
        batch = random_batch(rng, rows, structs=True)
        last = rows - rng.choice([0, 1, 1, 1])
        indices = [rng.choice([None, rng.randint(0, last)]) for _ in range(rng.randint(0, 9))]
        kind = rng.choice([pa.int64(), pa.int32(), pa.uint8()])
        compare(table_util, "RecordBatchTake", batch, pa.array(indices, kind))
    with pytest.raises(RuntimeError, match="UNIMPLEMENTED: Function '?array_take'? has no kernel"):
        table_util.RecordBatchTake(batch, pa.array(["a"]))
    compare(table_util, "RecordBatchTake", batch, pa.array([-1]))


def test_canonicalize_record_batch():
    rng = Random(10)
    for _ in range(CASES):
        batch = random_batch(rng, rng.randint(0, 20), others=True)
        compare(table_util, "CanonicalizeRecordBatch", batch)


def weaker(rng: Random, kind: pa.DataType) -> pa.DataType:
    """A type that can be merged with `kind`, with few exceptions."""
    if rng.random() < 0.15:
        return rng.choice([pa.null(), pa.null(), pa.null(), pa.int8()])
    if pa.types.is_list(kind):
        return pa.list_(weaker(rng, kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(weaker(rng, kind.value_type))
    if pa.types.is_struct(kind):
        fields = rng.sample(list(kind), rng.randint(1, kind.num_fields))
        return pa.struct([(field.name, weaker(rng, field.type)) for field in fields])
    return kind


def test_merge_record_batches():
    """tfx_bsl gets copies: it cannot add fields to slices of structs."""
    rng = Random(11)
    merged = 0
    for _ in range(CASES):
        kinds = {name: random_type(rng, structs=True) for name in "xyz"}
        same = rng.random() < 0.2
        batches = []
        for _ in range(rng.randint(0, 4)):
            rows = rng.choice([0, 1, 9])
            names = ["x", "y"] if same else rng.sample("xyz", rng.randint(0, 3))
            columns = [
                random_array(rng, kinds[name] if same else weaker(rng, kinds[name]), rows) for name in names
            ]
            batches.append(pa.RecordBatch.from_arrays(columns, names))
        ours = outcome(table_util.MergeRecordBatches, (batches,))
        copies = [batch.take(pa.array(range(batch.num_rows), pa.int64())) for batch in batches]
        theirs = outcome(their_tables.MergeRecordBatches, (copies,))
        check_outcome(ours, theirs)
        merged += not isinstance(ours, Exception)
    assert merged > CASES / 4


def paths_of(kind: pa.DataType) -> list[list[str]]:
    inner = array_util.get_innermost_nested_type(kind)
    if not pa.types.is_struct(inner):
        return [[], ["missing"]]
    return [[], ["missing"], *([field.name, *rest] for field in inner for rest in paths_of(field.type))]


def items(value: object, kind: pa.DataType, steps: list[str]) -> list:
    """The values of a path in one row."""
    if not steps:
        return [value]
    field = array_util.get_innermost_nested_type(kind).field(steps[0])
    structs = leaves(value, kind)
    return [item for one in structs for item in items(one and one[field.name], field.type, steps[1:])]


def test_enumerate_arrays_and_get_array():
    rng = Random(12)
    for _ in range(CASES // 4 or 1):
        batch = random_batch(rng, rng.randint(0, 20), structs=True)
        for leaves_only in (False, True):
            for wrap in (False, True):
                args = (batch, leaves_only, wrap)
                ours = list(table_util.enumerate_arrays(*args))
                theirs = list(their_tables.enumerate_arrays(*args))
                assert [path for path, _ in ours] == [path for path, _ in theirs]
                check_equal(tuple(array for _, array in ours), tuple(array for _, array in theirs))
        paths = [[field.name, *rest] for field in batch.schema for rest in paths_of(field.type)]
        for path in [[], ["missing"], *paths]:
            for options in ((False, False), (False, True)):
                compare(table_util, "get_array", batch, their_path.ColumnPath(path), *options)


def test_rows_of_get_array():
    """tfx_bsl's rows are wrong if a null list or a null struct has stored values."""
    rng = Random(13)
    agreed = 0
    for _ in range(CASES):
        batch = random_batch(rng, rng.randint(0, 20), structs=True)
        name = batch.schema.names[0]
        column = batch.column(0)
        steps = rng.choice([path for path in paths_of(column.type) if "missing" not in path])
        args = (batch, their_path.ColumnPath([name, *steps]), True)
        array, rows = table_util.get_array(*args)
        assert len(array) == len(rows)
        values = column.to_pylist()
        assert rows.tolist() == [
            row for row, value in enumerate(values) for _ in items(value, column.type, steps)
        ]
        theirs = outcome(their_tables.get_array, args)
        agreed += not isinstance(theirs, Exception) and theirs[1].tolist() == rows.tolist()
    assert CASES / 2 < agreed < CASES
