"""A filter that an engine hands down keeps the rows of its own filter after reading, in every format."""

import datetime as dt
import decimal
import json
import operator

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
import arrowfeed.duckdb
from random_expressions import random_expression
from session_seed import chance, seeds

ROWS = 60
FILTERS = 15
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
NAN, INFINITY = float("nan"), float("inf")
TIMES = [dt.datetime(1970, 1, 1) + dt.timedelta(*parts) for parts in ((0,), (-400,), (20_000, 3))]  # noqa: DTZ001
CLOCK = [dt.time(0), dt.time(12, 30, 1)]
WAITS = [dt.timedelta(0), dt.timedelta(days=-1, seconds=1), dt.timedelta(days=3)]
FLOATS = [0.0, -0.0, 1.5, -2.25, INFINITY, -INFINITY, NAN]
TEXTS = ["", "a", "ab", "b", "ü"]
DAYS = [dt.date(1969, 12, 31), dt.date(2026, 1, 1)]

COLUMNS = {
    "i8": (pa.int8(), [-128, 0, 1, 7]),
    "i16": (pa.int16(), [-7, 0, 1, 7]),
    "i32": (pa.int32(), [-7, 0, 1, 1 << 30]),
    "i64": (pa.int64(), [-7, 0, (1 << 53) + 1, 1 << 62]),
    "u8": (pa.uint8(), [0, 1, 255]),
    "u32": (pa.uint32(), [0, 1, 1 << 31]),
    "u64": (pa.uint64(), [0, 1, (1 << 64) - 1]),
    "f32": (pa.float32(), FLOATS),
    "f64": (pa.float64(), FLOATS),
    "decimal": (pa.decimal128(9, 2), [decimal.Decimal(text) for text in ("0.00", "1.50", "-2.25")]),
    "text": (pa.string(), TEXTS),
    "large_text": (pa.large_string(), TEXTS),
    "view": (pa.string_view(), TEXTS),
    "bytes": (pa.binary(), [b"", b"a", b"\xff"]),
    "fixed": (pa.binary(2), [b"aa", b"ab", b"\xff\x00"]),
    "flag": (pa.bool_(), [True, False]),
    "day": (pa.date32(), DAYS),
    "day64": (pa.date64(), DAYS),
    "clock_ms": (pa.time32("ms"), CLOCK),
    "clock": (pa.time64("us"), CLOCK),
    "local_s": (pa.timestamp("s"), TIMES),
    "local_ms": (pa.timestamp("ms"), TIMES),
    "local": (pa.timestamp("us"), TIMES),
    "local_ns": (pa.timestamp("ns"), TIMES),
    "instant": (pa.timestamp("us", "UTC"), [time.replace(tzinfo=dt.timezone.utc) for time in TIMES]),
    "wait": (pa.duration("us"), WAITS),
    "wait_ms": (pa.duration("ms"), WAITS),
    "kind": (pa.dictionary(pa.int32(), pa.string()), ["a", "b"]),
    "ints": (pa.list_(pa.int64()), [[], [1], [2], [1, 2]]),
    "floats": (pa.list_(pa.float32()), [[], [0.5], [NAN]]),
    "texts": (pa.large_list(pa.string()), [[], ["a"], ["a", "b"]]),
    "inner": (pa.struct([("x", pa.int64()), ("s", pa.string())]), [{"x": 1}, {"s": "a"}, {}]),
}

AVRO_COLUMNS = [name for name in COLUMNS if name not in ("wait", "wait_ms")]
EXAMPLE_COLUMNS = ["i64", "f32", "text", "bytes", "ints", "floats", "texts"]


