"""Messages of `tf.SequenceExample`, by the names of tfx_bsl."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import SequenceExampleDataset
from arrowfeed.tfxio._beam_records import BeamRecords
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._raw_records import sequence_example_batches
from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._sequence_example_columns import (
    columns_of_sequence_examples,
    projected_sequence_examples,
    sequence_kinds,
)
from arrowfeed.tfxio._tfrecord_files import TfRecordFiles

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import ProtoLike


class SequenceExampleRecords(Records):
    """A `TFXIO` of messages of `tf.SequenceExample`."""

    def _found_columns(self) -> Columns:
        if self._features is None:
            raise ValueError("Schema is undefined.")
        return columns_of_sequence_examples(self._features)

    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        return projected_sequence_examples(self.columns, tensor_names)

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        self.ArrowSchema()
        return functools.partial(sequence_example_batches, sequence_kinds(self.columns), self._raw_column)


class TFSequenceExampleRecord(SequenceExampleRecords, TfRecordFiles):
    """TFRecord files of `tf.SequenceExample` as a `TFXIO`: batches in and out of pipelines, and tensors.

    The columns are those of `arrowfeed.SequenceExampleDataset`. Integers of feature lists have all 64 bits;
    tfx_bsl keeps 32 of them. `RecordBatches` gives batches; tfx_bsl's raises an error.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), or a list of these.
        telemetry_descriptors: Taken for the sake of one signature.
        validate: Has no effect, as in tfx_bsl.
        schema: A `Schema` of TensorFlow Metadata, or its bytes: its features are the columns, and say what
            the tensors are. Its feature `##SEQUENCE##` is a STRUCT of the feature lists. None: the features
            that the records have, for which all files are read when they are needed first; tfx_bsl has other
            columns for each batch then.
        raw_record_column_name: Name of a last column, in which each record is as it was read. None: there is
            none.
        limits: What files may ask of a process, outside of pipelines. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.

    Example:
        >>> source = TFSequenceExampleRecord("part-*.tfrecord.gz", ["training"], schema=schema)
        >>> batches = pipeline | source.BeamSource()
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        telemetry_descriptors: list[str] | None = None,
        validate: bool = True,  # noqa: ARG002, FBT001, FBT002 - tfx_bsl's signature
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(file_pattern, schema, raw_record_column_name, telemetry_descriptors, limits)

    def _found_columns(self) -> Columns:
        if self._features is not None:
            return super()._found_columns()
        found = SequenceExampleDataset(self._patterns, limits=self._limits)
        schema = found.arrow_schema.to_pyarrow()
        return Columns(schema.names, schema, dict(found.tensor_representations))

    def _dataset(self) -> SequenceExampleDataset:
        return SequenceExampleDataset(
            self._patterns,
            schema=sequence_kinds(self.columns),
            columns=self.columns.names,
            representations=dict(self.columns.representations),
            limits=self._limits,
        )


class TFSequenceExampleBeamRecord(BeamRecords, SequenceExampleRecords):
    """Messages of `tf.SequenceExample` of a PCollection of bytes as a `TFXIO`. It reads no files.

    Args:
        physical_format: Where the records come from, as in tfx_bsl; has no effect.
        telemetry_descriptors: As of `TFSequenceExampleRecord`.
        schema: A `Schema` of TensorFlow Metadata, or its bytes. None: each batch has the features of its own
            records, as in tfx_bsl.
        raw_record_column_name: Name of a last column for the records themselves.

    Example:
        >>> source = TFSequenceExampleBeamRecord("kafka", ["training"], schema=schema)
        >>> batches = records | source.BeamSource(batch_size=256)
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None = None,
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors)
        self.physical_format = physical_format

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        if self._features is None:
            return functools.partial(sequence_example_batches, None, self._raw_column)
        return super()._decoder()
