"""Names that violate the specification are read as fastavro reads them."""

import io
import random

import fastavro
import pyarrow as pa
import pytest
from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form
from pyarrow import parquet

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged
from command_line import Commands
from session_seed import cases, seeds

CASES = cases(300)
PIECES = (
    "a",
    "B",
    "_",
    "9",
    "$",
    "-",
    " ",
    ".",
    "[",
    "]",
    "'",
    "['",
    "']",
    ",",
    "(",
    "é",
    "名",
    "\n",
    "🦀",
    "",
    "x.y",
)
JOB = "org.apache.avro.mapred.TestReflectJob$"


def file_of(schema: object, records: list) -> bytes:
    file = io.BytesIO()
    fastavro.writer(file, schema, records)
    return file.getvalue()


def rows(data: bytes, **options: object) -> list[dict]:
    return pa.table(af.read_avro(data, **options)).to_pylist()


class Names:
    """Random schemas of records whose names are random texts, and records of them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.types: set[str] = set()

    def text(self) -> str:
        return "".join(self.rng.choice(PIECES) for _ in range(self.rng.randint(0, 4)))

    def type_names(self) -> dict[str, str]:
        """A new name. One whose only dot is the first character is `.C` to fastavro, and `C` to Java."""
        while True:
            names = {"name": self.text()} | ({"namespace": self.text()} if self.rng.random() < 0.5 else {})
            simple = names["name"].rsplit(".", 1)[-1]
            if (
                simple not in self.types
                and simple not in ("int", "string")
                and not names["name"].startswith(".")
            ):
                self.types.add(simple)
                return names

    def record(self, depth: int = 0) -> dict:
        fields = {self.text(): self.type(depth) for _ in range(self.rng.randint(1, 4))}
        return {
            "type": "record",
            **self.type_names(),
            "fields": [{"name": name, "type": kind} for name, kind in fields.items()],
        }

    def type(self, depth: int) -> object:
        kind = self.rng.choice(("int", "string", "fixed", "array", "record"))
        if kind == "fixed":
            return {"type": "fixed", **self.type_names(), "size": 2}
        if kind in ("array", "record") and depth < 3:
            record = self.record(depth + 1)
            return record if kind == "record" else {"type": "array", "items": record}
        return "int" if kind == "array" else "string" if kind == "record" else kind


def value(schema: object, rng: random.Random) -> object:
    if schema == "int":
        return rng.randrange(1000)
    if schema == "string":
        return rng.choice("xyz")
    if schema["type"] == "fixed":
        return rng.randbytes(2)
    if schema["type"] == "array":
        return [value(schema["items"], rng) for _ in range(rng.randrange(3))]
    return {field["name"]: value(field["type"], rng) for field in schema["fields"]}


@pytest.mark.parametrize("chunk", range(10))
def test_files_that_fastavro_reads_are_read_alike(chunk):
    for seed in seeds(chunk * CASES // 10, (chunk + 1) * CASES // 10):
        names = Names(seed)
        schema = names.record()
        records = [value(schema, names.rng) for _ in range(3)]
        data = file_of(schema, records)
        assert rows(data) == list(fastavro.reader(io.BytesIO(data))) == records, seed
        found = af.AvroSchema(schema)
        canonical = to_parsing_canonical_form(schema)
        assert found.canonical == canonical, seed
        assert found.fingerprint.to_bytes(8, "little").hex() == fingerprint(canonical, "CRC-64-AVRO"), seed


def paths(schema: object, before: str = "") -> list[tuple[str, list[str]]]:
    """The quoted path of each value that is not a record."""
    if not isinstance(schema, dict) or schema["type"] == "fixed":
        return [(before, [])]
    if schema["type"] == "array":
        return paths(schema["items"], before)
    return [
        (path, [field["name"], *names])
        for field in schema["fields"]
        for path, names in paths(field["type"], f"{before}['{field['name'].replace(chr(39), 2 * chr(39))}']")
    ]


def chosen(record: object, names: list[str]) -> object:
    """The record with only the value at the end of a path of names."""
    if isinstance(record, list):
        return [chosen(item, names) for item in record]
    return {names[0]: chosen(record[names[0]], names[1:])} if names else record


@pytest.mark.parametrize("chunk", range(10))
def test_every_field_has_a_path(chunk):
    for seed in seeds(chunk * CASES // 10, (chunk + 1) * CASES // 10):
        names = Names(seed)
        schema = names.record()
        records = [value(schema, names.rng) for _ in range(3)]
        data = file_of(schema, records)
        for path, steps in paths(schema):
            assert rows(data, columns=[path]) == [chosen(record, steps) for record in records], (seed, path)


def test_reflected_classes_of_java_are_read():
    count = {"type": "record", "name": "Count", "fields": [{"name": "n", "type": "long"}]}
    schema = {
        "type": "record",
        "name": "Text",
        "namespace": JOB,
        "fields": [
            {"name": "text", "type": "string"},
            {"name": "count", "type": count},
            {"name": "again", "type": ["null", f"{JOB}.Count"]},
        ],
    }
    records = [{"text": "a", "count": {"n": 1}, "again": {"n": 2}}]
    data = file_of(schema, records)
    assert rows(data) == records
    assert af.avro_schema(data).canonical == to_parsing_canonical_form(parse_schema(schema))


LISTS = {
    "type": "record",
    "name": "AB",
    "fields": [{"name": "c d", "type": {"type": "array", "items": "long"}}],
}
FLAT = {
    "type": "record",
    "name": "",
    "fields": [
        {"name": "user", "type": "int"},
        {"name": "user.id", "type": "int"},
        {"name": "total [EUR]", "type": "double"},
        {"name": "a.b", "type": LISTS},
    ],
}
FLAT_ROW = {"user": 1, "user.id": 2, "total [EUR]": 0.5, "a.b": {"c d": [3, 4]}}


def test_the_columns_of_a_schema_are_paths_of_it():
    data = file_of(FLAT, [FLAT_ROW])
    names = af.read_avro(data).schema.names
    assert rows(data, columns=names) == [FLAT_ROW]
    assert rows(data, columns=["a.b.c d", "user.id"]) == [{"a.b": {"c d": [3, 4]}, "user.id": 2}]


def test_a_path_with_two_meanings_is_refused():
    schema = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "a.b", "type": "int"},
            {"name": "a", "type": {"type": "record", "name": "A", "fields": [{"name": "b", "type": "int"}]}},
        ],
    }
    data = file_of(schema, [{"a.b": 1, "a": {"b": 2}}])
    with pytest.raises(af.SchemaError) as caught:
        af.read_avro(data, columns=["a.b"])
    assert str(caught.value) == (
        f"<{len(data)} bytes>: expected a path of one field, found \"a.b\", which may be \"['a']['b']\" or"
        " \"['a.b']\": write one of these"
    )
    assert rows(data, columns=["['a.b']", "['a']['b']"]) == [{"a.b": 1, "a": {"b": 2}}]


def test_tensors_of_such_fields_are_made(tmp_path):
    path = tmp_path / "flat.avro"
    path.write_bytes(file_of(FLAT, [FLAT_ROW, FLAT_ROW]))
    features = {
        "total": af.features.Dense([], "float64", key="['total [EUR]']"),
        "id": af.features.Dense([], "int32", key="['user.id']"),
        "values": af.features.Ragged("int64", key="['a.b']['c d'][*]"),
    }
    dataset = af.AvroDataset([str(path)], features=features)
    assert dataset.arrow_schema.names == ["total [EUR]", "user.id", "a.b"]
    assert dataset.explain().splitlines()[0] == "1 file, columns: total [EUR], user.id, a.b"
    [batch] = dataset.tensors(batch_size=2)
    assert batch["total"].numpy().tolist() == [0.5, 0.5]
    assert batch["id"].numpy().tolist() == [2, 2]
    dataset = af.AvroDataset(
        [str(path)], representations={"x": Dense("user.id"), "y": Ragged(["a.b", "c d"])}
    )
    assert dataset.arrow_schema.names == ["user.id", "a.b"]
    [batch] = dataset.tensors(batch_size=2)
    assert batch["x"].numpy().tolist() == [2, 2]


RENAMED = pa.table({"st x": [{"in.ner": 1, "ok": 2}], "a.b": [5], "c": [6]})


@pytest.fixture
def renamed(tmp_path):
    """A file of columns that `write_avro` renames, because their names are not valid in Avro."""
    af.write_avro(RENAMED, tmp_path / "renamed.avro")
    assert list(fastavro.reader((tmp_path / "renamed.avro").open("rb"))) == [
        {"st_x": {"in_ner": 1, "ok": 2}, "a_b": 5, "c": 6}
    ]
    return tmp_path / "renamed.avro"


PATHS = {
    "st x": {"st x": {"in.ner": 1, "ok": 2}},
    "st x.ok": {"st x": {"ok": 2}},
    "st x.in.ner": {"st x": {"in.ner": 1}},
    "['st x']['in.ner']": {"st x": {"in.ner": 1}},
    "a.b": {"a.b": 5},
    "['a.b']": {"a.b": 5},
    # The names in Avro.
    "st_x.in_ner": {"st x": {"in.ner": 1}},
    "a_b": {"a.b": 5},
}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_names_columns_that_write_avro_renamed(renamed, path):
    assert rows(renamed, columns=[path]) == [PATHS[path]]
    [batch] = af.AvroDataset(renamed, columns=[path]).record_batches(batch_size=9)
    assert batch.to_pyarrow().to_pylist() == [PATHS[path]]
    decoder = af.AvroRecordDecoder(af.avro_schema(renamed), columns=[path])
    assert decoder.schema.names == list(PATHS[path])


def test_a_path_to_no_field_of_such_a_column_is_refused(renamed):
    for path, message in {
        "st x.nope": 'st_x: expected a field of record "topLevelRecord.st_x" ("in.ner", "ok"), found "nope"',
        "a.c": 'expected a field of record "topLevelRecord" ("st x", "a.b", "c"), found "a"',
        "a.b.c": "a_b: expected a record to select fields from, found long",
    }.items():
        with pytest.raises(af.SchemaError) as caught:
            af.read_avro(renamed, columns=[path])
        assert str(caught.value) == f"{renamed}: {message}"


def test_such_columns_are_found_with_a_reader_schema_and_in_features_and_scans(renamed, tmp_path):
    schema = af.avro_schema(renamed).json
    assert rows(renamed, columns=["st x.ok"], reader_schema=schema) == [{"st x": {"ok": 2}}]
    wanted = {"x": af.features.Dense([], key="['st x']['in.ner']"), "y": af.features.Dense([], key="['a.b']")}
    dataset = af.AvroDataset(renamed, features=wanted)
    assert dataset.arrow_schema.to_pyarrow().field("st x").type == pa.struct({"in.ner": pa.int64()})
    [batch] = dataset.tensors(batch_size=1)
    assert (batch["x"].numpy().tolist(), batch["y"].numpy().tolist()) == ([1], [5])
    dataset = af.AvroDataset(renamed, representations={"x": Dense("a.b")})
    assert next(dataset.tensors(batch_size=1))["x"].numpy().tolist() == [5]
    for scan in (af.scan_avro, af.scan_dataset):
        assert scan(renamed).select("a.b", "st x").collect().to_dicts() == [
            {"a.b": 5, "st x": {"in.ner": 1, "ok": 2}}
        ]
    assert af.scan_dataset(renamed, columns=["st x.ok"]).collect().to_dicts() == [{"st x": {"ok": 2}}]


@pytest.mark.parametrize("path", [path for path in PATHS if "_" not in path])
def test_the_same_paths_name_columns_of_parquet(tmp_path, path):
    parquet.write_table(RENAMED, tmp_path / "a.parquet")
    assert pa.table(af.read_parquet(tmp_path / "a.parquet", columns=[path])).to_pylist() == [PATHS[path]]


def test_the_command_line_finds_such_columns(renamed, capsys):
    run = Commands(capsys)
    found = run("cat", "--columns", "st x.ok,a.b", renamed)
    assert (found.code, found.out) == (0, '{"st x": {"ok": 2}, "a.b": 5}\n')
    found = run("cat", "--exclude", "st x", renamed)
    assert (found.code, found.out) == (0, '{"a.b": 5, "c": 6}\n')
