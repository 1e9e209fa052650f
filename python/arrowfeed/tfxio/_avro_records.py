"""`AvroRecords`, the common base class of `AvroRecord` and `AvroBeamRecord`."""

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
"""The encoding of the batches."""


class AvroRecords(Records):
    """A `TFXIO` over Avro records.

    Args:
        schema: A `Schema` of TensorFlow Metadata, or its bytes.
        raw_record_column_name: Name of the column with the original records.
        telemetry_descriptors: As in `Records`.
        limits: Upper bounds on the resources that records may use.
    """

    _logical_format = "avro"

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
        """Returns the schema with which the records are read."""

    @abc.abstractmethod
    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that produces the records in the binary encoding of `AvroSchema()`."""

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
