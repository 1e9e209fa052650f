"""Batches, streams of one batch, and batches of pyarrow with a known schema are imported alike."""

import ctypes

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, VarLenSparse
from session_seed import chance
from test_foreign import Capsules

NUMBERS = [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.timestamp("us", "UTC"), pa.date32()]
ROWS = 30


def numbers(chosen, length, data_type, nulls):
    values = [None if nulls and chosen.random() < 0.2 else chosen.randrange(100) for _ in range(length)]
    if pa.types.is_floating(data_type):
        return pa.array(np.array([value or 0 for value in values]), pa.float64()).cast(data_type)
    return pa.array(values, pa.int64() if data_type.bit_width == 64 else pa.int32()).cast(data_type)


def lists(chosen, items, kind):
    """Lists whose items begin at any offset. Some lists are null or empty."""
    start = chosen.randrange(3)
    if kind == "fixed":
        return pa.FixedSizeListArray.from_arrays(items[start : start + (len(items) - start) // 2 * 2], 2)
    ends = sorted(chosen.randrange(start, len(items) + 1) for _ in range(ROWS))
    offsets = [start, *(None if chosen.random() < 0.1 else end for end in ends[:-1]), ends[-1]]
    class_, width = (pa.ListArray, pa.int32()) if kind == "list" else (pa.LargeListArray, pa.int64())
    return class_.from_arrays(pa.array(offsets, width), items)


def column(chosen):
    array = numbers(chosen, 4 * ROWS, chosen.choice(NUMBERS), chosen.random() < 0.3)
    depth = chosen.randrange(3)
    for _ in range(depth):
        array = lists(chosen, array, chosen.choice(["list", "large", "fixed"]))
    return array[chosen.randrange(3) :]


def outcome(adapter, batch):
    try:
        tensor = adapter.convert(batch)["t"]
    except af.ConversionError as error:
        return str(error)
    indices, values = tensor.parts()
    return indices.values.tolist(), values.dtype, values.values.tolist(), tensor.dense_shape


def test_batches_are_imported_like_streams_of_one_batch():
    chosen = chance("batches and streams")
    tensors = 0
    for _ in range(300):
        array = column(chosen)
        batch = pa.record_batch({"other": pa.array(["text"] * len(array)), "x": array})
        adapter = af.TensorAdapter(batch.schema, {"t": VarLenSparse("x")})
        start = chosen.randrange(len(batch))
        for given in (batch, batch.slice(start, chosen.randrange(6)), batch.slice(start)):
            found = outcome(adapter, given)
            assert found == outcome(adapter, pa.Table.from_batches([given], batch.schema))
            tensors += not isinstance(found, str)
    assert tensors > 300


def shifted(array, by):
    """The same array over memory that begins at an odd address."""
    moved = []
    for buffer in array.buffers()[: array.type.num_buffers]:
        if buffer is None:
            moved.append(None)
            continue
        copy = np.zeros(buffer.size + 64, np.uint8)
        start = -copy.ctypes.data % 64 + by
        copy[start : start + buffer.size] = np.frombuffer(buffer, np.uint8)
        moved.append(pa.py_buffer(copy[start : start + buffer.size]))
    children = [shifted(array.values, by)] if pa.types.is_nested(array.type) else None
    return pa.Array.from_buffers(array.type, len(array), moved, children=children)


@pytest.mark.parametrize("by", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "data_type", [pa.list_(pa.int64()), pa.large_list(pa.int16()), pa.list_(pa.float64(), 2)]
)
def test_memory_may_begin_anywhere(data_type, by):
    array = pa.array([[1, 2], [3, 4], [5, 6]], data_type)
    batch = pa.record_batch({"x": shifted(array, by), "n": shifted(pa.array([7, 8, 9]), by)})
    adapter = af.TensorAdapter(batch.schema, {"x": Dense("x", [2]), "n": Dense("n")})
    tensors = adapter.convert(batch)
    assert tensors["x"].values.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert tensors["n"].values.tolist() == [7, 8, 9]
    assert tensors["x"].values.flags.aligned


def spoiled(batch, level, field, value):
    """The batch with a changed number in a C struct: that of the batch, the column or the items."""
    given = Capsules(batch)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    struct = get(given.capsules[1], b"arrow_array")
    for _ in range(level):
        children = ctypes.c_void_p.from_address(struct + 48).value
        struct = ctypes.c_void_p.from_address(children).value
    place = ["length", "null_count", "offset", "n_buffers", "n_children", "buffers", "children"].index(field)
    ctypes.c_int64.from_address(struct + 8 * place).value = value
    return given


@pytest.mark.parametrize(
    ("level", "field", "value", "found"),
    [
        (0, "n_children", 0, '0 children of Struct("x": List(Int64)), which has 1'),
        (1, "length", 2, "2 values of List(Int64) where 3 are needed"),
        (1, "n_buffers", 1, "1 buffers of List(Int64)"),
        (2, "length", 5, "5 values of Int64 where 6 are needed"),
        (2, "n_buffers", 1, "1 buffers of Int64"),
    ],
)
def test_structs_that_contradict_each_other_are_reported(level, field, value, found):
    batch = pa.record_batch({"x": [[1, 2], [3, 4], [5, 6]]})
    adapter = af.TensorAdapter(batch.schema, {"t": VarLenSparse("x")})
    with pytest.raises(af.ConversionError) as caught:
        adapter.convert(spoiled(batch, level, field, value))
    column = 'column "x": ' if level else ""
    assert str(caught.value) == f"{column}expected valid Arrow data, found {found}"
    assert adapter.convert(batch)["t"].values.tolist() == [1, 2, 3, 4, 5, 6]


def test_a_batch_of_another_schema_is_reported_after_any_number_of_valid_ones():
    first = pa.record_batch({"x": [[1, 2], [3]], "y": [1, 2]})
    others = {
        'column "x": expected List(Int64) in column 0, found Int64': pa.record_batch({"x": [1], "y": [1]}),
        'column "x": expected List(Int64) in column 0, found the column "z"': first.rename_columns(
            ["z", "y"]
        ),
        'column "x": expected List(Int64) in column 0, found LargeList(Int64)': pa.record_batch(
            {"x": pa.array([[1]], pa.large_list(pa.int64())), "y": [1]}
        ),
    }
    adapter = af.TensorAdapter(first.schema, {"t": VarLenSparse("x")})
    for message, other in others.items():
        assert adapter.convert(first)["t"].values.tolist() == [1, 2, 3]
        with pytest.raises(af.ConversionError) as caught:
            adapter.convert(other)
        assert message in str(caught.value)
    wider = first.append_column("more", pa.array(["a", "b"]))
    for given in (wider, first, wider.select(["x"]), first.replace_schema_metadata({"k": "v"})):
        assert adapter.convert(given)["t"].values.tolist() == [1, 2, 3]


def test_columns_that_no_tensor_needs_are_not_looked_at():
    stored = np.array([0, 1, 2], np.int32)
    broken = pa.Array.from_buffers(
        pa.list_(pa.int64()), 2, [None, pa.py_buffer(stored)], children=[pa.array([1, 2])]
    )
    batch = pa.record_batch({"x": [1, 2], "broken": broken})
    stored[1] = 9
    adapter = af.TensorAdapter(batch.schema, {"t": Dense("x")})
    assert adapter.convert(batch)["t"].values.tolist() == [1, 2]


def test_tensors_outlive_batch_and_adapter():
    adapter = af.TensorAdapter(pa.schema({"x": pa.list_(pa.int64())}), {"t": VarLenSparse("x")})
    batch = pa.record_batch({"x": [[row, row + 1] for row in range(1000)]})
    before = pa.total_allocated_bytes()
    tensor = adapter.convert(batch)["t"]
    values, indices = tensor.values, tensor.indices
    del adapter, batch, tensor
    assert values.tolist() == [n for row in range(1000) for n in (row, row + 1)]
    assert indices[-1].tolist() == [999, 1]
    part = values[5:7]
    del values, indices
    assert part.tolist() == [3, 3]
    assert pa.total_allocated_bytes() >= before > 0
    del part
    assert pa.total_allocated_bytes() < before


def test_an_object_with_the_name_of_pyarrows_batches_is_imported_like_any_object():
    class RecordBatch:
        def __init__(self, batch):
            self.schema = batch.schema
            self.__arrow_c_array__ = batch.__arrow_c_array__

        def _export_to_c(self, address):
            raise AssertionError(address)

    RecordBatch.__module__ = "pyarrow.lib"
    batch = pa.record_batch({"x": [1, 2]})
    adapter = af.TensorAdapter(batch.schema, {"t": Dense("x")})
    for _ in range(2):
        for given in (RecordBatch(batch), batch):
            assert adapter.convert(given)["t"].values.tolist() == [1, 2]
