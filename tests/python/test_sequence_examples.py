"""`tf.SequenceExample` messages are read from files and from memory."""

import copy
import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Ragged, VarLenSparse

SEQUENCE = "##SEQUENCE##"
SCHEMA = {"user": "int64", SEQUENCE: {"token": "int64", "word": "bytes"}}

ROWS = [
    {"user": [7], SEQUENCE: {"token": [[1, 2], [3]], "word": [[b"a", b"b"], None]}},
    {"user": None, SEQUENCE: {"token": [], "word": None}},
    {"user": [], SEQUENCE: {"token": [[], [1 << 40]], "word": [[b""]]}},
]
"""A step is null, a list is null, and a list is empty."""

TYPES = pa.schema(
    {
        "user": pa.large_list(pa.int64()),
        SEQUENCE: pa.struct(
            {
                "token": pa.large_list(pa.large_list(pa.int64())),
                "word": pa.large_list(pa.large_list(pa.large_binary())),
            }
        ),
    }
)

TABLE = pa.Table.from_pylist(ROWS, TYPES)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.tfrecord"
    assert af.write_tfrecord(TABLE, path, format="sequence_example") == 3
    return path


def test_messages_become_rows_and_rows_messages():
    messages = af.encode_sequence_examples(TABLE)
    for decoder in (af.SequenceExampleRecordDecoder(SCHEMA), af.SequenceExampleRecordDecoder()):
        batch = decoder.decode(messages).to_pyarrow()
        assert batch.schema.equals(TYPES)
        assert batch.to_pylist() == ROWS
    assert pa.schema(af.SequenceExampleRecordDecoder(SCHEMA).schema).equals(TYPES)
    assert af.SequenceExampleRecordDecoder().schema is None


def test_a_decoder_can_be_copied_and_has_a_repr():
    schema = {"user": "int64", "steps": {"token": "int64"}}
    decoder = af.SequenceExampleRecordDecoder(schema, sequence_column="steps")
    table = TABLE.rename_columns(["user", "steps"])
    messages = af.encode_sequence_examples(table, sequence_column="steps")
    expected = decoder.decode(messages).to_pyarrow()
    assert expected["steps"].to_pylist()[0] == {"token": [[1, 2], [3]]}
    schema["steps"]["token"] = "bytes"
    for again in (pickle.loads(pickle.dumps(decoder)), copy.copy(decoder)):
        assert again.decode(messages).to_pyarrow().equals(expected)
    assert repr(decoder) == "<arrowfeed.SequenceExampleRecordDecoder of 1 feature, 1 of steps>"
    unknown = pickle.loads(pickle.dumps(af.SequenceExampleRecordDecoder(sequence_column="steps")))
    assert unknown.decode(messages).to_pyarrow().schema.names == ["user", "steps"]
    assert repr(unknown) == "<arrowfeed.SequenceExampleRecordDecoder without a schema>"


def test_a_file_is_read_with_and_without_a_schema(path):
    for schema in (SCHEMA, None):
        table = pa.table(af.read_tfrecord(path, format="sequence_example", schema=schema))
        assert table.schema.equals(TYPES)
        assert table.to_pylist() == ROWS


@pytest.mark.parametrize("messages", ["example", "sequence_example"])
def test_the_schema_is_inferred_in_every_encoding(tmp_path, messages):
    path = tmp_path / "rows.tfrecord"
    table = TABLE if messages == "sequence_example" else TABLE.select(["user"])
    schema = SCHEMA if messages == "sequence_example" else {"user": "int64"}
    af.write_tfrecord(table, path, format=messages)
    for encoding in ("tfx", "feature"):
        options = {"format": messages, "encoding": encoding}
        inferred = af.read_tfrecord(path, **options).to_pyarrow()
        assert inferred.equals(af.read_tfrecord(path, schema=schema, **options).to_pyarrow())
    raw = af.read_tfrecord(path, format="raw").to_pyarrow()
    assert raw.num_rows == 3


@pytest.mark.parametrize(
    ("columns", "first"),
    [
        ([f"{SEQUENCE}.word", "user"], {SEQUENCE: {"word": [[b"a", b"b"], None]}, "user": [7]}),
        ([f"['{SEQUENCE}'].token"], {SEQUENCE: {"token": [[1, 2], [3]]}}),
        ([SEQUENCE], {SEQUENCE: ROWS[0][SEQUENCE]}),
        (["user"], {"user": [7]}),
        ([], {}),
    ],
)
def test_columns_are_those_of_field_paths(path, columns, first):
    reader = af.read_tfrecord(path, format="sequence_example", schema=SCHEMA, columns=columns)
    table = pa.table(reader)
    assert table.num_rows == 3
    assert table.schema.names == list(first)
    assert table.to_pylist()[:1] == ([first] if first else [{}])[: len(table.to_pylist())]
    dataset = af.SequenceExampleDataset(path, schema=SCHEMA, columns=columns, representations={})
    assert pa.schema(dataset.arrow_schema).equals(table.schema)


