"""The option `unions` makes structs or JSON text, which Parquet, polars and duckdb accept."""

from __future__ import annotations

import inspect
import io
import json
import pickle

import duckdb
import fastavro
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import arrowfeed as af
from arrowfeed import features
from arrowfeed._rendering.json_values import json_rows
from avro_splits import plan_splits, read_split
from conftest import write
from random_avro import Generator
from session_seed import seeds

BRANCH = {"type": "record", "name": "n.B", "fields": [{"name": "v", "type": ["int", "string"]}]}
SCHEMA = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "id", "type": "int"},
        {"name": "u", "type": ["null", "int", "string", BRANCH]},
        {"name": "a", "type": {"type": "array", "items": ["long", "string"]}},
    ],
}
ROWS = [
    {"id": 0, "u": None, "a": [1, "x"]},
    {"id": 1, "u": 5, "a": []},
    {"id": 2, "u": "text", "a": ["y"]},
    {"id": 3, "u": ("n.B", {"v": "z"}), "a": [2]},
    {"id": 4, "u": ("n.B", {"v": 6}), "a": [3]},
]
NONE = {"int": None, "string": None, "n.B": None}
STRUCTS = [
    None,
    {**NONE, "int": 5},
    {**NONE, "string": "text"},
    {**NONE, "n.B": {"v": {"int": None, "string": "z"}}},
    {**NONE, "n.B": {"v": {"int": 6, "string": None}}},
]
ITEMS = [
    [{"long": 1, "string": None}, {"long": None, "string": "x"}],
    [],
    [{"long": None, "string": "y"}],
    [{"long": 2, "string": None}],
    [{"long": 3, "string": None}],
]
TEXTS = [None, '{"int":5}', '{"string":"text"}', '{"n.B":{"v":{"string":"z"}}}', '{"n.B":{"v":{"int":6}}}']
TEXT_ITEMS = [['{"long":1}', '{"string":"x"}'], [], ['{"string":"y"}'], ['{"long":2}'], ['{"long":3}']]
EXPECTED = {"struct": (STRUCTS, ITEMS), "json": (TEXTS, TEXT_ITEMS)}
FORMS = pytest.mark.parametrize("unions", ["struct", "json"])


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "u.avro", ROWS, SCHEMA)


def test_the_schema_of_each_form(path):
    def fields(unions):
        schema = pa.schema(af.read_avro(path, unions=unions).schema)
        assert schema.equals(
            pa.schema(af.AvroDataset(path, columns=["id", "u", "a"], unions=unions).arrow_schema)
        )
        return schema

    inner = pa.struct([("int", pa.int32()), ("string", pa.string())])
    branch = pa.struct([pa.field("v", inner, nullable=False)])
    union = pa.struct([("int", pa.int32()), ("string", pa.string()), ("n.B", branch)])
    item = pa.field("item", pa.struct([("long", pa.int64()), ("string", pa.string())]), nullable=False)
    assert fields("struct") == pa.schema(
        [
            pa.field("id", pa.int32(), nullable=False),
            pa.field("u", union),
            pa.field("a", pa.list_(item), nullable=False),
        ]
    )
    texts = pa.field("a", pa.list_(pa.field("item", pa.string(), nullable=False)), nullable=False)
    id_ = pa.field("id", pa.int32(), nullable=False)
    assert fields("json") == pa.schema([id_, pa.field("u", pa.string()), texts])
    assert pa.types.is_union(fields("dense").field("u").type)
    assert pa.schema(af.read_avro(path).schema) == fields("dense")
    schema = pa.schema(af.read_avro(path, unions="json", string_type="large_utf8").schema)
    assert schema.field("u").type == pa.large_string()


