"""The examples in docstrings of Beam, tensorflow-io and tfx_bsl run, and print what they say."""

import json
import sys
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
import tensorflow_transform.beam as tft_beam
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

import arrowfeed as af
import arrowfeed.beam
import arrowfeed.tfio
from arrowfeed import tfxio
from arrowfeed.representations import Dense

sys.path.append(str(Path(__file__).parents[1] / "python"))
from docstring_examples import examples_of, failures

AVRO = {
    "type": "record",
    "name": "Row",
    "fields": [{"name": "age", "type": "long"}, {"name": "label", "type": "long"}],
}
TFIO = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "age", "type": "long"},
        {"name": "x", "type": {"type": "array", "items": "float"}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {
            "name": "name",
            "type": {"type": "record", "name": "Name", "fields": [{"name": "first", "type": "string"}]},
        },
    ],
}
SCHEMA = text_format.Parse(
    """
    feature { name: "age" type: INT presence { min_fraction: 1 } shape {} }
    feature { name: "label" type: INT presence { min_fraction: 1 } shape {} }
    """,
    schema_pb2.Schema(),
)
ROWS = pa.table({"age": [age % 80 for age in range(300)], "label": [age % 2 for age in range(300)]})
RECORDS = {
    "AvroBeamRecord": [bytes([40, 2])] * 3,
    "BeamRecordCsvTFXIO": [b"20,1"] * 3,
    "TFSequenceExampleBeamRecord": [tf.train.SequenceExample().SerializeToString()] * 3,
    "BeamRecordToTensorTFXIO": [b"1", b"2"],
}
"""Records of the sources that read a PCollection, where they are not messages of `tf.Example`."""


class Numbers(tfxio.TFGraphRecordDecoder):
    """Numbers from their texts."""

    def decode_record(self, records):
        return {"number": tf.strings.to_number(records)}


def example(age, label):
    """A row as a `tf.Example`."""
    lists = {"age": [age], "label": [label]}
    features = {
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=value)) for name, value in lists.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def of_tfio():
    """The rows of the examples of tensorflow-io."""
    x = pa.array([[0.5] * 8] * 300, pa.list_(pa.float32()))
    columns = {"age": [36] * 300, "x": x, "tags": [["a"]] * 300, "name": [{"first": "Ada"}] * 300}
    return pa.table(columns)


def write_files(module):
    """Writes the files that the examples of a module read, into the current folder."""
    for folder in ("rows", "day-1", "day-2"):
        Path(folder).mkdir()
    ids = pa.table({"id": range(10)})
    pq.write_table(ids, "rows/0.parquet")
    pa.csv.write_csv(ids, "rows/0.csv")
    af.write_avro(ids, "day-1/0.avro")
    af.write_avro(ids, "day-2/0.avro")
    rows, schema = (of_tfio(), TFIO) if module.startswith("tfio/") else (ROWS, AVRO)
    for number in range(2):
        af.write_avro(rows, f"part-{number}.avro", schema=schema)
    pq.write_table(ROWS, "part-0.parquet")
    pa.csv.write_csv(ROWS, "part-0.csv", pa.csv.WriteOptions(quoting_style="none"))


def write_records(name):
    """Writes TFRecord files of the records that a source reads."""
    if name == "TFSequenceExampleRecord":
        steps = pa.table({"user": [1], "##SEQUENCE##": pa.array([{"token": [[7], [8, 9]]}])})
        af.write_tfrecord(steps, "part-0.tfrecord.gz", format="sequence_example")
    elif name == "TFRecordToTensorTFXIO":
        with tf.io.TFRecordWriter("part-0.tfrecord.gz", "GZIP") as file:
            file.write(b"1")
    else:
        af.write_tfrecord(ROWS, "part-0.tfrecord.gz")
        af.write_tfrecord(ROWS, "part-0.tfrecord")


def given(one):
    """The names that the examples take as given."""
    pipeline = beam.Pipeline(FnApiRunner())
    records = RECORDS.get(one.name, [example(20, 1)] * 3)
    lists = {"x": pa.array([[1, 2]] * 1024), "image": pa.array([[0] * 784] * 1024)}
    return {
        **vars(tfxio),
        **vars(arrowfeed.tfio),
        **vars(arrowfeed.beam),
        "arrowfeed": af,
        "batch": pa.record_batch(lists),
        "beam": beam,
        "features": {"age": tf.io.FixedLenFeature([], tf.int64)},
        "message": example(20, 1),
        "pipeline": pipeline,
        "preprocessing_fn": lambda inputs: {"age": inputs["age"]},
        "records": pipeline | "records" >> beam.Create(records) if one.module.startswith("tfxio/") else None,
        "representations": {"image": Dense("image", [784])},
        "schema": json.dumps(TFIO) if one.module.startswith("tfio/") else SCHEMA,
        "schema_text": json.dumps(AVRO),
        "source": tfxio.AvroRecord("part-*.avro", schema=SCHEMA),
        "tf": tf,
        "tft_beam": tft_beam,
        "train": lambda *tensors: None,
    }


@pytest.mark.parametrize("one", examples_of("drop-ins"), ids=lambda one: one.id)
def test_the_examples_of_a_docstring_of_a_drop_in_run(tmp_path, monkeypatch, one):
    monkeypatch.chdir(tmp_path)
    write_files(one.module)
    write_records(one.name)
    Numbers().save("decoder")
    names = given(one)
    with tft_beam.Context(temp_dir=str(tmp_path)):
        assert failures(one, names, compares=True) == ""
        if any("pipeline" in example.source or "records |" in example.source for example in one.examples):
            names["pipeline"].run().wait_until_finish()
