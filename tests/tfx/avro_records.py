"""Random Avro files of the types that TFX's `avro_executor` supports."""

import random
import string
from pathlib import Path
from typing import Any

import fastavro

Rows = list[dict[str, Any]]


def random_file(path: Path, rng: random.Random, rows: int) -> tuple[dict[str, Any], Rows]:
    """Writes a file with a random schema. Returns the schema and the records."""
    fields = [
        {"name": f"f{number:02}", "type": _type(rng, f"f{number:02}")} for number in range(rng.randint(1, 12))
    ]
    rng.shuffle(fields)
    schema: dict[str, Any] = {"type": "record", "name": "Row", "fields": fields}
    records = [{field["name"]: _value(rng, field["type"]) for field in fields} for _ in range(rows)]
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(schema), records, codec=rng.choice(["null", "deflate"]))
    return schema, records


def _type(rng: random.Random, name: str) -> Any:
    kind = rng.choice(["plain", "plain", "nullable", "array", "nullable array", "union", "enum", "fixed"])
    plain = ["int", "long", "float", "double", "string", "bytes", "boolean"]
    match kind:
        case "nullable":
            return rng.sample(["null", rng.choice(plain)], 2)
        case "array":
            return {
                "type": "array",
                "items": rng.choice(["int", "long", "float", "double", "string", "boolean"]),
            }
        case "nullable array":
            return ["null", {"type": "array", "items": rng.choice(["long", "float", "string"])}]
        case "union":
            return rng.sample(["null", "long", "string", "double", "boolean"], rng.randint(2, 5))
        case "enum":
            return {"type": "enum", "name": f"{name}_enum", "symbols": ["A", "B", "a_long_symbol"]}
        case "fixed":
            return {"type": "fixed", "name": f"{name}_fixed", "size": rng.randint(1, 9)}
        case _:
            return rng.choice(["null", *plain])


def _value(rng: random.Random, of: Any) -> Any:
    if isinstance(of, list):
        return _value(rng, rng.choice(of))
    if isinstance(of, dict):
        match of["type"]:
            case "array":
                return [_value(rng, of["items"]) for _ in range(rng.choice([0, 1, 1, 2, 7]))]
            case "enum":
                return rng.choice(of["symbols"])
            case _:
                return "".join(rng.choices(string.ascii_letters, k=of["size"])).encode()
    match of:
        case "null":
            return None
        case "boolean":
            return rng.random() < 0.5
        case "int":
            return rng.choice([0, 1, -1, rng.randrange(-(1 << 31), 1 << 31)])
        case "long":
            return rng.choice([0, 1, -1, rng.randrange(-(1 << 63), 1 << 63)])
        case "float":
            return rng.choice([0.0, -0.0, 1.5, -3.25, float("inf"), float("nan")])
        case "double":
            return rng.choice([0.0, -0.0, 0.1, 1e300, -1e300, float("-inf"), rng.uniform(-1e9, 1e9)])
        case _:
            text = "".join(rng.choices("aé日𝄞 \n\0", k=rng.choice([0, 1, 5, 40])))
            return text if of == "string" else text.encode()
