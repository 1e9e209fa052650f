"""The format `arrowfeed` on a Spark cluster of two executors."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
import pickle
import re
import signal
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rows

import arrowfeed

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("pyspark")

from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812 - the usual name
from pyspark.sql import types as T  # noqa: N812
from pyspark.sql.datasource import DataSource, DataSourceReader

from arrowfeed import spark as arrowfeed_spark
from arrowfeed._engines.splits import SplitSource
from arrowfeed.spark import _options, _source, _types
from arrowfeed.spark._write import WrittenFile

ROOT = Path(__file__).resolve().parents[2]


def read(spark: Any, path: Any, **options: Any) -> Any:
    return (
        spark.read.format("arrowfeed").options(**options).load(path if isinstance(path, list) else str(path))
    )


def write(frame: Any, path: Path, mode: str = "append", **options: Any) -> None:
    frame.write.format("arrowfeed").mode(mode).options(**options).save(str(path))


def names(directory: Path) -> list[str]:
    """The names of all files and directories, also of hidden ones."""
    return sorted(path.name for path in directory.iterdir()) if directory.exists() else []


CHECKSUMS = "rows long, ids long, `values` long, nulls long, characters long, tags long, worker string"


def checksums(frame: Any, seconds: float = 0.0) -> list[tuple[str, rows.Checksum]]:
    """The checksum of each partition, and the executor that has read it; with a pause for each partition."""

    def partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = rows.total(map(rows.checksum, batches))
        time.sleep(seconds)
        values = {**found._asdict(), "worker": str(os.getppid())}
        yield pa.RecordBatch.from_pylist([values])

    collected = frame.mapInArrow(partition, CHECKSUMS).collect()
    return [(row.worker, rows.Checksum(*row[:-1])) for row in collected]


def command(process: psutil.Process) -> str:
    """The command line of a process; empty if it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def executors() -> list[psutil.Process]:
    """The executor JVMs of the session."""
    children = psutil.Process().children(recursive=True)
    return [one for one in children if "CoarseGrainedExecutorBackend" in command(one)]


# ---- reading


def test_the_checksum_is_that_of_one_machine(spark: Any, files: Path, expected: rows.Checksum) -> None:
    assert rows.total(found for _, found in checksums(read(spark, files))) == expected


