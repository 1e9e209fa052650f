"""Records without a file."""

import io

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af

SCHEMA = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"], "default": None},
        {"name": "scores", "type": {"type": "array", "items": "double"}, "default": []},
    ],
}
OLD = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "int"}]}
ROWS = [{"id": i, "name": None if i % 3 else f"n{i}", "scores": [i / 2] * (i % 4)} for i in range(100)]


def encoded(row, schema=SCHEMA):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, row)
    return out.getvalue()


def flushed(decoder):
    return [pa.record_batch(batch) for batch in iter(decoder.flush, None)]


def test_messages_of_fastavro_become_batches():
    decoder = af.AvroRecordDecoder(SCHEMA, batch_size=30)
    decoder.extend(encoded(row) for row in ROWS[:60])
    for row in ROWS[60:]:
        decoder.decode(bytearray(encoded(row)))
    assert decoder.rows == 100
    batches = flushed(decoder)
    assert [batch.num_rows for batch in batches] == [30, 30, 30, 10]
    assert pa.Table.from_batches(batches).to_pylist() == ROWS
    assert pa.schema(decoder.schema) == batches[0].schema
    assert (decoder.rows, decoder.flush()) == (0, None)


def test_options_are_those_of_read_avro(tmp_path):
    path = tmp_path / "rows.avro"
    with path.open("wb") as file:
        fastavro.writer(file, SCHEMA, ROWS)
    options = {"columns": ["scores", "id"], "encoding": "tfx", "double_as_float": True}
    decoder = af.AvroRecordDecoder(SCHEMA, **options)
    decoder.extend(map(encoded, ROWS))
    assert flushed(decoder) == [pa.record_batch(batch) for batch in af.read_avro(path, **options)]


def test_records_of_two_schemas_come_in_their_order():
    decoder = af.AvroRecordDecoder(OLD, reader_schema=SCHEMA)
    new = decoder.add_writer(SCHEMA)
    assert (new, decoder.add_writer(OLD), decoder.add_writer(af.AvroSchema(SCHEMA))) == (1, 0, 1)
    decoder.decode(encoded({"id": 1}, OLD))
    decoder.decode(encoded(ROWS[3]), writer=new)
    decoder.extend([encoded({"id": 2}, OLD)], writer=0)
    [batch] = flushed(decoder)
    assert batch.to_pylist() == [
        {"id": 1, "name": None, "scores": []},
        ROWS[3],
        {"id": 2, "name": None, "scores": []},
    ]


def test_a_damaged_record_is_named_and_the_decoder_goes_on():
    decoder = af.AvroRecordDecoder(SCHEMA)
    records = [encoded(row) for row in ROWS[:3]]
    with pytest.raises(af.CorruptBlockError) as caught:
        decoder.extend([records[0], records[1] + b"\0", records[2]])
    assert str(caught.value) == "byte 12, record 1: expected the end of the record, found 1 more byte"
    assert (caught.value.record, caught.value.path) == (1, None)
    decoder.decode(records[2])
    assert flushed(decoder)[0].to_pylist() == [ROWS[0], ROWS[2]]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: af.AvroRecordDecoder(SCHEMA, threads=2),
            TypeError,
            "AvroRecordDecoder() got an unexpected keyword",
        ),
        (lambda: af.AvroRecordDecoder("{"), af.SchemaError, "expected a schema in JSON"),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).decode("x"),
            TypeError,
            "record: expected bytes, found str 'x'",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).extend(b"x"),
            TypeError,
            "records: expected an iterable of bytes",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).decode(b"", writer=1),
            ValueError,
            "writer: expected a number that add_writer() gave, found int 1",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).add_writer(OLD),
            af.SchemaError,
            "expected a writer's schema with",
        ),
    ],
)
def test_wrong_calls_are_named(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
