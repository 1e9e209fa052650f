"""Values without bytes (`fixed` of size 0, lists of the fixed size 0) keep their number everywhere."""

import json

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense
from conftest import write

Z = {"type": "fixed", "name": "Z", "size": 0}
ROWS = 5


def record(**fields):
    return {
        "type": "record",
        "name": "R",
        "fields": [{"name": name, "type": kind} for name, kind in fields.items()],
    }


@pytest.fixture
def plain(tmp_path):
    rows = [{"i": i, "z": b""} for i in range(ROWS)]
    return write(tmp_path / "plain.avro", rows, record(i="long", z=Z))


@pytest.fixture
def lists(tmp_path):
    """Three of five rows have an item."""
    rows = [{"i": i, "z": [b""] * (i % 2 == 0)} for i in range(ROWS)]
    return write(tmp_path / "lists.avro", rows, record(i="long", z={"type": "array", "items": Z}))


def read(path, **options):
    table = pa.table(af.read_avro(path, **options))
    table.validate(full=True)
    return table


def converted(path, feature):
    batch = next(af.read_avro(path))
    return af.TensorAdapter.from_features(batch.schema, {"x": feature}).convert(batch)["x"]


def test_a_sparse_tensor_has_as_many_values_as_indices(lists):
    tensor = converted(lists, features.VarLen(key="z[0]"))
    assert (len(tensor.values), tensor.indices.tolist()) == (3, [[0, 0], [2, 0], [4, 0]])


def test_missing_values_are_filled(lists):
    tensor = converted(lists, features.Dense([], default=b"", key="z[0]"))
    assert (tensor.shape, list(tensor.values)) == ((ROWS,), [b""] * ROWS)


def test_a_shuffle_keeps_rows(plain):
    dataset = af.AvroDataset(plain, columns=["i", "z"], representations={"i": Dense("i"), "z": Dense("z")})
    options = {"batch_size": 2, "shuffle_buffer_size": 3, "seed": 1}
    batches = [pa.record_batch(batch) for batch in dataset.record_batches(**options)]
    assert [batch.num_rows for batch in batches] == [2, 2, 1]
    assert [len(tensors["z"].values) for tensors in dataset.tensors(**options)] == [2, 2, 1]


def test_joined_batches_keep_rows(tmp_path):
    kinds = {"z": Z, "list": {"type": "array", "items": "Z"}, "null": ["null", "Z"]}
    row = {"z": b"", "list": [b"", b""], "null": None}
    path = write(tmp_path / "joined.avro", [row] * 7, record(**kinds), sync_interval=1)
    batches = [
        pa.record_batch(batch)
        for batch in af.AvroDataset(path, representations={}, columns=[*kinds]).record_batches(batch_size=3)
    ]
    assert [batch.to_pylist() for batch in batches] == [[row] * 3, [row] * 3, [row]]


def test_a_default_is_in_each_row(plain):
    new = {"name": "new", "type": Z, "default": ""}
    schema = {"type": "record", "name": "R", "fields": [new]}
    assert read(plain, reader_schema=json.dumps(schema))["new"].to_pylist() == [b""] * ROWS


def test_a_branch_of_a_union_keeps_its_values(tmp_path):
    values = [b"", None, b"", 7, b""]
    path = write(
        tmp_path / "union.avro", [{"u": value} for value in values[:3]], record(u=["null", Z, "long"])
    )
    reader = json.dumps(record(u=["null", Z]))
    assert read(path, reader_schema=reader)["u"].to_pylist() == [b"", None, b""]
    path = write(tmp_path / "dense.avro", [{"u": value or b""} for value in values], record(u=[Z, "long"]))
    assert len(converted(path, features.VarLen(key="u:Z")).values) == 4
    assert list(converted(path, features.Dense([], default=b"", key="u:Z")).values) == [b""] * ROWS


@pytest.mark.parametrize("encoding", ["feature", "tfx"])
def test_encodings_keep_values_and_nulls(tmp_path, encoding):
    inside = {"type": "record", "name": "I", "fields": [{"name": "z", "type": Z}]}
    rows = [{"z": b"", "r": {"z": b""}}, {"z": None, "r": None}, {"z": b"", "r": {"z": b""}}]
    path = write(
        tmp_path / "null.avro",
        rows,
        record(z=["null", Z], r=["null", inside | {"fields": [{"name": "z", "type": "Z"}]}]),
    )
    table = read(path, encoding=encoding)
    assert table["z"].to_pylist() == [[b""], None, [b""]]
    assert table["r"].to_pylist() == [[{"z": [b""]}], None, [{"z": [b""]}]]


def test_a_filter_keeps_its_values(tmp_path):
    item = {
        "type": "record",
        "name": "I",
        "fields": [{"name": "k", "type": "long"}, {"name": "z", "type": Z}],
    }
    rows = [{"a": [{"k": 1, "z": b""}, {"k": 2, "z": b""}]}, {"a": [{"k": 1, "z": b""}]}]
    path = write(tmp_path / "filter.avro", rows, record(a={"type": "array", "items": item}))
    tensor = converted(path, features.VarLen(key="a[k=1].z"))
    assert (len(tensor.values), len(tensor.indices)) == (2, 2)


@pytest.mark.parametrize(
    "kind", [pa.binary(0), pa.list_(pa.int64(), 0), pa.list_(pa.binary(0), 2), pa.struct([])]
)
def test_arrow_columns_without_bytes_are_written_and_read(kind):
    values = {
        pa.binary(0): b"",
        pa.list_(pa.int64(), 0): [],
        pa.list_(pa.binary(0), 2): [b"", b""],
        pa.struct([]): {},
    }
    batch = pa.record_batch({"i": pa.array(range(ROWS)), "x": pa.array([values[kind]] * ROWS, kind)})
    adapter = af.TensorAdapter(batch.schema, {"i": Dense("i")})
    assert adapter.convert(batch)["i"].values.tolist() == list(range(ROWS))
