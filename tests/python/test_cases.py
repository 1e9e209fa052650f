"""The cases of ``tests/cases/avro`` pass in Python. The format is in ``tests/README.md``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parents[1] / "cases" / "avro"
ENCODINGS = ["native", "feature", "tfx"]


def _corpus() -> dict[str, dict[str, Any]]:
    topics = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
    return {f"{topic}-{case['name']}": case for topic, file in topics.items() for case in file["case"]}


def _outcomes() -> list[Any]:
    """Every case in each of its encodings, with its expected result."""
    outcomes = []
    for name, case in CORPUS.items():
        for encoding in ENCODINGS:
            expected = {"error": case["error"]} if "error" in case else case.get(encoding)
            if expected is not None:
                outcomes.append(pytest.param(case, encoding, expected, id=f"{name}-{encoding}"))
    return outcomes


CORPUS = _corpus()


def test_the_corpus_of_avro_exists() -> None:
    assert len(CORPUS) >= 400
    assert len(_outcomes()) >= 1000


@pytest.mark.parametrize(("case", "encoding", "expected"), _outcomes())
def test_case(case: dict[str, Any], encoding: str, expected: dict[str, Any]) -> None:
    data, start = container(case)
    for batch_size in [1000, 1]:
        if "error" in expected:
            with pytest.raises(getattr(af, expected["error"]["kind"] + "Error")) as raised:
                read(case, data, encoding, batch_size)
            assert str(raised.value) == whole_message(expected["error"], data, start)
            continue
        schema, batches = read(case, data, encoding, batch_size)
        assert ", ".join(f"{field.name}: {slot(field)}" for field in schema) == expected_schema(expected)
        assert [row for batch in batches for row in rows(batch)] == expected_rows(expected)


@pytest.mark.parametrize("case", CORPUS.values(), ids=CORPUS.keys())
def test_warnings(case: dict[str, Any]) -> None:
    data, _ = container(case)
    assert list(af.avro_schema(data).warnings) == case.get("warnings", [])


# What is written.


def record_of_x(type_: str) -> str:
    return f'{{"type": "record", "name": "R", "fields": [{{"name": "x", "type": {type_}}}]}}'


def container(case: dict[str, Any]) -> tuple[bytes, int]:
    """A file with codec null and one block, and where the block's data starts."""
    schema = case.get("schema") or record_of_x(case["type"])
    if "hex" in case:
        records = [bytes.fromhex(text) for text in case["hex"]]
    else:
        values = json.loads(case.get("records") or case["values"])
        records = encoded(
            json.loads(schema), values if "records" in case else [{"x": value} for value in values]
        )
    payload = b"".join(records)
    metadata = {"avro.schema": schema.encode(), "avro.codec": b"null"}
    head = b"Obj\x01" + plain({"type": "map", "values": "bytes"}, metadata) + b"\x5a" * 16
    head += plain("long", len(records)) + plain("long", len(payload))
    return head + payload + b"\x5a" * 16, len(head)


