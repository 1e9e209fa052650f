"""Writes the same rows as Avro and as tf.Example in TFRecord files, and makes the sources of both."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import fastavro
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.public import tfxio as theirs

from arrowfeed import tfxio as ours

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 60
LISTS = {"counts": "long", "scores": "float", "words": "bytes", "pairs": "long"}
"""Columns of lists, which may be missing or empty."""

AVRO = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "unused", "type": "string"},
        {"name": "weight", "type": "float"},
        {"name": "label", "type": "bytes"},
        {"name": "box", "type": {"type": "array", "items": "float"}},
        *({"name": n, "type": ["null", {"type": "array", "items": t}]} for n, t in LISTS.items()),
        {"name": "place", "type": {"type": "array", "items": "long"}},
        {"name": "value", "type": {"type": "array", "items": "float"}},
    ],
}

SCHEMA = text_format.Parse(
    """
    feature { name: "weight" type: FLOAT presence { min_fraction: 1 } shape {} }
    feature { name: "id" type: INT presence { min_fraction: 1 } shape {} }
    feature { name: "label" type: BYTES presence { min_fraction: 1 } shape {} }
    feature { name: "box" type: FLOAT presence { min_fraction: 1 } shape { dim { size: 2 } } }
    feature { name: "counts" type: INT }
    feature { name: "scores" type: FLOAT }
    feature { name: "words" type: BYTES }
    feature { name: "pairs" type: INT }
    feature { name: "place" type: INT int_domain { min: 0 max: 99 } }
    feature { name: "value" type: FLOAT }
    sparse_feature {
      name: "sparse" index_feature { name: "place" } value_feature { name: "value" } is_sorted: true
    }
    tensor_representation_group {
      key: ""
      value {
        tensor_representation {
          key: "pairs"
          value { ragged_tensor {
            feature_path { step: "pairs" } row_partition_dtype: INT32 partition { uniform_row_length: 2 }
          } }
        }
      }
    }
    """,
    schema_pb2.Schema(),
)


def rows(count: int, seed: int) -> list[dict]:
    """Rows of numbered ids and random values."""
    chosen = random.Random(seed)

    def some(kind: str, length: int) -> list:
        make = {
            "long": lambda: chosen.randrange(-9, 9),
            "float": chosen.random,
            "bytes": lambda: chosen.randbytes(3),
        }
        return [
            float(np.float32(value)) if kind == "float" else value
            for value in (make[kind]() for _ in range(length))
        ]

    made = []
    for number in range(count):
        length = chosen.randrange(4)
        lists = {name: some(kind, 2 * chosen.randrange(3)) for name, kind in LISTS.items()}
        lists = {name: None if chosen.random() < 0.3 else values for name, values in lists.items()}
        made.append(
            {
                "id": number,
                "unused": "not read",
                "weight": some("float", 1)[0],
                "label": chosen.randbytes(2),
                "box": some("float", 2),
                **lists,
                "place": sorted(chosen.sample(range(100), length)),
                "value": some("float", length),
            }
        )
    return made


def example(row: dict) -> bytes:
    """A row as a tf.Example. None becomes a missing feature."""
    made = tf.train.Example()
    kinds = {"long": "int64_list", "float": "float_list", "bytes": "bytes_list"}
    for field in AVRO["fields"]:
        name, kind, value = field["name"], str(field["type"]), row[field["name"]]
        if value is None or name == "unused":
            continue
        feature = made.features.feature[name]
        values = getattr(feature, next(field for word, field in kinds.items() if word in kind))
        values.SetInParent()
        values.value.extend(value if isinstance(value, list) else [value])
    return made.SerializeToString()


class Pair(NamedTuple):
    """Two sources of the same data."""

    ours: ours.AvroRecord
    theirs: theirs.TFExampleRecord
    rows: list[dict]


def pair(
    folder: Path,
    schema: schema_pb2.Schema | None = SCHEMA,
    count: int = ROWS,
    seed: int | None = None,
    **options: object,
) -> Pair:
    """Writes rows in both formats. Without a seed, each call has other rows."""
    written = rows(count, random.randrange(1 << 32) if seed is None else seed)
    with (folder / "x.avro").open("wb") as file:
        fastavro.writer(file, AVRO, written, codec="deflate", sync_interval=500)
    with tf.io.TFRecordWriter(str(folder / "x.tfrecord")) as writer:
        for row in written:
            writer.write(example(row))
    return Pair(
        ours.AvroRecord(str(folder / "x.avro"), schema=schema, **options),
        theirs.TFExampleRecord(str(folder / "x.tfrecord"), schema=schema, **options),
        written,
    )


def same(found: object, expected: object) -> None:
    """Whether two tensors have equal values, shapes and types."""
    assert type(found) is type(expected)
    if isinstance(expected, tf.SparseTensor):
        for part in ("indices", "values", "dense_shape"):
            same(getattr(found, part), getattr(expected, part))
    elif isinstance(expected, tf.RaggedTensor):
        assert len(found.nested_row_splits) == len(expected.nested_row_splits)
        for one, other in zip(found.nested_row_splits, expected.nested_row_splits, strict=True):
            same(one, other)
        same(found.flat_values, expected.flat_values)
    else:
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


def all_same(found: dict, expected: dict) -> None:
    """Whether two dicts have equal tensors, in any order."""
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        same(found[name], tensor)
