"""Avro records that a pipeline has already, by the names of tfx_bsl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrowfeed._arrowfeed import AvroSchema
from arrowfeed.tfxio._avro_records import AvroRecords
from arrowfeed.tfxio._beam_records import BeamRecords

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import AvroSchemaLike, ProtoLike


class AvroBeamRecord(BeamRecords, AvroRecords):
    """Avro records of a PCollection of bytes as a `TFXIO`. It reads no files.

    Each element is one record in Avro's binary encoding, without a header: what a message queue or
    `AvroRecord.RawRecordBeamSource` gives.

    Args:
        physical_format: Where the records come from, as in tfx_bsl; has no effect.
        telemetry_descriptors: As of `AvroRecord`; so are the next two.
        schema: A `Schema` of TensorFlow Metadata, or its bytes.
        raw_record_column_name: Name of a last column for the records themselves.
        avro_schema: The schema that the records are written in.
        limits: What records may ask of a process.

    Raises:
        SchemaError: `avro_schema` is no schema of Avro.

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
        """The schema that the records are written in."""
        return self._avro_schema
