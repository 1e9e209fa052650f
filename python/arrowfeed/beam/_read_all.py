"""The transform `ReadAll`, which reads the files of a PCollection of patterns."""

from __future__ import annotations

import contextlib
import uuid
from typing import TYPE_CHECKING, Any, Literal

from arrowfeed._dataset.opening import open_dataset
from arrowfeed._engines.planner import files_of
from arrowfeed._engines.sources import absolute
from arrowfeed._engines.splits import SPLIT_BYTES, check_on_error, kept
from arrowfeed._formats import FORMATS
from arrowfeed.beam._beam_files import beam_files_of, opened
from arrowfeed.beam._imported import beam, imported
from arrowfeed.beam._read import ReadDatasetRanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader, Split
    from arrowfeed.beam._beam_files import BeamFiles
    from arrowfeed.types import OnError, SeekableFile

_system: Any = imported("apache_beam.io.filesystem", "apache-beam")


class ReadAll(beam.PTransform):
    """Reads the files of a PCollection of patterns or of `FileMetadata` as pyarrow record batches.

    The files may have any format that `open_dataset` detects, each file its own. Workers list the files, plan
    their splits and read them; a runner may split a range again at any time while it is read, between two
    chunks. The order of the batches is undefined; the last batch of a chunk may have fewer rows. Without a
    schema in the options, the batches of a file have the schema of that file. A pattern is a path, a glob, a
    directory or a URL without a query; `ReadFromDataset` has the table of who opens which URL.

    Args:
        columns: Columns or field paths to read, as in the dataset class of the format. None: all columns.
        split_bytes: Initial size of a range in bytes, at least 1. Default: 64 MiB.
        batch_size: As in `Dataset.read_split`.
        on_error: `"raise"` or `"skip_block"`, as in `Dataset.read_split`.
        filesystem: As in `ReadFromDataset`.
        **options: Options of the dataset class of the format, as in `ReadFromDataset`.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value.
        FormatError: In a worker, the format of a file is unknown.
        FileNotFoundError: A worker finds no file that matches a pattern.
        ArrowfeedError, OSError: As in `open_dataset` and `Dataset.read_split`, in the worker that reads the
            file.

    Example:
        >>> batches = pipeline | beam.Create(["day-1/*.avro", "day-2/*.avro"]) | ReadAll(columns=["id"])
    """

    def __init__(
        self,
        *,
        columns: Sequence[str] | None = None,
        split_bytes: int = SPLIT_BYTES,
        batch_size: int | None = None,
        on_error: OnError = "raise",
        filesystem: Literal["beam", "arrowfeed"] | None = None,
        **options: Any,
    ) -> None:
        beam.PTransform.__init__(self)
        for name, value in (("split_bytes", split_bytes), ("batch_size", batch_size)):
            if value is not None and (type(value) is not int or value < 1):
                raise ValueError(f"{name}: expected an integer of 1 or more, found {value!r}")
        check_on_error(on_error)
        for name in options:
            if not any(known.has(name) for known in FORMATS):
                raise TypeError(f"ReadAll() got an unexpected keyword argument '{name}'")
        if columns is not None:
            options["columns"] = list(columns)
        if options.get("features") is None:
            options.setdefault("representations", {})
        self._split_bytes = split_bytes
        self._files = _Files(options, {"batch_size": batch_size, "on_error": on_error}, filesystem)

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        files = pcoll | "List" >> beam.ParDo(_List(self._files))
        splits = files | "Plan" >> beam.ParDo(_Plan(self._files, self._split_bytes))
        # Distributes the splits of a file to workers other than the one that listed it.
        shared = splits | "ShareSplits" >> beam.Reshuffle()
        read = _Read(self._files)
        return shared | "Read" >> beam.ParDo(read).with_output_types(read.output_type)


class _Files:
    """Opens files in any process, each as a dataset of its own. A process keeps the files open.

    Args:
        options: Options of the dataset classes.
        reading: Options of `Dataset.read_split`.
        filesystem: As in `ReadAll`.
    """

    def __init__(self, options: dict[str, Any], reading: dict[str, Any], filesystem: str | None) -> None:
        self._options, self._reading, self._filesystem = options, reading, filesystem
        self._key = uuid.uuid4().hex

    def list(self, pattern: str) -> list[Any]:
        """Returns the files that match a pattern.

        Raises:
            FileNotFoundError: No file matches.
        """
        return files_of(self._new_dataset(pattern), self._options_of(pattern))

    def plan(self, file: str, split_bytes: int) -> list[Split]:
        """Plans the splits of a file."""
        return self._dataset(file).plan_splits(target_bytes=split_bytes)

    def open(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> RecordBatchReader:
        """Opens a reader of a split, with the arguments of `Dataset.read_split`."""
        return self._dataset(split.path).read_split(split, claim=claim, file=file, **self._reading)

    def beam_files(self, file: str) -> BeamFiles | None:
        """Returns Beam's filesystem of a file. None: arrowfeed opens the file."""
        return beam_files_of(file, self._filesystem, self._options)

    def _dataset(self, file: str) -> Dataset:
        return kept(f"{self._key} {file}", lambda: self._new_dataset(file))

    def _new_dataset(self, source: str) -> Dataset:
        return open_dataset(absolute(source, None), **self._options_of(source))

    def _options_of(self, source: str) -> dict[str, Any]:
        files = self.beam_files(source)
        return self._options if files is None else {**self._options, "store": files}


class _List(beam.DoFn):
    """Lists the files that match patterns. Files of `FileMetadata` are passed through.

    Args:
        files: Opens the files.
    """

    def __init__(self, files: _Files) -> None:
        self._files = files

    def process(self, element: Any) -> list[str]:
        """Returns the files that match a pattern.

        Raises:
            FileNotFoundError: No file matches.
        """
        if isinstance(element, _system.FileMetadata):
            return [element.path]
        return self._files.list(str(element))


class _Plan(beam.DoFn):
    """Plans the splits of files. A runner may not distribute the restrictions of one element.

    Args:
        files: Opens the files.
        split_bytes: Target size of a split in bytes.
    """

    def __init__(self, files: _Files, split_bytes: int) -> None:
        self._files, self._split_bytes = files, split_bytes

    def process(self, element: str) -> Iterator[Split]:
        """Returns the splits of a file."""
        yield from self._files.plan(element, self._split_bytes)


class _Read(ReadDatasetRanges):
    """Reads ranges of files, each of which may be on another filesystem.

    Args:
        files: Opens the files.
    """

    def __init__(self, files: _Files) -> None:
        super().__init__(files, None)
        self._all = files

    def opened(self, path: str) -> Any:
        """Opens a file of a filesystem of Beam. None as the value of the context: the reader opens it."""
        files = self._all.beam_files(path)
        return contextlib.nullcontext() if files is None else opened(files.url_of(path))
