"""`AvroBeamRecord`, a source of Avro records in a pipeline, with the names of tfx_bsl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrowfeed._arrowfeed import AvroSchema
from arrowfeed.tfxio._avro_records import AvroRecords
from arrowfeed.tfxio._beam_records import BeamRecords

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import AvroSchemaLike, ProtoLike


class AvroBeamRecord(BeamRecords, AvroRecords):
    """A `TFXIO` over Avro records in a PCollection of bytes. It reads no files.

    Each element is one record in Avro's binary encoding, without a header, for example from a message queue
    or `AvroRecord.RawRecordBeamSource`.

    Args:
        physical_format: Origin of the records, for the names of metrics. Without `[`, `]` and `-`.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        schema: A `Schema` of TensorFlow Metadata, or its bytes, as in `AvroRecord`.
        raw_record_column_name: Name of an additional last column with the original records. None: no such
            column.
        avro_schema: The writer schema of the records.
        limits: Upper bounds on the resources that records may use. None: `arrowfeed.Limits()`.

    Raises:
        SchemaError: `avro_schema` is not an Avro schema.

    Example:
        >>> source = AvroBeamRecord("kafka", avro_schema=schema_text)
        >>> batches = records | source.BeamSource(batch_size=256)
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None = None,
        schema: ProtoLike | None = None,
        raw_record_column_name: str | None = None,
        *,
        avro_schema: AvroSchemaLike,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, limits)
        self.physical_format = physical_format
        self._avro_schema = AvroSchema(avro_schema)

    def AvroSchema(self) -> AvroSchema:  # noqa: N802
        """Returns the writer schema of the records."""
        return self._avro_schema
