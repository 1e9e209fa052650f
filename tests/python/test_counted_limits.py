"""Limits on numbers of schemas, values, rows, columns and cells: one more is read, or is an error."""

import json
import re

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from conftest import write


def schema(*more, name="R"):
    return {"type": "record", "name": name, "fields": [{"name": "id", "type": "long"}, *more]}


def ids(batch):
    return batch.to_pyarrow()["id"].to_pylist()


def test_a_decoder_has_at_most_1024_schemas_of_writers():
    schemas = [json.dumps(schema(name=f"R{number}")) for number in range(1025)]
    decoder = af.AvroRecordDecoder(schemas[0])
    assert [decoder.add_writer(known) for known in schemas[:1024]] == list(range(1024))
    for number in (0, 1023, 512):
        decoder.append(bytes([2 * (number % 64)]), writer=number)
    message = "expected at most 1,024 writer's schemas, found more"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        decoder.add_writer(schemas[1024])
    # A known schema keeps its number.
    assert decoder.add_writer(schemas[700]) == 700
    assert ids(decoder.flush()) == [0, 63, 0]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """More files of different schemas than a format keeps plans and merged schemas for."""
    folder = tmp_path_factory.mktemp("schemas")
    paths = []
    for number in range(70):
        own = {"name": f"c{number}", "type": "int", "default": 0}
        rows = [{"id": 2 * number, f"c{number}": number}, {"id": 2 * number + 1, f"c{number}": number}]
        paths.append(write(folder / f"{number:02}.avro", rows, schema(own)))
    return paths


def test_files_of_more_schemas_than_are_kept_are_read(files):
    dataset = af.AvroDataset(files, reader_schema=json.dumps(schema()))
    for options in ({"epochs": 2}, {"epochs": 2, "shuffle_buffer_size": 50, "seed": 1}):
        batches = list(dataset.record_batches(batch_size=140, **options))
        assert [sorted(ids(batch)) for batch in batches] == [list(range(140))] * 2


def test_more_schemas_than_are_kept_are_merged(files):
    # Each schema comes twice, the second time after others have taken its place.
    dataset = af.AvroDataset([*files, *files], reader_schema="merge")
    (batch,) = dataset.record_batches(batch_size=280)
    merged = pa.table(batch)
    assert merged.column_names == ["id", *(f"c{number}" for number in range(70))]
    assert merged["id"].to_pylist() == 2 * list(range(140))
    own = [merged[f"c{number}"][2 * number].as_py() for number in range(70)]
    assert own == list(range(70))


@pytest.mark.parametrize("count", [1000, 1001])
def test_lists_of_literals_that_are_not_compared_with_statistics_give_the_same_rows(tmp_path, count):
    pq.write_table(pa.table({"id": range(5000)}), tmp_path / "a.parquet", row_group_size=100)
    dataset = af.ParquetDataset(tmp_path / "a.parquet").filter(af.col("id").is_in(range(4000, 4000 + count)))
    found = [row for batch in dataset.record_batches(batch_size=1000) for row in ids(batch)]
    assert found == list(range(4000, min(4000 + count, 5000)))


def test_a_record_of_csv_has_at_most_a_million_cells(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("a,b\n" + "," * (1 << 20) + "\n")
    with pytest.raises(
        af.CorruptBlockError, match=r"expected a record of at most 1,048,576 cells, found more"
    ):
        list(af.CsvDataset(path).record_batches(batch_size=10))


def written_type(path):
    """The name of the Avro type of the only column."""
    with path.open("rb") as file:
        (field,) = fastavro.reader(file).writer_schema["fields"]
    (written,) = [branch for branch in field["type"] if branch != "null"]
    return written if isinstance(written, str) else written["type"]


@pytest.mark.parametrize(("count", "name"), [(10_000, "enum"), (10_001, "string")])
def test_a_dictionary_of_at_most_10000_values_is_written_as_an_enum(tmp_path, count, name):
    values = [f"s{number}" for number in range(count)]
    table = pa.table({"x": pa.array(values).dictionary_encode()})
    af.write_avro(table, tmp_path / "a.avro")
    assert written_type(tmp_path / "a.avro") == name
    (batch,) = af.AvroDataset(tmp_path / "a.avro").record_batches(batch_size=count)
    assert pa.table(batch)["x"].to_pylist() == values


@pytest.mark.parametrize(("length", "name"), [(1 << 20, "enum"), ((1 << 20) + 1, "string")])
def test_the_values_of_an_enum_have_at_most_a_mebibyte(tmp_path, length, name):
    table = pa.table({"x": pa.array(["s" * length]).dictionary_encode()})
    af.write_avro(table, tmp_path / "a.avro")
    assert written_type(tmp_path / "a.avro") == name
    assert [len(value) for value in pa.table(af.read_avro(tmp_path / "a.avro"))["x"].to_pylist()] == [length]


def test_a_block_of_rows_without_bytes_has_at_most_1048576_rows(tmp_path):
    rows = 2 * (1 << 20) + 5
    af.write_avro(pa.table({"x": pa.nulls(rows)}), tmp_path / "a.avro", codec="null")
    with (tmp_path / "a.avro").open("rb") as file:
        counts = [block.num_records for block in fastavro.block_reader(file)]
    assert counts == [1 << 20, 1 << 20, 5]
    assert sum(batch.num_rows for batch in af.read_avro(tmp_path / "a.avro")) == rows


def test_more_columns_of_text_than_are_parsed_together(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"c{column}" for column in range((1 << 14) + 1)]
    rows = [[f"{name}r{row}" for name in names] for row in range(2)]
    path.write_text("".join(",".join(line) + "\n" for line in [names, *rows]))
    (batch,) = af.CsvDataset(path).record_batches(batch_size=10)
    columns = [column.to_pylist() for column in pa.table(batch).columns]
    assert columns == [[f"{name}r{row}" for row in range(2)] for name in names]
    (batch,) = af.CsvDataset(path, columns=[names[-1], names[0]]).record_batches(batch_size=10)
    assert pa.table(batch)[names[-1]].to_pylist() == [row[-1] for row in rows]


def test_more_dictionaries_of_a_stream_than_are_kept(tmp_path):
    """Each record batch replaces the dictionary: more than four, in the order of the file and in others."""
    path = tmp_path / "a.arrows"
    words = [[f"b{number}v{value}" for value in range(3)] for number in range(12)]
    expected = [words[number][row % 3] for number in range(12) for row in range(5)]
    kind = pa.dictionary(pa.int8(), pa.string())
    with pa.ipc.new_stream(path, pa.schema({"x": kind})) as writer:
        for values in words:
            column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0, 1], pa.int8()), pa.array(values))
            writer.write_batch(pa.record_batch({"x": column}))
    dataset = af.ArrowDataset(path)
    for threads in (1, 3):
        for options in ({}, {"shuffle_buffer_size": 60, "seed": 3}, {"shuffle_buffer_size": 7, "seed": 4}):
            batches = dataset.record_batches(batch_size=7, threads=threads, **options)
            found = [value for batch in batches for value in pa.table(batch)["x"].to_pylist()]
            assert sorted(found) == sorted(expected)
            assert options or found == expected
    numbers = [59, 0, 31, 12, 58, 1, 30, 45, 20, 5]
    assert pa.table(dataset.rows(numbers))["x"].to_pylist() == [expected[number] for number in numbers]
