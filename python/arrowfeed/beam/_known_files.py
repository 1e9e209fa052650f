"""The transform `ReadKnownFiles`, which reads files whose format and columns are known in advance."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from arrowfeed._engines.planner import files_of
from arrowfeed._engines.sources import absolute
from arrowfeed._engines.splits import SPLIT_BYTES, check_columns, keep, kept
from arrowfeed.beam._beam_files import beam_files_of
from arrowfeed.beam._dataset import ReadPlanned, groups_of
from arrowfeed.beam._imported import beam
from arrowfeed.beam._read import ReadDatasetRanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader, Split
    from arrowfeed.beam._read import Outputs
    from arrowfeed.types import SeekableFile

_WHOLE = 1 << 62
"""Target size of a split with which each file is one split."""


class ReadKnownFiles(ReadPlanned):
    """Reads files of a known dataset class. It lists and opens the files when the pipeline runs.

    The workers plan and read splits as those of `ReadFromDataset`, and the same filesystems open the files.

    Args:
        kind: The dataset class.
        patterns: Paths, globs, directories and URLs of the files.
        options: Options of the class. They must determine the columns.
        schema: The `pyarrow.Schema` of the files. None: the workers do not check it.
        batch_size: Maximum number of rows of a batch.
        validate: Whether the constructor checks that the files exist. It opens the first one.
        split_bytes: Initial size of a range in bytes.
        most_ranges: Maximum number of ranges of a file, which are larger if necessary. None: no maximum.
        outputs: The conversion of the batches. None: `pyarrow.RecordBatch`.

    Raises:
        FileNotFoundError: No file matches a pattern.
        ValueError: The patterns need different filesystems of Beam.
        ArrowfeedError, OSError: The first file cannot be opened.
    """

    def __init__(
        self,
        kind: Callable[..., Dataset],
        patterns: list[str],
        options: dict[str, Any],
        *,
        schema: Any = None,
        batch_size: int,
        validate: bool,
        split_bytes: int = SPLIT_BYTES,
        most_ranges: int | None = None,
        outputs: Outputs | None = None,
    ) -> None:
        options = {"representations": {}, **options}
        beam_files = beam_files_of(patterns, None, options)
        if beam_files is not None:
            options["store"] = beam_files
        files = KnownFiles(kind, absolute(patterns, None), options, schema, batch_size)
        if validate:
            files.new_dataset()
        self._list = _List(files)
        plan = _Plan(files, split_bytes, most_ranges)
        super().__init__(plan, ReadDatasetRanges(files, beam_files, outputs))

    def _groups(self, pcoll: Any) -> Any:
        """Returns a PCollection of files, which a worker lists."""
        return pcoll | "Files" >> beam.Create([None], reshuffle=False) | "List" >> beam.ParDo(self._list)


class KnownFiles:
    """Files of a known dataset class. A process opens them on first use, and keeps them open.

    Args:
        kind: The dataset class.
        source: Absolute paths, globs, directories and URLs of the files.
        options: Options of the class.
        schema: The `pyarrow.Schema` of the files. None: it is not checked.
        batch_size: Maximum number of rows of a batch.
    """

    def __init__(
        self,
        kind: Callable[..., Dataset],
        source: list[str],
        options: dict[str, Any],
        schema: Any,
        batch_size: int,
    ) -> None:
        self._kind, self._source, self._options = kind, source, options
        self._schema, self._batch_size = schema, batch_size
        self._key = uuid.uuid4().hex

    def new_dataset(self) -> Dataset:
        """Lists the files, and opens the first one.

        Raises:
            ChangedError: The first file has other columns than expected.
        """
        dataset = self._kind(self._source, **self._options)
        if self._schema is not None:
            check_columns(dataset, self._schema)
        return dataset

    def groups(self) -> list[list[Any]]:
        """Lists the files again. Returns them in groups of about equal size."""
        dataset = self.new_dataset()
        # The process may have listed the files for an earlier run of the pipeline.
        keep(self._key, dataset)
        sources = files_of(dataset, self._options)
        return [sources[start:stop] for start, stop in groups_of(len(sources))]

    def plan(self, group: list[Any], split_bytes: int, most_ranges: int | None) -> list[Split]:
        """Plans the splits of a group.

        Args:
            group: Files.
            split_bytes: Target size of a split in bytes.
            most_ranges: Maximum number of splits of a file. None: no maximum.
        """
        dataset = self._kind(group, **self._options)
        if most_ranges is not None:
            lengths = [split.end - split.start for split in dataset.plan_splits(target_bytes=_WHOLE)]
            split_bytes = max([split_bytes, *(-(-length // most_ranges) for length in lengths)])
        return dataset.plan_splits(target_bytes=split_bytes)

    def open(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> RecordBatchReader:
        """Opens a reader of a split.

        Args:
            split: A split from `plan`.
            claim: As in `Dataset.read_split`.
            file: As in `Dataset.read_split`.
        """
        dataset = kept(self._key, self.new_dataset)
        return dataset.read_split(split, claim=claim, file=file, batch_size=self._batch_size)


class _List(beam.DoFn):
    """Lists files. An output is a group of files and its number.

    Args:
        files: The files.
    """

    def __init__(self, files: KnownFiles) -> None:
        self._files = files

    def process(self, element: None) -> Iterator[tuple[int, list[Any]]]:  # noqa: ARG002 - Beam's signature
        """Returns the groups."""
        yield from enumerate(self._files.groups())


class _Plan(beam.DoFn):
    """Plans the splits of groups of files.

    Args:
        files: All files.
        split_bytes: Target size of a split in bytes.
        most_ranges: Maximum number of splits of a file. None: no maximum.
    """

    def __init__(self, files: KnownFiles, split_bytes: int, most_ranges: int | None) -> None:
        self._files, self._split_bytes, self._most_ranges = files, split_bytes, most_ranges

    def process(self, element: list[Any]) -> Iterator[Split]:
        """Returns the splits of a group."""
        yield from self._files.plan(element, self._split_bytes, self._most_ranges)
