"""`Executor`, the executor of `ExampleGen`."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from arrowfeed.beam._imported import beam
from arrowfeed.tfx._imported import example_gen_pb2, keys, of_tfx, tf
from arrowfeed.tfx._options import payload_format, unpacked
from arrowfeed.tfx._source import Source
from arrowfeed.tfx._splits import Splits
from arrowfeed.tfx._write import Split, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed.tfx._encoder import Encoder

_Base: Any = of_tfx("components.example_gen.base_example_gen_executor").BaseExampleGenExecutor
_utils: Any = of_tfx("components.example_gen.utils")
_examples: Any = of_tfx("components.util.examples_utils")
_artifacts: Any = of_tfx("types.artifact_utils")
_proto_utils: Any = of_tfx("utils.proto_utils")


class Executor(_Base):
    """Reads files of any format of `open_dataset` and writes the examples of TFX.

    It replaces the executors of TFX in `FileBasedExampleGen`, and is that of `ExampleGen`. Input splits,
    output splits with hash buckets, `partition_feature_name`, and the names of the output files are those of
    TFX. Workers read parts of one file and write without an object of Python for each value.

    | `output_data_format` | output |
    |---|---|
    | `FORMAT_TF_EXAMPLE` | TFRecord files, compressed with gzip, of `tf.Example` |
    | `FORMAT_TF_SEQUENCE_EXAMPLE` | the same of `tf.SequenceExample`, with feature lists of nested lists |
    | `FORMAT_PARQUET` | Parquet files of the features: lists of int64, float or bytes |

    A null becomes a feature without values. A field of a record becomes the feature `record.field`. Counters:
    `num_instances` in the namespace `tfx.ExampleGen`, as in TFX; in the namespace `arrowfeed`, those of
    `ReadFromDataset` and `examples.<split>` for each output split.

    Example:
        >>> example_gen = FileBasedExampleGen(
        ...     input_base="data", custom_executor_spec=executor_spec.BeamExecutorSpec(Executor)
        ... )
    """

    zeros_are_missing = False
    """Whether values that are false in Python, such as 0 and empty text, become features without values."""

    def GetInputSourceToExamplePTransform(self) -> Any:  # noqa: N802
        """Returns the function that makes the transform from a pipeline to `tf.train.Example` messages.

        `Do` does not use it, because it has no messages of Python. It serves subclasses that extend
        `GenerateExamplesByBeam`.
        """
        return self._messages

    def _messages(self, properties: dict[str, Any], split_pattern: str) -> Any:
        source = self._source(properties, split_pattern)
        message = tf.train.Example
        if _payload(properties) == example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE:
            message = tf.train.SequenceExample
        return _Messages(source, message.FromString)

    def _source(self, properties: dict[str, Any], split_pattern: str) -> Source:
        pattern = os.path.join(properties[keys.INPUT_BASE_KEY], split_pattern)  # noqa: PTH118 - it may be a URL
        return Source(
            pattern, _payload(properties), unpacked(properties), zeros_are_missing=self.zeros_are_missing
        )

    def Do(  # noqa: N802
        self,
        input_dict: dict[str, list[Any]],
        output_dict: dict[str, list[Any]],
        exec_properties: dict[str, Any],
    ) -> None:
        """Reads the input splits and writes the output splits.

        Args:
            input_dict: Not used.
            output_dict: The artifact `examples`.
            exec_properties: The execution properties of `FileBasedExampleGen`.

        Raises:
            ValueError: `output_data_format` is not supported.
            RuntimeError: The split configurations are invalid.
            Exception: As in `ReadFromDataset`.
        """
        self._log_startup(input_dict, output_dict, exec_properties)
        inputs = _parsed(example_gen_pb2.Input(), exec_properties[keys.INPUT_CONFIG_KEY])
        output = _parsed(example_gen_pb2.Output(), exec_properties[keys.OUTPUT_CONFIG_KEY])
        names = _utils.generate_output_split_names(inputs, output)
        examples = output_dict[keys.EXAMPLES_KEY]
        artifact = _artifacts.get_single_instance(examples)
        artifact.split_names = _artifacts.encode_split_names(names)
        payload = _payload(exec_properties)
        is_sequence = payload == example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE
        splits = Splits(output.split_config, is_sequence=is_sequence)
        # With output splits, there is one input split. Without them, each input split is an output split.
        outputs = [names] if output.split_config.splits else [[name] for name in names]
        with self._make_beam_pipeline() as pipeline:
            for split, of_split in zip(inputs.splits, outputs, strict=True):
                source = self._source(exec_properties, split.pattern)
                decoder = source.decoder() if payload == example_gen_pb2.FORMAT_PARQUET else None
                found = (
                    pipeline
                    | f"Read[{split.name}]" >> source.batches
                    | f"Split[{split.name}]"
                    >> beam.ParDo(Split(source.encoder, splits, of_split, decoder)).with_outputs(*of_split)
                )
                for name in of_split:
                    _ = found[name] | f"Write[{name}]" >> write(_paths(examples, name), decoder)
        _examples.set_payload_format(artifact, payload)
        if payload == example_gen_pb2.FORMAT_PARQUET:
            _examples.set_file_format(artifact, "FILE_FORMAT_PARQUET")
        else:
            _examples.set_file_format(artifact, "tfrecords_gzip")


class _Messages(beam.PTransform):
    """Reads files as messages.

    Args:
        source: The files.
        parse: Function that parses a serialized message.
    """

    def __init__(self, source: Source, parse: Callable[[bytes], Any]) -> None:
        beam.PTransform.__init__(self)
        self._source, self._parse = source, parse

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of messages."""
        parsed = functools.partial(_parsed_messages, self._source.encoder, self._parse)
        return pcoll | "Read" >> self._source.batches | "Encode" >> beam.FlatMap(parsed)


def _parsed_messages(encoder: Encoder, parse: Callable[[bytes], Any], batch: Any) -> list[Any]:
    return [parse(message) for message in encoder.encode(batch).serialized]


def _payload(properties: dict[str, Any]) -> int:
    """Returns the `PayloadFormat` of the output."""
    return payload_format(properties.get(keys.OUTPUT_DATA_FORMAT_KEY) or example_gen_pb2.FORMAT_TF_EXAMPLE)


def _parsed(message: Any, text: str) -> Any:
    _proto_utils.json_to_proto(text, message)
    return message


def _paths(examples: list[Any], split: str) -> Callable[[str], str]:
    folder = _artifacts.get_split_uri(examples, split)
    return lambda name: os.path.join(folder, name)  # noqa: PTH118 - it may be a URL
