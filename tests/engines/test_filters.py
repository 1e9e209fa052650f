"""Filters that engines push down: the same rows, and no second filter in the plan."""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING, Any

import probes
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from test_query_engines import DataFusion, DuckDB, Polars

import arrowfeed
from arrowfeed import col
from arrowfeed._engines.splits import SplitReader

pl = pytest.importorskip("polars")

if TYPE_CHECKING:
    from pathlib import Path

EPOCH = dt.datetime(2026, 1, 1)  # noqa: DTZ001 - local timestamps have no zone


def table(rows: int = 500) -> pa.Table:
    """Rows with nulls in each column."""
    chance = random.Random(7)

    def column(kind: pa.DataType, values: list[Any]) -> pa.Array:
        return pa.array([chance.choice([None, *values]) for _ in range(rows)], kind)

    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "n": column(pa.int32(), [-1, 0, 7, 1 << 30]),
            "x": column(pa.float64(), [-1.5, 0.0, 2.25, float("nan"), float("inf")]),
            "s": column(pa.string(), ["", "a", "ab", "b"]),
            "flag": column(pa.bool_(), [True, False]),
            "t": column(pa.timestamp("us"), [EPOCH + dt.timedelta(days) for days in (-1, 0, 1)]),
            "u": pa.array([None if n % 5 == 0 else {"age": n % 9} for n in range(rows)]),
        }
    )


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filters") / "rows.avro"
    arrowfeed.write_avro(table(), path)
    return path


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The predicates that readers of splits get."""
    found: list[str] = []
    filtered = SplitReader.filtered

    def recorded(reader: SplitReader, predicate: Any) -> SplitReader:
        found.append(str(predicate))
        return filtered(reader, predicate)

    monkeypatch.setattr(SplitReader, "filtered", recorded)
    return found


EXACT = {
    "n > 0": {"n > 0"},
    "n <> 7": {"n != 7"},
    "n is null": {"n is null"},
    "s = 'ab'": {'s == "ab"'},
    "n >= 0 and s < 'b'": {'n >= 0 and s < "b"', 's < "b" and n >= 0'},
    "t >= timestamp '2026-01-01'": {
        't >= "2026-01-01T00:00:00"',
        't >= "2026-01-01T00:00:00.000000"',
    },
}
"""Filters that all three engines push down as a whole, and their predicates."""

OTHERS = [
    "x > 0",
    "x <= 2.25",
    "not flag",
    "u.age > 3",
    "n in (0, 7, 9)",
    "n not in (0, 7, 9, 11)",
    "n = 7 or s = 'a'",
]
OTHERS += ["n % 2 = 0", "s like '%b'", "n > 0 and s like '%b'", "length(s) = 1 and n is not null"]
"""Filters that some engines push down, in parts or as a whole."""


def expected(engine: Any, condition: str) -> list[int]:
    """The rows of a query over a table in memory."""
    rows = table()
    query = f"SELECT id FROM rows WHERE {condition} ORDER BY id"
    if engine is DuckDB:
        import duckdb  # noqa: PLC0415

        found = duckdb.connect().sql(query).to_arrow_table()
        return found["id"].to_pylist()
    if engine is DataFusion:
        import datafusion  # noqa: PLC0415

        context = datafusion.SessionContext()
        context.register_record_batches("rows", [rows.to_batches()])
        return [row["id"] for row in context.sql(query).to_pylist()]
    return pl.SQLContext(rows=pl.from_arrow(rows)).execute(query).collect()["id"].to_list()


def plan(found: Any, query: str) -> str:
    if isinstance(found, Polars):
        return pl.SQLContext(people=found.rows).execute(query).explain()
    rows = found.sql(f"EXPLAIN {query}")
    return "\n".join(str(value) for row in rows for value in row.values())


def has_filter(found: Any, query: str) -> bool:
    """Whether the engine filters after the scan."""
    text = plan(found, query)
    assert "scan" in text.lower(), text
    words = {DuckDB: "─ Filter ─", DataFusion: "FilterExec", Polars: "FILTER"}
    return words[type(found)] in text


@pytest.fixture(params=[DuckDB, DataFusion, Polars], ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("condition", EXACT)
def test_a_filter_is_pushed_down_as_a_whole(
    engine: Any, stored: Path, pushed: list[str], condition: str
) -> None:
    found = engine(stored)
    query = f"SELECT id FROM people WHERE {condition}"
    assert sorted(row["id"] for row in found.sql(query)) == expected(engine, condition)
    assert pushed
    assert {text.replace("['", "").replace("']", "") for text in pushed} <= EXACT[condition]
    assert not has_filter(found, query)


@pytest.mark.parametrize("condition", OTHERS)
def test_what_is_not_pushed_down_is_left_to_the_engine(engine: Any, stored: Path, condition: str) -> None:
    found = engine(stored)
    query = f"SELECT id FROM people WHERE {condition} ORDER BY id"
    rows = [row["id"] for row in found.sql(query)]
    # pyarrow, which evaluates pushed filters of DataFusion, compares NaN by IEEE 754.
    if engine is DataFusion and "x" in condition:
        assert (
            rows
            == table()
            .filter(pc.field("x") > 0 if ">" in condition else pc.field("x") <= 2.25)["id"]
            .to_pylist()
        )
    else:
        assert rows == expected(engine, condition)


def test_a_part_of_a_filter_is_pushed_down(engine: Any, stored: Path, pushed: list[str]) -> None:
    found = engine(stored)
    query = "SELECT id FROM people WHERE n > 0 AND s LIKE '%b'"
    assert sorted(row["id"] for row in found.sql(query)) == expected(engine, "n > 0 and s like '%b'")
    assert set(pushed) == {"n > 0"}


def test_a_filter_decodes_no_column_that_a_query_does_not_return(
    engine: Any, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = engine(stored)
    decoded = probes.Decoded(monkeypatch)
    found.sql("SELECT id FROM people WHERE s = 'ab'")
    assert decoded.rows == len(expected(engine, "s = 'ab'"))


@pytest.mark.parametrize("where", ["n > 0", col("n") > 0, pc.field("n") > 0, pl.col("n") > 0])
def test_a_query_filters_the_rows_of_a_source(engine: Any, stored: Path, where: Any) -> None:
    found = engine(stored, where=where, columns=["id", "s"])
    rows = [row["id"] for row in found.sql("SELECT id FROM people WHERE s = 'ab' ORDER BY id")]
    assert rows == expected(engine, "n > 0 and s = 'ab'")
    [counted] = found.sql("SELECT count(*) AS n FROM people")
    assert counted == {"n": len(expected(engine, "n > 0"))}
    with pytest.raises(arrowfeed.OptionError, match="nothing"):
        engine(stored, where="nothing > 0")


@pytest.mark.parametrize("scan", [arrowfeed.scan_avro, arrowfeed.scan_dataset])
def test_scans_of_polars(stored: Path, scan: Any) -> None:
    rows = pl.from_arrow(table())
    found = scan(stored, where="n > 0")
    for condition in (
        pl.col("x") > 0,
        (pl.col("s") == "ab") & pl.col("x").is_nan(),
        pl.col("t") > EPOCH,
        pl.col("s").str.ends_with("b") & (pl.col("id") < 300),
    ):
        expected = rows.filter(pl.col("n") > 0).filter(condition)
        assert found.filter(condition).collect().equals(expected)
        assert found.filter(condition).head(3).collect().equals(expected.head(3))
        assert found.filter(condition).select("id").collect().equals(expected.select("id"))
        head = rows.filter(pl.col("n") > 0).head(20).filter(condition)
        assert found.head(20).filter(condition).collect().equals(head)
        assert "FILTER" not in found.filter(condition).explain()
    with pytest.raises(arrowfeed.ArrowfeedError, match="nothing"):
        scan(stored, where="nothing > 0")
