"""The rows and the code of the examples on the pages on training."""

import json
import re
from pathlib import Path

import pyarrow as pa

import arrowfeed as af

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = [
    {"click": 1.0, "age": 3, "words": ["a", "b"], "user": {"name": "ada", "friends": [{"age": 7}]}},
    {"click": 0.0, "age": 4, "words": [], "user": {"name": None, "friends": []}},
    {"click": 1.0, "age": 5, "words": ["c"], "user": {"name": "eve", "friends": [{"age": 8}, {"age": 9}]}},
]


def record(name, /, **fields):
    return {"type": "record", "name": name, "fields": [{"name": f, "type": t} for f, t in fields.items()]}


def array(items):
    return {"type": "array", "items": items}


SCHEMA = record(
    "row",
    click="float",
    embedding=array("float"),
    item=record("item", indices0=array("long"), values=array("float")),
    words=array("string"),
    user=record("user", name=["null", "string"], friends=array(record("friend", age="long"))),
)


def table():
    def row(number, values):
        sparse = {"indices0": [number, 10 + number], "values": [0.5, 1.5]}
        return {**values, "embedding": [float(number)] * 4, "item": sparse}

    rows = [row(number, values) for number, values in enumerate(ROWS)]
    schema = af.AvroSchema(SCHEMA).arrow
    return pa.Table.from_pylist(rows, pa.schema(schema))


def names(directory):
    """The names that the pages assume: `paths` of the rows, their `schema`, the path of a `checkpoint`."""
    path = str(directory / "rows.avro")
    af.write_avro(table(), path, schema=SCHEMA)
    return {"paths": [path], "schema": json.dumps(SCHEMA), "checkpoint": str(directory / "checkpoint")}


def sections(page):
    """The Python blocks of a page by the heading that they are under; None: above all headings."""
    parts = re.split(r"^## (.*)$", (DOCS / page).read_text("utf-8"), flags=re.MULTILINE)
    blocks = [re.findall(r"^```python\n(.*?)^```", part, re.DOTALL | re.MULTILINE) for part in parts[::2]]
    return dict(zip([None, *parts[1::2]], blocks, strict=True))
