"""`AvroRecordDecoder` decodes records without a file."""

import concurrent.futures
import io
import pickle
import re

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, VarLenSparse

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
        decoder.append(bytearray(encoded(row)))
    assert decoder.rows == 100
    batches = flushed(decoder)
    assert [batch.num_rows for batch in batches] == [30, 30, 30, 10]
    assert pa.Table.from_batches(batches).to_pylist() == ROWS
    assert pa.schema(decoder.schema) == batches[0].schema
    assert (decoder.rows, decoder.flush()) == (0, None)


def test_encoded_rows_are_messages_of_fastavro():
    table = pa.Table.from_pylist(ROWS)
    records = [encoded(row) for row in ROWS]
    assert af.encode_avro_records(table, SCHEMA) == records
    assert af.encode_avro_records(ROWS, SCHEMA) == records
    fingerprint = af.AvroSchema(SCHEMA).fingerprint
    heads = {
        "single_object": b"\xc3\x01" + fingerprint.to_bytes(8, "little"),
        "confluent": bytes(3) + b"\x01\x02",
    }
    for framing, schemas in (("single_object", [SCHEMA]), ("confluent", {258: SCHEMA})):
        schema_id = 258 if framing == "confluent" else None
        messages = af.encode_avro_records(table, SCHEMA, framing=framing, schema_id=schema_id)
        assert messages == [heads[framing] + record for record in records]
        decoder = af.AvroRecordDecoder(framing=framing, schemas=schemas)
        assert pa.record_batch(decoder.decode(messages)).to_pylist() == ROWS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"framing": "confluent"}, "schema_id: expected the ID of the schema, found None"),
        ({"schema_id": 7}, 'schema_id: expected None without framing="confluent", found int 7'),
        (
            {"framing": "confluent", "schema_id": 1 << 32},
            "expected a schema number of at most 4294967295, found 4294967296",
        ),
    ],
)
def test_framings_of_encoded_rows_need_their_identifiers(options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        af.encode_avro_records(ROWS, SCHEMA, **options)


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
    decoder.append(encoded({"id": 1}, OLD))
    decoder.append(encoded(ROWS[3]), writer=new)
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
    decoder.append(records[2])
    assert flushed(decoder)[0].to_pylist() == [ROWS[0], ROWS[2]]


def test_tensors_are_those_of_a_dataset(tmp_path):
    path = tmp_path / "rows.avro"
    named = [{**row, "name": f"n{row['id']}"} for row in ROWS]
    with path.open("wb") as file:
        fastavro.writer(file, SCHEMA, named)
    features = {"s": af.features.VarLen("float64", key="scores[*]"), "id": af.features.Dense([], "int64")}
    for tensors in (
        {"features": features},
        {"representations": {"s": VarLenSparse("scores"), "id": Dense("id")}},
        {"features": features, "columns": ["name", "scores", "id"]},
        {},
    ):
        dataset = af.AvroDataset(path, **tensors)
        decoder = af.AvroRecordDecoder(SCHEMA, batch_size=60, **tensors)
        assert decoder.specs == dataset.specs
        assert pa.schema(decoder.schema) == pa.schema(dataset.arrow_schema)
        decoder.extend(map(encoded, named))
        for expected in dataset.tensors(batch_size=60):
            assert plain(decoder.flush_tensors()) == plain(expected)
        assert decoder.flush_tensors() is None
        adapter = pickle.loads(pickle.dumps(decoder.tensor_adapter()))
        decoder.extend(map(encoded, named[:60]))
        expected = next(dataset.tensors(batch_size=60))
        assert plain(adapter.convert(decoder.flush())) == plain(expected)


def plain(tensors):
    """Tensors as lists."""
    lists = {}
    for name, tensor in tensors.items():
        lists[name] = [str(tensor.dtype)]
        if isinstance(tensor, af.SparseTensor):
            lists[name] += [tensor.indices.tolist(), tensor.values.tolist(), tensor.dense_shape]
        elif isinstance(tensor, af.RaggedTensor):
            lists[name] += [[splits.tolist() for splits in tensor.row_splits], tensor.flat_values.tolist()]
        else:
            lists[name] += [tensor.values.tolist()]
    return lists


def test_columns_that_contain_themselves_are_left_out_for_tensors():
    node = {"name": "next", "type": ["null", "Row"], "default": None}
    schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}, node]}
    decoder = af.AvroRecordDecoder(schema, features={"id": af.features.Dense([], "int64")})
    decoder.extend([b"\x02\x00", b"\x04\x02\x06\x00"])
    assert decoder.flush_tensors()["id"].values.tolist() == [1, 2]
    with pytest.raises(af.SchemaError, match=r"^topic: next: "):
        af.AvroRecordDecoder(schema, name="topic")


def test_errors_have_the_name_of_the_records():
    decoder = af.AvroRecordDecoder(SCHEMA, name="topic 3")
    with pytest.raises(af.CorruptBlockError) as caught:
        decoder.extend([encoded(ROWS[0]), b"\x00"])
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == "topic 3: byte 1, record 1: name: expected a union index, 0 bytes left"
    assert (error.path, error.record, error.field) == ("topic 3", 1, "name")
    assert error.reason == "expected a union index, 0 bytes left"


@pytest.mark.parametrize("wrong", [7, None])
def test_records_before_a_wrong_one_are_decoded(wrong):
    def records():
        yield from map(encoded, ROWS * 20)
        if wrong is None:
            raise OSError("the stream is closed")
        yield wrong

    decoder = af.AvroRecordDecoder(SCHEMA)
    kind, text = (OSError, "the stream is closed") if wrong is None else (TypeError, "record: expected bytes")
    with pytest.raises(kind, match=text):
        decoder.extend(records())
    assert decoder.rows == 2000


def test_threads_decode_side_by_side():
    # Each thread has its own decoder, and decoding releases the interpreter.
    def rows(seed):
        decoder = af.AvroRecordDecoder(SCHEMA)
        decoder.extend([encoded(row) for row in ROWS[seed:]] * 30)
        return decoder.rows

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(rows, range(8))) == [(100 - seed) * 30 for seed in range(8)]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: af.AvroRecordDecoder(SCHEMA, threads=2),
            TypeError,
            "AvroRecordDecoder.__new__() got an unexpected keyword",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA, features={}, representations={}),
            ValueError,
            "features: expected either features or representations, found both",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA, features=3),
            TypeError,
            "features: expected a dict of names to features, found int 3",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA, name=3),
            TypeError,
            "name: expected a str, found int 3",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA, features={"x": af.features.Dense([], "int64")}),
            af.RepresentationError,
            'key "x", character 1: expected a column of this name',
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA, reader_schema="merge"),
            ValueError,
            'reader_schema: expected a schema, found "merge": a decoder has no files whose schemas could be '
            "merged; pass avro_schema(files, merge=True), or a schema of your own",
        ),
        (lambda: af.AvroRecordDecoder("{"), af.SchemaError, "expected a schema in JSON"),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).append("x"),
            TypeError,
            "record: expected bytes, found str 'x'",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).extend(b"x"),
            TypeError,
            "records: expected an iterable of bytes",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).append([b"x"]),
            TypeError,
            "record: expected bytes, found list [b'x']",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).decode(b"", writer=1),
            ValueError,
            "writer: expected a number that add_writer() returned, found int 1",
        ),
        (
            lambda: af.AvroRecordDecoder(SCHEMA).add_writer(OLD),
            af.SchemaError,
            "expected a writer's schema with",
        ),
    ],
)
def test_wrong_calls_of_a_record_decoder_are_named(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)
