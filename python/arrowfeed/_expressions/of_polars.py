"""Predicates from expressions of polars.

polars passes a filter to a scan with the types of the columns: each literal has the type of its column. The
JSON form of an expression is public, but each version of polars may change it. So a part that does not have
the form of the tested versions is not understood, and polars filters.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import math
import operator
import re
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import col, polars_schema
from arrowfeed._engines.splits import quoted
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from arrowfeed._arrowfeed import Column, Predicate
    from arrowfeed.types import ArrowSchemaExportable

pl: Any = needed("polars", "for its expressions")
_plugins: Any = needed("polars.io.plugins", "for expressions of polars")

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtEq": operator.le,
    "Gt": operator.gt,
    "GtEq": operator.ge,
}

_MIRRORED = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq"}
"""The comparisons with exchanged sides."""

_JOINS: dict[str, Callable[[Predicate, Predicate], Predicate]] = {
    "And": lambda left, right: left & right,
    "LogicalAnd": lambda left, right: left & right,
    "Or": lambda left, right: left | right,
    "LogicalOr": lambda left, right: left | right,
}

_TESTS: dict[str, Callable[[Column], Predicate]] = {
    "IsNull": lambda column: column.is_null(),
    "IsNotNull": lambda column: column.is_not_null(),
    "IsNan": lambda column: ~(column <= float("inf")),
    "IsNotNan": lambda column: column <= float("inf"),
}

_BOUNDS = {"Both": ("GtEq", "LtEq"), "Left": ("GtEq", "Lt"), "Right": ("Gt", "LtEq"), "None": ("Gt", "Lt")}
"""The comparisons of `is_between`."""

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - the text gets its zone later

_MOST_CHARACTERS = 200
"""Length of the longest part of an expression in a message."""

_DIGITS = {"ms": 3, "us": 6, "ns": 9}
"""The decimal digits of a second in the units of time."""

_WORD = re.compile(r"[A-Za-z_]\w*")


class _NotUnderstoodError(Exception):
    """A part of an expression is no part of predicates."""


def of_polars(expression: Any, schema: ArrowSchemaExportable) -> Predicate:
    """Returns the predicate that a `polars.Expr` is.

    Args:
        expression: The expression.
        schema: The Arrow schema of the rows.

    Raises:
        ValueError: The expression has a part that predicates do not have, or does not fit the schema.
    """
    types = {name: kind for name, kind in polars_schema(schema).items() if kind is not None}
    found: list[Any] = []

    def frames(columns: list[str] | None, predicate: Any, *_: Any) -> Iterator[Any]:
        found.append(predicate)
        frame = pl.DataFrame(schema=types)
        yield frame if columns is None else frame.select(columns)

    rows = _plugins.register_io_source(frames, schema=pl.Schema(types), is_pure=True)
    try:
        rows.filter(expression).collect()
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"expected an expression over columns of the schema, found: {reason}") from error
    if len(found) != 1 or found[0] is None:
        raise ValueError("expected an expression over the values of one row, found another expression")
    try:
        return _condition(_json(found[0]), types)
    except _NotUnderstoodError as error:
        expected = (
            "expected comparisons of columns with values, is_in, is_null, is_nan, starts_with, &, | and ~"
        )
        raise ValueError(f"{expected}, found {error}") from None


def pushed(filter: Any, types: Mapping[str, Any]) -> tuple[Predicate | None, bool]:  # noqa: A002
    """Converts the parts of a filter of a scan that predicates have.

    Args:
        filter: The `polars.Expr` that polars passes to a scan.
        types: The `polars.DataType` of each column.

    Returns:
        A predicate that all rows pass which pass the filter, and whether it is the whole filter. None: no
        part is understood.
    """
    predicate, is_whole = None, True
    try:
        parts = list(_conjuncts(_json(filter)))
    except _NotUnderstoodError:
        return None, False
    for part in parts:
        condition = _understood(part, types)
        if condition is None:
            is_whole = False
        else:
            predicate = condition if predicate is None else predicate & condition
    return predicate, is_whole


def _understood(node: Any, types: Mapping[str, Any]) -> Predicate | None:
    try:
        return _condition(node, types)
    except _NotUnderstoodError:
        return None


def _json(expression: Any) -> Any:
    try:
        return json.loads(expression.meta.serialize(format="json"))
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise _NotUnderstoodError(str(error)) from error


def _conjuncts(node: Any) -> Iterator[Any]:
    """Yields the parts of a conjunction."""
    match node:
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield node


def _condition(node: Any, types: Mapping[str, Any]) -> Predicate:
    match node:
        case {"BinaryExpr": {"left": left, "op": str(name), "right": right}} if name in _JOINS:
            return _JOINS[name](_condition(left, types), _condition(right, types))
        case {"BinaryExpr": {"left": {"Literal": _} as left, "op": str(name), "right": right}} if (
            name in _MIRRORED
        ):
            return _comparison(right, _MIRRORED[name], left, types)
        case {"BinaryExpr": {"left": left, "op": str(name), "right": {"Literal": _} as right}} if (
            name in _MIRRORED
        ):
            return _comparison(left, name, right, types)
        case {"Function": {"input": inputs, "function": {"Boolean": function}}}:
            return _test(function, inputs, types)
        case {"Function": {"input": [value, prefix], "function": {"StringExpr": "StartsWith"}}}:
            operand, _ = _operand(value, types)
            return operand.starts_with(_literals(prefix, pl.String, is_list=False)[0])
        case {"Column": _} | {"Function": {"function": {"StructExpr": _}}}:
            operand, kind = _operand(node, types)
            if kind == pl.Boolean:
                return operand == True  # noqa: E712 - builds a predicate
        case _:
            pass
    raise _NotUnderstoodError(_described(node))


def _test(function: Any, inputs: list[Any], types: Mapping[str, Any]) -> Predicate:
    """Converts a function with a boolean result."""
    match function, inputs:
        case "Not", [inner]:
            return ~_condition(inner, types)
        case str(name), [value] if name in _TESTS:
            return _TESTS[name](_operand(value, types)[0])
        case {"IsIn": {"nulls_equal": False}}, [value, {"Literal": _} as values]:
            operand, kind = _operand(value, types)
            found = _literals(values, kind, is_list=True)
            condition = operand.is_in([value for value in found if not _is_nan(value)])
            return condition | _TESTS["IsNan"](operand) if any(map(_is_nan, found)) else condition
        case {"IsBetween": {"closed": str(closed)}}, [value, low, high] if closed in _BOUNDS:
            first, last = _BOUNDS[closed]
            return _comparison(value, first, low, types) & _comparison(value, last, high, types)
        case _:
            pass
    raise _NotUnderstoodError(f"the function {_described(function)}")


def _comparison(value: Any, name: str, literal: Any, types: Mapping[str, Any]) -> Predicate:
    operand, kind = _operand(value, types)
    if isinstance(kind, (pl.Categorical, pl.Enum)) and name not in ("Eq", "NotEq"):
        raise _NotUnderstoodError("the order of categories")
    right = _literals(literal, kind, is_list=False)[0]
    # NaN is equal to itself and greater than all other values in polars. A literal is never NaN here.
    if kind.is_float() and name in ("Gt", "GtEq"):
        return ~_COMPARISONS["LtEq" if name == "Gt" else "Lt"](operand, right)
    return _COMPARISONS[name](operand, right)


def _operand(node: Any, types: Mapping[str, Any]) -> tuple[Column, Any]:
    """Returns a column, a field of a struct or the length of a list, and the type of its literals."""
    match node:
        case {"Function": {"input": [inner], "function": {"ListExpr": "Length"}}}:
            names, kind = _field(inner, types)
            if isinstance(kind, pl.List):
                return col(_path(names)).list_length(), pl.UInt32()
        # The values of these types are floats.
        case {"Cast": {"expr": inner, "dtype": {"Literal": "Float64"}}}:
            names, kind = _field(inner, types)
            if kind in (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32, pl.Float32):
                return col(_path(names)), pl.Float64()
        case _:
            names, kind = _field(node, types)
            return col(_path(names)), kind
    raise _NotUnderstoodError(_described(node))


def _field(node: Any, types: Mapping[str, Any]) -> tuple[list[str], Any]:
    """Returns the names on the path to a column or a field of a struct, and its type."""
    match node:
        case {"Column": str(name)} if types.get(name) is not None:
            return [name], types[name]
        case {"Function": {"input": [inner], "function": {"StructExpr": {"FieldByName": str(name)}}}}:
            names, kind = _field(inner, types)
            if isinstance(kind, pl.Struct):
                for field in kind.fields:
                    if field.name == name:
                        return [*names, name], field.dtype
        case _:
            pass
    raise _NotUnderstoodError(_described(node))


def _literals(node: Any, kind: Any, *, is_list: bool) -> list[Any]:
    """Returns the value of a literal, or those of a list of literals without nulls, which equal no value.

    Args:
        node: The literal.
        kind: The type that its values must have.
        is_list: Whether the literal is a list.
    """
    try:
        series = pl.select(pl.Expr.deserialize(io.StringIO(json.dumps(node)), format="json")).to_series()
        if is_list and isinstance(series.dtype, pl.List) and len(series) == 1:
            series = series[0]
        if is_list:
            series = series.drop_nulls()
    except (pl.exceptions.PolarsError, AttributeError, TypeError, ValueError) as error:
        raise _NotUnderstoodError("a literal of another form") from error
    is_text = isinstance(kind, (pl.Categorical, pl.Enum)) and series.dtype == pl.String
    is_decimal = isinstance(kind, pl.Decimal) and isinstance(series.dtype, pl.Decimal)
    if not (series.dtype == kind or is_text or is_decimal) or series.null_count():
        raise _NotUnderstoodError(f"a comparison of {kind} with {series.dtype}")
    if not is_list and len(series) != 1:
        raise _NotUnderstoodError(f"{len(series)} values")
    return _values(series)


def _values(series: Any) -> list[Any]:
    """Returns values that predicates take. Timestamps and times are texts, which have nanoseconds."""
    kind = series.dtype
    if isinstance(kind, pl.Datetime):
        digits, zone = _DIGITS[kind.time_unit], "" if kind.time_zone is None else "Z"
        return [_timestamp(value, digits) + zone for value in series.to_physical()]
    if kind == pl.Time:
        return [_timestamp(value, 9).partition("T")[2] for value in series.to_physical()]
    if isinstance(kind, pl.Duration) and kind.time_unit == "ns" and (series.to_physical() % 1000).any():
        raise _NotUnderstoodError("a duration with nanoseconds")
    if kind in (pl.List, pl.Array, pl.Struct, pl.Object, pl.Null):
        raise _NotUnderstoodError(f"values of {kind}")
    return series.to_list()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _timestamp(value: int, digits: int) -> str:
    """Returns a number of units since 1970 as ISO 8601."""
    seconds, fraction = divmod(value, 10**digits)
    try:
        whole = _EPOCH + dt.timedelta(seconds=seconds)
    except OverflowError:
        raise _NotUnderstoodError("a timestamp outside of the years 1 to 9999") from None
    return f"{whole.isoformat()}.{fraction:0{digits}}"


def _path(names: list[str]) -> str:
    """Returns the field path of names."""
    steps = [name if _WORD.fullmatch(name) else quoted(name) for name in names]
    return ".".join(steps).replace(".['", "['")


def _described(node: Any) -> str:
    """Returns the start of the JSON of a part."""
    text = json.dumps(node)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
