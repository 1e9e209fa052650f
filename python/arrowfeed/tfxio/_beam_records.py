"""`BeamRecords`, the base class of sources of records in a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed.tfxio._records import Records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed.tfxio._options import RecordBatchesOptions, TensorFlowDatasetOptions


class BeamRecords(Records):
    """Records in a PCollection of bytes. It reads no files."""

    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that passes the records through."""
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.measured_records(self._telemetry)

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: ARG002, N802
        """Not supported.

        Raises:
            NotImplementedError: Always.
        """
        raise self._refused()

    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: ARG002, N802
        """Not supported.

        Raises:
            NotImplementedError: Always.
        """
        raise self._refused()

    def _refused(self) -> NotImplementedError:
        name = type(self).__name__
        return NotImplementedError(f"{name} cannot read files: use it in a Beam pipeline")
