"""`reader_schema="merge"` reads Avro files of one family with the schema that is merged from all of them."""

import io
import json
import pickle
import random

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af
from session_seed import cases, seeds


def record(*fields):
    return {
        "type": "record",
        "name": "Ride",
        "fields": [{"name": name, "type": kind} for name, kind in fields],
    }


FAMILY = [
    (
        record(("id", "int"), ("fee", "float"), ("kind", {"type": "enum", "name": "Kind", "symbols": ["A"]})),
        [{"id": 1, "fee": 0.5, "kind": "A"}],
    ),
    (
        record(
            ("kind", {"type": "enum", "name": "Kind", "symbols": ["B", "A"]}),
            ("id", "long"),
            ("fee", "double"),
        ),
        [{"id": 2**40, "fee": 0.1, "kind": "B"}, {"id": 3, "fee": 0.2, "kind": "A"}],
    ),
    (
        record(("id", ["null", "int"]), ("tags", {"type": "array", "items": "string"})),
        [{"id": None, "tags": ["x"]}],
    ),
]
ROWS = [
    {"id": 1, "fee": 0.5, "kind": "A", "tags": None},
    {"id": 2**40, "fee": 0.1, "kind": "B", "tags": None},
    {"id": 3, "fee": 0.2, "kind": "A", "tags": None},
    {"id": None, "fee": None, "kind": None, "tags": ["x"]},
]
CHANGES = [
    '2.avro: kind: added the symbols "B"',
    "2.avro: id: changed from int to long",
    "2.avro: fee: changed from float to double",
    "3.avro: fee: made nullable: the file does not have it",
    "3.avro: kind: made nullable: the file does not have it",
    "3.avro: id: made nullable, as in the file",
    "3.avro: tags: added with the type array",
]


def bytes_of(schema, rows):
    file = io.BytesIO()
    fastavro.writer(file, fastavro.parse_schema(schema), rows)
    return file.getvalue()


@pytest.fixture
def family(tmp_path, monkeypatch):
    """The files `1.avro`, `2.avro` and `3.avro` of the current folder."""
    monkeypatch.chdir(tmp_path)
    for number, (schema, rows) in enumerate(FAMILY, 1):
        (tmp_path / f"{number}.avro").write_bytes(bytes_of(schema, rows))
    return tmp_path


def texts(changes):
    return [str(change) for change in changes]


def test_a_reader_of_avro_has_the_rows_of_all_files_and_the_report(family):
    reader = af.read_avro("*.avro", reader_schema="merge")
    assert texts(reader.schema_changes) == CHANGES
    assert pa.table(reader).to_pylist() == ROWS
    assert texts(reader.schema_changes) == CHANGES


def test_a_dataset_has_the_rows_of_all_files_and_the_report(family):
    for dataset in (
        af.AvroDataset("*.avro", reader_schema="merge", representations={}),
        af.open_dataset("*.avro", reader_schema="merge", representations={}),
    ):
        assert texts(dataset.schema_changes) == CHANGES
        batches = dataset.record_batches(batch_size=10)
        rows = [row for batch in batches for row in batch.to_pyarrow().to_pylist()]
        assert rows == ROWS
    assert texts(dataset.filter("id > 1").schema_changes) == CHANGES
    first = dataset.schema_changes[1]
    assert (first.file, first.path, first.kind, first.text) == (
        "2.avro",
        "id",
        "type",
        "changed from int to long",
    )
    assert repr(first) == "<arrowfeed.SchemaChange 2.avro: id: changed from int to long>"
    assert {change.kind for change in dataset.schema_changes} == {"type", "symbols", "nullable", "field"}
    assert first == dataset.schema_changes[1] != dataset.schema_changes[0]
    assert len({*dataset.schema_changes, *dataset.schema_changes}) == len(CHANGES)


def test_the_merged_schema_can_be_saved_and_read_with(family):
    schema = af.avro_schema("*.avro", merge=True)
    assert (schema.codec, schema.metadata, schema.warnings) == (None, {}, [])
    assert json.loads(schema.json)["fields"] == [
        {"name": "id", "type": ["null", "long"]},
        {"name": "fee", "type": ["null", "double"], "default": None},
        {
            "name": "kind",
            "type": ["null", {"type": "enum", "name": "Kind", "namespace": "", "symbols": ["A", "B"]}],
            "default": None,
        },
        {"name": "tags", "type": ["null", {"type": "array", "items": "string"}], "default": None},
    ]
    reader = af.read_avro("*.avro", reader_schema=schema)
    assert reader.schema_changes == []
    assert pa.table(reader).to_pylist() == ROWS


def test_copies_have_the_merged_schema_and_read_no_headers(family):
    dataset = af.AvroDataset("*.avro", reader_schema="merge", columns=["tags", "id"], representations={})
    state = pickle.dumps(dataset)
    (family / "2.avro").write_bytes(b"damaged")
    copy = pickle.loads(state)
    assert pa.schema(copy.arrow_schema) == pa.schema(dataset.arrow_schema)
    assert copy.schema_changes == []
    with pytest.raises(af.FormatError, match=r"^2\.avro: "):
        af.AvroDataset("*.avro", reader_schema="merge")


