"""Framed messages are decoded: Avro single objects, and those of Confluent's registry."""

import io
import struct

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af

NEW = {
    "type": "record",
    "name": "Row",
    "fields": [{"name": "id", "type": "long"}, {"name": "name", "type": "string", "default": "-"}],
}
OLD = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "int"}]}
FINGERPRINTS = {name: af.AvroSchema(schema).fingerprint for name, schema in (("new", NEW), ("old", OLD))}


def binary(row, schema):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, row)
    return out.getvalue()


def single_object(row, schema):
    """A single object as in the specification."""
    fingerprint = af.AvroSchema(schema).fingerprint
    return b"\xc3\x01" + struct.pack("<Q", fingerprint) + binary(row, schema)


def confluent(row, schema, number):
    return struct.pack(">bI", 0, number) + binary(row, schema)


MESSAGES = [
    ({"id": 1, "name": "a"}, NEW, 7),
    ({"id": 2}, OLD, 1 << 31),
    ({"id": 3, "name": "b"}, NEW, 7),
]
ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": "-"}, {"id": 3, "name": "b"}]


def rows(batch):
    return pa.record_batch(batch).to_pylist()


@pytest.mark.parametrize(
    "schemas",
    [
        [NEW, OLD],
        {FINGERPRINTS["new"]: NEW, FINGERPRINTS["old"]: af.AvroSchema(OLD)},
        lambda fingerprint: {FINGERPRINTS["new"]: NEW, FINGERPRINTS["old"]: OLD}[fingerprint],
    ],
    ids=["list", "dict", "function"],
)
def test_single_objects_are_read_in_the_reader_schema(schemas):
    decoder = af.AvroRecordDecoder(framing="single_object", schemas=schemas, reader_schema=NEW)
    messages = [single_object(row, schema) for row, schema, _ in MESSAGES]
    assert rows(decoder.decode(messages)) == ROWS
    assert rows(decoder.decode(pa.array(messages, pa.binary()))) == ROWS
    for message in messages:
        decoder.append(message)
    assert rows(decoder.flush()) == ROWS
    assert [row for message in messages for row in rows(decoder.decode(message))] == ROWS


def test_a_registry_is_asked_once_for_each_number():
    asked = []

    def registry(number):
        asked.append(number)
        return {7: NEW, 1 << 31: OLD}[number]

    decoder = af.AvroRecordDecoder(framing="confluent", schemas=registry, reader_schema=NEW)
    messages = [confluent(*message) for message in MESSAGES]
    for _ in range(2):
        assert rows(decoder.decode(messages)) == ROWS
    decoder.extend(iter(messages))
    assert asked == [7, 1 << 31]
    assert decoder.rows == 3


def test_a_list_of_bare_records_is_a_batch_whatever_the_size_of_others():
    decoder = af.AvroRecordDecoder(NEW, batch_size=2)
    records = [binary({"id": number, "name": "x"}, NEW) for number in range(7)]
    assert [row["id"] for row in rows(decoder.decode(records))] == list(range(7))
    assert rows(decoder.decode([])) == []
    decoder.append(records[0])
    for more in (records, records[0]):
        with pytest.raises(ValueError, match=r"found rows of earlier calls: call flush\(\) first"):
            decoder.decode(more)


def test_errors_name_the_message_and_the_field():
    decoder = af.AvroRecordDecoder(framing="confluent", schemas={7: NEW}, name="clicks")
    good = confluent(*MESSAGES[0])
    with pytest.raises(af.CorruptBlockError) as error:
        decoder.decode([good, good[:-1]])
    assert (error.value.record, error.value.field, error.value.path) == (1, "name", "clicks")
    # The byte belongs to the message.
    assert error.value.offset == 6
    with pytest.raises(af.SchemaError) as error:
        decoder.decode([good, good, confluent(*MESSAGES[1])])
    assert error.value.record == 2
    assert str(error.value) == (
        "clicks: record 2: expected a message of one of the schemas of the decoder, found the number "
        "2147483648"
    )
    with pytest.raises(af.CorruptBlockError, match="expected a message that begins with 00, found c3"):
        decoder.decode(single_object(*MESSAGES[0][:2]))
    with pytest.raises(
        af.CorruptBlockError, match="expected a message header of 5 bytes, found a message of 2 bytes"
    ):
        decoder.decode([good[:2]])
    # After an error in a list, none of its messages is kept.
    decoder.flush()
    assert rows(decoder.decode([good])) == ROWS[:1]


def test_errors_of_the_registry_come_as_they_are():
    def registry(number):
        raise LookupError(f"no schema {number}")

    decoder = af.AvroRecordDecoder(framing="confluent", schemas=registry, reader_schema=NEW)
    with pytest.raises(LookupError, match="no schema 7"):
        decoder.decode([confluent(*MESSAGES[0])])
    decoder = af.AvroRecordDecoder(framing="confluent", schemas=lambda _: None, reader_schema=NEW)
    with pytest.raises(af.SchemaError, match="found the number 7"):
        decoder.decode([confluent(*MESSAGES[0])])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({}, ValueError, "schema: expected a schema, found None"),
        ({"framing": "confluent", "schemas": len}, ValueError, "schema: expected a schema, found None"),
        ({"schemas": [NEW], "reader_schema": NEW}, ValueError, "schemas: expected framing"),
        ({"framing": "kafka", "reader_schema": NEW}, ValueError, "framing"),
        ({"framing": "confluent", "schemas": [NEW]}, TypeError, "schemas: expected a dict of fingerprints"),
        ({"framing": "confluent", "schemas": {-1: NEW}}, ValueError, "schemas"),
        ({"framing": "confluent", "schemas": {1: 5}}, TypeError, "schemas"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        af.AvroRecordDecoder(**arguments)
