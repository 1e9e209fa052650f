"""A leading `~` is the home directory in every function that takes a path."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split

ROWS = pa.table({"id": [0, 1, 2]})


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The home directory, with one file. The working directory is another one, which is empty."""
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    af.write_avro(ROWS, tmp_path / "home" / "rows.avro")
    return tmp_path / "home"


def ids(stream):
    return pa.table(stream)["id"].to_pylist()


def of(dataset):
    return [
        row
        for batch in dataset.record_batches(batch_size=2)
        for row in pa.record_batch(batch)["id"].to_pylist()
    ]


def of_dataset(_):
    assert af.avro_schema("~/rows.avro").codec == "zstandard"
    return of(af.AvroDataset("~/rows.avro"))


def of_planned_splits(_):
    [split] = plan_splits("~/rows.avro")
    return ids(read_split(split))


def of_index(home):
    af.AvroDataset("~/rows.avro").save_index("~/rows.index.json")
    assert (home / "rows.index.json").exists()
    return of(af.AvroDataset("~/rows.avro", index="~/rows.index.json"))


def of_writer(home):
    with af.AvroWriter("~/written.avro") as writer:
        writer.write(ROWS)
    return ids(af.read_avro(home / "written.avro"))


def of_write_avro(home):
    af.write_avro(ROWS, "~/written.avro")
    return ids(af.read_avro(home / "written.avro"))


def of_tfrecord(_):
    af.write_tfrecord(ROWS, "~/rows.tfrecord")
    lists = ids(af.read_tfrecord("~/rows.tfrecord"))
    assert of(af.ExampleDataset("~/rows.tfrecord")) == lists
    return [row for [row] in lists]


def of_parquet(home):
    pq.write_table(ROWS, home / "rows.parquet")
    dataset = af.ParquetDataset("~/rows.parquet")
    [split] = dataset.plan_splits()
    assert of(dataset) == ids(read_split(split, af.ParquetDataset))
    return ids(af.read_parquet("~/rows.parquet"))


def of_csv(home):
    (home / "rows.csv").write_text("id\n0\n1\n2\n")
    assert of(af.CsvDataset("~/rows.csv")) == [0, 1, 2]
    return ids(af.read_csv("~/rows.csv"))


def of_json_lines(home):
    (home / "rows.jsonl").write_text('{"id": 0}\n{"id": 1}\n{"id": 2}\n')
    assert of(af.JsonLinesDataset("~/rows.jsonl")) == [0, 1, 2]
    return ids(af.read_json_lines("~/rows.jsonl"))


def of_schema(home):
    schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
    (home / "reader.avsc").write_text(json.dumps(schema))
    return ids(af.read_avro("~/rows.avro", reader_schema="~/reader.avsc"))


def of_cache(home):
    af.write_avro(ROWS, "memory://home/rows.avro")
    found = ids(af.read_avro("memory://home/rows.avro", cache="~/cache"))
    assert list((home / "cache").iterdir())
    return found


FUNCTIONS = {
    "read_avro": lambda _: ids(af.read_avro("~/rows.avro")),
    "read_avro of a list of patterns": lambda _: ids(af.read_avro(["~/r*.avro"])),
    "read_avro of a Path": lambda _: ids(af.read_avro(Path("~/rows.avro"))),
    "AvroDataset and avro_schema": of_dataset,
    "open_dataset": lambda _: of(af.open_dataset("~/rows.avro")),
    "scan_avro": lambda _: af.scan_avro("~/rows.avro").collect()["id"].to_list(),
    "plan_splits": of_planned_splits,
    "Split and read_split": lambda _: ids(read_split(af.Split("~/rows.avro", 0, 1 << 30))),
    "save_index and index=": of_index,
    "AvroWriter": of_writer,
    "write_avro": of_write_avro,
    "write_tfrecord and read_tfrecord": of_tfrecord,
    "read_parquet": of_parquet,
    "read_csv": of_csv,
    "read_json_lines": of_json_lines,
    "the path of a schema": of_schema,
    "cache=": of_cache,
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_tilde_is_the_home_directory(home, function):
    assert FUNCTIONS[function](home) == [0, 1, 2]
    assert list(Path.cwd().iterdir()) == []


def test_splits_have_the_whole_path(home):
    [planned] = plan_splits("~/rows.avro")
    assert [planned.path, af.Split("~/rows.avro", 0, 1).path] == [str(home / "rows.avro")] * 2


def test_a_tilde_that_is_no_home_directory_is_a_name(home):
    af.write_avro(ROWS, Path.cwd() / "~nobody.avro")
    assert ids(af.read_avro("~nobody.avro")) == [0, 1, 2]
