"""`AvroRecord` has features that tfx_bsl lacks: Avro schemas, nested records, files."""

import io
import pickle
from pathlib import Path

import fastavro
import pyarrow as pa
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

import arrowfeed as af
from arrowfeed import tfxio
from arrowfeed.representations import Dense, Ragged, VarLenSparse

FIELDS = {
    "id": "long",
    "flag": "boolean",
    "size": ["null", "double"],
    "name": "string",
    "kind": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]},
    "tags": {"type": "array", "items": "string"},
    "grid": {"type": "array", "items": {"type": "array", "items": "int"}},
    "user": {
        "type": "record",
        "name": "User",
        "fields": [{"name": "age", "type": "int"}, {"name": "mail", "type": ["null", "string"]}],
    },
    "friends": {"type": "array", "items": "User"},
    "votes": {"type": "map", "values": "long"},
}
AVRO = {"type": "record", "name": "Row", "fields": [{"name": n, "type": t} for n, t in FIELDS.items()]}
IN_ORDER = tfxio.RecordBatchesOptions(4, num_epochs=1, shuffle=False)


def row(number: int) -> dict:
    users = [{"age": age, "mail": f"{age}@x" if age % 2 else None} for age in range(number % 3)]
    return {
        "id": number,
        "flag": number % 2 == 0,
        "size": None if number % 3 == 0 else number / 2,
        "name": f"row {number}",
        "kind": "AB"[number % 2],
        "tags": ["t"] * (number % 4),
        "grid": [[number], []],
        "user": {"age": number, "mail": "m"},
        "friends": users,
        "votes": {"a": number},
    }


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.avro"
    with path.open("wb") as file:
        fastavro.writer(file, AVRO, [row(number) for number in range(10)])
    return str(path)


def test_representations_follow_from_the_types_of_avro(path):
    expected = {
        "id": Dense("id"),
        "flag": Dense("flag"),
        "size": VarLenSparse("size"),
        "name": Dense("name"),
        "kind": Dense("kind"),
        "tags": VarLenSparse("tags"),
        "grid": Ragged("grid"),
        "user.age": Ragged(["user", "age"]),
        "user.mail": Ragged(["user", "mail"]),
        "friends.age": Ragged(["friends", "age"]),
        "friends.mail": Ragged(["friends", "mail"]),
        "votes.key": Ragged(["votes", "key"]),
        "votes.value": Ragged(["votes", "value"]),
    }
    found = tfxio.AvroRecord(path).TensorRepresentations()
    assert {
        name: af.Representation.from_proto(one.SerializeToString()) for name, one in found.items()
    } == expected
    assert list(found) == list(expected)


def test_batches_and_tensors_have_all_rows(path):
    source = tfxio.AvroRecord(path)
    batches = list(source.RecordBatches(IN_ORDER))
    assert [batch.num_rows for batch in batches] == [4, 4, 2]
    assert all(batch.schema.equals(source.ArrowSchema()) for batch in batches)
    tensors = source.TensorAdapter().ToBatchTensors(batches[0])
    assert tensors["id"].numpy().tolist() == [0, 1, 2, 3]
    assert tensors["flag"].numpy().tolist() == [1, 0, 1, 0]
    assert tensors["name"].numpy().tolist() == [b"row 0", b"row 1", b"row 2", b"row 3"]
    assert tensors["friends.age"].to_list() == [[], [[0]], [[0], [1]], []]
    assert tensors["friends.mail"].to_list() == [[], [[]], [[], [b"1@x"]], []]


def test_a_projection_reads_only_the_fields_of_its_tensors(path):
    projected = tfxio.AvroRecord(path).Project(["friends.age", "id"])
    assert list(projected.TensorRepresentations()) == ["id", "friends.age"]
    friends = pa.large_list(pa.struct({"age": pa.large_list(pa.int64())}))
    assert projected.ArrowSchema().equals(pa.schema({"id": pa.large_list(pa.int64()), "friends": friends}))
    batch = next(projected.RecordBatches(IN_ORDER))
    assert projected.TensorAdapter().ToBatchTensors(batch)["friends.age"].to_list() == [
        [],
        [[0]],
        [[0], [1]],
        [],
    ]
    assert len(projected.TensorAdapter().OriginalTypeSpecs()) == 13
    dataset = projected.TensorFlowDataset(tfxio.TensorFlowDatasetOptions(4, num_epochs=1, shuffle=False))
    assert next(iter(dataset))["friends.age"].to_list() == [[], [[0]], [[0], [1]], []]


def test_a_struct_of_the_schema_is_a_record(path):
    schema = text_format.Parse(
        """feature { name: "friends" type: STRUCT struct_domain {
             feature { name: "mail" type: BYTES } feature { name: "age" type: INT } } }
           feature { name: "id" type: INT }""",
        schema_pb2.Schema(),
    )
    source = tfxio.AvroRecord(path, schema=schema)
    assert source.ArrowSchema().names == ["friends", "id"]
    assert list(source.TensorRepresentations()) == ["friends.mail", "friends.age", "id"]
    assert (
        tfxio.AvroRecord(path, schema=schema.SerializeToString()).ArrowSchema().equals(source.ArrowSchema())
    )


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ("name: 'id' type: BYTES", "feature 'id': expected a column of BYTES, found large_list<item: int64>"),
        (
            "name: 'name' type: FLOAT",
            "feature 'name': expected a column of FLOAT, found large_list<item: large_binary>",
        ),
        (
            "name: 'user' type: INT",
            "feature 'user': expected a column of INT, found large_list<item: struct<"
            "age: large_list<item: int64>, mail: large_list<item: large_binary>>>",
        ),
    ],
)
def test_a_feature_of_another_type_is_refused(path, feature, message):
    schema = text_format.Parse(f"feature {{ {feature} }}", schema_pb2.Schema())
    with pytest.raises(ValueError, match="expected a column") as caught:
        tfxio.AvroRecord(path, schema=schema).ArrowSchema()
    assert str(caught.value) == message