def write_arrow(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write(table)


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_sequences(table, path):
    steps = pa.array([None if value is None else [value] for value in table["i64"].to_pylist()])
    lists = pa.StructArray.from_arrays([steps], ["steps"])
    af.write_tfrecord(table.append_column("##SEQUENCE##", lists), path, format="sequence_example")


# The columns of a format, the function that writes it, and the options of its dataset.
FORMATS = {
    "parquet": (list(COLUMNS), pq.write_table, {}),
    "arrow": (list(COLUMNS), write_arrow, {}),
    "avro": (AVRO_COLUMNS, af.write_avro, {}),
    "avro feature": (AVRO_COLUMNS, af.write_avro, {"encoding": "feature"}),
    "avro tfx": (AVRO_COLUMNS, af.write_avro, {"encoding": "tfx"}),
    "tfrecord": (EXAMPLE_COLUMNS, af.write_tfrecord, {}),
    "sequences": (EXAMPLE_COLUMNS, write_sequences, {}),
    "csv": (["i32", "f64", "text", "flag", "day", "local"], pyarrow.csv.write_csv, {}),
    "json lines": (["i32", "text", "flag", "ints", "inner"], write_json_lines, {}),
}


@pytest.fixture(scope="module", params=FORMATS)
def stored(request, tmp_path_factory):
    """A file of random rows, and the options of its dataset."""
    names, write, options = FORMATS[request.param]
    rng = chance("rows of engines", request.param)
    columns = {"row": pa.array(range(ROWS), pa.int64())}
    for name in names:
        kind, values = COLUMNS[name]
        columns[name] = pa.array(
            [None if rng.random() < 0.25 else rng.choice(values) for _ in range(ROWS)], kind
        )
    path = tmp_path_factory.mktemp("rows") / f"rows.{request.param.replace(' ', '_')}"
    write(pa.table(columns), path)
    return path, options


def near(rng, values):
    """Some values of a column, and numbers near them."""
    found = [value for value in values if value is not None and not isinstance(value, list)]
    numbers = [
        value + 1 for value in found if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return rng.sample(found, min(4, len(found))) + numbers[:1]


def random_test(rng, column, values, tests):
    """A condition over a column with these values, by is_null, is_in and is_nan of a library."""
    kind = rng.randrange(8)
    if kind == 0 or not values:
        found = tests["is_null"](column)
        return found if rng.random() < 0.5 else ~found
    if kind == 1:
        return tests["is_in"](column, rng.sample(values, min(2, len(values))))
    if kind == 2 and isinstance(values[0], float):
        return tests["is_nan"](column)
    return rng.choice(COMPARISONS)(column, rng.choice(values))


def assert_same_rows(rng, random_condition, read, filtered, refused):
    """Compares the rows of filters that are handed down with those of the library's own filter.

    Args:
        rng: The generator.
        random_condition: Makes a condition.
        read: The row numbers that pass a filter after reading.
        filtered: The row numbers of a reading that passes the filter down.
        refused: The errors of filters that the library does not have.
    """
    compared = 0
    for _ in range(FILTERS):
        try:
            condition = random_expression(rng, random_condition)
            expected = read(condition)
        except refused:
            continue
        assert filtered(condition) == expected, str(condition)
        compared += 1
    assert compared


@pytest.mark.parametrize("seed", seeds(0, 1))
def test_polars(stored, seed):
    path, options = stored
    rng = chance("polars engine", seed)
    scan = af.scan_dataset(path, **options)
    frame = scan.collect()
    tests = {
        "is_null": lambda column: column.is_null(),
        "is_in": lambda column, values: column.is_in(values),
        "is_nan": lambda column: column.is_nan(),
    }

    def random_polars(rng):
        name = rng.choice(frame.columns)
        kind, column = frame.schema[name], pl.col(name)
        if isinstance(kind, pl.List):
            return rng.choice([column.list.len() > rng.randrange(3), column.is_null(), column.is_not_null()])
        if isinstance(kind, pl.Struct):
            name = rng.choice([field.name for field in kind.fields])
            column = column.struct.field(name)
        values = frame.select(column).to_series().to_list()
        if kind == pl.String and rng.random() < 0.3:
            return column.str.starts_with("a")
        return random_test(rng, column, near(rng, values), tests)

    def rows(found):
        return found["row"].to_list()

    assert_same_rows(
        rng,
        random_polars,
        lambda condition: rows(frame.filter(condition)),
        lambda condition: rows(scan.filter(condition).collect()),
        (pl.exceptions.PolarsError, TypeError, OverflowError),
    )


@pytest.mark.parametrize("seed", seeds(0, 1))
def test_pyarrow(stored, seed):
    path, options = stored
    rng = chance("pyarrow engine", seed)
    dataset = af.open_dataset(path, representations={}, **options)

    [batch] = dataset.record_batches(batch_size=ROWS)
    table = pa.table(batch)
    rows = ds.dataset(table)
    tests = {
        "is_null": lambda column: column.is_null(),
        # pyarrow distinguishes -0.0 and 0.0 in `isin`.
        "is_in": lambda column, values: column.isin([value for value in values if value != 0.0]),
        "is_nan": lambda column: column.is_nan(),
    }

    def random_pyarrow(rng):
        name = rng.choice(table.column_names)
        kind, column = table.schema.field(name).type, pc.field(name)
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return rng.choice(
                [pc.list_value_length(column) > rng.randrange(3), column.is_null(), column.is_valid()]
            )
        values = table[name].to_pylist()
        if pa.types.is_struct(kind):
            field = rng.choice(kind.names)
            column, values = pc.field(name, field), [value and value[field] for value in values]
        return random_test(rng, column, near(rng, values), tests)

    def read(condition):
        # pyarrow does not filter columns of string views.
        found = rows.to_table(columns={"row": pc.field("row"), "passes": condition})
        return found.drop_columns("passes").filter(found["passes"])["row"].to_pylist()

    def filtered(condition):
        try:
            predicate = af.Predicate(condition, schema=table.schema)
        except ValueError:
            # pyarrow cannot write the types of some literals as Substrait.
            return read(condition)
        batches = dataset.filter(predicate).record_batches(batch_size=ROWS)
        return [row for batch in batches for row in pa.table(batch)["row"].to_pylist()]

    assert_same_rows(
        rng,
        random_pyarrow,
        read,
        filtered,
        (pa.ArrowException, TypeError, OverflowError),
    )


@pytest.mark.parametrize("seed", seeds(0, 1))
def test_duckdb(stored, seed):
    path, options = stored
    rng = chance("duckdb engine", seed)
    connection = duckdb.connect()
    scan = arrowfeed.duckdb.read_dataset(path, connection=connection, **options)
    scan.create("stored")
    table = connection.table("stored")
    constant = duckdb.ConstantExpression
    tests = {
        "is_null": lambda column: column.isnull(),
        "is_in": lambda column, values: column.isin(*map(constant, values)),
        "is_nan": lambda column: duckdb.FunctionExpression("isnan", column),
    }

    def random_duckdb(rng):
        name = rng.choice(table.columns)
        column = duckdb.ColumnExpression(name)
        values = [row[0] for row in table.select(column).fetchall()]
        kinds = {type(value) for value in values}
        if list in kinds:
            length = duckdb.FunctionExpression("len", column)
            return rng.choice([length > constant(rng.randrange(3)), column.isnull(), column.isnotnull()])
        if dict in kinds:
            field = rng.choice([name for name, _ in table.select(column).types[0].children])
            column = duckdb.FunctionExpression("struct_extract", column, constant(field))
            values = [value and value[field] for value in values]
        return random_test(rng, column, near(rng, values), tests)

    def rows(found):
        return sorted(row for (row,) in found.fetchall())

    assert_same_rows(
        rng,
        random_duckdb,
        lambda condition: rows(table.filter(condition).select("row")),
        lambda condition: rows(scan.filter(condition).select("row")),
        (duckdb.Error, TypeError),
    )
