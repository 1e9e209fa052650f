"""Tensors back to record batches."""

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af

BATCH = pa.record_batch(
    {
        "dense": pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2)),
        "varlen": pa.array([[1, 2, 3], None], pa.list_(pa.int64())),
        "index": pa.array([[0, 4], [9]], pa.list_(pa.int64())),
        "deep": pa.array([[["a"], []], [["b", "c"]]], pa.list_(pa.list_(pa.string()))),
    }
)
REPRESENTATIONS = {
    "v": af.VarLenSparse("varlen"),
    "d": af.Dense("dense", [2]),
    "s": af.Sparse(["index"], "index", [10]),
    "r": af.Ragged("deep"),
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
    assert converter.representations == {"s": af.Sparse(["s.0", "s.1"], "s.v", [10, -1])}


def test_results_can_be_written_back(tmp_path):
    adapter = af.TensorAdapter(BATCH.schema, {"v": REPRESENTATIONS["v"]})
    converter = af.TensorsToRecordBatch(adapter.specs)
    path = tmp_path / "tensors.avro"
    assert af.write_avro(converter.convert(adapter.convert(BATCH)), path) == 2
    assert pa.table(af.read_avro(path)).to_pylist() == [{"v": [1, 2, 3]}, {"v": []}]


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
        lambda: af.TensorSpec("structured", "int8", [None]),
        ValueError,
        'kind: expected "dense", "sparse" or "ragged", found str \'structured\'',
    ),
    "dtype": (
        lambda: af.TensorSpec("dense", "complex64", [None]),
        ValueError,
        "dtype: expected a type of numbers, bool, or object for byte strings, found str 'complex64'",
    ),
    "shape": (
        lambda: af.TensorSpec("dense", "int8", []),
        ValueError,
        "shape: expected a list or tuple of sizes (int, or None where not known), the batch first,"
        " found list []",
    ),
    "ragged_rank": (
        lambda: af.TensorSpec("ragged", "int8", [None, None]),
        ValueError,
        "ragged_rank: expected at least 1, and less than the shape has sizes, found int 0",
    ),
}


@pytest.mark.parametrize(("call", "kind", "message"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_say_what_was_expected(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert (type(caught.value), str(caught.value)) == (kind, message)
