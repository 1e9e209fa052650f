"""Random pyarrow arrays of nested types, as slices, with stored values under nulls."""

from random import Random

import numpy as np
import pyarrow as pa

NUMBERS = [
    *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
    *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
    *(pa.float32(), pa.float64()),
]
BYTES = [pa.binary(), pa.large_binary(), pa.string(), pa.large_string()]
OTHERS = [
    *(pa.timestamp("s"), pa.float16(), pa.date32(), pa.binary(2), pa.decimal128(5, 2)),
    *(pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.int64(), 2), pa.map_(pa.string(), pa.int64())),
]
"""Types that some functions do not support."""

TEXTS = [b"", b"a", b"b", "ä€😀".encode(), b"a\x00b", b"\n"]
INVALID = [
    *(b"\xff", b"\xc0\x80", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\xc3", b"\x80"),
    *(b"\xf0\x8f\x80\x80", b"\xc3\n", b"\xf5\x80\x80\x80"),
]


def random_type(rng: Random, depth: int = 3, *, structs: bool = False, others: bool = False) -> pa.DataType:
    """A type with up to `depth` lists or structs around its values."""
    choice = rng.random()
    if depth and choice < 0.5:
        made = random_type(rng, depth - 1, structs=structs, others=others)
        return rng.choice([pa.list_, pa.large_list])(made)
    if depth and structs and choice < 0.8:
        return random_struct(rng, depth - 1)
    return rng.choice(NUMBERS + BYTES + [pa.bool_(), pa.null()] + (OTHERS if others else []))


def random_struct(rng: Random, depth: int) -> pa.DataType:
    names = rng.sample(["a", "b", "c.d", "é"], rng.randint(1, 3))
    return pa.struct([(name, random_type(rng, depth, structs=True)) for name in names])


def random_array(rng: Random, kind: pa.DataType, rows: int, *, hidden: bool = True) -> pa.Array:
    """An array, often a slice. `hidden`: whether null lists may have stored values."""
    before, after = rng.choice([(0, 0), (0, 2), (rng.randint(1, 9), rng.randint(0, 3))])
    return _whole(rng, kind, before + rows + after, hidden=hidden).slice(before, rows)


def _whole(rng: Random, kind: pa.DataType, rows: int, *, hidden: bool) -> pa.Array:
    share = rng.choice([0, 0.3, 0.3, 1])
    nulls = [rng.random() < share for _ in range(rows)]
    valid = ~np.array(nulls, bool)
    bitmap = pa.py_buffer(np.packbits(valid, bitorder="little")) if rng.random() < 0.8 else None
    if bitmap is None:
        nulls = [False] * rows
    if pa.types.is_struct(kind):
        children = [random_array(rng, field.type, rows, hidden=hidden) for field in kind]
        return pa.Array.from_buffers(kind, rows, [bitmap], children=children)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        lengths = [0 if null and not hidden else rng.choice([0, 1, 1, 2, 5]) for null in nulls]
        first = rng.choice([0, 3])
        offsets = np.cumsum([first, *lengths], dtype=np.int32 if pa.types.is_list(kind) else np.int64)
        values = random_array(rng, kind.value_type, int(offsets[-1]) + rng.choice([0, 2]), hidden=hidden)
        return pa.Array.from_buffers(kind, rows, [bitmap, pa.py_buffer(offsets)], children=[values])
    return pa.array([None if null else _value(rng, kind) for null in nulls], kind)


def _value(rng: Random, kind: pa.DataType) -> object:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return rng.choice(TEXTS).decode()
    if kind in (pa.binary(), pa.large_binary()):
        return rng.choice(TEXTS if rng.random() < 0.7 else INVALID)
    if kind == pa.binary(2):
        return rng.choice([b"ab", b"cd"])
    if kind == pa.bool_():
        return rng.random() < 0.5
    if pa.types.is_fixed_size_list(kind):
        return [1, 2]
    if pa.types.is_map(kind):
        return [("a", 1)]
    if pa.types.is_null(kind):
        return None
    return np.float16(rng.randint(0, 9)) if pa.types.is_float16(kind) else rng.randint(0, 9)