def sums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The checksum of a partition, and the process that has read it."""
    found = rows.total(map(rows.checksum, batches))
    yield pa.RecordBatch.from_pylist([{**found._asdict(), "worker": str(os.getpid())}])


def test_batches_without_rows_of_spark_have_the_checksum_of_one_machine(
    spark: Any, files: Path, expected: rows.Checksum
) -> None:
    size = (files / "part-0.avro").stat().st_size // 8
    frame = arrowfeed_spark.map_in_arrow(spark, files, sums, CHECKSUMS, split_bytes=size)
    found = frame.collect()
    assert rows.total(row[:-1] for row in found) == expected
    assert len(found) == len(_source.parts_of(SplitSource(files, {}).plan(size), size))


def test_batches_have_the_types_of_the_files(spark: Any, tmp_path: Path) -> None:
    """Spark need not have these types, because it receives only what the function returns."""
    schema = {"type": "record", "name": "r", "fields": [{"name": "u", "type": ["long", "string"]}]}
    table = pa.table({"id": [1, 2, 3], "u": pa.array([1, 2, 3], pa.int64())}).select(["u"])
    arrowfeed.write_avro(table, tmp_path / "a.avro", schema=schema)

    def types(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield pa.record_batch({"type": [str(batch.schema.field("u").type)], "rows": [batch.num_rows]})

    frame = arrowfeed_spark.map_in_arrow(spark, tmp_path / "a.avro", types, "type string, rows long")
    [row] = frame.collect()
    assert row.type.startswith("dense_union<")
    assert row.rows == 3


def test_files_without_rows_give_an_empty_iterator(spark: Any, tmp_path: Path) -> None:
    arrowfeed.write_avro(pa.table({"id": pa.array([], pa.int64())}), tmp_path / "a.avro")
    frame = arrowfeed_spark.map_in_arrow(spark, tmp_path / "a.avro", sums_of_ids, "id long")
    assert [row.id for row in frame.collect() if row.id] == []


def sums_of_ids(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"id": [sum(sum(batch["id"].to_pylist()) for batch in batches)]})


def test_the_options_of_batches(spark: Any, files: Path, expected: rows.Checksum) -> None:
    frame = arrowfeed_spark.map_in_arrow(
        spark, str(files), sums_of_ids, "id long", columns=["id"], batch_size=100_000
    )
    assert sum(row.id for row in frame.collect()) == expected.ids
    with pytest.raises(ValueError, match="on_error: expected 'raise' or 'skip_block'"):
        arrowfeed_spark.map_in_arrow(spark, str(files), sums_of_ids, "id long", on_error="skip_file")
    with pytest.raises(arrowfeed.SchemaError, match="nothing"):
        arrowfeed_spark.map_in_arrow(spark, str(files), sums_of_ids, "id long", columns=["nothing"])


def test_spark_filters_the_rows_of_a_source(spark: Any, files: Path) -> None:
    where = "id < 1000 and value is not null"
    expected = pa.table(arrowfeed.read_avro(files, where=where)).num_rows
    assert 0 < expected < 1000
    frame = read(spark, files, where=where, columns="id", split_bytes=1 << 18)
    assert frame.count() == frame.where("id < 1000").count() == expected
    function = arrowfeed_spark.map_in_arrow(
        spark, str(files), sums_of_ids, "id long", columns=["name"], where="id < 0"
    )
    assert {row.id for row in function.collect()} == {0}


class PushedOnce(DataSource):
    """Numbers, of which a reader returns none after it got a filter."""

    @classmethod
    def name(cls) -> str:
        return "pushed_once"

    def schema(self) -> str:
        return "id long"

    def reader(self, schema: Any) -> Any:
        return NumbersReader()


class NumbersReader(DataSourceReader):
    """Reads no number after it got a filter."""

    rows = 5

    def pushFilters(self, filters: list[Any]) -> list[Any]:  # noqa: N802 - Spark's name
        self.rows = 0
        return []

    def read(self, partition: Any) -> Iterator[tuple[int]]:
        yield from ((number,) for number in range(self.rows))


def test_spark_keeps_the_filters_of_another_query(spark: Any) -> None:
    """The reason why the format has no `pushFilters`. If this test fails, Spark may have corrected it."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        spark.dataSource.register(PushedOnce)
        frame = spark.read.format("pushed_once").load()
        assert frame.count() == 5
        assert frame.where("id > 100").count() == 0
        assert frame.count() == 0
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def test_sql_aggregates_have_the_same_sums(spark: Any, files: Path, expected: rows.Checksum) -> None:
    read(spark, files).createOrReplaceTempView("rows")
    [row] = spark.sql(
        "SELECT count(*), sum(id), cast(sum(value) AS long), count_if(value IS NULL), sum(length(name)),"
        " sum(aggregate(tags, 0L, (a, b) -> a + b)) FROM rows"
    ).collect()
    assert rows.Checksum(*row) == expected


def test_the_schema_is_inferred(spark: Any, files: Path) -> None:
    found = read(spark, files).schema
    assert found.fieldNames() == ["id", "value", "name", "tags"]
    assert [field.dataType.simpleString() for field in found] == [
        "bigint",
        "double",
        "string",
        "array<bigint>",
    ]


@pytest.mark.parametrize("columns", ["name, id", '["name", "id"]'])
def test_the_option_columns_selects_and_orders(
    spark: Any, files: Path, expected: rows.Checksum, columns: str
) -> None:
    frame = read(spark, files, columns=columns)
    assert frame.columns == ["name", "id"]
    [row] = frame.agg(F.count("*"), F.sum("id"), F.sum(F.length("name"))).collect()
    assert tuple(row) == (expected.rows, expected.ids, expected.characters)


