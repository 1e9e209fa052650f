"""Daft: `read_dataset`, which reads files of any format as a Daft DataFrame.

    from arrowfeed.daft import read_dataset

    rows = read_dataset("part-*.avro")

Importing this module imports daft.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from arrowfeed._engines.splits import SPLIT_BYTES, UNIONS, SplitSource, check_on_error
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from arrowfeed._arrowfeed import Split
    from arrowfeed._engines.splits import SplitReader
    from arrowfeed.types import OnError, PredicateLike, Source

daft: Any = needed("daft", "for arrowfeed.daft")
_io: Any = needed("daft.io", "for arrowfeed.daft")
_recordbatch: Any = needed("daft.recordbatch", "for arrowfeed.daft")

__all__ = ["read_dataset"]


def read_dataset(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    split_bytes: int = SPLIT_BYTES,
    on_error: OnError = "raise",
    **options: Any,
) -> Any:
    """Reads files as a `daft.DataFrame`, with one task for each split.

    The content of the first file determines the format, as in `open_dataset`. This call opens the files; the
    splits are planned when a query runs. A task decodes only the columns that the query uses, and stops after
    the rows that a limit without a filter needs.

    Args:
        source: A path, a glob, a directory, a URL, or a list of these. All workers need read access.
        columns: As in the dataset class of the format, such as `AvroDataset`. None: all columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        split_bytes: Target size of a split in bytes.
        on_error: How to handle damaged data, as in `Dataset.read_split`.
        **options: Options of the dataset class of the format, such as `limits` and `storage_options`. The
            tasks contain them, but the splits do not.

    Returns:
        A `daft.DataFrame`.

    Raises:
        ArrowfeedError, OSError: As in `open_dataset`; in a query, as in `Dataset.plan_splits` and
            `Dataset.read_split`. Daft may raise its own error with the same text.

    Example:
        >>> rows = arrowfeed.daft.read_dataset("part-*.avro")
        >>> rows.where(daft.col("id") < 3).select("id").to_pydict()
        {'id': [0, 1, 2]}
    """
    check_on_error(on_error)
    planned = SplitSource(source, options, UNIONS, columns=columns, where=where)
    return _DataSource(planned, planned.reader(on_error=on_error), split_bytes).read()


class _DataSource(_io.DataSource):
    """The files.

    Args:
        source: The files, for the plan.
        reader: The reader of all columns.
        split_bytes: Target size of a split.
    """

    def __init__(self, source: SplitSource, reader: SplitReader, split_bytes: int) -> None:
        self._source = source
        self._reader = reader
        self._split_bytes = split_bytes

    @property
    def name(self) -> str:
        """The name of the source in plans."""
        return "arrowfeed"

    @property
    def schema(self) -> Any:
        """The `daft.Schema` of all columns."""
        return daft.Schema.from_pyarrow_schema(self._reader.schema)

    async def get_tasks(self, pushdowns: Any) -> AsyncIterator[_Task]:
        """Yields a task for each split."""
        reader = self._reader
        if pushdowns.columns is not None:
            wanted = {*pushdowns.columns, *pushdowns.filter_required_column_names()}
            reader = reader.select([name for name in reader.schema.names if name in wanted])
        # A limit counts the rows that remain after a filter, and Daft filters after the tasks.
        unfiltered = pushdowns.filters is None and pushdowns.partition_filters is None
        limit: int | None = pushdowns.limit if unfiltered else None
        for split in await asyncio.to_thread(self._source.plan, self._split_bytes):
            yield _Task(reader, split, limit)


class _Task(_io.DataSourceTask):
    """Reads a split.

    Args:
        reader: The reader of the columns of the query.
        split: The split.
        limit: Maximum number of rows. None: all rows.
    """

    def __init__(self, reader: SplitReader, split: Split, limit: int | None) -> None:
        self._reader = reader
        self._split = split
        self._limit = limit

    @property
    def schema(self) -> Any:
        """The `daft.Schema` of the columns of the query."""
        return daft.Schema.from_pyarrow_schema(self._reader.schema)

    async def read(self) -> AsyncIterator[Any]:
        """Yields the rows as `daft.recordbatch.RecordBatch`es."""
        schema, left = self._reader.schema, self._limit
        batches = self._reader.read(self._split)
        while left is None or left > 0:
            batch = await asyncio.to_thread(next, batches, None)
            if batch is None:
                return
            rows = batch if left is None else batch.slice(0, left)
            left = None if left is None else left - rows.num_rows
            yield _recordbatch.RecordBatch.from_arrow_record_batches([rows], schema)
