"""Ranges of a file have the blocks that `read_split` finds in them, whatever the cuts and the claims."""

import io
import random
from functools import partial
from operator import gt

import pytest
from beam_files import ROWS, ids, write

import arrowfeed as af
from arrowfeed.beam._blocks import BlockFile
from arrowfeed.beam._claimed import ClaimedBlocks


def claimed(data: bytes, start: int, stop: int, claim: object) -> ClaimedBlocks:
    """The blocks of a range of bytes."""
    return ClaimedBlocks(BlockFile(io.BytesIO(data), "x.avro", af.Limits()), "x.avro", start, stop, claim)


def read(blocks: ClaimedBlocks, **options: object) -> list[int]:
    """The ids of the rows of claimed blocks."""
    return ids(af.read_avro(blocks, threads=1, **options))


@pytest.mark.parametrize("codec", ["null", "deflate", "zstandard"])
def test_a_range_has_the_blocks_of_the_split(tmp_path, codec):
    path = write(tmp_path / "x.avro", codec=codec)
    data, seed = path.read_bytes(), random.randrange(1 << 32)
    chosen = random.Random(seed)
    for _ in range(100):
        start, stop = sorted(chosen.choices(range(len(data) + 1), k=2))
        found = read(claimed(data, start, stop, lambda offset, stop=stop: offset < stop))
        assert found == ids(af.read_split(af.Split(path, start, stop))), (seed, start, stop)


def test_every_byte_is_a_place_to_cut(tmp_path):
    data = write(tmp_path / "x.avro", count=40, block_bytes=100).read_bytes()
    for cut in range(len(data) + 1):
        first = read(claimed(data, 0, cut, lambda offset, cut=cut: offset < cut))
        second = read(claimed(data, cut, len(data), lambda offset: offset < len(data)))
        assert first + second == list(range(40)), cut


def test_each_block_is_claimed_once_in_order_and_the_end_is_refused(tmp_path):
    data = write(tmp_path / "x.avro").read_bytes()
    asked = []

    def claim(offset: int) -> bool:
        asked.append(offset)
        return offset < len(data)

    blocks = claimed(data, 0, len(data), claim)
    assert read(blocks) == list(range(ROWS))
    assert asked == sorted(set(asked))
    assert asked[-1] == len(data)
    assert blocks.claimed == len(asked) - 1 > 100


def grant(offsets: list[int], most: int, offset: int) -> bool:
    """Keeps what is asked for, and grants some of it."""
    offsets.append(offset)
    return len(offsets) <= most


def test_nothing_is_read_past_a_refused_claim(tmp_path):
    data = write(tmp_path / "x.avro", count=200).read_bytes()
    whole = claimed(data, 0, len(data), lambda offset: offset < len(data))
    read(whole)
    for granted in range(whole.claimed + 1):
        offsets = []
        blocks = claimed(data, 0, len(data), partial(grant, offsets, granted))
        first = read(blocks)
        rest = claimed(data, offsets[-1], len(data), lambda offset: offset < len(data))
        assert blocks.claimed == granted
        assert first + read(rest) == list(range(200))


def test_a_large_block_is_read_in_pieces(tmp_path):
    data = write(tmp_path / "x.avro", count=200_000, block_bytes=2 << 20).read_bytes()
    blocks = claimed(data, 0, len(data), lambda offset: offset < len(data))
    assert read(blocks) == list(range(200_000))
    assert blocks.claimed > 1


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (b"", af.TruncatedError, "x.avro: expected an Avro object container file, found an empty file"),
        (
            b"PAR1",
            af.FormatError,
            "x.avro: expected the magic bytes 4f 62 6a 01 of an Avro file, found 50 41 52 31 (Parquet)",
        ),
        (
            b"Obj\x01\x02\x01",
            af.FormatError,
            "x.avro: byte 5: expected the length of a metadata key to be 0 or more, found -1",
        ),
    ],
)
def test_what_is_no_header_is_refused(data, kind, message):
    with pytest.raises(kind) as caught:
        BlockFile(io.BytesIO(data), "x.avro", af.Limits())
    assert str(caught.value) == message