def test_the_fields_of_a_schema_select_the_columns(spark: Any, files: Path, expected: rows.Checksum) -> None:
    frame = spark.read.format("arrowfeed").schema("tags array<bigint>, id bigint").load(str(files))
    assert frame.columns == ["tags", "id"]
    assert frame.agg(F.sum("id")).collect()[0][0] == expected.ids
    assert frame.count() == expected.rows


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("other long", r"expected one of the columns \['id', 'value', 'name', 'tags'\], found 'other'"),
        ("id int", "id: expected bigint.*, found int in the schema of the caller"),
        ("value double not null", "value: expected double, found double not null"),
        ("tags array<int>", "tags: expected array<bigint>.*, found array<int>"),
        ("id long, id long", r"expected fields with different names, found \['id'\] several times"),
    ],
)
def test_a_schema_that_the_files_do_not_have_is_an_error(
    spark: Any, files: Path, schema: str, message: str
) -> None:
    with pytest.raises(PySparkException, match=message):
        spark.read.format("arrowfeed").schema(schema).load(str(files)).collect()


def test_a_schema_and_other_columns_are_an_error(spark: Any, files: Path) -> None:
    reader = spark.read.format("arrowfeed").schema("id long").option("columns", "name")
    with pytest.raises(PySparkException, match="use either the option or the schema"):
        reader.load(str(files)).collect()


def test_the_reader_of_a_schema_decodes_only_its_columns(files: Path) -> None:
    schema = T.StructType([T.StructField("id", T.LongType())])
    reader = _source.ArrowfeedSource({"path": str(files)}).reader(schema)
    batch = next(reader.read(reader.partitions()[0]))
    assert batch.schema.names == ["id"]


def test_a_first_split_without_bytes_is_a_partition() -> None:
    empty, other = splits = [arrowfeed.Split("a.csv", 5, 5), arrowfeed.Split("b.csv", 0, 7)]
    assert _source.parts_of(splits, 7) == [[empty, other]]
    assert _source.parts_of(splits, 6) == [[empty], [other]]


def test_a_partition_of_several_splits_has_a_small_pickle() -> None:
    splits = [arrowfeed.Split(f"{number:0100}.avro", 0, 1) for number in range(50)]
    parts = _source.parts_of(splits, 100)
    assert [split for part in parts for split in part] == splits
    assert 2 < len(parts) < 25
    assert max(len(pickle.dumps(part)) for part in parts) <= _source._GROUP_PICKLE


