"""Runs executors of ExampleGen and reads what they write."""

from pathlib import Path
from typing import Any, NamedTuple

import tensorflow as tf
from google.protobuf import json_format
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils, standard_artifacts
from tfx.types import standard_component_specs as keys


class Output(NamedTuple):
    """The output of an executor."""

    artifact: Any
    """The artifact `examples`."""
    messages: dict[str, list[bytes]]
    """The records of each split, sorted."""


def splits_of(**buckets: int) -> Any:
    """Returns an output configuration with a split for each keyword."""
    splits = [
        example_gen_pb2.SplitConfig.Split(name=name, hash_buckets=count) for name, count in buckets.items()
    ]
    return example_gen_pb2.Output(split_config=example_gen_pb2.SplitConfig(splits=splits))


def inputs_of(**patterns: str) -> Any:
    """Returns an input configuration with a split for each keyword."""
    splits = [example_gen_pb2.Input.Split(name=name, pattern=pattern) for name, pattern in patterns.items()]
    return example_gen_pb2.Input(splits=splits)


def run(
    executor: Any,
    data: Path,
    out: Path,
    *,
    inputs: Any = None,
    output: Any = None,
    payload: int = example_gen_pb2.FORMAT_TF_EXAMPLE,
    custom_config: Any = None,
    arguments: list[str] | None = None,
) -> Output:
    """Runs an executor class on the files of a directory."""
    artifact = standard_artifacts.Examples()
    artifact.uri = str(out)
    properties = {
        keys.INPUT_BASE_KEY: str(data),
        keys.INPUT_CONFIG_KEY: json_format.MessageToJson(inputs or inputs_of(single_split="*")),
        keys.OUTPUT_CONFIG_KEY: json_format.MessageToJson(output or splits_of(train=2, eval=1)),
        keys.OUTPUT_DATA_FORMAT_KEY: payload,
    }
    if custom_config is not None:
        properties[keys.CUSTOM_CONFIG_KEY] = json_format.MessageToJson(custom_config)
    context = executor.Context(beam_pipeline_args=arguments or [])
    executor(context).Do({}, {keys.EXAMPLES_KEY: [artifact]}, properties)
    names = artifact_utils.decode_split_names(artifact.split_names)
    return Output(artifact, {name: sorted(records_of(artifact, name)) for name in names})


def records_of(artifact: Any, split: str) -> list[bytes]:
    """Returns the records of the TFRecord files of a split."""
    folder = artifact_utils.get_split_uri([artifact], split)
    files = [str(path) for path in sorted(Path(folder).glob("data_tfrecord-*.gz"))]
    return list(tf.data.TFRecordDataset(files, compression_type="GZIP").as_numpy_iterator())