def test_an_unknown_path_is_an_error(path):
    options = {"format": "sequence_example", "schema": SCHEMA}
    with pytest.raises(af.SchemaError) as error:
        af.read_tfrecord(path, columns=[f"{SEQUENCE}.tokens"], **options)
    assert str(error.value) == (
        '##SEQUENCE##.tokens: expected a path to a field of the column "##SEQUENCE##", found none'
    )
    with pytest.raises(af.SchemaError, match='expected a path to a field of the column "##SEQUENCE##"'):
        af.read_tfrecord(path, columns=[f"{SEQUENCE}.token.more"], **options)
    with pytest.raises(af.SchemaError, match='expected a path to a field of the column "user", found none'):
        af.read_tfrecord(path, columns=["user.name"], **options)
    with pytest.raises(af.SchemaError, match='one of "user", "##SEQUENCE##", found none'):
        af.read_tfrecord(path, columns=["token"], **options)


def test_a_step_of_another_kind_is_an_error_with_its_place(path):
    schema = {SEQUENCE: {"token": "float"}}
    with pytest.raises(af.CorruptBlockError) as error:
        list(af.read_tfrecord(path, format="sequence_example", schema=schema))
    assert str(error.value) == (
        f"{path}: block 0 at byte 0, record 0: ##SEQUENCE##.token: expected values of float_list, found "
        "int64_list"
    )
    assert error.value.field == "##SEQUENCE##.token"
    reader = af.read_tfrecord(path, format="sequence_example", schema=schema, on_error="skip_block")
    assert pa.table(reader).num_rows == 1
    assert [skipped["rows"] for skipped in reader.report()["skipped"]] == [1, 1]
    with pytest.raises(af.CorruptBlockError) as error:
        af.SequenceExampleRecordDecoder(schema).decode(af.encode_sequence_examples(TABLE))
    assert error.value.record == 0


@pytest.mark.parametrize(
    ("schema", "error", "message"),
    [
        ({SEQUENCE: "int64"}, TypeError, r"schema\[\"##SEQUENCE##\"\]: expected a dict of names to kinds"),
        (
            {"user": "int"},
            ValueError,
            r'schema\["user"\]: expected "bytes", "float", "int64" or "null", found str',
        ),
        (
            {SEQUENCE: {"token": 7}},
            TypeError,
            r'schema\["token"\]: expected "bytes", "float", "int64" or "null", found int 7',
        ),
        (7, TypeError, "schema: expected a dict of names to kinds of values"),
    ],
)
def test_wrong_schemas_are_refused(schema, error, message, path):
    for made in (
        lambda: af.SequenceExampleRecordDecoder(schema),
        lambda: af.SequenceExampleDataset(path, schema=schema),
        lambda: af.read_tfrecord(path, format="sequence_example", schema=schema),
    ):
        with pytest.raises(error, match=message):
            made()


def test_a_column_of_sequences_that_is_no_struct_is_refused_and_no_file_is_left(tmp_path):
    path = tmp_path / "rows.tfrecord"
    with pytest.raises(af.ConversionError) as error:
        af.write_tfrecord(pa.table({SEQUENCE: [1]}), path, format="sequence_example")
    assert str(error.value) == "##SEQUENCE##: expected a struct of lists, found a column of Int64"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(
        ValueError, match="format: expected .example., .sequence_example. or .raw., found str .row."
    ):
        af.write_tfrecord(TABLE, path, format="row")


RECORDS = [b"", b"a", b"\x00\xff", "größe".encode()]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(RECORDS),
        pa.array(RECORDS, pa.large_binary()),
        pa.array(RECORDS, pa.binary_view()),
        pa.array(RECORDS).dictionary_encode(),
        pa.array([b"x", *RECORDS])[1:],
    ],
    ids=lambda column: str(column.type),
)
@pytest.mark.parametrize("compression", ["none", "zlib"])
def test_raw_records_are_the_values_of_the_only_column(tmp_path, column, compression):
    path = tmp_path / "rows.tfrecord"
    assert af.write_tfrecord(pa.table({"r": column}), path, format="raw", compression=compression) == 4
    assert pa.table(af.read_tfrecord(path, format="raw"))["record"].to_pylist() == RECORDS
    assert pa.table(af.read_tfrecord(path, format="raw", encoding="tfx")).num_rows == 4
    refused = "^encoding: expected 'tfx', the default, for raw records, found str 'feature'$"
    with pytest.raises(ValueError, match=refused):
        af.read_tfrecord(path, format="raw", encoding="feature")


