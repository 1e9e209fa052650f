"""Batches of another library with one field of a C struct changed.

As a program it imports every case and prints a line of JSON for each, so that a crash ends this process only.
"""

import ctypes
import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa

import arrowfeed as af
from arrowfeed.representations import Structured, VarLenSparse


class Schema(ctypes.Structure):
    """`ArrowSchema`."""


class Array(ctypes.Structure):
    """`ArrowArray`."""


def pointers(struct):
    return ctypes.POINTER(ctypes.POINTER(struct))


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", pointers(Schema)),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", pointers(Array)),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def release_schema(address):
    Schema.from_address(address).release = None


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def release_array(address):
    Array.from_address(address).release = None


class Foreign:
    """The capsules of a batch. Nothing frees its memory: pyarrow would follow the changed fields."""

    def __init__(self, batch):
        self.capsules = batch.__arrow_c_array__()
        self.schema = Schema.from_address(pointer(self.capsules[0], b"arrow_schema"))
        self.array = Array.from_address(pointer(self.capsules[1], b"arrow_array"))
        for node in nodes(self.schema):
            node.release = ctypes.cast(release_schema, ctypes.c_void_p).value
        for node in nodes(self.array):
            node.release = ctypes.cast(release_array, ctypes.c_void_p).value

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules

    def __arrow_c_schema__(self):
        return self.capsules[0]


def nodes(struct):
    inside = [struct.children[index].contents for index in range(struct.n_children)]
    if struct.dictionary:
        inside.append(struct.dictionary.contents)
    return [struct, *(node for child in inside for node in nodes(child))]


COLUMNS = {
    "int64": pa.array([1, None, 3]),
    "string": pa.array(["a", None, "c"]),
    "string_view": pa.array(["a", None, "c" * 20], pa.string_view()),
    "dictionary": pa.array(["a", None, "a"]).dictionary_encode(),
    "list": pa.array([[1], None, []], pa.list_(pa.int64())),
    "list_view": pa.array([[1], None, []], pa.list_view(pa.int64())),
    "fixed_list": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)),
    "fixed": pa.array([b"", None, b""], pa.binary(0)),
    "struct": pa.array([{"a": 1}, None, {"a": 3}]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "union": pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array([1, 2, 3])]),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, 2])),
    "null": pa.nulls(3),
}


def tensor_of(name):
    return Structured([name]) if name in ("struct", "fixed", "map") else VarLenSparse(name)


def outcome(work):
    try:
        work()
    except Exception as error:  # noqa: BLE001
        return [type(error).__name__, str(error)]
    return None


def numbers():
    """Every column, each of its structs, each field: negative."""
    with tempfile.TemporaryDirectory() as folder:
        for name, column in COLUMNS.items():
            batch = pa.record_batch({name: column})
            for place in range(len(nodes(Foreign(batch).array))):
                for field in ("length", "offset", "n_buffers", "n_children"):
                    for value in (-1, -(2**63)):
                        yield from damaged(batch, name, place, (field, value), Path(folder) / "out.avro")


def damaged(batch, name, place, change, path):
    field, value = change

    def foreign():
        changed = Foreign(batch)
        setattr(nodes(changed.array)[place], field, value)
        # Its capsules call Python when they are freed, which must not happen during an exception.
        kept.append(changed)
        return changed

    def adapter():
        return af.TensorAdapter(batch.schema, {"t": tensor_of(name)})

    kept = []
    yield [name, place, field, value, "write", outcome(lambda: af.write_avro(foreign(), path))]
    if outcome(adapter) is None:
        yield [name, place, field, value, "convert", outcome(lambda: adapter().convert(foreign()))]


def schemas():
    """Schemas that are too deep or too long, for each function that takes a schema."""
    for kind, depth in (
        ("list", 64),
        ("struct", 64),
        ("dictionary", 64),
        ("list", 20_000),
        ("struct", 5_000),
    ):
        schema = nested(kind, depth)
        yield [f"{kind} {depth}", outcome(lambda schema=schema: af.infer_representations(schema))]
    loop = Foreign(pa.record_batch({"s": COLUMNS["struct"], "t": COLUMNS["struct"]}))
    for child in range(2):
        loop.schema.children[child] = ctypes.pointer(loop.schema)
    yield ["loop", outcome(lambda: af.infer_representations(loop))]


class Nested:
    """A schema of a type that pyarrow or this library would take long to build: structs made by hand."""

    def __init__(self, kind, depth):
        self.kept = []
        inner = self.schema(b"l")
        for _ in range(depth - 2):
            inner = self.around(kind, inner)
        self.top = self.around("struct", inner)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.capsule = new(ctypes.addressof(self.top), b"arrow_schema", None)

    def schema(self, form):
        release = ctypes.cast(release_schema, ctypes.c_void_p).value
        made = Schema(format=form, name=b"x", flags=2, release=release)
        self.kept.append(made)
        return made

    def around(self, kind, inner):
        outer = self.schema({"list": b"+l", "struct": b"+s", "dictionary": b"i"}[kind])
        if kind == "dictionary":
            outer.dictionary = ctypes.pointer(inner)
        else:
            children = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(inner))
            outer.n_children = 1
            outer.children = ctypes.cast(children, pointers(Schema))
        return outer

    def __arrow_c_schema__(self):
        return self.capsule


def nested(kind, depth):
    return Nested(kind, depth)


if __name__ == "__main__":
    for line in {"numbers": numbers, "schemas": schemas}[sys.argv[1]]():
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
