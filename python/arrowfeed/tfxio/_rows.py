"""Batches of one size across the ends of epochs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._handoff import framework

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def batches_of_size(batches: Iterable[Any], rows: int, *, drop_last: bool) -> Iterator[Any]:
    """The same rows in batches of a size; the last one may have fewer.

    Args:
        batches: Of pyarrow, none of them larger.
        rows: Of each batch.
        drop_last: Leaves out a last one that has fewer.
    """
    waiting: list[Any] = []
    count = 0
    for batch in batches:
        lacking = rows - count
        waiting.append(batch.slice(0, lacking))
        count += batch.num_rows
        if count >= rows:
            yield _joined(waiting)
            waiting, count = [batch.slice(lacking)], count - rows
    if count and not drop_last:
        yield _joined(waiting)


def _joined(batches: list[Any]) -> Any:
    """One batch of all rows; a single one as it is."""
    filled = [batch for batch in batches if batch.num_rows]
    if len(filled) == 1:
        return filled[0]
    table: Any = framework("pyarrow").Table.from_batches(filled)
    return table.combine_chunks().to_batches()[0]
