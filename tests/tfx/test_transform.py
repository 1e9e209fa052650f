"""TensorFlow Transform makes equal data of our sources and of those of tfx_bsl, and writes equal data."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import apache_beam as beam
import pytest
import tensorflow as tf
import tensorflow_transform as tft
import tensorflow_transform.beam as tft_beam
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from random_rows import features, rows
from sources import PAIRS, Source
from tfx_bsl.public.tfxio import RecordBatchToExamplesEncoder

from arrowfeed import tfxio

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa
    from tensorflow_metadata.proto.v0 import schema_pb2

ROWS = 200
COLUMNS = ["id", "weight", "label", "town", "color", "flag", "counts"]
SCHEMA = features(*COLUMNS)


def preprocess(inputs: dict) -> dict:
    """Values of one row, and values that need a pass over all rows."""
    sums = tf.reshape(tf.sparse.reduce_sum(inputs["counts"], axis=1), [-1])
    return {
        "id": inputs["id"],
        "weight": tft.scale_to_z_score(inputs["weight"]),
        "scaled": tft.scale_to_0_1(inputs["weight"]),
        "bucket": tft.bucketize(inputs["weight"], num_buckets=5),
        "town": tft.compute_and_apply_vocabulary(inputs["town"], vocab_filename="towns", num_oov_buckets=1),
        "color": tft.compute_and_apply_vocabulary(inputs["color"], vocab_filename="colors", top_k=2),
        "sum": tf.cast(sums, tf.float32) / 4 + tft.mean(inputs["counts"]),
    }


class Result(NamedTuple):
    """The transformed rows by their ids, as record batches and as they were written, and what was learned."""

    batches: dict[int, dict]
    written: dict[int, dict]
    schema: schema_pb2.Schema
    vocabularies: list[list[bytes]]


def transformed(source: Source, encoder: type, folder: Path) -> Result:
    """Transforms the rows of a source, writes them as `tf.Example` with an encoder, and reads them again."""
    config = source.tfxio.TensorAdapterConfig()
    with beam.Pipeline(runner=FnApiRunner()) as pipeline, tft_beam.Context(temp_dir=str(folder / "temp")):
        batches = source.batches(pipeline, 32)
        analyze = tft_beam.AnalyzeAndTransformDataset(preprocess, output_record_batches=True)
        (output, metadata), function = (batches, config) | analyze
        function | tft_beam.WriteTransformFn(str(folder))
        output | beam.FlatMapTuple(lines) | beam.io.WriteToText(str(folder / "lines"))
        messages = output | beam.ParDo(Encode(encoder, metadata.schema))
        messages | beam.io.WriteToTFRecord(str(folder / "rows"), file_name_suffix=".tfrecord")
    output = tft.TFTransformOutput(str(folder))
    schema = output.transformed_metadata.schema
    text = "".join(path.read_text() for path in folder.glob("lines*"))
    files = tfxio.TFExampleRecord(str(folder / "rows*.tfrecord"), schema=schema)
    [batch] = files.RecordBatches(tfxio.RecordBatchesOptions(ROWS, num_epochs=1, shuffle=False))
    return Result(
        by_id(map(ast.literal_eval, text.splitlines())),
        by_id(batch.to_pylist()),
        schema,
        [output.vocabulary_by_name(name) for name in ("towns", "colors")],
    )


def lines(batch: pa.RecordBatch, passed: dict) -> list[str]:
    """The rows of a transformed batch."""
    assert not passed
    return [repr(row) for row in batch.to_pylist()]


class Encode(beam.DoFn):
    """Record batches to messages of `tf.Example`."""

    def __init__(self, encoder: type, schema: schema_pb2.Schema) -> None:
        self.encoder, self.schema = encoder, schema

    def process(self, element: tuple) -> list[bytes]:
        return self.encoder(self.schema).encode(element[0])


def by_id(rows: Iterable[dict]) -> dict[int, dict]:
    """Rows by their ids."""
    return {row["id"][0]: row for row in rows}


def assert_same_rows(found: dict[int, dict], expected: dict[int, dict]) -> None:
    """Fails unless all values are equal. TFT adds floats of 32 bits, in any order."""
    assert found.keys() == expected.keys()
    for number, row in expected.items():
        assert found[number].keys() == row.keys()
        for name, value in row.items():
            assert found[number][name] == pytest.approx(value, rel=1e-6, abs=1e-6), (number, name)


@pytest.mark.parametrize("name", ["TFExampleRecord", "AvroRecord", "ParquetTFXIO", "CsvTFXIO"])
def test_transformed_data_are_equal(tmp_path, name):
    for folder in ("ours", "theirs"):
        (tmp_path / folder).mkdir()
    pair = PAIRS[name](tmp_path, rows(ROWS, "transform", name), SCHEMA)
    found = transformed(pair.ours, tfxio.RecordBatchToExamplesEncoder, tmp_path / "ours")
    expected = transformed(pair.theirs, RecordBatchToExamplesEncoder, tmp_path / "theirs")
    assert found.schema == expected.schema
    assert found.vocabularies == expected.vocabularies
    assert len(found.batches) == ROWS
    assert_same_rows(found.batches, expected.batches)
    assert_same_rows(found.written, expected.written)
    assert_same_rows(found.written, found.batches)
    assert {row["bucket"][0] for row in found.written.values()} == {0, 1, 2, 3, 4}
