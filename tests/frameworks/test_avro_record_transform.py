"""TensorFlow Transform runs on `AvroRecord`, and TensorFlow Data Validation accepts its types."""

import functools
import random
import tempfile
from pathlib import Path

import apache_beam as beam
import avro_record_cases
import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
import tensorflow_transform as tft
import tensorflow_transform.beam as tft_beam
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from avro_record_cases import SCHEMA, Pair, pair
from test_avro_record import AVRO as NESTED

from arrowfeed import tfxio

SEED = random.randrange(1 << 32)
"""The seed of the rows of all formats: `TFExampleRecord` of tfx_bsl transforms them once."""


def preprocess(inputs: dict) -> dict:
    """Computes a value that needs a pass over all data, for a tensor of each kind."""
    pairs = tf.cast(tf.reduce_sum(inputs["pairs"], axis=[1, 2]), tf.float32)
    return {
        "id": inputs["id"],
        "weight": tft.scale_to_0_1(inputs["weight"]),
        "box": tft.scale_to_z_score(inputs["box"]),
        "words": tft.compute_and_apply_vocabulary(inputs["words"]),
        "sparse": tf.reshape(tf.sparse.reduce_sum(inputs["sparse"], axis=1), [-1]),
        "sums": pairs + tft.mean(inputs["weight"]),
    }


def transformed(source: object, folder: Path) -> dict[int, dict]:
    """The transformed rows by their ids."""
    folder.mkdir()
    with beam.Pipeline(runner=FnApiRunner()) as pipeline, tft_beam.Context(temp_dir=str(folder)):
        batches = pipeline | source.BeamSource(batch_size=16)
        analyze = tft_beam.AnalyzeAndTransformDataset(preprocess, output_record_batches=True)
        (output, _), _ = (batches, source.TensorAdapterConfig()) | analyze
        lines = output | beam.FlatMap(lambda pair: map(repr, pair[0].to_pylist()))
        lines | beam.io.WriteToText(str(folder / "rows"), shard_name_template="")
    rows = [eval(line) for line in (folder / "rows").read_text().splitlines()]
    return {row["id"][0]: row for row in rows}


@functools.cache
def expected_rows() -> dict[int, dict]:
    """The transformed rows of tfx_bsl."""
    with tempfile.TemporaryDirectory() as folder:
        return transformed(avro_record_cases.pair(Path(folder), seed=SEED).theirs, Path(folder) / "theirs")


def test_transform_makes_the_same_of_avro_as_of_examples(tmp_path):
    sources = pair(tmp_path, seed=SEED)
    found = transformed(sources.ours, tmp_path / "ours")
    expected = expected_rows()
    assert found.keys() == expected.keys() == {row["id"] for row in sources.rows}
    for number, row in expected.items():
        assert found[number].keys() == row.keys()
        for name, values in row.items():
            np.testing.assert_allclose(found[number][name], values, rtol=1e-5, atol=1e-6)


def test_transform_takes_a_projection(tmp_path):
    source = pair(tmp_path).ours.Project(["id", "weight", "box", "words", "sparse", "pairs"])
    assert len(transformed(source, tmp_path / "out")) == 60


def is_taken(kind: pa.DataType) -> bool:
    """Whether TensorFlow Data Validation accepts a column: lists of numbers, bytes or structs, or null."""
    if pa.types.is_null(kind):
        return True
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return False
    values = kind
    while pa.types.is_list(values) or pa.types.is_large_list(values):
        values = values.value_type
    if pa.types.is_struct(values):
        return all(is_taken(field.type) for field in values)
    numbers = pa.types.is_integer(values) or pa.types.is_floating(values)
    return numbers or pa.types.is_large_binary(values) or pa.types.is_null(values)


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["avro", "tfmd"])
def test_data_validation_takes_the_types_of_columns(tmp_path, schema):
    found: Pair = pair(tmp_path, schema)
    assert all(is_taken(kind) for kind in found.ours.ArrowSchema().types)


def test_data_validation_takes_records_in_records():
    schema = tfxio.AvroBeamRecord("bytes", raw_record_column_name="raw", avro_schema=NESTED).ArrowSchema()
    assert len(schema) == 11
    assert all(is_taken(kind) for kind in schema.types)
    assert not is_taken(pa.list_(pa.struct({"a": pa.int64()})))
    assert not is_taken(pa.list_(pa.bool_()))
    assert not is_taken(pa.int64())
