"""Filters that are expressions of pyarrow."""

import contextlib
import datetime as dt
import decimal
import functools
import io
import operator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from random_expressions import random_expression
from session_seed import chance, seeds

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - local timestamps have no zone

FLOATS = [0.0, 1.5, -2.25, 0.1, 1e300, float("inf"), float("nan")]

VALUES = {
    "i8": (pa.int8(), [0, 1, -7, 127]),
    "i32": (pa.int32(), [0, 1, -7, 1 << 30]),
    "i64": (pa.int64(), [0, 1, -7, 1 << 52]),
    "u64": (pa.uint64(), [0, 1, 7, 1 << 52]),
    "f32": (pa.float32(), [0.0, 1.5, -2.25, 0.1, float("inf"), float("nan")]),
    "f64": (pa.float64(), FLOATS),
    "dec": (
        pa.decimal128(9, 3),
        [decimal.Decimal(text) for text in ("0.000", "1.500", "-2.250", "123456.789")],
    ),
    "text": (pa.string(), ["", "a", "ab", "b", "ü"]),
    "large": (pa.large_string(), ["", "a", "ab", "b"]),
    "bytes": (pa.binary(), [b"", b"a", b"\xff"]),
    "flag": (pa.bool_(), [True, False]),
    "day": (pa.date32(), [dt.date(1969, 12, 31), dt.date(2026, 1, 1)]),
    "time": (pa.time64("us"), [dt.time(0), dt.time(12, 30, 0, 1)]),
    "local": (pa.timestamp("us"), [EPOCH - dt.timedelta(365), EPOCH + dt.timedelta(20_000, 0, 1)]),
    "instant": (
        pa.timestamp("us", "UTC"),
        [dt.datetime(1969, 1, 1, tzinfo=dt.timezone.utc), dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)],
    ),
}

COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def random_table(rng, rows):
    def column(kind, values):
        return pa.array([None if rng.random() < 0.2 else rng.choice(values) for _ in range(rows)], kind)

    columns = {name: column(*kind) for name, kind in VALUES.items()}
    inner = pa.array([None if rng.random() < 0.2 else {"x": rng.choice([None, 1, 2])} for _ in range(rows)])
    columns["a.b"] = inner.cast(pa.struct([("x", pa.int64())]))
    columns["list"] = pa.array(
        [rng.choice([None, [], [1], [1, 2]]) for _ in range(rows)], pa.list_(pa.int64())
    )
    return pa.table(columns)


def random_test(rng):
    """A condition over one column."""
    name = rng.choice([*VALUES, "a.b", "list"])
    if name == "list":
        return rng.choice(COMPARISONS)(pc.list_value_length(pc.field("list")), rng.randrange(3))
    column, values = (pc.field("a.b", "x"), [1, 2, 3]) if name == "a.b" else (pc.field(name), VALUES[name][1])
    kind = rng.randrange(8)
    if kind == 0:
        return column.is_null() if rng.random() < 0.5 else column.is_valid()
    # pyarrow distinguishes -0.0 and 0.0 in `isin`.
    if kind == 1:
        return column.isin([value for value in rng.sample(values, 2) if value != 0 or name[0] != "f"])
    if kind == 2 and name in ("f32", "f64"):
        return column.is_nan()
    if name == "flag" and kind == 3:
        return column
    if name in ("text", "large") and kind == 3:
        return pc.starts_with(column, rng.choice(["", "a", "ab", "ü"]))
    if kind == 4:
        return rng.choice(COMPARISONS)(pc.scalar(rng.choice(values)), column)
    return rng.choice(COMPARISONS)(column, rng.choice(values))


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


@pytest.mark.parametrize("seed", seeds(0, 60))
def test_a_filter_keeps_the_rows_that_pyarrow_keeps(seed):
    rng = chance(seed, "pyarrow filters")
    table = random_table(rng, 40)
    stored = parquet(table)
    for _ in range(5):
        expression = random_expression(rng, random_test)
        expected = table.filter(expression)
        found = pa.table(af.read_parquet(stored, where=expression))
        assert repr(found.to_pylist()) == repr(expected.to_pylist()), str(expression)
        predicate = af.Predicate(expression, schema=table.schema)
        assert af.Predicate(str(predicate)) == predicate
        assert pa.table(af.read_parquet(stored, where=predicate)).num_rows == expected.num_rows


