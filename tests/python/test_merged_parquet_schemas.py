"""`schema="merge"` reads Parquet files of one family with the schema that is merged from all of them."""

import pickle
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from session_seed import seeds

FAMILY = [
    pa.table({"id": pa.array([1], pa.int32()), "home": pa.array([{"city": "Bonn"}])}),
    pa.table({"home": pa.array([{"zip": 53111, "city": None}]), "id": pa.array([2**40], pa.int64())}),
    pa.table({"id": pa.array([0.5], pa.float32()), "tags": pa.array([["x"]])}),
]
ROWS = [
    {"id": 1.0, "home": {"city": "Bonn", "zip": None}, "tags": None},
    {"id": 2.0**40, "home": {"city": None, "zip": 53111}, "tags": None},
    {"id": 0.5, "home": None, "tags": ["x"]},
]
CHANGES = [
    "2.parquet: id: changed from Int32 to Int64",
    "2.parquet: home.zip: added with the type Int64",
    "3.parquet: id: changed from Int64 to Float64",
]


@pytest.fixture
def family(tmp_path, monkeypatch):
    """The files `1.parquet`, `2.parquet` and `3.parquet` of the current folder."""
    monkeypatch.chdir(tmp_path)
    for number, table in enumerate(FAMILY, 1):
        pq.write_table(table, f"{number}.parquet")
    return tmp_path


def texts(changes):
    return [str(change) for change in changes]


def test_a_reader_of_parquet_has_the_rows_of_all_files_and_the_report(family):
    reader = af.read_parquet("*.parquet", schema="merge")
    assert texts(reader.schema_changes)[:3] == CHANGES
    assert [change.path for change in reader.schema_changes[3:]] == ["tags"]
    assert pa.table(reader).to_pylist() == ROWS


def test_a_dataset_has_the_rows_of_all_files(family):
    for dataset in (
        af.ParquetDataset("*.parquet", schema="merge", representations={}),
        af.open_dataset("*.parquet", schema="merge", representations={}),
    ):
        assert texts(dataset.schema_changes)[:3] == CHANGES
        batches = dataset.record_batches(batch_size=10)
        rows = [row for batch in batches for row in batch.to_pyarrow().to_pylist()]
        assert rows == ROWS
    (family / "2.parquet").write_bytes(b"damaged")
    copy = pickle.loads(pickle.dumps(dataset))
    assert pa.schema(copy.arrow_schema) == pa.schema(dataset.arrow_schema)
    with pytest.raises(af.ArrowfeedError, match=r"^2\.parquet: "):
        af.ParquetDataset("*.parquet", schema="merge")


def test_columns_filters_and_added_columns(family):
    dataset = af.ParquetDataset(
        "*.parquet", schema="merge", columns=["home.zip", "file"], file_column="file", representations={}
    )
    batches = dataset.filter("home.zip is not null").record_batches(batch_size=10)
    rows = [row for batch in batches for row in batch.to_pyarrow().to_pylist()]
    assert rows == [{"home": {"zip": 53111}, "file": "2.parquet"}]
    copy = pickle.loads(pickle.dumps(dataset))
    assert pa.schema(copy.arrow_schema) == pa.schema(dataset.arrow_schema)


def test_conflicts_name_both_files_and_the_column(family):
    pq.write_table(pa.table({"home": pa.array([{"zip": "53111"}])}), "4.parquet")
    expected = "4.parquet: home.zip: expected Int64 as in 2.parquet, found Utf8, which cannot be merged"
    for read in (af.read_parquet, af.ParquetDataset):
        with pytest.raises(af.SchemaError) as caught:
            read("*.parquet", schema="merge")
        assert str(caught.value) == expected


TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.float32(), pa.float64()]


@pytest.mark.parametrize("chunk", range(4))
def test_values_are_those_that_were_written(chunk, tmp_path):
    """The tables are those that pyarrow unites, with the values that were written."""
    for seed in seeds(chunk * 25, (chunk + 1) * 25):
        rng = random.Random(seed)
        tables, paths = [], []
        for number in range(rng.randrange(1, 5)):
            names = rng.sample(["a", "b", "c"], rng.randrange(1, 4))
            columns = {
                name: pa.array([rng.choice([None, rng.randrange(100)]) for _ in range(3)], rng.choice(TYPES))
                for name in names
            }
            tables.append(pa.table(columns))
            paths.append(tmp_path / f"{seed}-{number}.parquet")
            pq.write_table(tables[-1], paths[-1])
        found = pa.table(af.read_parquet(paths, schema="merge"))
        united = pa.concat_tables(tables, promote_options="permissive")
        assert found.column_names == united.column_names
        assert found.to_pydict() == united.to_pydict()
