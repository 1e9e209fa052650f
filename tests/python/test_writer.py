"""`AvroWriter` appends, writes to file objects, and creates files atomically."""

import gc
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import fastavro
import polars as pl
import pyarrow as pa
import pytest

import arrowfeed as af
from session_seed import chance

FULL = Path("/dev/full")
KILLS = int(os.environ.get("ARROWFEED_WRITE_KILLS", "20"))


def rows(path):
    return pa.table(af.read_avro(path))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def ids(start, n):
    return pa.table({"id": pa.array(range(start, start + n), pa.int64())})


def test_a_writer_takes_batches_until_it_is_closed(tmp_path):
    path = tmp_path / "a.avro"
    with af.AvroWriter(path, codec="deflate", level=9) as writer:
        assert [writer.write(ids(i * 10, 10)) for i in range(3)] == [10, 10, 10]
        assert not path.exists()
    assert rows(path)["id"].to_pylist() == list(range(30))
    assert (writer.rows, writer.blocks, writer.bytes) == (30, 1, path.stat().st_size)
    assert repr(writer) == f"AvroWriter(rows=30, blocks=1, bytes={path.stat().st_size})"
    writer.close()
    text = "expected an open writer, found one that is closed or has failed: make a new one"
    with pytest.raises(ValueError, match=f"^{text}$"):
        writer.write(ids(0, 1))


def test_an_exception_leaves_nothing(tmp_path):
    def fails():
        with af.AvroWriter(tmp_path / "a.avro") as writer:
            writer.write(ids(0, 10))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fails()
    assert names(tmp_path) == []


def test_an_error_of_a_value_ends_the_writer_and_leaves_nothing(tmp_path):
    path = tmp_path / "a.avro"
    writer = af.AvroWriter(path, block_bytes=1)
    times = pa.array([0, 86_400_000], pa.int32()).view(pa.time32("ms"))
    writer.write(pa.table({"t": times}))
    with pytest.raises(af.ConversionError) as error:
        writer.close()
    message = "record 1: t: expected a time of day from 0 to 86,399,999 milliseconds, found 86400000"
    assert str(error.value) == f"{path}: {message}"
    assert (error.value.record, error.value.field) == (1, "t")
    with pytest.raises(ValueError, match="closed or has failed"):
        writer.write(pa.table({"t": times}))
    assert names(tmp_path) == []


def test_a_file_without_rows_needs_its_columns(tmp_path):
    path = tmp_path / "a.avro"
    with af.AvroWriter(path, pa.schema([("id", pa.int64())])):
        pass
    assert rows(path).num_rows == 0
    assert rows(path).column_names == ["id"]
    text = (
        r"expected a batch or arrow_schema= before close\(\), found neither: "
        "the columns of the file are not known"
    )
    with pytest.raises(ValueError, match=f"^{text}$"):
        af.AvroWriter(tmp_path / "b.avro").close()
    with pytest.raises(af.SchemaError, match="found Decimal128\\(5, -2\\)"):
        af.AvroWriter(tmp_path / "b.avro", pa.schema([("d", pa.decimal128(5, -2))]))
    assert names(tmp_path) == ["a.avro"]


