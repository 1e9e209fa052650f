"""Each error class has this base, these attributes and this message."""

import errno
import os
import pickle

import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split
from conftest import users, write

TREE = {
    af.ArrowfeedError: Exception,
    af.FormatError: af.ArrowfeedError,
    af.TruncatedError: af.FormatError,
    af.CorruptBlockError: af.FormatError,
    af.CodecError: af.ArrowfeedError,
    af.SchemaError: af.ArrowfeedError,
    af.OptionError: af.ArrowfeedError,
    af.RepresentationError: af.ArrowfeedError,
    af.ConversionError: af.ArrowfeedError,
    af.LimitError: af.ArrowfeedError,
    af.ChangedError: af.ArrowfeedError,
    af.InternalError: af.ArrowfeedError,
}
VALUE_ERRORS = {af.SchemaError, af.OptionError, af.RepresentationError, af.ConversionError}
ATTRIBUTES = ("path", "block", "record", "offset", "field", "limit", "tensor")


@pytest.mark.parametrize(("kind", "base"), TREE.items())
def test_the_tree(kind, base):
    assert kind.__bases__[0] is base
    assert issubclass(kind, ValueError) == (kind in VALUE_ERRORS)
    assert kind.__module__ == "arrowfeed"
    assert getattr(af, kind.__name__) is kind


@pytest.mark.parametrize("kind", TREE)
def test_errors_pickle_with_their_attributes(kind):
    error = kind("what", path="a.avro", block=1, record=2, offset=3, field="x.y", limit="z", tensor="t")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert again.args == ("what",)
    assert [getattr(again, name) for name in ATTRIBUTES] == ["a.avro", 1, 2, 3, "x.y", "z", "t"]
    assert [getattr(kind("what"), name) for name in ATTRIBUTES] == [None] * 7


@pytest.fixture
def data(tmp_path):
    """A file of several blocks. The first ends before the second marker."""
    path = write(tmp_path / "whole.avro", users(20), sync_interval=100, sync_marker=b"0123456789abcdef")
    return path.read_bytes()


def marker(data, number):
    """Offset of a sync marker: the header's is number 0."""
    at = -1
    for _ in range(number + 1):
        at = data.index(b"0123456789abcdef", at + 1)
    return at


def cases(data):
    first = marker(data, 0) + 16
    second = marker(data, 1) + 16
    third = marker(data, 2)
    yield (
        "empty",
        b"",
        {},
        af.TruncatedError,
        {},
        "expected an Avro object container file, found an empty file",
    )
    yield (
        "magic",
        b"PAR1" + data[4:],
        {},
        af.FormatError,
        {},
        "expected the magic bytes 4f 62 6a 01 of an Avro file, found"
        " 50 41 52 31 04 14 61 76 72 6f 2e 63 6f 64 65 63 (Parquet)",
    )
    yield (
        "cut_block",
        data[: second + 20],
        {},
        af.TruncatedError,
        {"block": 1, "offset": second},
        f"block 1 at byte {second}: expected {third + 16 - second - 3} bytes of data and sync marker,"
        " found the end of the file after 17",
    )
    yield (
        "sync",
        data[:third] + b"x" + data[third + 1 :],
        {},
        af.CorruptBlockError,
        {"block": 1, "offset": second},
        f"block 1 at byte {second}: expected the sync marker 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66"
        f" after {third - second - 3} bytes of data, found 78 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66",
    )
    text = data.index(b"user 1")
    yield (
        "utf8",
        data[:text] + b"\xff" + data[text + 1 :],
        {},
        af.CorruptBlockError,
        {"block": 0, "record": 1, "field": "name"},
        None,
    )
    yield (
        "header_limit",
        data,
        {"limits": af.Limits(header_bytes=100)},
        af.LimitError,
        {"limit": "header_bytes"},
        None,
    )
    yield (
        "block_limit",
        data,
        {"limits": af.Limits(decoded_block_bytes=100)},
        af.LimitError,
        {"block": 0, "offset": first, "limit": "decoded_block_bytes"},
        f"block 0 at byte {first}: expected a block of at most 100 bytes, found {second - 16 - first - 3}",
    )
    yield (
        "column",
        data,
        {"columns": ["id", "nmae"]},
        af.SchemaError,
        {},
        'expected a field of record "tests.User" ("id", "name", "scores", "home"), found "nmae"',
    )
    yield (
        "resolution",
        data,
        {"reader_schema": '"int"'},
        af.SchemaError,
        {"field": "value"},
        "value: expected int as in the reader's schema, found record \"tests.User\" in the writer's schema",
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_kind_place_and_message(tmp_path, data, threads):
    seen = set()
    for name, content, options, kind, place, message in cases(data):
        path = tmp_path / f"{name}.avro"
        path.write_bytes(content)
        with pytest.raises(kind) as caught:
            list(af.read_avro(path, threads=threads, **options))
        error = caught.value
        assert type(error) is kind, name
        found = {attribute: getattr(error, attribute) for attribute in ATTRIBUTES}
        assert found["path"] == str(path), name
        for attribute, value in place.items():
            assert found[attribute] == value, (name, attribute)
        if message is not None:
            assert str(error) == f"{path}: {message}"
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again)) == (kind, str(error))
        assert {attribute: getattr(again, attribute) for attribute in ATTRIBUTES} == found
        seen.add(kind)
    assert len(seen) == 5


