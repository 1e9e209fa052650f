"""What pipelines are made of."""

from __future__ import annotations

import errno
import os
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

from arrowfeed.beam._imported import beam, imported
from arrowfeed.beam._options import checked, checked_parquet
from arrowfeed.beam._read import ReadParquetRanges, ReadRanges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from arrowfeed.beam._options import ParquetReadOptions, ReadOptions

_system: Any = imported("apache_beam.io.filesystem", "apache-beam")
_filesystems: Any = imported("apache_beam.io.filesystems", "apache-beam")

SPLIT_BYTES = 64 << 20
"""Bytes of a range, before a runner splits it again."""


class ReadAll(beam.PTransform):
    """Reads the files of a PCollection of patterns or of `FileMetadata`.

    Args:
        read: Reads the ranges of a file.
    """

    def __init__(self, read: ReadRanges) -> None:
        beam.PTransform.__init__(self)
        if read.split_bytes < 1:
            raise ValueError(f"split_bytes: expected an integer of 1 or more, found int {read.split_bytes}")
        self._read = read

    def expand(self, pcoll: Any) -> Any:
        """A PCollection of `pyarrow.RecordBatch`."""
        matched = pcoll | "Match" >> beam.ParDo(_Match(self._read.EXTENSION))
        # Ranges of one file go to other workers than the one that has listed it.
        shared = matched | "Share" >> beam.Reshuffle()
        return shared | "Read" >> beam.ParDo(self._read).with_output_types(self._read.GIVES)


class ReadAllAvro(ReadAll):
    """Reads the Avro files of a PCollection of patterns or of `FileMetadata`, as record batches of pyarrow.

    Files are cut into ranges of bytes, which workers share out, and which a runner may split again at any
    time while they are read. Batches are in no order; of each range, the last one may be short.

    Args:
        split_bytes: Bytes of a range at first.
        **options: Those of `arrowfeed.read_avro` but for `threads`: `columns`, `reader_schema`, `batch_size`,
            `max_batch_bytes`, `encoding`, `double_as_float`, `string_type`, `raw`, `limits`, and `on_error`,
            which is `"raise"` or `"skip_block"` here. Without a `reader_schema`, the batches of a file have
            the schema of that file. With `raw=True`, each range is read alone: records of files of different
            Avro schemas cannot be told apart.

    Raises:
        TypeError: There is no such option, or it has a wrong type. ValueError: it has a wrong value. Both are
            raised at once; what is wrong with a file is raised by the worker that reads it, as `read_avro`
            does.

    Example:
        >>> batches = pipeline | beam.Create(["day-1/*.avro", "day-2/*.avro"]) | ReadAllAvro(columns=["id"])
    """

    def __init__(self, *, split_bytes: int = SPLIT_BYTES, **options: Unpack[ReadOptions]) -> None:
        super().__init__(ReadRanges(checked(type(self).__name__, options), split_bytes))


class ReadAvro(ReadAllAvro):
    """Reads Avro files as record batches of pyarrow, at the start of a pipeline.

    Args:
        file_pattern: A path, a glob, a directory (its `*.avro`), or a list of these, on any file system that
            Beam knows.
        split_bytes: As in `ReadAllAvro`.
        **options: As in `ReadAllAvro`.

    Raises:
        TypeError: There is no such option, or it has a wrong type. ValueError: it has a wrong value, or
            there is no pattern. FileNotFoundError: a worker finds no file that matches a pattern.

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
        """A PCollection of `pyarrow.RecordBatch`."""
        return super().expand(pcoll | "Patterns" >> beam.Create(self._patterns))


class ReadAllParquet(ReadAll):
    """Reads the Parquet files of a PCollection of patterns or of `FileMetadata`.

    As `ReadAllAvro`, with row groups in the place of blocks: it gives record batches of pyarrow.

    Args:
        split_bytes: Bytes of a range at first.
        **options: Those of `arrowfeed.read_parquet` but for `threads`: `columns`, `schema`,
            `double_as_float`, `batch_size`, `limits`, and `on_error`, which is `"raise"` or `"skip_block"`
            here. Without a `schema`, the batches of a file have the schema of that file.

    Raises:
        TypeError: There is no such option, or it has a wrong type. ValueError: it has a wrong value. Both are
            raised at once; what is wrong with a file is raised by the worker that reads it, as `read_parquet`
            does.

    Example:
        >>> batches = pipeline | beam.Create(["day-1/*.parquet"]) | ReadAllParquet(columns=["id"])
    """

    def __init__(self, *, split_bytes: int = SPLIT_BYTES, **options: Unpack[ParquetReadOptions]) -> None:
        super().__init__(ReadParquetRanges(checked_parquet(type(self).__name__, options), split_bytes))


class ReadParquet(ReadAllParquet):
    """Reads Parquet files as record batches of pyarrow, at the start of a pipeline.

    Args:
        file_pattern: A path, a glob, a directory (its `*.parquet`), or a list of these, on any file system
            that Beam knows.
        split_bytes: As in `ReadAllParquet`.
        **options: As in `ReadAllParquet`.

    Raises:
        TypeError: There is no such option, or it has a wrong type. ValueError: it has a wrong value, or
            there is no pattern. FileNotFoundError: a worker finds no file that matches a pattern.

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
        """A PCollection of `pyarrow.RecordBatch`."""
        return super().expand(pcoll | "Patterns" >> beam.Create(self._patterns))


def _patterns(file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """The patterns of an argument.

    Raises:
        ValueError: There is none.
    """
    alone = isinstance(file_pattern, str | os.PathLike)
    patterns: Sequence[str | os.PathLike[str]] = [file_pattern] if alone else file_pattern
    if not patterns:
        raise ValueError("file_pattern: expected a pattern or more, found none")
    return [os.fspath(pattern) for pattern in patterns]


def matching(pattern: str, extension: str) -> list[Any]:
    """The metadata of the files of a pattern, by path.

    Args:
        pattern: A path, a glob or a directory.
        extension: Of the files of a directory.

    Raises:
        FileNotFoundError: No file matches.
    """
    pattern = _pattern(pattern, extension)
    found = _filesystems.FileSystems.match([pattern])[0].metadata_list
    if not found:
        raise FileNotFoundError(errno.ENOENT, "expected files that match this pattern, found none", pattern)
    return sorted(found, key=lambda metadata: metadata.path)


class _Match(beam.DoFn):
    """The files that patterns mean.

    Args:
        extension: Of the files of a directory.
    """

    def __init__(self, extension: str) -> None:
        self._extension = extension

    def process(self, element: Any) -> list[Any]:
        """The metadata of the files of a pattern; metadata are those of their file.

        Raises:
            FileNotFoundError: No file matches.
        """
        if isinstance(element, _system.FileMetadata):
            return [element]
        return matching(str(element), self._extension)


def _pattern(pattern: str, extension: str) -> str:
    """What Beam calls it: a directory is its files of one extension, and a `file://` URL a path there."""
    if pattern.startswith("file://"):
        pattern = urllib.request.url2pathname(urllib.parse.urlsplit(pattern).path)
    if pattern.endswith("/") or os.path.isdir(pattern):  # noqa: PTH112 - it may be no path
        return _filesystems.FileSystems.join(pattern, f"*.{extension}")
    # Beam finds no files for a glob without a directory.
    return pattern if os.path.dirname(pattern) else f"./{pattern}"  # noqa: PTH120 - as above
