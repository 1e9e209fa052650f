"""`read_known_files`, which reads files whose format and columns are known in advance."""

from __future__ import annotations

import concurrent.futures
import functools
import uuid
from typing import TYPE_CHECKING, Any

from arrowfeed._dataset.detected import source_options, stored_files
from arrowfeed._engines.planner import files_of
from arrowfeed._engines.sources import absolute
from arrowfeed._engines.splits import SPLIT_BYTES, check_columns, keep, kept
from arrowfeed._formats import extension_of
from arrowfeed._urls import is_remote, redacted, text_of
from arrowfeed.beam._beam_files import by_filesystem
from arrowfeed.beam._imported import beam
from arrowfeed.beam._planned import ReadPlanned, file_groups
from arrowfeed.beam._read import ReadDatasetRanges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader, Split
    from arrowfeed.beam._read import Outputs
    from arrowfeed.types import SeekableFile

_MOST_CHECKS = 16
"""Maximum number of files that are checked at the same time."""


def read_known_files(
    kind: Callable[..., Dataset],
    patterns: list[str],
    options: dict[str, Any],
    *,
    on_list: Callable[[], None] | None = None,
    **arguments: Any,
) -> Any:
    """Returns a transform that reads files of a known dataset class.

    Beam opens the files on each filesystem that it has, so the options of the pipeline for filesystems apply.
    arrowfeed opens local files, and files on other filesystems.

    Args:
        kind: The dataset class.
        patterns: Paths, globs, directories and URLs of the files.
        options: Options of the class. They must determine the columns.
        on_list: As in `ReadKnownFiles`. The reading of one filesystem calls it.
        **arguments: Further arguments of `ReadKnownFiles`.

    Raises:
        FileNotFoundError, ArrowfeedError, OSError: As in `ReadKnownFiles`.
    """
    reads: list[Any] = []
    for beam_files, group in by_filesystem(patterns):
        stored = options if beam_files is None else {**options, "store": beam_files}
        reads.append(ReadKnownFiles(kind, group, stored, on_list=None if reads else on_list, **arguments))
    return reads[0] if len(reads) == 1 else _ReadEach(reads)


class _ReadEach(beam.PTransform):
    """Reads the files of several filesystems.

    Args:
        reads: The transform of each filesystem.
    """

    def __init__(self, reads: list[Any]) -> None:
        beam.PTransform.__init__(self)
        self._reads = reads

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of the outputs of all transforms."""
        outputs: Any = tuple(pcoll | f"Filesystem{n}" >> read for n, read in enumerate(self._reads))
        return outputs | "Flatten" >> beam.Flatten(pipeline=pcoll.pipeline)


class ReadKnownFiles(ReadPlanned):
    """Reads files of a known dataset class. It lists and opens the files when the pipeline runs.

    Args:
        kind: The dataset class.
        patterns: Paths, globs, directories and URLs of the files.
        options: Options of the class, such as `store`. They must determine the columns.
        schema: The `pyarrow.Schema` of the files. None: the workers do not check it.
        batch_size: Maximum number of rows of a batch.
        validate: Whether the constructor checks that the files exist. It opens the first one.
        split_bytes: Initial size of a range in bytes.
        most_ranges: Maximum number of ranges of a file at the start, which are larger if necessary. None: no
            maximum.
        outputs: The conversion of the batches. None: `pyarrow.RecordBatch`.
        on_list: A function that a worker calls once in each pipeline, when it lists the files. Picklable.

    Raises:
        FileNotFoundError: No file matches a pattern.
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
        on_list: Callable[[], None] | None = None,
    ) -> None:
        options = {"representations": {}, **options}
        files = KnownFiles(kind, absolute(patterns, None), options, schema, batch_size)
        if validate:
            files.check_all()
        self._list = _List(files, on_list)
        plan = _Plan(files, split_bytes, most_ranges)
        super().__init__(plan, ReadDatasetRanges(files, options.get("store"), outputs))

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

    def check_all(self) -> None:
        """Opens the first file, and checks that the others exist.

        Raises:
            FileNotFoundError: No file matches a pattern.
        """
        dataset = self._kind(self._source, **self._options)
        # The dataset has checked local files and globs.
        stored = [one for one in self._source[1:] if is_remote(one, self._options.get("store"))]
        stores = source_options(self._options)
        look = functools.partial(stored_files, stores=stores, extension=extension_of(dataset), check=True)
        with concurrent.futures.ThreadPoolExecutor(_MOST_CHECKS) as pool:
            for _ in pool.map(look, stored):
                pass

    def groups(self) -> list[list[str | int]]:
        """Lists the files again. Returns them in groups of about equal size.

        A URL that contains a secret is the number of a source, because a runner may store the groups.
        """
        dataset = self._new_dataset()
        # The process may have listed the files for an earlier run of the pipeline.
        keep(self._key, dataset)
        files = [self._without_secret(file) for file in files_of(dataset, self._options)]
        return [files[start:stop] for start, stop in file_groups(len(files))]

    def _without_secret(self, file: Any) -> str | int:
        text = text_of(file)
        return text if redacted(text) == text else self._source.index(text)

    def plan(self, file: str | int, split_bytes: int, most_ranges: int | None) -> list[Split]:
        """Plans the splits of a file.

        Args:
            file: An element of a group.
            split_bytes: Target size of a split in bytes.
            most_ranges: Maximum number of splits of the file. None: no maximum.
        """
        dataset = self._kind([self._source[file] if isinstance(file, int) else file], **self._options)
        splits = dataset.plan_splits(target_bytes=split_bytes)
        if most_ranges is None or len(splits) <= most_ranges:
            return splits
        length = splits[-1].end - splits[0].start
        return dataset.plan_splits(target_bytes=-(-length // most_ranges))

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
        dataset = kept(self._key, self._new_dataset)
        return dataset.read_split(split, claim=claim, file=file, batch_size=self._batch_size)

    def _new_dataset(self) -> Dataset:
        """Lists the files, and opens the first one.

        Raises:
            ChangedError: The first file has other columns than expected.
        """
        dataset = self._kind(self._source, **self._options)
        if self._schema is not None:
            check_columns(dataset, self._schema, "the first file has changed since the pipeline was built")
        return dataset


class _List(beam.DoFn):
    """Lists files. An output is a group of files and its number.

    Args:
        files: The files.
        on_list: A function that is called before. None: no function.
    """

    def __init__(self, files: KnownFiles, on_list: Callable[[], None] | None) -> None:
        self._files, self._on_list = files, on_list

    def process(self, element: None) -> Iterator[tuple[int, list[str | int]]]:  # noqa: ARG002 - Beam's signature
        """Returns the groups."""
        if self._on_list is not None:
            self._on_list()
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

    def process(self, element: list[str | int]) -> Iterator[Split]:
        """Returns the splits of a group."""
        for file in element:
            yield from self._files.plan(file, self._split_bytes, self._most_ranges)