def test_file_objects_take_the_same_bytes(tmp_path):
    memory = io.BytesIO()
    assert af.write_avro(ids(0, 1000), memory, codec="null", threads=1) == 1000
    assert [row["id"] for row in fastavro.reader(io.BytesIO(memory.getvalue()))] == list(range(1000))
    with (tmp_path / "a.avro").open("wb", buffering=0) as file:
        assert af.write_avro(ids(0, 1000), file) == 1000
        assert not file.closed
    assert rows(tmp_path / "a.avro").num_rows == 1000

    class Full(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left on device"):
        af.write_avro(ids(0, 1000), Full())


def test_dictionaries_views_and_names_of_any_text_are_written(tmp_path):
    path = tmp_path / "a.avro"
    frame = pl.DataFrame(
        {
            "category": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "enum": pl.Series(["x", "y", "x"], dtype=pl.Enum(["x", "y"])),
            "my col": ["v", "a text that no view holds inline", None],
            "größe": [[True, False], [False], None],
        }
    )
    assert af.write_avro(frame, path) == 3
    found = rows(path)
    assert found.to_pylist() == frame.to_dicts()
    assert af.read_avro(path, columns=["my col"]).schema.names == ["my col"]
    with path.open("rb") as file:
        names = [field["name"] for field in fastavro.reader(file).writer_schema["fields"]]
    assert names == ["category", "enum", "my_col", "gr__e"]
    plain = pa.table({"d": pa.array(["a", "b"]).dictionary_encode()})
    assert af.write_avro(plain, path) == 2
    assert rows(path)["d"].to_pylist() == ["a", "b"]


def test_rows_are_appended_with_the_schema_and_codec_of_the_file(tmp_path):
    path = tmp_path / "a.avro"
    af.write_avro(ids(0, 10), path, codec="snappy", metadata={"who": b"me"})
    before = path.read_bytes()
    assert af.write_avro(ids(10, 5), path, append=True) == 5
    assert rows(path)["id"].to_pylist() == list(range(15))
    assert path.read_bytes()[: len(before)] == before
    with af.AvroWriter(path, append=True, codec="snappy") as writer:
        writer.write(ids(15, 5))
    header = af.avro_schema(path)
    assert (header.codec, header.metadata["who"]) == ("snappy", b"me")
    with path.open("rb") as file:
        assert [row["id"] for row in fastavro.reader(file)] == list(range(20))


def test_a_file_that_cannot_be_appended_to_stays_unchanged(tmp_path):
    path = tmp_path / "a.avro"
    af.write_avro(ids(0, 10), path, codec="snappy")
    before = path.read_bytes()
    text = "codec: expected the codec snappy of the existing file, found deflate"
    with pytest.raises(ValueError, match=f"^{text}$"):
        af.write_avro(ids(10, 5), path, append=True, codec="deflate")
    with pytest.raises(ValueError, match="metadata: expected none when appending"):
        af.write_avro(ids(10, 5), path, append=True, metadata={"a": b""})
    with pytest.raises(af.SchemaError, match='found none for the column "other"|the field "id"'):
        af.write_avro(pa.table({"other": [1]}), path, append=True)
    with af.AvroWriter(path, ids(0, 0).schema, append=True), pytest.raises(OSError, match="another writer"):
        af.write_avro(ids(10, 5), path, append=True)
    with pytest.raises(FileNotFoundError):
        af.write_avro(ids(10, 5), tmp_path / "none.avro", append=True)
    assert path.read_bytes() == before
    cut = tmp_path / "cut.avro"
    cut.write_bytes(before[:-3])
    with pytest.raises(af.TruncatedError, match="ends with its sync marker"):
        af.write_avro(ids(10, 5), cut, append=True)
    assert names(tmp_path) == ["a.avro", "cut.avro"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_path_that_is_not_a_file_is_not_replaced(tmp_path):
    (tmp_path / "folder.avro").mkdir()
    os.mkfifo(tmp_path / "pipe.avro")
    with pytest.raises(IsADirectoryError):
        af.write_avro(ids(0, 1), tmp_path / "folder.avro")
    for path in (tmp_path / "pipe.avro", "/dev/null"):
        with pytest.raises(OSError, match="found a pipe or a device"):
            af.write_avro(ids(0, 1), path)
    # A link with the name of the hidden file is not followed, and one with the final name is replaced.
    (tmp_path / "other").write_bytes(b"kept")
    (tmp_path / "link.avro").symlink_to(tmp_path / "other")
    af.write_avro(ids(0, 1), tmp_path / "link.avro")
    assert (tmp_path / "other").read_bytes() == b"kept"
    assert rows(tmp_path / "link.avro").num_rows == 1


def test_two_writers_of_one_path_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "a.avro"
    with af.AvroWriter(path) as first, af.AvroWriter(path) as second:
        for i in range(50):
            first.write(ids(i, 1))
            second.write(ids(1000 + i, 1))
    # The context that was entered last ends first.
    assert rows(path)["id"].to_pylist() == list(range(50))
    assert names(tmp_path) == ["a.avro"]


WRITES = """
import itertools, sys
import arrowfeed as af, pyarrow as pa
path, append = sys.argv[1], sys.argv[2] == "append"
print("ready", flush=True)
for i in itertools.count():
    n = 20_000
    table = pa.table({"id": pa.array(range(n), pa.int64()), "text": ["x" * 40] * n})
    af.write_avro(table, path, codec="null", append=append, threads=1 + i % 2)
"""


@pytest.mark.parametrize("way", ["new", "append"])
def test_a_killed_writer_leaves_a_whole_file(tmp_path, way):
    path = tmp_path / "a.avro"
    table = pa.table({"id": pa.array([7], pa.int64()), "text": ["first"]})
    moments = chance("killed writer", way)
    for _ in range(KILLS // 2):
        af.write_avro(table, path, codec="null")
        child = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(path), way], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout.readline() == "ready\n"
        time.sleep(moments.random() * 0.1)
        child.kill()
        child.wait()
        child.stdout.close()
        found = rows(path).num_rows
        assert found % 20_000 == (1 if way == "append" or found == 1 else 0)
        assert all(batch.num_rows for batch in af.read_avro(tmp_path))
        for name in names(tmp_path):
            assert name == "a.avro" or (name.startswith(".a.avro.") and name.endswith(".partial"))
            if name != "a.avro":
                (tmp_path / name).unlink()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_a_fork_neither_writes_nor_removes_the_file_of_its_parent(tmp_path):
    path = tmp_path / "a.avro"
    with af.AvroWriter(path, codec="null", block_bytes=100, threads=2) as writer:
        writer.write(ids(0, 1000))
        child = os.fork()
        if child == 0:
            try:
                writer.write(ids(0, 1000))
            except ValueError as error:
                text = "expected a writer of this process, found one that was made before a fork"
                code = 0 if text in str(error) else 1
            else:
                code = 2
            del writer
            gc.collect()
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        writer.write(ids(1000, 1000))
    assert rows(path)["id"].to_pylist() == list(range(2000))
    assert names(tmp_path) == ["a.avro"]


def test_a_file_object_that_calls_its_writer_is_an_error(tmp_path):
    class Calls(io.RawIOBase):
        def writable(self):
            return True

        def write(self, data):
            return writer.rows

    writer = af.AvroWriter(Calls(), ids(0, 0).schema)
    with pytest.raises(ValueError, match="found a call from inside another call to it"):
        writer.write(ids(0, 1))


def test_a_failing_stream_leaves_nothing(tmp_path):
    def batches():
        yield ids(0, 10).to_batches()[0]
        raise RuntimeError("the stream broke")

    path = tmp_path / "a.avro"
    reader = pa.RecordBatchReader.from_batches(ids(0, 0).schema, batches())
    with pytest.raises(af.ArrowfeedError, match="the stream broke"):
        af.write_avro(reader, path)
    assert names(tmp_path) == []


def test_tensors_go_back_to_a_file(tmp_path):
    lists = pa.array([[1, 2], [], [3]], pa.list_(pa.int64()))
    table = pa.table({"label": pa.array([0.5, 1.0, 2.0], pa.float32()), "ids": lists})
    af.write_avro(table, tmp_path / "first.avro")
    reader = af.read_avro(tmp_path / "first.avro", batch_size=2)
    adapter = af.TensorAdapter(
        reader.schema,
        {"label": af.representations.Dense("label"), "ids": af.representations.VarLenRagged("ids")},
    )
    converter = af.TensorsToRecordBatch(adapter.specs)
    with af.AvroWriter(tmp_path / "second.avro", converter.schema) as writer:
        assert [writer.write(converter.convert(adapter.convert(batch))) for batch in reader] == [2, 1]
    batches = af.read_avro(tmp_path / "second.avro", batch_size=3)
    again = af.TensorAdapter(batches.schema, converter.representations).convert(next(batches))
    first = adapter.convert(next(af.read_avro(tmp_path / "first.avro", batch_size=3)))
    assert again["label"].values.tolist() == first["label"].values.tolist() == [0.5, 1.0, 2.0]
    assert again["ids"].to_list() == first["ids"].to_list() == [[1, 2], [], [3]]


FILLS = """
import errno, resource, sys
import arrowfeed as af, pyarrow as pa
path, append = sys.argv[1], sys.argv[2] == "append"
table = pa.table({"id": pa.array(range(100_000), pa.int64())})
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    af.write_avro(table, path, codec="null", append=append, threads=int(sys.argv[3]))
except OSError as error:
    assert error.errno == errno.EFBIG, error
    print("refused")
"""


@pytest.mark.skipif(os.name != "posix", reason="a limit of POSIX")
@pytest.mark.parametrize(("way", "threads"), [("new", 1), ("append", 2)])
def test_a_file_that_cannot_grow_stays_unchanged(tmp_path, way, threads):
    path = tmp_path / "a.avro"
    af.write_avro(ids(0, 3), path, codec="null")
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FILLS, str(path), way, str(threads)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("refused\n", "")
    assert path.read_bytes() == before
    assert names(tmp_path) == ["a.avro"]


@pytest.mark.skipif(not FULL.exists(), reason="needs the device /dev/full")
def test_a_full_device_is_an_error_of_the_writer(tmp_path):
    with (
        FULL.open("wb", buffering=0) as full,
        pytest.raises(OSError, match="No space left on device"),
    ):
        af.write_avro(ids(0, 1000), full)


@pytest.mark.parametrize("text", ["string", "large_string"])
@pytest.mark.parametrize("kind", ["plain", "dictionary", "view", "list", "key"])
def test_text_that_is_not_utf8_is_an_error(tmp_path, kind, text):
    """Arrays of pyarrow may have any bytes as text; a reader would refuse the file."""
    offsets = pa.array([0, 2, 3, 4, 6], pa.int64() if text == "large_string" else pa.int32())
    # The third value is the second half of a character: the text as a whole is UTF-8.
    buffers = [None, offsets.buffers()[1], pa.py_buffer("ab\u00e9cd".encode())]
    values = pa.Array.from_buffers(getattr(pa, text)(), 4, buffers)
    items = pa.array(range(5), pa.int32())
    column = {
        "plain": lambda: values,
        "dictionary": lambda: pa.DictionaryArray.from_arrays(items[:4], values),
        "view": lambda: values.cast(pa.string()).cast(pa.string_view()),
        "list": lambda: pa.ListArray.from_arrays(items, values),
        "key": lambda: pa.MapArray.from_arrays(items, values.cast(pa.string()), items[:4]),
    }[kind]()
    path = tmp_path / "a.avro"
    # Values that are not written do not count, except those of a dictionary.
    af.write_avro(pa.table({"x": column.slice(0, 1)} if kind != "dictionary" else {"x": ["ab"]}), path)
    text = r"""^column "x.*": expected valid Arrow data, found a string that is not UTF-8, b"\\xc3"$"""
    with pytest.raises(ValueError, match=text):
        af.write_avro(pa.table({"x": column}), path)
    assert rows(path).num_rows == 1
