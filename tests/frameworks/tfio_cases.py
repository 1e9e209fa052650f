"""Cases for both tensorflow-io and `arrowfeed.tfio`: schemas, rows, features and calls."""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf


def record(fields, name="row"):
    """The schema of a record with these fields."""
    return {
        "type": "record",
        "name": name,
        "fields": [{"name": field, "type": kind} for field, kind in fields.items()],
    }


def array(items):
    return {"type": "array", "items": items}


ROWS = 20
"""The rows of one batch. With fewer, or several batches, tensorflow-io reads past its buffers more often."""

PERSON = record(
    {
        "age": "int",
        "height": "long",
        "weight": "float",
        "wealth": "double",
        "alive": "boolean",
        "name": record({"first": "string", "last": "bytes"}, "name"),
        "kind": {"type": "enum", "name": "kind", "symbols": ["A", "B"]},
        "code": {"type": "fixed", "name": "code", "size": 2},
        "nick": ["null", "string"],
        "rank": ["int", "null"],
        "any": ["null", "int", "string", "double"],
        "scores": array("float"),
        "square": array(array("int")),
        "cube": array(array(array("long"))),
        "friends": array(
            record({"first": "string", "last": "string", "kind": "string", "age": "long"}, "friend")
        ),
        "cars": {"type": "map", "values": record({"color": "string", "year": "int"}, "car")},
        "points": array(record({"x": "long", "y": "long", "light": "float"}, "point")),
        "groups": array(
            record({"points": array(record({"at": "long", "value": "double"}, "inner"))}, "group")
        ),
        "at": array("long"),
        "what": array("string"),
    },
    "person",
)


def person(n):
    """The n-th record. The first has no empty list, because tensorflow-io takes the rank from it."""
    return {
        "age": n,
        "height": n * 10**10,
        "weight": n / 4,
        "wealth": -n / 3,
        "alive": n % 2 == 0,
        "name": {"first": f"first{n}", "last": b"\x00\xff" * n},
        "kind": "AB"[n % 2],
        "code": bytes([n, 255]),
        "nick": None if n % 3 == 1 else f"nick{n}",
        "rank": None if n % 2 else n,
        "any": (None, n, f"s{n}", n + 0.5)[n % 4],
        "scores": [n + i / 2 for i in range(1 + (n + 1) % 3)],
        "square": [[n, n + 1], [n + 2, n + 3]],
        "cube": [[[n, i, j] for j in range(2)] for i in range(1 + n % 3)],
        "friends": [
            {"first": f"f{i}", "last": f"f{i * n}", "kind": "xyz"[i % 3], "age": i * n}
            for i in range(1 + (n * 2) % 4)
        ],
        "cars": {"mine": {"color": f"red{n}", "year": 2000 + n}, "other": {"color": "blue", "year": n}},
        "points": [{"x": (3 - i) % 4, "y": i, "light": n + i / 8} for i in range(1 + n % 4)],
        "groups": [
            {"points": [{"at": 2 - i, "value": n + i + g / 10} for i in range(1 + g)]}
            for g in range(1 + n % 2)
        ],
        "at": [i * 2 for i in range(1 + n % 3)],
        "what": [f"w{i}" for i in range(1 + n % 3)],
    }


def fixed(shape, dtype, default=None):
    return tf.io.FixedLenFeature(shape, dtype, default)


