"""Readers accept paths, patterns, bytes, file objects and filesystems."""

import io
import mmap
import os
import pathlib
import sys

import fsspec
import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits
from conftest import users, write


def ids(source, **options):
    return pa.table(af.read_avro(source, columns=["id"], **options)).column("id").to_pylist()


@pytest.fixture
def parts(tmp_path):
    """Three files of ten rows, and files that must not be read."""
    directory = tmp_path / "parts"
    directory.mkdir()
    for part in (2, 0, 1):
        write(directory / f"part-{part}.avro", users(10, first=10 * part))
    (directory / "notes.txt").write_text("no Avro")
    (directory / ".part-9.avro").write_text("hidden")
    (directory / "sub.avro").mkdir()
    return directory


def test_paths_come_as_str_or_path(users_file):
    for source in (str(users_file), users_file, os.fspath(users_file), [users_file], (str(users_file),)):
        assert ids(source) == list(range(100))


def test_globs_directories_and_file_urls_are_resolved(parts):
    """Rust tests have the rules of globs and the escapes of URLs."""
    for source in (f"{parts}/*.avro", parts / "part-?.avro", parts, f"{parts}/", parts.as_uri()):
        assert ids(source) == list(range(30))


def test_a_list_keeps_its_order(parts):
    data = (parts / "part-0.avro").read_bytes()
    source = [parts / "part-2.avro", f"{parts}/part-[01]*", data, io.BytesIO(data)]
    assert ids(source) == [*range(20, 30), *range(20), *range(10), *range(10)]


def test_a_name_that_is_not_utf8_is_a_path(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.avro")
    try:
        write(pathlib.Path(path), users(3))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert ids(path) == [0, 1, 2]
    [split] = plan_splits(path)
    assert split.path == path


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_a_file(users_file, kind):
    assert ids(kind(users_file.read_bytes())) == list(range(100))


def test_a_mapped_file(users_file):
    with users_file.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert ids(memoryview(mapped)[:]) == list(range(100))


@pytest.mark.skipif(sys.platform != "linux", reason="KiB on Linux only")
def test_bytes_are_not_copied(tmp_path):
    import resource  # noqa: PLC0415 - Windows has none

    path = write(tmp_path / "a.avro", [b"x" * (8 << 20)], "bytes")
    data = path.read_bytes()
    reader = af.read_avro(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    readers = [af.read_avro(data) for _ in range(50)]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 50 * 1024, "KiB, for 50 readers of 8 MiB each"
    del readers, data
    assert len(next(reader).column("value").to_pyarrow()[0].as_py()) == 8 << 20


class Short(io.RawIOBase):
    """A file whose reads return a few bytes."""

    def __init__(self, data, most):
        self.data, self.most, self.asked = io.BytesIO(data), most, []

    def readable(self):
        return True

    def readinto(self, buffer):
        self.asked.append(len(buffer))
        return self.data.readinto(memoryview(buffer)[: self.most])


class IntoOnly:
    """Has `readinto` and no `read`."""

    def __init__(self, data):
        self.data = io.BytesIO(data)

    def readinto(self, buffer):
        return self.data.readinto(buffer)


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_file_objects(tmp_path, codec):
    path = write(tmp_path / "users.avro", users(100), codec=codec)
    data = path.read_bytes()
    with path.open("rb") as file:
        assert ids(file) == list(range(100))
        assert not file.closed
    with path.open("rb", buffering=0) as file:
        assert ids(file) == list(range(100))
    assert ids(io.BytesIO(data)) == list(range(100))
    assert ids(Short(data, 1)) == list(range(100))
    assert ids(Short(data, 7)) == list(range(100))
    assert ids(IntoOnly(data)) == list(range(100))


def test_a_reader_reads_a_file_object_from_its_position(users_file):
    file = io.BytesIO(b"before" + users_file.read_bytes())
    file.seek(6)
    assert ids(file, threads=4) == list(range(100))


def test_a_file_object_is_asked_for_large_pieces(users_file):
    file = Short(users_file.read_bytes(), 1 << 30)
    assert ids(file) == list(range(100))
    assert min(file.asked) >= 256 << 10


class Failing:
    """Raises after a number of bytes."""

    name = "failing.avro"

    def __init__(self, data, error):
        self.data, self.error = io.BytesIO(data), error

    def read(self, size):
        data = self.data.read(size)
        if not data:
            raise self.error
        return data


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("mine"), InterruptedError(4, "mine"), KeyboardInterrupt("mine")]
)
def test_an_error_of_a_file_object_is_raised_unchanged(users_file, error):
    reader = af.read_avro(Failing(users_file.read_bytes()[:-1], error), threads=3)
    with pytest.raises(type(error)) as caught:
        list(reader)
    assert caught.value is error
    with pytest.raises(ZeroDivisionError):
        af.avro_schema(Failing(b"Obj", ZeroDivisionError()))


