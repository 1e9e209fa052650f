"""People with friends, jobs and cars: every complex type, and the common logical types."""

import decimal
import random
import uuid
from collections.abc import Iterator
from typing import Any

from datasets.dataset import Dataset, Record, Schema, record_schema
from datasets.words import WORDS

FIRST_NAMES = ("Ada", "Akira", "Bruno", "Chloé", "Dana", "Elif", "Goran", "Ines", "Jonas", "Mary", "Tadeo")
LAST_NAMES = ("Andersson", "Brown", "Castillo", "Dvořák", "Khan", "Moreau", "Sato", "Weiß")
STREETS = ("Abbey Road", "Broadway Avenue", "Lindenstraße", "Mill Lane", "Station Parkway")
GENDERS = ("unknown", "female", "male", "other")
COLORS = ("black", "blue", "green", "red", "white")
CAR_NAMES = ("company", "first", "family", "summer", "workshop")
CREATED_START = 1_672_531_200_000
"""2023-01-01 in milliseconds."""
CREATED_SPAN = 10**10


def _array(items: Any) -> Schema:
    return {"type": "array", "items": items}


def _logical(kind: str, logical: str, **more: int) -> Schema:
    return {"type": kind, "logicalType": logical, **more}


def _schema() -> Schema:
    name = record_schema("name_record", [("first", "string"), ("initial", "string"), ("last", "string")])
    address = record_schema("address_record", [("street", "string"), ("zip", ["null", "int"])])
    gender = {"type": "enum", "name": "gender_symbols", "symbols": list(GENDERS)}
    friend = record_schema(
        "friend_record",
        [("name", "name_record"), ("gender", "gender_symbols"), ("address", _array("address_record"))],
    )
    salary = _logical("bytes", "decimal", precision=12, scale=2)
    job = record_schema(
        "job_record", [("title", "string"), ("salary", salary), ("coworkers", _array("friend_record"))]
    )
    engine = record_schema(
        "engine_record", [("id", "int"), ("power", "float"), ("cylinders", "int"), ("sparkplugs", "int")]
    )
    car = record_schema("car_record", [("color", "string"), ("serial", "long"), ("engine", engine)])
    return record_schema(
        "person",
        [
            ("id", _logical("string", "uuid")),
            ("created", _logical("long", "timestamp-millis")),
            ("digest", {"type": "fixed", "name": "digest_bytes", "size": 16}),
            ("name", name),
            ("address", address),
            ("gender", gender),
            ("friends", _array(friend)),
            ("jobs", _array(job)),
            ("car", ["null", car]),
            ("cars", {"type": "map", "values": "car_record"}),
        ],
    )


class _People:
    """Draws the parts of a person from one random stream."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def name(self) -> Record:
        choice = self.random.choice
        return {"first": choice(FIRST_NAMES), "initial": choice("ABCDEFG"), "last": choice(LAST_NAMES)}

    def address(self) -> Record:
        draw = self.random
        code = None if draw.random() < 0.3 else draw.randrange(10_000, 99_999)
        return {"street": f"{draw.randrange(1, 1000)} {draw.choice(STREETS)}", "zip": code}

    def friends(self, end: int) -> list[Record]:
        return [self.friend() for _ in range(self.random.randrange(end))]

    def friend(self) -> Record:
        addresses = [self.address() for _ in range(self.random.randrange(3))]
        return {"name": self.name(), "gender": self.random.choice(GENDERS), "address": addresses}

    def job(self) -> Record:
        cents = self.random.randrange(10**6, 10**9)
        title = f"{self.random.choice(WORDS)} engineer"
        return {"title": title, "salary": decimal.Decimal(cents).scaleb(-2), "coworkers": self.friends(4)}

    def car(self) -> Record:
        draw = self.random
        engine = {
            "id": draw.randrange(10_000),
            "power": draw.random() * 400,
            "cylinders": draw.choice((4, 6, 8)),
            "sparkplugs": draw.choice((4, 8, 12, 16)),
        }
        return {"color": draw.choice(COLORS), "serial": draw.getrandbits(40), "engine": engine}

    def person(self) -> Record:
        draw = self.random
        return {
            "id": str(uuid.UUID(int=draw.getrandbits(128))),
            "created": CREATED_START + draw.randrange(CREATED_SPAN),
            "digest": draw.randbytes(16),
            "name": self.name(),
            "address": self.address(),
            "gender": draw.choice(GENDERS),
            "friends": self.friends(6),
            "jobs": [self.job() for _ in range(draw.randrange(3))],
            "car": None if draw.random() < 0.4 else self.car(),
            "cars": {name: self.car() for name in draw.sample(CAR_NAMES, draw.randrange(4))},
        }


def _records(rows: int, seed: int) -> Iterator[Record]:
    people = _People(seed)
    for _ in range(rows):
        yield people.person()


NESTED = Dataset("nested", 310_000, _schema(), _records, seed=13)
