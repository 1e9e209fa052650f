"""The examples of the page on fastavro run, and both versions of each example give equal results."""

import io
import re
from pathlib import Path
from types import ModuleType

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af
from dataset_files import people_files

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "from-fastavro.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
PAIRS = {
    "Reading": ["total", "weights"],
    "With a reader schema": ["ids", "schema"],
    "Dicts": ["rows"],
    "Headers": ["codec", "names"],
    "Blocks": ["count"],
    "Writing": ["points", "schema"],
}
"""The results of both examples of a section."""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    people_files(tmp_path, [300], codec="null")[0].rename(tmp_path / "people.avro")
    monkeypatch.chdir(tmp_path)


def blocks(section):
    return re.findall(r"^```python\n(.*?)^```", SECTIONS[section], re.DOTALL | re.MULTILINE)


def run(*code):
    names = {"fastavro": fastavro, "af": af, "pa": pa}
    for block in code:
        exec(compile(block, "from-fastavro.md", "exec"), names)
    hidden = {"__builtins__", "file", "reader", "header", "table", "splits", "dataset"}
    return {
        name: value
        for name, value in names.items()
        if name not in hidden and not isinstance(value, ModuleType)
    }


@pytest.mark.parametrize("section", PAIRS)
def test_before_and_after_are_equal(section):
    before, after, *_ = blocks(section)
    found = run(before)
    written = Path("points.avro")
    content = [*fastavro.reader(written.open("rb"))] if written.exists() else None
    assert sorted(found) == PAIRS[section]
    assert run(after) == found
    if section == "Writing":
        assert [*fastavro.reader(written.open("rb"))] == content == found["points"]


def test_batch_by_batch_is_the_whole():
    _, whole, by_batch = blocks("Reading")
    assert run(whole, by_batch)["total"] == run(whole)["total"]


def test_each_block_of_code_is_run():
    assert [section for section in SECTIONS if "```python" in SECTIONS[section]] == [*PAIRS, "Damaged files"]
    assert PAGE.count("```python") == 2 * len(PAIRS) + 2
    (block,) = blocks("Damaged files")
    assert 0 < run(block)["rows"] < 300


def test_pyarrow_raises_an_error_of_its_own():
    with pytest.raises(pa.ArrowInvalid, match="expected 216 bytes of data and sync marker, found the end"):
        pa.table(af.read_avro(Path("people.avro").read_bytes()[:-3]))


def read(reader):
    """The number of rows, and the class of the error after them."""
    count = 0
    try:
        for _ in reader():
            count += 1
    except (ValueError, EOFError, af.ArrowfeedError) as error:
        return count, type(error)
    return count, None


def both(content):
    return (
        read(lambda: fastavro.reader(io.BytesIO(content))),
        read(lambda: af.read_avro(content, batch_size=1)),
    )


def file_of(kind, data, codec=b"null"):
    """A file of one block of one record, whose field `x` has these bytes."""
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": kind}]}
    file = io.BytesIO()
    fastavro.writer(file, schema, [], sync_marker=b"s" * 16)
    return file.getvalue() + bytes([2, 2 * len(data)]) + data + b"s" * 16


ENUM = {"type": "enum", "name": "e", "symbols": ["a", "b"]}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        pytest.param(["null", "string"], b"\x03", id="a union index below 0"),
        pytest.param(ENUM, b"\x01", id="an enum index below 0"),
        pytest.param("boolean", b"\x02", id="a boolean of 2"),
        pytest.param("int", b"\xfe\xff\xff\xff\xff\x7f", id="an int of 42 bits"),
        pytest.param("int", b"\x02\x04", id="a byte behind the last record"),
    ],
)
def test_values_that_only_fastavro_accepts_are_refused(kind, data):
    assert both(file_of(kind, data)) == ((1, None), (0, af.CorruptBlockError))


def test_a_wrong_marker_is_found_before_the_rows_of_its_block():
    content = file_of("int", b"\x02")
    assert both(content) == ((1, None), (1, None))
    assert both(content[:-1] + b"?") == ((1, ValueError), (0, af.CorruptBlockError))
    assert both(content[:-1]) == ((1, ValueError), (0, af.TruncatedError))
    assert both(content[:-17]) == ((0, EOFError), (0, af.TruncatedError))


def test_a_wrong_checksum_of_snappy_is_found():
    file = io.BytesIO()
    schema = {"type": "record", "name": "r", "fields": [{"name": "x", "type": "long"}]}
    fastavro.writer(file, schema, [{"x": 1}], codec="snappy")
    content = bytearray(file.getvalue())
    content[-17] ^= 1
    assert both(bytes(content)) == ((1, None), (0, af.CodecError))
