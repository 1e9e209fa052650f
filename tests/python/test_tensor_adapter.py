"""`TensorAdapter` converts batches of any library to tensors by name, and its errors have a location."""

import pickle
import threading

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Sparse, VarLenRagged, VarLenSparse
from tensor_batch import BATCH, REPRESENTATIONS


@pytest.fixture
def adapter():
    return af.TensorAdapter(BATCH.schema, REPRESENTATIONS)


def plain(tensor):
    """A tensor as lists, to compare."""
    match tensor:
        case af.DenseTensor():
            return tensor.values.tolist()
        case af.SparseTensor():
            return tensor.indices.tolist(), tensor.values.tolist(), tensor.dense_shape
        case af.RaggedTensor():
            return tensor.to_list()
        case af.StructuredTensor():
            splits = [level.tolist() for level in tensor.row_splits]
            return splits, {name: plain(field) for name, field in tensor.fields.items()}
    raise TypeError(tensor)


EXPECTED = {
    "d": [[1, 2], [3, 4], [5, 6], [7, 8]],
    "v": ([[0, 0], [0, 1], [0, 2], [3, 0]], [1, 2, 3, 4], (4, 3)),
    "s": ([[0, 0], [0, 4], [2, 9]], [1.5, 0.5, 2.5], (4, 10)),
    "r": [[[1], [2, 3]], [], [[]], [[4, 5, 6]]],
    "vr": [[1, 2, 3], [], [], [4]],
    "t": [b"a", b"", "cé".encode(), b"d" * 20],
    "b": [True, False, True, True],
    "u": (
        [],
        {"user": ([], {"age": [0, 1, 2, 3], "tags": [[], [b"x"], [b"x"] * 2, [b"x"] * 3]})},
    ),
}


def test_tensors_come_by_name_in_the_order_of_the_representations(adapter):
    tensors = adapter.convert(BATCH)
    assert list(tensors) == list(REPRESENTATIONS)
    assert {name: plain(tensor) for name, tensor in tensors.items()} == EXPECTED


def test_names_choose_tensors_and_their_order(adapter):
    tensors = adapter.convert(BATCH, ["r", "d"])
    assert list(tensors) == ["r", "d"]
    assert list(adapter.convert(BATCH, names=("b",))) == ["b"]
    assert adapter.convert(BATCH, []) == {}


