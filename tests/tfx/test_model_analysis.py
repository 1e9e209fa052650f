"""TensorFlow Model Analysis computes equal metrics on our sources and on those of tfx_bsl, for each slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apache_beam as beam
import pyarrow as pa
import pytest
import tensorflow as tf
import tensorflow_model_analysis as tfma
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from google.protobuf import text_format
from random_rows import AVRO, features, rows
from same_proto import assert_same
from sources import Source, avro_record, example, write_avro, write_records
from tensorflow_model_analysis.proto import config_pb2
from tfx_bsl.public import tfxio as theirs

from arrowfeed import tfxio

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.message import Message

ROWS = 200
SCHEMA = features("weight", "label", "color", "flag", "counts")


AVRO_SOURCES = (tfxio.AvroRecord, tfxio.AvroBeamRecord)


class Model(tf.Module):
    """A fixed model, with a signature for tensors and one for serialized examples."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(0.3)

    @tf.function
    def of_tensors(self, weight: tf.Tensor, flag: tf.Tensor) -> dict:
        """The probability of the label 1, rounded: TFMA's sums of such floats of 32 bits are exact."""
        number = tf.cast(tf.reshape(flag, [-1]), tf.float32)
        score = tf.sigmoid(self.factor * tf.reshape(weight, [-1]) - number / 2)
        return {"probability": tf.round(score * 128) / 128}

    @tf.function
    def of_examples(self, examples: tf.Tensor) -> dict:
        """The same for serialized examples."""
        kinds = {"weight": tf.float32, "flag": tf.int64}
        parser = {name: tf.io.FixedLenFeature([], kind) for name, kind in kinds.items()}
        return self.of_tensors(**tf.io.parse_example(examples, parser))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a model."""
    folder = str(tmp_path_factory.mktemp("model"))
    made = Model()
    weight = tf.TensorSpec([None], tf.float32, "weight")
    flag = tf.TensorSpec([None], tf.int64, "flag")
    examples = tf.TensorSpec([None], tf.string, "examples")
    signatures = {
        "tensors": made.of_tensors.get_concrete_function(weight, flag),
        "serving_default": made.of_examples.get_concrete_function(examples),
    }
    tf.saved_model.save(made, folder, signatures)
    return folder


def evaluated(source: Source, model: str, signature: str, folder: Path) -> list[Message]:
    """The metrics and plots of each slice, sorted by the slices."""
    eval_config = text_format.Parse(
        f"""
        model_specs {{
          signature_name: "{signature}" label_key: "label" example_weight_key: "weight"
        }}
        slicing_specs {{}}
        slicing_specs {{ feature_keys: "flag" }}
        slicing_specs {{ feature_keys: "color" feature_keys: "flag" }}
        slicing_specs {{ feature_keys: "counts" }}
        metrics_specs {{
          metrics {{ class_name: "ExampleCount" }}
          metrics {{ class_name: "WeightedExampleCount" }}
          metrics {{ class_name: "AUC" }}
          metrics {{ class_name: "BinaryAccuracy" }}
          metrics {{ class_name: "MeanLabel" }}
          metrics {{ class_name: "MeanPrediction" }}
          metrics {{ class_name: "CalibrationPlot" }}
        }}
        """,
        config_pb2.EvalConfig(),
    )
    shared = tfma.default_eval_shared_model(eval_saved_model_path=model, eval_config=eval_config)
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        batches = source.batches(pipeline, 64)
        if signature == "serving_default" and isinstance(source.tfxio, AVRO_SOURCES):
            batches |= beam.Map(with_examples).with_output_types(pa.RecordBatch)
        batches | tfma.ExtractEvaluateAndWriteResults(
            eval_shared_model=shared,
            eval_config=eval_config,
            tensor_adapter_config=source.tfxio.TensorAdapterConfig(),
            output_path=str(folder),
        )
    found = [*tfma.load_metrics(str(folder)), *tfma.load_plots(str(folder))]
    return sorted(found, key=lambda message: (message.DESCRIPTOR.name, str(message.slice_key)))


def key_of(pair: Message) -> str:
    """The key of a metric or of a plot."""
    return str(pair.key)


def with_examples(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch whose raw records are its rows as `tf.Example`, from which models parse their features."""
    batch = batch.drop_columns(tfma.ARROW_INPUT_COLUMN)
    messages = tfxio.RecordBatchToExamplesEncoder().encode(batch)
    column = pa.array([[message] for message in messages], pa.large_list(pa.large_binary()))
    return batch.append_column(tfma.ARROW_INPUT_COLUMN, column)


# TFMA takes no batches without raw records, even for models that do not read them.
RAW = {"schema": SCHEMA, "raw_record_column_name": tfma.ARROW_INPUT_COLUMN}


def example_files(folder: Path, written: list[dict]) -> Source:
    """TFRecord files."""
    return Source(tfxio.TFExampleRecord(write_records(folder, [*map(example, written)]), **RAW))


def example_records(folder: Path, written: list[dict]) -> Source:
    """Messages in memory."""
    return Source(tfxio.TFExampleBeamRecord("list", **RAW), [*map(example, written)])


def avro_files(folder: Path, written: list[dict]) -> Source:
    """Avro files."""
    return Source(tfxio.AvroRecord(write_avro(folder, written), **RAW))


def avro_records(folder: Path, written: list[dict]) -> Source:
    """Avro records in memory."""
    return Source(tfxio.AvroBeamRecord("list", **RAW, avro_schema=AVRO), [*map(avro_record, written)])


@pytest.fixture(scope="module")
def written() -> list[dict]:
    """The rows of all sources."""
    return rows(ROWS, "analysis")


@pytest.fixture(scope="module", params=["tensors", "serving_default"])
def expected(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, written: list[dict], model: str
) -> tuple[str, list[Message]]:
    """A signature, and the metrics that tfx_bsl's source gives with it."""
    folder = tmp_path_factory.mktemp("theirs")
    source = Source(theirs.TFExampleRecord(write_records(folder, [*map(example, written)]), **RAW))
    return request.param, evaluated(source, model, request.param, folder / "results")


@pytest.mark.parametrize("make", [example_files, example_records, avro_files, avro_records])
def test_metrics_are_equal(tmp_path, make, expected, written, model):
    signature, of_theirs = expected
    found = evaluated(make(tmp_path, written), model, signature, tmp_path / "results")
    assert len(found) == len(of_theirs)
    for one, other in zip(found, of_theirs, strict=True):
        assert_same(one, other, {"metric_keys_and_values": key_of, "plot_keys_and_values": key_of})
    slices = [it.slice_key for it in found if it.DESCRIPTOR.name == "MetricsForSlice"]
    assert {tuple(single.column for single in key.single_slice_keys) for key in slices} == {
        (),
        ("flag",),
        ("color", "flag"),
        ("counts",),
    }