def test_several_paths_and_globs(spark: Any, files: Path) -> None:
    paths = [f"{files}/part-[12].avro", f"file://{files}/part-3.avro"]
    assert read(spark, paths, columns="id").count() == 3 * (rows.ROWS // 100)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "tfrecord"])
def test_the_other_formats(spark: Any, tmp_path: Path, kind: str) -> None:
    values = {"id": [1, 2, 3], "name": ["a", None, "c"], "score": [0.5, 1.5, None]}
    table = pa.table(values)
    path = tmp_path / f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "csv":
        path.write_text("id;name;score\n1;a;0.5\n2;;1.5\n3;c;\n")
    elif kind == "jsonl":
        lines = ['{"id": 1, "name": "a", "score": 0.5}', '{"id": 2, "score": 1.5}', '{"id": 3, "name": "c"}']
        path.write_text("\n".join(lines) + "\n")
    else:
        arrowfeed.write_tfrecord(table, path)
    options = {"delimiter": ";"} if kind == "csv" else {}
    found = read(spark, path, **options).select("id", "name", "score").orderBy("id").collect()

    def value(cell: Any) -> Any:
        cell = cell[0] if isinstance(cell, list) else cell
        return cell.decode() if isinstance(cell, bytes | bytearray) else cell

    assert [[value(cell) for cell in row] for row in found] == [
        list(row.values()) for row in table.to_pylist()
    ]


AVRO = """{"type": "record", "name": "Row", "fields": [
    {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
    {"name": "key", "type": {"type": "string", "logicalType": "uuid"}},
    {"name": "either", "type": ["null", "long", "string"]},
    {"name": "day", "type": {"type": "int", "logicalType": "date"}},
    {"name": "clock", "type": {"type": "long", "logicalType": "time-micros"}},
    {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-nanos"}]},
    {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 2}},
    {"name": "nested", "type": ["null", {"type": "record", "name": "Nested", "fields": [
        {"name": "kinds", "type": {"type": "array", "items": ["null", "Kind"]}},
        {"name": "keys", "type": {"type": "map", "values": {"type": "string", "logicalType": "uuid"}}}]}]},
    {"name": "nothing", "type": "null"}]}"""


def test_types_that_spark_does_not_have_are_converted(spark: Any, tmp_path: Path) -> None:
    fastavro = pytest.importorskip("fastavro")
    key = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
    when = dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.timezone.utc)
    local = dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001 - it has no zone
    base = {
        "kind": "B", "key": key, "either": 7, "day": dt.date(2024, 2, 29),
        "clock": dt.time(1, 2, 3, 4), "at": -1, "local": local, "price": decimal.Decimal("1.25"),
        "hash": b"\x01\xff", "nested": {"kinds": ["A", None], "keys": {"k": key}}, "nothing": None,
    }  # fmt: skip
    other = {**base, "kind": "A", "either": "text", "at": None, "nested": None}
    with (tmp_path / "rows.avro").open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(json.loads(AVRO)), [base, other])
    frame = read(spark, tmp_path)
    assert {field.name: field.dataType.simpleString() for field in frame.schema} == {
        "kind": "string",
        "key": "string",
        "either": "struct<long:bigint,string:string>",
        "day": "date",
        "clock": "bigint",
        "at": "timestamp",
        "local": "timestamp_ntz",
        "price": "decimal(9,2)",
        "hash": "binary",
        "nested": "struct<kinds:array<string>,keys:map<string,string>>",
        "nothing": "void",
    }
    one, two = frame.collect()
    micros = frame.selectExpr("unix_micros(at)").collect()
    assert (one.kind, two.kind, one.key, two.key) == ("B", "A", str(key), str(key))
    assert (tuple(one.either), tuple(two.either)) == ((7, None), (None, "text"))
    assert (one.day, one.clock, one.price) == (base["day"], 3_723_000_004, base["price"])
    # 1 ns before 1970 is in the microsecond before 1970.
    assert ([row[0] for row in micros], one.at.astimezone(dt.timezone.utc), two.at) == (
        [-1, None],
        when,
        None,
    )
    assert (one.local, bytes(one.hash), one.nothing) == (base["local"], b"\x01\xff", None)
    assert (one.nested.kinds, one.nested["keys"], two.nested) == (["A", None], {"k": str(key)}, None)


