"""The programs of the page on TFX run."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import json_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.proto import example_gen_pb2
from tfx.types import standard_component_specs as keys

import arrowfeed as af
from arrowfeed.tfx import ExampleGen, Executor, avro_executor

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tfx.md"


@pytest.fixture(scope="module")
def programs() -> list[dict[str, Any]]:
    """The names that each program defines."""
    texts = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(texts) == 4
    found: list[dict[str, Any]] = [{} for _ in texts]
    for number, (text, names) in enumerate(zip(texts, found, strict=True)):
        exec(compile(text, f"tfx.md, program {number}", "exec"), names)
    return found


def test_the_first_program_has_the_executor_of_avro_files(programs: list[dict[str, Any]]) -> None:
    assert programs[0]["example_gen"].executor_spec.executor_class is avro_executor.Executor


def test_the_second_program_computes_statistics_of_the_examples(programs: list[dict[str, Any]]) -> None:
    example_gen = programs[1]["example_gen"]
    assert isinstance(example_gen, ExampleGen)
    assert example_gen.executor_spec.executor_class is Executor
    read = programs[1]["statistics_gen"].inputs["examples"]
    assert read is example_gen.outputs["examples"]


def test_the_third_program_divides_spans_by_user(programs: list[dict[str, Any]]) -> None:
    properties = programs[2]["example_gen"].exec_properties
    inputs, outputs = example_gen_pb2.Input(), example_gen_pb2.Output()
    json_format.Parse(properties[keys.INPUT_CONFIG_KEY], inputs)
    json_format.Parse(properties[keys.OUTPUT_CONFIG_KEY], outputs)
    assert [split.pattern for split in inputs.splits] == ["span-{SPAN}/version-{VERSION}/*.avro"]
    assert [split.hash_buckets for split in outputs.split_config.splits] == [8, 2]
    assert outputs.split_config.partition_feature_name == "user.id"


def test_the_fourth_program_reads_examples(programs: list[dict[str, Any]], tmp_path: Path) -> None:
    af.write_tfrecord(pa.table({"id": range(100), "label": [1] * 100}), tmp_path / "rows.tfrecord.gz")
    schema = schema_pb2.Schema()
    for name in ("id", "label"):
        feature = schema.feature.add(name=name, type=schema_pb2.INT)
        feature.shape.dim.add(size=1)
        feature.presence.min_fraction = 1
    dataset = programs[3]["dataset"]([f"{tmp_path}/*"], schema, "label")
    ids = [int(number) for features, _ in dataset for number in features["id"].numpy()[:, 0]]
    assert sorted(ids) == list(range(100))