def test_columns_of_an_expression_need_not_be_read(tmp_path):
    table = random_table(chance("columns"), 50)
    path = tmp_path / "part.parquet"
    pq.write_table(table, path)
    expression = (pc.field("i64") >= 0) & pc.field("a.b", "x").is_valid()
    expected = table.filter(expression).column("text").to_pylist()
    assert expected
    assert (
        pa.table(af.read_parquet(path, columns=["text"], where=expression)).column("text").to_pylist()
        == expected
    )
    dataset = af.ParquetDataset(path, columns=["text"], representations={}).filter(expression)
    found = [
        text
        for batch in dataset.record_batches(batch_size=8)
        for text in batch.to_pyarrow().column("text").to_pylist()
    ]
    assert found == expected


@pytest.mark.parametrize("encoding", ["native", "feature"])
def test_every_format_takes_expressions(tmp_path, encoding):
    table = pa.table({"id": pa.array(range(10), pa.int64()), "text": [f"t{n % 3}" for n in range(10)]})
    expression = (pc.field("id") > 2) & (pc.field("text") == "t1")
    avro, csv, lines, ipc = (tmp_path / f"rows.{suffix}" for suffix in ("avro", "csv", "jsonl", "arrow"))
    af.write_avro(table, avro)
    csv.write_text("id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in table.to_pylist()))
    lines.write_text("".join(f'{{"id":{row["id"]},"text":"{row["text"]}"}}\n' for row in table.to_pylist()))
    with pa.ipc.new_file(ipc, table.schema) as writer:
        writer.write(table)
    records = tmp_path / "rows.tfrecord"
    af.write_tfrecord(table, records)
    readers = [
        af.read_avro(avro, columns=["id"], encoding=encoding, where=expression),
        af.read_csv(csv, columns=["id"], where=expression),
        af.read_json_lines(lines, columns=["id"], where=expression),
        af.read_arrow_ipc(ipc, columns=["id"], where=expression),
    ]
    for reader in readers:
        found = pa.table(reader).column("id").to_pylist()
        assert [value[0] if isinstance(value, list) else value for value in found] == [4, 7]
    # The features are strings of bytes.
    expression = (pc.field("id") > 2) & (pc.field("text") == b"t1")
    dataset = af.ExampleDataset(records).filter(expression)
    assert dataset.num_rows == 2


def test_the_types_of_columns_need_not_be_those_of_literals():
    table = pa.table(
        {
            "u64": pa.array([1, (1 << 64) - 1], pa.uint64()),
            "i64": pa.array([1, (1 << 53) + 1], pa.int64()),
            "f16": pa.array(np.array([1.0, 0.5], np.float16)),
            "dict": pa.array(["a", "b"]).dictionary_encode(),
            "view": pa.array(["a", "b"], pa.string_view()),
            "fixed": pa.array([b"ab", b"cd"], pa.binary(2)),
            "nanos": pa.array([0, 1], pa.timestamp("ns")),
            "seconds": pa.array([0, 1], pa.timestamp("s")),
            "dec": pa.array([decimal.Decimal("1.25"), decimal.Decimal("9.99")], pa.decimal128(5, 2)),
            "duration": pa.array([0, 1], pa.duration("us")),
        }
    )
    for expression, rows in [
        (pc.field("u64") > 5, [1]),
        (pc.field("u64") >= pa.scalar((1 << 64) - 1, pa.uint64()), [1]),
        (pc.field("i64") > 1.5, [1]),
        (pc.field("i64") == (1 << 53) + 1, [1]),
        (pc.field("f16") < 0.75, [1]),
        (pc.field("dict") == "b", [1]),
        (pc.field("view") > "a", [1]),
        (pc.field("fixed") == b"ab", [0]),
        (pc.field("nanos") > EPOCH, [1]),
        (pc.field("seconds") <= EPOCH, [0]),
        (pc.field("dec") > decimal.Decimal("1.2501"), [1]),
        (pc.field("dec") == 1.25, [0]),
        (pc.field("duration").is_valid(), [0, 1]),
    ]:
        predicate = af.Predicate(expression, schema=table.schema)
        stream = pa.BufferOutputStream()
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write(table)
        found = pa.table(af.read_arrow_ipc(stream.getvalue().to_pybytes(), where=predicate))
        assert found.to_pylist() == [table.to_pylist()[row] for row in rows], str(expression)


def test_starts_with():
    schema = pa.schema([("text", pa.string()), ("large", pa.large_string()), ("view", pa.string_view())])
    for name in schema.names:
        predicate = af.Predicate(pc.starts_with(pc.field(name), 'a"b'), schema=schema)
        assert predicate == af.col(name).starts_with('a"b')


def test_is_in_is_that_of_pyarrow():
    schema = pa.schema([("x", pa.float64())])

    def text(values):
        return str(af.Predicate(pc.field("x").isin(values), schema=schema))

    assert text([1.0, 2.5]) == "x in [1, 2.5] and x is not null"
    assert text([1.0, None]) == "x in [1] or x is null"
    assert text([1.0, float("nan")]) == "(x in [1] or not (x <= inf)) and x is not null"


SCHEMA = pa.schema(
    [("a", pa.int64()), ("b", pa.int64()), ("text", pa.string()), ("duration", pa.duration("us"))]
)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (pc.match_substring(pc.field("text"), "a"), "contains"),
        (pc.starts_with(pc.field("text"), "a", ignore_case=True), "starts_with of the same case"),
        (pc.is_in(pc.field("a"), pa.array([1, None]), skip_nulls=True), "an option for nulls"),
        (pc.field("a") > pc.field("b"), '"gt" of two columns'),
        (pc.field("a") + 1 > 2, "the function"),
        (pc.field("a").cast(pa.int8(), safe=False) > 2, "a cast"),
        (pc.field("a") == pa.scalar(None, pa.int64()), '"equal" of a null'),
        (pc.field("a"), "the column a of type Int64"),
        (pc.scalar(True), "a literal"),  # noqa: FBT003 - a value
        (pc.field("missing") > 1, "missing"),
        (pc.field("duration") > dt.timedelta(1), "duration"),
        (pc.xor(pc.field("a") > 1, pc.field("b") > 1), '"xor"'),
    ],
)
def test_pyarrow_expressions_that_are_not_understood_are_named(expression, message):
    with pytest.raises(ValueError, match="expected") as raised:
        af.Predicate(expression, schema=SCHEMA)
    assert message in str(raised.value)