def features(varlen):
    """The features of the cases by name."""
    return {
        "scalars": {
            "age": fixed([], tf.int32),
            "height": fixed([], tf.int64),
            "weight": fixed([], tf.float32),
            "wealth": fixed([], tf.float64),
            "alive": fixed([], tf.bool),
            "name.first": fixed([], tf.string),
            "name.last": fixed([], tf.string),
            "kind": fixed([], tf.string),
            "code": fixed([], tf.string),
        },
        "nulls": {"nick": fixed([], tf.string, "none"), "rank": fixed([], tf.int32, -100)},
        "branches": {
            "any:int": fixed([], tf.int32, -1),
            "any:string": fixed([], tf.string, "?"),
            "any:double": fixed([], tf.float64, 0.25),
        },
        "a scalar fills up": {"scores[*]": fixed([None], tf.float32, -1.0)},
        "a default of one value fills up": {"scores[*]": fixed([None], tf.float32, [-1.0])},
        "a positional default": {"scores[*]": fixed([None, 3], tf.float32, [7.0, 8.0, 9.0])},
        "a positional default of the shape": {"scores[*]": fixed([3], tf.float32, [7.0, 8.0, 9.0])},
        "dense of two": {"square[*][*]": fixed([2, 2], tf.int32)},
        "dense of two, open": {"square[*][*]": fixed([None, None], tf.int32)},
        "dense of three, filled": {"cube[*][*][*]": fixed([None, None, 3], tf.int64, 5)},
        "elements": {"friends[0].first": fixed([], tf.string), "square[1][0]": fixed([], tf.int32)},
        "map": {"cars['mine'].color": fixed([], tf.string), "cars['other'].year": fixed([], tf.int32)},
        "varlen": {
            "scores[*]": varlen(tf.float32),
            "friends[*].first": varlen(tf.string, 1),
            "square[*][*]": varlen(tf.int32, 2),
            "cube[*][*][*]": varlen(tf.int64, 3),
        },
        "filter": {"friends[kind='x'].first": varlen(tf.string)},
        "filter, turned": {"friends['y'=kind].age": varlen(tf.int64)},
        "filter of two paths": {"friends[first=last].age": varlen(tf.int64)},
        "sparse": {"points": tf.io.SparseFeature("x", "light", tf.float32, 10)},
        "sparse of two": {"points": tf.io.SparseFeature(["x", "y"], "light", tf.float32, [10, 20])},
        "sparse, sorted": {"points": tf.io.SparseFeature("y", "light", tf.float32, 10, already_sorted=True)},
        "sparse from the root": {"any name": tf.io.SparseFeature("@at[*]", "@what[*]", tf.string, 9)},
        "sparse inside of arrays": {"groups[*].points": tf.io.SparseFeature("at", "value", tf.float64, 5)},
        "sparse inside of arrays, from the root": {
            "t": tf.io.SparseFeature("@groups[*].points[*].at", "@groups[*].points[*].value", tf.float64, 5)
        },
        "dense and sparse": {
            "points": tf.io.SparseFeature("x", "light", tf.float32, 10),
            "points[*].y": varlen(tf.int64),
            "age": fixed([], tf.int32),
            "friends[*].age": fixed([None], tf.int64, 0),
        },
    }


ATDS = record(
    {
        **{f"d{n}": kind for n, kind in enumerate(("int", "long", "float", "double", "string", "boolean"))},
        "bytes": "bytes",
        "maybe": ["null", "float"],
        "vector": array("float"),
        "matrix": array(array("long")),
        "sparse": record({"values": array("float"), "indices0": array("long")}, "sparse"),
        "pairs": record(
            {"indices1": array("int"), "values": array("string"), "indices0": array("long")}, "pairs"
        ),
        "lists": array("string"),
        "deep": array(array("int")),
        "unused": ["null", {"type": "map", "values": array(record({"x": "int"}, "ignored"))}],
    }
)


def atds_row(n):
    return {
        **dict(zip((f"d{i}" for i in range(6)), (n, n, n / 2, n / 3, f"s{n}", n % 2 == 0), strict=True)),
        "bytes": bytes([n % 256, 0]),
        "maybe": n / 8,
        "vector": [n + i / 2 for i in range(4)],
        "matrix": [[n, 1, 2], [3, 4, n]],
        "sparse": {"indices0": list(range(n % 4)), "values": [float(n)] * (n % 4)},
        "pairs": {
            "indices0": list(range(n % 3)),
            "indices1": [2 * i for i in range(n % 3)],
            "values": [f"v{i}" for i in range(n % 3)],
        },
        "lists": [f"l{i}" for i in range(n % 5)],
        "deep": [[i, n] for i in range(n % 3)],
        "unused": None if n % 2 else {"k": [{"x": n}]},
    }


def atds_features(api):
    dense, sparse, varlen = api["DenseFeature"], api["SparseFeature"], api["VarlenFeature"]
    kinds = (tf.int32, tf.int64, tf.float32, tf.float64, tf.string, tf.bool)
    return {
        "scalars": {f"d{n}": dense([], kind) for n, kind in enumerate(kinds)},
        "bytes": {"bytes": dense([], tf.string), "maybe": dense([], tf.float32)},
        "dense": {"vector": dense([4], tf.float32), "matrix": dense([2, 3], tf.int64)},
        "sparse": {"sparse": sparse([10], tf.float32), "pairs": sparse([5, 6], tf.string)},
        "sparse, open": {"sparse": sparse([-1], tf.float32)},
        "varlen": {
            "lists": varlen([-1], tf.string),
            "deep": varlen([-1, 2], tf.int32),
            "d0": varlen([], tf.int32),
        },
        "varlen, known": {"vector": varlen([4], tf.float32), "matrix": varlen([-1, 3], tf.int64)},
    }


