"""`SplitSource`, which plans the splits of files, and `SplitReader`, which reads a split in any process."""

from __future__ import annotations

import logging
import os
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import RawRecordDataset
from arrowfeed._dataset.opening import dataset_class, rereadable
from arrowfeed._errors import ChangedError, SchemaError
from arrowfeed._libraries import needed
from arrowfeed._urls import GLOB, is_remote, literal, scheme_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, Split
    from arrowfeed.types import OnError, SeekableFile, Source, Tensor

SPLIT_BYTES = 64 << 20
"""Default size of a split in bytes."""

_MOST_OPEN = 16
"""Maximum number of datasets that a process keeps open for later splits."""

_log = logging.getLogger("arrowfeed")

_open: OrderedDict[str, Dataset] = OrderedDict()
"""The datasets that this process has opened, by reader; the last used one is the last."""


class SplitSource:
    """Files of one format, which the content of the first file determines.

    Args:
        source: As in `open_dataset`, but no file objects and no bytes, which have no path. Relative paths
            become absolute, because other processes may have another working directory.
        options: Options of the dataset class of the format, such as `columns`, `limits` and
            `storage_options`. Without `features` and `representations`, there are no tensors.

    Raises:
        Exception: As in `open_dataset`.
    """

    def __init__(self, source: Source, options: dict[str, Any]) -> None:
        again = rereadable(_absolute(source, options.get("store")))
        self._source = again()
        self._options = dict(options)
        if options.get("features") is None and options.get("representations") is None:
            self._options["representations"] = {}
        self._kind = dataset_class(again, options)
        self._dataset = self._kind(self._source, **self._options)

    @property
    def dataset(self) -> Dataset:
        """The dataset of all files."""
        return self._dataset

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
        tensors: Sequence[str] | None = None,
        batch_size: int | None = None,
        on_error: OnError = "raise",
    ) -> SplitReader:
        """Returns the reader of the splits, which can be pickled.

        Args:
            columns: Names of columns of `schema`, in the order of the result. None: all columns.
            tensors: Names of the tensors that `SplitReader.convert` returns; only their columns are read,
                unless the options have `columns`. None: all tensors. Cannot be combined with `columns`.
            batch_size: As in `Dataset.read_split`.
            on_error: As in `Dataset.read_split`.

        Raises:
            SchemaError: There is no such column.
        """
        options, dataset, selected = self._options, self._dataset, None
        if tensors:
            key = "representations" if options.get("features") is None else "features"
            options = {**options, key: {name: options[key][name] for name in tensors}}
        elif tensors is not None or (columns is not None and list(columns) != dataset.arrow_schema.names):
            columns = columns or []
            if self._takes(columns):
                options = {name: value for name, value in options.items() if name != "features"}
                options.update(representations={}, columns=[quoted(name) for name in columns])
            else:
                selected = list(columns)
        if options is not self._options:
            dataset = self._kind(self._source, **options)
        reading = {"batch_size": batch_size, "on_error": on_error}
        return SplitReader(self._kind, self._source, options, reading, dataset, selected=selected)

    def _takes(self, columns: Sequence[str]) -> bool:
        """Whether the dataset can read these columns alone. Otherwise they are selected after reading.

        A path inside a column, such as `user.name`, reads a part of the column; the name of the column would
        read all of it. Tensors may have such paths too.

        Raises:
            SchemaError: There is no such column.
        """
        names = self._dataset.arrow_schema.names
        for name in columns:
            if name not in names:
                raise SchemaError(f"expected columns among {names}, found {name!r}")
        if self._kind is RawRecordDataset:
            return False
        paths = self._options.get("columns")
        return not columns or not (self._dataset.specs or (paths and not set(paths) <= set(names)))


class SplitReader:
    """Reads splits in any process. A process opens the files when it reads its first split, and keeps them.

    Args:
        kind: The dataset class of the format.
        source: All files.
        options: Options of the class.
        reading: Options of `Dataset.read_split`.
        dataset: The dataset of all files.
        selected: Names of the columns of the batches. None: all columns of the dataset.
    """

    def __init__(
        self,
        kind: Callable[..., Dataset],
        source: Any,
        options: dict[str, Any],
        reading: dict[str, Any],
        dataset: Dataset,
        *,
        selected: list[str] | None = None,
    ) -> None:
        self._kind = kind
        self._source = source
        self._options = options
        self._reading = reading
        self._schema = dataset.arrow_schema
        self._selected = selected
        self._key = uuid.uuid4().hex
        _keep(self._key, dataset)

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the batches."""
        pyarrow: Any = needed("pyarrow", "for engines")
        schema = pyarrow.schema(self._schema)
        if self._selected is None:
            return schema
        return pyarrow.schema([schema.field(name) for name in self._selected], schema.metadata)

    def read(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
    ) -> Iterator[Any]:
        """Yields the `pyarrow.RecordBatch`es of a split. A batch without columns has a number of rows.

        Logs each block that `on_error` skips as a warning.

        Args:
            split: A split of the source.
            claim: As in `Dataset.read_split`.
            file: As in `Dataset.read_split`.

        Raises:
            ChangedError: The first file has other columns than when the splits were planned.
            Exception: As in `Dataset.read_split`.
        """
        dataset = self._opened()
        with dataset.read_split(split, claim=claim, file=file, **self._reading) as reader:
            for one in reader:
                batch: Any = one.to_pyarrow()
                yield batch if self._selected is None else batch.select(self._selected)
            for block in reader.report()["skipped"]:
                _log.warning("skipped a block: %s", block["error"])

    def convert(self, batch: Any) -> dict[str, Tensor]:
        """Converts a batch to tensors, as `TensorAdapter.convert`."""
        return self._opened().tensor_adapter().convert(batch)

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


def _absolute(source: Any, store: Any) -> Any:
    """Returns a source with absolute paths. URLs, names in a store and paths in the home directory stay."""
    if isinstance(source, list | tuple):
        return [_absolute(one, store) for one in cast("list[Any]", source)]
    if not isinstance(source, str | os.PathLike) or is_remote(source, store):
        return cast("Any", source)
    text = text_of(source)
    if scheme_of(text) is not None or text.startswith("~"):
        return text
    directory = os.getcwd()  # noqa: PTH109 - joined as text, which keeps a slash at the end
    if any(character in text for character in GLOB):
        directory = literal(directory)
    return os.path.join(directory, text)  # noqa: PTH118 - as above
