"""`arrowfeed convert --partition-by` writes directories that others read, and commands read partitions."""

import datetime as dt
import json

import pyarrow as pa
import pyarrow.dataset as pds
import pyarrow.parquet as pq
import pytest

import arrowfeed as af

ROWS = 20_000
CITIES = ["Praha", "São Paulo/SP", "a=b%2F", "..", None, "7", "x y", "1.50"]


def table():
    days = [dt.date(2026, 1, 1 + number % 3) for number in range(ROWS)]
    return pa.table(
        {
            "id": pa.array(range(ROWS), pa.int64()),
            "city": pa.array([CITIES[number % len(CITIES)] for number in range(ROWS)]),
            "day": pa.array(days, pa.date32()),
            "text": [f"row {number}" for number in range(ROWS)],
        }
    )


def key(row):
    return row["id"]


@pytest.mark.parametrize("form", ["avro", "parquet", "arrow", "jsonl", "csv"])
def test_partitions_have_each_row_once(arrowfeed, tmp_path, form):
    whole = table()
    pq.write_table(whole, tmp_path / "a.parquet", row_group_size=700)
    ran = arrowfeed("convert", "a.parquet", "-o", "out", "--to", form, "--partition-by", "day,city")
    assert ran == (0, f"out: {ROWS} rows\n", "")
    found = sorted(path.relative_to(tmp_path / "out").parts for path in (tmp_path / "out").rglob("part-*"))
    assert len(found) == 24
    assert found[0] == ("day=2026-01-01", "city=..", f"part-0.{form}")
    types = pa.schema({"city": pa.string(), "day": pa.date32()})
    dataset = af.open_dataset(tmp_path / "out", partitioning=types)
    rows = [
        row for batch in dataset.record_batches(batch_size=9000) for row in batch.to_pyarrow().to_pylist()
    ]
    assert sorted(rows, key=key) == whole.to_pylist()
    if form == "parquet":
        partitioning = pds.partitioning(types, flavor="hive")
        read = pds.dataset(tmp_path / "out", partitioning=partitioning).to_table()
        assert read.select(whole.column_names).sort_by("id").equals(whole)
        groups = [pq.ParquetFile(path).num_row_groups for path in (tmp_path / "out").rglob("*.parquet")]
        assert groups == [1] * 24


def test_a_directory_with_files_is_kept(arrowfeed, tmp_path):
    pq.write_table(table().slice(0, 10), tmp_path / "a.parquet")
    call = ("convert", "a.parquet", "-o", "out", "--to", "parquet", "--partition-by", "city")
    (tmp_path / "out").mkdir()
    assert arrowfeed(*call).code == 0
    before = sorted((tmp_path / "out").rglob("*"))
    for options in ((), ("--force",)):
        expected = "arrowfeed: out: expected no directory of this name, or an empty one, found files in it\n"
        assert arrowfeed(*call, *options) == (2, "", expected)
    assert sorted((tmp_path / "out").rglob("*")) == before


@pytest.mark.parametrize(
    ("columns", "names", "expected"),
    [
        ({"a": [1], "b": [2]}, "c", '--partition-by: expected a column, one of "a", "b", found "c"'),
        ({"a": [1]}, "a", "--partition-by: expected a further column for the files, found none"),
        (
            {"a": [1.5], "b": [1]},
            "a",
            '--partition-by: expected integers, booleans, dates or text, found column "a" of double',
        ),
        (
            {"a": ["x", ""], "b": [1, 2]},
            "a",
            'column "a": expected values with a name for --partition-by, found an empty text',
        ),
    ],
)
def test_wrong_partitions_leave_nothing(arrowfeed, tmp_path, columns, names, expected):
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    ran = arrowfeed("convert", "a.parquet", "-o", "out", "--to", "parquet", "--partition-by", names)
    assert (ran.code > 0, ran.out, ran.err) == (True, "", f"arrowfeed: {expected}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]


def test_count_and_schema_of_partitions_and_of_merged_schemas(arrowfeed, tmp_path):
    for number, columns in enumerate([{"a": [1, 2]}, {"a": [3], "b": ["x"]}]):
        folder = tmp_path / "t" / f"dt={number}"
        folder.mkdir(parents=True)
        af.write_avro(pa.table(columns), folder / "x.avro")
        pq.write_table(pa.table(columns), folder / "x.parquet")

    def counts(*call):
        ran = arrowfeed("count", "--json", "t", "--partitioning", "hive", *call)
        assert (ran.code, ran.err) == (0, "")
        return [json.loads(line)["rows"] for line in ran.out.splitlines()]

    for form in ("avro", "parquet"):
        own = ("--format", form)
        assert counts(*own) == [2, 1]
        assert counts(*own, "--reader-schema", "merge", "--where", "dt = 1 or a = 2") == [1, 1]
        assert counts(*own, "--reader-schema", "merge", "--where", "b is null") == [2]
        ran = arrowfeed("schema", "--arrow", "t", "--partitioning", "hive", "--reader-schema", "merge", *own)
        assert ran == (0, "a: Int64\nb: Utf8\ndt: Int64\n", "")


def test_merge_is_refused_for_other_formats(arrowfeed, tmp_path):
    af.write_tfrecord(pa.table({"a": [1]}), tmp_path / "a.tfrecord")
    ran = arrowfeed("count", "a.tfrecord", "--reader-schema", "merge", "--where", "a = 1")
    found = "found a.tfrecord of tfrecord, which has no such option"
    assert ran == (2, "", f"arrowfeed: --reader-schema: expected a file of avro, {found}\n")


@pytest.mark.parametrize("form", ["avro", "parquet", "arrow", "csv", "jsonl", "tfrecord"])
def test_row_groups_are_joined_across_small_files(arrowfeed, tmp_path, form):
    for number in range(30):
        rows = pa.table({"a": pa.array(range(number * 7, number * 7 + 7), pa.int64())})
        pq.write_table(rows, tmp_path / f"{number:02}.parquet")
        if form != "parquet":
            name = f"{number:02}.{form}"
            assert arrowfeed("convert", f"{number:02}.parquet", "-o", name).code == 0
            (tmp_path / f"{number:02}.parquet").unlink()
    scalars = ("--scalars", "*") if form == "tfrecord" else ()
    for options, groups in (((), [210]), (("--batch-size", 100), [100, 100, 10])):
        assert arrowfeed("convert", f"*.{form}", "-o", "all.parquet", "--force", *scalars, *options).code == 0
        found = pq.ParquetFile(tmp_path / "all.parquet")
        assert [found.metadata.row_group(n).num_rows for n in range(found.num_row_groups)] == groups
        assert found.read()["a"].to_pylist() == list(range(210))
        (tmp_path / "all.parquet").unlink()
