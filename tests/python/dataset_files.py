"""Files of numbered people, whose other fields are computed from the number, and digests of batches."""

import hashlib

import fastavro
import numpy as np
import pyarrow as pa

NAME = {
    "type": "record",
    "name": "Name",
    "fields": [{"name": "first", "type": "string"}, {"name": "last", "type": ["null", "string"]}],
}
FRIEND = {
    "type": "record",
    "name": "Friend",
    "fields": [{"name": "name", "type": "Name"}, {"name": "age", "type": ["null", "int"]}],
}
PERSON = {
    "type": "record",
    "name": "Person",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": NAME},
        {"name": "weight", "type": ["null", "double"]},
        {"name": "paid", "type": "boolean"},
        {"name": "vector", "type": {"type": "array", "items": "float"}},
        {"name": "friends", "type": {"type": "array", "items": FRIEND}},
        {"name": "counts", "type": {"type": "map", "values": "int"}},
    ],
}


def person(number):
    """The person of a number."""
    friends = [number + 1 + i for i in range(number % 3)]
    return {
        "id": number,
        "name": {"first": f"first {number}", "last": None if number % 4 == 0 else f"last {number}"},
        "weight": None if number % 5 == 0 else number / 8,
        "paid": number % 2 == 1,
        "vector": [float(number), number / 2],
        "friends": [
            {"name": {"first": f"first {friend}", "last": None}, "age": friend % 90} for friend in friends
        ],
        "counts": {"clicks": number % 7},
    }


def people_files(directory, rows, *, schema=PERSON, codec="deflate", sync_interval=400):
    """Writes files of this many people each, numbered consecutively, in blocks of a few rows."""
    paths, first = [], 0
    parsed = fastavro.parse_schema(schema)
    for part, count in enumerate(rows):
        paths.append(directory / f"part-{part:05}.avro")
        with paths[-1].open("wb") as file:
            people = [person(number) for number in range(first, first + count)]
            fastavro.writer(file, parsed, people, codec=codec, sync_interval=sync_interval)
        first += count
    return paths


def ids(batch):
    """The numbers of a record batch, or of a dict of tensors."""
    if isinstance(batch, dict):
        return batch["id"].values.tolist()
    return batch.column("id").to_pyarrow().to_pylist()


def all_ids(batches):
    """The numbers of each batch."""
    return [ids(batch) for batch in batches]


def digest(batches):
    """SHA-256 of batches: types, values, lengths and nulls, and the bytes under nulls too."""
    hasher = hashlib.sha256()
    for batch in map(pa.record_batch, batches):
        hasher.update(f"{batch.num_rows}{batch.schema}".encode())
        for column in batch.columns:
            add(hasher, column)
    return hasher.hexdigest()


def add(hasher, array):
    """Adds the values of one array, and of those inside of it."""
    hasher.update(f"{array.type}{len(array)}".encode())
    hasher.update(array.is_valid().to_numpy(zero_copy_only=False).tobytes())
    kind = array.type
    if pa.types.is_map(kind) or pa.types.is_boolean(kind):
        hasher.update(repr(array.to_pylist()).encode())
    elif pa.types.is_struct(kind):
        for child in array.flatten():
            add(hasher, child)
    elif isinstance(array, (pa.ListArray, pa.LargeListArray, pa.StringArray, pa.LargeBinaryArray)):
        large = isinstance(array, (pa.LargeListArray, pa.LargeBinaryArray))
        offsets = part(array, np.int64 if large else np.int32, 1)
        hasher.update((offsets - offsets[0]).tobytes())
        if isinstance(array, (pa.StringArray, pa.LargeBinaryArray)):
            hasher.update(array.buffers()[2].to_pybytes()[offsets[0] : offsets[-1]])
        else:
            add(hasher, array.values.slice(offsets[0], offsets[-1] - offsets[0]))
    else:
        hasher.update(part(array, kind.to_pandas_dtype(), 0).tobytes())


def part(array, dtype, more):
    """The part of the second buffer that belongs to an array. `more`: items after its length."""
    return np.frombuffer(
        array.buffers()[1], dtype, len(array) + more, array.offset * np.dtype(dtype).itemsize
    )