def test_a_feature_that_is_no_field_is_refused(path):
    schema = schema_pb2.Schema()
    schema.feature.add(name="nobody", type=schema_pb2.INT)
    with pytest.raises(af.SchemaError) as caught:
        tfxio.AvroRecord(path, schema=schema).TensorRepresentations()
    fields = ", ".join(f'"{name}"' for name in FIELDS)
    assert str(caught.value) == f'schema: expected a field of record "Row" ({fields}), found "nobody"'


def test_files_of_several_schemas_are_read_in_one(tmp_path, path):
    older = {**AVRO, "fields": AVRO["fields"][:1]}
    with (tmp_path / "a.avro").open("wb") as file:
        fastavro.writer(file, older, [{"id": 77}])
    fields = [{"name": "id", "type": "long"}, {"name": "name", "type": "string", "default": "?"}]
    source = tfxio.AvroRecord(tmp_path, reader_schema={**AVRO, "fields": fields})
    (batch,) = source.RecordBatches(IN_ORDER._replace(batch_size=100))
    assert batch.to_pydict()["id"] == [[77], *([number] for number in range(10))]
    assert batch.to_pydict()["name"][:2] == [[b"?"], [b"row 0"]]


def test_no_file_is_opened_before_it_is_needed(tmp_path):
    source = tfxio.AvroRecord(str(tmp_path / "*.avro"))
    with pytest.raises(FileNotFoundError):
        source.ArrowSchema()
    with pytest.raises(ValueError, match="^file_pattern: expected one or more patterns, found none$"):
        tfxio.AvroRecord([])


def test_a_corrupt_file_ends_a_dataset_with_its_place(path):
    with Path(path).open("r+b") as file:
        data = file.read()
        file.seek(data.index(b"row 7"))
        file.write(b"\xff")
    with pytest.raises(af.CorruptBlockError) as caught:
        list(tfxio.AvroRecord(path).RecordBatches(IN_ORDER))
    dataset = tfxio.AvroRecord(path).TensorFlowDataset(tfxio.TensorFlowDatasetOptions(4, num_epochs=1))
    with pytest.raises(tf.errors.InvalidArgumentError) as found:
        list(dataset)
    assert f"{path}: block 0 at byte" in str(caught.value)
    assert str(caught.value) in str(found.value)


def test_sources_can_be_pickled(path):
    schema = schema_pb2.Schema()
    schema.feature.add(name="id", type=schema_pb2.INT)
    for source in (
        tfxio.AvroRecord(path, schema=schema, limits=af.Limits(schema_depth=9)),
        tfxio.AvroRecord(path).Project(["id", "tags"]),
        tfxio.AvroBeamRecord("bytes", schema=schema, avro_schema=AVRO),
    ):
        before = pickle.loads(pickle.dumps(source))
        expected = source.TensorRepresentations()
        after = pickle.loads(pickle.dumps(source))
        for copy in (before, after):
            assert copy.ArrowSchema().equals(source.ArrowSchema())
            assert copy.TensorRepresentations() == expected
            assert copy.TensorAdapterConfig().arrow_schema.equals(source.ArrowSchema())


def test_raw_records_are_those_of_the_schema(path):
    source = tfxio.AvroRecord(path, raw_record_column_name="raw")
    raw = [raw for batch in source.RecordBatches(IN_ORDER) for (raw,) in batch.column("raw").to_pylist()]
    found = [fastavro.schemaless_reader(io.BytesIO(record), AVRO, None) for record in raw]
    assert found == [row(number) for number in range(10)]
    assert source.raw_record_column_name == "raw"
    assert source.SupportAttachingRawRecords()


def test_records_of_no_bytes_are_records(tmp_path):
    schema = {"type": "record", "name": "Row", "fields": [{"name": "nothing", "type": "null"}]}
    with (tmp_path / "x.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"nothing": None}] * 5)
    (batch,) = tfxio.AvroRecord(tmp_path, raw_record_column_name="raw").RecordBatches(
        IN_ORDER._replace(batch_size=9)
    )
    assert batch.to_pydict() == {"nothing": [None] * 5, "raw": [[b""]] * 5}


def test_records_of_a_pipeline_have_no_dataset():
    source = tfxio.AvroBeamRecord("bytes", avro_schema=AVRO)
    message = "^AvroBeamRecord cannot read files: use it in a Beam pipeline$"
    with pytest.raises(NotImplementedError, match=message):
        source.RecordBatches(IN_ORDER)
    with pytest.raises(NotImplementedError, match=message):
        source.TensorFlowDataset(tfxio.TensorFlowDatasetOptions(4))
    assert source.AvroSchema() == af.AvroSchema(AVRO)
    assert source.telemetry_descriptors is None
    assert source.physical_format == "bytes"
