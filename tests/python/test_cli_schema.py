"""`arrowfeed schema` prints each part of a header."""

import json

import fastavro
import pytest

from command_line import process
from conftest import users, write

SCHEMA = {
    "type": "record",
    "name": "Point",
    "doc": "Où ?",
    "fields": [
        {"name": "x", "type": "float"},
        {"name": "when", "type": {"type": "long", "logicalType": "date"}},
    ],
}
PRETTY = """\
{
  "type": "record",
  "doc": "Où ?",
  "name": "Point",
  "fields": [
    {
      "name": "x",
      "type": "float"
    },
    {
      "name": "when",
      "type": {
        "logicalType": "date",
        "type": "long"
      }
    }
  ]
}
"""
CANONICAL = (
    '{"name":"Point","type":"record","fields":[{"name":"x","type":"float"},{"name":"when","type":"long"}]}'
)
ARROW = "x: Float32 not null\nwhen: Int64 not null\n"
METADATA = {"made.by": "tests", "sum": "??"}


@pytest.fixture
def point(tmp_path):
    path = tmp_path / "point.avro"
    write(path, [{"x": 1.5, "when": 3}], SCHEMA, codec="deflate", metadata=METADATA)
    # fastavro has no metadata that is not text.
    path.write_bytes(path.read_bytes().replace(b"??", b"\xff\x00"))
    return path


def fingerprint():
    return fastavro.schema.fingerprint(CANONICAL, "CRC-64-AVRO")


def test_the_avro_schema_is_pretty_json(arrowfeed, point):
    assert arrowfeed("schema", "point.avro") == (0, PRETTY, "")


def test_each_part_alone(arrowfeed, point):
    metadata = '{\n  "made.by": "tests",\n  "sum": "ÿ\\u0000"\n}\n'
    parts = {
        "arrow": ARROW,
        "canonical": CANONICAL + "\n",
        "codec": "deflate\n",
        "metadata": metadata,
    }
    for part, text in parts.items():
        assert arrowfeed("schema", f"--{part}", "point.avro") == (0, text, "")
    # fastavro prints the bytes in the order that they are stored in.
    stored = bytes.fromhex(fingerprint())
    assert arrowfeed("schema", "--fingerprint", "point.avro").out.strip() in (
        stored.hex(),
        stored[::-1].hex(),
    )


def test_all_parts_as_json_lines(arrowfeed, point):
    ran = arrowfeed("schema", "--json", "point.avro", "point.avro")
    first, second = map(json.loads, ran.out.splitlines())
    assert first == second
    assert first.pop("fingerprint") == arrowfeed("schema", "--fingerprint", "point.avro").out.strip()
    [warning] = first.pop("warnings")
    assert "date" in warning
    assert first.pop("arrow").endswith("x: Float32 not null\n  when: Int64 not null")
    assert first == {
        "file": "point.avro",
        "format": "avro",
        "detected_by": "it begins with the bytes 4f 62 6a 01",
        "codec": "deflate",
        "metadata": {"made.by": "tests", "sum": "ÿ\x00"},
        "schema": SCHEMA,
        "canonical": CANONICAL,
    }


def test_several_files_have_their_names_above(arrowfeed, point, tmp_path):
    write(tmp_path / "other.avro", users(1))
    ran = arrowfeed("schema", "--codec", "point.avro", "other.avro")
    assert ran == (0, "==> point.avro <==\ndeflate\n\n==> other.avro <==\nnull\n", "")


def test_standard_input(point):
    done = process("schema", "--codec", "-", input=point.read_bytes())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"deflate\n", b"")
    done = process("schema", "--json", "-", input=point.read_bytes())
    assert json.loads(done.stdout)["file"] is None


def test_two_parts_are_a_wrong_call(arrowfeed, point):
    ran = arrowfeed("schema", "--codec", "--arrow", "point.avro")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("argument --arrow: not allowed with argument --codec\n")