def test_a_header_over_the_limit_is_refused(tmp_path):
    data = write(tmp_path / "x.avro").read_bytes()
    limits = af.Limits(header_bytes=50)
    with pytest.raises(af.LimitError) as caught:
        read(claimed(data, 0, len(data), lambda offset: offset < len(data)), limits=limits)
    expected = "x.avro: byte 19: expected a file header of at most 50 bytes, found 196 or more"
    assert str(caught.value) == expected


def corrupt(data: bytes, block: int) -> tuple[bytes, int]:
    """The file with a byte of a block's text changed; and the offset of the block."""
    offsets = []
    read(claimed(data, 0, len(data), lambda offset: offsets.append(offset) or offset < len(data)))
    place = data.index(b"row ", offsets[block])
    return data[:place] + b"\xff" + data[place + 1 :], offsets[block]


def test_an_error_has_the_offset_in_the_file(tmp_path):
    data, offset = corrupt(write(tmp_path / "x.avro").read_bytes(), 9)
    (tmp_path / "x.avro").write_bytes(data)
    start = offset - 500
    blocks = claimed(data, start, len(data), lambda offset: offset < len(data))
    with pytest.raises(af.CorruptBlockError) as caught:
        read(blocks)
    with pytest.raises(af.CorruptBlockError) as expected:
        ids(af.read_split(af.Split(tmp_path / "x.avro", start, len(data))))
    found = blocks.located(caught.value)
    assert str(found) == str(expected.value).replace(str(tmp_path / "x.avro"), "x.avro")
    assert vars(found) == {**vars(expected.value), "path": "x.avro"}


def test_skipped_blocks_are_those_of_the_split(tmp_path):
    data, offset = corrupt(write(tmp_path / "x.avro").read_bytes(), 9)
    for place in (offset, offset + 1, offset + 2):
        changed = data[:place] + b"\xfe" + data[place + 1 :]
        (tmp_path / "x.avro").write_bytes(changed)
        found = read(claimed(changed, 0, len(data), lambda at: at < len(data)), on_error="skip_block")
        assert found == ids(af.read_avro(tmp_path / "x.avro", on_error="skip_block"))
        assert 0 < len(found) < ROWS


def test_a_file_that_got_shorter_has_changed(tmp_path):
    data = write(tmp_path / "x.avro", count=50).read_bytes()
    with pytest.raises(af.ChangedError) as caught:
        read(claimed(data, 0, len(data) + 1, lambda offset: offset <= len(data)))
    expected = (
        f"x.avro: expected a file of {len(data) + 1:,} bytes or more, found its end at byte {len(data):,}"
    )
    assert str(caught.value) == expected


def outcome(source: object, on_error: str) -> tuple[list[int], str | None]:
    """The ids of the rows that come out, and the text of the error that ends it."""
    found = []
    try:
        for batch in af.read_avro(source, threads=1, batch_size=1, on_error=on_error):
            found += ids([batch])
    except af.ArrowfeedError as error:
        located = source.located(error) if isinstance(source, ClaimedBlocks) else error
        return found, f"{type(error).__name__} {located.offset} {located}"
    return found, None


class Named(io.BytesIO):
    """The bytes of a file with its name."""

    name = "x.avro"


@pytest.mark.parametrize("on_error", ["raise", "skip_block"])
@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_a_broken_file_is_read_as_read_avro_does(tmp_path, codec, on_error):
    data = write(tmp_path / "x.avro", count=300, codec=codec).read_bytes()
    header = len(BlockFile(io.BytesIO(data), "x.avro", af.Limits()).header)
    seed = random.randrange(1 << 32)
    chosen, failed = random.Random(seed), 0
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(chosen.randrange(1, 3)):
            broken[chosen.randrange(header, len(data))] = chosen.randrange(256)
        broken = bytes(broken[: chosen.choice([len(data), chosen.randrange(header, len(data))])])
        expected = outcome(Named(broken), on_error)
        found = outcome(claimed(broken, 0, len(broken), partial(gt, len(broken))), on_error)
        assert found == expected, seed
        failed += expected[1] is not None
    assert failed > 100 or on_error == "skip_block"
