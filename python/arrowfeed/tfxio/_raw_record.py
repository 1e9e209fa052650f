"""Records that are not looked into, by the names of tfx_bsl."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Dense, RawRecordDataset
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._beam_records import BeamRecords
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._raw_records import raw_batches, raw_record_field
from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._tfrecord_files import TfRecordFiles

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits


class RawRecords(Records):
    """A `TFXIO` whose batches have one column: the records, each in a list of one."""

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
    """The records of TFRecord files as a `TFXIO`.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), or a list of these.
        raw_record_column_name: Of the column, and of the tensor: a string for each row.
        telemetry_descriptors: Taken for the sake of one signature.
        limits: What files may ask of a process, outside of pipelines. None: `arrowfeed.Limits()`.

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
        telemetry_descriptors: list[str] | None = None,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(file_pattern, None, raw_record_column_name, telemetry_descriptors, limits)

    def _dataset(self) -> RawRecordDataset:
        return RawRecordDataset(self._patterns, column=str(self._raw_column), limits=self._limits)

    def ArrowSchema(self) -> Any:  # noqa: N802
        """The `pyarrow.Schema` of the record batches: one column, `large_list<large_binary>`."""
        return framework("pyarrow").schema([raw_record_field(str(self._raw_column))])


class RawBeamRecordTFXIO(BeamRecords, RawRecords):
    """Records of a PCollection of bytes as a `TFXIO`. It reads no files.

    Args:
        physical_format: Where the records come from, as in tfx_bsl; has no effect.
        raw_record_column_name: Of the column, and of the tensor.
        telemetry_descriptors: Taken for the sake of one signature.

    Example:
        >>> batches = records | RawBeamRecordTFXIO("kafka", "record").BeamSource(batch_size=256)
    """

    def __init__(
        self,
        physical_format: str,
        raw_record_column_name: str,
        telemetry_descriptors: list[str] | None = None,
    ) -> None:
        super().__init__(None, raw_record_column_name, telemetry_descriptors)
        self.physical_format = physical_format
