"""Splits of files that changed after they were planned."""

import os
import pickle
import re

import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split

ROWS = 5000


def write(path, first=0):
    af.write_avro(pa.table({"i": range(first, first + ROWS)}), path, codec="null", block_bytes=1000)
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.avro")


def planned(path):
    splits = plan_splits(path, target_bytes=path.stat().st_size // 6)
    assert len(splits) > 4
    return splits


def rows(split, **options):
    return sum(batch.num_rows for batch in read_split(split, **options))


@pytest.mark.parametrize("on_error", ["raise", "skip_block", "skip_file"])
def test_a_file_that_was_cut_has_changed(path, on_error):
    splits = planned(path)
    was, cut = path.stat().st_size, splits[-2].start
    os.truncate(path, cut)
    for split in pickle.loads(pickle.dumps(splits)):
        with pytest.raises(af.ChangedError) as caught:
            rows(split, on_error=on_error)
        message = (
            f"{path}: expected the file to be unchanged since its splits were planned ({was:,} "
            f"bytes), found {cut:,} bytes"
        )
        assert str(caught.value) == message


def test_another_file_of_the_same_length_has_changed(path):
    splits = planned(path)
    was = path.stat().st_size
    write(path)
    assert path.stat().st_size == was
    marker = "([0-9a-f]{2} ?){16}"
    expected = (
        f"{re.escape(str(path))}: expected the file to be unchanged since its splits were planned "
        rf"\(sync marker {marker}\), found {marker}"
    )
    for split in splits:
        with pytest.raises(af.ChangedError) as caught:
            rows(split)
        assert re.fullmatch(expected, str(caught.value))


def test_a_file_object_in_place_of_the_path_is_checked_too(path, tmp_path):
    splits = planned(path)
    os.truncate(path, splits[-1].start)
    claimed = []
    with path.open("rb") as file, pytest.raises(af.ChangedError):
        rows(splits[-1], file=file, claim=lambda offset: claimed.append(offset) or True)
    assert claimed == []
    with write(tmp_path / "b.avro").open("rb") as file, pytest.raises(af.ChangedError):
        rows(splits[0], file=file)


def test_a_copy_and_a_touched_file_are_the_same_file(path):
    splits = planned(path)
    path.write_bytes(path.read_bytes())
    os.utime(path, (1, 1))
    assert sum(rows(split) for split in splits) == ROWS


def test_a_split_made_by_hand_may_end_but_not_start_behind_the_end(path):
    size = path.stat().st_size
    assert rows(af.Split(path, 0, size + 10)) == ROWS
    assert rows(af.Split(path, size, size + 10)) == 0
    with pytest.raises(af.ChangedError) as caught:
        read_split(af.Split(path, size + 1, size + 10))
    message = f"{path}: expected a file of {size + 1:,} bytes or more, found its end at byte {size:,}"
    assert str(caught.value) == message


def test_an_id_names_the_file_and_takes_no_part_in_comparison(path):
    for split in planned(path):
        assert re.fullmatch(rf"{path.stat().st_size}-[0-9a-f]{{32}}", split.file_id)
        by_hand = af.Split(split.path, split.start, split.end)
        named = af.Split(split.path, split.start, split.end, file_id=split.file_id)
        assert by_hand.file_id is None
        assert by_hand == named == split
        assert hash(by_hand) == hash(split)
        assert pickle.loads(pickle.dumps(split)).file_id == split.file_id
        assert rows(named) == rows(split)


@pytest.mark.parametrize(
    ("file_id", "kind", "message"),
    [
        (
            "12",
            ValueError,
            "file_id: expected the length and the sync marker of a file, such as "
            '1024-000102030405060708090a0b0c0d0e0f, found "12"',
        ),
        (12, TypeError, "file_id: expected a str or None, found int 12"),
    ],
)
def test_a_wrong_id_is_named(file_id, kind, message):
    with pytest.raises(kind) as caught:
        af.Split("a.avro", 0, 1, file_id=file_id)
    assert (type(caught.value), str(caught.value)) == (kind, message)