def test_slices_and_all_arrow_types_are_converted() -> None:
    ids = pa.array([bytes([byte]) * 16 for byte in range(4)], pa.uuid())
    ids = pa.array([one if number != 2 else None for number, one in enumerate(ids.to_pylist())], pa.uuid())
    texts = pa.array(["a", "b", None, "d"])
    columns = {
        "uuid": ids,
        "u64": pa.array([1, 2**64 - 1, None, 0], pa.uint64()),
        "u8": pa.array([255, 0, None, 1], pa.uint8()),
        "half": pa.array([0.5, 1, None, 2], pa.float16()),
        "view": pa.array(["a", "bb" * 20, None, "d"], pa.string_view()),
        "dictionary": texts.dictionary_encode(),
        "large": pa.array([["a"], [], None, ["b", None]], pa.large_list(pa.large_string())),
        "fixed": pa.array([[1, 2], [3, 4], None, [5, 6]], pa.list_(pa.uint8(), 2)),
        "struct": pa.array([{"x": 1}, {"x": None}, None, {"x": 4}], pa.struct([("x", pa.uint16())])),
        "map": pa.array([[("k", 1)], [], None, [("l", None)]], pa.map_(pa.large_string(), pa.uint32())),
        "span": pa.array([1, 2, None, 3], pa.duration("ms")),
        "small": pa.array([decimal.Decimal("1.5")] * 4, pa.decimal256(5, 1)),
    }
    batch = pa.record_batch(columns)
    schema = _types.readable(batch.schema)
    whole = _types.converted(batch, schema)
    whole.validate(full=True)
    wanted = batch.to_pylist()
    for row in wanted:
        row["uuid"] = None if row["uuid"] is None else str(row["uuid"])
    assert whole.to_pylist() == wanted
    for start, length in ((1, 3), (2, 1), (4, 0)):
        part = _types.converted(batch.slice(start, length), schema)
        part.validate(full=True)
        assert part.to_pylist() == wanted[start : start + length]
    assert _types.spark_schema(schema)["u64"].dataType == T.DecimalType(20, 0)


