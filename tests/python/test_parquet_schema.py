"""`schema=` of `ParquetDataset` and `read_parquet` converts files to the given types."""

import itertools
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af

PROMISED = pa.schema(
    {
        "tags": pa.large_list(pa.large_binary()),
        "id": pa.int64(),
        "score": pa.large_list(pa.float32()),
        "lost": pa.large_list(pa.int64()),
    }
)


@pytest.fixture
def folder(tmp_path):
    """Files in the layouts of several writers: other types, order and item names, and a missing column."""
    first = {
        "id": pa.array([1, 2, 3], pa.int32()),
        "score": pa.array([0.5, None, 2.5], pa.float32()),
        "tags": pa.array([["a"], None, []], pa.list_(pa.field("element", pa.string()))),
    }
    second = {
        "more": pa.array(["x", "y"]),
        "tags": pa.array(["b", None]).dictionary_encode(),
        "id": pa.array([4, 5], pa.int64()),
    }
    pq.write_table(pa.table(first), tmp_path / "a.parquet", row_group_size=2)
    pq.write_table(pa.table(second), tmp_path / "b.parquet")
    return tmp_path


ROWS = {
    "tags": [[b"a"], None, [], [b"b"], None],
    "id": [1, 2, 3, 4, 5],
    "score": [[0.5], None, [2.5], None, None],
    "lost": [None] * 5,
}


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_have_the_promised_schema(folder, threads):
    reader = af.read_parquet(folder, schema=PROMISED, batch_size=2, threads=threads)
    assert pa.schema(reader.schema).equals(PROMISED)
    found = pa.table(reader)
    assert found.schema.equals(PROMISED)
    assert found.to_pydict() == ROWS


def test_datasets_have_the_promised_schema(folder):
    dataset = af.ParquetDataset(folder, schema=PROMISED)
    assert pa.schema(dataset.arrow_schema).equals(PROMISED)
    [batch] = dataset.record_batches(batch_size=5)
    assert batch.to_pyarrow().to_pydict() == ROWS
    assert dataset.num_rows == 5
    copy = pickle.loads(pickle.dumps(dataset.project(["id"])))
    assert [t["id"].values.tolist() for t in copy.tensors(batch_size=3)] == [[1, 2, 3], [4, 5]]
    splits = dataset.plan_splits(target_bytes=1)
    rows = [pa.record_batch(b)["id"].to_pylist() for split in splits for b in dataset.read_split(split)]
    assert list(itertools.chain(*rows)) == ROWS["id"]


def test_schemas_of_any_library_and_of_arrowfeed_are_accepted(folder):
    own = af.ParquetDataset(folder, schema=PROMISED).arrow_schema
    for schema in (own, pa.record_batch([[], [], [], []], schema=PROMISED)):
        assert pa.table(af.read_parquet(folder, schema=schema)).to_pydict() == ROWS


def test_columns_are_paths_of_the_promised_schema(folder):
    reader = af.read_parquet(folder, schema=PROMISED, columns=["lost", "id"])
    assert pa.table(reader).to_pydict() == {name: ROWS[name] for name in ("lost", "id")}
    with pytest.raises(af.SchemaError) as caught:
        af.read_parquet(folder, schema=PROMISED, columns=["more"])
    expected = 'expected a column of the file, found "more"; the file has "tags", "id", "score", "lost"'
    assert str(caught.value) == f"{folder / 'a.parquet'}: {expected}"


def test_without_a_schema_files_have_that_of_the_first(folder):
    reader = af.read_parquet(folder, columns=["id"])
    assert next(reader).num_rows == 2
    with pytest.raises(af.SchemaError) as caught:
        list(reader)
    expected = (
        f'expected the columns of {folder / "a.parquet"}: column "id" to be Int32, found "id" as Int64; '
        "set `schema`, or merge the schemas of the files, to read both"
    )
    assert str(caught.value) == f"{folder / 'b.parquet'}: {expected}"


def test_types_that_do_not_convert_are_errors_of_the_call(tmp_path):
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"x": [0.1], "s": ["1"]}), path)
    with pytest.raises(af.SchemaError) as caught:
        af.read_parquet(path, schema=pa.schema({"s": pa.int64()}))
    expected = 'expected a type that converts to "Int64" without loss, found "Utf8"'
    assert str(caught.value) == f"{path}: s: {expected}"
    floats = pa.schema({"x": pa.float32()})
    with pytest.raises(af.SchemaError, match="rounded only with double_as_float"):
        af.ParquetDataset(path, schema=floats)
    found = pa.table(af.read_parquet(path, schema=floats, double_as_float=True))
    assert found["x"].to_pylist() == [np.float32(0.1)]


def test_values_that_do_not_fit_name_their_place(tmp_path):
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table({"x": [[1], [2, 1 << 40], [3]]}), path, row_group_size=2)
    schema = pa.schema({"x": pa.list_(pa.int32())})
    reader = af.read_parquet(path, schema=schema)
    assert next(reader).num_rows == 1
    with pytest.raises(af.ConversionError) as caught:
        next(reader)
    place = "block 0 at byte 4, record 1: x"
    assert str(caught.value) == f"{path}: {place}: expected a value that Int32 can hold, found 1099511627776"
    assert (caught.value.path, caught.value.block, caught.value.record) == (str(path), 0, 1)
    # The file is valid, so nothing is skipped.
    with pytest.raises(af.ConversionError):
        list(af.ParquetDataset(path, schema=schema).record_batches(batch_size=9, on_error="skip_block"))


def test_wrong_arguments_are_errors_of_the_call(folder):
    with pytest.raises(TypeError) as wrong:
        af.read_parquet(folder, schema=3)
    expected = "schema: expected an object with __arrow_c_schema__, or a dict of names of columns to types"
    assert str(wrong.value) == f"{expected}, found int 3"
    with pytest.raises(TypeError) as wrong:
        af.ParquetDataset(folder, schema={"id": 64})
    expected = 'schema["id"]: expected an Arrow type, such as "string", "int64" or pyarrow.string()'
    assert str(wrong.value) == f"{expected}, found int 64"
    with pytest.raises(TypeError) as wrong:
        af.read_parquet(folder, encoding="tfx")
    assert str(wrong.value) == "read_parquet() got an unexpected keyword argument 'encoding'"


def test_splits_are_read_of_file_objects_too(folder):
    path = folder / "a.parquet"
    splits = af.ParquetDataset(path).plan_splits(target_bytes=1)
    asked = []
    for source in (None, path.open("rb")):
        rows = []
        for split in splits:
            dataset = af.ParquetDataset(path, schema=PROMISED, columns=["id"])
            reader = dataset.read_split(split, file=source, claim=lambda at: asked.append(at) or True)
            rows += [number for batch in reader for number in pa.record_batch(batch)["id"].to_pylist()]
        assert rows == [1, 2, 3]
    assert len(asked) == 4
    assert list(af.ParquetDataset(path).read_split(splits[0], claim=lambda _: False)) == []
