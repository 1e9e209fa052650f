"""The cases of ``tests/cases/keys`` as Avro files and features. The format is in ``tests/README.md``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import fastavro

from arrowfeed import features

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parents[1] / "cases" / "keys"
# The cases that an Avro file can have. The other cases need layouts of Arrow.
FILES = {
    path.stem: table
    for path in sorted(FOLDER.glob("*.toml"))
    if "avro" in (table := tomllib.loads(path.read_text("utf-8")))
}
KINDS = ("dense", "sequence", "varlen", "ragged", "sparse")


def cases(table: str) -> list[tuple[str, dict[str, Any]]]:
    """The cases of all files, each with the name of its file."""
    return [(file, case) for file, content in FILES.items() for case in content.get(table, [])]


def avro(file: str, rows: list[int] | None = None) -> bytes:
    """An Avro file of some of the rows, or of all."""
    schema = fastavro.parse_schema(json.loads(FILES[file]["avro"]))
    records = json.loads(FILES[file]["rows"])
    chosen = records if rows is None else [records[row] for row in rows]
    named: dict[str, Any] = {}
    out = io.BytesIO()
    fastavro.writer(out, schema, [_value(schema, record, named) for record in chosen])
    return out.getvalue()


def _value(schema: Any, value: Any, named: dict[str, Any]) -> Any:
    """A value of the cases as fastavro takes it."""
    if isinstance(schema, list):
        if value is None or len(schema) == 2:
            return None if value is None else _value(schema[1], value, named)
        [(name, inner)] = value.items()
        return name, inner
    schema = named.get(schema, schema) if isinstance(schema, str) else schema
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind == "record":
        named[schema["name"]] = schema
        return {
            field["name"]: _value(field["type"], value.get(field["name"]), named)
            for field in schema["fields"]
        }
    if kind == "array":
        return [_value(schema["items"], item, named) for item in value]
    if kind == "map":
        return {key: _value(schema["values"], item, named) for key, item in value}
    return value.encode() if kind == "fixed" else value


def kind_of(case: dict[str, Any]) -> str:
    [kind] = [kind for kind in KINDS if kind in case]
    return kind


def feature(case: dict[str, Any]) -> features.Feature:
    """The feature of a case, with its key."""
    kind = kind_of(case)
    given = dict(case[kind])
    if kind == "sparse":
        index, value, size = given.pop("index"), given.pop("value"), given.pop("size")
        return features.Sparse(index, value, size, **given)
    kinds = {
        "dense": features.Dense,
        "sequence": features.FixedLenSequence,
        "varlen": features.VarLen,
        "ragged": features.Ragged,
    }
    return kinds[kind](**given)
