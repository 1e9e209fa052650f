"""Tensors are converted back to record batches."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Sparse, VarLenSparse

BATCH = pa.record_batch(
    {
        "dense": pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2)),
        "varlen": pa.array([[1, 2, 3], None], pa.list_(pa.int64())),
        "index": pa.array([[0, 4], [9]], pa.list_(pa.int64())),
        "deep": pa.array([[["a"], []], [["b", "c"]]], pa.list_(pa.list_(pa.string()))),
    }
)
REPRESENTATIONS = {
    "v": VarLenSparse("varlen"),
    "d": Dense("dense", [2]),
    "s": Sparse(["index"], "index", [10]),
    "r": Ragged("deep"),
}


def same(one, other):
    if isinstance(one, af.SparseTensor):
        parts = zip(one.parts(), other.parts(), strict=True)
        return all(same(*part) for part in parts) and one.dense_shape == other.dense_shape
    if isinstance(one, af.RaggedTensor):
        return one.to_list() == other.to_list()
    return np.array_equal(one.values, other.values)


def test_the_batch_makes_the_same_tensors_again():
    adapter = af.TensorAdapter(BATCH.schema, REPRESENTATIONS)
    tensors = adapter.convert(BATCH)
    converter = af.TensorsToRecordBatch(adapter.specs, generic_sparse=["s"])
    batch = converter.convert(tensors)
    assert isinstance(batch, af.RecordBatch)
    assert batch.schema == converter.schema
    assert batch.schema.names == ["d", "r", "s$values", "s$index0", "v"]
    again = af.TensorAdapter(converter.schema, converter.representations)
    for name, tensor in again.convert(batch).items():
        assert same(tensor, tensors[name]), name
    assert repr(converter) == "<arrowfeed.TensorsToRecordBatch of 4 tensors to 5 columns>"


def test_columns_of_sparse_tensors_are_named_as_asked():
    specs = {"s": af.TensorSpec("sparse", "int64", [None, 10, None])}
    converter = af.TensorsToRecordBatch(
        specs, sparse_value_column="{tensor_name}.v", sparse_index_column="{tensor_name}.{index}"
    )
    assert converter.schema.names == ["s.v", "s.0", "s.1"]
    assert converter.representations == {"s": Sparse(["s.0", "s.1"], "s.v", [10, -1])}


def test_results_of_a_model_can_be_written_back(tmp_path):
    results = {
        "scores": af.DenseTensor(np.array([[0.5, 1], [2, 3]], np.float32)),
        "names": af.DenseTensor([[b"a"], ["é"]]),
        "best": af.RaggedTensor([1, 2, 3], [[0, 1, 3]]),
        "votes": af.SparseTensor([[0, 0], [1, 0]], [7, 8], [2, 1]),
    }
    specs = {
        "scores": af.TensorSpec("dense", "float32", [None, 2]),
        "names": af.TensorSpec("dense", object, [None, 1]),
        "best": af.TensorSpec("ragged", "int64", [None, None], ragged_rank=1),
        "votes": af.TensorSpec("sparse", "int64", [None, None]),
    }
    batch = af.TensorsToRecordBatch(specs).convert(results)
    path = tmp_path / "results.avro"
    assert af.write_avro(batch, path) == 2
    assert pa.table(af.read_avro(path)).to_pylist() == [
        {"best": [1], "names": [b"a"], "scores": [0.5, 1.0], "votes": [7]},
        {"best": [2, 3], "names": ["é".encode()], "scores": [2.0, 3.0], "votes": [8]},
    ]


NUMBERS = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "bool",
)


@pytest.mark.parametrize("kind", NUMBERS)
def test_dense_tensors_are_made_of_every_type_of_numbers(kind):
    given = (np.arange(12).reshape(3, 4) % 2).astype(kind)
    for array in (given, given[::2, ::-1], given.T, given[:0], given.astype(given.dtype.newbyteorder(">"))):
        tensor = af.DenseTensor(array)
        assert (tensor.dtype, tensor.shape) == (given.dtype, array.shape)
        np.testing.assert_array_equal(tensor.values, array)
        assert not np.shares_memory(tensor.values, array)


def test_dense_tensors_are_made_of_byte_strings():
    for given in (["a", b"bc", ""], np.array([b"a", b"bc", b""]), np.array(["a", "bc", ""]), ("a", "bc", "")):
        assert af.DenseTensor(given).values.tolist() == [b"a", b"bc", b""]
    assert af.DenseTensor(np.array(["é"])).values.tolist() == ["é".encode()]


def test_row_splits_keep_their_width():
    flat, splits = np.arange(6.0).reshape(3, 2), np.array([0, 1, 3], np.int32)
    tensor = af.RaggedTensor(flat, (np.array([0, 2], np.int64), splits))
    assert [level.dtype for level in tensor.row_splits] == [np.int64, np.int32]
    assert tensor.to_list() == [[[[0, 1]], [[2, 3], [4, 5]]]]


def test_tensors_pickle():
    tensors = af.TensorAdapter(BATCH.schema, REPRESENTATIONS).convert(BATCH)
    for tensor in tensors.values():
        again = pickle.loads(pickle.dumps(tensor))
        assert type(again) is type(tensor)
        assert same(again, tensor)


WRONG = {
    "specs": (
        lambda: af.TensorsToRecordBatch({"x": "dense"}),
        TypeError,
        "specs: expected a dict of names to TensorSpec, found str 'dense'",
    ),
    "template": (
        lambda: af.TensorsToRecordBatch({}, sparse_value_column=3),
        TypeError,
        "sparse_value_column: expected a template (str), found int 3",
    ),
    "generic_sparse": (
        lambda: af.TensorsToRecordBatch({}, generic_sparse="s"),
        TypeError,
        "generic_sparse: expected a list or tuple of names of tensors (str), found str 's'",
    ),
    "tensors": (
        lambda: af.TensorsToRecordBatch({}).convert([1]),
        TypeError,
        "tensors: expected a dict of names to tensors of arrowfeed, found list [1]",
    ),
    "number": (
        lambda: af.TensorsToRecordBatch({"x": af.TensorSpec("dense", "int8", [None])}).convert({}),
        af.ConversionError,
        "expected 1 tensor, found 0",
    ),
    "kind": (
        lambda: af.TensorSpec("nested", "int8", [None]),
        ValueError,
        'kind: expected "dense", "sparse", "ragged" or "structured", found str \'nested\'',
    ),
    "dtype": (
        lambda: af.TensorSpec("dense", "complex64", [None]),
        ValueError,
        "dtype: expected a type of numbers, bool, or object for byte strings, found str 'complex64'",
    ),
    "shape": (
        lambda: af.TensorSpec("dense", "int8", []),
        ValueError,
        "shape: expected a list or tuple of sizes (int, or None if unknown), the batch first, found list []",
    ),
    "values": (
        lambda: af.DenseTensor([1j]),
        ValueError,
        "dtype: expected a type of numbers, bool, or object for byte strings, found Complex128DType"
        " dtype('complex128')",
    ),
    "objects": (
        lambda: af.DenseTensor([{}]),
        TypeError,
        "values: expected numbers, bools, bytes or str, found dict {}",
    ),
    "indices": (
        lambda: af.SparseTensor([[0, 1]], [7, 8], [2, 2]),
        ValueError,
        "indices: expected the shape [2, 2], found [1, 2]",
    ),
    "sparse_values": (
        lambda: af.SparseTensor([[0, 1]], [[7]], [2, 2]),
        ValueError,
        "values: expected one dimension, found the shape [1, 1]",
    ),
    "bounds": (
        lambda: af.SparseTensor([[0, 2]], [7], [2, 2]),
        af.ConversionError,
        "expected indices inside of the shape [2, 2], found [0, 2]",
    ),
    "dense_shape": (
        lambda: af.SparseTensor([[0, 0]], [7], 2),
        TypeError,
        "dense_shape: expected a list or tuple of sizes (int), found int 2",
    ),
    "splits": (
        lambda: af.RaggedTensor([1, 2], [[0, 3]]),
        af.ConversionError,
        "expected row splits of level 0 up to 2, found 3",
    ),
    "decreasing_splits": (
        lambda: af.RaggedTensor([1, 2], [[0, 2, 1, 2]]),
        af.ConversionError,
        "expected row splits that never decrease, found 1 after 2",
    ),
    "row_splits": (
        lambda: af.RaggedTensor([1, 2], np.array([0, 2])),
        TypeError,
        "row_splits: expected a list or tuple of arrays of integers, found ndarray array([0, 2])",
    ),
    "ragged_rank": (
        lambda: af.TensorSpec("ragged", "int8", [None, None]),
        ValueError,
        "ragged_rank: expected at least 1, and less than the number of sizes in the shape, found int 0",
    ),
}


@pytest.mark.parametrize(("call", "kind", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_of_tensors_say_what_was_expected(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (kind, message)
