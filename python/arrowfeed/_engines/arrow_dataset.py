"""`SplitDataset`, through which query engines read files as they read a `pyarrow.dataset.Dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._expressions.of_pyarrow import of_pyarrow
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Split
    from arrowfeed._engines.splits import SplitReader

pa: Any = needed("pyarrow", "for engines")
pc: Any = needed("pyarrow.compute", "for engines")
ds: Any = needed("pyarrow.dataset", "for engines")


class SplitDataset(ds.Dataset):
    """Files as a `pyarrow.dataset.Dataset`, with projection and filters.

    Engines accept only instances of the class of pyarrow. This subclass has no dataset of pyarrow inside, so
    it overrides all public methods. Pass it only to engines that use it through these methods.

    Args:
        reader: The reader of all columns.
        batch_size: Number of rows of a batch of a scan.
        threads: Number of threads that decode a scan.
        plan: Returns groups of splits. Each group is a fragment. None: there are no fragments.
    """

    # The constructor of the base class raises an error.
    def __init__(
        self,
        reader: SplitReader,
        *,
        batch_size: int,
        threads: int | None = None,
        plan: Callable[[], list[list[Split]]] | None = None,
    ) -> None:
        self._reader = reader
        self._batch_size = batch_size
        self._threads = threads
        self._plan = plan

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of all columns."""
        return self._reader.schema

    @property
    def partition_expression(self) -> Any:
        """The filter that all rows pass."""
        return pc.scalar(True)  # noqa: FBT003 - a value

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> _Scanner:  # noqa: A002
        """Returns a scan of all files, in file order."""

        def batches(reader: SplitReader) -> Iterator[Any]:
            return reader.read_all(batch_size=self._batch_size, threads=self._threads)

        return _Scanner(self._reader, batches, columns, filter)

    def get_fragments(self, filter: Any = None) -> Iterator[_Fragment]:  # noqa: A002, ARG002
        """Yields the fragments, which together have all rows. The filter removes no fragment."""
        if self._plan is None:
            raise NotImplementedError("expected a scan of this dataset, found a request for its fragments")
        for splits in self._plan():
            yield _Fragment(self._reader, splits)

    def to_batches(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> Iterator[Any]:  # noqa: A002
        """Yields the batches of a scan."""
        return self.scanner(columns, filter).to_batches()

    def to_table(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> Any:  # noqa: A002
        """Returns a scan as a `pyarrow.Table`."""
        return self.scanner(columns, filter).to_reader().read_all()

    def count_rows(self, filter: Any = None, **_: Any) -> int:  # noqa: A002
        """Returns the number of rows that a filter accepts."""
        return sum(batch.num_rows for batch in self.to_batches([], filter))

    def _refuse(self, *_: Any, **__: Any) -> Any:
        """Raises the error of the methods that need a dataset of pyarrow."""
        raise NotImplementedError(f"{type(self).__name__}: expected a call of scanner() or get_fragments()")

    filter = head = join = join_asof = replace_schema = sort_by = take = _refuse


class _Fragment:
    """A part of a `SplitDataset`.

    Args:
        reader: The reader of all columns.
        splits: The splits of the part.
    """

    def __init__(self, reader: SplitReader, splits: list[Split]) -> None:
        self._reader = reader
        self._splits = splits

    @property
    def physical_schema(self) -> Any:
        """The `pyarrow.Schema` of all columns."""
        return self._reader.schema

    @property
    def partition_expression(self) -> Any:
        """The filter that all rows pass."""
        return pc.scalar(True)  # noqa: FBT003 - a value

    def scanner(
        self,
        schema: Any = None,  # noqa: ARG002 - that of the dataset
        columns: Sequence[str] | None = None,
        filter: Any = None,  # noqa: A002
        **_: Any,
    ) -> _Scanner:
        """Returns a scan of the part, in the calling thread."""

        def batches(reader: SplitReader) -> Iterator[Any]:
            for split in self._splits:
                yield from reader.read(split)

        return _Scanner(self._reader, batches, columns, filter)


class _Scanner:
    """A scan with a projection and a filter, with the methods of `pyarrow.dataset.Scanner` that engines use.

    Args:
        reader: The reader of all columns.
        batches: Returns the batches of a reader.
        columns: Names of the columns of the result. None: all columns.
        filter: A `pyarrow.dataset.Expression` of the rows of the result. None: all rows.
    """

    def __init__(
        self,
        reader: SplitReader,
        batches: Callable[[SplitReader], Iterator[Any]],
        columns: Sequence[str] | None,
        filter: Any,  # noqa: A002
    ) -> None:
        self._names: list[str] = reader.schema.names if columns is None else list(columns)
        self._batches = batches
        self.dataset_schema: Any = reader.schema
        self.projected_schema: Any = reader.select(self._names).schema
        passing = None if filter is None else _passing(reader, filter)
        self._filter = None if passing is not None else filter
        others = _filter_columns(self._filter, reader.schema, self._names)
        self._decoded = (passing or reader).select(self._names + others)

    def to_batches(self) -> Iterator[Any]:
        """Yields the `pyarrow.RecordBatch`es of the scan."""
        for batch in self._batches(self._decoded):
            if self._filter is None:
                yield batch
                continue
            rows = pa.Table.from_batches([batch]).filter(self._filter).select(self._names)
            yield from rows.to_batches()

    def to_reader(self) -> Any:
        """Returns a `pyarrow.RecordBatchReader` of the scan."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())


def _passing(reader: SplitReader, filter: Any) -> SplitReader | None:  # noqa: A002
    """Returns the reader of the rows that pass a filter. None: the filter is no predicate."""
    try:
        # DataFusion writes NOT IN as `not` of `isin`.
        return reader.filtered(of_pyarrow(filter, reader.schema, in_of_sql=True))
    except ValueError:
        return None


def _filter_columns(filter: Any, schema: Any, known: list[str]) -> list[str]:  # noqa: A002
    """Returns the columns that a filter needs in addition to known ones.

    pyarrow does not list the columns of an expression. A filter of an empty table fails if the table lacks a
    column. A binary search finds the last column that the filter needs, then the one before it.
    """
    if filter is None:
        return []
    others = [name for name in schema.names if name not in known]
    _bind(filter, schema, schema.names)  # Raises the error of an expression that does not fit the schema.
    found: list[str] = []
    while not _binds(filter, schema, known + found):
        low, high = 0, len(others)
        while low < high:
            middle = (low + high) // 2
            if _binds(filter, schema, [*known, *found, *others[:middle]]):
                high = middle
            else:
                low = middle + 1
        found.append(others[low - 1])
        others = others[: low - 1]
    return found


def _bind(filter: Any, schema: Any, names: list[str]) -> None:  # noqa: A002
    """Filters an empty table of some columns."""
    pa.Table.from_batches([], pa.schema([schema.field(name) for name in names])).filter(filter)


def _binds(filter: Any, schema: Any, names: list[str]) -> bool:  # noqa: A002
    """Whether a table with these columns has all columns of a filter."""
    try:
        _bind(filter, schema, names)
    except pa.ArrowInvalid:
        return False
    return True
