"""The decoder of `tf.SequenceExample` accepts and rejects the same messages as tfx_bsl."""

import os
import struct
from random import Random

import pytest
from test_example_messages import mutated

import arrowfeed as af

MUTANTS = min(int(os.environ.get("ARROWFEED_MUTANTS", "10000")), 100_000)
"""Messages that are changed. `make` sets the variable for a full run."""

SEQUENCE = "##SEQUENCE##"
STEPS = {"i": "int64", "f": "float", "b": "bytes"}
SCHEMA = {"c": "int64", SEQUENCE: STEPS}


def message(random):
    """A message with context features and feature lists. Some lists or steps are empty."""
    pb = pytest.importorskip("tensorflow").train

    def feature(name):
        count = random.randrange(4)
        match name:
            case "i" | "other":
                values = [random.choice([0, 1, 300, -1, 2**40, -(2**63)]) for _ in range(count)]
                return pb.Feature(int64_list=pb.Int64List(value=values))
            case "f":
                values = [random.choice([0.5, -1e30, float("nan")]) for _ in range(count)]
                return pb.Feature(float_list=pb.FloatList(value=values))
            case _:
                values = [random.randbytes(random.randrange(5)) for _ in range(count)]
                return pb.Feature(bytes_list=pb.BytesList(value=values))

    def steps(name):
        return pb.FeatureList(
            feature=[
                feature(name) if random.random() < 0.8 else pb.Feature() for _ in range(random.randrange(4))
            ]
        )

    names = [*STEPS, "other"]
    chosen = random.sample(names, random.randrange(len(names) + 1))
    context = {"c": feature("i")} if random.random() < 0.5 else {}
    lists = pb.FeatureLists(feature_list={name: steps(name) for name in chosen})
    made = pb.SequenceExample(context=pb.Features(feature=context), feature_lists=lists)
    return made.SerializeToString()


def as_int32(value):
    """The 32 bits that tfx_bsl keeps of an integer in a feature list."""
    return struct.unpack("<i", struct.pack("<I", value & 0xFFFFFFFF))[0]


def columns(batch, integer=lambda value: value):
    """The values of a batch as bits, because a NaN is not equal to itself."""
    made = {"int64": integer, "float": lambda value: struct.pack("f", value), "bytes": bytes}
    [context] = batch.column("c").to_pylist()
    [lists] = batch.column(SEQUENCE).to_pylist()
    found = {
        name: lists[name] and [step and [made[kind](value) for value in step] for step in lists[name]]
        for name, kind in STEPS.items()
    }
    return context, found


def test_mutated_sequences_are_read_as_tfx_bsl_reads_them():
    """Except for integers of feature lists: tfx_bsl keeps 32 bits."""
    coder = pytest.importorskip("tfx_bsl.coders.sequence_example_coder")
    metadata = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")
    types = {"int64": metadata.INT, "float": metadata.FLOAT, "bytes": metadata.BYTES}
    features = [metadata.Feature(name=name, type=types[kind]) for name, kind in STEPS.items()]
    steps = metadata.Feature(name=SEQUENCE, type=metadata.STRUCT)
    steps.struct_domain.feature.extend(features)
    schema = metadata.Schema(feature=[metadata.Feature(name="c", type=metadata.INT), steps])
    arguments = (SEQUENCE, schema.SerializeToString())
    random = Random(7)
    messages = [one for one in (message(random) for _ in range(300)) if one]
    ours = af.SequenceExampleRecordDecoder(SCHEMA)
    theirs = coder.SequenceExamplesToRecordBatchDecoder(*arguments)
    accepted = 0
    for _ in range(MUTANTS):
        record = mutated(random, messages)
        try:
            expected = columns(theirs.DecodeBatch([record]))
        except RuntimeError:
            # The decoder of tfx_bsl returns wrong results after an error.
            expected, theirs = None, coder.SequenceExamplesToRecordBatchDecoder(*arguments)
        try:
            found = columns(ours.decode([record]).to_pyarrow(), as_int32)
        except af.CorruptBlockError:
            found = None
        assert found == expected, record.hex()
        accepted += found is not None
    assert MUTANTS // 10 < accepted < MUTANTS * 9 // 10
