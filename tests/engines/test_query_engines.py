"""DuckDB, DataFusion and polars on one machine: rows, projection, filters and limits."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import fastavro
import probes
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest
import rows

import arrowfeed
from arrowfeed._engines.arrow_dataset import SplitDataset, _filter_columns
from arrowfeed._engines.splits import SplitSource

datafusion = pytest.importorskip("datafusion")
duckdb = pytest.importorskip("duckdb")
pl = pytest.importorskip("polars")

import arrowfeed.datafusion  # noqa: E402
import arrowfeed.duckdb  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMATS = ["avro", "parquet", "csv", "jsonl", "tfrecord"]


class DuckDB:
    """Runs SQL on files with DuckDB."""

    name = "duckdb"

    def __init__(self, source: Any, **options: Any) -> None:
        self.connection = duckdb.connect()
        self.rows = arrowfeed.duckdb.read_dataset(source, connection=self.connection, **options)

    def batches(self) -> Iterator[pa.RecordBatch]:
        yield from self.rows.to_arrow_reader(100_000)

    def sql(self, query: str) -> list[dict[str, Any]]:
        people = self.rows  # noqa: F841 - DuckDB finds the variable
        return self.connection.sql(query).to_arrow_table().to_pylist()


class DataFusion:
    """Runs SQL on files with DataFusion."""

    name = "datafusion"

    def __init__(self, source: Any, **options: Any) -> None:
        self.context = datafusion.SessionContext()
        self.rows = arrowfeed.datafusion.read_dataset(source, context=self.context, **options)
        self.context.register_view("people", self.rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        for batch in self.rows.execute_stream():
            yield batch.to_pyarrow()

    def sql(self, query: str) -> list[dict[str, Any]]:
        return self.context.sql(query).to_pylist()


class Polars:
    """Runs SQL on files with polars."""

    name = "polars"

    def __init__(self, source: Any, **options: Any) -> None:
        self.rows = arrowfeed.scan_dataset(source, **options)

    def batches(self) -> Iterator[pa.RecordBatch]:
        for frame in self.rows.collect_batches():
            yield from frame.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()

    def sql(self, query: str) -> list[dict[str, Any]]:
        return pl.SQLContext(people=self.rows).execute(query).collect().to_dicts()


@pytest.fixture(params=[DuckDB, DataFusion, Polars], ids=lambda engine: engine.name)
def engine(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return probes.people(tmp_path_factory.mktemp("people"))


def test_a_query_has_exactly_the_rows(engine: Any, files: Path, expected: rows.Checksum) -> None:
    found = engine(files)
    assert rows.total(map(rows.checksum, found.batches())) == expected
    [counted] = found.sql("SELECT count(*) AS n, sum(id) AS ids FROM people")
    assert counted == {"n": rows.ROWS, "ids": expected.ids}


@pytest.mark.parametrize("ending", FORMATS)
def test_the_rows_of_each_format(engine: Any, people: dict[str, Path], ending: str) -> None:
    path = people[ending]
    expected = probes.whole(path)
    found = sorted(engine(path).sql("SELECT * FROM people"), key=str)
    assert found == sorted(expected.to_pylist(), key=str)


QUERIES = {
    "SELECT sum(id) AS n FROM people": ({"id"}, [{"n": 4950}]),
    "SELECT tags, id FROM people WHERE id = 3": ({"id", "tags"}, [{"tags": [0, 1, 2], "id": 3}]),
    "SELECT count(*) AS n FROM people WHERE name = 'name 3'": ({"name"}, [{"n": 10}]),
    "SELECT max(id) AS n FROM people WHERE value < 10 AND name <> 'name 9'": (
        {"id", "value", "name"},
        [{"n": 38}],
    ),
    "SELECT count(*) AS n FROM people WHERE value IS NULL": ({"value"}, [{"n": 15}]),
    "SELECT count(*) AS n FROM people WHERE NOT (value > 3)": ({"value"}, [{"n": 11}]),
    "SELECT count(*) AS n FROM people WHERE id IN (1, 2, 500)": ({"id"}, [{"n": 2}]),
    "SELECT count(*) AS n FROM people WHERE id BETWEEN 10 AND 19": ({"id"}, [{"n": 10}]),
    "SELECT id FROM people WHERE id > 1000": ({"id"}, []),
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_decodes_only_its_columns(
    engine: Any, people: dict[str, Path], monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    columns, expected = QUERIES[query]
    found = engine(people["avro"])
    decoded = probes.Decoded(monkeypatch)
    assert found.sql(query) == expected
    # An engine may decode the first column to count rows.
    assert columns <= set(decoded.take()) <= columns | {"id"}


def test_a_query_without_columns_decodes_at_most_one(
    engine: Any, people: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = engine(people["avro"])
    decoded = probes.Decoded(monkeypatch)
    assert found.sql("SELECT count(*) AS n FROM people") == [{"n": 100}]
    assert decoded.take() == ([] if engine is DataFusion else ["id"])


def test_a_column_that_a_query_does_not_use_may_be_damaged(engine: Any, tmp_path: Path) -> None:
    found = engine(probes.damaged(tmp_path / "damaged.avro"))
    assert found.sql("SELECT good, id FROM people WHERE id > 1") == [{"good": "cd", "id": 2}]
    with pytest.raises(Exception, match="UTF-8"):
        found.sql("SELECT bad FROM people")
    with pytest.raises(Exception, match="UTF-8"):
        found.sql("SELECT id FROM people WHERE bad <> 'ef'")


def test_a_limit_of_a_query_stops_early(engine: Any, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = engine(files)
    decoded = probes.Decoded(monkeypatch)
    assert len(found.sql("SELECT * FROM people LIMIT 10")) == 10
    assert 10 <= decoded.rows < rows.ROWS // 2


def test_a_table_is_read_again_by_each_query(engine: Any, people: dict[str, Path]) -> None:
    found = engine(people["parquet"])
    joined = "SELECT count(*) AS n FROM people AS a JOIN people AS b ON a.id = b.id"
    assert found.sql(joined) == found.sql(joined) == [{"n": 100}]


def test_a_file_that_changes_between_queries(engine: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.avro"
    arrowfeed.write_avro(pa.table({"id": [1, 2], "name": ["a", "b"]}), path)
    found = engine(path)
    query = "SELECT sum(id) AS n FROM people"
    assert found.sql(query) == [{"n": 3}]
    arrowfeed.write_avro(pa.table({"id": [5, 6, 7], "name": ["a", "b", "c"]}), path)
    if engine is DataFusion:
        with pytest.raises(Exception, match="ChangedError"):
            found.sql(query)
    else:
        assert found.sql(query) == [{"n": 18}]
        arrowfeed.write_avro(pa.table({"id": ["x"]}), path)
        with pytest.raises(Exception, match="expected the columns id: int64, found id: string"):
            found.sql(query)


def test_columns_of_a_query_are_those_of_the_dataset(engine: Any, people: dict[str, Path]) -> None:
    path = people["avro"]
    found = engine(path, columns=["user.age", "id"])
    assert found.sql("SELECT * FROM people WHERE id = 3") == [{"user": {"age": 3}, "id": 3}]
    with pytest.raises(arrowfeed.SchemaError, match="nme"):
        engine(path, columns=["nme"])


def test_a_query_skips_a_damaged_block(engine: Any, tmp_path: Path) -> None:
    path = probes.damaged(tmp_path / "damaged.avro")
    assert engine(path, on_error="skip_block").sql("SELECT bad FROM people") == []


def test_a_union_is_a_struct(engine: Any, tmp_path: Path) -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}
    schema["fields"].append({"name": "u", "type": ["null", "long", "string"]})
    with (tmp_path / "a.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"id": 1, "u": 7}, {"id": 2, "u": "x"}, {"id": 3, "u": None}])
    found = engine(tmp_path / "a.avro")
    assert sum(batch.num_rows for batch in found.batches()) == 3
    assert found.sql("SELECT id FROM people WHERE id > 1 ORDER BY id") == [{"id": 2}, {"id": 3}]


def test_a_file_object_is_refused(engine: Any, people: dict[str, Path]) -> None:
    with (
        people["avro"].open("rb") as file,
        pytest.raises(TypeError, match="files that can be read again"),
    ):
        engine(file)


def test_engines_that_plan_no_splits_read_bytes(engine: Any, people: dict[str, Path]) -> None:
    data = people["avro"].read_bytes()
    if engine is DataFusion:
        with pytest.raises(arrowfeed.OptionError, match="path"):
            engine(data)
    else:
        for _ in range(2):
            assert engine(data).sql("SELECT count(*) AS n FROM people") == [{"n": 100}]


@pytest.mark.parametrize("name", [".", "part-0.avro"])
def test_datafusion_divides_files_into_equal_partitions(
    monkeypatch: pytest.MonkeyPatch, files: Path, name: str
) -> None:
    monkeypatch.setattr(arrowfeed.datafusion, "_SPLIT_BYTES", 1 << 18)
    frame = DataFusion(files / name, partitions=3).rows
    parts = [
        sum(batch.to_pyarrow().num_rows for batch in stream) for stream in frame.execute_stream_partitioned()
    ]
    assert len(parts) == 3
    assert sum(parts) == rows.ROWS - (0 if name == "." else 8 * (rows.ROWS // 100))
    assert max(parts) <= 1.3 * min(parts)
    with pytest.raises(ValueError, match="partitions: expected an integer of 1 or more, found 0"):
        DataFusion(files, partitions=0)


def test_a_query_of_files_without_rows(engine: Any, tmp_path: Path) -> None:
    arrowfeed.write_avro(probes.PEOPLE.slice(0, 0), tmp_path / "empty.avro")
    found = engine(tmp_path / "empty.avro")
    assert found.sql("SELECT id FROM people") == []
    assert found.sql("SELECT count(*) AS n FROM people") == [{"n": 0}]


def test_results_outlive_their_table(engine: Any, people: dict[str, Path]) -> None:
    found = engine(people["avro"]).sql("SELECT name FROM people WHERE id = 3")
    gc.collect()
    assert found == [{"name": "name 3"}]


def split_dataset(path: Path) -> SplitDataset:
    return SplitDataset(SplitSource(path, {}).reader(), batch_size=7)


def test_the_dataset_overrides_all_public_names_of_pyarrow(people: dict[str, Path]) -> None:
    """A method that is not overridden would use the dataset of pyarrow, which does not exist."""
    public = {name for name in dir(ds.Dataset) if not name.startswith("_")}
    assert public - set(vars(SplitDataset)) == set()
    dataset = split_dataset(people["avro"])
    for name in ("filter", "head", "join", "join_asof", "replace_schema", "sort_by", "take"):
        with pytest.raises(NotImplementedError, match="SplitDataset"):
            getattr(dataset, name)()
    with pytest.raises(NotImplementedError):
        list(dataset.get_fragments())
    assert dataset.partition_expression.equals(pc.scalar(True))  # noqa: FBT003


@pytest.mark.parametrize("columns", [None, ["name", "id"], ["tags"]])
@pytest.mark.parametrize(
    "expression",
    [
        None,
        pc.field("id") > 10,
        (pc.field("id") > 10) & (pc.field("name") == "name 3"),
        pc.field("value").is_null() | (pc.field("user", "age") < 5),
        ~pc.field("name").isin(["name 1"]),
    ],
)
def test_a_scan_is_that_of_a_dataset_of_pyarrow(
    people: dict[str, Path], columns: Any, expression: Any
) -> None:
    paths = people
    dataset = split_dataset(paths["avro"])
    other = ds.dataset(probes.PEOPLE)
    found, expected = dataset.to_table(columns, expression), other.to_table(columns, filter=expression)
    assert found.equals(expected)
    assert dataset.count_rows(expression) == other.count_rows(filter=expression)
    assert dataset.scanner(columns, expression).projected_schema.equals(expected.schema)


def test_the_columns_of_a_filter() -> None:
    schema = pa.schema(
        [(f"c{number}", pa.int64()) for number in range(100)] + [("s", pa.struct([("x", pa.int8())]))]
    )

    def used(expression: Any, known: list[str]) -> set[str]:
        return set(_filter_columns(expression, schema, known))

    one, two = pc.field("c0") > 1, pc.field("c99") > 2
    assert used(None, []) == set()
    assert used(one, []) == {"c0"}
    assert used(one & two & (pc.field("c50") == 3), ["c99"]) == {"c0", "c50"}
    assert used(pc.field("s", "x") == 1, ["c1"]) == {"s"}
    assert used(pc.field("c7") == pc.field("c8"), []) == {"c7", "c8"}
    with pytest.raises(pa.ArrowInvalid, match="nothing"):
        used(pc.field("nothing") == 1, [])
