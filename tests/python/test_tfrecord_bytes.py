"""`encode_tfrecord`, and features of unions."""

import gzip
import zlib

import pyarrow as pa
import pytest

import arrowfeed as af

RECORDS = [b"", b"a", b"b" * 300_000]


@pytest.mark.parametrize(
    ("compression", "decompress"), [("none", bytes), ("gzip", gzip.decompress), ("zlib", zlib.decompress)]
)
def test_the_bytes_are_those_of_a_file(tmp_path, compression, decompress):
    path = tmp_path / "rows.tfrecord"
    af.write_tfrecord(pa.table({"record": RECORDS}), path, format="raw")
    assert decompress(af.encode_tfrecord(iter(RECORDS), compression=compression)) == path.read_bytes()


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_bytes_of_several_calls_are_one_file(compression):
    parts = [af.encode_tfrecord([record], compression=compression) for record in RECORDS]
    reader = af.read_tfrecord(b"".join(parts), format="raw")
    assert reader.to_pyarrow()["record"].to_pylist() == RECORDS
    assert af.encode_tfrecord([]) == b""


@pytest.mark.parametrize(
    ("compression", "decompress"), [("gzip", gzip.decompress), ("zlib", zlib.decompress)]
)
def test_levels_divide_time_and_bytes(compression, decompress):
    records = [b"%d %d" % (row, row * row) for row in range(5_000)]
    plain = af.encode_tfrecord(records)
    sizes = []
    for level in (1, 6, 12, None):
        file = af.encode_tfrecord(records, compression=compression, level=level)
        assert decompress(file) == plain
        sizes.append(len(file))
    assert sizes[0] > sizes[1] > sizes[2]
    assert sizes[3] == sizes[1]


@pytest.mark.parametrize(
    ("compression", "level", "expected"),
    [
        ("gzip", 0, "a level from 1 to 12, found 0"),
        ("zlib", 13, "a level from 1 to 12, found 13"),
        ("none", 6, "no level without a compression, found 6"),
    ],
)
def test_other_levels_are_errors(compression, level, expected):
    with pytest.raises(af.OptionError) as raised:
        af.encode_tfrecord([], compression=compression, level=level)
    assert str(raised.value) == f"level: expected {expected}"


def test_other_arguments_are_errors():
    for records, found in ((b"bytes", "bytes b'bytes'"), (5, "int 5")):
        with pytest.raises(TypeError) as raised:
            af.encode_tfrecord(records)
        assert str(raised.value) == f"records: expected an iterable of bytes, found {found}"
    with pytest.raises(TypeError) as raised:
        af.encode_tfrecord(["text"])
    assert str(raised.value) == "record: expected bytes, found str 'text'"
    with pytest.raises(ValueError, match="^compression: expected ") as raised:
        af.encode_tfrecord([], compression="snappy")
    expected = """compression: expected "none", "gzip" or "zlib", found str 'snappy'"""
    assert str(raised.value) == expected


def test_a_row_of_a_union_has_the_feature_of_its_branch():
    branches = [pa.array([7, None], pa.int64()), pa.array([["x"], []]), pa.nulls(1)]
    codes, rows = pa.array([1, 0, 2, 1, 0], pa.int8()), pa.array([0, 0, 0, 1, 1], pa.int32())
    union = pa.UnionArray.from_dense(codes, rows, branches)
    found = af.encode_examples(pa.record_batch({"u": union}))

    def of(value):
        [message] = af.encode_examples(pa.record_batch({"u": value}))
        return message

    lists = [of(branches[1][row : row + 1]) for row in range(2)]
    assert found == [lists[0], of(pa.array([7])), b"", lists[1], b""]
