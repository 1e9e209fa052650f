"""Predicates from expressions of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import Predicate
    from arrowfeed.types import ArrowSchemaExportable


def predicate_of(expression: Any, schema: ArrowSchemaExportable) -> Predicate:
    """Returns the predicate that an expression of pyarrow or polars is.

    Args:
        expression: A `pyarrow.compute.Expression` or a `polars.Expr`.
        schema: The Arrow schema of the rows.

    Raises:
        ValueError: The expression has a part that predicates do not have, or does not fit the schema.
    """
    # Each module imports its library.
    if hasattr(expression, "to_substrait"):
        from arrowfeed._expressions.of_pyarrow import of_pyarrow  # noqa: PLC0415

        return of_pyarrow(expression, schema)
    from arrowfeed._expressions.of_polars import of_polars  # noqa: PLC0415

    return of_polars(expression, schema)
