"""What `AvroRecord` and `AvroBeamRecord` have in common."""

from __future__ import annotations

import abc
import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Limits
from arrowfeed.tfxio._columns import Columns, columns_of, projected
from arrowfeed.tfxio._raw_records import avro_batches
from arrowfeed.tfxio._records import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed._arrowfeed import AvroSchema
    from arrowfeed.types import Encoding, ProtoLike

ENCODING: Encoding = "tfx"
"""Of the batches, always."""


class AvroRecords(Records):
    """A `TFXIO` of Avro records.

    Args:
        schema: A `Schema` of TensorFlow Metadata, or its bytes.
        raw_record_column_name: Name of the column for the records themselves.
        telemetry_descriptors: Of who asks.
        limits: What records may ask of a process.
    """

    def __init__(
        self,
        schema: ProtoLike | None,
        raw_record_column_name: str | None,
        telemetry_descriptors: list[str] | None,
        limits: Limits | None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors)
        self._limits = limits or Limits()

    @abc.abstractmethod
    def AvroSchema(self) -> AvroSchema:  # noqa: N802
        """The schema of the records, as they are read."""

    @abc.abstractmethod
    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """A Beam transform that gives the records, in the binary encoding of `AvroSchema()`."""

    def _found_columns(self) -> Columns:
        return columns_of(self.AvroSchema(), self._features, self._limits)

    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        return projected(self.columns, self.AvroSchema(), tensor_names, self._limits)

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        self.ArrowSchema()
        options: dict[str, Any] = {
            "columns": self.columns.names,
            "encoding": ENCODING,
            "limits": self._limits,
        }
        return functools.partial(avro_batches, self.AvroSchema(), self._raw_column, **options)