def test_splits_and_added_columns_have_the_merged_schema(family):
    dataset = af.AvroDataset("*.avro", reader_schema="merge", representations={}, file_column="file")
    assert texts(dataset.schema_changes) == CHANGES
    rows = [
        row
        for split in dataset.plan_splits()
        for row in pa.table(pickle.loads(pickle.dumps(dataset)).read_split(split)).to_pylist()
    ]
    files = ["1.avro", "2.avro", "2.avro", "3.avro"]
    assert rows == [{**row, "file": file} for row, file in zip(ROWS, files, strict=True)]


def test_a_filter_reads_the_merged_columns(family):
    reader = af.read_avro("*.avro", reader_schema="merge", where="tags is null and fee < 0.3", columns=["id"])
    assert pa.table(reader).to_pylist() == [{"id": 2**40}, {"id": 3}]


def test_files_in_memory_are_merged_and_streams_are_refused(family):
    sources = [bytes_of(*FAMILY[0]), bytes_of(*FAMILY[2])]
    assert pa.table(af.read_avro(sources, reader_schema="merge")).num_rows == 2

    class Stream(io.RawIOBase):
        def __init__(self):
            self.inner = io.BytesIO(sources[0])

        def readable(self):
            return True

        def readinto(self, buffer):
            return self.inner.readinto(buffer)

    expected = r"^expected files or bytes, which can be read more than once, found the stream \""
    with pytest.raises(ValueError, match=expected):
        af.read_avro(Stream(), reader_schema="merge")


def test_conflicts_name_both_files_and_the_field(family):
    (family / "4.avro").write_bytes(bytes_of(record(("id", "string")), [{"id": "x"}]))
    expected = "4.avro: id: expected long as in 2.avro, found string, which cannot be merged"
    for read in (af.read_avro, af.AvroDataset):
        with pytest.raises(af.SchemaError) as caught:
            read("*.avro", reader_schema="merge")
        assert str(caught.value) == expected
        assert (caught.value.path, caught.value.field) == ("4.avro", "id")


def test_other_options_that_do_not_fit(family):
    expected = "expected no reader_schema for raw records, which are not converted, found one"
    with pytest.raises(ValueError, match=f"^{expected}$"):
        af.read_avro("*.avro", reader_schema="merge", raw=True)
    with pytest.raises(FileNotFoundError):
        af.read_avro("no-*.avro", reader_schema="merge")
    with pytest.raises(TypeError, match="^merge: expected"):
        af.avro_schema("*.avro", merge="yes")


def test_a_mixed_dataset_and_one_without_a_merge_have_no_changes(family):
    dataset = af.AvroDataset("1.avro")
    assert dataset.schema_changes == af.MixedDataset([dataset, dataset]).schema_changes == []
    assert af.read_avro("1.avro").schema_changes == []


def test_polars_scans_merge(family):
    pl = pytest.importorskip("polars")
    frame = af.scan_avro("*.avro", reader_schema="merge").select("id", "tags").collect()
    assert frame.to_dicts() == [{"id": row["id"], "tags": row["tags"]} for row in ROWS]
    assert frame.schema["id"] == pl.Int64


def test_commands_merge(arrowfeed, family):
    ran = arrowfeed("convert", "1.avro", "2.avro", "3.avro", "-o", "all.avro", "--reader-schema", "merge")
    assert ran.code == 0, ran
    with (family / "all.avro").open("rb") as file:
        assert list(fastavro.reader(file)) == ROWS
    assert af.avro_schema("all.avro") == af.avro_schema(["1.avro", "2.avro", "3.avro"], merge=True)
    ran = arrowfeed("convert", "1.avro", "3.avro", "-o", "rows.jsonl", "--reader-schema", "merge")
    assert ran.code == 0, ran
    assert len((family / "rows.jsonl").read_text().splitlines()) == 2


NUMBERS = ["int", "long", "float", "double"]


def value_of(kind, rng):
    if kind == "int":
        return rng.randrange(-(2**31), 2**31)
    if kind == "long":
        return rng.randrange(-(2**53), 2**53)
    if kind == "float":
        return rng.randrange(-(2**20), 2**20) / 8
    return rng.random() if kind == "double" else str(rng.random())


def test_values_are_those_of_fastavro_with_the_merged_schema():
    """Fastavro resolves each file of a random family to the merged schema. Rust tests have more families."""
    for seed in seeds(0, cases(25)):
        rng = random.Random(seed)
        files, written = [], []
        for _ in range(rng.randrange(1, 5)):
            names = rng.sample(["a", "b", "c", "s"], rng.randrange(1, 5))
            kinds = {name: "string" if name == "s" else rng.choice(NUMBERS) for name in names}
            nullable = {name: rng.random() < 0.3 for name in names}
            schema = record(
                *((name, ["null", kinds[name]] if nullable[name] else kinds[name]) for name in names)
            )
            rows = [
                {
                    name: None if nullable[name] and rng.random() < 0.5 else value_of(kinds[name], rng)
                    for name in names
                }
                for _ in range(3)
            ]
            files.append(bytes_of(schema, rows))
            written += rows
        merged = af.avro_schema(files, merge=True)
        parsed = fastavro.parse_schema(json.loads(merged.json))
        by_fastavro = [row for file in files for row in fastavro.reader(io.BytesIO(file), parsed)]
        found = pa.table(af.read_avro(files, reader_schema="merge")).to_pylist()
        assert found == by_fastavro
        names = list(found[0])
        assert found == [{name: row.get(name) for name in names} for row in written]