def test_an_expression_needs_a_schema():
    with pytest.raises(TypeError, match="schema: expected the Arrow schema"):
        af.Predicate(pc.field("a") > 1)
    assert af.Predicate("a > 1", schema=SCHEMA) == (af.col("a") > 1)


def test_long_conjunctions():
    schema = pa.schema([("a", pa.int64())])
    expression = functools.reduce(operator.and_, (pc.field("a") != n for n in range(12)))
    assert str(af.Predicate(expression, schema=schema)).count("and") == 11
    # pyarrow would write gigabytes.
    expression = functools.reduce(operator.and_, (pc.field("a") != n for n in range(40)))
    with pytest.raises(ValueError, match="at most 14 levels, found 40"):
        af.Predicate(expression, schema=schema)


def test_damaged_messages_are_errors():
    expression = (pc.field("a") > 1) & pc.field("b").isin([1, 2]) | pc.field("text").is_null()
    typed = pa.schema(list(SCHEMA)[:3])
    message = bytes(expression.to_substrait(typed))
    rng = chance("damaged")
    for _ in range(2000):
        damaged = bytearray(message[: rng.randrange(len(message) + 1)] if rng.random() < 0.3 else message)
        for _ in range(rng.randrange(1, 4)):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with contextlib.suppress(ValueError):
            af._arrowfeed.predicate_from_substrait(bytes(damaged), typed, in_of_sql=rng.random() < 0.5)
