"""Predicates from expressions of pyarrow, by their Substrait form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import predicate_from_substrait
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import Predicate
    from arrowfeed.types import ArrowSchemaExportable

pa: Any = needed("pyarrow", "for its expressions")
pc: Any = needed("pyarrow.compute", "for its expressions")

_MOST_LEVELS = 14
"""Levels of the deepest expression. The Substrait form of pyarrow doubles in size with each level."""

_OTHER_NULLS = re.compile(r"null_matching_behavior=(?!MATCH)")
"""An option of `is_in` in the text of an expression."""


def of_pyarrow(expression: Any, schema: ArrowSchemaExportable, *, in_of_sql: bool = False) -> Predicate:
    """Returns the predicate that a `pyarrow.compute.Expression` is.

    Args:
        expression: The expression.
        schema: The Arrow schema of the rows.
        in_of_sql: Whether `isin` is null for a null, as `in` of SQL, and not false, as in pyarrow.

    Raises:
        ValueError: The expression has a part that predicates do not have, or does not fit the schema.
    """
    text = str(expression)
    if _OTHER_NULLS.search(text):
        # The Substrait form does not have this option.
        raise ValueError("expected is_in that finds nulls in its values, found an option for nulls")
    levels = _levels(text)
    if levels > _MOST_LEVELS:
        message = f"expected an expression of at most {_MOST_LEVELS} levels, found {levels}"
        raise ValueError(f"{message}: use arrowfeed.col, or join the predicates of its parts with &")
    error = None
    for typed in _schemas(pa.schema(schema)):
        substrait, error = _substrait(expression, typed)
        if substrait is not None:
            return predicate_from_substrait(substrait, schema, in_of_sql)
    reason = str(error).partition("\n")[0].strip("'\"")
    expected = "expected an expression that pyarrow can write as Substrait"
    more = "predicates of arrowfeed.col have more operations"
    raise ValueError(f"{expected}, found: {reason}: {more}") from error


def _substrait(expression: Any, schema: Any) -> tuple[bytes | None, Exception | None]:
    """Returns the Substrait form of an expression, or the reason why pyarrow cannot write it."""
    try:
        return bytes(expression.to_substrait(schema, allow_arrow_extensions=True)), None
    except (pa.ArrowException, KeyError, NotImplementedError) as error:
        return None, error


def _levels(text: str) -> int:
    """Returns the depth of the parentheses of an expression as text, which has no documented form."""
    deepest = depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


def _schemas(schema: Any) -> Iterator[Any]:
    """Yields schemas of columns with the same names, the most exact one first.

    pyarrow casts columns to the types of literals, and cannot write these casts as Substrait. A predicate
    needs no cast, because it compares numbers of any type. So other types of the columns, to which the
    literals are cast, give the same predicate.
    """
    yield schema
    number = pa.int64()
    true = pc.scalar(True)  # noqa: FBT003 - a value
    fields = [
        field
        if _substrait(true, pa.schema([field]))[1] is None
        else pa.field(field.name, _typed(field.type, number, items=False))
        for field in schema
    ]
    yield pa.schema(fields)
    for items in (False, True):
        for number in (pa.int64(), pa.float64()):
            fields = [pa.field(field.name, _typed(field.type, number, items=items)) for field in schema]
            yield pa.schema(fields)


def _typed(arrow: Any, number: Any, *, items: bool) -> Any:
    """Returns the type that a column is taken for.

    Args:
        arrow: The type of the column.
        number: The type of numbers: `int64`, or `float64` for comparisons with floats.
        items: Whether a list is taken for its one value.
    """
    types = pa.types
    if types.is_struct(arrow):
        return pa.struct([(field.name, _typed(field.type, number, items=items)) for field in arrow])
    if types.is_map(arrow):
        parts = (_typed(part, number, items=items) for part in (arrow.key_type, arrow.item_type))
        return pa.map_(*parts)
    if isinstance(arrow, pa.BaseExtensionType):
        return _typed(arrow.storage_type, number, items=items)
    if types.is_dictionary(arrow) or types.is_run_end_encoded(arrow):
        return _typed(arrow.value_type, number, items=items)
    if types.is_nested(arrow) and not types.is_union(arrow):
        item = _typed(arrow.value_type, number, items=items)
        return item if items else pa.list_(item)
    return _typed_scalar(arrow, number)


def _typed_scalar(arrow: Any, number: Any) -> Any:
    """Returns the type that a column without children is taken for."""
    types = pa.types
    if types.is_timestamp(arrow):
        return pa.timestamp("us", None if arrow.tz is None else "UTC")
    if types.is_decimal(arrow):
        return pa.decimal128(37, 18) if number == pa.int64() else number
    kinds = (
        (types.is_integer, number),
        (types.is_null, number),
        (types.is_floating, pa.float64()),
        (types.is_date, pa.date32()),
        (types.is_time, pa.time64("us")),
        (types.is_string, pa.string()),
        (types.is_large_string, pa.string()),
        (types.is_string_view, pa.string()),
        (types.is_binary, pa.binary()),
        (types.is_large_binary, pa.binary()),
        (types.is_binary_view, pa.binary()),
        (types.is_fixed_size_binary, pa.binary()),
    )
    # Substrait has no form of other types.
    return next((taken for is_kind, taken in kinds if is_kind(arrow)), pa.bool_())
