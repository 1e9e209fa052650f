"""The coder of record batches sends whole batches, and only the rows of a slice."""

import pickle

import apache_beam as beam
import pyarrow as pa
import pytest

from arrowfeed.beam import RecordBatchCoder
from conftest import BATCH

CODER = RecordBatchCoder()


def test_it_is_the_coder_of_record_batches():
    assert beam.coders.registry.get_coder(pa.RecordBatch) == CODER
    assert CODER.to_type_hint() is pa.RecordBatch
    assert not CODER.is_deterministic()


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("length", range(4))
def test_slices_come_back(start, length):
    batch = BATCH.slice(start, length)
    found = CODER.decode(CODER.encode(batch))
    assert found.equals(batch)
    found.validate(full=True)


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[b"a", None], None, []], pa.large_list(pa.large_binary())),
        pa.array([None, None, None]),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([{"x": [1]}, None, {"x": None}], pa.struct({"x": pa.large_list(pa.int64())})),
        pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()),
            pa.array([0, 0, 1], pa.int32()),
            [pa.array([1, 2]), pa.array(["s"])],
        ),
    ],
    ids=lambda array: str(array.type),
)
def test_types_come_back(array):
    schema = pa.schema([pa.field("x", array.type, metadata={"k": "v"})], metadata={"of": "the schema"})
    batch = pa.record_batch([array], schema)
    for part in (batch, batch.slice(1), batch.slice(1, 1)):
        found = CODER.decode(CODER.encode(part))
        assert found.equals(part)
        assert found.schema.equals(schema, check_metadata=True)


def test_the_coder_counts_rows_without_columns():
    batch = pa.record_batch({"x": [1, 2, 3]}).select([])
    assert CODER.decode(CODER.encode(batch)).num_rows == 3


def test_a_slice_does_not_drag_the_batch():
    batch = pa.record_batch({"x": pa.array(range(100_000)), "y": pa.array([["a"]] * 100_000)})
    encoded = CODER.encode(batch.slice(50_000, 10))
    assert len(encoded) < 2000
    assert len(pickle.dumps(batch.slice(50_000, 10))) > 1_000_000


def test_the_coder_can_be_pickled():
    assert pickle.loads(pickle.dumps(CODER)) == CODER
    assert hash(pickle.loads(pickle.dumps(CODER))) == hash(CODER)
