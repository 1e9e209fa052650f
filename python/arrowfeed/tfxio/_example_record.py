"""Sources of `tf.Example` and `tf.SequenceExample` messages with the names of tfx_bsl."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import (
    ExampleDataset,
    ExampleRecordDecoder,
    SequenceExampleDataset,
    SequenceExampleRecordDecoder,
)
from arrowfeed._libraries import needed
from arrowfeed.tfxio._beam_records import BeamRecords
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._example_columns import columns_of_messages, kinds, projected_messages
from arrowfeed.tfxio._files import Reading
from arrowfeed.tfxio._raw_records import message_batches
from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._tfrecord_files import TfRecordFiles

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, Limits
    from arrowfeed.types import ProtoLike


class MessageType(NamedTuple):
    """A type of messages: `tf.Example` or `tf.SequenceExample`."""

    dataset: Callable[..., Dataset]
    """The dataset class."""
    decoder: Callable[..., ExampleRecordDecoder | SequenceExampleRecordDecoder]
    """The decoder class."""
    no_schema: str
    """The text of tfx_bsl if a source without files has no schema."""


EXAMPLE = MessageType(
    ExampleDataset, ExampleRecordDecoder, "TFMD schema not provided. Unable to derive an Arrow schema"
)
SEQUENCE_EXAMPLE = MessageType(SequenceExampleDataset, SequenceExampleRecordDecoder, "Schema is undefined.")


class MessageRecords(Records):
    """A `TFXIO` over messages of one type."""

    _messages: MessageType

    def _found_columns(self) -> Columns:
        if self._features is None:
            raise ValueError(self._messages.no_schema)
        return columns_of_messages(self._messages.decoder, self._features)

    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        return projected_messages(self.columns, tensor_names)

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        self.ArrowSchema()
        return self._batches(kinds(self.columns))

    def _batches(self, schema: Any) -> Callable[[list[bytes]], Iterator[Any]]:
        return functools.partial(message_batches, self._messages.decoder, schema, self._raw_column)


class MessageFiles(MessageRecords, TfRecordFiles):
    """A `TFXIO` over TFRecord files of messages."""

    def _found_columns(self) -> Columns:
        if self._features is not None:
            return super()._found_columns()
        found = self._messages.dataset(self._patterns, limits=self._limits)
        schema = found.arrow_schema.to_pyarrow()
        return Columns(schema.names, schema, dict(found.tensor_representations))

    def _reading(self) -> Reading:
        options = {
            "schema": kinds(self.columns),
            "columns": self.columns.names,
            "limits": self._limits,
        }
        return Reading(self._messages.dataset, options, self.columns.representations)


class BeamMessages(BeamRecords, MessageRecords):
    """A `TFXIO` over messages in a PCollection of bytes."""

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None,
        schema: ProtoLike | None,
        raw_record_column_name: str | None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors)
        self.physical_format = physical_format

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        return self._batches(None) if self._features is None else super()._decoder()


class ExampleRecords(MessageRecords):
    """A `TFXIO` over `tf.Example` messages."""

    _messages = EXAMPLE
    _logical_format = "tf_example"


class SequenceExampleRecords(MessageRecords):
    """A `TFXIO` over `tf.SequenceExample` messages, with the schema as a message."""

    _messages = SEQUENCE_EXAMPLE
    _logical_format = "tf_sequence_example"

    @property
    def schema(self) -> Any:
        """The `Schema` of TensorFlow Metadata, as a message.

        Raises:
            ValueError: The source has no schema.
        """
        if self._features is None:
            raise ValueError("Schema is undefined.")
        return needed("tensorflow_metadata.proto.v0.schema_pb2", "for its messages").Schema.FromString(
            self._features
        )


class TFExampleRecord(ExampleRecords, MessageFiles):
    """A `TFXIO` over TFRecord files of `tf.Example`, for batches inside and outside pipelines, and for
    tensors.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), a URL, or a list of these. Files may be
            compressed with gzip or zlib, whatever their names; one worker of a pipeline reads a whole
            compressed file.
        validate: Has no effect, as in tfx_bsl. `BeamSource` always checks that files exist.
        schema: A `Schema` of TensorFlow Metadata, or its bytes, whose features define the columns and the
            tensors. None: the features of the records; all files are read on first use to find these
            features. (In tfx_bsl, the columns may then differ between batches.)
        raw_record_column_name: Name of an additional last column with the original records. None: no such
            column.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.

    Example:
        >>> source = TFExampleRecord("part-*.tfrecord.gz", schema=schema)
        >>> batches = pipeline | source.BeamSource()
        >>> dataset = (batches, source.TensorAdapterConfig())
        >>> transformed, transform_fn = dataset | tft_beam.AnalyzeAndTransformDataset(preprocessing_fn)
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        validate: bool = True,  # noqa: ARG002, FBT001, FBT002 - tfx_bsl's signature
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(file_pattern, schema, raw_record_column_name, telemetry_descriptors, limits)


