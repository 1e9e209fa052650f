"""Filters that are expressions of polars."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed._expressions.of_polars import pushed
from random_expressions import random_expression
from session_seed import cases, chance, seeds
from test_filter_pyarrow import COMPARISONS, EPOCH, VALUES, random_table

COLUMNS = [name for name in VALUES if name != "large"]


def random_test(rng):
    """A condition over one column."""
    name = rng.choice([*COLUMNS, "a.b", "list"])
    if name == "list":
        return rng.choice(COMPARISONS)(pl.col("list").list.len(), rng.randrange(3))
    if name == "a.b":
        column, values = pl.col("a.b").struct.field("x"), [1, 2, 3]
    else:
        column, values = pl.col(name), [value for value in VALUES[name][1] if value == value]  # noqa: PLR0124 - no NaN
    kind = rng.randrange(9)
    if kind == 0:
        return column.is_null() if rng.random() < 0.5 else column.is_not_null()
    if kind == 1:
        return (
            column.is_in(pl.Series(rng.sample(values, 2)).implode())
            if name == "text"
            else column.is_in(["a"])
        )
    if kind == 2 and name in ("f32", "f64"):
        return column.is_nan() if rng.random() < 0.5 else column.is_not_nan()
    if kind == 3 and name == "text":
        return column.str.starts_with(rng.choice(values))
    if kind == 4 and name in ("i8", "i32", "f64", "day"):
        low, high = sorted(rng.sample(values, 2))
        return column.is_between(low, high, closed=rng.choice(["both", "left", "right", "none"]))
    if kind == 5 and name == "flag":
        return column
    return rng.choice(COMPARISONS)(column, rng.choice(values))


@pytest.mark.parametrize("seed", seeds(0, cases(30)))
def test_a_filter_keeps_the_rows_that_polars_keeps(seed, tmp_path):
    rng = chance(seed, "polars filters")
    table = random_table(rng, 40)
    pq.write_table(table, tmp_path / "rows.parquet")
    frame = pl.from_arrow(table).with_row_index("number")
    understood = 0
    for _ in range(8):
        expression = random_expression(rng, random_test)
        try:
            expected = frame.filter(expression)["number"].to_list()
            predicate = af.Predicate(expression, schema=table.schema)
        except (pl.exceptions.PolarsError, ValueError):
            continue
        understood += 1
        found = pa.table(af.read_parquet(tmp_path / "rows.parquet", where=predicate))
        assert repr(found.to_pylist()) == repr(table.take(pa.array(expected, pa.int64())).to_pylist()), str(
            expression
        )
        found = pa.table(af.read_parquet(tmp_path / "rows.parquet", columns=["i8"], where=expression))
        assert found.num_rows == len(expected)
    assert understood


SCHEMA = pa.schema(
    [
        ("a", pa.int64()),
        ("small", pa.int16()),
        ("f", pa.float32()),
        ("text", pa.string()),
        ("kind", pa.dictionary(pa.int32(), pa.string())),
        ("dec", pa.decimal128(9, 2)),
        ("ms", pa.timestamp("ms")),
        ("ns", pa.timestamp("ns", "UTC")),
        ("time", pa.time64("ns")),
        ("wait", pa.duration("us")),
        ("it's", pa.struct([("x.y", pa.int8())])),
        ("tags", pa.list_(pa.string())),
        ("flag", pa.bool_()),
    ]
)

CONVERTED = [
    (pl.col("a") > 5, "a > 5"),
    (pl.lit(5) < pl.col("a"), "a > 5"),
    (pl.col("f") > 0.5, "not (f <= 0.5)"),
    (pl.col("f") <= 0.5, "f <= 0.5"),
    (pl.col("f").is_nan(), "not (f <= inf)"),
    (pl.col("small") > 1.5, "not (small <= 1.5)"),
    (pl.col("text").is_in(["a", None]), 'text in ["a"]'),
    (pl.col("kind") == "a", 'kind == "a"'),
    (pl.col("dec") >= Decimal("1.5"), "dec >= 1.5"),
    (pl.col("ms") == EPOCH + dt.timedelta(20_000), 'ms == "2024-10-04T00:00:00.000"'),
    (pl.col("ns") < dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc), 'ns < "2026-01-02T00:00:00.000000000Z"'),
    (pl.col("time") > dt.time(1, 2, 3, 4), 'time > "01:02:03.000004000"'),
    (pl.col("wait") > dt.timedelta(seconds=1.5), 'wait > "PT1.5S"'),
    (pl.col("it's").struct.field("x.y") != 1, "['it''s']['x.y'] != 1"),
    (pl.col("tags").list.len() >= 2, "list_length(tags) >= 2"),
    (~pl.col("flag") | (pl.col("a") == 1), "not (flag == true) or a == 1"),
]


@pytest.mark.parametrize(("expression", "text"), CONVERTED)
def test_conversions(expression, text):
    """Lists the forms of polars that are understood: a version of polars with other forms fails here."""
    assert str(af.Predicate(expression, schema=SCHEMA)) == text


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (pl.col("a") + 1 > 2, "Plus"),
        (pl.col("a") > 1.5, "Cast"),
        (pl.col("kind") < "b", "categor"),
        (pl.col("text").str.contains("a"), "Contains"),
        (pl.col("a").eq_missing(1), "EqValidity"),
        (pl.col("a") > pl.col("small"), "Column"),
        (pl.col("missing") > 1, "missing"),
        (pl.col("a").cum_sum() > 3, "expected"),
        (pl.col("text") > 1, "expected"),
    ],
)
def test_polars_expressions_that_are_not_understood_are_named(expression, message):
    with pytest.raises(ValueError, match="expected") as raised:
        af.Predicate(expression, schema=SCHEMA)
    assert message in str(raised.value)


def test_the_parts_of_a_filter_that_are_understood():
    types = {"a": pl.Int64(), "text": pl.String()}
    of_a, of_text = pl.col("a") > pl.lit(1, pl.Int64), pl.col("text").str.contains("x")
    assert pushed(of_a, types) == (af.col("a") > 1, True)
    assert pushed(of_a & of_text & pl.col("text").is_null(), types) == (
        (af.col("a") > 1) & af.col("text").is_null(),
        False,
    )
    assert pushed(of_text, types) == (None, False)
    assert pushed(of_a | of_text, types) == (None, False)


def test_an_expression_of_another_version(monkeypatch):
    """A form that is unknown is left to polars."""

    class Meta:
        def serialize(self, **_):
            return '{"Compare": {"left": "a"}}'

    class Other:
        meta = Meta()

    assert pushed(Other(), {"a": pl.Int64()}) == (None, False)
    Meta.serialize = lambda self, **_: "no JSON"
    assert pushed(Other(), {"a": pl.Int64()}) == (None, False)
