"""`SplitSource`, which plans the splits of files, and `SplitReader`, which reads a split in any process."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._dataset.look import look_at
from arrowfeed._dataset.opening import STORE_OPTIONS, dataset_class, rereadable
from arrowfeed._errors import ChangedError, SchemaError
from arrowfeed._libraries import needed
from arrowfeed._urls import is_remote, literal, redacted, scheme_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader, Split
    from arrowfeed.types import OnError, SeekableFile, Source

SPLIT_BYTES = 64 << 20
"""Default size of a split in bytes."""

_MOST_OPEN = 16
"""Maximum number of datasets that a process keeps open for later splits."""

_open: OrderedDict[str, Dataset] = OrderedDict()
"""The datasets that this process has opened, by reader; the last used one is the last."""


class SplitSource:
    """Files of one format, which the content of the first file determines.

    Args:
        source: As in `open_dataset`, but no file objects and no bytes, which have no path.
        options: Options of the dataset class of the format, such as `columns`, `limits` and
            `storage_options`.

    Raises:
        Exception: As in `open_dataset`.
    """

    def __init__(self, source: Source, options: dict[str, Any]) -> None:
        again = rereadable(source)
        self._source = again()
        self._options: dict[str, Any] = {**options, "representations": {}}
        self._kind = dataset_class(again, options)
        self._dataset = self._kind(self._source, **self._options)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the rows."""
        return needed("pyarrow", "for engines").schema(self._dataset.arrow_schema)

    def plan(self, target_bytes: int = SPLIT_BYTES) -> list[Split]:
        """Plans the splits of all files, as `Dataset.plan_splits`."""
        return self._dataset.plan_splits(target_bytes=target_bytes)

    def reader(
        self,
        columns: Sequence[str] | None = None,
        *,
        batch_size: int | None = None,
        on_error: OnError = "raise",
    ) -> SplitReader:
        """Returns the reader of the splits, which can be pickled.

        Args:
            columns: Names of columns of `schema`, in the order of the result. None: all columns.
            batch_size: As in `Dataset.read_split`.
            on_error: As in `Dataset.read_split`.

        Raises:
            SchemaError: There is no such column.
        """
        options, dataset = self._options, self._dataset
        if columns is not None and list(columns) != dataset.arrow_schema.names:
            options = {**options, "columns": [quoted(name) for name in columns]}
            dataset = self._kind(self._source, **options)
        reading = {"batch_size": batch_size, "on_error": on_error}
        return SplitReader(self._kind, self._source, options, reading, dataset)

    def planner(self) -> SplitPlanner:
        """Returns the planner of the splits of some of the files, which can be pickled."""
        stores = {name: self._options[name] for name in STORE_OPTIONS if name in self._options}
        # The arguments of a pickled dataset contain the local files by name.
        _, (_, sources, *_) = self._dataset.__reduce__()
        files = [file for source in sources for file in _files_of(source, stores)]
        return SplitPlanner(self._kind, files, self._options, self.reader())


class SplitPlanner:
    """Plans the splits of some of the files in any process, so that several workers can plan many files.

    Args:
        kind: The dataset class of the format.
        files: All files.
        options: Options of the class.
        reader: The reader of all files.
    """

    def __init__(
        self, kind: Callable[..., Dataset], files: list[_File], options: dict[str, Any], reader: SplitReader
    ) -> None:
        self._kind = kind
        self._files = files
        self._options = options
        self._reader = reader

    def __len__(self) -> int:
        """Number of files. A URL that contains a secret counts as one file, even if it is a glob."""
        return len(self._files)

    def plan(self, start: int, stop: int, target_bytes: int = SPLIT_BYTES) -> list[Split]:
        """Plans the splits of the files with the numbers from `start` up to `stop`.

        Raises:
            Exception: As in `Dataset.plan_splits`.
        """
        files = self._files[start:stop]
        try:
            dataset = self._kind([file.source for file in files], **self._options)
            return dataset.plan_splits(target_bytes=target_bytes)
        except SchemaError:
            # The columns of all files may not follow from these files alone, if one of them has no rows.
            names = {file.name for file in files}
            if None in names:
                raise
            return [split for split in self._reader.plan(target_bytes) if split.path in names]


class _File(NamedTuple):
    """A file, as a source of a dataset, and its name in splits; None: the source may name several files."""

    source: Any
    name: str | None


def _files_of(source: Any, stores: dict[str, Any]) -> list[_File]:
    """Lists the files of a URL. A local file, and a URL that contains a secret, are passed through."""
    url = text_of(source)
    if not is_remote(source, stores.get("store")):
        return [_File(source, url)]
    if redacted(url) != url or scheme_of(url) in ("http", "https"):
        return [_File(source, None)]
    look = look_at(source, stores, count=0)
    return [_File(literal(name) if look.is_listed else source, name) for name, _ in look.files]


class SplitReader:
    """Reads splits in any process. A process opens the files when it reads its first split, and keeps them.

    Args:
        kind: The dataset class of the format.
        source: All files.
        options: Options of the class.
        reading: Options of `Dataset.read_split`.
        dataset: The dataset of all files.
    """

    def __init__(
        self,
        kind: Callable[..., Dataset],
        source: Any,
        options: dict[str, Any],
        reading: dict[str, Any],
        dataset: Dataset,
    ) -> None:
        self._kind = kind
        self._source = source
        self._options = options
        self._reading = reading
        self._schema = dataset.arrow_schema
        self._key = uuid.uuid4().hex
        _keep(self._key, dataset)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches."""
        return needed("pyarrow", "for engines").schema(self._schema)

    def read(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> Iterator[Any]:
        """Yields the `pyarrow.RecordBatch`es of a split. A batch without columns has a number of rows.

        Args:
            split: A split of the source.
            claim: As in `Dataset.read_split`.
            file: As in `Dataset.read_split`.

        Raises:
            ChangedError: The first file has other columns than when the splits were planned.
            Exception: As in `Dataset.read_split`.
        """
        with self.open(split, claim=claim, file=file) as reader:
            for batch in reader:
                yield batch.to_pyarrow()

    def open(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> RecordBatchReader:
        """Opens a reader of a split, which also reports counts and skipped chunks.

        Args:
            split: As in `read`.
            claim: As in `read`.
            file: As in `read`.

        Raises:
            Exception: As in `read`.
        """
        return self._opened().read_split(split, claim=claim, file=file, **self._reading)

    def plan(self, target_bytes: int = SPLIT_BYTES) -> list[Split]:
        """Plans the splits of all files, as `Dataset.plan_splits`."""
        return self._opened().plan_splits(target_bytes=target_bytes)

    def _opened(self) -> Dataset:
        dataset = _open.get(self._key)
        if dataset is None:
            dataset = self._kind(self._source, **self._options)
            if dataset.arrow_schema != self._schema:
                message = f"expected the columns {self._schema.names}, found {dataset.arrow_schema.names}"
                raise ChangedError(f"{message}: the first file has changed since the splits were planned")
        _keep(self._key, dataset)
        return dataset


def _keep(key: str, dataset: Dataset) -> None:
    """Keeps a dataset open for later splits, and closes the one that was not used for the longest time."""
    _open[key] = dataset
    _open.move_to_end(key)
    while len(_open) > _MOST_OPEN:
        _open.popitem(last=False)


def quoted(name: str) -> str:
    """Returns the field path of a column, with a quoted name."""
    return f"['{name.replace(chr(39), 2 * chr(39))}']"
