"""numpy, scipy and Python see tensors as views of Arrow memory, which outlive all other objects."""

import gc
import threading

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Structured, VarLenRagged, VarLenSparse


def convert(representation, **columns):
    """The tensor of columns in one batch."""
    batch = pa.record_batch(columns)
    return af.TensorAdapter(batch.schema, {"x": representation}).convert(batch)["x"]


def address(buffer_or_array):
    if isinstance(buffer_or_array, np.ndarray):
        return buffer_or_array.ctypes.data
    return buffer_or_array.address


NUMBERS = pa.array(np.arange(6, dtype=np.float32))
LISTS = pa.ListArray.from_arrays(pa.array([0, 2, 4, 6], pa.int32()), NUMBERS)
LARGE = pa.LargeListArray.from_arrays(pa.array([0, 1, 1, 6], pa.int64()), NUMBERS)
NESTED = pa.LargeListArray.from_arrays(pa.array([0, 1, 3], pa.int64()), LARGE)
FIXED = pa.FixedSizeListArray.from_arrays(NUMBERS, 2)
STRUCT = pa.StructArray.from_arrays([LISTS], ["a"])

# Representation, column, and whether the row splits are shared as well.
SHARED = {
    "plain": (Dense("x"), NUMBERS, None),
    "fixed_size_list": (Dense("x", [2]), FIXED, None),
    "list_of_one_length": (Dense("x", [2]), LISTS, None),
    "list_with_unused_default": (Dense("x", [2], default=0.0), LISTS, None),
    "varlen_sparse": (VarLenSparse("x"), LISTS, None),
    "varlen_sparse_large": (VarLenSparse("x"), LARGE, None),
    "varlen_ragged": (VarLenRagged("x", row_splits_dtype="int32"), LISTS, True),
    "varlen_ragged_large": (VarLenRagged("x"), LARGE, True),
    "varlen_ragged_wider": (VarLenRagged("x"), LISTS, False),
    "ragged_nested": (Ragged("x"), NESTED, True),
    "ragged_uniform": (Ragged("x", partitions=[2], row_splits_dtype="int32"), LISTS, None),
    "ragged_struct": (Ragged(["x", "a"], row_splits_dtype="int32"), STRUCT, True),
}


@pytest.mark.parametrize(("representation", "column", "splits"), SHARED.values(), ids=SHARED)
def test_numbers_are_at_the_address_of_the_arrow_buffer(representation, column, splits):
    tensor = convert(representation, x=column)
    values = tensor.flat_values if isinstance(tensor, af.RaggedTensor) else tensor.values
    assert address(values) == address(NUMBERS.buffers()[1])
    assert values.ravel().tolist() == list(range(6))
    assert not values.flags.writeable
    if splits is None:
        return
    lists = [column]
    if isinstance(column, pa.StructArray):
        lists = [column.field(0)]
    while isinstance(lists[-1].values, pa.LargeListArray):
        lists.append(lists[-1].values)
    assert len(lists) == len(tensor.row_splits)
    for level, array in zip(tensor.row_splits, lists, strict=True):
        assert (address(level) == address(array.offsets.buffers()[1])) == splits
        assert not level.flags.writeable
        assert level.tolist() == array.offsets.to_pylist()


def test_a_slice_is_at_its_place_in_the_buffer():
    batch = pa.record_batch({"x": NUMBERS}).slice(2, 3)
    tensor = af.TensorAdapter(batch.schema, {"x": Dense("x")}).convert(batch)["x"]
    assert tensor.values.tolist() == [2, 3, 4]
    assert address(tensor.values) == address(NUMBERS.buffers()[1]) + 8


def test_the_arrow_form_is_the_same_memory():
    for tensor in (convert(Dense("x"), x=NUMBERS), convert(VarLenSparse("x"), x=LISTS)):
        assert address(pa.array(tensor.arrow).buffers()[1]) == address(NUMBERS.buffers()[1])
    text = pa.array(["a", "bcd", ""])
    tensor = convert(Dense("x"), x=text)
    again = pa.array(tensor.arrow)
    assert again.equals(text)
    assert [address(buffer) for buffer in again.buffers()[1:]] == [
        address(buffer) for buffer in text.buffers()[1:]
    ]


@pytest.mark.parametrize(
    "kind",
    [
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "bool"),
    ],
)
def test_every_type_of_numbers_is_numpys(kind):
    given = np.array([0, 1, 1, 0, 1], kind)
    tensor = convert(Dense("x"), x=pa.array(given))
    assert tensor.dtype == tensor.values.dtype == np.dtype(kind)
    assert (tensor.shape, len(tensor)) == ((5,), 5)
    np.testing.assert_array_equal(tensor.numpy(), given)
    assert tensor.values is tensor.numpy()


