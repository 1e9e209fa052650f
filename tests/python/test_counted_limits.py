"""Limits on the number of schemas, literals and cells: one more than the limit is read, or is an error."""

import json
import re

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
        decoder.decode(bytes([2 * (number % 64)]), writer=number)
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
