"""DataFusion: `read_dataset`, which reads files of any format as a DataFrame.

    from arrowfeed.datafusion import read_dataset

    rows = read_dataset("part-*.avro")

Importing this module imports datafusion and pyarrow.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from arrowfeed._engines.arrow_dataset import SplitDataset
from arrowfeed._engines.groups import balanced_groups
from arrowfeed._engines.splits import UNIONS, SplitSource, check_on_error
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed._arrowfeed import Split
    from arrowfeed.types import OnError, PredicateLike, Source

datafusion: Any = needed("datafusion", "for arrowfeed.datafusion")

__all__ = ["read_dataset"]

_ROWS = 8_192
"""Number of rows of a batch."""

_SPLIT_BYTES = 4 << 20
"""Target size of a split. A partition has at least one split."""


def read_dataset(
    source: Source,
    *,
    context: Any = None,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    partitions: int | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Any:
    """Reads files as a `datafusion.DataFrame`.

    The content of the first file determines the format, as in `open_dataset`. A query decodes only the
    columns that it uses. DataFusion passes filters that compare columns with constants, and receives only the
    rows that pass. The partitions of a query are decoded at the same time, each by a
    thread of DataFusion.

    Args:
        source: A path, a glob, a directory, a URL, or a list of these.
        context: A `datafusion.SessionContext`. None: the global context, as for `datafusion.read_parquet`.
        columns: As in the dataset class of the format, such as `AvroDataset`. None: all columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        partitions: Maximum number of partitions, at least 1. None: one per core of the machine.
        on_error: How to handle damaged data, as in `Dataset.read_split`.
        **options: Options of the dataset class of the format, such as `limits` and `storage_options`.

    Returns:
        A `datafusion.DataFrame`. `context.register_view(name, frame)` makes it available to SQL.

    Raises:
        ValueError: `partitions` is less than 1.
        OptionError: A source has no path.
        SchemaError: The columns of a file differ from those of the first file.
        ArrowfeedError, OSError: As in `open_dataset`. In a query, DataFusion raises its own error, whose text
            contains that of the error of arrowfeed.

    Example:
        >>> context = datafusion.SessionContext()
        >>> rows = arrowfeed.datafusion.read_dataset("part-*.avro", context=context)
        >>> context.register_view("rows", rows)
        >>> context.sql("SELECT count(*) AS count FROM rows WHERE id < 10").to_pydict()
        {'count': [10]}
    """
    most = (os.cpu_count() or 1) if partitions is None else partitions
    if most < 1:
        raise ValueError(f"partitions: expected an integer of 1 or more, found {most}")
    check_on_error(on_error)
    planned = SplitSource(source, options, UNIONS, columns=columns, where=where)
    reader = planned.reader(batch_size=_ROWS, on_error=on_error)
    planned.plan(_SPLIT_BYTES)  # Refuses a source that has no splits.

    def plan() -> list[list[Split]]:
        return balanced_groups(planned.plan(_SPLIT_BYTES), most) or [[]]

    dataset = SplitDataset(reader, batch_size=_ROWS, plan=plan)
    context = datafusion.SessionContext.global_ctx() if context is None else context
    return context.read_table(dataset)
