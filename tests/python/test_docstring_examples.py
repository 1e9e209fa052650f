"""The examples in docstrings run, and print what they say."""

import gzip
import io
import json
import logging
import types
import warnings
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
import arrowfeed.duckdb
from docstring_examples import examples_of, failures, write_files
from example_programs import people

GIVEN = """
reader = af.read_avro("part-*.avro")
dataset = af.AvroDataset("part-*.avro")
batch = next(af.read_avro("part-*.avro"))
"""

_PEOPLE = """
Path("part-0.avro").unlink()
people.write(Path())
dataset = af.AvroDataset("part-*.avro")
reader = af.read_avro("part-*.avro")
"""

_DETAILS = """
Path("users.avro").rename("part-0.avro")
dataset = af.AvroDataset("part-*.avro")
"""

_X = """
def write_x(path, count):
    pairs = [[number + 0.5, number + 1.5] for number in range(count)]
    x = pyarrow.array(pairs, pyarrow.list_(pyarrow.float32()))
    t = pyarrow.array([list(range([5, 4, 3, 3, 2, 2, 1, 1][number % 8])) for number in range(count)])
    fields = [pyarrow.field("x", x.type, nullable=False), pyarrow.field("t", t.type)]
    af.write_avro(pyarrow.table([x, t], pyarrow.schema(fields)), path)

tensors_of_x = {"x": af.representations.Dense("x", [2]), "t": af.representations.VarLenSparse("t")}
Path("part-0.avro").unlink()
"""

_SMALL_X = (
    _X
    + """
write_x("x.avro", 8)
reader = af.read_avro("x.avro")
adapter = af.TensorAdapter(reader.schema, tensors_of_x)
batch = next(af.read_avro("x.avro"))
"""
)

_MANY_X = (
    _X
    + """
write_x("part-0.avro", 20_000)
dataset = af.AvroDataset("part-*.avro", representations={"x": af.representations.Dense("x", [2])})
"""
)

_CONSUMED = """
dataset = af.AvroDataset("part-*.avro", representations={"id": af.representations.Dense("id")})
batches = dataset.tensors(batch_size=1024)
list(batches)
reader = af.read_avro("part-*.avro")
list(reader)
"""

_THREE_ROWS = 'batch = pyarrow_batch({"id": [1, 2, 3]})'

_TENSORS = """
batch = pyarrow_batch(
    {
        "x": pyarrow.array([[0.5] * 128] * 1024, pyarrow.list_(pyarrow.float32())),
        "user": [{"age": 30, "id": b"a"}] * 1024,
    }
)
wanted = {"x": af.representations.Dense("x", [128]), "user": af.representations.Structured(["user"])}
adapter = af.TensorAdapter(batch.schema, wanted)
"""

_RAGGED = """
batch = pyarrow_batch({"tags": [[7, 8], [], [9]], "words": [[1], [], [2, 3]]})
kinds = {"tags": af.representations.VarLenSparse("tags"), "words": af.representations.VarLenRagged("words")}
adapter = af.TensorAdapter(batch.schema, kinds)
"""

_TFRECORD = """
rows = [{"id": 1, "tags": ["a", "b"], "f": 0.5}] * 10
for name in ("rows.tfrecord.gz", "part-0.tfrecord", "part-0.tfrecord.gz"):
    af.write_tfrecord(rows, name)
"""

