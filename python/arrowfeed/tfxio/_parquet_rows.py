"""Rows of Parquet files as pickles of dicts, which are the raw records of tfx_bsl."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import read_parquet
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arrowfeed._arrowfeed import Limits, RecordBatch


def pickled_rows(batch: RecordBatch) -> list[bytes]:
    """Returns each row as the pickle of a dict of its values by the names of the columns."""
    return [pickle.dumps(row) for row in batch.to_pyarrow().to_pylist()]


def batches_of_rows(schema: Any, rows: Sequence[bytes]) -> Iterator[Any]:
    """Converts pickled rows to pyarrow record batches of the types of the files.

    Args:
        schema: The pyarrow schema of the files.
        rows: The results of `pickled_rows`.
    """
    yield framework("pyarrow").RecordBatch.from_pylist(_unpickled(rows), schema=schema)


def converted_rows(schema: Any, limits: Limits | None, rows: Sequence[bytes]) -> Iterator[Any]:
    """Converts pickled rows to pyarrow record batches of other types, by the rules for Parquet files.

    Args:
        schema: The pyarrow schema of the batches.
        limits: Limits of a batch. None: `arrowfeed.Limits()`.
        rows: The results of `pickled_rows`.

    Raises:
        ConversionError: A value does not fit its column.
    """
    file = io.BytesIO()
    framework("pyarrow.parquet").write_table(framework("pyarrow").Table.from_pylist(_unpickled(rows)), file)
    reader = read_parquet(
        file.getvalue(),
        schema=schema,
        double_as_float=True,
        batch_size=len(rows),
        threads=1,
        limits=limits,
    )
    yield from (batch.to_pyarrow() for batch in reader)


def _unpickled(rows: Sequence[bytes]) -> list[dict[str, Any]]:
    # Programs for tfx_bsl expect pickles, and their own pipeline made them.
    return [pickle.loads(row) for row in rows]  # noqa: S301
