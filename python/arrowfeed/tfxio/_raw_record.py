"""Sources of undecoded records with the names of tfx_bsl."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Dense, RawRecordDataset
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._beam_records import BeamRecords
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._files import Reading
from arrowfeed.tfxio._raw_records import raw_batches, raw_column_batches, raw_record_field
from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._tfrecord_files import TfRecordFiles

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits


class RawRecords(Records):
    """A `TFXIO` whose batches have one column: each record in a list of one element."""

    _logical_format = "bytes"

    def _found_columns(self) -> Columns:
        name = str(self._raw_column)
        return Columns([], framework("pyarrow").schema([]), {name: Dense(name)})

    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        if tensor_names and tensor_names != [self._raw_column]:
            raise AssertionError(f"expected the tensor {self._raw_column!r}, found {tensor_names}")
        return self.columns

    def _decoder(self) -> Callable[[list[bytes]], Iterator[Any]]:
        return functools.partial(raw_batches, str(self._raw_column))


class RawTfRecordTFXIO(RawRecords, TfRecordFiles):
    """A `TFXIO` over the records of TFRecord files.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), a URL, or a list of these. Files may be
            compressed with gzip or zlib, whatever their names; one worker of a pipeline reads a whole
            compressed file.
        raw_record_column_name: Name of the column and of the tensor, which has one byte string per row.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.

    Example:
        >>> source = RawTfRecordTFXIO("part-*.tfrecord", "record", ["training"])
        >>> batches = pipeline | source.BeamSource()
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        raw_record_column_name: str,
        telemetry_descriptors: list[str] | None,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(file_pattern, None, raw_record_column_name, telemetry_descriptors, limits)

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the files in ranges, as pyarrow record batches.

        Several workers can read one file, and a runner can split a range again while it is read. One worker
        reads a whole compressed file.

        Args:
            batch_size: Maximum number of rows of a batch. The last batch of a range may have fewer. None:
                1,000.

        Raises:
            FileNotFoundError: No file matches a pattern.
        """
        batches = functools.partial(raw_column_batches, str(self._raw_column))
        return self._read_batches(RawRecordDataset, {"limits": self._limits}, batch_size, batches)

    def _reading(self) -> Reading:
        options = {"column": str(self._raw_column), "limits": self._limits}
        return Reading(RawRecordDataset, options, self.columns.representations)

    def ArrowSchema(self) -> Any:  # noqa: N802
        """Returns the `pyarrow.Schema` of the record batches: one column, `large_list<large_binary>`."""
        return framework("pyarrow").schema([raw_record_field(str(self._raw_column))])


class RawBeamRecordTFXIO(BeamRecords, RawRecords):
    """A `TFXIO` over the records in a PCollection of bytes. It reads no files.

    Args:
        physical_format: Origin of the records, for the names of metrics. Without `[`, `]` and `-`.
        raw_record_column_name: Name of the column and of the tensor.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.

    Example:
        >>> batches = records | RawBeamRecordTFXIO("kafka", "record", None).BeamSource(batch_size=256)
    """

    def __init__(
        self,
        physical_format: str,
        raw_record_column_name: str,
        telemetry_descriptors: list[str] | None,
    ) -> None:
        super().__init__(None, raw_record_column_name, telemetry_descriptors)
        self.physical_format = physical_format