def test_a_wrong_checksum_is_a_codec_error(tmp_path):
    path = write(tmp_path / "a.avro", users(20), codec="snappy")
    data = bytearray(path.read_bytes())
    data[-17] ^= 1
    path.write_bytes(data)
    with pytest.raises(af.CodecError, match="block 0 at byte [0-9]+: expected bytes with the CRC-32 "):
        list(af.read_avro(path))


def test_an_unknown_codec_is_a_codec_error(tmp_path):
    path = write(tmp_path / "a.avro", users(20))
    path.write_bytes(path.read_bytes().replace(b"\x14avro.codec\x08null", b"\x14avro.codec\x08lzma"))
    message = 'expected the codec null, deflate, snappy, zstandard, bzip2 or xz, found "lzma"'
    with pytest.raises(af.CodecError) as caught:
        af.read_avro(path)
    assert str(caught.value).endswith(message)


def test_a_changed_file_is_reported(tmp_path):
    path = write(tmp_path / "a.avro", users(100))
    size = path.stat().st_size
    reader = af.read_avro(path, batch_size=10)
    next(reader)
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(af.ChangedError) as caught:
        list(reader)
    assert str(caught.value) == (
        f"{path}: expected the file to be unchanged since it was opened ({size:,} bytes), found "
        f"it changed ({size + 1:,} bytes)"
    )


def test_files_of_other_columns_are_distinguished(tmp_path):
    one = write(tmp_path / "1.avro", users(1))
    two = write(tmp_path / "2.avro", [1], "int")
    with pytest.raises(af.SchemaError) as caught:
        list(af.read_avro([one, two]))
    assert str(caught.value) == (
        f'{two}: expected the columns of {one}: column "id" to be Int64, found "value" as Int32;'
        " set `reader_schema`, or merge the schemas of the files, to read both"
    )


def record(kind):
    return {"type": "record", "name": "R", "fields": [{"name": "id", "type": kind}]}


def enum(*symbols):
    return {"type": "enum", "name": "E", "symbols": list(symbols)}


def struct(kind):
    return {"type": "record", "name": "S", "fields": [{"name": "a", "type": kind}]}


