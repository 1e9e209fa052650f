"""Predicates, which filter rows."""

from collections.abc import Iterable
from typing import final

from arrowfeed.types import ArrowSchemaExportable, PredicateLike, PredicateValue

@final
class Predicate:
    """A condition that a row passes if it is true, such as `arrowfeed.col("age") >= 18`.

    Comparisons of columns make predicates; `&`, `|` and `~` join them. Python's `and`, `or`, `not` and `in`
    raise an error, and comparisons need parentheses: `(col("a") > 1) & (col("b") < 2)`. Predicates are
    equal if they have the same text. `str` gives the text, which `Predicate(text)` reads.

    A comparison with null is null, `&`, `|` and `~` have three values as in SQL, and a row passes if the
    result is true. NaN differs from each number and from itself. The page "Filters" has the rules for each
    type and the grammar of texts.

    Args:
        text: A text such as `age >= 18 and label is not null`. Also a predicate, a column of booleans, or an
            expression of pyarrow or polars.
        schema: The Arrow schema of the rows, which an expression needs.

    Raises:
        ValueError: The text does not have the grammar, and the message names the position. An expression has
            a part that predicates do not have, or does not fit the schema.
        TypeError: An argument has the wrong type, or `text` is an expression and there is no schema.

    Example:
        >>> predicate = arrowfeed.Predicate("age >= 18 and label is not null")
        >>> predicate == (arrowfeed.col("age") >= 18) & arrowfeed.col("label").is_not_null()
        True
    """

    def __new__(cls, text: PredicateLike, *, schema: ArrowSchemaExportable | None = None) -> Predicate: ...
    def __and__(self, other: Predicate | Column) -> Predicate: ...
    def __rand__(self, other: Predicate | Column) -> Predicate: ...
    def __or__(self, other: Predicate | Column) -> Predicate: ...
    def __ror__(self, other: Predicate | Column) -> Predicate: ...
    def __invert__(self) -> Predicate: ...

@final
class Column:
    """A column in a predicate, as `arrowfeed.col` makes it.

    `== != < <= > >=` compare it with a value, and make a `Predicate`. A column of booleans is a predicate
    where one is expected.
    """

    __hash__: None  # type: ignore[assignment]

    def __eq__(self, value: PredicateValue) -> Predicate: ...  # type: ignore[override]
    def __ne__(self, value: PredicateValue) -> Predicate: ...  # type: ignore[override]
    def __lt__(self, value: PredicateValue) -> Predicate: ...
    def __le__(self, value: PredicateValue) -> Predicate: ...
    def __gt__(self, value: PredicateValue) -> Predicate: ...
    def __ge__(self, value: PredicateValue) -> Predicate: ...
    def __and__(self, other: Predicate | Column) -> Predicate: ...
    def __rand__(self, other: Predicate | Column) -> Predicate: ...
    def __or__(self, other: Predicate | Column) -> Predicate: ...
    def __ror__(self, other: Predicate | Column) -> Predicate: ...
    def __invert__(self) -> Predicate: ...
    def is_null(self) -> Predicate:
        """Whether the value is null. An empty list is not null."""

    def is_not_null(self) -> Predicate:
        """Whether the value is not null."""

    def is_in(self, values: Iterable[PredicateValue]) -> Predicate:
        """Whether the value equals one of `values`. Null for a null.

        Args:
            values: The values, of types that can be compared with the column.

        Raises:
            TypeError: `values` is not iterable, or a value has the wrong type, such as None.

        Example:
            >>> arrowfeed.col("country").is_in(["de", "fr"])
            arrowfeed.Predicate('country in ["de", "fr"]')
        """

    def starts_with(self, prefix: str) -> Predicate:
        """Whether the text of a column of strings begins with `prefix`.

        Raises:
            TypeError: `prefix` is not a str.
        """

    def list_length(self) -> Column:
        """The number of values of the list, which can be compared.

        Example:
            >>> arrowfeed.col("tags").list_length() >= 2
            arrowfeed.Predicate('list_length(tags) >= 2')
        """

def col(path: str) -> Column:
    """Names a column for a predicate.

    Args:
        path: The field path of the column: `a.b` is the field `b` of the struct `a`, and `['a.b']` is a
            column whose name has a dot.

    Returns:
        The column. Operators and methods make predicates of it.

    Raises:
        TypeError: `path` is not a str.

    Example:
        >>> import arrowfeed as af
        >>> adults = (af.col("user.age") >= 18) & af.col("label").is_not_null()
        >>> reader = af.read_avro("users.avro", columns=["id"], where=adults)
    """

def predicate_from_substrait(message: bytes, schema: ArrowSchemaExportable, in_of_sql: bool) -> Predicate:
    """Reads a condition from the bytes of an `ExtendedExpression` of Substrait.

    Args:
        message: The bytes.
        schema: The Arrow schema of the rows, by whose numbers the expression names its columns.
        in_of_sql: Whether a list of options is null for a null, as in SQL, and not false, as in pyarrow.

    Raises:
        ValueError: The bytes are not such a message, or the expression has a part that predicates do not
            have.
    """