SOURCES = {
    "record_batch": lambda batch: batch,
    "table": pa.table,
    "reader": lambda batch: pa.RecordBatchReader.from_batches(batch.schema, [batch]),
    "struct_array": lambda batch: batch.to_struct_array(),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_batches_of_other_libraries_serve(adapter, source):
    tensors = adapter.convert(source(BATCH))
    assert {name: plain(tensor) for name, tensor in tensors.items()} == EXPECTED


def test_data_frames_of_polars_serve():
    frame = pl.DataFrame({"x": [[1, 2], None, [3]], "t": ["a", "b", "c"]})
    representations = {"x": VarLenRagged("x"), "t": Dense("t")}
    adapter = af.TensorAdapter(pa.table(frame).schema, representations)
    tensors = adapter.convert(frame)
    assert tensors["x"].to_list() == [[1, 2], [], [3]]
    assert tensors["t"].values.tolist() == [b"a", b"b", b"c"]


def test_batches_of_arrowfeed_serve(users_file):
    reader = af.read_avro(users_file, batch_size=10)
    representations = {
        "id": Dense("id"),
        "scores": VarLenRagged("scores"),
        "city": Dense("home.city"),
    }
    adapter = af.TensorAdapter(reader.schema, representations)
    tensors = [adapter.convert(batch) for batch in reader]
    assert np.concatenate([each["id"].values for each in tensors]).tolist() == list(range(100))
    assert tensors[0]["scores"].to_list()[:3] == [[], [0.25], [0.5, 0.75]]
    assert tensors[9]["city"].values[0] == b"city 0"


def test_a_stream_without_batches_has_no_rows(adapter):
    reader = pa.RecordBatchReader.from_batches(BATCH.schema, [])
    tensors = adapter.convert(reader)
    assert tensors["d"].shape == (0, 2)
    assert tensors["v"].dense_shape == (0, 0)
    assert tensors["r"].to_list() == []


def test_a_stream_of_two_batches_is_refused(adapter):
    with pytest.raises(ValueError, match="^batch: ") as caught:
        adapter.convert(pa.Table.from_batches([BATCH, BATCH]))
    assert type(caught.value) is ValueError
    message = "batch: expected a stream of one batch, found more: convert them one by one"
    assert str(caught.value) == message


@pytest.mark.parametrize("start", range(5))
@pytest.mark.parametrize("length", range(5))
def test_a_slice_converts_as_a_batch_of_its_own(adapter, start, length):
    part = BATCH.slice(start, length)
    alone = pa.RecordBatch.from_pylist(part.to_pylist(), BATCH.schema)
    for name, tensor in adapter.convert(part).items():
        assert plain(tensor) == plain(adapter.convert(alone)[name]), name


def test_messages_and_bytes_are_representations():
    class Message:
        def SerializeToString(self):  # noqa: N802 - the name that protocol buffers have
            return VarLenSparse("varlen").to_proto()

    given = {
        "a": Message(),
        "b": Dense("dense", [2]).to_proto(),
        "c": bytearray(Ragged("deep").to_proto()),
    }
    adapter = af.TensorAdapter(BATCH.schema, given)
    assert [spec.kind for spec in adapter.specs.values()] == ["sparse", "dense", "ragged"]


def test_specs_are_known_before_any_batch(adapter):
    specs = adapter.specs
    assert list(specs) == list(REPRESENTATIONS)
    found = {name: (spec.kind, spec.dtype, spec.shape, spec.ragged_rank) for name, spec in specs.items()}
    assert found == {
        "d": ("dense", np.float32, (None, 2), 0),
        "v": ("sparse", np.int64, (None, None), 0),
        "s": ("sparse", np.float64, (None, 10), 0),
        "r": ("ragged", np.int16, (None, None, None), 2),
        "vr": ("ragged", np.int64, (None, None), 1),
        "t": ("dense", np.dtype(object), (None,), 0),
        "b": ("dense", np.bool_, (None,), 0),
        "u": ("structured", None, (None,), 0),
    }
    assert isinstance(specs["d"].dtype, np.dtype)
    assert [specs[name].row_splits_dtype for name in ("d", "r", "vr")] == [None, "int64", "int32"]
    assert list(specs["u"].fields["user"].fields) == ["age", "tags"]
    assert specs["d"].fields == {}
    assert specs["d"] == af.TensorSpec("dense", "float32", [None, 2])
    assert hash(specs["d"]) == hash(af.TensorSpec("dense", np.float32, (None, 2)))
    assert specs["d"] != specs["b"]
    assert repr(specs["vr"]) == "<arrowfeed.TensorSpec ragged int64 [?, ?] (row splits int32)>"


def test_tensors_match_their_specs(adapter):
    tensors = adapter.convert(BATCH)
    for name, spec in adapter.specs.items():
        if spec.kind != "structured":
            assert tensors[name].dtype == spec.dtype


def test_explain_reports_the_shared_parts_of_each_tensor(adapter):
    lines = adapter.explain().split("\n")
    assert lines[:6] == [
        "d: dense float32 [?, 2]",
        "  values: shared",
        "v: sparse int64 [?, ?]",
        "  values: shared; copied where a null list has stored values",
        "  indices: computed, from the lengths of the lists",
        "s: sparse float64 [?, 10]",
    ]


def test_texts_are_short(adapter):
    tensors = adapter.convert(BATCH)
    assert [repr(tensor) for tensor in tensors.values()] == [
        "<arrowfeed.DenseTensor float32 [4, 2]>",
        "<arrowfeed.SparseTensor int64 [4, 3], 4 stored>",
        "<arrowfeed.SparseTensor float64 [4, 10], 3 stored>",
        "<arrowfeed.RaggedTensor int16 [4, ?, ?], 6 values>",
        "<arrowfeed.RaggedTensor int64 [4, ?], 4 values>",
        "<arrowfeed.DenseTensor bytes [4]>",
        "<arrowfeed.DenseTensor bool [4]>",
        "<arrowfeed.StructuredTensor of 4 rows, fields user>",
    ]
    assert repr(adapter).startswith("<arrowfeed.TensorAdapter of 8 tensors>\n  d: dense float32 [?, 2]\n")
    assert adapter.schema.names == BATCH.schema.names


def test_threads_share_an_adapter(adapter):
    found = []

    def work():
        for _ in range(50):
            tensors = adapter.convert(BATCH)
            found.append({name: plain(tensor) for name, tensor in tensors.items()} == EXPECTED)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 200


def column(values, kind):
    return pa.record_batch({"x": pa.array(values, kind)})


def test_options_decide_of_inner_nulls_and_duplicates():
    batch = column([[1, None]], pa.list_(pa.int64()))
    filled = af.TensorAdapter(batch.schema, {"x": Dense("x", [2], default=7)}, inner_nulls="fill")
    assert filled.convert(batch)["x"].values.tolist() == [[1, 7]]
    batch = pa.record_batch({"i": pa.array([[3, 3]]), "v": pa.array([[1, 2]])})
    sparse = Sparse(["i"], "v", [4])
    kept = af.TensorAdapter(batch.schema, {"x": sparse}).convert(batch)["x"]
    assert (kept.indices.tolist(), kept.values.tolist()) == ([[0, 3], [0, 3]], [1, 2])
    strict = af.TensorAdapter(batch.schema, {"x": sparse}, duplicates="error")
    with pytest.raises(af.ConversionError) as caught:
        strict.convert(batch)
    message = 'tensor "x", column "v", row 0: expected each index once, found [3] twice'
    assert str(caught.value) == message


def test_an_error_of_a_batch_is_raised(adapter):
    class Broken:
        def __arrow_c_array__(self, requested_schema=None):
            raise RuntimeError("no such batch")

    with pytest.raises(RuntimeError, match="^no such batch$"):
        adapter.convert(Broken())


def test_an_array_that_is_no_batch_is_refused(adapter):
    for array, found in (
        (pa.array([1, 2]), "Int64"),
        (pa.array([{"x": 1}, None]), "structs, 1 of them null"),
    ):
        with pytest.raises(ValueError, match="^batch: ") as caught:
            adapter.convert(array)
        assert str(caught.value) == f"batch: expected an array of structs without nulls, found {found}"


NESTED = pa.array(
    [{"b": {"c": [i] * i, "d": [{"e": i}, {"e": -i}]}} for i in range(6)],
    pa.struct(
        {"b": pa.struct({"c": pa.large_list(pa.int64()), "d": pa.list_(pa.struct({"e": pa.int64()}), 2)})}
    ),
)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize(("start", "rows"), [(0, 6), (0, 2), (2, 3), (4, 2), (6, 0)])
def test_slices_of_structs_in_structs_and_fixed_size_lists_are_accepted(start, rows, nulls):
    column = pa.StructArray.from_arrays(
        NESTED.flatten(), ["b"], mask=pa.array([nulls and i % 2 == 1 for i in range(6)])
    )
    batch = pa.record_batch({"a": column}).slice(start, rows)
    representations = {"c": Ragged(["a", "b", "c"]), "e": VarLenSparse("a.b.d.e")}
    tensors = af.TensorAdapter(batch.schema, representations).convert(batch)
    there = [0 if nulls and i % 2 == 1 else i for i in range(start, start + rows)]
    assert tensors["c"].to_list() == [[i] * i for i in there]
    if not nulls:
        assert tensors["e"].values.tolist() == [e for i in there for e in (i, -i)]


def test_an_adapter_can_be_pickled():
    fields = [
        pa.field("x", pa.list_(pa.field("e", pa.int64(), metadata={"a": "b"})), nullable=False),
        pa.field("d", pa.dictionary(pa.int8(), pa.string())),
        pa.field("s", pa.struct([("t", pa.timestamp("us", "UTC")), ("m", pa.map_(pa.string(), pa.int8()))])),
    ]
    schema = pa.schema(fields, metadata={"k": "v"})
    representations = {"v": VarLenSparse("x"), "d": Dense("d", default="none"), "t": Dense("s.t")}
    adapter = af.TensorAdapter(schema, representations, inner_nulls="fill", duplicates="error")
    again = pickle.loads(pickle.dumps(adapter))
    assert (repr(again), again.specs, again.explain()) == (repr(adapter), adapter.specs, adapter.explain())
    assert again.schema == adapter.schema
    assert pa.schema(again.schema).equals(schema, check_metadata=True)
    rows = [{"x": [1, None], "d": None, "s": {"t": 5, "m": []}}]
    batch = pa.RecordBatch.from_pylist(rows, schema)
    assert again.convert(batch)["v"].values.tolist() == [1, 0]
    assert adapter.convert(batch)["d"].values.tolist() == [b"none"]


def test_bytes_that_are_not_a_pickled_schema_are_an_error():
    adapter = af.TensorAdapter(pa.schema({"x": pa.int8()}), {})
    restore, (fields,) = adapter.schema.__reduce__()
    assert [child[:2] for child in fields[4]] == [("c", "x")]
    for wrong in ((), ("+s", "", 0, {}, (), 1), ("?", "", 0, {}, (), None), ("+l", "", 0, {}, (), None)):
        with pytest.raises((af.ArrowfeedError, TypeError, ValueError)):
            restore(wrong)