DIFFERENCES = {
    "symbols": (
        enum("A"),
        enum("A", "B"),
        r'column "id" to have the metadata "avro.enum.symbols": "[\"A\"]", found "[\"A\",\"B\"]"',
    ),
    "inside": (struct("int"), struct("long"), 'column "id.a" to be Int32, found "id.a" as Int64'),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_the_part_of_a_column_that_differs_is_named(tmp_path, case):
    first, second, difference = DIFFERENCES[case]
    one, two = (
        write(tmp_path / f"{name}.avro", [], record(kind)) for name, kind in (("1", first), ("2", second))
    )
    with pytest.raises(af.SchemaError) as caught:
        list(af.read_avro([one, two]))
    end = "; set `reader_schema`, or merge the schemas of the files, to read both"
    assert str(caught.value) == f"{two}: expected the columns of {one}: {difference}{end}"


def test_a_file_of_another_format_to_append_to_is_named(tmp_path):
    path = tmp_path / "text.avro"
    path.write_bytes(b"hello world")
    reason = "expected the magic bytes 4f 62 6a 01 of an Avro file, found 68 65 6c 6c 6f 20 77 6f 72 6c 64"
    for append in (
        lambda: af.write_avro(pa.table({"a": [1]}), path, append=True),
        lambda: af.AvroWriter(path, pa.schema({"a": pa.int64()}), append=True),
    ):
        with pytest.raises(af.FormatError) as caught:
            append()
        assert (str(caught.value), caught.value.path) == (f"{path}: {reason}", str(path))
    assert path.read_bytes() == b"hello world"


def test_a_bad_schema_is_a_schema_error():
    with pytest.raises(af.SchemaError) as caught:
        af.AvroSchema('{"type": "array", "items": "bool"}')
    assert str(caught.value) == 'expected a type, found the unknown name "bool": did you mean "boolean"?'
    assert caught.value.path is None


READS = {
    "read_avro": af.read_avro,
    "avro_schema": af.avro_schema,
    "plan_splits": plan_splits,
    "read_split": lambda path: read_split(af.Split(path, 0, 1)),
    "list": lambda path: af.read_avro([path]),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_missing_file_is_file_not_found(tmp_path, read):
    path = tmp_path / "no.avro"
    with pytest.raises(FileNotFoundError) as caught:
        read(path)
    assert caught.value.args == (errno.ENOENT, os.strerror(errno.ENOENT))
    assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, str(path))


def test_a_pattern_without_files_is_file_not_found(tmp_path):
    for pattern, message in (
        (tmp_path / "*.avro", "expected files that match this glob, found none"),
        (tmp_path, "expected a directory with files named *.avro, found none"),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            af.read_avro(pattern)
        assert str(caught.value) == f"[Errno 2] {message}: '{pattern}'"


def test_a_later_missing_file_is_reported_in_order(tmp_path):
    path = write(tmp_path / "1.avro", users(10))
    gone = write(tmp_path / "2.avro", users(10))
    reader = af.read_avro([path, gone])
    gone.unlink()
    assert next(reader).num_rows == 10
    with pytest.raises(FileNotFoundError) as caught:
        next(reader)
    assert caught.value.filename == str(gone)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read all")
def test_a_forbidden_file_is_a_permission_error(users_file):
    users_file.chmod(0)
    with pytest.raises(PermissionError) as caught:
        af.read_avro(users_file)
    assert caught.value.filename == str(users_file)


def test_a_directory_is_no_file_to_write(tmp_path):
    directory = tmp_path / "a.avro"
    directory.mkdir()
    source = next(af.read_avro(write(tmp_path / "b.avro", users(1))))
    with pytest.raises(IsADirectoryError) as caught:
        af.write_avro(source, directory)
    assert (caught.value.errno, caught.value.filename) == (errno.EISDIR, str(directory))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="expected a regular file, found a pipe or a device") as caught:
        af.read_avro(path)
    assert caught.value.errno == errno.EINVAL


def test_messages_show_no_secrets_of_a_url():
    with pytest.raises(ValueError, match="^file://host/a.avro: expected a file:// URL of this machine"):
        af.read_avro("file://me:word@host/a.avro")
