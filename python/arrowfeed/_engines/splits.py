"""`SplitSource`, which plans the splits of files, and `SplitReader`, which reads a split in any process."""

from __future__ import annotations

import contextlib
import copy
import logging
import re
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import RawRecordDataset
from arrowfeed._dataset.opening import dataset_class, rereadable
from arrowfeed._engines.sources import absolute, repeatable
from arrowfeed._errors import ChangedError, SchemaError
from arrowfeed._formats import options_of
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, Predicate, RecordBatch, RecordBatchReader, Split
    from arrowfeed.types import AnyTensor, OnError, PredicateLike, Report, SeekableFile, Source

SPLIT_BYTES = 64 << 20
"""Default size of a split in bytes."""

UNIONS = {"unions": "struct"}
"""The default of an option for engines that have no dense unions."""

_MOST_OPEN = 16
"""Maximum number of datasets that a process keeps open for later splits."""

_log = logging.getLogger("arrowfeed")

_open: OrderedDict[str, Dataset] = OrderedDict()
"""The datasets that this process has opened, by reader; the last used one is the last."""


class SplitSource:
    """Files of one format, which the content of the first file determines.

    Args:
        source: As in `open_dataset`, but no file objects. Bytes have no path, so they have no splits.
            Relative paths become absolute, because other processes may have another working directory.
        options: Options of the dataset class of the format, such as `columns`, `limits` and
            `storage_options`. Without `features` and `representations`, there are no tensors.
        defaults: Other values of options that `options` does not have. A class without such an option ignores
            them.
        columns: The option `columns`. None: that of `options`.
        where: As in `Dataset.filter`. None: all rows.

    Raises:
        TypeError: `source` contains a file object.
        Exception: As in `open_dataset` and `Dataset.filter`.
    """

    def __init__(
        self,
        source: Source,
        options: dict[str, Any],
        defaults: dict[str, Any] | None = None,
        *,
        columns: Sequence[str] | None = None,
        where: PredicateLike | None = None,
    ) -> None:
        if columns is not None:
            options = {**options, "columns": list(columns)}
        reopen = rereadable(absolute(repeatable(source), options.get("store")))
        self._source = reopen()
        self.kind: Callable[..., Dataset] = dataset_class(reopen(), options)
        """The dataset class of the format."""
        known = options_of(self.kind)
        used = {name: value for name, value in (defaults or {}).items() if name in known}
        self.options = {**used, **options}
        """The options of the class, with the inferred columns."""
        if options.get("features") is None and options.get("representations") is None:
            self.options["representations"] = {}
        self.dataset: Dataset = self.kind(self._source, **self.options)
        """The dataset of all files."""
        _, (_, _, self.options, *_) = self.dataset.__reduce__()
        if where is not None:
            self.dataset = self.dataset.filter(where)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the rows."""
        return needed("pyarrow", "for engines").schema(self.dataset.arrow_schema)

    def filtered(self, predicate: Predicate) -> SplitSource:
        """Returns the rows for which a predicate is true. The splits of this source remain valid.

        Raises:
            Exception: As in `Dataset.filter`.
        """
        found = copy.copy(self)
        found.dataset = self.dataset.filter(predicate)
        return found

    def plan(self, target_bytes: int = SPLIT_BYTES) -> list[Split]:
        """Plans the splits of all files, as `Dataset.plan_splits`."""
        return self.dataset.plan_splits(target_bytes=target_bytes)

    def reader(
        self,
        columns: Sequence[str] | None = None,
        *,
        tensors: Sequence[str] | None = None,
        batch_size: int | None = None,
        on_error: OnError = "raise",
    ) -> SplitReader:
        """Returns the reader of the splits, which can be pickled.

        Args:
            columns: Names of columns of `schema`, in the order of the result. None: all columns.
            tensors: Names of the tensors that `SplitReader.convert` returns, instead of `columns`; only their
                columns are read, unless the options have `columns`. None: all tensors.
            batch_size: As in `Dataset.read_split`.
            on_error: As in `Dataset.read_split`.

        Raises:
            SchemaError: There is no such column.
        """
        options, dataset = self.options, self.dataset
        if tensors is not None and not tensors:
            columns = []
        elif tensors:
            key = "representations" if options.get("features") is None else "features"
            options = {**options, key: {name: options[key][name] for name in tensors}}
            dataset = filtered(self.kind(self._source, **options), self.dataset.predicate)
        reading = {"batch_size": batch_size, "on_error": on_error}
        reader = SplitReader(self.kind, self._source, options, reading, dataset)
        return reader if columns is None else reader.select(columns)


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
        self._predicate = dataset.predicate
        self._schema: Any = needed("pyarrow", "for engines").schema(dataset.arrow_schema)
        self._decoded = self._schema
        self._has_tensors = bool(dataset.specs)
        self._is_raw = isinstance(dataset, RawRecordDataset) or bool(options.get("raw"))
        self._key = uuid.uuid4().hex
        keep(self._key, dataset)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches."""
        return self._schema

    @property
    def key(self) -> str:
        """Identifies the reader and its copies in other processes. It does not depend on the options."""
        return self._key

    def select(self, columns: Sequence[str]) -> SplitReader:
        """Returns the reader of some of the columns, which decodes only these if it makes no tensors.

        It opens the files when it reads its first split, in the process that reads it.

        Args:
            columns: Names of columns of `schema`, in the order of the result. A name may occur several times.

        Raises:
            SchemaError: There is no such column.
        """
        names = list(columns)
        if names == self._schema.names:
            return self
        missing = [name for name in names if name not in self._schema.names]
        if missing:
            raise SchemaError(f"expected columns of {self._schema.names}, found {missing}")
        selected = copy.copy(self)
        vars(selected).update(_schema=self._schema_of(names))
        # A column that a tensor needs only in part must not be read as a whole. Raw records have one column.
        if not (self._is_raw or (self._has_tensors and names)):
            replaced = ("features", "exclude")
            options = {name: value for name, value in self._options.items() if name not in replaced}
            once = list(dict.fromkeys(names))
            options.update(representations={}, columns=column_paths(self._options.get("columns"), once))
            # These columns are read in any case.
            added: list[str] = [self._options.get(name) or "" for name in ("file_column", "row_column")]
            once += [name for name in added if name in self._schema.names and name not in once]
            decoded, key = self._schema_of(once), f"{self._key} {once}"
            vars(selected).update(_decoded=decoded, _options=options, _key=key)
        return selected

    def filtered(self, predicate: Predicate) -> SplitReader:
        """Returns the reader of the rows of this one for which a predicate is true.

        Raises:
            Exception: As in `Dataset.filter`.
        """
        dataset, key = self._opened().filter(predicate), f"{self._key} where {predicate}"
        keep(key, dataset)
        found = copy.copy(self)
        vars(found).update(_predicate=dataset.predicate, _key=key)
        return found

    def read(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> Iterator[Any]:
        """Yields the `pyarrow.RecordBatch`es of a split. A batch without columns has a number of rows.

        Logs each chunk that `on_error` skips as a warning.

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
                yield self._selected(batch)
            log_skipped(reader.report())

    def open(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> RecordBatchReader:
        """Opens a reader of a split, which also reports counts and skipped chunks.

        Its batches have the columns that are decoded, which may be more than those of `schema`.

        Args:
            split: As in `read`.
            claim: As in `read`.
            file: As in `read`.

        Raises:
            Exception: As in `read`.
        """
        return self._opened().read_split(split, claim=claim, file=file, **self._reading)

    def convert(self, batch: Any) -> dict[str, AnyTensor]:
        """Converts a batch with all columns to tensors, as `TensorAdapter.convert`."""
        return self._opened().tensor_adapter().convert(batch)

    def read_all(self, *, batch_size: int, threads: int | None = None) -> Generator[Any, None, None]:
        """Yields the `pyarrow.RecordBatch`es of all files, in file order.

        Logs each chunk and file that `on_error` skips as a warning. Threads of this process decode the rows.
        The call opens the files again. It needs no splits, so the source may be bytes.

        Args:
            batch_size: Number of rows of a batch. The last batch may be shorter.
            threads: As in `Dataset.record_batches`.

        Raises:
            ChangedError: The first file has other columns than `schema`.
            Exception: As in `Dataset.record_batches`.
        """
        with contextlib.closing(self.read_all_decoded(batch_size=batch_size, threads=threads)) as batches:
            for batch in batches:
                yield self._selected(batch)

    def read_all_decoded(
        self, *, batch_size: int, threads: int | None = None
    ) -> Generator[RecordBatch, None, None]:
        """Yields the batches of `read_all` before the projection: they may have more columns than `schema`.

        Args:
            batch_size: As in `read_all`.
            threads: As in `read_all`.

        Raises:
            Exception: As in `read_all`.
        """
        on_error = self._reading["on_error"]
        dataset = self._new_dataset()
        with dataset.record_batches(batch_size=batch_size, threads=threads, on_error=on_error) as batches:
            yield from batches
            log_skipped(batches.report())

    def _selected(self, batch: RecordBatch) -> Any:
        """Returns a batch as a `pyarrow.RecordBatch` with the columns of `schema`."""
        rows: Any = batch.to_pyarrow()
        return rows if rows.schema.names == self._schema.names else rows.select(self._schema.names)

    def _schema_of(self, names: list[str]) -> Any:
        """Returns the schema of some of the columns."""
        fields = [self._schema.field(self._schema.names.index(name)) for name in names]
        return needed("pyarrow", "for engines").schema(fields, metadata=self._schema.metadata)

    def _opened(self) -> Dataset:
        return kept(self._key, self._new_dataset)

    def _new_dataset(self) -> Dataset:
        """Opens the files again.

        Raises:
            ChangedError: The first file has other columns than `schema`.
        """
        dataset = self._kind(self._source, **self._options)
        check_columns(dataset, self._decoded, "the first file has changed since the splits were planned")
        return filtered(dataset, self._predicate)


def filtered(dataset: Dataset, predicate: Predicate | None) -> Dataset:
    """Returns a dataset of the rows for which a predicate is true. None: all rows."""
    return dataset if predicate is None else dataset.filter(predicate)


def check_columns(dataset: Dataset, expected: Any, reason: str) -> None:
    """Checks the columns of files that are opened again.

    Args:
        dataset: The dataset of the files.
        expected: The `pyarrow.Schema` of the files when they were opened before.
        reason: The end of the message.

    Raises:
        ChangedError: The first file has other columns.
    """
    schema = needed("pyarrow", "for engines").schema(dataset.arrow_schema)
    if not schema.equals(expected):
        message = f"expected the columns {_described(expected)}, found {_described(schema)}"
        raise ChangedError(f"{message}: {reason}")


def kept(key: str, made: Callable[[], Dataset]) -> Dataset:
    """Returns the dataset that this process keeps under a key. Opens it if there is none."""
    dataset = _open.get(key)
    if dataset is None:
        dataset = made()
    keep(key, dataset)
    return dataset


def keep(key: str, dataset: Dataset) -> None:
    """Keeps a dataset for later splits, and drops the one that was not used for the longest time.

    Other threads may do the same at any time, so each step works on any state.
    """
    _open.pop(key, None)
    _open[key] = dataset
    while len(_open) > _MOST_OPEN:
        with contextlib.suppress(KeyError):
            _open.popitem(last=False)


def check_on_error(on_error: str | None) -> None:
    """Checks the option `on_error` of splits.

    Raises:
        ValueError: The value is neither `"raise"` nor `"skip_block"`.
    """
    if on_error not in (None, "raise", "skip_block"):
        expected = "on_error: expected 'raise' or 'skip_block', because a task reads a part of a file"
        raise ValueError(f"{expected}, found {on_error!r}")


def log_skipped(report: Report) -> None:
    """Logs the chunks and files that were skipped, each as a warning."""
    for skipped in report["skipped"]:
        _log.warning("skipped a block: %s", skipped["error"])


def column_paths(paths: Sequence[str] | None, names: list[str]) -> list[str]:
    """Returns the field paths of columns: those of the option `columns`, or the quoted names without them."""
    if paths is None:
        return [quoted(name) for name in names]
    # A name may look like a path. No path leads to a column that an option adds.
    found = [[path for path in paths if path == name] for name in names]
    return [
        path
        for name, same in zip(names, found, strict=True)
        for path in same or [path for path in paths if first_name(path) == name] or [quoted(name)]
    ]


def quoted(name: str) -> str:
    """Returns the field path of a column, with a quoted name."""
    return f"['{name.replace(chr(39), 2 * chr(39))}']"


_FIRST = re.compile(r"\['((?:[^']|'')*)'\]|([^.\[]*)")
"""The first name of a field path: in quotes, or up to the next dot or bracket."""


def first_name(path: str) -> str:
    """Returns the name of the column to which a field path leads."""
    found = _FIRST.match(path)
    if found is None or found[1] is None:
        return path if found is None else found[2]
    return found[1].replace("''", "'")


def _described(schema: Any) -> str:
    """Returns the names, types and nullability of columns, for messages."""
    names = (f"{field.name}: {field.type}{'' if field.nullable else ' not null'}" for field in schema)
    return ", ".join(names) or "none"
