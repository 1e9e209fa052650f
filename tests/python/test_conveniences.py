"""Sources and schemas are accepted in many forms, and other libraries read the rows."""

from __future__ import annotations

import io
import os
import sys

import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import arrowfeed as af


@pytest.fixture
def folder(tmp_path):
    """A directory with two files of three rows."""
    for number in range(2):
        af.write_avro(pa.table({"id": range(3 * number, 3 * number + 3)}), tmp_path / f"part-{number}.avro")
    return tmp_path


def ids(source, **options):
    return pa.table(af.read_avro(source, **options))["id"].to_pylist()


def test_any_ordered_iterable_of_sources_is_accepted(folder):
    paths = sorted(folder.glob("*.avro"))
    for source in (iter(paths), (str(path) for path in paths), pd.Series([str(path) for path in paths])):
        assert ids(source) == list(range(6))
    assert af.AvroDataset(path for path in paths).num_rows == 6
    with pytest.raises(ValueError, match="^source: expected at least one file, found an empty list$"):
        ids(iter([]))
    for source in ({paths[0]}, {paths[0]: 1}, 7, None):
        with pytest.raises(TypeError, match="^source: expected a path, a glob, a directory, a URL"):
            ids(source)
    with pytest.raises(TypeError, match="found int 3$"):
        ids(iter([paths[0], 3]))


def test_an_error_of_a_generator_of_paths_is_raised(folder):
    def paths():
        yield folder / "part-0.avro"
        raise RuntimeError("no more names")

    with pytest.raises(RuntimeError, match="^no more names$"):
        ids(paths())


def test_files_of_fsspec_are_file_objects(folder):
    assert ids(fsspec.open(folder / "part-1.avro")) == [3, 4, 5]
    assert ids(fsspec.open_files(str(folder / "*.avro"))) == list(range(6))
    assert af.AvroDataset(fsspec.open(folder / "part-1.avro")).num_rows == 3


