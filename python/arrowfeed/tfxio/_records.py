"""The base class of sources of records."""

from __future__ import annotations

import abc
import copy
from typing import TYPE_CHECKING, Any

from arrowfeed.tfxio._config import message, proto
from arrowfeed.tfxio._raw_records import raw_record_field
from arrowfeed.tfxio._telemetry import MeasuredTFXIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed.tfxio._columns import Columns
    from arrowfeed.tfxio._config import TensorRepresentations
    from arrowfeed.types import ProtoLike


class Records(MeasuredTFXIO):
    """A `TFXIO` over records.

    Args:
        schema: A `Schema` of TensorFlow Metadata, or its bytes.
        raw_record_column_name: Name of the column with the original records.
        telemetry_descriptors: Names that identify the component with this source, for metrics.
    """

    def __init__(
        self,
        schema: ProtoLike | None,
        raw_record_column_name: str | None,
        telemetry_descriptors: list[str] | None,
    ) -> None:
        # Bytes, because message classes can differ between processes.
        self._features = None if schema is None else proto(schema)
        self._raw_column = raw_record_column_name
        self._telemetry_descriptors = telemetry_descriptors
        self._columns: Columns | None = None

    @property
    def raw_record_column_name(self) -> str | None:
        """Name of the column with the original records. None: no such column."""
        return self._raw_column

    def SupportAttachingRawRecords(self) -> bool:  # noqa: N802
        """Returns True: batches may have a column with the original records."""
        return True

    @abc.abstractmethod
    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that produces the records as bytes."""

    @abc.abstractmethod
    def _found_columns(self) -> Columns:
        """The columns that are read, and their tensors."""

    @abc.abstractmethod
    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        """The columns for some of the tensors."""

    @abc.abstractmethod
    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        """A function that converts records to pyarrow record batches. Picklable."""

    @property
    def columns(self) -> Columns:
        """The columns that are read, and their tensors."""
        if self._columns is None:
            self._columns = self._found_columns()
        return self._columns

    def ArrowSchema(self) -> Any:  # noqa: N802
        """Returns the `pyarrow.Schema` of the record batches.

        Raises:
            ValueError: `raw_record_column_name` is the name of another column, or the TensorFlow Metadata
                schema does not fit the records.
        """
        schema = self.columns.schema
        name = self._raw_column
        if name is None:
            return schema
        if schema.get_field_index(name) >= 0:
            raise ValueError(f"Raw record column name {name} collided with a column in the schema.")
        return schema.append(raw_record_field(name))

    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """Returns the representations that follow from the TensorFlow Metadata schema or, without a schema,
        from the types.
        """
        return {name: message(one) for name, one in self.columns.representations.items()}

    def RawRecordToRecordBatch(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform from the results of `RawRecordBeamSource` to pyarrow record batches.

        Args:
            batch_size: Number of rows of a batch. None: Beam decides, up to 1,000.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.RecordBatches(self._decoder(), batch_size, self._telemetry)

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that produces pyarrow record batches.

        Args:
            batch_size: Number of rows of a batch; the last batch of a bundle may have fewer rows. None: Beam
                decides, up to 1,000.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.Chained(
            RawRecords=self.RawRecordBeamSource(), RecordBatches=self.RawRecordToRecordBatch(batch_size)
        )

    def _ProjectImpl(self, tensor_names: list[str]) -> Records:  # noqa: N802
        made = copy.copy(self)
        made._columns = self._projected_columns(tensor_names)  # noqa: SLF001 - of the same class
        return made