def test_a_type_without_a_conversion_is_an_error() -> None:
    union = pa.struct([("u", pa.dense_union([pa.field("a", pa.int32())]))])
    for arrow in (pa.month_day_nano_interval(), pa.decimal256(50, 2), union):
        with pytest.raises(arrowfeed.SchemaError, match=r"^c.*: expected a type that Spark has, found"):
            _types.readable(pa.schema([("c", arrow)]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_error": "skip_file"}, "on_error: expected 'raise' or 'skip_block'"),
        ({"unions": "dense"}, "unions: expected 'struct' or 'json'"),
        ({"split_bytes": "much"}, "split_bytes: expected an integer, found 'much'"),
        ({"split_bytes": "0"}, "target_bytes|split_bytes"),
        ({"colums": "id"}, "unexpected keyword argument 'colums'"),
        ({"columns": "nothing"}, "nothing"),
        ({"store": "s"}, "store: expected no such option, because Spark passes options as text"),
    ],
)
def test_wrong_options_of_a_read(spark: Any, files: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(PySparkException, match=message):
        read(spark, files, **options).collect()


def test_a_missing_path_is_an_error(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(PySparkException, match="FileNotFoundError"):
        read(spark, tmp_path / "none.avro")


def test_a_partition_is_small_and_has_no_secret(spark: Any, files: Path, tmp_path: Path) -> None:
    options = {"path": str(files), "storage.aws_secret_access_key": "hunter2"}
    source = _source.ArrowfeedSource(options)
    partitions = source.reader(source.schema()).partitions()
    sizes = [len(pickle.dumps(partition)) for partition in partitions]
    assert max(sizes) < 1024
    assert not any(b"hunter2" in pickle.dumps(partition) for partition in partitions)
    # Many small files share tasks, whose partitions are small too.
    schema = next(rows.batches(0, 1)).schema
    for number in range(100):
        reader = pa.RecordBatchReader.from_batches(schema, rows.batches(number, number + 1))
        arrowfeed.write_avro(reader, tmp_path / f"{number:03}.avro")
    source = _source.ArrowfeedSource({"path": str(tmp_path)})
    partitions = source.reader(source.schema()).partitions()
    assert max(len(pickle.dumps(partition)) for partition in partitions) < 1024
    assert len(partitions) < 50
    assert read(spark, tmp_path).agg(F.count("*"), F.sum("id")).collect() == [(100, 4950)]


def test_the_plan_shows_no_secret(spark: Any, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(spark, files, **{"storage.aws_secret_access_key": "hunter2"}).explain(mode="extended")
    assert "hunter2" not in capsys.readouterr().out


def test_one_large_file_is_shared_evenly(spark: Any, files: Path) -> None:
    large = files / "part-0.avro"
    frame = read(spark, large, split_bytes=large.stat().st_size // 16)
    shares: dict[str, int] = {}
    for worker, found in checksums(frame, seconds=0.5):
        shares[worker] = shares.get(worker, 0) + found.rows
    assert sum(shares.values()) == rows.ROWS - 8 * (rows.ROWS // 100)
    assert len(shares) == 2
    assert max(shares.values()) <= 1.3 * min(shares.values())


def test_damage_reaches_the_caller_with_the_path_and_the_block(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "damaged.avro"
    arrowfeed.write_avro(next(rows.batches(0, 10_000)), path, codec="snappy", block_bytes=4096)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(PySparkException, match=rf"{re.escape(str(path))}: block \d+ at byte [\d,]+"):
        read(spark, path).collect()
    left = read(spark, path, on_error="skip_block").count()
    assert 0 < left < 10_000


# ---- killed processes


@pytest.mark.night
@pytest.mark.parametrize("kind", ["executor", "python worker"])
def test_a_killed_process_changes_no_row(
    spark: Any, files: Path, expected: rows.Checksum, tmp_path: Path, kind: str
) -> None:
    marker = tmp_path / "killed"
    is_executor = kind == "executor"

    def partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        first = next(batches)
        yield pa.RecordBatch.from_pylist([{**rows.checksum(first)._asdict(), "worker": ""}])
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            process = psutil.Process()
            if is_executor:
                while "CoarseGrainedExecutorBackend" not in " ".join(process.cmdline()):
                    process = process.parent()
            os.kill(process.pid, signal.SIGKILL)
        found = rows.total(map(rows.checksum, batches))
        yield pa.RecordBatch.from_pylist([{**found._asdict(), "worker": ""}])

    before = {process.pid for process in executors()}
    frame = read(
        spark, files, split_bytes=max(1, (files / "part-0.avro").stat().st_size // 8), batch_size=4096
    )
    parts = frame.mapInArrow(partition, CHECKSUMS).collect()
    assert marker.exists()
    if is_executor:
        assert not before <= {process.pid for process in executors()}
    assert rows.total(rows.Checksum(*row[:-1]) for row in parts) == expected


# ---- writing

NESTED = """id long not null, name string, day date, at timestamp, local timestamp_ntz, price decimal(9,2),
    data binary, flag boolean, small smallint, ratio float, tags array<struct<x: int, y: string>>,
    scores map<string, double>, user struct<name: string, ages: array<int>>"""


def nested(spark: Any) -> Any:
    when = dt.datetime(2024, 1, 2, 3, 4, 5, 6)  # noqa: DTZ001 - Spark wants it local
    full = (1, "é", dt.date(2024, 2, 29), when, when, decimal.Decimal("1.25"), bytearray(b"\0\xff"),
            True, -7, 0.5, [(1, "a"), (2, None), None], {"a": 1.5, "b": None}, ("n", [1, None]))  # fmt: skip
    nulls = (2, *[None] * 12)
    empty = (3, "", *[None] * 8, [], {}, (None, []))
    return spark.createDataFrame([full, nulls, empty], NESTED)


def test_nested_rows_and_nulls_survive_a_round_trip(spark: Any, tmp_path: Path) -> None:
    frame = nested(spark)
    write(frame, tmp_path / "out")
    assert all(re.fullmatch(r"part-\d{5}-[0-9a-f]{32}\.avro", name) for name in names(tmp_path / "out"))
    back = read(spark, tmp_path / "out")
    assert (
        back.orderBy("id").select(frame.columns).collect()
        == frame.withColumn("small", F.col("small").cast("int")).orderBy("id").collect()
    )
    assert not back.schema["id"].nullable


def test_all_rows_are_written_once(spark: Any, files: Path, expected: rows.Checksum, tmp_path: Path) -> None:
    write(read(spark, files), tmp_path / "out", codec="snappy")
    found = rows.total(rows.checksum(batch.to_pyarrow()) for batch in arrowfeed.read_avro(tmp_path / "out"))
    assert found == expected


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"])
def test_codecs(spark: Any, tmp_path: Path, codec: str) -> None:
    write(spark.range(1000).coalesce(1), tmp_path, codec=codec)
    [path] = tmp_path.glob("*.avro")
    assert arrowfeed.avro_schema(path).metadata["avro.codec"] == codec.encode()
    assert sum(batch.num_rows for batch in arrowfeed.read_avro(path)) == 1000


def test_append_and_overwrite(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("kept")
    write(spark.range(10), tmp_path)
    write(spark.range(10, 20), tmp_path)
    assert read(spark, tmp_path).agg(F.count("*"), F.sum("id")).collect() == [(20, 190)]
    write(spark.range(5), tmp_path, "overwrite")
    assert read(spark, tmp_path).agg(F.count("*"), F.sum("id")).collect() == [(5, 10)]
    assert (tmp_path / "note.txt").read_text() == "kept"
    assert not any(name.startswith(".") for name in names(tmp_path))


def test_a_directory_can_be_overwritten_with_its_own_rows(spark: Any, tmp_path: Path) -> None:
    write(spark.range(10), tmp_path)
    write(read(spark, tmp_path).where("id < 4"), tmp_path, "overwrite")
    assert sorted(row.id for row in read(spark, tmp_path).collect()) == [0, 1, 2, 3]


def test_no_rows_are_one_file_with_the_schema(spark: Any, tmp_path: Path) -> None:
    write(nested(spark).where("id > 99"), tmp_path)
    assert len(names(tmp_path)) == 1
    back = read(spark, tmp_path)
    assert (back.count(), back.columns) == (0, nested(spark).columns)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_failed_job_changes_nothing(spark: Any, tmp_path: Path, mode: str) -> None:
    def fails(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield batch
            if batch["id"][0].as_py() >= 500:
                raise RuntimeError("it fails")

    write(spark.range(10).coalesce(1), tmp_path / "old")
    before = names(tmp_path / "old")
    frame = spark.range(0, 1000, 1, 4).mapInArrow(fails, "id long")
    for directory in ("old", "new"):
        with pytest.raises(PySparkException, match="it fails"):
            write(frame, tmp_path / directory, mode)
    assert names(tmp_path / "old") == before
    assert not (tmp_path / "new").exists()


@pytest.mark.night
def test_a_retried_task_writes_its_rows_once(spark: Any, tmp_path: Path) -> None:
    marker = tmp_path / "killed"

    def dies(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return
        process = psutil.Process()
        while "CoarseGrainedExecutorBackend" not in " ".join(process.cmdline()):
            process = process.parent()
        os.kill(process.pid, signal.SIGKILL)
        time.sleep(60)

    write(spark.range(0, 100_000, 1, 4).mapInArrow(dies, "id long"), tmp_path / "out")
    assert marker.exists()
    assert len(names(tmp_path / "out")) == 4
    back = read(spark, tmp_path / "out")
    assert back.agg(F.count("*"), F.sum("id")).collect() == [(100_000, 4_999_950_000)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"codec": "lzma"}, "codec: expected .*lzma"),
        ({"level": "99", "codec": "deflate"}, "ValueError: .*level.*99"),
        ({"level": "high"}, "level: expected an integer, found 'high'"),
        (
            {"compression": "snappy"},
            "expected the options codec, level, block_bytes or schema, found 'compression'",
        ),
    ],
)
def test_wrong_options_of_a_write(spark: Any, tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(PySparkException, match=message):
        write(spark.range(3), tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_a_url_and_a_type_without_avro_are_errors(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(
        PySparkException, match="file system that all executors share, found the URL s3://b/d"
    ):
        spark.range(3).write.format("arrowfeed").mode("append").save("s3://b/d")
    with pytest.raises(PySparkException, match="span: expected a type that Avro has, found interval"):
        write(spark.sql("SELECT INTERVAL '1' DAY AS span"), tmp_path / "out")


def test_a_failed_commit_restores_the_old_files(tmp_path: Path) -> None:
    schema = T.StructType([T.StructField("id", T.LongType())])
    (tmp_path / "old.avro").write_bytes(b"old")
    writer = _source.ArrowfeedSource({"path": str(tmp_path)}).writer(schema, overwrite=True)
    with pytest.raises(FileNotFoundError):
        writer.commit([WrittenFile("is-missing.avro")])
    assert (tmp_path / "old.avro").read_bytes() == b"old"
    writer.abort([])
    assert names(tmp_path) == ["old.avro"]


def test_an_abort_brings_back_the_old_files_that_a_commit_could_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = T.StructType([T.StructField("id", T.LongType())])
    for name in ("a.avro", "b.avro", ".hidden.avro"):
        (tmp_path / name).write_text(name)
    (tmp_path / "directory.avro").mkdir()
    writer = _source.ArrowfeedSource({"path": str(tmp_path)}).writer(schema, overwrite=True)
    rename, renames = Path.rename, []

    def failing(path: Path, target: Path) -> Path:
        renames.append(path)
        if len(renames) > 2:
            raise OSError(5, "Input/output error")
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", failing)
        with pytest.raises(OSError, match="Input/output error"):
            writer.commit([WrittenFile("new.avro")])
        with pytest.raises(OSError, match=r"expected to move the old files back.* They are in .*/old"):
            writer.abort([])
    assert not (tmp_path / "a.avro").exists()
    writer.abort([])
    assert names(tmp_path) == [".hidden.avro", "a.avro", "b.avro", "directory.avro"]


def test_a_message_has_no_secret_of_a_url() -> None:
    with pytest.raises(ValueError, match=r"found the URL s3://bucket/x$"):
        _options.write_options({"path": "s3://user:SECRET@bucket/x?sig=TOKEN"})


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("id,user.name", ["id", "user.name"]),
        ('[ "id", "user.name"]', ["id", "user.name"]),
        ("""["id", "['a,b'].c"]""", ["id", "['a,b'].c"]),
        ("7", ["7"]),
    ],
)
def test_the_texts_of_columns(text: str, paths: list[str]) -> None:
    options = _options.read_options({"path": "x", "columns": text})
    assert options.dataset["columns"] == paths


@pytest.mark.parametrize("name", ["part-?.avro", "a#b.avro", "2024?/x.avro"])
def test_a_file_url_keeps_the_characters_of_its_name(name: str) -> None:
    assert _options.read_options({"path": f"file:///data/{name}"}).source == f"/data/{name}"
    assert _options.read_options({"path": f"file:/data/{name}"}).source == f"/data/{name}"


def test_a_batch_without_columns_keeps_its_rows() -> None:
    batch = pa.record_batch({"id": [1, 2]}).select([])
    assert _types.converted(batch, pa.schema([])).num_rows == 2


# ---- documentation


def test_the_code_of_the_page_of_spark_runs(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "spark.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    given: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("".join(blocks), "spark.md", "exec"), given)
    assert given["spark"] is spark
    assert given["sums"].agg({"sum": "sum", "rows": "sum"}).first()[:] == (81, 3)
    assert "81" in capsys.readouterr().out
    assert given["frame"].orderBy("id").first().asDict() == {"id": 1, "age": 36}
    assert read(spark, tmp_path / "people" / "adults").count() == 1


def test_only_public_names_of_pyspark_are_used() -> None:
    text = "".join(path.read_text("utf-8") for path in (ROOT / "python" / "arrowfeed" / "spark").glob("*.py"))
    found = set(re.findall(r"\b(?:sources|types|pyspark)\.(\w+)", text))
    assert not [name for name in found if name.startswith("_")]
    assert set(re.findall(r'needed\("(pyspark[^"]*)"', text)) == {
        "pyspark",
        "pyspark.sql.datasource",
        "pyspark.sql.types",
    }
