"""Every function that takes an Avro schema takes the path of an `.avsc` file, as text or as a `Path`."""

import json

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import read_split


def record(kind):
    return {"type": "record", "name": "R", "fields": [{"name": "id", "type": kind}]}


ROWS = pa.table({"id": [0, 1, 2]})
RECORDS = [bytes([2 * number]) for number in range(3)]
"""Rows with the schema `record("long")`."""
WANTED = [0.0, 1.0, 2.0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with schemas of longs and of doubles, and a file of longs."""
    monkeypatch.chdir(tmp_path)
    for kind in ("long", "double"):
        (tmp_path / f"{kind}.avsc").write_text(json.dumps(record(kind)))
    af.write_avro(ROWS, tmp_path / "rows.avro")
    return tmp_path


def ids(stream):
    table = pa.table(stream)
    assert table.schema.types == [pa.float64()]
    return table["id"].to_pylist()


def of_schema(path, folder):
    assert af.AvroSchema(path("long")) == af.AvroSchema(record("long"))
    assert af.AvroSchema(path("double")) == af.AvroSchema(record("double"))
    return WANTED


def of_written(path):
    with path.open("rb") as file:
        reader = fastavro.reader(file)
        assert reader.writer_schema["fields"] == record("double")["fields"]
        return [row["id"] for row in reader]


def of_write_avro(path, folder):
    af.write_avro(ROWS.cast(pa.schema({"id": pa.float64()})), folder / "out.avro", schema=path("double"))
    return of_written(folder / "out.avro")


def of_writer(path, folder):
    with af.AvroWriter(folder / "out.avro", schema=path("double")) as writer:
        writer.write(ROWS.cast(pa.schema({"id": pa.float64()})))
    return of_written(folder / "out.avro")


def of_decoder(path, folder):
    decoder = af.AvroRecordDecoder(path("long"), reader_schema=path("double"))
    assert decoder.add_writer(path("long")) == 0
    return ids(decoder.decode(RECORDS))


def of_messages(path, folder):
    schemas = {7: path("long")}
    decoder = af.AvroRecordDecoder(framing="confluent", schemas=schemas, reader_schema=path("double"))
    return ids(decoder.decode([bytes([0, 0, 0, 0, 7]) + message for message in RECORDS]))


def of_dataset(path, folder):
    dataset = af.AvroDataset(folder / "rows.avro", reader_schema=path("double"))
    return [row for batch in dataset.record_batches(batch_size=2) for row in ids(batch)]


FUNCTIONS = {
    "AvroSchema": of_schema,
    "read_avro": lambda path, folder: ids(af.read_avro(folder / "rows.avro", reader_schema=path("double"))),
    "read_split": lambda path, folder: ids(
        read_split(af.Split(folder / "rows.avro", 0, 1 << 30), reader_schema=path("double"))
    ),
    "scan_avro": lambda path, folder: ids(
        af.scan_avro(folder / "rows.avro", reader_schema=path("double")).collect()
    ),
    "AvroDataset": of_dataset,
    "write_avro": of_write_avro,
    "AvroWriter": of_writer,
    "AvroRecordDecoder": of_decoder,
    "AvroRecordDecoder of messages": of_messages,
}


@pytest.mark.parametrize("as_path", [str, lambda path: path], ids=["text", "Path"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_schema_is_taken_from_a_file(folder, function, as_path):
    assert FUNCTIONS[function](lambda kind: as_path(folder / f"{kind}.avsc"), folder) == WANTED


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_relative_path_of_a_schema(folder, function):
    assert FUNCTIONS[function](lambda kind: f"{kind}.avsc", folder) == WANTED