BYTES = [b"a", b"", b"\x00\xff", b"long enough for another layout"]


@pytest.mark.parametrize(
    "kind",
    [
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(3),
        pa.dictionary(pa.int32(), pa.binary()),
    ],
    ids=str,
)
def test_byte_strings_of_every_layout_are_objects_of_bytes(kind):
    given = BYTES if "binary" in str(kind) else [value.decode("latin-1") for value in BYTES]
    given = [b"abc", b"\x00\x01\x02"] if kind == pa.binary(3) else given
    tensor = convert(Dense("x"), x=pa.array(given, kind))
    expected = [value if isinstance(value, bytes) else value.encode() for value in given]
    assert tensor.values.tolist() == expected
    assert (tensor.dtype, tensor.values.dtype) == (np.dtype(object), np.dtype(object))
    assert not tensor.values.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        tensor.values.setflags(write=True)
    assert tensor.values is tensor.values
    part = pa.record_batch({"x": pa.array(given, kind)}).slice(1, 1)
    adapter = af.TensorAdapter(part.schema, {"x": Dense("x")})
    assert adapter.convert(part)["x"].values.tolist() == expected[1:2]


def test_byte_strings_have_the_shape_of_the_tensor():
    tensor = convert(Dense("x", [2, 1]), x=pa.array([["a", "b"], ["c", "d"]], pa.list_(pa.string(), 2)))
    assert tensor.values.tolist() == [[[b"a"], [b"b"]], [[b"c"], [b"d"]]]
    assert convert(Dense("x"), x=pa.array([], pa.string())).values.shape == (0,)


def test_joined_byte_strings_have_a_separator_that_none_has():
    values = [b"a", b"", b"\xff", b"\xfe\xfd"]
    joined, between = convert(Dense("x"), x=pa.array(values)).joined()
    assert between == b"\xfc"
    assert joined.split(between) == values
    assert convert(Dense("x"), x=pa.array([bytes(range(256))])).joined() is None
    assert convert(Dense("x"), x=pa.array([b"a" * 257])).joined() is None
    assert convert(Dense("x"), x=pa.array([1])).joined() is None


def test_array_makes_a_view_or_a_copy_as_asked():
    tensor = convert(Dense("x"), x=NUMBERS)
    for view in (np.asarray(tensor), np.array(tensor, copy=None), np.array(tensor, copy=False)):
        assert address(view) == address(tensor.values)
    assert np.asarray(tensor, dtype=np.float32) is tensor.values
    for copy in (np.array(tensor), np.array(tensor, copy=True), np.asarray(tensor, dtype=np.float64)):
        assert copy.flags.writeable
        assert address(copy) != address(tensor.values)
    assert np.asarray(tensor, dtype="int8").tolist() == list(range(6))


def test_array_refuses_a_copy_that_was_not_to_be():
    for column, options, found in (
        (NUMBERS, {"dtype": np.int8}, "float32"),
        (pa.array([True]), {}, "bool"),
        (pa.array(["a"]), {}, "bytes"),
    ):
        tensor = convert(Dense("x"), x=column)
        with pytest.raises(ValueError, match="^expected values") as caught:
            np.array(tensor, copy=False, **options)
        message = f"expected values that need no copy, found {found}, which must be converted"
        assert str(caught.value) == message


def test_views_outlive_batch_tensor_and_adapter():
    gc.collect()
    before = pa.total_allocated_bytes()
    numbers = pa.concat_arrays([NUMBERS, NUMBERS])
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 12], pa.int32()), numbers)
    tensor = convert(VarLenRagged("x", row_splits_dtype="int32"), x=lists)
    values, (splits,) = tensor.flat_values, tensor.row_splits
    del numbers, lists, tensor
    gc.collect()
    assert pa.total_allocated_bytes() > before
    junk = [pa.array(np.full(12, 99, np.float32)) for _ in range(100)]
    assert (values.tolist(), splits.tolist()) == ([*range(6), *range(6)], [0, 2, 12])
    part = values[3:5]
    del values, splits, junk
    gc.collect()
    assert part.tolist() == [3, 4]
    del part
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_the_columns_of_a_file_outlive_their_reader(users_file):
    reader = af.read_avro(users_file)
    adapter = af.TensorAdapter(reader.schema, {"x": VarLenRagged("scores")})
    values = [adapter.convert(batch)["x"].flat_values for batch in reader]
    expected = [value.copy() for value in values]
    del reader, adapter
    gc.collect()
    for value, copy in zip(values, expected, strict=True):
        np.testing.assert_array_equal(value, copy)


