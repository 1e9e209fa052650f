"""The transforms: `ReadAvro`, `ReadAllAvro`, `ReadParquet` and `ReadAllParquet`."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Split
from arrowfeed._engines.splits import SPLIT_BYTES
from arrowfeed._urls import path_of_file_url
from arrowfeed.beam._imported import beam, imported
from arrowfeed.beam._options import checked, checked_parquet
from arrowfeed.beam._read import ReadParquetRanges, ReadRanges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Unpack

    from arrowfeed.beam._options import ParquetReadOptions, ReadOptions

_trackers: Any = imported("apache_beam.io.restriction_trackers", "apache-beam")
_system: Any = imported("apache_beam.io.filesystem", "apache-beam")
_filesystems: Any = imported("apache_beam.io.filesystems", "apache-beam")


class ReadAll(beam.PTransform):
    """Reads the files of a PCollection of patterns or of `FileMetadata`.

    Args:
        read: The DoFn that reads the ranges of a file.
    """

    def __init__(self, read: ReadRanges) -> None:
        beam.PTransform.__init__(self)
        if read.split_bytes < 1:
            raise ValueError(f"split_bytes: expected an integer of 1 or more, found int {read.split_bytes}")
        self._read = read

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        matched = pcoll | "Match" >> beam.ParDo(_Match(self._read.EXTENSION))
        ranges = matched | "Cut" >> beam.ParDo(_Cut(self._read.split_bytes))
        # Distributes the ranges of a file to workers other than the one that listed it.
        shared = ranges | "Share" >> beam.Reshuffle()
        return shared | "Read" >> beam.ParDo(self._read).with_output_types(self._read.output_type)


class ReadAllAvro(ReadAll):
    """Reads the Avro files of a PCollection of patterns or of `FileMetadata` as pyarrow record batches.

    The transform divides the files into byte ranges for the workers, and a runner may split a range again at
    any time while it is read. The order of the batches is undefined; the last batch of a range may have fewer
    rows.

    Args:
        split_bytes: Initial size of a range in bytes, at least 1. Default: 64 MiB.
        **options: Options of `arrowfeed.read_avro` except `threads`: `columns`, `reader_schema`,
            `batch_size`, `max_batch_bytes`, `encoding`, `double_as_float`, `string_type`, `unions`, `raw`,
            `limits`, and `on_error`, which is `"raise"` or `"skip_block"` here. Without a `reader_schema`,
            the batches of a file have the schema of that file. With `raw=True`, the workers read each range
            separately, so they do not detect that files have different Avro schemas.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value.
        ArrowfeedError, OSError: As in `read_avro`, in the worker that reads the file.

    Example:
        >>> batches = pipeline | beam.Create(["day-1/*.avro", "day-2/*.avro"]) | ReadAllAvro(columns=["id"])
    """

    def __init__(self, *, split_bytes: int = SPLIT_BYTES, **options: Unpack[ReadOptions]) -> None:
        super().__init__(ReadRanges(checked(type(self).__name__, options), split_bytes))


class ReadAvro(ReadAllAvro):
    """Reads Avro files as pyarrow record batches, at the start of a pipeline.

    Args:
        file_pattern: A path, a glob, a directory (its `*.avro`), or a list of these, on any file system that
            Beam supports.
        split_bytes: As in `ReadAllAvro`.
        **options: As in `ReadAllAvro`.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value, or there is no pattern.
        FileNotFoundError: A worker finds no file that matches a pattern.

    Example:
        >>> pipeline | ReadAvro("part-*.avro", columns=["id"]) | beam.Map(lambda batch: batch.num_rows)
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        split_bytes: int = SPLIT_BYTES,
        **options: Unpack[ReadOptions],
    ) -> None:
        super().__init__(split_bytes=split_bytes, **options)
        self._patterns = _patterns(file_pattern)

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        return super().expand(_created(pcoll, self._patterns))


class ReadAllParquet(ReadAll):
    """Reads the Parquet files of a PCollection of patterns or of `FileMetadata` as pyarrow record batches.

    The transform works like `ReadAllAvro`, with row groups instead of blocks.

    Args:
        split_bytes: Initial size of a range in bytes, at least 1. Default: 64 MiB.
        **options: Options of `arrowfeed.read_parquet` except `threads`: `columns`, `schema`,
            `double_as_float`, `batch_size`, `limits`, and `on_error`, which is `"raise"` or `"skip_block"`
            here. Without a `schema`, the batches of a file have the schema of that file.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value.
        ArrowfeedError, OSError: As in `read_parquet`, in the worker that reads the file.

    Example:
        >>> batches = pipeline | beam.Create(["day-1/*.parquet"]) | ReadAllParquet(columns=["id"])
    """

    def __init__(self, *, split_bytes: int = SPLIT_BYTES, **options: Unpack[ParquetReadOptions]) -> None:
        super().__init__(ReadParquetRanges(checked_parquet(type(self).__name__, options), split_bytes))


