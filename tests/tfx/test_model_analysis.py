"""TensorFlow Model Analysis computes equal metrics on our sources and on those of tfx_bsl, for each slice."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import apache_beam as beam
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
    from collections.abc import Callable

    from google.protobuf.message import Message

    Expected = Callable[[str], list[Message]]

ROWS = 200
SCHEMA = features("weight", "label", "color", "flag", "counts")


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


def eval_config(signature: str) -> config_pb2.EvalConfig:
    """The slices and metrics of an evaluation of a signature."""
    return text_format.Parse(
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


def shared(model: str, config: config_pb2.EvalConfig) -> tfma.EvalSharedModel:
    """A model in its folder, for TFMA."""
    return tfma.default_eval_shared_model(eval_saved_model_path=model, eval_config=config)


def evaluated(source: Source, model: str, signature: str, folder: Path) -> list[Message]:
    """The metrics and plots of each slice, sorted by the slices."""
    config = eval_config(signature)
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        source.batches(pipeline, 64) | tfma.ExtractEvaluateAndWriteResults(
            eval_shared_model=shared(model, config),
            eval_config=config,
            tensor_adapter_config=source.tfxio.TensorAdapterConfig(),
            output_path=str(folder),
        )
    return results(folder)


def results(folder: Path) -> list[Message]:
    """The metrics and plots of each slice that TFMA wrote, sorted by the slices."""
    found = [*tfma.load_metrics(str(folder)), *tfma.load_plots(str(folder))]
    return sorted(found, key=lambda message: (message.DESCRIPTOR.name, str(message.slice_key)))


def examples_of(page: str) -> list[str]:
    """The Python programs of a page."""
    text = (Path(__file__).resolve().parents[2] / "docs" / page).read_text("utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def key_of(pair: Message) -> str:
    """The key of a metric or of a plot."""
    return str(pair.key)


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


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, written: list[dict], model: str) -> Expected:
    """The metrics that tfx_bsl's source gives, by the signature of the model."""
    folder = tmp_path_factory.mktemp("theirs")
    files = write_records(folder, [*map(example, written)])

    @functools.cache
    def of_signature(signature: str) -> list[Message]:
        source = Source(theirs.TFExampleRecord(files, **RAW))
        return evaluated(source, model, signature, folder / signature)

    return of_signature


def assert_same_metrics(found: list[Message], expected: list[Message]) -> None:
    """Fails unless the metrics and plots are equal."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other, {"metric_keys_and_values": key_of, "plot_keys_and_values": key_of})
    slices = [it.slice_key for it in found if it.DESCRIPTOR.name == "MetricsForSlice"]
    columns = {tuple(single.column for single in key.single_slice_keys) for key in slices}
    assert columns == {(), ("flag",), ("color", "flag"), ("counts",)}


# The signature for examples cannot parse records of Avro.
CASES = [
    ("tensors", example_records),
    ("tensors", avro_files),
    ("tensors", avro_records),
    ("serving_default", example_files),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1].__name__}")
def test_metrics_are_equal(tmp_path, expected, written, model, case):
    signature, make = case
    found = evaluated(make(tmp_path, written), model, signature, tmp_path / "results")
    assert_same_metrics(found, expected(signature))


def test_a_model_parses_examples_made_of_avro_files(tmp_path, monkeypatch, expected, written, model):
    monkeypatch.chdir(tmp_path)
    Path(write_avro(tmp_path, written)).with_name("0.avro").rename("rows-0.avro")
    Path("1.avro").rename("rows-1.avro")
    [program] = [text for text in examples_of("from-tfx-bsl.md") if "ExtractEvaluateAndWriteResults" in text]
    config = eval_config("serving_default")
    program = program.replace("beam.Pipeline()", "beam.Pipeline(runner=FnApiRunner())")
    given = {
        "FnApiRunner": FnApiRunner,
        "schema": SCHEMA,
        "model": shared(model, config),
        "eval_config": config,
    }
    exec(compile(program, "from-tfx-bsl.md", "exec"), given)
    assert_same_metrics(results(tmp_path / "results"), expected("serving_default"))
