"""Predicates from the row filters of pyiceberg, by its public visitor of expressions."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import col
from arrowfeed._iceberg.scan import step
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arrowfeed._arrowfeed import Column, Predicate

_DAY = dt.date(1970, 1, 1)
_INSTANT = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a timestamp without a zone


def predicate(scan: Any, schema: Any) -> Predicate | bool:
    """Returns the predicate that the row filter of a scan is. True: all rows pass; False: none.

    The rows that pass are those of `scan.to_arrow()`: a comparison with null is null, but `in` is false for
    null.

    Args:
        scan: The scan. Its filter has the names of the current schema of the table.
        schema: The schema with which the scan is read.

    Raises:
        ValueError: The filter has a column that the schema does not have.
        NotImplementedError: The filter compares values that predicates cannot compare.
    """
    visitors: Any = needed("pyiceberg.expressions.visitors", "to read a scan of it")
    paths = dict(_paths(schema.fields, ""))
    current = scan.table_metadata.schema()
    bound = visitors.bind(current, scan.row_filter, case_sensitive=scan.case_sensitive)
    visitor = type("Visitor", (_Visitor, visitors.BoundBooleanExpressionVisitor), {})
    return visitors.visit(bound, visitor(paths))


def _paths(fields: Iterable[Any], path: str) -> Iterable[tuple[int, str]]:
    """The field path of each field, by its identifier. Fields in lists and maps cannot be compared."""
    types: Any = needed("pyiceberg.types", "to read a scan of it")
    for field in fields:
        here = step(path, field.name)
        yield field.field_id, here
        if isinstance(field.field_type, types.StructType):
            yield from _paths(field.field_type.fields, here)


class _Visitor:
    """The methods of the visitor. At run time, the visitor has this class and that of pyiceberg as bases."""

    def __init__(self, paths: dict[int, str]) -> None:
        self._paths = paths

    def _column(self, term: Any) -> Column:
        field = term.ref().field
        if field.field_id not in self._paths:
            raise ValueError(f"expected a filter of columns of the schema that is read, found {field.name}")
        return col(self._paths[field.field_id])

    def visit_in(self, term: Any, literals: Any) -> Any:
        return self.visit_not_null(term) & self._column(term).is_in(_literals(literals, term))

    def visit_not_in(self, term: Any, literals: Any) -> Any:
        return self.visit_is_null(term) | ~self._column(term).is_in(_literals(literals, term))

    def visit_is_nan(self, term: Any) -> Any:
        # Every other number is in the order.
        return ~(self._column(term) <= float("inf"))

    def visit_not_nan(self, term: Any) -> Any:
        return self._column(term) <= float("inf")

    def visit_is_null(self, term: Any) -> Any:
        return self._column(term).is_null()

    def visit_not_null(self, term: Any) -> Any:
        return self._column(term).is_not_null()

    def visit_equal(self, term: Any, literal: Any) -> Any:
        return self._column(term) == _literal(literal.value, term.ref().field.field_type)

    def visit_not_equal(self, term: Any, literal: Any) -> Any:
        return self._column(term) != _literal(literal.value, term.ref().field.field_type)

    def visit_greater_than_or_equal(self, term: Any, literal: Any) -> Any:
        return self._column(term) >= _literal(literal.value, term.ref().field.field_type)

    def visit_greater_than(self, term: Any, literal: Any) -> Any:
        return self._column(term) > _literal(literal.value, term.ref().field.field_type)

    def visit_less_than(self, term: Any, literal: Any) -> Any:
        return self._column(term) < _literal(literal.value, term.ref().field.field_type)

    def visit_less_than_or_equal(self, term: Any, literal: Any) -> Any:
        return self._column(term) <= _literal(literal.value, term.ref().field.field_type)

    def visit_starts_with(self, term: Any, literal: Any) -> Any:
        return self._column(term).starts_with(literal.value)

    def visit_not_starts_with(self, term: Any, literal: Any) -> Any:
        return ~self._column(term).starts_with(literal.value)

    def visit_true(self) -> Any:
        return True

    def visit_false(self) -> Any:
        return False

    def visit_not(self, child_result: Any) -> Any:
        return not child_result if isinstance(child_result, bool) else ~child_result

    def visit_and(self, left_result: Any, right_result: Any) -> Any:
        if isinstance(left_result, bool):
            return right_result if left_result else False
        if isinstance(right_result, bool):
            return left_result if right_result else False
        return left_result & right_result

    def visit_or(self, left_result: Any, right_result: Any) -> Any:
        if isinstance(left_result, bool):
            return True if left_result else right_result
        if isinstance(right_result, bool):
            return True if right_result else left_result
        return left_result | right_result


def _literals(literals: Any, term: Any) -> list[Any]:
    """The values of a set of literals, which are plain values."""
    values = [getattr(literal, "value", literal) for literal in literals]
    return [_literal(value, term.ref().field.field_type) for value in values]


def _literal(value: Any, data_type: Any) -> Any:
    """A value in pyiceberg's form as a Python value of its type: a date is a number of days there."""
    types: Any = needed("pyiceberg.types", "to read a scan of it")
    if isinstance(data_type, types.DateType) and isinstance(value, int):
        return _DAY + dt.timedelta(days=value)
    if isinstance(value, int) and isinstance(data_type, types.TimestampType | types.TimestamptzType):
        instant = _INSTANT + dt.timedelta(microseconds=value)
        has_zone = isinstance(data_type, types.TimestamptzType)
        return instant.replace(tzinfo=dt.timezone.utc) if has_zone else instant
    if isinstance(value, int) and isinstance(data_type, types.TimeType):
        return (_INSTANT + dt.timedelta(microseconds=value)).time()
    if isinstance(value, uuid.UUID):
        return value.bytes
    if isinstance(data_type, types.TimestampNanoType | types.TimestamptzNanoType):
        raise NotImplementedError(f"expected no filter of nanoseconds, found one with {value}")
    return value
