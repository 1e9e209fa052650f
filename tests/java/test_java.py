"""arrowfeed reads the values that Java's Avro wrote, and Java reads those that arrowfeed wrote.

``ARROWFEED_JAVA_OUT`` names the folder of the generated files. README.md describes them.
"""

from __future__ import annotations

import datetime
import json
import os
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from plain_json import difference, rows
from write_files import ARROW_TYPES

if "ARROWFEED_JAVA_OUT" not in os.environ:
    pytest.skip("ARROWFEED_JAVA_OUT is not set: run `make test-java`", allow_module_level=True)

import arrowfeed as af

OUT = Path(os.environ["ARROWFEED_JAVA_OUT"])
FILES = sorted((OUT / "files").glob("*.avro"))
PAIRS = sorted((OUT / "resolution").glob("*.avro"))
WRITTEN = json.loads((OUT / "written" / "expected.json").read_text("utf-8"))
THREADS = [1, 2]


def test_the_generator_wrote_the_tested_files() -> None:
    assert len(FILES) >= 30
    assert len(PAIRS) >= 1500
    assert len(WRITTEN) >= 50


def _stem(path: Path) -> str:
    return path.stem


def _expected(path: Path) -> dict[str, Any]:
    return json.loads(path.with_suffix(".json").read_text("utf-8"))


def _read(path: Path, expected: dict[str, Any], **options: Any) -> list[Any]:
    reader = af.read_avro(str(path), **options)
    # Batch by batch, because Arrow's streams replace our error class with their own.
    batches = [pa.record_batch(batch) for batch in reader]
    table = pa.Table.from_batches(batches, schema=pa.schema(reader.schema))
    table.validate(full=True)
    return rows(table, record_root=expected["record_root"])


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("path", FILES, ids=_stem)
def test_a_file_reads_as_it_was_written(path: Path, threads: int) -> None:
    expected = _expected(path)
    options = {"columns": expected.get("columns"), "threads": threads}
    assert difference(_read(path, expected, **options), expected["values"]) is None
    assert difference(_read(path, expected, batch_size=7, **options), expected["values"]) is None


@pytest.mark.parametrize("path", FILES, ids=_stem)
def test_codec_metadata_and_blocks_are_those_of_the_file(path: Path) -> None:
    expected = _expected(path)
    header = af.avro_schema(str(path))
    assert header.codec == expected["codec"]
    for key, value in expected["metadata"].items():
        assert header.metadata[key] == value.encode("latin-1")
    reader = af.read_avro(str(path), columns=expected.get("columns"))
    assert pa.table(reader).num_rows == len(expected["values"])
    assert reader.report()["blocks"] == expected["blocks"]


@pytest.mark.parametrize("path", FILES, ids=_stem)
def test_canonical_form_and_fingerprint_are_those_of_java(path: Path) -> None:
    expected = _expected(path)
    header = af.avro_schema(str(path))
    assert header.canonical == expected["canonical"]
    assert f"{header.fingerprint:x}" == expected["fingerprint"]


@pytest.mark.parametrize("path", [path for path in FILES if "columns" in _expected(path)], ids=_stem)
def test_recursive_columns_are_refused_unless_projected_away(path: Path) -> None:
    with pytest.raises(af.SchemaError):
        _read(path, _expected(path))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("path", PAIRS, ids=_stem)
def test_a_pair_resolves_as_in_java(path: Path, threads: int) -> None:
    expected = _expected(path)
    options = {"reader_schema": json.dumps(expected["reader"]), "threads": threads}
    if "values" in expected:
        assert difference(_read(path, expected, **options), expected["values"]) is None
    elif expected["error_at"] == "schema":
        with pytest.raises(af.SchemaError):
            _read(path, expected, **options)
    else:
        with pytest.raises(af.ArrowfeedError) as raised:
            _read(path, expected, **options)
        assert not isinstance(raised.value, af.InternalError)


LOGICAL_TYPES = {
    "suit": pa.dictionary(pa.int32(), pa.string()),
    "date": pa.date32(),
    "time_millis": pa.time32("ms"),
    "time_micros": pa.time64("us"),
    "timestamp_millis": pa.timestamp("ms", "UTC"),
    "timestamp_micros": pa.timestamp("us", "UTC"),
    "timestamp_nanos": pa.timestamp("ns", "UTC"),
    "local_timestamp_millis": pa.timestamp("ms"),
    "local_timestamp_micros": pa.timestamp("us"),
    "local_timestamp_nanos": pa.timestamp("ns"),
    "decimal_bytes": pa.decimal128(20, 4),
    "decimal_bytes_wide": pa.decimal256(60, 10),
    "decimal_fixed": pa.decimal128(15, 2),
    "decimal_fixed_wide": pa.decimal256(76, 0),
    "uuid_text": pa.uuid(),
    "uuid_fixed": pa.uuid(),
    "duration": pa.month_day_nano_interval(),
    "null_date": pa.date32(),
}


def test_each_logical_type_has_its_arrow_type() -> None:
    """The plain form does not show the type: a timestamp looks like a long."""
    table = pa.table(af.read_avro(str(OUT / "files" / "rich_null.avro")))
    assert {name: table.schema.field(name).type for name in LOGICAL_TYPES} == LOGICAL_TYPES


@pytest.mark.parametrize("name", WRITTEN)
def test_java_reads_files_of_arrowfeed(name: str) -> None:
    found = json.loads((OUT / "written" / f"{name}.json").read_text("utf-8"))
    assert "error" not in found, found["error"]
    assert found["codec"] == WRITTEN[name]["codec"]
    found, expected = found["values"], WRITTEN[name]["values"]
    if name.startswith("arrow_types."):
        # The names of the columns are those of types, most of which are not valid in Avro.
        found = [dict(zip(ARROW_TYPES, row.values(), strict=True)) for row in found]
    assert difference(found, expected) is None


EPOCH = datetime.date(1970, 1, 1)


def _of_fastavro(value: Any, expected: Any) -> Any:
    """The plain form of a value that fastavro has read; `expected` tells durations and unions."""
    if isinstance(expected, dict):
        return {"branch": expected["branch"], "value": value}
    if isinstance(value, bytes) and isinstance(expected, list):
        return list(struct.unpack("<3I", value))
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, Decimal):
        sign, digits, _ = value.as_tuple()
        return str((-1) ** sign * int("".join(map(str, digits))))
    if isinstance(value, datetime.datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, datetime.date):
        return (value - EPOCH).days
    if isinstance(value, datetime.time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000
    if isinstance(value, dict):
        return [[key, value[key]] for key in sorted(value)]
    return value


@pytest.mark.parametrize("name", [name for name in WRITTEN if name.startswith("arrow_types.")])
def test_fastavro_reads_files_of_arrowfeed(name: str) -> None:
    expected = WRITTEN[name]["values"]
    with (OUT / "written" / f"{name}.avro").open("rb") as file:
        read = list(fastavro.reader(file))
    rows_of_both = zip(read, expected, strict=True)
    found = [
        {column: _of_fastavro(value, row[column]) for column, value in zip(row, values.values(), strict=True)}
        for values, row in rows_of_both
    ]
    assert difference(found, expected) is None
