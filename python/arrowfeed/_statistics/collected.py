"""The statistics of the columns of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrowfeed._rendering import parts
from arrowfeed._statistics.field_stats import FieldStats, column_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arrowfeed.types import ArrowArrayExportable, ArrowSchemaExportable


def columns_of(
    schema: ArrowSchemaExportable, batches: Iterable[ArrowArrayExportable], *, histograms: bool
) -> list[FieldStats]:
    """Reads all batches, and returns the statistics of their columns.

    Args:
        schema: The schema of the batches.
        batches: Each is dropped before the next one is requested.
        histograms: Whether to count numbers for plots.
    """
    columns = [
        FieldStats(column_path(field.name), parts.shown_type(field.type), histograms=histograms)
        for field in parts.arrow().schema(schema)
    ]
    for batch in batches:
        for stats, column in zip(columns, parts.record_batch(batch).columns, strict=True):
            stats.add(column)
    return columns
