"""Batches of several files combine enums at any depth, and rows without columns."""

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from conftest import write

ENUM = {"type": "enum", "name": "E", "symbols": ["a", "b", "c", "d"]}
RECORD = {
    "type": "record",
    "name": "N",
    "fields": [{"name": "e", "type": ["null", ENUM]}, {"name": "u", "type": ["int", "E"]}],
}
TYPES = {
    "enum": (ENUM, lambda n: "abcd"[n // 25]),
    "nullable": (["null", ENUM], lambda n: None if n % 3 == 0 else "abcd"[n // 25]),
    "array": ({"type": "array", "items": ENUM}, lambda n: ["abcd"[n // 25]] * (n % 3)),
    "map": ({"type": "map", "values": ENUM}, lambda n: {"k": "abcd"[n // 25]}),
    "record": (["null", RECORD], lambda n: None if n % 4 == 0 else {"e": None, "u": n if n % 2 else "b"}),
}
UNION = ("record", "feature")
ORDERS = {
    "in file order": {"batch_size": 33},
    "shuffled": {"batch_size": 33, "shuffle_buffer_size": 30, "seed": 1},
    "all shuffled": {"batch_size": 100, "shuffle_buffer_size": 100, "seed": 2},
}


def dictionaries(array):
    """The symbols of every enum inside of an array."""
    if pa.types.is_dictionary(array.type):
        return [array.dictionary.to_pylist()]
    if pa.types.is_map(array.type):
        return dictionaries(array.items)
    if pa.types.is_struct(array.type) or pa.types.is_union(array.type):
        fields = range(array.type.num_fields)
        return [symbols for field in fields for symbols in dictionaries(array.field(field))]
    return dictionaries(array.values) if hasattr(array, "values") else []


@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize(
    ("kind", "encoding"),
    # A union is not a feature.
    [(kind, encoding) for kind in TYPES for encoding in ("native", "feature") if (kind, encoding) != UNION],
)
def test_enums_keep_the_dictionary_of_their_symbols(tmp_path, kind, encoding, options):
    written, value = TYPES[kind]
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "id", "type": "long"}, {"name": "x", "type": written}],
    }
    for part in range(2):
        rows = [{"id": n, "x": value(n)} for n in range(50 * part, 50 * part + 50)]
        write(tmp_path / f"{part}.avro", rows, schema, sync_interval=60)
    dataset = af.AvroDataset(tmp_path, columns=["id", "x"], encoding=encoding, representations={})
    batches = [pa.record_batch(batch) for batch in dataset.record_batches(**options)]
    for batch in batches:
        batch.validate(full=True)
        assert batch.schema == pa.schema(dataset.arrow_schema)
        found = dictionaries(batch.column("x"))
        assert len(found) == (2 if kind == "record" else 1)
        assert all(symbols == ["a", "b", "c", "d"] for symbols in found)
    rows = sorted((row for batch in batches for row in batch.to_pylist()), key=lambda row: row["id"])
    assert rows == pa.table(af.read_avro(tmp_path, encoding=encoding)).to_pylist()


@pytest.mark.parametrize("shuffle_buffer_size", [0, 5])
def test_rows_without_columns_are_counted(tmp_path, shuffle_buffer_size):
    path = write(tmp_path / "a.avro", [{}] * 10, {"type": "record", "name": "R", "fields": []})
    dataset = af.AvroDataset(path)
    options = {"batch_size": 4, "shuffle_buffer_size": shuffle_buffer_size}
    assert [batch.num_rows for batch in dataset.record_batches(**options)] == [4, 4, 2]
    assert list(dataset.tensors(**options)) == [{}, {}, {}]


def test_a_null_in_an_inferred_dense_tensor_needs_a_default(tmp_path):
    path = tmp_path / "nulls.avro"
    af.write_avro(pa.table({"x": pa.array([1, None, 3], pa.int64())}), path)
    dataset = af.AvroDataset(path)
    with pytest.raises(af.ConversionError) as error:
        list(dataset.tensors(batch_size=3))
    reason = "expected 1 value, found null: give the tensor a `default`, which fills nulls"
    assert str(error.value) == f'tensor "x", column "x", row 1: {reason}'
    with_default = af.AvroDataset(path, representations={"x": Dense("x", default=-1)})
    [batch] = with_default.tensors(batch_size=3)
    assert batch["x"].values.tolist() == [1, -1, 3]
    [batch] = af.AvroDataset(path, encoding="tfx").tensors(batch_size=3)
    assert batch["x"].values.tolist() == [1, 3]
    assert batch["x"].indices.tolist() == [[0, 0], [2, 0]]