def test_a_file_object_must_give_bytes(users_file):
    data = users_file.read_bytes()

    class Broken:
        def __init__(self, answer):
            self.answer = answer

        def read(self, size):
            return self.answer(size)

    with pytest.raises(
        TypeError, match="^source: expected bytes from read\\(\\), found str: open the file in binary"
    ):
        af.read_avro(io.StringIO("text"))
    with pytest.raises(ValueError, match="^source: expected at most [0-9]+ bytes from a read, found [0-9]+$"):
        af.read_avro(Broken(lambda size: bytes(size + 1)))
    with pytest.raises(TypeError, match="^source: expected bytes from read\\(\\), found int$"):
        af.read_avro(Broken(lambda size: size))
    with pytest.raises(BlockingIOError, match="^source: expected a blocking file object"):
        af.read_avro(Broken(lambda size: None))
    assert ids(Broken(io.BytesIO(data).read)) == list(range(100))
    file = io.BytesIO(data)
    assert ids(Broken(lambda size: bytearray(file.read(size)))) == list(range(100))


@pytest.fixture
def memory():
    """The empty memory filesystem of fsspec."""
    filesystem = fsspec.filesystem("memory")
    filesystem.rm("/", recursive=True) if filesystem.ls("/") else None
    yield filesystem
    filesystem.rm("/", recursive=True) if filesystem.ls("/") else None


def test_urls_are_opened_by_fsspec(memory, parts):
    for part in range(3):
        memory.pipe(f"/data/part-{part}.avro", (parts / f"part-{part}.avro").read_bytes())
    memory.pipe("/data/notes.txt", b"no Avro")
    assert ids("memory://data/part-1.avro") == list(range(10, 20))
    assert ids("memory://data/*.avro") == list(range(30))
    assert ids("memory://data") == list(range(30))
    assert ids(["memory://data/part-2.avro", parts / "part-0.avro"]) == [*range(20, 30), *range(10)]
    assert af.avro_schema("memory://data").codec == "null"


def test_a_url_without_files_is_not_found(memory):
    with pytest.raises(FileNotFoundError):
        af.read_avro("memory://nothing.avro")
    with pytest.raises(FileNotFoundError) as caught:
        af.read_avro("memory://nothing-*.avro")
    assert str(caught.value) == (
        "[Errno 2] expected files that match this URL, found none: 'memory://nothing-*.avro'"
    )


def test_files_of_a_url_in_directories_below_are_named(memory, parts):
    memory.pipe("/deep/dt=1/part-0.avro", (parts / "part-0.avro").read_bytes())
    with pytest.raises(FileNotFoundError) as caught:
        af.read_avro("memory://deep")
    assert str(caught.value) == (
        "[Errno 2] expected files named *.avro under this URL, found none: read those in directories below "
        "it with the glob **/*.avro, or with partitioning= if the names of the directories are values: "
        "'memory://deep'"
    )


def test_a_url_without_fsspec_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError) as caught:
        af.read_avro("sftp://key:word@host/a.avro?token=1")
    assert str(caught.value) == (
        "expected fsspec to read sftp://host/a.avro, found it not installed: pip install fsspec"
    )


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ([], ValueError, "source: expected at least one file, found an empty list"),
        (
            3,
            TypeError,
            "source: expected a path, a glob, a directory, a URL, bytes, a binary file object or a list of"
            " these, found int 3",
        ),
        (
            [None],
            TypeError,
            "source: expected a path, a glob, a directory, a URL, bytes, a binary file object or a list of"
            " these, found None",
        ),
    ],
)
def test_other_sources_are_refused(source, kind, message):
    for function in (af.read_avro, af.avro_schema, plan_splits):
        with pytest.raises(kind) as caught:
            function(source)
        assert str(caught.value) == message
