"""Each row of a file is in exactly one split."""

import io
import itertools
import pickle

import fastavro
import pyarrow as pa
import pytest

import arrowfeed as af
from avro_splits import plan_splits, read_split
from conftest import users, write
from session_seed import chance


def ids(split, **options):
    return pa.table(read_split(split, columns=["id"], **options)).column("id").to_pylist()


@pytest.fixture
def parts(tmp_path):
    write(tmp_path / "a.avro", users(300), sync_interval=500)
    write(tmp_path / "b.avro", users(200, first=300), sync_interval=500, codec="deflate")
    write(tmp_path / "c.avro", [])
    write(tmp_path / "d.avro", users(1, first=500))
    return tmp_path


def test_splits_give_each_row_once(parts):
    for target_bytes in (17, 500):
        splits = plan_splits(parts, target_bytes=target_bytes)
        assert len(splits) > 3
        assert [row for split in splits for row in ids(split)] == list(range(501))
    path = parts / "a.avro"
    cuts = [0, 300, 301, 302, 1000, path.stat().st_size, path.stat().st_size + 10]
    splits = [af.Split(path, start, end) for start, end in itertools.pairwise(cuts)]
    assert [row for split in splits for row in ids(split)] == list(range(300))


def test_large_splits_are_whole_files_and_empty_files_have_none(parts):
    splits = plan_splits(parts, target_bytes=1 << 62)
    assert [split.path for split in splits] == [str(parts / f"{name}.avro") for name in "abd"]
    assert [split.end for split in splits] == [(parts / f"{name}.avro").stat().st_size for name in "abd"]


def test_split_options_are_those_of_the_dataset(parts):
    [split] = plan_splits(parts / "a.avro")
    whole = list(af.read_avro(parts / "a.avro", columns=["name"], batch_size=70))
    assert list(read_split(split, columns=["name"], batch_size=70)) == whole


def test_splits_compare_hash_print_and_pickle(parts):
    splits = plan_splits(parts, target_bytes=1000)
    assert splits == sorted(splits)
    assert sorted(chance().sample(splits, len(splits))) == splits
    assert len(set(splits)) == len(splits) > 5
    assert pickle.loads(pickle.dumps(splits)) == splits
    first = splits[0]
    assert first == af.Split(first.path, first.start, first.end)
    assert eval(repr(first), {"Split": af.Split}) == first
    assert repr(af.Split("a.avro", 0, 9)) == "Split('a.avro', 0, 9)"
    assert isinstance(first.path, str)
    assert first < splits[1]
    assert first != "a.avro"


def dataset() -> af.AvroDataset:
    """A dataset of bytes, which cannot be split."""
    file = io.BytesIO()
    fastavro.writer(file, {"type": "record", "name": "R", "fields": []}, [{}])
    return af.AvroDataset(file.getvalue(), representations={})


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda: dataset().plan_splits(target_bytes=0),
            ValueError,
            "target_bytes: expected an integer of 1 or more, found int 0",
        ),
        (
            lambda: dataset().plan_splits(),
            af.OptionError,
            'expected files with a path, which can be split, found "<114 bytes>"',
        ),
        (lambda: dataset().read_split("a.avro"), TypeError, "split: expected a Split, found str 'a.avro'"),
        (lambda: af.Split(3, 0, 1), TypeError, "path: expected a path (str or os.PathLike), found int 3"),
        (lambda: af.Split("a", -1, 1), ValueError, "start: expected an integer of 0 or more, found int -1"),
        (
            lambda: af.Split("a", 5, 3),
            ValueError,
            "end: expected an offset at or after the start 5, found 3",
        ),
        (lambda: af.Split("a", 0, "1"), TypeError, "end: expected an integer of 0 or more, found str '1'"),
    ],
)
def test_wrong_arguments_of_splits_are_named(make, kind, message):
    with pytest.raises(kind) as caught:
        make()
    assert (type(caught.value), str(caught.value)) == (kind, message)
