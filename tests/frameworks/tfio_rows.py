"""Records and features for the tests of `arrowfeed.tfio`, and their errors."""

import io
import json

import fastavro
import pytest
import tensorflow as tf

from arrowfeed import tfio

INT, LIST = "int", {"type": "array", "items": "int"}
DEEP = {"type": "array", "items": LIST}
VARLEN = tfio.VarLenFeatureWithRank


def schema(**fields):
    named = [{"name": name, "type": kind} for name, kind in fields.items()]
    return {"type": "record", "name": "row", "fields": named}


def write(path, form, rows, **options):
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(form), rows, **options)
    return str(path)


def encoded(form, rows):
    """Records without a file."""
    parsed, found = fastavro.parse_schema(form), []
    for row in rows:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, row)
        found.append(out.getvalue())
    return found


def parse(form, rows, features):
    return tfio.parse_avro(encoded(form, rows), json.dumps(form), features)


def in_graph(form, rows, features):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def graph(records):
        return tfio.parse_avro(records, json.dumps(form), features)

    return graph(tf.constant(encoded(form, rows), tf.string, [len(rows)]))


def fixed(shape, dtype=tf.int32, default=None):
    return tf.io.FixedLenFeature(shape, dtype, default)


def parts(sparse):
    return [part.numpy().tolist() for part in (sparse.indices, sparse.values, sparse.dense_shape)]


def refused(call, kind=tf.errors.InvalidArgumentError):
    with pytest.raises(kind) as caught:
        call()
    return caught.value.message if isinstance(caught.value, tf.errors.OpError) else str(caught.value)