def test_threads_make_one_array():
    tensor = convert(Dense("x"), x=pa.array([str(number) for number in range(10_000)]))
    barrier = threading.Barrier(4)
    found = []

    def work():
        barrier.wait()
        found.append(tensor.values)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each is found[0] for each in found)


def test_aligned_copies_where_the_memory_is_not():
    numbers = pa.array(np.arange(100, dtype=np.int32))
    whole = convert(Dense("x"), x=pa.concat_arrays([numbers, numbers]))
    assert whole.values.ctypes.data % 64 == 0
    assert whole.aligned() is whole
    for start in range(1, 20):
        batch = pa.record_batch({"x": numbers}).slice(start)
        tensor = af.TensorAdapter(batch.schema, {"x": Dense("x")}).convert(batch)["x"]
        aligned = tensor.aligned()
        assert aligned.values.ctypes.data % 64 == 0
        assert aligned.values.tolist() == tensor.values.tolist()
    truth = convert(Dense("x"), x=pa.array([True, False] * 50)).aligned()
    assert truth.values.ctypes.data % 64 == 0
    assert truth.values.tolist() == [True, False] * 50
    with pytest.raises(TypeError, match="^expected numbers or bools to align, found byte strings$"):
        convert(Dense("x"), x=pa.array(["a"])).aligned()


def test_timestamps_are_aligned_as_the_integers_that_they_are():
    stamps = pa.array(np.arange(100), pa.timestamp("us"))
    batch = pa.record_batch({"x": stamps}).slice(3)
    tensor = af.TensorAdapter(batch.schema, {"x": Dense("x")}).convert(batch)["x"]
    assert tensor.dtype == np.int64
    assert tensor.aligned().values.tolist() == list(range(3, 100))


def test_scipy_has_the_same_values():
    tensor = convert(VarLenSparse("x"), x=LARGE)
    matrix = tensor.to_scipy()
    assert matrix.shape == tensor.dense_shape == (3, 5)
    assert matrix.toarray().tolist() == [[0, 0, 0, 0, 0], [0] * 5, [1, 2, 3, 4, 5]]
    assert np.shares_memory(matrix.data, tensor.values)


def test_scipy_refuses_other_ranks_and_strings():
    deep = convert(VarLenSparse("x"), x=NESTED)
    with pytest.raises(ValueError, match="^expected a sparse tensor of rank 2 for scipy, found 3$"):
        deep.to_scipy()
    text = convert(VarLenSparse("x"), x=pa.array([["a"]]))
    with pytest.raises(TypeError, match="^expected numbers or bools for scipy, found byte strings$"):
        text.to_scipy()


def test_lists_of_ragged_tensors_are_those_of_the_column():
    for column in (LISTS, LARGE, NESTED, pa.array([[["a"], []], [], [["b", "c"]]])):
        tensor = convert(VarLenRagged("x"), x=column)
        expected = column.to_pylist()
        if tensor.dtype == object:
            expected = [[[value.encode() for value in inner] for inner in row] for row in expected]
        assert tensor.to_list() == expected
        assert len(tensor) == len(column)
    inner = convert(Ragged("x", partitions=[2]), x=LISTS)
    assert inner.to_list() == [[[0, 1]], [[2, 3]], [[4, 5]]]
    assert (inner.flat_values.shape, inner.ragged_rank) == ((3, 2), 1)


def test_parts_are_the_tensors_memory():
    sparse = convert(VarLenSparse("x"), x=LARGE)
    indices, values = sparse.parts()
    assert (indices.shape, values.shape) == ((6, 2), (6,))
    assert address(indices.values) == address(sparse.indices)
    ragged = convert(VarLenRagged("x"), x=NESTED)
    flat_values, row_splits = ragged.parts()
    assert address(flat_values.values) == address(ragged.flat_values)
    assert [address(level.values) for level in row_splits] == [address(level) for level in ragged.row_splits]


def test_fields_of_structs_in_lists_share_their_row_splits():
    column = pa.array([[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], [], [{"a": 3, "b": "z"}]])
    tensor = convert(Structured(["x"]), x=column)
    inner = tensor.fields["x"]
    assert [level.tolist() for level in inner.row_splits] == [[0, 2, 2, 3]]
    a, b = inner.fields["a"], inner.fields["b"]
    assert (a.to_list(), b.to_list()) == ([[1, 2], [], [3]], [[b"x", b"y"], [], [b"z"]])
    assert address(a.row_splits[0]) == address(b.row_splits[0]) == address(inner.row_splits[0])
    assert len(tensor) == len(inner) == 3
