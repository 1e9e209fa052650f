"""Random Avro schemas and values of them: a pure function of the seed."""

from __future__ import annotations

import datetime as dt
import decimal
import random
import uuid
from typing import Any

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
LOGICAL = (
    {"type": "int", "logicalType": "date"},
    {"type": "int", "logicalType": "time-millis"},
    {"type": "long", "logicalType": "time-micros"},
    {"type": "long", "logicalType": "timestamp-millis"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "long", "logicalType": "local-timestamp-millis"},
    {"type": "long", "logicalType": "local-timestamp-micros"},
    {"type": "string", "logicalType": "uuid"},
    {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3},
)
EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - local timestamps have no zone
DEPTH = 3


class Generator:
    """Makes schemas, and values for the schemas that it made."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.named: dict[str, dict[str, Any]] = {}

    def root(self) -> Any:
        """Usually a record, sometimes another type."""
        return self.record(DEPTH) if self.random.random() < 0.9 else self.type(DEPTH)

    def type(self, depth: int) -> Any:
        """Any type, with types inside as deep as `depth`."""
        kinds = ["primitive"] * 4 + ["logical"] * 2 + ["enum", "fixed", "known"]
        if depth > 0:
            kinds += ["array", "array", "map", "record", "union", "optional", "optional"]
        kind = self.random.choice(kinds)
        if kind == "known" and self.named:
            return self.random.choice(sorted(self.named))
        if kind in ("primitive", "known"):
            return self.random.choice(PRIMITIVES)
        if kind == "logical":
            return dict(self.random.choice(LOGICAL))
        return getattr(self, kind)(depth)

    def enum(self, _depth: int) -> Any:
        symbols = [f"S{number}" for number in range(self.random.randint(1, 5))]
        return self.name({"type": "enum", "symbols": symbols})

    def fixed(self, _depth: int) -> Any:
        if self.random.random() < 0.3:
            extra = {"logicalType": "decimal", "precision": 18, "scale": 4}
            return self.name({"type": "fixed", "size": 9, **extra})
        return self.name({"type": "fixed", "size": self.random.randint(0, 17)})

    def array(self, depth: int) -> Any:
        return {"type": "array", "items": self.type(depth - 1)}

    def map(self, depth: int) -> Any:
        return {"type": "map", "values": self.type(depth - 1)}

    def record(self, depth: int) -> Any:
        count = self.random.randint(0 if depth < DEPTH else 1, 5)
        fields = [{"name": f"f{number}", "type": self.type(depth - 1)} for number in range(count)]
        return self.name({"type": "record", "fields": fields})

    def optional(self, depth: int) -> Any:
        inner = self.type(depth - 1)
        if inner == "null" or isinstance(inner, list):
            return inner
        return self.random.choice([["null", inner], [inner, "null"]])

    def union(self, depth: int) -> Any:
        """Branches that Python values can distinguish, so that the rows can be compared."""
        kinds = ("null", "boolean", "long", "double", "string", "bytes", "array", "map")
        branches = self.random.sample(kinds, self.random.randint(1, 4))
        return [getattr(self, kind)(depth) if kind in {"array", "map"} else kind for kind in branches]

    def name(self, schema: dict[str, Any]) -> dict[str, Any]:
        schema["name"] = f"N{len(self.named)}"
        self.named[schema["name"]] = schema
        return schema

    def value(self, schema: Any) -> Any:
        """A value, as fastavro takes it."""
        if isinstance(schema, list):
            return self.value(self.random.choice(schema))
        if isinstance(schema, str):
            if schema in self.named:
                return self.value(self.named[schema])
            return self.primitive(schema)
        if "logicalType" in schema:
            return self.logical(schema)
        kind = schema["type"]
        if kind == "record":
            return {field["name"]: self.value(field["type"]) for field in schema["fields"]}
        if kind == "enum":
            return self.random.choice(schema["symbols"])
        if kind == "fixed":
            return self.random.randbytes(schema["size"])
        if kind == "array":
            return [self.value(schema["items"]) for _ in range(self.length())]
        return {self.text(): self.value(schema["values"]) for _ in range(self.length())}

    def length(self) -> int:
        return self.random.choice([0, 0, 1, 1, 2, 3, 5])

    def text(self) -> str:
        return "".join(self.random.choice('aé€😀 \x00\n"z') for _ in range(self.random.randint(0, 12)))

    def primitive(self, kind: str) -> Any:
        rng = self.random
        if kind == "null":
            return None
        if kind == "boolean":
            return rng.random() < 0.5
        if kind in ("int", "long"):
            bits = rng.randint(0, 31 if kind == "int" else 63)
            return rng.choice([-1, 1]) * rng.getrandbits(bits) if bits else rng.choice([0, -1])
        if kind in ("float", "double"):
            # Values that a float holds as they are.
            return rng.choice(
                [0.0, -0.0, 1.5, -2.25, float("inf"), float("nan"), rng.randint(-(1 << 20), 1 << 20) / 8]
            )
        if kind == "bytes":
            return rng.randbytes(rng.randint(0, 20))
        return self.text()

    def logical(self, schema: dict[str, Any]) -> Any:
        rng = self.random
        kind = schema["logicalType"]
        if kind == "date":
            return dt.date(1, 1, 1) + dt.timedelta(days=rng.randrange(3_652_059))
        if kind == "uuid":
            return uuid.UUID(int=rng.getrandbits(128))
        if kind == "decimal":
            unscaled = rng.randint(-(10 ** schema["precision"]) + 1, 10 ** schema["precision"] - 1)
            return decimal.Decimal(unscaled).scaleb(-schema["scale"])
        step = dt.timedelta(milliseconds=1) if "millis" in kind else dt.timedelta(microseconds=1)
        if kind.startswith("time-"):
            return (EPOCH + rng.randrange(dt.timedelta(days=1) // step) * step).time()
        year = dt.timedelta(days=365)
        moment = EPOCH + rng.randint(-(1900 * year // step), 8000 * year // step) * step
        return moment if kind.startswith("local") else moment.replace(tzinfo=dt.timezone.utc)
