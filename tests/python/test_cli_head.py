"""`arrowfeed head` prints rows as JSON and as a table."""

import datetime as dt
import decimal
import json
import math
import sys
import uuid

import fastavro
import pytest

from command_line import lines_on_a_terminal, process
from conftest import users, write
from random_avro import Generator
from session_seed import seeds

ROWS = """\
{"id": 0, "name": null, "scores": [], "home": {"city": "city 0", "zip": 0}}
{"id": 1, "name": "user 1", "scores": [0.25], "home": {"city": "city 1", "zip": 1}}
{"id": 2, "name": "user 2", "scores": [0.5, 0.75], "home": {"city": "city 2", "zip": 2}}
"""


def test_rows_are_json_lines(arrowfeed, users_file):
    assert arrowfeed("head", "-n", 3, "users.avro") == (0, ROWS, "")


def test_ten_rows_are_the_default(arrowfeed, users_file):
    for count, options in ((10, ()), (0, ("-n", 0)), (100, ("--rows", 1000)), (99, ("-n", "99"))):
        ran = arrowfeed("head", *options, "users.avro")
        assert [json.loads(line) for line in ran.out.splitlines()] == users(count)


def test_a_table_is_aligned_and_long_values_are_cut(arrowfeed, tmp_path):
    rows = [
        {"id": 1234567, "name": "東京", "scores": [], "home": {"city": "x" * 50, "zip": -1000}},
        {"id": -5, "name": None, "scores": [1.5], "home": {"city": "e\u0301\n\u202e", "zip": 1}},
    ]
    write(tmp_path / "a.avro", rows)
    assert arrowfeed("head", "--table", "a.avro") == (
        0,
        "       id  name  scores  home\n"
        '1,234,567  東京  []      {"city": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\n'
        '       -5  null  [1.5]   {"city": "e\u0301\\n\\u202e", "zip": 1}\n',
        "",
    )
    assert arrowfeed("head", "--table", "-n", 0, "a.avro") == (0, "id  name  scores  home\n", "")


def test_files_are_one_set_of_rows(arrowfeed, tmp_path):
    write(tmp_path / "a.avro", users(2))
    write(tmp_path / "b.avro", users(5, first=2))
    for files in (("a.avro", "b.avro"), ("*.avro",), (".",)):
        ran = arrowfeed("head", "-n", 3, *files)
        assert ran == (0, ROWS, "")


def test_columns_and_reader_schema(arrowfeed, users_file, tmp_path):
    ran = arrowfeed("head", "-n", 1, "--columns", "home.zip, id", "--columns", "name", "users.avro")
    assert ran == (0, '{"home": {"zip": 0}, "id": 0, "name": null}\n', "")
    fields = [{"name": "id", "type": "double"}, {"name": "new", "type": "int", "default": 7}]
    schema = {"type": "record", "name": "User", "fields": fields}
    (tmp_path / "reader.avsc").write_text(json.dumps(schema))
    ran = arrowfeed("head", "-n", 2, "--reader-schema", "reader.avsc", "users.avro")
    assert ran == (0, '{"id": 0.0, "new": 7}\n{"id": 1.0, "new": 7}\n', "")


def one(name, kind, logical=None, **more):
    kind = kind if logical is None else {"type": kind, "logicalType": logical, **more}
    return {"name": name, "type": kind}


ALL = {
    "type": "record",
    "name": "All",
    "fields": [
        one("float", "float"),
        one("double", "double"),
        one("bytes", "bytes"),
        one("fixed", {"type": "fixed", "name": "F", "size": 2}),
        one("enum", {"type": "enum", "name": "E", "symbols": ["A", "B"]}),
        one("map", {"type": "map", "values": "int"}),
        one("union", ["null", "int", "string"]),
        one("date", "int", "date"),
        one("millis", "int", "time-millis"),
        one("micros", "long", "timestamp-micros"),
        one("nanos", "long", "timestamp-nanos"),
        one("local", "long", "local-timestamp-millis"),
        one("decimal", "bytes", "decimal", precision=6, scale=2),
        one("uuid", "string", "uuid"),
        {"name": "duration", "type": {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}},
    ],
}
VALUES = [
    {
        "float": 0.1,
        "double": float("nan"),
        "bytes": b"a\x00\x9b\xff",
        "fixed": b"ab",
        "enum": "B",
        "map": {"b": 2, "a": 1},
        "union": "x",
        "date": dt.date(1, 2, 3),
        "millis": dt.time(1, 2, 3, 4000),
        "micros": dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc),
        "nanos": 1,
        "local": dt.datetime(1969, 12, 31, 23, 59),  # noqa: DTZ001
        "decimal": decimal.Decimal("-0.10"),
        "uuid": uuid.UUID(int=1),
        "duration": bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]),
    },
]


def test_each_type_has_its_form(arrowfeed, tmp_path):
    write(tmp_path / "all.avro", VALUES, ALL)
    assert arrowfeed("head", "all.avro") == (
        0,
        '{"float": 0.1, "double": "NaN", "bytes": "a\\u0000\\u009bÿ", "fixed": "ab", "enum": "B",'
        ' "map": {"b": 2, "a": 1}, "union": {"string": "x"}, "date": "0001-02-03", "millis": "01:02:03.004",'
        ' "micros": "2026-01-02T00:00:00.000000Z", "nanos": "1970-01-01T00:00:00.000000001Z",'
        ' "local": "1969-12-31T23:59:00.000", "decimal": "-0.10",'
        ' "uuid": "00000000-0000-0000-0000-000000000001",'
        ' "duration": {"months": 1, "days": 2, "milliseconds": 3}}\n',
        "",
    )