GIVEN_OF = {
    "Array.__array__": _THREE_ROWS,
    "Array.__iter__": _THREE_ROWS,
    "ArrowfeedError": 'damaged = bytearray(Path("part-0.avro").read_bytes()); damaged[-1] ^= 1\n'
    'Path("part-3.avro").write_bytes(damaged)',
    "AvroDataset": _PEOPLE,
    "AvroRecordDecoder.add_writer": """
old_schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "int"}]}
new_schema = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}
record = bytes([2])
""",
    "BatchIterator": _MANY_X,
    "BatchIterator.report": _CONSUMED,
    "BatchIterator.state_dict": """
dataset = af.AvroDataset("part-*.avro", representations={"id": af.representations.Dense("id")})
batches = dataset.tensors(batch_size=1024)
next(batches)
""",
    "BatchIterator.stats": _CONSUMED,
    "ByLength": """
af.write_avro(pyarrow.table({"tokens": [[1, 2], []]}), "tokens.avro")
dataset = af.AvroDataset("tokens.avro")
""",
    "ChunkDataset": """
class Squares(af.ChunkSource):
    arrow_schema = pyarrow.schema({"n": pyarrow.int64(), "square": pyarrow.int64()})
    chunk_rows = [100] * 5

    def read_chunk(self, number, columns):
        n = range(number * 100, number * 100 + 100)
        return pyarrow.record_batch({"n": n, "square": [i * i for i in n]}, self.arrow_schema)
""",
    "CsvDataset": 'Path("part-0.csv").write_text("age,label\\n20,1\\n")',
    "Dataset.describe": """
ages = [None if number < 3 else 18 + number % 80 for number in range(1000)]
af.write_avro(pyarrow.table({"age": ages}), "ages.avro")
dataset = af.AvroDataset("ages.avro")
""",
    "Dataset.explain": _X
    + """
write_x("x-0.avro", 8)
write_x("x-1.avro", 8)
dataset = af.AvroDataset("x-*.avro", representations={"x": af.representations.Dense("x", [2])})
""",
    "Dataset.filter": _DETAILS,
    "Dataset.project": _PEOPLE
    + 'dataset = af.AvroDataset("part-*.avro", features={"name.first": features.Dense([])})',
    "Dataset.record_batches": 'dataset = af.AvroDataset("part-*.avro").take(2500)',
    "Dataset.row_tensors": _MANY_X,
    "Dataset.rows": _MANY_X,
    "Dataset.tensors": _MANY_X,
    "DenseTensor": _TENSORS,
    "ExampleDataset": _TFRECORD,
    "LoaderStats": _CONSUMED,
    "LoaderStats.to_dict": _CONSUMED,
    "MixedDataset": """
clicks = af.AvroDataset("part-0.avro", representations={"id": af.representations.Dense("id")}).take(10)
views = clicks.skip(2)
""",
    "RaggedTensor": _RAGGED,
    "RawRecordDataset": _TFRECORD,
    "RecordBatch.column": _THREE_ROWS,
    "RecordBatch.filter": 'batch = pyarrow_batch({"age": [17] * 3072 + [18] * 5120})',
    "RecordBatchReader.report": _CONSUMED,
    "RecordBatchReader.stats": _CONSUMED,
    "SequenceExampleDataset": """
steps = pyarrow.array([{"token": [[7], [8, 9]]}])
rows = pyarrow.table({"user": [1], "##SEQUENCE##": steps})
af.write_tfrecord(rows, "a.tfrecord", format="sequence_example")
""",
    "SparseTensor": _RAGGED,
    "StructuredTensor": _TENSORS,
    "TensorAdapter": _SMALL_X,
    "TensorAdapter.convert": _SMALL_X
    + "x = pyarrow.array([[0.0, 1.0], [2.0, 3.0]], pyarrow.list_(pyarrow.float32()))\n"
    'batch = pyarrow_batch({"x": x})\n'
    'adapter = af.TensorAdapter(batch.schema, {"x": af.representations.Dense("x", [2])})',
    "TensorAdapter.explain": _SMALL_X,
    "TensorAdapter.from_features": _PEOPLE,
    "TensorsToRecordBatch": _X
    + """
write_x("x.avro", 1024)
batch = next(af.read_avro("x.avro"))
adapter = af.TensorAdapter(batch.schema, tensors_of_x)
""",
    "col": "",
    "open_dataset": _TFRECORD,
    "read_avro": _DETAILS,
    "read_csv": 'Path("part-0.csv.gz").write_bytes(gzip.compress(b"age,label\\n20,1\\n"))',
    "read_tfrecord": _TFRECORD,
    "read_dataset": 'af.write_avro(pyarrow.table({"id": range(1000)}), "part-0.avro")',
    "scan_avro": 'af.write_avro(pyarrow.table({"name": ["Ada"], "age": [36]}), "people-0.avro")',
    "scan_dataset": 'Path("people-0.csv").write_text("name,age\\nAda,36\\n")',
}
"""The names and files that the examples of a docstring need, where these are not those of `GIVEN`."""

NOT_COMPARED = {
    "BatchIterator.report",
    "BatchIterator.state_dict",
    "BatchIterator.stats",
    "LoaderStats",
    "RecordBatchReader.report",
    "RecordBatchReader.stats",
}
"""Docstrings whose outputs differ between machines and files: speeds, sizes, random sync markers."""


def pyarrow_batch(columns):
    """A batch of arrowfeed, with these columns."""
    return next(af.read_arrow_ipc(stream_of(pa.table(columns))))


def stream_of(table):
    """The bytes of an Arrow stream."""
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def given():
    """The names that all examples may use."""
    return {
        "af": af,
        "arrowfeed": arrowfeed,
        "duckdb": duckdb,
        "features": af.features,
        "representations": af.representations,
        "gzip": gzip,
        "json": json,
        "log": logging.getLogger("examples"),
        "numpy": np,
        "parse": lambda records: None,
        "Path": Path,
        "people": people,
        "polars": pl,
        "pyarrow": pa,
        "pyarrow_batch": pyarrow_batch,
        "train": lambda *tensors: None,
        "wandb": types.SimpleNamespace(log=lambda figures: None),
        "warnings": warnings,
    }


@pytest.mark.parametrize("one", examples_of("python"), ids=lambda one: one.id)
def test_the_examples_of_a_docstring_run(tmp_path, monkeypatch, one):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    names = given()
    exec(GIVEN_OF.get(one.name, GIVEN), names)
    assert failures(one, names, compares=one.name not in NOT_COMPARED) == ""
