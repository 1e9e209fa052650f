"""Avro records as their bytes: `raw=True`."""

import itertools
import json

import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split

NUMBERS = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
TREE = {
    "type": "record",
    "name": "Tree",
    "fields": [{"name": "id", "type": "long"}, {"name": "left", "type": ["null", "Tree"], "default": None}],
}


def numbers(path, start, end):
    """A file of numbered records, in many blocks."""
    with af.AvroWriter(path, schema=NUMBERS, codec="deflate", block_bytes=20) as writer:
        writer.write(pa.table({"id": range(start, end)}))
    return path


def encoded(start, end):
    """The records of such a file."""
    decoder = af.AvroRecordDecoder(NUMBERS)
    records = [varint(2 * number) for number in range(start, end)]
    decoder.extend(records)
    assert decoder.flush().to_pyarrow()["id"].to_pylist() == list(range(start, end))
    return records


def varint(number):
    """An integer of 7 bits a byte."""
    low = number & 0x7F
    return bytes([low]) if number == low else bytes([low | 0x80]) + varint(number >> 7)


@pytest.mark.parametrize("threads", [1, 2])
def test_records_are_those_of_the_file(tmp_path, threads):
    path = numbers(tmp_path / "rows.avro", 0, 500)
    reader = af.read_avro(path, raw=True, batch_size=64, threads=threads)
    assert pa.schema(reader.schema) == pa.schema([pa.field("record", pa.large_binary(), nullable=False)])
    assert pa.table(reader)["record"].to_pylist() == encoded(0, 500)
    splits = plan_splits(path, target_bytes=200)
    assert len(splits) > 1
    tables = [pa.table(read_split(split, raw=True)) for split in splits]
    assert pa.concat_tables(tables)["record"].to_pylist() == encoded(0, 500)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_dataset_has_their_order_shuffles_and_states(tmp_path, threads):
    paths = [numbers(tmp_path / f"{part}.avro", 200 * part, 200 * part + 200) for part in range(2)]
    dataset = af.open_dataset(paths, raw=True)
    assert isinstance(dataset, af.AvroDataset)
    assert repr(dataset) == "<arrowfeed.AvroDataset of 1 tensor>\n  record: dense bytes [?]"
    batches = list(dataset.tensors(batch_size=30, threads=threads))
    assert [record for batch in batches for record in batch["record"].values.tolist()] == encoded(0, 400)
    options = {"batch_size": 30, "shuffle_buffer_size": 50, "seed": 7, "threads": threads}
    whole = [batch.to_pyarrow()["record"].to_pylist() for batch in dataset.record_batches(**options)]
    shuffled = list(itertools.chain.from_iterable(whole))
    assert sorted(shuffled) == sorted(encoded(0, 400))
    assert shuffled != encoded(0, 400)
    batches = dataset.record_batches(**options)
    assert [next(batches).num_rows for _ in range(2)] == [30, 30]
    resumed = dataset.record_batches(**options)
    resumed.load_state_dict(batches.state_dict())
    assert [batch.to_pyarrow()["record"].to_pylist() for batch in resumed] == whole[2:]


def test_a_type_that_contains_itself_is_read(tmp_path):
    record = b"\x02\x02\x04\x00"
    header = b"Obj\x01\x02\x16avro.schema"
    schema = json.dumps(TREE).encode()
    size = varint(2 * len(schema))
    path = tmp_path / "trees.avro"
    path.write_bytes(header + size + schema + b"\x00" + bytes(16) + b"\x02\x08" + record + bytes(16))
    with pytest.raises(af.SchemaError, match='record "Tree" is recursive'):
        af.read_avro(path)
    assert pa.table(af.read_avro(path, raw=True))["record"].to_pylist() == [record]


def test_a_damaged_record_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "rows.avro"
    header = b"Obj\x01\x02\x16avro.schema"
    path.write_bytes(header + b'\x0c"long"\x00' + bytes(16) + b"\x04\x04\x02\x80" + bytes(16))
    with pytest.raises(af.CorruptBlockError) as error:
        list(af.read_avro(path, raw=True, threads=1))
    assert str(error.value) == (f"{path}: block 0 at byte 44, record 1: record: expected a long, 1 byte left")
    assert (error.value.record, error.value.field) == (1, "record")
    reader = af.read_avro(path, raw=True, on_error="skip_block")
    assert pa.table(reader).num_rows == 0
    assert len(reader.report()["skipped"]) == 1


def test_files_of_another_schema_and_reader_schemas_are_refused(tmp_path):
    first = numbers(tmp_path / "a.avro", 0, 3)
    other = tmp_path / "b.avro"
    af.write_avro(pa.table({"id": ["x"]}), other)
    reader = af.read_avro([first, other], raw=True, threads=1)
    assert next(reader).num_rows == 3
    message = f"{other}: expected raw records with the schema of {first}, found a different schema"
    with pytest.raises(af.SchemaError) as error:
        next(reader)
    assert str(error.value) == message
    refused = "expected no reader_schema for raw records, which are not converted, found one"
    for read in (af.read_avro, af.AvroDataset):
        with pytest.raises(ValueError, match=refused):
            read(first, raw=True, reader_schema=NUMBERS)
        with pytest.raises(TypeError, match="raw"):
            read(first, raw="yes")
    with pytest.raises(TypeError, match="raw"):
        af.AvroRecordDecoder(NUMBERS, raw=True)