class TFExampleBeamRecord(ExampleRecords, BeamMessages):
    """A `TFXIO` over `tf.Example` messages in a PCollection of bytes. It reads no files.

    Args:
        physical_format: Origin of the records, for the names of metrics. Without `[`, `]` and `-`.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        schema: A `Schema` of TensorFlow Metadata, or its bytes. None: each batch has the features of its own
            records, as in tfx_bsl.
        raw_record_column_name: Name of an additional last column with the original records.

    Example:
        >>> source = TFExampleBeamRecord("kafka", schema=schema)
        >>> batches = records | source.BeamSource(batch_size=256)
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None = None,
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(physical_format, telemetry_descriptors, schema, raw_record_column_name)


class TFSequenceExampleRecord(SequenceExampleRecords, MessageFiles):
    """A `TFXIO` over TFRecord files of `tf.SequenceExample`, for batches inside and outside pipelines, and
    for tensors.

    The columns are those of `arrowfeed.SequenceExampleDataset`. Integers of feature lists keep all 64 bits;
    tfx_bsl keeps 32 bits. `RecordBatches` works; in tfx_bsl it raises an error.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), a URL, or a list of these. Files may be
            compressed with gzip or zlib, whatever their names; one worker of a pipeline reads a whole
            compressed file.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        validate: Has no effect, as in tfx_bsl. `BeamSource` always checks that files exist.
        schema: A `Schema` of TensorFlow Metadata, or its bytes, whose features define the columns and the
            tensors. The feature `##SEQUENCE##` is a STRUCT of the feature lists. None: the features of the
            records; all files are read on first use to find these features. (In tfx_bsl, the columns may then
            differ between batches.)
        raw_record_column_name: Name of an additional last column with the original records. None: no such
            column.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.

    Example:
        >>> source = TFSequenceExampleRecord("part-*.tfrecord.gz", ["training"], schema=schema)
        >>> batches = pipeline | source.BeamSource()
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        telemetry_descriptors: list[str] | None,
        validate: bool = True,  # noqa: ARG002, FBT001, FBT002 - tfx_bsl's signature
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(file_pattern, schema, raw_record_column_name, telemetry_descriptors, limits)


class TFSequenceExampleBeamRecord(SequenceExampleRecords, BeamMessages):
    """A `TFXIO` over `tf.SequenceExample` messages in a PCollection of bytes. It reads no files.

    Args:
        physical_format: Origin of the records, for the names of metrics. Without `[`, `]` and `-`.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        schema: A `Schema` of TensorFlow Metadata, or its bytes. None: each batch has the features of its own
            records, as in tfx_bsl.
        raw_record_column_name: Name of an additional last column with the original records.

    Example:
        >>> source = TFSequenceExampleBeamRecord("kafka", ["training"], schema=schema)
        >>> batches = records | source.BeamSource(batch_size=256)
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None,
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(physical_format, telemetry_descriptors, schema, raw_record_column_name)
