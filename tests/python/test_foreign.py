"""Arrow data of other libraries is imported with slices at every level, and invalid data is rejected."""

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, VarLenRagged, VarLenSparse
from session_seed import chance

ROWS = 40


class Capsules:
    """An object with the C data interface, which exports once or repeatedly."""

    def __init__(self, array):
        self.capsules = array.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


def columns(length):
    """Arrays with structs in structs, lists and maps, each cut out of longer ones at each level."""
    numbers = pa.array(range(100, 100 + 4 * length))
    texts = pa.array([str(number) if number % 7 else None for number in range(4 * length)])
    inner = pa.StructArray.from_arrays([numbers[2:], texts[2:]], ["n", "t"])
    outer = pa.StructArray.from_arrays([inner[3:], inner[3:].field(0)], ["a", "b"])
    deep = pa.StructArray.from_arrays([outer[1:]], ["d"])
    pairs = pa.FixedSizeListArray.from_arrays(inner[3:][: 2 * length], 2)
    deep_pairs = pa.FixedSizeListArray.from_arrays(deep[1:][: 2 * length], 2)
    offsets = pa.array([0, *(3 * number // 2 for number in range(1, length)), 2 * length], pa.int32())
    lists = pa.ListArray.from_arrays(offsets, deep[5:])
    large = pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), inner[3:][1 : 2 * length + 1])
    keys = pa.array([f"k{number}" for number in range(2 * length)])
    maps = pa.MapArray.from_arrays(offsets, keys, deep[2:][: 2 * length])
    words = pa.DictionaryArray.from_arrays(
        pa.array([n % 3 for n in range(2 * length)]), pa.array(["x", "y", "z"])
    )
    coded = pa.StructArray.from_arrays([words[1:]], ["w"])
    coded = pa.StructArray.from_arrays([coded[1:]], ["c"])
    nulls = pa.array([{"p": {"q": None if n % 3 == 0 else n}} if n % 5 else None for n in range(2 * length)])
    made = {
        "outer": outer,
        "deep": deep,
        "pairs": pairs,
        "deep_pairs": deep_pairs,
        "lists": lists,
        "large": large,
        "maps": maps,
        "coded": coded,
        "nulls": nulls,
    }
    return {name: array[: min(map(len, made.values()))] for name, array in made.items()}


def test_slices_at_every_level_equal_those_of_pyarrow(tmp_path):
    chosen = chance("slices of every nesting")
    arrays = columns(ROWS)
    # Dictionaries are not written.
    del arrays["coded"]
    path = tmp_path / "out.avro"
    tried = 0
    for _ in range(100):
        start = chosen.randrange(ROWS // 2)
        length = chosen.randrange(1, ROWS // 3)
        again = chosen.randrange(length)
        names = chosen.sample(sorted(arrays), 3)
        batch = pa.record_batch({name: arrays[name] for name in names}).slice(start, length).slice(again)
        for given in (batch, pa.Table.from_batches([batch])):
            assert af.write_avro(given, path) == batch.num_rows
            assert pa.table(af.read_avro(path)).to_pylist() == batch.to_pylist()
            tried += batch.num_rows
    assert tried > 200


def test_tensors_of_slices_of_nested_structs_have_the_slices_values():
    arrays = columns(ROWS)
    batch = pa.record_batch(arrays)
    representations = {
        "outer": Dense("outer.a.n"),
        "deep": Dense("deep.d.a.n"),
        "pairs": Dense("pairs.n", [2]),
        "deep_pairs": Dense("deep_pairs.d.a.n", [2]),
        "lists": Ragged("lists.d.b"),
        "large": Ragged("large.n"),
        "coded": Dense("coded.c.w"),
    }
    adapter = af.TensorAdapter(batch.schema, representations)
    tried = 0
    for start in range(0, ROWS - 10, 3):
        for length in (0, 1, 5):
            part = batch.slice(start, length)
            expected = part.to_pylist()
            for given in (part, pa.Table.from_batches([part]), batch.slice(start).slice(0, length)):
                tensors = adapter.convert(given)
                found = {name: tensors[name].values.tolist() for name in ("outer", "deep", "coded")}
                assert found["outer"] == [row["outer"]["a"]["n"] for row in expected]
                assert found["deep"] == [row["deep"]["d"]["a"]["n"] for row in expected]
                assert found["coded"] == [row["coded"]["c"]["w"].encode() for row in expected]
                pairs = [[pair["n"] for pair in row["pairs"]] for row in expected]
                assert tensors["pairs"].values.tolist() == pairs
                deep = [[pair["d"]["a"]["n"] for pair in row["deep_pairs"]] for row in expected]
                assert tensors["deep_pairs"].values.tolist() == deep
                assert tensors["lists"].to_list() == [
                    [it["d"]["b"] for it in row["lists"]] for row in expected
                ]
                assert tensors["large"].to_list() == [[it["n"] for it in row["large"]] for row in expected]
                tried += length
    assert tried > 100


def test_unions_of_structs_are_imported_from_slices():
    structs = pa.array([{"s": {"x": number}} for number in range(8)])
    ids = pa.array([0, 1, 0, 1, 1, 0], pa.int8())
    values = [structs[1:7], pa.array([f"t{number}" for number in range(6)])]
    sparse = pa.UnionArray.from_sparse(ids, values, ["a", "b"])
    dense = pa.UnionArray.from_dense(ids, pa.array([0, 0, 1, 1, 2, 2], pa.int32()), values, ["a", "b"])
    for union in (sparse, dense):
        batch = pa.record_batch({"u": union, "k": pa.array(range(6))}).slice(2, 3)
        adapter = af.TensorAdapter(batch.schema, {"k": Dense("k")})
        assert adapter.convert(batch)["k"].values.tolist() == [2, 3, 4]


def list_of(offsets, values=6):
    """Offsets are changed in memory, because pyarrow checks some when it creates an array."""
    stored = np.zeros(len(offsets), np.int32)
    buffers, children = [None, pa.py_buffer(stored)], [pa.array(range(values))]
    array = pa.Array.from_buffers(pa.list_(pa.int64()), len(offsets) - 1, buffers, children=children)
    return array, lambda: stored.put(range(len(offsets)), offsets)


def nothing():
    """Does nothing, for values that pyarrow does not check."""


def strings(offsets):
    buffers = [None, pa.array(offsets, pa.int32()).buffers()[1], pa.py_buffer(b"abcdef")]
    return pa.Array.from_buffers(pa.utf8(), len(offsets) - 1, buffers), nothing


def view_of(offset, index=0):
    view = (20).to_bytes(4, "little") + b"aaaa" + index.to_bytes(4, "little") + offset.to_bytes(4, "little")
    buffers = [None, pa.py_buffer(view), pa.py_buffer(b"a" * 30)]
    return pa.Array.from_buffers(pa.string_view(), 1, buffers), nothing


def dictionary(index):
    indices = pa.array([0, index], pa.int8())
    return pa.DictionaryArray.from_arrays(indices, pa.array(["x", "y"]), safe=False), nothing


def list_view(start, size):
    starts, sizes = np.zeros(1, np.int32), np.zeros(1, np.int32)
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(sizes)]
    array = pa.Array.from_buffers(pa.list_view(pa.int64()), 1, buffers, children=[pa.array([1, 2, 3])])
    return array, lambda: (starts.put(0, start), sizes.put(0, size))


INVALID = {
    "falling_offsets": (lambda: list_of([0, 4, 2]), "the offset 2 after 4"),
    "negative_offset": (lambda: list_of([-1, 0, 2]), "the offset -1"),
    "offset_beyond": (lambda: list_of([0, 2, 9]), "6 values of Int64 where 9 are needed"),
    "falling_text": (lambda: strings([0, 5, 2, 6]), "the offset 2 after 5"),
    "index": (lambda: dictionary(2), "the dictionary index 2 for 2 values"),
    "negative_index": (lambda: dictionary(-1), "the dictionary index -1 for 2 values"),
    "view": (lambda: view_of(11), "a value up to 31 of 30 bytes"),
    "view_buffer": (lambda: view_of(0, 3), "a value in buffer 3 of 1"),
    "list_view": (lambda: list_view(2, 2), "a list of 2 values from 2 on, of 3 values"),
    "list_view_before": (lambda: list_view(-1, 2), "a list of 2 values from -1 on, of 3 values"),
}


@pytest.mark.parametrize(("make", "found"), INVALID.values(), ids=INVALID)
def test_invalid_data_is_reported_with_its_column(tmp_path, make, found):
    array, spoil = make()
    batch = pa.RecordBatch.from_arrays([array], ["x"])
    nested = pa.RecordBatch.from_arrays([pa.StructArray.from_arrays([array], ["y"])], ["x"])
    spoil()
    for given, column in ((batch, "x"), (nested, "x.y")):
        adapter = af.TensorAdapter(given.schema, {"t": VarLenSparse(column)})
        message = f'column "{column}": expected valid Arrow data, found {found}'
        for convert in (
            lambda given=given, adapter=adapter: adapter.convert(given),
            lambda given=given, adapter=adapter: adapter.convert(pa.Table.from_batches([given])),
            lambda given=given: af.write_avro(given, tmp_path / "out.avro"),
            lambda given=given: af.write_avro(pa.Table.from_batches([given]), tmp_path / "out.avro"),
        ):
            with pytest.raises(af.ConversionError) as caught:
                convert()
            assert str(caught.value) == message
            assert caught.value.field == column
    assert not (tmp_path / "out.avro").exists()


def test_an_array_that_differs_from_its_schema_is_reported():
    one, two = pa.record_batch({"x": [1]}), pa.record_batch({"x": [1], "y": [2]})

    class Mixed:
        def __arrow_c_array__(self, requested_schema=None):
            return two.__arrow_c_array__()[0], one.__arrow_c_array__()[1]

    adapter = af.TensorAdapter(two.schema, {"t": Dense("x")})
    with pytest.raises(af.ConversionError) as caught:
        adapter.convert(Mixed())
    found = '1 children of Struct("x": Int64, "y": Null), which has 2'
    assert str(caught.value) == f"expected valid Arrow data, found {found}"


def test_values_without_a_row_are_not_checked():
    array, spoil = list_of([0, 4, 2, 6])
    batch = pa.RecordBatch.from_arrays([array], ["x"])
    spoil()
    adapter = af.TensorAdapter(batch.schema, {"t": VarLenSparse("x")})
    assert adapter.convert(batch.slice(0, 1))["t"].values.tolist() == [0, 1, 2, 3]
    assert adapter.convert(batch.slice(2, 1))["t"].values.tolist() == [2, 3, 4, 5]
    with pytest.raises(af.ConversionError, match=r"^column \"x\": expected valid Arrow data, "):
        adapter.convert(batch.slice(0, 2))


def test_nulls_may_stand_over_any_index(tmp_path):
    indices = pa.Array.from_buffers(
        pa.int8(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(b"\x00\x63")], null_count=1
    )
    array = pa.DictionaryArray.from_arrays(indices, pa.array(["x"]), safe=False)
    batch = pa.RecordBatch.from_arrays([array], ["x"])
    adapter = af.TensorAdapter(batch.schema, {"t": VarLenSparse("x")})
    assert adapter.convert(batch)["t"].values.tolist() == [b"x"]


def test_empty_lists_may_come_without_offsets():
    empty = pa.ListArray.from_buffers(
        pa.list_(pa.int64()), 0, [None, None], children=[pa.array([], pa.int64())]
    )
    batch = pa.RecordBatch.from_arrays([empty], ["x"])
    adapter = af.TensorAdapter(batch.schema, {"t": VarLenSparse("x")})
    assert adapter.convert(batch)["t"].dense_shape == (0, 0)
    nested = pa.ListArray.from_arrays(pa.array([0, 0, 0], pa.int32()), empty)
    batch = pa.RecordBatch.from_arrays([nested], ["x"])
    adapter = af.TensorAdapter(batch.schema, {"t": VarLenRagged("x")})
    assert adapter.convert(batch)["t"].to_list() == [[], []]


def test_a_capsule_is_used_once(tmp_path):
    batch = pa.record_batch({"x": [1, 2]})
    adapter = af.TensorAdapter(batch.schema, {"t": Dense("x")})
    given = Capsules(batch)
    assert adapter.convert(given)["t"].values.tolist() == [1, 2]
    message = "expected valid Arrow data, found a capsule that was already consumed"
    for again in (lambda: adapter.convert(given), lambda: af.write_avro(given, tmp_path / "out.avro")):
        with pytest.raises(af.ConversionError) as caught:
            again()
        assert str(caught.value) == message

    class Stream:
        capsule = pa.Table.from_batches([batch]).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    assert adapter.convert(Stream())["t"].values.tolist() == [1, 2]
    with pytest.raises(af.ConversionError) as caught:
        adapter.convert(Stream())
    assert str(caught.value) == message


def test_a_stream_that_is_of_no_batches_is_refused(tmp_path):
    chunks = pa.chunked_array([[1, 2]])
    adapter = af.TensorAdapter(pa.schema({"x": pa.int64()}), {"t": Dense("x")})
    for argument, use in (
        ("batch", lambda: adapter.convert(chunks)),
        ("batches", lambda: af.write_avro(chunks, tmp_path / "out.avro")),
    ):
        with pytest.raises(TypeError) as caught:
            use()
        message = f"{argument}: expected a stream of record batches, found arrays of Int64"
        assert str(caught.value) == message


@pytest.mark.parametrize("given", [pa.record_batch({"x": [1]}), pa.table({"x": [1]})], ids=["batch", "table"])
def test_batches_and_tables_serve_as_schemas(given):
    class Holder:
        """An object that is not a schema, but has one."""

        schema = given.schema

    for schema in (given, Holder()):
        assert af.infer_representations(schema) == {"x": Dense("x")}
        adapter = af.TensorAdapter(schema, {"t": Dense("x")})
        assert adapter.convert(given)["t"].values.tolist() == [1]
