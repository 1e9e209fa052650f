"""Blocks of splits are claimed during the read, from files on disk and file objects."""

import io

import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split
from conftest import users, write
from session_seed import chance

ROWS = 300


def ids(reader):
    return [number for batch in reader for number in pa.record_batch(batch).column("id").to_pylist()]


@pytest.fixture(params=["null", "deflate", "zstandard"])
def path(request, tmp_path):
    return write(tmp_path / "x.avro", users(ROWS), sync_interval=500, codec=request.param)


def whole(path):
    return af.Split(path, 0, path.stat().st_size)


def offsets(path):
    """The offsets of the blocks of a file."""
    asked = []
    ids(read_split(whole(path), claim=lambda offset: asked.append(offset) or True))
    return asked


def test_each_block_is_claimed_once_in_order(path):
    asked = offsets(path)
    marker = path.read_bytes()[-16:]
    assert len(asked) > 10
    assert asked == sorted(set(asked))
    assert all(path.read_bytes()[offset - 16 : offset] == marker for offset in asked)
    assert asked[0] == plan_splits(path)[0].start


def test_a_split_ends_before_the_block_that_is_refused(path):
    for granted, refused in enumerate(offsets(path)):
        asked = []

        def claim(offset, asked=asked, refused=refused):
            asked.append(offset)
            return offset < refused

        reader = read_split(whole(path), claim=claim)
        first = ids(reader)
        rest = ids(read_split(af.Split(path, refused, path.stat().st_size)))
        assert first + rest == list(range(ROWS))
        assert asked[-1] == refused
        assert reader.report()["blocks"] == granted == len(asked) - 1


def test_the_rest_can_be_claimed_at_any_byte(tmp_path):
    path = write(tmp_path / "x.avro", users(20), sync_interval=100)
    size = path.stat().st_size
    for cut in range(size + 1):
        first = ids(read_split(whole(path), claim=lambda offset, cut=cut: offset < cut))
        assert first + ids(read_split(af.Split(path, cut, size))) == list(range(20)), cut


def test_nothing_is_decoded_of_a_block_that_is_refused(tmp_path):
    path = write(tmp_path / "x.avro", users(100), sync_interval=300)
    bad = offsets(path)[3]
    data = bytearray(path.read_bytes())
    data[bad + 3 : bad + 40] = b"\xff" * 37
    path.write_bytes(data)
    with pytest.raises(af.CorruptBlockError):
        ids(read_split(whole(path)))
    reader = read_split(whole(path), claim=lambda offset: offset < bad)
    assert ids(reader) == list(range(len(ids(read_split(af.Split(path, 0, bad))))))
    assert reader.report()["skipped"] == []


def test_a_file_object_is_read_as_the_file_of_its_name(path):
    data, chosen = path.read_bytes(), chance("file objects")
    for _ in range(50):
        start, end = sorted(chosen.choices(range(len(data) + 1), k=2))
        split = af.Split(path, start, end)
        with path.open("rb") as file, path.open("rb", buffering=0) as raw:
            file.seek(chosen.randrange(len(data)))
            for other in (file, raw, io.BytesIO(data)):
                assert ids(read_split(split, file=other)) == ids(read_split(split)), split
                assert not other.closed


class Reads(io.BytesIO):
    """A file that records its reads."""

    def __init__(self, data):
        super().__init__(data)
        self.read_up_to = 0

    def read(self, size=-1, /):
        data = super().read(size)
        self.read_up_to = max(self.read_up_to, self.tell())
        return data


def test_little_is_read_past_the_end_of_a_split(tmp_path):
    path = write(tmp_path / "x.avro", users(200_000), sync_interval=16_000)
    file = Reads(path.read_bytes())
    size, end = path.stat().st_size, 1 << 20
    assert size > 5 << 20
    ids(read_split(af.Split(path, 0, end), file=file))
    assert file.read_up_to < end + (2 << 20)


