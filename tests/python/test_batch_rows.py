"""Slices, masks, row numbers and the text of a `RecordBatch`."""

import re

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import arrowfeed as af
from arrowfeed import col

TABLE = pa.table(
    {
        "id": pa.array(range(10), pa.int64()),
        "name": [None if n == 3 else f"name {n}" for n in range(10)],
        "tags": [[str(n)] * (n % 3) for n in range(10)],
    }
)
NO_ROW = "expected the number of a row, from -10 to 9, found "
NO_MASK = "rows: expected a predicate, its text, or a bool for each row, found int "
NO_KEY = "key: expected the name of a column (str), or a slice of rows, found int "
BOUNDS = [
    (3,),
    (2, 5),
    (-4, None),
    (8, 20),
    (5, 2),
    (None, None, 3),
    (None, None, -1),
    (9, 1, -2),
    (20, None),
]


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    path = tmp_path_factory.mktemp("batch") / "rows.avro"
    af.write_avro(TABLE, path)
    return next(af.read_avro(path))


def rows(batch):
    return batch.to_pyarrow().to_pylist()


@pytest.mark.parametrize("key", [slice(*bounds) for bounds in BOUNDS], ids=str)
def test_a_slice_has_the_rows_of_a_list(batch, key):
    assert rows(batch[key]) == TABLE.to_pylist()[key]
    assert batch[key].schema == batch.schema


@pytest.mark.parametrize(
    ("mask", "chosen"),
    [
        ([n % 2 == 0 for n in range(10)], [0, 2, 4, 6, 8]),
        (tuple(n > 7 or None for n in range(10)), [8, 9]),
        (np.arange(10) % 3 == 1, [1, 4, 7]),
        (pa.array([True, None, False] * 3 + [True]), [0, 3, 6, 9]),
        (pa.chunked_array([[True] * 4, [False] * 6]), [0, 1, 2, 3]),
        (pl.Series([False] * 9 + [True]), [9]),
        (iter([True] * 10), list(range(10))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mask_selects_rows(batch, mask, chosen):
    assert rows(batch.filter(mask)) == [TABLE.to_pylist()[number] for number in chosen]


@pytest.mark.parametrize(
    "predicate",
    [col("id") >= 7, "id >= 7", pc.field("id") >= 7, pl.col("id") >= 7],
    ids=["predicate", "text", "pyarrow", "polars"],
)
def test_a_predicate_selects_rows(batch, predicate):
    assert rows(batch.filter(predicate)) == TABLE.to_pylist()[7:]


def test_a_predicate_compares_the_only_value_of_a_list(batch):
    assert rows(batch[3:5].filter('tags = "4"')) == TABLE.to_pylist()[4:5]
    with pytest.raises(af.ConversionError, match="tags"):
        batch.filter('tags = "4"')
    with pytest.raises(af.OptionError, match="missing"):
        batch.filter("missing = 4")


NUMBERS = [[5, 0, 5, -1], range(3), np.array([9, -10]), pa.array([1, 2]), []]


@pytest.mark.parametrize("numbers", NUMBERS, ids=str)
def test_rows_are_taken_by_number(batch, numbers):
    listed = numbers.to_pylist() if isinstance(numbers, pa.Array) else numbers
    assert rows(batch.take(numbers)) == [TABLE.to_pylist()[number] for number in listed]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda batch: batch.take([10]), IndexError, f"{NO_ROW}10"),
        (lambda batch: batch.take([-11]), IndexError, f"{NO_ROW}-11"),
        (lambda batch: batch.take([1 << 70]), IndexError, f"{NO_ROW}{1 << 70}"),
        (
            lambda batch: batch[:0].take([0]),
            IndexError,
            "expected no number, because the batch has no rows, found 0",
        ),
        (lambda batch: batch.filter([True]), ValueError, "rows: expected a mask of 10 values, found 1"),
        (lambda batch: batch.filter([1] * 10), TypeError, f"{NO_MASK}1"),
        (lambda batch: batch.filter(5), TypeError, f"{NO_MASK}5"),
        (lambda batch: batch[3], TypeError, f"{NO_KEY}3"),
        (lambda batch: batch[::0], ValueError, "slice step cannot be zero"),
    ],
)
def test_other_keys_are_errors(batch, call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call(batch)


def test_a_batch_without_columns_has_rows():
    empty = next(af.read_csv(b"a,b\n1,2\n3,4\n", columns=[]))
    assert [empty[:1].num_rows, empty.take([0, 1, 1]).num_rows] == [1, 3]
    assert empty.filter([True, False]).num_rows == 1


def test_the_text_shows_the_first_values(batch):
    assert repr(batch) == (
        "<arrowfeed.RecordBatch of 10 rows and 3 columns>\n"
        "  id: Int64 = 0, 1, 2, …\n"
        "  name: Utf8 = name 0, name 1, name 2, …\n"
        "  tags: List(Utf8) = [], [1], [2, 2], …"
    )
    assert repr(batch[:0]).splitlines()[1] == "  id: Int64"
    assert repr(batch[9:]).splitlines()[2] == "  name: Utf8 = name 9"
    assert repr(batch[3:4]).splitlines()[2] == "  name: Utf8 = null"
    lines = next(af.read_csv(b'a\n"x\ny"\n' + b"z" * 100 + b"\n"))
    assert repr(lines).splitlines()[1] == "  a: Utf8 = x\\ny, " + "z" * 55 + "…"


def test_the_head_of_a_dataset_has_its_first_rows(tmp_path):
    for number in range(3):
        af.write_avro(TABLE[number * 2 : number * 2 + 2], tmp_path / f"{number}.avro")
    dataset = af.AvroDataset(tmp_path / "*.avro", columns=["id", "name", "tags"], representations={})
    assert rows(dataset.head()) == TABLE.to_pylist()[:5]
    assert [rows(dataset.head(count)) for count in (0, 1, 3, 100)] == [
        TABLE.to_pylist()[: min(count, 6)] for count in (0, 1, 3, 100)
    ]
    assert rows(dataset.filter(col("id") > 3).head(1)) == TABLE.to_pylist()[4:5]
    empty = dataset.filter(col("id") > 100).head()
    assert empty.num_rows == 0
    assert empty.schema == dataset.arrow_schema
    mixed = af.MixedDataset([dataset, dataset], weights=[1, 1])
    assert mixed.head(4).num_rows == 4
    with pytest.raises(ValueError, match="^count: expected an integer of 0 or more, found int -1$"):
        dataset.head(-1)