def test_a_schema_file_that_cannot_be_read_is_named(folder):
    with pytest.raises(FileNotFoundError, match="none.avsc"):
        af.AvroSchema(folder / "none.avsc")
    path = folder / "binary.avsc"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(af.SchemaError, match="binary.avsc: expected a schema in UTF-8, found other bytes$"):
        af.AvroSchema(path)
    path.write_bytes(b" " * (4 * 1024 * 1024 + 1))
    message = "binary.avsc: expected a schema of at most 4194304 bytes, found 4194305$"
    with pytest.raises(af.LimitError, match=message):
        af.AvroSchema(path)
    path.write_text("{}")
    with pytest.raises(af.SchemaError):
        af.AvroSchema(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_schema_is_not_read_from_a_pipe(folder):
    os.mkfifo(folder / "pipe.avsc")
    with pytest.raises(OSError, match="pipe.avsc"):
        af.AvroSchema(folder / "pipe.avsc")


def test_rows_become_tables_and_frames_of_other_libraries(folder):
    source = folder / "part-*.avro"
    assert af.read_avro(source).to_pyarrow() == pa.table(af.read_avro(source))
    assert af.read_avro(source).to_pandas()["id"].tolist() == list(range(6))
    assert af.read_avro(source).to_polars()["id"].to_list() == list(range(6))
    batch = next(af.read_avro(source))
    assert batch.to_pandas()["id"].tolist() == batch.to_polars()["id"].to_list() == [0, 1, 2]
    reader = af.read_avro(source)
    reader.to_pandas()
    with pytest.raises(ValueError, match="already consumed|handed over"):
        next(reader)


def test_rows_of_a_python_file_become_tables_and_frames(folder):
    # The libraries release the interpreter while they ask for batches, which need it.
    path = min(folder.glob("part-*.avro"))
    expected = next(af.read_avro(path)).to_pandas()["id"].tolist()
    with path.open("rb") as first, path.open("rb") as second, path.open("rb") as third:
        assert af.read_avro(first).to_pyarrow()["id"].to_pylist() == expected
        assert af.read_avro(second).to_pandas()["id"].tolist() == expected
        assert af.read_avro(third).to_polars()["id"].to_list() == expected


def test_python_code_that_a_reader_calls_may_read_other_files(folder):
    path = min(folder.glob("part-*.avro"))
    data = path.read_bytes()
    expected = next(af.read_avro(path)).num_rows

    class Nested(io.BytesIO):
        """A file that reads another file with pyarrow, which releases the interpreter, at each call."""

        def readinto(self, buffer):
            reader = af.read_avro(io.BytesIO(data), progress=True)
            assert pa.table(reader).num_rows == expected
            assert (
                pa.RecordBatchReader.from_stream(af.read_avro(io.BytesIO(data))).read_all().num_rows
                == expected
            )
            return super().readinto(buffer)

        def read(self, size=-1):
            assert pa.table(af.read_avro(io.BytesIO(data))).num_rows == expected
            return super().read(size)

    assert af.read_avro(Nested(data)).to_pyarrow().num_rows == expected
    assert pa.table(af.read_avro(Nested(data))).num_rows == expected
    assert sum(batch.num_rows for batch in af.read_avro(Nested(data))) == expected


def test_pandas_takes_columns(tmp_path):
    columns = {
        "number": pa.array([1, 2, 3]),
        "float": pa.array([0.5, None, 2.0]),
        "flag": pa.array([True, False, True]),
        "text": pa.array(["a", None, "c"]),
        "time": pa.array([0, None, 5], pa.timestamp("us")),
        "integer": pa.array([1, None, 2**53 + 1]),
        "list": pa.array([[1], [2, 3], []]),
    }
    af.write_avro(pa.table(columns), tmp_path / "a.avro")
    batch = next(af.read_avro(tmp_path / "a.avro"))
    for name, values in columns.items():
        series = pd.Series(batch[name])
        assert series.isna().tolist() == values.is_null().to_pylist()
        assert series.dropna().tolist() == values.drop_null().to_pylist()
        pd.testing.assert_series_equal(series, pd.Series(np.asarray(batch[name])))
    frame = pd.DataFrame({name: batch[name] for name in columns})
    pd.testing.assert_frame_equal(frame, pd.DataFrame({name: pd.Series(batch[name]) for name in columns}))
    assert frame["number"].tolist() == list(batch["number"]) == [1, 2, 3]
    assert frame.dtypes[["number", "float", "flag", "time"]].tolist() == [
        "int64",
        "float64",
        "bool",
        "datetime64[us]",
    ]


def test_pandas_refuses_readers_and_batches_with_advice(folder):
    advice = "has columns of several types and is not an array: use to_pandas(), to_polars() or to_pyarrow()"
    for rows, name in (
        (af.read_avro(folder), "RecordBatchReader"),
        (next(af.read_avro(folder)), "RecordBatch"),
        (list(af.read_avro(folder)), "RecordBatch"),
    ):
        with pytest.raises(TypeError) as caught:
            pd.DataFrame(rows)
        assert str(caught.value) == f"a {name} {advice}"
    with pytest.raises(TypeError) as caught:
        iter(next(af.read_avro(folder)))
    assert str(caught.value) == f"a RecordBatch {advice}"


@pytest.mark.parametrize(
    ("package", "method"),
    [("pyarrow", "to_pyarrow"), ("pyarrow", "to_pandas"), ("pandas", "to_pandas"), ("polars", "to_polars")],
)
def test_a_library_that_is_not_installed_is_named_with_its_installation(folder, monkeypatch, package, method):
    reader = af.read_avro(folder)
    batch = next(af.read_avro(folder))
    objects = [reader, batch]
    if method == "to_pyarrow":
        objects += [batch.schema, batch["id"]]
    monkeypatch.setitem(sys.modules, package, None)
    for found in objects:
        with pytest.raises(ImportError) as caught:
            getattr(found, method)()
        message = f"expected {package} for {method}(), found it not installed: pip install {package}"
        assert (str(caught.value), caught.value.name) == (message, package)
    monkeypatch.undo()
    assert reader.to_pyarrow().num_rows == 6


def test_other_uses_of_libraries_name_their_installation(tmp_path, monkeypatch):
    af.write_avro(pa.table({"x": [[1]]}), tmp_path / "a.avro")
    column = next(af.read_avro(tmp_path / "a.avro"))["x"]
    sparse = af.SparseTensor([[0, 0]], [1], [1, 1])
    for package, use, purpose in (
        ("pyarrow", lambda: np.asarray(column), "to convert List(Int64) to numpy"),
        ("scipy", sparse.to_scipy, "for to_scipy()"),
        ("polars", lambda: af.scan_avro(tmp_path / "a.avro"), "for scan_avro()"),
    ):
        with monkeypatch.context() as missing:
            missing.setitem(sys.modules, package, None)
            missing.delitem(sys.modules, "scipy.sparse", raising=False)
            with pytest.raises(ImportError) as caught:
                use()
        message = f"expected {package} {purpose}, found it not installed: pip install {package}"
        assert str(caught.value) == message


def test_endless_epochs_have_no_number_of_batches(folder):
    dataset = af.AvroDataset(folder)
    assert dataset.num_batches(batch_size=4, epochs=None) is None
    with pytest.raises(
        TypeError, match="num_batches\\(\\) missing 1 required keyword-only argument: 'batch_size'"
    ):
        dataset.num_batches()