class ReadParquet(ReadAllParquet):
    """Reads Parquet files as pyarrow record batches, at the start of a pipeline.

    Args:
        file_pattern: A path, a glob, a directory (its `*.parquet`), or a list of these, on any file system
            that Beam supports.
        split_bytes: As in `ReadAllParquet`.
        **options: As in `ReadAllParquet`.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value, or there is no pattern.
        FileNotFoundError: A worker finds no file that matches a pattern.

    Example:
        >>> pipeline | ReadParquet("part-*.parquet", columns=["id"]) | beam.Map(lambda batch: batch.num_rows)
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        split_bytes: int = SPLIT_BYTES,
        **options: Unpack[ParquetReadOptions],
    ) -> None:
        super().__init__(split_bytes=split_bytes, **options)
        self._patterns = _patterns(file_pattern)

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        return super().expand(_created(pcoll, self._patterns))


def _created(pcoll: Any, patterns: list[str]) -> Any:
    """Returns the patterns as a PCollection, without a Reshuffle: Flink would drop the one of the ranges."""
    return pcoll | "Patterns" >> beam.Create(patterns, reshuffle=False)


def _patterns(file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Returns the patterns of an argument as a list.

    Raises:
        ValueError: There is no pattern.
    """
    alone = isinstance(file_pattern, str | os.PathLike)
    patterns: Sequence[str | os.PathLike[str]] = [file_pattern] if alone else file_pattern
    if not patterns:
        raise ValueError("file_pattern: expected one or more patterns, found none")
    return [os.fspath(pattern) for pattern in patterns]


def matching(pattern: str, extension: str) -> list[Any]:
    """Returns the metadata of the files that match a pattern, sorted by path.

    Args:
        pattern: A path, a glob or a directory.
        extension: Extension of the files in a directory.

    Raises:
        FileNotFoundError: No file matches.
    """
    pattern = _pattern(pattern, extension)
    found = _filesystems.FileSystems.match([pattern])[0].metadata_list
    if not found:
        raise FileNotFoundError(errno.ENOENT, "expected files that match this pattern, found none", pattern)
    return sorted(found, key=lambda metadata: metadata.path)


class _Match(beam.DoFn):
    """Lists the files that match patterns.

    Args:
        extension: Extension of the files in a directory.
    """

    def __init__(self, extension: str) -> None:
        self._extension = extension

    def process(self, element: Any) -> list[Any]:
        """Returns the metadata of the files that match a pattern. Metadata are passed through.

        Raises:
            FileNotFoundError: No file matches.
        """
        if isinstance(element, _system.FileMetadata):
            return [element]
        return matching(str(element), self._extension)


class _Cut(beam.DoFn):
    """Divides files into ranges, by their sizes alone.

    A runner may not distribute the initial restrictions of one element, so each range is an element.

    Args:
        split_bytes: Size of a range in bytes; the last one may be up to half of it larger or smaller.
    """

    def __init__(self, split_bytes: int) -> None:
        self._split_bytes = split_bytes

    def process(self, element: Any) -> Iterator[Split]:
        """Returns the ranges of a file. For an empty file it is one byte, so that reading raises an error."""
        whole = _trackers.OffsetRange(0, max(element.size_in_bytes, 1))
        for part in whole.split(self._split_bytes, max(self._split_bytes // 2, 1)):
            yield Split(element.path, part.start, part.stop)


def _pattern(pattern: str, extension: str) -> str:
    """Converts a pattern for Beam: a directory to a glob of its files, a `file://` URL to a path."""
    if pattern.startswith("file://"):
        pattern = path_of_file_url(pattern)
    if pattern.endswith("/") or os.path.isdir(pattern):  # noqa: PTH112 - it may be no path
        return _filesystems.FileSystems.join(pattern, f"*.{extension}")
    # Beam finds no files for a glob without a directory part.
    return pattern if os.path.dirname(pattern) else f"./{pattern}"  # noqa: PTH120 - as above