def test_infinities_and_other_roots(arrowfeed, tmp_path):
    write(
        tmp_path / "a.avro",
        [[math.inf, -math.inf, -0.0, None]],
        {"type": "array", "items": ["double", "null"]},
    )
    assert arrowfeed("head", "a.avro") == (0, '{"value": ["Infinity", "-Infinity", -0.0, null]}\n', "")


def expected(schema, value, named):
    """The expected output of a value, from its schema alone."""
    if isinstance(schema, list):
        return in_union(schema, value, named)
    schema = named.get(schema, schema) if isinstance(schema, str) else schema
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind == "record":
        fields = schema["fields"]
        return {field["name"]: expected(field["type"], value[field["name"]], named) for field in fields}
    if kind == "array":
        return [expected(schema["items"], item, named) for item in value]
    if kind == "map":
        return {key: expected(schema["values"], item, named) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    return moment(schema, value) if isinstance(value, (dt.date, dt.time)) else value


def in_union(branches, value, named):
    if value is None:
        return None
    names = [branch if isinstance(branch, str) else branch["type"] for branch in branches]
    if len(branches) == 2 and "null" in names:
        return expected(branches[1 - names.index("null")], value, named)
    kinds = {bool: "boolean", int: "long", float: "double", str: "string", bytes: "bytes", list: "array"}
    name = kinds.get(type(value), "map")
    return {name: expected(branches[names.index(name)], value, named)}


def moment(schema, value):
    kind = schema["logicalType"]
    if kind == "date":
        return value.isoformat()
    text = value.isoformat(timespec="milliseconds" if "millis" in kind else "microseconds")
    return text.removesuffix("+00:00") + ("Z" if kind.startswith("timestamp") else "")


@pytest.mark.parametrize("chunk", range(4))
def test_random_rows_are_those_of_fastavro(arrowfeed, tmp_path, chunk):
    rows = 0
    for number, seed in enumerate(seeds(chunk * 25, chunk * 25 + 25)):
        generator = Generator(seed)
        schema = generator.root()
        path = write(tmp_path / "a.avro", [generator.value(schema) for _ in range(number % 12)], schema)
        is_record = isinstance(schema, dict) and schema["type"] == "record"
        with path.open("rb") as file:
            wanted = [expected(schema, row, generator.named) for row in fastavro.reader(file)]
        ran = arrowfeed("head", "-n", 100, "a.avro")
        found = [json.loads(line) for line in ran.out.splitlines()]
        assert (ran.code, ran.err) == (0, "")
        assert found == [row if is_record else {"value": row} for row in wanted], f"seed {seed}: {schema}"
        rows += len(wanted)
    assert rows > 100


def test_output_is_utf8_in_any_locale(tmp_path):
    write(tmp_path / "a.avro", ["é\u2028"], "string")
    done = process(
        "head", "a.avro", cwd=tmp_path, env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, '{"value": "é\\u2028"}\n'.encode(), b"")


def test_standard_input_beside_files(users_file, tmp_path):
    done = process("head", "-n", "3", "-", input=users_file.read_bytes())
    assert done.stdout.decode() == ROWS
    write(tmp_path / "two.avro", users(2))
    done = process("head", "-n", "5", "two.avro", "-", cwd=tmp_path, input=users_file.read_bytes())
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0, 1, 0, 1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_a_table_fits_the_terminal(tmp_path):
    rows = [{"id": number, "name": "東京" * 30, "city": "x" * 35, "zip": 10**12} for number in range(3)]
    fields = [("id", "long"), ("name", "string"), ("city", "string"), ("zip", "long")]
    schema = {"type": "record", "name": "R", "fields": [{"name": n, "type": t} for n, t in fields]}
    write(tmp_path / "a.avro", rows, schema)
    lines = lines_on_a_terminal(60, "head", "--table", tmp_path / "a.avro")
    assert lines == [
        "id  name               city                              zip",
        *[f"{number:>2}  {'東京' * 4}…  {'x' * 17}…  1,000,000,000,000" for number in range(3)],
    ]


def test_a_recursive_column_is_left_out_by_name(arrowfeed, tmp_path):
    fields = [{"name": "value", "type": "long"}, {"name": "next", "type": ["null", "List"]}]
    schema = {"type": "record", "name": "List", "fields": fields}
    write(tmp_path / "a.avro", [{"value": 1, "next": {"value": 2, "next": None}}], schema)
    for options in (("--exclude", "next"), ("--columns", "value")):
        assert arrowfeed("head", *options, "a.avro") == (0, '{"value": 1}\n', "")
    found = 'arrowfeed: --exclude: expected a column, one of "value", "next", found "x"\n'
    assert arrowfeed("head", "--exclude", "x", "a.avro") == (2, "", found)
    reason = (
        'record "List" is recursive and cannot become an Arrow column; '
        "leave it out with `exclude` or `columns`"
    )
    assert arrowfeed("head", "a.avro") == (1, "", f"arrowfeed: a.avro: next: {reason}\n")
    flat = tmp_path / "flat.avsc"
    flat.write_text(
        json.dumps({**schema, "fields": [*fields[:1], {"name": "n", "type": "int", "default": 3}]})
    )
    options = ("--reader-schema", "flat.avsc", "--exclude", "value")
    assert arrowfeed("head", *options, "a.avro") == (0, '{"n": 3}\n', "")
    assert arrowfeed("count", "--json", "a.avro") == (0, '{"path": "a.avro", "rows": 1}\n', "")
