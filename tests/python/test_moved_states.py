"""States of files that have moved, and of another number of epochs: no row is lost, and none comes twice."""

import json

import pytest

import arrowfeed as af
import law_sources
from dataset_files import all_ids, digest, people_files

SOURCES = {name: source for name, source in law_sources.SOURCES.items() if name != "chunks"}
SHUFFLED = {"shuffle_buffer_size": 60, "seed": 5}


def states(dataset, options, how="record_batches"):
    """All batches, and the state before each of them and at the end, as JSON."""
    batches = getattr(dataset, how)(**options)
    saved = [json.dumps(batches.state_dict())]
    whole = []
    for batch in batches:
        whole.append(batch)
        saved.append(json.dumps(batches.state_dict()))
    return whole, saved


def resumed(dataset, state, options, how="record_batches", **match):
    batches = getattr(dataset, how)(**options)
    batches.load_state_dict(json.loads(state), **match)
    return batches


def of_files(dataset, paths):
    """A dataset of other files with the options of this one."""
    made, (kind, _source, options, names, restrictions) = dataset.__reduce__()
    return made(kind, paths, options, names, restrictions)


def paths_of(directory):
    return sorted(path for path in directory.rglob("*") if path.is_file())


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_moved_and_renamed_files_yield_the_rest(tmp_path, source):
    """A Rust test has the orders, the parts of a dataset, the mixtures and the other positions."""
    (tmp_path / "old").mkdir()
    dataset, options = source(tmp_path / "old", [60, 0, 45]), {"batch_size": 23}
    whole, saved = states(dataset, options)
    paths = paths_of((tmp_path / "old").rename(tmp_path / "new"))
    assert digest(resumed(of_files(dataset, paths), saved[2], options)) == digest(whole[2:])
    renamed = [path.rename(path.with_name(f"of-monday-{path.name}")) for path in paths]
    moved = of_files(dataset, renamed)
    assert digest(resumed(moved, saved[2], options, match="contents")) == digest(whole[2:])
    with pytest.raises(af.ChangedError) as caught:
        resumed(moved, saved[2], options)
    assert str(caught.value) == (
        f"state: expected {renamed[0]} as file 0 of the list, found a state of a file with a different name "
        "or size: the match `contents` compares lengths and contents, without names"
    )


def test_tensors_and_mixtures_move(tmp_path):
    def mixed(directory):
        parts = [af.AvroDataset(paths_of(directory / part), columns=["id"]) for part in "ab"]
        return af.MixedDataset(parts, weights=[1, 2])

    for part, rows in ("a", [30, 40]), ("b", [50]):
        (tmp_path / "old" / part).mkdir(parents=True)
        people_files(tmp_path / "old" / part, rows)
    options = {"batch_size": 7, "seed": 3, "epochs": 2}
    whole, saved = states(mixed(tmp_path / "old"), options, "tensors")
    (tmp_path / "old").rename(tmp_path / "new")
    for match in ("names", "contents"):
        rest = resumed(mixed(tmp_path / "new"), saved[5], options, "tensors", match=match)
        assert all_ids(rest) == all_ids(whole[5:])


def test_a_state_of_a_directory_is_that_of_the_same_objects(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    paths = people_files(tmp_path, [30, 40])
    options = {"batch_size": 7, **SHUFFLED}
    whole, saved = states(af.AvroDataset(paths), options)
    store, bucket = fsspec.filesystem("memory"), f"memory://{tmp_path.name}/run"
    for path in paths:
        store.pipe(f"{bucket}/{path.name}", path.read_bytes())
    for match in ("names", "contents"):
        rest = resumed(af.AvroDataset(f"{bucket}/*.avro"), saved[3], options, match=match)
        assert digest(rest) == digest(whole[3:])


def test_another_partition_is_refused(tmp_path):
    def dataset(value):
        return af.AvroDataset(tmp_path / f"day={value}", partitioning="hive")

    (tmp_path / "day=1").mkdir()
    people_files(tmp_path / "day=1", [30])
    state = json.dumps(dataset(1).record_batches(batch_size=7).state_dict())
    (tmp_path / "day=1").rename(tmp_path / "day=2")
    for match in ("names", "contents"):
        with pytest.raises(af.ChangedError) as caught:
            resumed(dataset(2), state, {"batch_size": 7}, match=match)
        assert str(caught.value) == (
            "state: expected the values of partitions of these files, found a state of files with other "
            "values"
        )


@pytest.mark.parametrize(
    ("match", "error", "message"),
    [
        ("paths", ValueError, 'match: expected "names" or "contents", found str \'paths\''),
        (1, TypeError, 'match: expected "names" or "contents", found int 1'),
    ],
)
def test_other_values_of_match_are_refused(people, match, error, message):
    batches = af.AvroDataset(people).record_batches(batch_size=5)
    with pytest.raises(error) as caught:
        batches.load_state_dict(batches.state_dict(), match=match)
    assert str(caught.value) == message


def test_epochs_may_grow(people):
    """Rust tests have every order, and fewer epochs."""
    dataset = af.AvroDataset(people, columns=["id"])
    options = {"batch_size": 60, **SHUFFLED}
    few, saved = states(dataset, {**options, "epochs": 3})
    endless = resumed(dataset, saved[-1], {**options, "epochs": None})
    whole = all_ids(dataset.record_batches(**options, epochs=4))
    assert all_ids(next(endless) for _ in whole[len(few) :]) == whole[len(few) :]


def test_global_batches_that_depend_on_the_epochs_are_refused(people):
    dataset = af.AvroDataset(people, columns=["id"])
    options = {"global_batch_size": 64, "streams": 4, "across_epochs": True, "epochs": 2}
    _, saved = states(dataset, options)
    with pytest.raises(ValueError, match="^state: ") as caught:
        resumed(dataset, saved[-1], {**options, "epochs": 3})
    assert str(caught.value) == (
        "state: expected epochs 3, as requested, found a position after the last batch of epochs 2, which "
        "has too few rows: load it with epochs 2"
    )
    mixed = af.MixedDataset([dataset, dataset])
    state = json.dumps(mixed.record_batches(global_batch_size=8, streams=4, seed=1).state_dict())
    with pytest.raises(ValueError, match="^state: ") as caught:
        resumed(mixed, state, {"global_batch_size": 8, "streams": 4, "seed": 1, "epochs": None})
    assert str(caught.value) == (
        "state: expected epochs unlimited, as requested, found epochs 1 in the state of a mixture with "
        "global batches: load it with epochs 1"
    )


def test_a_position_inside_a_window_of_several_epochs_is_refused(people):
    dataset = af.AvroDataset(people, columns=["id"])
    options = {"batch_size": 10, "batches": af.ByLength("id", window=100), "across_epochs": True}
    _, saved = states(dataset, {**options, "epochs": 2})
    with pytest.raises(ValueError, match="^state: ") as caught:
        resumed(dataset, saved[1], {**options, "epochs": 3})
    assert str(caught.value) == (
        "state: expected epochs 3, as requested, found epochs 2 and a position inside a window of several "
        "epochs: load it with epochs 2"
    )