def plain(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return out.getvalue()


def encoded(schema: Any, records: list[Any]) -> list[bytes]:
    named: dict[str, Any] = {}
    schema = bare(schema, named)
    return [plain(schema, for_fastavro(schema, record, named)) for record in records]


def bare(schema: Any, named: dict[str, Any]) -> Any:
    """The schema without the logical types that fastavro would convert or reject. Fills ``named``."""
    if isinstance(schema, list):
        return [bare(branch, named) for branch in schema]
    if not isinstance(schema, dict):
        return schema
    ignored = ("logicalType", "precision", "scale", "default")
    out = {key: value for key, value in schema.items() if key not in ignored}
    for key in ["type", "items", "values"]:
        if key in out:
            out[key] = bare(out[key], named)
    if "fields" in out:
        out["fields"] = [bare(field, named) for field in out["fields"]]
    if "name" in out:
        named[out["name"]] = out
    return out


def for_fastavro(schema: Any, value: Any, named: dict[str, Any]) -> Any:
    """A value in Avro's JSON encoding as fastavro takes it."""
    if isinstance(schema, list):
        if value is None:
            return None
        [(name, inner)] = value.items()
        [branch] = [branch for branch in schema if branch_name(branch) == name]
        return name, for_fastavro(branch, inner, named)
    schema = named.get(schema, schema) if isinstance(schema, str) else schema
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind in ("record", "error"):
        return {
            field["name"]: for_fastavro(field["type"], value[field["name"]], named)
            for field in schema["fields"]
        }
    if kind == "array":
        return [for_fastavro(schema["items"], item, named) for item in value]
    if kind == "map":
        return {key: for_fastavro(schema["values"], item, named) for key, item in value.items()}
    if kind in ("bytes", "fixed"):
        return value.encode("latin-1")
    if kind in ("float", "double"):
        return float(value)
    return value


def branch_name(branch: Any) -> str:
    return branch if isinstance(branch, str) else branch.get("name", branch["type"])


# What is read.


def read(
    case: dict[str, Any], data: bytes, encoding: str, batch_size: int
) -> tuple[pa.Schema, list[pa.RecordBatch]]:
    reader_schema = case.get("reader_schema")
    if "reader_type" in case:
        reader_schema = record_of_x(case["reader_type"])
    reader = af.read_avro(
        data,
        columns=case.get("columns"),
        reader_schema=reader_schema,
        batch_size=batch_size,
        encoding=encoding,
        string_type=case.get("string_type", "utf8"),
        unions=case.get("unions", "dense"),
        fixed_lengths=case.get("fixed_lengths"),
        double_as_float=case.get("double_as_float", False),
    )
    # Not by a stream, which would wrap the errors of the reader.
    batches = [pa.record_batch(batch) for batch in reader]
    for batch in batches:
        batch.validate(full=True)
    return pa.schema(reader.schema), batches


def expected_schema(expected: dict[str, Any]) -> str:
    return expected["schema"] if "schema" in expected else f"x: {expected['type']}"


def expected_rows(expected: dict[str, Any]) -> list[Any]:
    if "rows" in expected:
        return json.loads(expected["rows"])
    return [{"x": value} for value in json.loads(expected["values"])]


def whole_message(error: dict[str, Any], data: bytes, start: int) -> str:
    place = ""
    if "at" in error:
        place = f"block 0 at byte {start + error['at']:,}"
        place += f", record {error['record']}: " if "record" in error else ": "
    if "field" in error:
        place += f"{error['field']}: "
    return f"<{len(data)} bytes>: {place}{error['message']}"


NAMES = {
    pa.bool_(): "boolean",
    pa.float32(): "float32",
    pa.float64(): "float64",
    pa.string(): "utf8",
    pa.large_string(): "large_utf8",
    pa.string_view(): "utf8_view",
    pa.date32(): "date32",
}


def slot(field: pa.Field) -> str:
    return text(field.type) + ("?" if field.nullable else "")


def text(type_: pa.DataType) -> str:
    """An Arrow type as the cases spell it."""
    if isinstance(type_, pa.BaseExtensionType):
        return type_.extension_name.removeprefix("arrow.")
    if pa.types.is_dictionary(type_):
        return f"dictionary<{text(type_.index_type)}, {text(type_.value_type)}>"
    if pa.types.is_map(type_):
        return f"map<{slot(type_.key_field)}, {slot(type_.item_field)}>"
    if pa.types.is_list(type_):
        return f"list<{slot(type_.value_field)}>"
    if pa.types.is_large_list(type_):
        return f"large_list<{slot(type_.value_field)}>"
    if pa.types.is_fixed_size_list(type_):
        return f"fixed_size_list<{slot(type_.value_field)}>[{type_.list_size}]"
    if pa.types.is_struct(type_) or pa.types.is_union(type_):
        children = ", ".join(f"{child.name}: {slot(child)}" for child in type_)
        return f"{'struct' if pa.types.is_struct(type_) else 'union'}<{children}>"
    if pa.types.is_fixed_size_binary(type_) and not pa.types.is_decimal(type_):
        return f"fixed_size_binary[{type_.byte_width}]"
    return NAMES.get(type_, str(type_).replace("tz=", ""))


def rows(batch: pa.RecordBatch) -> list[Any]:
    columns = {name: [value(scalar) for scalar in batch.column(name)] for name in batch.schema.names}
    return [{name: column[i] for name, column in columns.items()} for i in range(batch.num_rows)]


def value(scalar: pa.Scalar) -> Any:
    """An Arrow value as the cases write it."""
    type_ = scalar.type
    if pa.types.is_union(type_):
        # pyarrow loses the branch of a null, which is always the branch `null` in Avro.
        if scalar.value is None:
            return {"null": None}
        return {type_.field(scalar.type_code).name: value(scalar.value)}
    if not scalar.is_valid:
        return None
    if isinstance(scalar, pa.ExtensionScalar) or pa.types.is_dictionary(type_):
        return value(scalar.value)
    if pa.types.is_map(type_):
        return [[value(entry[0]), value(entry[1])] for entry in scalar.values]
    if pa.types.is_nested(type_) and not pa.types.is_struct(type_):
        return [value(item) for item in scalar.values]
    if pa.types.is_struct(type_):
        return {child.name: value(scalar[i]) for i, child in enumerate(type_)}
    if pa.types.is_decimal(type_):
        return format(scalar.as_py(), "f")
    if pa.types.is_interval(type_):
        return list(scalar.as_py())
    if pa.types.is_temporal(type_):
        return scalar.value
    if pa.types.is_floating(type_):
        return number(scalar.as_py())
    python = scalar.as_py()
    return python.decode("latin-1") if isinstance(python, bytes) else python


def number(python: float) -> Any:
    """Numbers that JSON cannot represent exactly are strings."""
    named = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity", "-0.0": "-0.0"}
    return named.get(repr(python), python)
