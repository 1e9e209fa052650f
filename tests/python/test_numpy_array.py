"""`numpy.asarray` of a column has the values of pyarrow for every type."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af


def column(array: pa.Array) -> af.Array:
    """The array as a column of a batch that arrowfeed has read."""
    file = io.BytesIO()
    af.write_avro(pa.table({"x": array}), file)
    return next(af.read_avro(file.getvalue()))["x"]


@pytest.mark.parametrize(
    ("array", "dtype"),
    [
        (pa.array([1, -2, 3], pa.int32()), "int32"),
        (pa.array([1, 2**53 + 1, 3], pa.int64()), "int64"),
        (pa.array([0.5, 1.5], pa.float32()), "float32"),
        (pa.array([0.5, 1.5], pa.float64()), "float64"),
        (pa.array([True, False]), "bool"),
        (pa.array([0, 19_000], pa.date32()), "datetime64[D]"),
        (pa.array([0, 10**15], pa.timestamp("us", "UTC")), "datetime64[us]"),
        (pa.array([0, 10**12], pa.timestamp("ms")), "datetime64[ms]"),
    ],
)
def test_numbers_and_times_have_the_type_of_numpy(array, dtype):
    found = np.asarray(column(array))
    assert found.dtype == dtype
    assert found.tolist() == array.to_numpy(zero_copy_only=False).tolist()


def test_numbers_without_nulls_share_the_memory_and_are_read_only():
    numbers = column(pa.array(range(1000), pa.int64()))
    first, second = np.asarray(numbers), np.asarray(numbers)
    assert first.ctypes.data == second.ctypes.data == numbers.to_pyarrow().buffers()[1].address
    assert not first.flags.writeable
    copy = np.array(numbers)
    assert copy.flags.writeable
    assert copy.ctypes.data != first.ctypes.data


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([1, None, 2**53 + 1], pa.int64()), [1, None, 2**53 + 1]),
        (pa.array([1, None], pa.int32()), [1, None]),
        (pa.array([True, None]), [True, None]),
        (pa.array(["ä", None, ""]), ["ä", None, ""]),
        (pa.array([b"\0\xff", None]), [b"\0\xff", None]),
        (pa.array([b"ab", b"cd"], pa.binary(2)), [b"ab", b"cd"]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (pa.array([[1, 2], [3, 4]], pa.list_(pa.int64())), [[1, 2], [3, 4]]),
        (pa.array([{"a": 1}, {"a": 2}]), [{"a": 1}, {"a": 2}]),
        (pa.array([decimal.Decimal("1.50")], pa.decimal128(4, 2)), [decimal.Decimal("1.50")]),
        (pa.array([dt.time(1, 2, 3)], pa.time64("us")), [dt.time(1, 2, 3)]),
        (pa.array([None, None], pa.null()), [None, None]),
    ],
)
def test_all_other_types_are_objects_and_no_value_is_rounded(array, expected):
    found = np.asarray(column(array))
    assert (found.dtype, found.shape) == (np.dtype(object), (len(expected),))
    assert found.tolist() == expected


def test_a_null_float_is_nan_and_a_null_time_is_not_a_time():
    assert np.isnan(np.asarray(column(pa.array([0.5, None])))).tolist() == [False, True]
    assert np.isnan(np.asarray(column(pa.array([0.5, None], pa.float32())))).tolist() == [False, True]
    times = np.asarray(column(pa.array([0, None], pa.timestamp("us"))))
    assert np.isnat(times).tolist() == [False, True]


def test_the_caller_chooses_type_and_copy():
    numbers = column(pa.array([1, 2], pa.int64()))
    assert np.asarray(numbers, dtype="float32").tolist() == [1.0, 2.0]
    assert numbers.__array__(copy=False).dtype == "int64"
    with pytest.raises(ValueError, match="expected a copy, which float32 needs, found copy=False"):
        numbers.__array__(dtype="float32", copy=False)


def test_a_batch_and_a_reader_say_that_they_are_no_array():
    file = io.BytesIO()
    af.write_avro(pa.table({"x": [1]}), file)
    reader = af.read_avro(file.getvalue())
    advice = r"has columns of several types and is not an array: use to_pandas\(\), to_polars\(\) or to_py"
    with pytest.raises(TypeError, match="^a RecordBatchReader " + advice):
        np.asarray(reader)
    with pytest.raises(TypeError, match="^a RecordBatch " + advice):
        np.asarray(next(reader))


def test_a_column_is_found_by_its_name():
    file = io.BytesIO()
    af.write_avro(pa.table({"x": [1], "y": ["a"]}), file)
    batch = next(af.read_avro(file.getvalue()))
    assert batch["y"] == batch.column("y")
    with pytest.raises(KeyError, match='expected one of the columns x, y, found "z"'):
        batch["z"]
    with pytest.raises(TypeError):
        batch[0]
    with pytest.raises(TypeError):
        iter(batch)


def test_numbers_and_texts_need_no_pyarrow(tmp_path):
    path = tmp_path / "a.avro"
    table = pa.table({"id": [1, 2], "name": ["a", None], "at": pa.array([0, None], pa.timestamp("us"))})
    af.write_avro(table, path)
    script = f"""
    import sys
    sys.modules["pyarrow"] = None
    import numpy as np
    import arrowfeed as af

    batch = next(af.read_avro({str(path)!r}))
    print([np.asarray(batch[name]).tolist() for name in batch.schema.names])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[[1, 2], ['a', None], [datetime.datetime(1970, 1, 1, 0, 0), None]]\n"