@FORMS
def test_parquet_has_the_values(path, tmp_path, unions):
    parquet.write_table(af.read_avro(path, unions=unions).to_pyarrow(), tmp_path / "u.parquet")
    found = parquet.read_table(tmp_path / "u.parquet")
    assert (found["u"].to_pylist(), found["a"].to_pylist()) == EXPECTED[unions]
    again = pa.table(af.read_parquet(tmp_path / "u.parquet"))
    assert (again["u"].to_pylist(), again["a"].to_pylist()) == EXPECTED[unions]


@FORMS
def test_polars_has_the_values(path, unions):
    for frame in (
        pl.DataFrame(af.read_avro(path, unions=unions)),
        af.read_avro(path, unions=unions).to_polars(),
        af.scan_avro(path, unions=unions).collect(),
    ):
        assert (frame["u"].to_list(), frame["a"].to_list()) == EXPECTED[unions]


def test_scan_avro_reads_structs_by_default(path):
    assert inspect.signature(af.scan_avro).parameters["unions"].default == "struct"
    frame = af.scan_avro(path).filter(pl.col("u").struct.field("int") == 5).select("id").collect()
    assert frame["id"].to_list() == [1]


@FORMS
def test_duckdb_has_the_values(path, unions):
    connection = duckdb.connect()
    connection.register("rows", pa.RecordBatchReader.from_stream(af.read_avro(path, unions=unions)))
    found = connection.sql("select u, a from rows").fetchall()
    assert ([row[0] for row in found], [row[1] for row in found]) == EXPECTED[unions]


@FORMS
def test_every_way_to_read_has_the_same_batches(path, unions):
    [whole] = af.read_avro(path, unions=unions)
    [split] = plan_splits(path)
    [of_split] = read_split(split, unions=unions)
    assert of_split == whole
    columns = ["id", "u", "a"]
    for dataset in (
        af.AvroDataset(path, columns=columns, unions=unions),
        af.open_dataset(path, columns=columns, unions=unions),
    ):
        for copy in (dataset, pickle.loads(pickle.dumps(dataset))):
            [batch] = copy.record_batches(batch_size=8)
            assert pa.record_batch(batch).equals(pa.record_batch(whole))
    decoder = af.AvroRecordDecoder(SCHEMA, unions=unions)
    [raw] = af.read_avro(path, raw=True)
    decoder.extend(pa.record_batch(raw)["record"].to_pylist())
    assert decoder.schema == whole.schema
    assert decoder.flush() == whole


def test_the_json_text_is_what_the_command_line_prints():
    """For random schemas and values. Texts are compared as JSON values."""
    texts = 0
    for seed in seeds(0, 80):
        generator = Generator(seed)
        schema = generator.name({"type": "record", "fields": [{"name": "u", "type": generator.union(3)}]})
        file = io.BytesIO()
        fastavro.writer(file, schema, [generator.value(schema) for _ in range(20)])
        [batch] = pa.table(af.read_avro(file.getvalue())).to_batches()
        if not pa.types.is_union(batch.schema.field("u").type):
            continue
        found = pa.table(af.read_avro(file.getvalue(), unions="json"))["u"].to_pylist()
        values = [None if text is None else json.loads(text) for text in found]
        assert values == [row["u"] for row in json_rows(batch)]
        texts += len(values)
    assert texts > 500


def test_keys_of_tensors(path):
    def values(key, unions):
        dataset = af.AvroDataset(path, features={key: features.Ragged()}, unions=unions)
        [tensors] = dataset.tensors(batch_size=8)
        return tensors[key].flat_values.tolist()

    assert values("u.string", "struct") == values("u:string", "dense")
    assert values("u['n.B'].v.int", "struct") == values("u:['n.B'].v:int", "dense") == [6]
    for unions, key, message in (
        (
            "json",
            "u:string",
            'key "u:string", character 2: expected a union with the branch "string",'
            " found a union that was read as JSON text",
        ),
        (
            "struct",
            "u:string",
            'key "u:string", character 2: expected a union with the branch "string", found a record',
        ),
    ):
        with pytest.raises(af.RepresentationError) as caught:
            values(key, unions)
        assert str(caught.value) == message