class Readinto:
    """A raw file that only fills buffers, with a few bytes at a time."""

    def __init__(self, data):
        self._file = io.BytesIO(data)
        self.seek, self.tell = self._file.seek, self._file.tell

    def readinto(self, buffer):
        return self._file.readinto(memoryview(buffer)[:100])


def test_a_raw_file_object_is_read(path):
    assert ids(read_split(whole(path), file=Readinto(path.read_bytes()))) == list(range(ROWS))


def test_errors_have_the_offset_in_the_file_and_the_path_of_the_split(tmp_path):
    path = write(tmp_path / "x.avro", users(100), sync_interval=300)
    start, bad = offsets(path)[2], offsets(path)[5]
    data = bytearray(path.read_bytes())
    data[bad + 3 : bad + 40] = b"\xff" * 37
    with pytest.raises(af.CorruptBlockError) as caught:
        ids(read_split(af.Split(path, start, len(data)), file=io.BytesIO(data)))
    error = caught.value
    assert (error.path, error.block) == (str(path), 3)
    assert bad < error.offset < bad + 40
    path.write_bytes(data)
    with pytest.raises(af.CorruptBlockError) as expected:
        ids(read_split(af.Split(path, start, len(data))))
    assert str(error) == str(expected.value)


@pytest.mark.parametrize("on_error", ["raise", "skip_block", "skip_file"])
def test_an_error_of_a_claim_is_raised_after_the_rows_before(tmp_path, on_error):
    path = write(tmp_path / "x.avro", users(ROWS), sync_interval=500)
    asked, found = offsets(path), []
    raised = KeyError("the claim")

    def claim(offset):
        if offset == asked[4]:
            raise raised
        return True

    reader = read_split(whole(path), claim=claim, on_error=on_error, batch_size=7)
    with pytest.raises(KeyError) as caught:
        found.extend(reader)
    assert caught.value is raised
    assert ids(found) == ids(read_split(af.Split(path, 0, asked[4])))
    assert list(reader) == []
    assert reader.report()["skipped"] == []


def test_a_claim_that_answers_nothing_is_an_error(path):
    with pytest.raises(TypeError) as caught:
        ids(read_split(whole(path), claim=lambda _: None))
    assert str(caught.value) == "claim: expected a return value of True or False, found None"


def test_a_claim_that_uses_the_reader_is_an_error(path):
    reader = read_split(whole(path), claim=lambda _: next(reader))
    with pytest.raises(ValueError, match="^expected a reader that is not in use, found a call from inside"):
        ids(reader)


def test_an_error_of_a_file_object_is_raised(path):
    class Broken(io.BytesIO):
        def seek(self, offset, whence=0, /):
            if offset:
                raise BlockingIOError("no seeking")
            return super().seek(offset, whence)

    for start in (0, 500):
        with pytest.raises(BlockingIOError, match="^no seeking$"):
            ids(read_split(af.Split(path, start, 1 << 20), file=Broken(path.read_bytes())))


def test_a_file_object_that_gets_shorter_has_changed(path):
    file = io.BytesIO(path.read_bytes())
    size = path.stat().st_size

    def claim(offset):
        file.truncate(size - 1)
        return True

    reader = read_split(af.Split(path, 0, size), claim=claim, file=file)
    was, now = f"{size:,} bytes", f"{size - 1:,} bytes"
    expected = (
        f"{path}: expected the file to be unchanged since it was opened ({was}), found it changed ({now})"
    )
    with pytest.raises(af.ChangedError) as caught:
        ids(reader)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"claim": True}, "claim: expected a function of an offset, found bool True"),
        ({"file": "x.avro"}, "file: expected a binary file object that can seek, found str 'x.avro'"),
        (
            {"file": io.StringIO("text")},
            "file: expected bytes from read(), found str: open the file in binary mode",
        ),
    ],
)
def test_wrong_arguments_of_claims_are_named(path, options, message):
    with pytest.raises(TypeError) as caught:
        read_split(whole(path), **options)
    assert str(caught.value) == message