def plain(tensor):
    """Type, shape and values, as JSON has them."""
    if isinstance(tensor, tf.SparseTensor):
        parts = {"indices": tensor.indices, "values": tensor.values, "dense_shape": tensor.dense_shape}
        return {name: plain(part) for name, part in parts.items()}
    values = tensor.numpy().tolist()
    return [tensor.dtype.name, tensor.shape.as_list(), json.loads(json.dumps(values, default=bytes.hex))]


def batches(dataset):
    return [{name: plain(tensor) for name, tensor in batch.items()} for batch in dataset]


def columnar_cases(api, people):
    """The cases of key expressions: names, and functions that return the results."""
    make, dataset = api["make_avro_record_dataset"], api["AvroRecordDataset"]
    schema = json.dumps(PERSON)
    once = {"num_epochs": 1, "shuffle": False}
    for name, wanted in features(api["VarLenFeatureWithRank"]).items():
        yield f"make: {name}", lambda wanted=wanted: batches(make(people, wanted, ROWS, schema, **once))
    one = {"height": fixed([], tf.int64)}

    def made(take=99, **options):
        found = make(people, one, 8, schema, **options)
        return [str(found.element_spec), batches(found.take(take))]

    yield "make: two epochs", lambda: made(num_epochs=2, shuffle=False)
    yield "make: two epochs, dropped", lambda: made(num_epochs=2, shuffle=False, drop_final_batch=True)
    yield "make: without end", lambda: made(take=8, shuffle=False)
    yield "make: shuffled", lambda: in_order(make(people, one, 3, schema, num_epochs=1), "height")
    fields = {"age": "double", "alive": "boolean"}
    changed = record(fields, "person")
    changed["fields"].append({"name": "new", "type": "int", "default": 7})
    changed = json.dumps(changed)
    wanted = {"age": fixed([], tf.float64), "new": fixed([], tf.int32)}
    yield "make: a reader schema", lambda: batches(make(people, wanted, 8, changed, **once))
    yield "records: a reader schema", lambda: in_hex(dataset(people, reader_schema=changed))
    yield "records: the file's schema", lambda: in_hex(dataset(people))


def atds_cases(api, rows):
    """The cases of ATDS, as in `columnar_cases`."""
    dataset = api["ATDSDataset"]

    def made(files, wanted, options):
        found = dataset(files, 8, wanted, **options)
        return [str(found.element_spec), batches(found)]

    for name, wanted in atds_features(api).items():
        for files in (rows[:1], rows):
            for options in ({}, {"drop_remainder": True}, {"num_parallel_calls": 2}):
                case = f"atds: {name}, {len(files)} files, {options}"
                yield case, lambda files=files, wanted=wanted, options=options: made(files, wanted, options)
    one = {"d1": api["DenseFeature"]([], tf.int64)}

    def nested():
        files = tf.data.Dataset.from_tensor_slices(rows).batch(1)
        return batches(files.interleave(lambda batch: dataset(batch, 8, one), cycle_length=1))

    yield "atds: inside of interleave", nested
    yield "atds: shuffled", lambda: in_order(dataset(rows, 8, one, shuffle_buffer_size=16), "d1")
    turns = {"num_parallel_reads": 2, "block_length": 3}
    yield "records: in turns", lambda: in_hex(api["AvroRecordDataset"](rows, **turns))


def in_order(dataset, name):
    return sorted(value for batch in dataset for value in batch[name].numpy().tolist())


def in_hex(dataset):
    return [item.numpy().hex() for item in dataset]


def cases(api, directory):
    """All cases: names, and functions that return the results."""
    yield from columnar_cases(api, str(directory / "people.avro"))
    yield from atds_cases(api, [str(directory / f"atds-{n}.avro") for n in range(2)])


def write(directory):
    """Writes the files with fastavro, so that neither library reads its own files."""
    import fastavro  # noqa: PLC0415 - the environment of tensorflow-io is not asked for more than it

    people = [person(n) for n in range(1, ROWS + 1)]
    with (directory / "people.avro").open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(PERSON), people, codec="deflate", sync_interval=200)
    for number, codec in enumerate(("null", "snappy")):
        with (directory / f"atds-{number}.avro").open("wb") as file:
            rows = [atds_row(number * 20 + n) for n in range(20)]
            fastavro.writer(file, fastavro.parse_schema(ATDS), rows, codec=codec, sync_interval=300)
