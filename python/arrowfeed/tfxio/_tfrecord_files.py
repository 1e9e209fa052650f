"""`TfRecordFiles`, the base class of sources of TFRecord files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import RawRecordDataset
from arrowfeed.tfxio._files import FileRecords, patterns_of
from arrowfeed.tfxio._raw_records import raw_records

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import ProtoLike


class TfRecordFiles(FileRecords):
    """A `TFXIO` over TFRecord files.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), a URL, or a list of these.
        schema: As in `Records`.
        raw_record_column_name: As in `Records`.
        telemetry_descriptors: As in `Records`.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern.
    """

    physical_format = "tfrecords_gzip"

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        schema: ProtoLike | None,
        raw_record_column_name: str | None,
        telemetry_descriptors: list[str] | None,
        limits: Limits | None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors)
        self._patterns = patterns_of(file_pattern)
        self._validate = True
        self._limits = limits

    def RawRecordBeamSource(self) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the records of the files in ranges.

        Several workers can read one file. One worker reads a whole compressed file.

        Raises:
            FileNotFoundError: No file matches a pattern.
        """
        return self._read_records(RawRecordDataset, {"limits": self._limits}, raw_records)

    def _with_raw_records(self, iteration: dict[str, Any]) -> Iterator[Any]:
        decode = self._decoder()
        for batch in RawRecordDataset(self._patterns, limits=self._limits).record_batches(**iteration):
            yield from decode(raw_records(batch))
