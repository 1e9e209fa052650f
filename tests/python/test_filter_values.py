"""Values that a predicate compares: integers and decimals of any size, and times of NumPy and pandas."""

import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from arrowfeed import col

TEXTS = [
    (np.datetime64(1, "ns"), '"1970-01-01T00:00:00.000000001"'),
    (np.array(-1, "datetime64[ns]"), '"1969-12-31T23:59:59.999999999"'),
    (np.datetime64(3, "25ns"), '"1970-01-01T00:00:00.000000075"'),
    (np.datetime64(3000, "ps"), '"1970-01-01T00:00:00.000000003"'),
    (np.datetime64(1 << 60, "us"), '"+38504-08-17T21:30:06.846976"'),
    (np.datetime64("2026-01-31T12:00", "us"), '"2026-01-31T12:00:00"'),
    (np.datetime64("2026-01", "M"), '"2026-01-01"'),
    (np.datetime64(4_000_000, "D"), '"+12921-08-18"'),
    (np.timedelta64(-1, "ns"), '"-PT0.000000001S"'),
    (np.timedelta64(2, "W"), '"PT1209600S"'),
    (pd.Timestamp(1, tz="UTC"), '"1970-01-01T00:00:00.000000001Z"'),
    (pd.Timedelta(1, "ns"), '"PT0.000000001S"'),
    (1 << 127, str(1 << 127)),
    (-(1 << 250), str(-(1 << 250))),
    (10**80, "1e80"),
    (Decimal("1e1000000"), "1e1000000"),
    (Decimal("-1.50"), "-1.5"),
]

SCALARS = "expected a bool, number, str, bytes, date, time, datetime, timedelta or Decimal"

REFUSED = [
    (
        1 << 300,
        ValueError,
        "expected a number with at most 76 digits, found int 203703597633448608626844568840",
    ),
    (-(1 << 20_000_000), ValueError, "expected an integer of at most 2048 bits, found one of 20000001"),
    (Decimal("9" * 100), ValueError, "expected a number with at most 76 digits, found Decimal Decimal('999"),
    (np.datetime64("NaT", "ns"), TypeError, f"{SCALARS}, found None: use is_null() or is_not_null()"),
    (pd.NaT, TypeError, f"{SCALARS}, found NaTType NaT: use is_null() or is_not_null()"),
    (np.timedelta64(5), ValueError, "expected a duration with a unit, found timedelta64 np.timedelta64(5)"),
    (np.timedelta64(1, "M"), ValueError, "expected a duration in weeks or smaller units, found timedelta64 "),
    (np.datetime64(1, "ps"), ValueError, "expected whole nanoseconds, found datetime64 "),
    (np.datetime64(30_000, "Y"), ValueError, "expected a date of the years 1 to 9999, found datetime64 "),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_a_value_becomes_text_that_is_read_back(value, text):
    predicate = col("c") == value
    assert str(predicate) == f"c == {text}"
    assert af.Predicate(f"c == {text}") == predicate
    assert col("c").is_in([value]) == af.Predicate(f"c in [{text}]")


@pytest.mark.parametrize(("value", "kind", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_a_value_is_refused(value, kind, message):
    with pytest.raises(kind) as raised:
        col("c") <= value  # noqa: B015 - raises
    assert str(raised.value).startswith(f"value: {message}")
    with pytest.raises(kind) as raised:
        col("c").is_in([1, value])
    assert str(raised.value).startswith(f"values: {message}")


@pytest.fixture(scope="module")
def stored():
    second = 1_000_000_000
    columns = {
        "ns": pa.array([second, 2 * second], pa.timestamp("ns")),
        "us": pa.array([1_000_000, 2_000_000], pa.timestamp("us")),
        "utc": pa.array([1_000_000, 2_000_000], pa.timestamp("us", "UTC")),
        "wait": pa.array([1_000_000, 2_000_000], pa.duration("us")),
        "n": pa.array([second, 5], pa.int64()),
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def test_times_of_numpy_are_compared_with_times(stored):
    def rows(predicate):
        return pa.table(af.read_parquet(stored, where=predicate)).num_rows

    second, wait = np.datetime64(1_000_000_000, "ns"), np.timedelta64(1_000_000_000, "ns")
    for name in ("ns", "us"):
        assert (rows(col(name) == second), rows(col(name) > second), rows(col(name).is_in([second]))) == (
            1,
            1,
            1,
        )
    assert (rows(col("wait") == wait), rows(col("wait") != wait)) == (1, 1)
    for name, value, message in [
        ("n", second, 'column n is Int64: expected a number, found the timestamp "1970-01-01T00:00:01"'),
        ("n", wait, 'column n is Int64: expected a number, found the duration "PT1S"'),
        (
            "utc",
            second,
            'column utc is Timestamp(µs, "UTC"): expected a timestamp with a time zone, such as'
            ' "2026-01-31T12:30:00Z", found the timestamp "1970-01-01T00:00:01"',
        ),
    ]:
        for predicate in (col(name) == value, col(name).is_in([value])):
            with pytest.raises(af.OptionError) as raised:
                rows(predicate)
            assert str(raised.value).endswith(message)


def test_every_integer_is_smaller_than_one_above_128_bits(stored):
    for large in (1 << 130, 10**75, 10**80):
        for predicate, count in [
            (col("n") < large, 2),
            (col("n") > -large, 2),
            (col("n") == large, 0),
            (col("n").is_in([5, large]), 1),
        ]:
            assert pa.table(af.read_parquet(stored, where=predicate)).num_rows == count
