"""What sources of records have in common, whatever the records are."""

from __future__ import annotations

import abc
import copy
from typing import TYPE_CHECKING, Any

from arrowfeed.tfxio._config import message, proto
from arrowfeed.tfxio._raw_records import raw_record_field
from arrowfeed.tfxio._tfxio import TFXIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed.tfxio._columns import Columns
    from arrowfeed.tfxio._config import TensorRepresentations
    from arrowfeed.types import ProtoLike


class Records(TFXIO):
    """A `TFXIO` of records.

    Args:
        schema: A `Schema` of TensorFlow Metadata, or its bytes.
        raw_record_column_name: Name of the column for the records themselves.
        telemetry_descriptors: Of who asks.
    """

    def __init__(
        self,
        schema: ProtoLike | None,
        raw_record_column_name: str | None,
        telemetry_descriptors: list[str] | None,
    ) -> None:
        # Bytes, since classes of messages are not the same in every process.
        self._features = None if schema is None else proto(schema)
        self._raw_column = raw_record_column_name
        self._telemetry_descriptors = telemetry_descriptors
        self._columns: Columns | None = None

    @property
    def raw_record_column_name(self) -> str | None:
        """Name of the column for the records themselves; None: there is none."""
        return self._raw_column

    @property
    def telemetry_descriptors(self) -> list[str] | None:
        """As they were given."""
        return self._telemetry_descriptors

    def SupportAttachingRawRecords(self) -> bool:  # noqa: N802
        """True: batches may have a column for the records themselves."""
        return True

    @abc.abstractmethod
    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """A Beam transform that gives the records as bytes."""

    @abc.abstractmethod
    def _found_columns(self) -> Columns:
        """What is read and what is made of it."""

    @abc.abstractmethod
    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        """What is read for some of the tensors."""

    @abc.abstractmethod
    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        """What makes record batches of pyarrow of some records. It can be pickled."""

    @property
    def columns(self) -> Columns:
        """What is read and what is made of it."""
        if self._columns is None:
            self._columns = self._found_columns()
        return self._columns

    def ArrowSchema(self) -> Any:  # noqa: N802
        """The `pyarrow.Schema` of the record batches.

        Raises:
            ValueError: The column for the records has the name of another one; or the schema of TensorFlow
                Metadata does not fit the records.
        """
        schema = self.columns.schema
        name = self._raw_column
        if name is None:
            return schema
        if schema.get_field_index(name) >= 0:
            raise ValueError(f"Raw record column name {name} collided with a column in the schema.")
        return schema.append(raw_record_field(name))

    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """What the schema of TensorFlow Metadata declares or implies; without one, what the types do."""
        return {name: message(one) for name, one in self.columns.representations.items()}

    def RawRecordToRecordBatch(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """A Beam transform of what `RawRecordBeamSource` gives to record batches of pyarrow.

        Args:
            batch_size: Rows of a batch. None: Beam decides, up to 1,000.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.RecordBatches(self._decoder(), batch_size)

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """A Beam transform that gives record batches of pyarrow.

        Args:
            batch_size: Rows of a batch; the last one of a bundle may have fewer. None: 1,000, or fewer.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.Chained(
            RawRecords=self.RawRecordBeamSource(), RecordBatches=self.RawRecordToRecordBatch(batch_size)
        )

    def _ProjectImpl(self, tensor_names: list[str]) -> Records:  # noqa: N802
        made = copy.copy(self)
        made._columns = self._projected_columns(tensor_names)  # noqa: SLF001 - of the same class
        return made
