"""Filters of readers and datasets: the rows that pass are those that pyarrow keeps."""

import datetime as dt
import decimal
import math
import pickle
import random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed import col

ROWS = 1000
UTC = dt.timezone.utc
NAN = math.nan


def naive(*parts):
    """A time without a zone."""
    return dt.datetime(*parts, tzinfo=UTC).replace(tzinfo=None)


def rows_of(count=ROWS):
    numbers = range(count)
    start = naive(2026, 1, 1)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "x": pa.array([None if n % 7 == 0 else math.nan if n % 11 == 0 else n / 8 for n in numbers]),
            "name": pa.array([None if n % 3 == 0 else f"n{n}" for n in numbers]),
            "at": pa.array([start + dt.timedelta(hours=n) for n in numbers], pa.timestamp("us")),
            "seen": pa.array([start + dt.timedelta(days=n) for n in numbers], pa.timestamp("us", "UTC")),
            "tags": pa.array([["a"] * (n % 4) for n in numbers], pa.list_(pa.string())),
            "flag": pa.array([n % 2 == 0 for n in numbers]),
            "user": pa.array([None if n % 5 == 0 else {"age": n % 90} for n in numbers]),
        }
    )


TABLE = rows_of()
READERS = {
    "avro": (af.read_avro, af.AvroDataset),
    "parquet": (af.read_parquet, af.ParquetDataset),
    "arrow": (af.read_arrow_ipc, af.ArrowDataset),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of each format, in small blocks."""
    directory = tmp_path_factory.mktemp("filters")
    parts = (TABLE.slice(0, 600), TABLE.slice(600))
    for number, part in enumerate(parts):
        af.write_avro(part, directory / f"{number}.avro", block_bytes=2000)
        pq.write_table(part, directory / f"{number}.parquet", row_group_size=100)
        with pa.ipc.new_file(directory / f"{number}.arrow", part.schema) as writer:
            writer.write_table(part, max_chunksize=100)
    return {name: [directory / f"{number}.{name}" for number in range(2)] for name in READERS}


def field(*path):
    return pc.field(*path)


CASES = [
    (col("id") < 10, field("id") < 10),
    (col("id") >= 990.5, field("id") >= 991),
    ((col("id") > 5) & (col("id") <= 20), (field("id") > 5) & (field("id") <= 20)),
    (~(col("x") > 100), ~(field("x") > 100)),
    (col("x") != 3, field("x") != 3),
    (col("x") == NAN, field("x") == NAN),
    (col("x").is_null() | (col("id") == 3), field("x").is_null() | (field("id") == 3)),
    (col("name").is_not_null() & col("flag"), field("name").is_valid() & field("flag")),
    (col("name").starts_with("n1"), pc.starts_with(field("name"), "n1")),
    (col("name") >= "n5", field("name") >= "n5"),
    (col("id").is_in([1, 2, 3, 5000]), field("id").isin([1, 2, 3, 5000])),
    (col("name").is_in(["n1", "n2"]), field("name").isin(["n1", "n2"])),
    (col("at") < naive(2026, 1, 2, 3), field("at") < naive(2026, 1, 2, 3)),
    (
        col("seen") >= dt.datetime(2027, 1, 1, tzinfo=UTC),
        field("seen") >= dt.datetime(2027, 1, 1, tzinfo=UTC),
    ),
    (col("tags").list_length() >= 2, pc.list_value_length(field("tags")) >= 2),
    (col("user.age") < 18, field("user", "age") < 18),
    (~col("flag"), ~field("flag")),
]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_rows_that_pass_are_those_that_pyarrow_keeps(files, name, case):
    ours, theirs = CASES[case]
    read, dataset_class = READERS[name]
    expected = TABLE.filter(theirs).column("id").to_pylist()
    for predicate in (ours, str(ours)):
        batches = [pa.record_batch(batch) for batch in read(files[name], where=predicate, batch_size=64)]
        assert [batch.num_rows for batch in batches[:-1]] == [64] * (len(batches) - 1)
        found = pa.Table.from_batches(batches, batches[0].schema) if batches else TABLE.slice(0, 0)
        assert found.column("id").to_pylist() == expected
    dataset = dataset_class(files[name], columns=["id"]).filter(ours)
    batches = [pa.record_batch(batch) for batch in dataset.record_batches(batch_size=64)]
    assert [n for batch in batches for n in batch.column("id").to_pylist()] == expected
    assert all(batch.num_columns == 1 for batch in batches)
    assert dataset.num_rows == len(expected)


def random_predicate(random, depth=0):
    """A random predicate, and its expression of pyarrow."""
    if depth < 3 and random.random() < 0.5:
        one, other = (random_predicate(random, depth + 1) for _ in range(2))
        kind = random.randrange(3)
        if kind == 0:
            return one[0] & other[0], one[1] & other[1]
        if kind == 1:
            return one[0] | other[0], one[1] | other[1]
        return ~one[0], ~one[1]
    name, value = random.choice(
        [
            ("id", random.randrange(-5, 1005)),
            ("x", random.choice([random.randrange(1000) / 8, math.nan, 0.0, -0.0])),
            ("name", random.choice(["n5", f"n{random.randrange(1000)}", ""])),
            ("at", naive(2026, 1, 1) + dt.timedelta(minutes=random.randrange(60_000))),
        ]
    )
    ours, theirs = col(name), field(name)
    operator = random.choice(["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "null", "in"])
    if operator == "null":
        return ours.is_null(), theirs.is_null()
    if operator == "in" and not isinstance(value, float):
        # The `isin` of pyarrow is false for a null; in SQL it is null.
        return ours.is_in([value]), theirs == value
    operator = "__lt__" if operator == "in" else operator
    return getattr(ours, operator)(value), getattr(theirs, operator)(value)


@pytest.mark.parametrize("name", READERS)
def test_random_predicates_keep_the_rows_that_pyarrow_keeps(files, name):
    generator = random.Random(5)
    for _ in range(60):
        ours, theirs = random_predicate(generator)
        expected = TABLE.filter(theirs).column("id").to_pylist()
        reader = READERS[name][0](files[name], where=ours, columns=["id"], threads=generator.choice([1, 2]))
        assert pa.table(reader).column("id").to_pylist() == expected, ours
        assert af.Predicate(str(ours)) == ours


def test_text_formats_and_messages_are_filtered(tmp_path):
    (tmp_path / "a.csv").write_text("id,name\n" + "".join(f"{n},n{n}\n" for n in range(100)))
    (tmp_path / "a.jsonl").write_text("".join(f'{{"id": {n}, "name": "n{n}"}}\n' for n in range(100)))
    table = pa.table(
        {"id": [[n] for n in range(100)], "name": [[f"n{n}"] if n % 2 else [] for n in range(100)]}
    )
    af.write_tfrecord(table, tmp_path / "a.tfrecord")
    where = (col("id") >= 90) & col("name").starts_with("n9")
    for read, file, count in [
        (af.read_csv, "a.csv", 10),
        (af.read_json_lines, "a.jsonl", 10),
        (af.read_tfrecord, "a.tfrecord", 5),
    ]:
        reader = read(tmp_path / file, where=where)
        assert sum(batch.num_rows for batch in reader) == count
        report = reader.report()
        assert (report["rows"], report["rejected"]) == (count, 100 - count)
    raw = af.read_tfrecord(tmp_path / "a.tfrecord", format="raw", where='record != "x"')
    assert sum(batch.num_rows for batch in raw) == 100


def test_lists_of_one_value_are_compared_by_it(tmp_path):
    af.write_tfrecord(
        pa.table({"id": [[1], [], [2], [3]], "many": [[1], [2], [], [1, 2]]}), tmp_path / "a.tfrecord"
    )

    def ids(where):
        table = pa.table(af.read_tfrecord(tmp_path / "a.tfrecord", where=where))
        return table.column("id").to_pylist()

    assert ids(col("id") >= 2) == [[2], [3]]
    # `is null` asks about the list of the batch.
    assert ids(col("id").is_null()) == []
    assert ids(col("id").is_not_null()) == [[1], [], [2], [3]]
    assert ids("id is null or list_length(id) == 0") == [[]]
    in_list = pc.field("id").isin([1])
    assert ids(in_list) == [[1]]
    assert ids(~in_list) == [[], [2], [3]]
    assert ids(~pc.field("id").isin([1, None])) == [[2], [3]]
    assert ids(col("many").list_length() == 2) == [[3]]
    with pytest.raises(af.ConversionError) as caught:
        list(af.read_tfrecord(tmp_path / "a.tfrecord", where=col("many") == 1))
    assert "column many, row 3: expected a list with at most one value, found 2 values" in str(caught.value)
    af.write_avro(pa.table({"id": [1, None, 3]}), tmp_path / "a.avro")
    reader = af.read_avro(tmp_path / "a.avro", encoding="tfx", where=col("id") >= 1)
    assert pa.table(reader).column("id").to_pylist() == [[1], [3]]


def test_a_filtered_dataset_trains_like_another(files):
    dataset = af.AvroDataset(files["avro"], features={"id": af.features.Dense([])}).filter(col("id") >= 300)
    options = {"batch_size": 64, "shuffle_buffer_size": 100, "seed": 3}
    batches = [tensors["id"].values.tolist() for tensors in dataset.tensors(**options)]
    assert [len(batch) for batch in batches] == [64] * 10 + [60]
    assert sorted(n for batch in batches for n in batch) == [*range(300, ROWS)]
    # It resumes at every batch.
    for passed in range(len(batches)):
        iterator = dataset.tensors(**options)
        for _ in range(passed):
            next(iterator)
        resumed = pickle.loads(pickle.dumps(dataset))
        rest = resumed.tensors(**options)
        rest.load_state_dict(iterator.state_dict())
        assert [tensors["id"].values.tolist() for tensors in rest] == batches[passed:]
    assert (
        len({len(list(dataset.tensors(global_batch_size=64, even="drop", shard=(r, 4)))) for r in range(4)})
        == 1
    )
    assert dataset.take(10).num_rows == 10
    assert pa.record_batch(dataset.rows([0, -1])).column("id").to_pylist() == [300, ROWS - 1]


def test_a_filter_keeps_nothing(files):
    dataset = af.AvroDataset(files["avro"]).filter("id < 0")
    batches = dataset.record_batches(batch_size=10)
    assert list(batches) == []
    assert (batches.report()["rows"], batches.report()["rejected"]) == (0, ROWS)
    assert list(dataset.record_batches(batch_size=10, epochs=None)) == []


def test_a_copy_has_the_same_rows(files):
    dataset = (
        af.AvroDataset(files["avro"]).take(900).filter("id >= 3").split(0.5, seed=1)[1].filter(col("flag"))
    )
    copy = pickle.loads(pickle.dumps(dataset))
    ids = [
        n
        for batch in copy.record_batches(batch_size=100)
        for n in pa.record_batch(batch).column("id").to_pylist()
    ]
    assert 180 < len(ids) < 270
    assert all(n % 2 == 0 and 3 <= n < 900 for n in ids)
    assert copy.fingerprint == dataset.fingerprint
    passing = af.AvroDataset(files["avro"]).filter(col("flag"))
    splits = passing.plan_splits(target_bytes=1000)
    of_splits = [pa.table(batch)["id"] for split in splits for batch in passing.read_split(split)]
    assert len(splits) > 1
    assert (
        pa.chunked_array(of_splits).to_pylist()
        == pa.table(af.read_avro(files["avro"], where="flag"))["id"].to_pylist()
    )
    mixed = af.MixedDataset(
        [af.AvroDataset(files["avro"]), af.AvroDataset(files["avro"])], weights=[1, 1]
    ).filter("id < 5")
    assert mixed.num_rows == pickle.loads(pickle.dumps(mixed)).num_rows == 10


VALUES = [
    (True, "c == true"),
    (5, "c == 5"),
    (np.int16(5), "c == 5"),
    (2**70, "c == 1180591620717411303424"),
    (0.5, "c == 0.5"),
    (np.float32(0.5), "c == 0.5"),
    (decimal.Decimal("1.50"), "c == 1.5"),
    ('a"b', 'c == "a\\"b"'),
    (b"\x00\xff", 'c == x"00ff"'),
    (dt.date(2026, 1, 31), 'c == "2026-01-31"'),
    (naive(2026, 1, 31, 12), 'c == "2026-01-31T12:00:00"'),
    (dt.datetime(2026, 1, 31, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))), 'c == "2026-01-31T10:00:00Z"'),
    (np.datetime64("2026-01-31T12:00", "us"), 'c == "2026-01-31T12:00:00"'),
    (dt.time(1, 2, 3), 'c == "01:02:03"'),
    (dt.timedelta(seconds=1.5), 'c == "PT1.5S"'),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=[text for _, text in VALUES])
def test_values_become_text_that_is_read_back(value, text):
    predicate = col("c") == value
    assert str(predicate) == text
    assert af.Predicate(text) == predicate
    assert hash(af.Predicate(text)) == hash(predicate)
    assert pickle.loads(pickle.dumps(predicate)) == predicate
    assert repr(predicate) == f"arrowfeed.Predicate({text!r})"


ERRORS = [
    (lambda _: col(3), TypeError, "path: expected a field path (str), found int 3"),
    (
        lambda _: col("id") == None,  # noqa: E711
        TypeError,
        "value: expected a bool, number, str, bytes, date, time, datetime, timedelta or Decimal, found None:"
        " use is_null() or is_not_null()",
    ),
    (
        lambda _: col("id") in [1],  # noqa: FURB171
        TypeError,
        "expected a predicate as a whole, found one whose truth is asked: join predicates with &, | and ~"
        " instead of and, or, not and in, and put comparisons into parentheses",
    ),
    (
        lambda _: (col("id") > 3) & 4,
        TypeError,
        "&: expected a predicate, found int: put comparisons into parentheses",
    ),
    (
        lambda file: af.read_avro(file, where=5),
        TypeError,
        'where: expected a predicate such as arrowfeed.col("age") >= 18, or its text, found int 5',
    ),
    (
        lambda file: af.read_avro(file, where="id <"),
        ValueError,
        "where: position 5: expected a number, a string in quotes, true or false, found the end",
    ),
    (lambda file: af.read_avro(file, where="id == true"), af.OptionError, "column id is Int64: "),
    (lambda file: af.AvroDataset(file).filter("name > 3"), af.OptionError, "column name is Utf8: "),
    (lambda file: af.AvroDataset(file).filter("tags == 3"), af.OptionError, "column tags is List(Utf8): "),
]


def test_both_kinds_of_quotes_and_lists_are_one_predicate(files):
    text = "name in ('it''s', 'b') or name == 'c'"
    predicate = af.col("name").is_in(["it's", "b"]) | (af.col("name") == "c")
    assert af.Predicate(text) == predicate
    assert str(af.Predicate(text)) == 'name in ["it\'s", "b"] or name == "c"'


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors_say_what_was_expected(files, number):
    call, kind, message = ERRORS[number]
    with pytest.raises(kind) as caught:
        call(files["avro"][0])
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("name", READERS)
def test_a_column_that_does_not_exist_is_named(files, name):
    read, dataset_class = READERS[name]
    for where in ("nothing > 3", "id >= 3 and nothing.x is null"):
        path = next(word for word in where.split() if "nothing" in word)
        with pytest.raises(af.OptionError) as of_reader:
            read(files[name], where=where)
        assert str(of_reader.value).startswith(f"column {path}: expected a column of this name, one of ")
        for columns in (None, ["id"]):
            with pytest.raises(af.OptionError) as of_dataset:
                dataset_class(files[name], columns=columns).filter(where)
            assert str(of_dataset.value) == str(of_reader.value)
        with pytest.raises(af.OptionError) as of_columns:
            read(files[name], where=where, columns=["id"])
        assert str(of_columns.value) == str(of_reader.value)
