"""Random rows, and the schemas that describe them."""

from __future__ import annotations

import os
import random

import numpy as np
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

SEED = int(os.environ["ARROWFEED_SEED"])
TOWNS = ("Ulm", "Köln", "Bonn", "", "Ulm am See")
COLORS = ("RED", "GREEN", "BLUE")

AVRO = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "weight", "type": "float"},
        {"name": "label", "type": "int"},
        {"name": "town", "type": ["null", "string"]},
        {"name": "color", "type": {"type": "enum", "name": "Color", "symbols": COLORS}},
        {"name": "flag", "type": "boolean"},
        {"name": "photo", "type": "bytes"},
        {"name": "text", "type": "string"},
        {"name": "counts", "type": ["null", {"type": "array", "items": "long"}]},
        {"name": "scores", "type": ["null", {"type": "array", "items": "float"}]},
        {"name": "words", "type": ["null", {"type": "array", "items": "string"}]},
        {"name": "place", "type": {"type": "array", "items": "int"}},
        {"name": "height", "type": {"type": "array", "items": "float"}},
        {"name": "absent", "type": ["null", "long"]},
    ],
}

KINDS = {
    "id": schema_pb2.INT,
    "weight": schema_pb2.FLOAT,
    "label": schema_pb2.INT,
    "town": schema_pb2.BYTES,
    "color": schema_pb2.BYTES,
    "flag": schema_pb2.INT,
    "photo": schema_pb2.BYTES,
    "text": schema_pb2.BYTES,
    "counts": schema_pb2.INT,
    "scores": schema_pb2.FLOAT,
    "words": schema_pb2.BYTES,
    "place": schema_pb2.INT,
    "height": schema_pb2.FLOAT,
    "absent": schema_pb2.INT,
}
"""The columns, and the types of their values as `tf.Example`."""

ALWAYS = ("id", "weight", "label", "color", "flag", "photo", "text")
"""The columns that have one value in each row."""

SCHEMA = text_format.Parse(
    """
    feature { name: "id" type: INT presence { min_fraction: 1 } shape {} }
    feature { name: "weight" type: FLOAT presence { min_fraction: 1 } shape {} }
    feature {
      name: "label" type: INT presence { min_fraction: 1 } shape {} int_domain { is_categorical: true }
    }
    feature { name: "town" type: BYTES value_count { max: 1 } }
    feature { name: "color" type: BYTES presence { min_fraction: 1 } shape {} }
    feature { name: "flag" type: INT presence { min_fraction: 1 } shape {} bool_domain {} }
    feature { name: "photo" type: BYTES image_domain {} }
    feature { name: "text" type: BYTES presence { min_fraction: 1 } shape {} }
    feature { name: "counts" type: INT }
    feature { name: "scores" type: FLOAT }
    feature { name: "words" type: BYTES }
    feature { name: "place" type: INT int_domain { min: 0 max: 99 } }
    feature { name: "height" type: FLOAT }
    feature { name: "absent" type: INT }
    sparse_feature {
      name: "heights" index_feature { name: "place" } value_feature { name: "height" } is_sorted: true
    }
    """,
    schema_pb2.Schema(),
)


def features(*names: str) -> schema_pb2.Schema:
    """The features with some names, in this order."""
    by_name = {feature.name: feature for feature in SCHEMA.feature}
    return schema_pb2.Schema(feature=[by_name[name] for name in names])


SEQUENCES = ("counts", "scores", "words")
"""The columns that are feature lists in a `tf.SequenceExample`."""

SEQUENCE_SCHEMA = schema_pb2.Schema()
"""The same columns, with those of the feature lists as fields of a STRUCT."""

for feature in SCHEMA.feature:
    if feature.name not in SEQUENCES:
        SEQUENCE_SCHEMA.feature.append(feature)
SEQUENCE_SCHEMA.sparse_feature.extend(SCHEMA.sparse_feature)
STEPS = SEQUENCE_SCHEMA.feature.add(name="##SEQUENCE##", type=schema_pb2.STRUCT)
STEPS.struct_domain.feature.extend(features(*SEQUENCES).feature)


def single(number: float) -> float:
    """The nearest float32."""
    return float(np.float32(number))


def rows(count: int, *names: object) -> list[dict]:
    """Random rows. `names` distinguish them from those of other tests."""
    chosen = random.Random(" ".join(map(str, (SEED, *names))))

    def maybe(value: object) -> object:
        return value if chosen.random() < 0.7 else None

    def some(make: object, most: int = 3) -> list:
        return [make() for _ in range(chosen.randrange(most + 1))]

    made = []
    for number in range(count):
        places = sorted(chosen.sample(range(100), chosen.randrange(4)))
        made.append(
            {
                "id": (number - 5) * 10**12,
                # TFDV adds weights as floats of 32 bits. Sums of these are exact in any order.
                "weight": chosen.randrange(32, 128) / 64,
                "label": chosen.randrange(2),
                "town": maybe(chosen.choice(TOWNS)),
                "color": chosen.choice(COLORS),
                "flag": chosen.random() < 0.3,
                "photo": chosen.randbytes(chosen.randrange(40)),
                "text": " ".join(some(lambda: chosen.choice(TOWNS), 9)) * chosen.choice([1, 1, 1, 100]),
                # tfx_bsl keeps 32 bits of the integers in the steps of a `tf.SequenceExample`.
                "counts": maybe(some(lambda: chosen.randrange(-9, 9))),
                "scores": maybe(some(lambda: single(chosen.gauss(10, 3)))),
                "words": maybe(some(lambda: chosen.choice(TOWNS) + str(chosen.randrange(3)))),
                "place": places,
                "height": [single(chosen.uniform(0, 9)) for _ in places],
                "absent": None,
            }
        )
    return made


def values(value: object) -> list | None:
    """The values of a column of a row as those of a `tf.Example`. None: the feature is missing."""
    if value is None:
        return None
    several = value if isinstance(value, list) else [value]
    return [
        item.encode() if isinstance(item, str) else int(item) if isinstance(item, bool) else item
        for item in several
    ]