def test_raw_records_are_refused_where_they_are_none(tmp_path):
    cases = [
        ({"a": [b"x"], "b": [b"y"]}, "expected one column of records, found 2 columns"),
        ({"a": [1]}, "a: expected bytes or text, found Int64"),
        ({"a": [b"x", None, None]}, "a: expected a record in each row, found 2 nulls"),
    ]
    for columns, message in cases:
        with pytest.raises(af.ConversionError) as error:
            af.write_tfrecord(pa.table(columns), tmp_path / "rows.tfrecord", format="raw")
        assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


def test_tensors_are_ragged(path):
    representations = {
        "user": VarLenSparse("user"),
        "token": Ragged([SEQUENCE, "token"]),
    }
    dataset = af.SequenceExampleDataset(path, schema=SCHEMA, representations=representations)
    [tensors] = dataset.tensors(batch_size=3)
    assert tensors["token"].to_list() == [[[1, 2], [3]], [], [[], [1 << 40]]]
    assert tensors["user"].values.tolist() == [7]
    assert pa.schema(dataset.arrow_schema).field(SEQUENCE).type.num_fields == 1
    inferred = af.SequenceExampleDataset(path)
    assert {name: type(one) for name, one in inferred.tensor_representations.items()} == {
        "user": VarLenSparse,
        f"{SEQUENCE}.token": Ragged,
        f"{SEQUENCE}.word": Ragged,
    }


def test_key_expressions_read_steps(path):
    key = f"['{SEQUENCE}'].token[*][*]"
    dataset = af.SequenceExampleDataset(path, schema=SCHEMA, features={key: features.Ragged()})
    [tensors] = dataset.tensors(batch_size=3)
    assert tensors[key].to_list() == [[[1, 2], [3]], [], [[], [1 << 40]]]


def test_a_dataset_can_be_copied(path):
    schema = copy.deepcopy(SCHEMA)
    dataset = af.SequenceExampleDataset(path, schema=schema, representations={"user": VarLenSparse("user")})
    schema[SEQUENCE]["token"] = "float"
    again = pickle.loads(pickle.dumps(dataset))
    assert again.fingerprint == dataset.fingerprint
    assert repr(again).startswith("<arrowfeed.SequenceExampleDataset of 1 tensor>")
    assert again.num_rows == 3


def test_the_encoding_feature_has_lists_of_other_types(path):
    expected = pa.schema(
        {
            "user": pa.list_(pa.int64()),
            SEQUENCE: pa.list_(
                pa.struct(
                    {
                        "token": pa.list_(pa.list_(pa.int64())),
                        "word": pa.list_(pa.list_(pa.binary())),
                    }
                )
            ),
        }
    )
    rows = [row | {SEQUENCE: [row[SEQUENCE]]} for row in ROWS]
    options = {"schema": SCHEMA, "encoding": "feature"}
    table = pa.table(af.read_tfrecord(path, format="sequence_example", **options))
    assert table.schema.equals(expected)
    assert table.to_pylist() == rows
    decoder = pickle.loads(pickle.dumps(af.SequenceExampleRecordDecoder(SCHEMA, encoding="feature")))
    assert pa.schema(decoder.schema).equals(expected)
    assert decoder.decode(af.encode_sequence_examples(TABLE)).to_pyarrow().to_pylist() == rows
    dataset = af.SequenceExampleDataset(
        path, features={f"['{SEQUENCE}'][*].token[*][*]": features.Ragged()}, **options
    )
    assert pa.schema(pickle.loads(pickle.dumps(dataset)).arrow_schema).names == [SEQUENCE]
    examples = af.ExampleRecordDecoder({"user": "int64"}, encoding="feature")
    batch = (
        pickle.loads(pickle.dumps(examples)).decode(af.encode_examples(pa.table({"user": [1]}))).to_pyarrow()
    )
    assert batch.schema.equals(pa.schema({"user": pa.list_(pa.int64())}))
    for made in (af.ExampleRecordDecoder, af.SequenceExampleRecordDecoder):
        with pytest.raises(ValueError, match='encoding: expected "tfx" or "feature", found str'):
            made(encoding="native")