def test_a_projection_selects_branches(path):
    table = pa.table(af.read_avro(path, columns=["u.string", "a.long"], unions="struct"))
    assert table["u"].to_pylist() == [None, *({"string": value} for value in (None, "text", None, None))]
    assert table["a"].to_pylist() == [[{"long": item["long"]} for item in items] for items in ITEMS]
    with pytest.raises(af.SchemaError) as caught:
        af.read_avro(path, columns=["u.float"], unions="struct")
    assert str(caught.value) == (
        f'{path}: u: expected a branch of the union ("int", "string", "n.B"), found "float"'
    )


@pytest.mark.parametrize("encoding", ["feature", "tfx"])
def test_the_other_encodings_put_lists_around_both_forms(path, encoding):
    with pytest.raises(af.SchemaError) as caught:
        af.read_avro(path, encoding=encoding)
    assert str(caught.value) == (
        f"{path}: u: expected a type that can be a feature, found a union:"
        " choose one of its types with a reader schema, or read unions as structs or JSON"
    )
    structs = pa.table(af.read_avro(path, encoding=encoding, unions="struct"))["u"].to_pylist()
    assert structs[:3] == [
        None,
        [{**NONE, "int": [5]}],
        [{**NONE, "string": ["text" if encoding == "feature" else b"text"]}],
    ]
    texts = pa.table(af.read_avro(path, encoding=encoding, unions="json"))["u"].to_pylist()
    convert = str if encoding == "feature" else str.encode
    assert texts == [None if text is None else [convert(text)] for text in TEXTS]


@FORMS
def test_a_damaged_file_has_the_error_of_dense_unions(path, unions):
    def error(data, **options):
        try:
            list(af.read_avro(data, **options))
        except af.ArrowfeedError as error:
            return type(error), str(error)
        return None

    whole = path.read_bytes()
    errors = []
    for at in range(len(whole) // 2, len(whole)):
        data = whole[:at] + b"\xff" + whole[at + 1 :]
        errors.append(error(data))
        assert error(data, unions=unions) == errors[-1]
    assert sum(error is not None for error in errors) > 10


@FORMS
@pytest.mark.parametrize("suffix", ["parquet", "arrow", "avro", "jsonl"])
def test_the_command_line_converts_unions(arrowfeed, path, tmp_path, unions, suffix):
    out = tmp_path / f"out.{suffix}"
    ran = arrowfeed("convert", path.name, "-o", out.name, "--unions", unions)
    assert ran == (0, f"{out.name}: 5 rows, {out.stat().st_size} bytes\n", "")
    read = {
        "parquet": lambda: parquet.read_table(out),
        "arrow": lambda: pa.ipc.open_file(out).read_all(),
        "avro": lambda: pa.table(af.read_avro(out)),
        "jsonl": lambda: pa.Table.from_pylist([json.loads(line) for line in out.read_text().splitlines()]),
    }
    table = read[suffix]()
    assert (table["u"].to_pylist(), table["a"].to_pylist()) == EXPECTED[unions]


def test_the_command_line_prints_unions_and_names_a_wrong_format(arrowfeed, path, tmp_path):
    for command in ("head", "cat"):
        ran = arrowfeed(command, path.name, "--unions", "json", "--columns", "u")
        assert ran == (0, "".join(json.dumps({"u": text}) + "\n" for text in TEXTS), "")
    assert arrowfeed("convert", path.name, "-o", "dense.avro", "--unions", "dense").code == 0
    assert af.avro_schema(tmp_path / "dense.avro").canonical == af.avro_schema(path).canonical
    (tmp_path / "a.csv").write_text("id\n1\n")
    ran = arrowfeed("cat", "a.csv", "--unions", "json")
    assert ran == (
        2,
        "",
        "arrowfeed: --unions: expected a file of avro, found a.csv of csv, which has no such option\n",
    )
