"""The decoder of `tf.Example` accepts and rejects the same messages as tfx_bsl, with equal values.

The Rust tests of `arrowfeed-tfrecord` read the cases of `tests/cases/example` too.
"""

import os
import struct
import sys
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

import arrowfeed as af

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = tomllib.loads((Path(__file__).parents[1] / "cases/example/messages.toml").read_text("utf-8"))["case"]
KINDS = {"i": pa.int64(), "f": pa.float32(), "b": pa.large_binary()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_tfx_bsl_reads_a_message_as_in_the_case(case):
    coder = pytest.importorskip("tfx_bsl.coders.example_coder")
    decoder = coder.ExamplesToRecordBatchDecoder()
    message = bytes.fromhex(case["message"])
    if not case.get("parsed", True):
        with pytest.raises(RuntimeError, match=r"DATA_LOSS: Unable to parse example\."):
            decoder.DecodeBatch([message])
        return
    batch = decoder.DecodeBatch([message])
    found = {}
    for name in KINDS.keys() & set(batch.schema.names):
        column = batch.column(name)
        [values] = column.to_pylist()
        if values is not None and column.type.value_type == KINDS[name]:
            found[name] = [value.hex() if isinstance(value, bytes) else value for value in values]
    if "error" not in case:
        assert found == {name: case[name] for name in KINDS if name in case}


MUTANTS = min(int(os.environ.get("ARROWFEED_MUTANTS", "10000")), 100_000)
"""Messages that are changed. `make` sets the variable for a full run."""

SCHEMA = {"i": "int64", "f": "float", "b": "bytes"}


def message(random):
    """A `tf.Example` message with some features of the schema, and others. Some are empty."""
    pb = pytest.importorskip("tensorflow").train
    integers = [random.choice([0, 1, 300, -1, 2**40, -(2**63)]) for _ in range(random.randrange(5))]
    floats = [random.choice([0.5, -1e30, float("nan")]) for _ in range(random.randrange(4))]
    strings = [random.randbytes(random.randrange(9)) for _ in range(random.randrange(4))]
    lists = {
        "i": pb.Feature(int64_list=pb.Int64List(value=integers)),
        "f": pb.Feature(float_list=pb.FloatList(value=floats)),
        "b": pb.Feature(bytes_list=pb.BytesList(value=strings)),
        "other": pb.Feature(int64_list=pb.Int64List(value=integers)),
        "none": pb.Feature(),
    }
    chosen = random.sample(list(lists), random.randrange(len(lists) + 1))
    return pb.Example(
        features=pb.Features(feature={name: lists[name] for name in chosen})
    ).SerializeToString()


def mutated(random, messages):
    """A message with bytes changed, removed, inserted, or copied from another message."""
    changed = bytearray(random.choice(messages))
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        at = random.randrange(len(changed) + 1)
        match random.randrange(6):
            case 0 if at < len(changed):
                changed[at] = random.randrange(256)
            case 1 if at < len(changed):
                changed[at] ^= 1 << random.randrange(8)
            case 2:
                del changed[at : at + random.randrange(1, 6)]
            case 3:
                changed[at:at] = random.randbytes(random.randrange(1, 4))
            case 4:
                changed[at:at] = bytes(
                    [random.choice([0x08, 0x0A, 0x0B, 0x0C, 0x0D, 0x12, 0x1A, 0x7F, 0xFF])]
                )
            case _:
                other = random.choice(messages)
                changed[at:] = other[random.randrange(len(other) + 1) :]
    return bytes(changed)


def columns(batch):
    """The values of a batch as bits, because a NaN is not equal to itself."""
    found = {}
    for name in SCHEMA:
        [values] = batch.column(name).to_pylist()
        is_float = values is not None and name == "f"
        found[name] = struct.pack(f"{len(values)}f", *values) if is_float else values
    return found


def test_mutated_messages_are_read_as_tfx_bsl_reads_them():
    coder = pytest.importorskip("tfx_bsl.coders.example_coder")
    metadata = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")
    types = {"int64": metadata.INT, "float": metadata.FLOAT, "bytes": metadata.BYTES}
    features = [metadata.Feature(name=name, type=types[kind]) for name, kind in SCHEMA.items()]
    schema = metadata.Schema(feature=features).SerializeToString()
    random = Random(7)
    messages = [one for one in (message(random) for _ in range(300)) if one]
    ours, theirs = af.ExampleRecordDecoder(SCHEMA), coder.ExamplesToRecordBatchDecoder(schema)
    accepted = 0
    for _ in range(MUTANTS):
        record = mutated(random, messages)
        try:
            expected = columns(theirs.DecodeBatch([record]))
        except RuntimeError:
            # The decoder of tfx_bsl returns wrong results after an error.
            expected, theirs = None, coder.ExamplesToRecordBatchDecoder(schema)
        try:
            found = columns(ours.decode([record]).to_pyarrow())
        except af.CorruptBlockError:
            found = None
        assert found == expected, record.hex()
        accepted += found is not None
    assert MUTANTS // 10 < accepted < MUTANTS * 9 // 10
