"""DuckDB: `read_dataset`, which reads files of any format as a relation.

    from arrowfeed.duckdb import read_dataset

    rows = read_dataset("part-*.avro")
    duckdb.sql("SELECT avg(value) FROM rows WHERE id < 1000")

Importing this module imports duckdb and pyarrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._engines.arrow_dataset import SplitDataset
from arrowfeed._engines.splits import UNIONS, SplitSource
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed.types import OnError, PredicateLike, Source

duckdb: Any = needed("duckdb", "for arrowfeed.duckdb")

__all__ = ["read_dataset"]

_ROWS = 16_384
"""Number of rows of a batch."""


def read_dataset(
    source: Source,
    *,
    connection: Any = None,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    threads: int | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Any:
    """Reads files as a `duckdb.DuckDBPyRelation`.

    The content of the first file determines the format, as in `open_dataset`. A query decodes only the
    columns that it uses, with several threads. DuckDB passes filters that compare columns with constants, and
    receives only the rows that pass. Each query opens the files again.

    Args:
        source: As in `open_dataset`, but no file objects, because they can be read only once.
        connection: A `duckdb.DuckDBPyConnection`. None: the default connection.
        columns: As in the dataset class of the format, such as `AvroDataset`. None: all columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        threads: Number of decoding threads. None: one per core of the process.
        on_error: How to handle damaged data, as in `Dataset.record_batches`.
        **options: Options of the dataset class of the format, such as `limits` and `storage_options`.

    Returns:
        A `duckdb.DuckDBPyRelation`. SQL finds it under the name of its Python variable.

    Raises:
        TypeError: `source` contains a file object.
        ArrowfeedError, OSError: As in `open_dataset`.
        duckdb.Error: A file is damaged or cannot be read while a query runs. The text contains that of the
            error of arrowfeed.

    Example:
        >>> rows = arrowfeed.duckdb.read_dataset("part-*.avro")
        >>> duckdb.sql("SELECT count(*) FROM rows WHERE id < 10").fetchall()
        [(10,)]
    """
    reader = SplitSource(source, options, UNIONS, columns=columns, where=where).reader(on_error=on_error)
    dataset = SplitDataset(reader, batch_size=_ROWS, threads=threads)
    return (duckdb if connection is None else connection).from_arrow(dataset)
