"""`AvroRecord`, a source of Avro files with the names of tfx_bsl."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import AvroDataset, AvroSchema, avro_schema, encode_avro_records
from arrowfeed.tfxio._avro_records import ENCODING, AvroRecords
from arrowfeed.tfxio._files import FileRecords, Reading, patterns_of
from arrowfeed.tfxio._raw_records import with_raw_records

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from arrowfeed._arrowfeed import Limits, RecordBatch
    from arrowfeed.types import AvroSchemaLike, ProtoLike


class AvroRecord(AvroRecords, FileRecords):
    """A `TFXIO` over Avro files, for batches inside and outside pipelines, and for tensors.

    Batches have the types of the tfx_bsl decoders; the page "Avro to Arrow" lists them under `tfx`. All files
    are read with one schema: the reader schema or, without it, the schema of the first file, whose header is
    read on first use.

    Args:
        file_pattern: A path, a glob, a directory (its `*.avro`), a URL, or a list of these.
        validate: Has no effect, as in tfx_bsl.
        schema: A `Schema` of TensorFlow Metadata, or its bytes: its features define the columns and the
            tensors. None: all fields of the records, with tensors that follow from their types.
        raw_record_column_name: Name of an additional last column with the original records. None: no such
            column.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        reader_schema: The Avro reader schema. None: the schema of the first file.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.

    Example:
        >>> source = AvroRecord("part-*.avro", schema=schema)
        >>> batches = pipeline | source.BeamSource()
        >>> dataset = (batches, source.TensorAdapterConfig())
        >>> transformed, transform_fn = dataset | tft_beam.AnalyzeAndTransformDataset(preprocessing_fn)
    """

    physical_format = "avro_container"

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        validate: bool = True,  # noqa: ARG002, FBT001, FBT002 - tfx_bsl's signature
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
        *,
        reader_schema: AvroSchemaLike | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, limits)
        self._patterns = patterns_of(file_pattern)
        self._validate = False
        self._avro_schema = None if reader_schema is None else AvroSchema(reader_schema)

    def AvroSchema(self) -> AvroSchema:  # noqa: N802
        """Returns the schema of the records: the reader schema or, without it, that of the first file.

        Raises:
            FileNotFoundError: No file matches.
            ArrowfeedError: The first file has no Avro header.
        """
        if self._avro_schema is None:
            self._avro_schema = avro_schema(self._patterns, limits=self._limits)
        return self._avro_schema

    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that produces the records in the binary encoding of `AvroSchema()`.

        The transform reads the files in ranges. It decodes the records and encodes them again, so each array
        and map is in one block.

        Raises:
            FileNotFoundError: No file matches, and there is no `reader_schema`.
        """
        schema = self.AvroSchema()
        options = {"reader_schema": schema, "limits": self._limits}
        return self._read_records(AvroDataset, options, functools.partial(_encoded, schema))

    def _reading(self) -> Reading:
        options = {
            "columns": self.columns.names,
            "reader_schema": self.AvroSchema(),
            "encoding": ENCODING,
            "limits": self._limits,
        }
        return Reading(AvroDataset, options, self.columns.representations)

    def _with_raw_records(self, iteration: dict[str, Any]) -> Iterator[Any]:
        schema = self.AvroSchema()
        # Both datasets have the same shuffled order.
        batches = self._dataset().record_batches(**iteration)
        whole = AvroDataset(self._patterns, representations={}, reader_schema=schema, limits=self._limits)
        for batch, rows in zip(batches, whole.record_batches(**iteration), strict=True):
            yield with_raw_records(
                batch.to_pyarrow(), str(self._raw_column), encode_avro_records(rows, schema)
            )


def _encoded(schema: AvroSchema, batch: RecordBatch) -> list[bytes]:
    return encode_avro_records(batch, schema)
