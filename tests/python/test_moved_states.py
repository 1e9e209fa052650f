"""States of files that have moved, and of another number of epochs: no row is lost, and none comes twice."""

import itertools
import json
import shutil

import pyarrow as pa
import pytest

import arrowfeed as af
import law_sources
from dataset_files import all_ids, digest, ids, people_files

SIZES = [60, 0, 45, 80]
SOURCES = {
    name: getattr(law_sources, name)
    for name in [
        "avro",
        "arrow",
        "arrow_stream",
        "parquet",
        "examples",
        "csv",
        "json_lines",
        "compressed_csv",
        "compressed_json_lines",
        "compressed_examples",
        "sequence_examples",
    ]
}
SHUFFLED = {"shuffle_buffer_size": 60, "seed": 5}
ORDERS = {
    "in file order": {"batch_size": 23, "epochs": 2},
    "shuffled": {"batch_size": 23, "epochs": 2, **SHUFFLED},
}


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


def flat(batches):
    return list(itertools.chain.from_iterable(batches))


def of_files(dataset, paths):
    """A dataset of other files with the options of this one."""
    made, (kind, _source, options, names, restrictions) = dataset.__reduce__()
    return made(kind, paths, options, names, restrictions)


def paths_of(directory):
    return sorted(path for path in directory.rglob("*") if path.is_file())


@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_moved_and_renamed_files_yield_the_rest(tmp_path, source, options):
    """Rust tests have the other orders, and mixtures."""
    (tmp_path / "old").mkdir()
    dataset = source(tmp_path / "old", SIZES)
    whole, saved = states(dataset, options)
    (tmp_path / "mount").mkdir()
    folder = tmp_path / "mount" / "new"
    shutil.move(tmp_path / "old", folder)
    moved = of_files(dataset, paths_of(folder))
    for given in (0, len(saved) // 3, len(saved) - 1):
        assert digest(resumed(moved, saved[given], options)) == digest(whole[given:])
    renamed = [path.rename(path.with_name(f"of-monday-{path.name}")) for path in paths_of(folder)]
    moved, given = of_files(dataset, renamed), len(saved) // 2
    assert digest(resumed(moved, saved[given], options, match="contents")) == digest(whole[given:])
    with pytest.raises(af.ChangedError) as caught:
        resumed(moved, saved[given], options)
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
    for given in (0, 5, len(whole)):
        rest = resumed(mixed(tmp_path / "new"), saved[given], options, "tensors")
        assert all_ids(rest) == all_ids(whole[given:])


def test_a_relative_path_is_that_of_the_absolute_one(tmp_path, monkeypatch):
    (tmp_path / "files").mkdir()
    paths = people_files(tmp_path / "files", [30, 40])
    options = {"batch_size": 7}
    whole, saved = states(af.AvroDataset(paths), options)
    monkeypatch.chdir(tmp_path)
    for source in ["files", "./files/*.avro", f"../{tmp_path.name}/files/*.avro"]:
        assert digest(resumed(af.AvroDataset(source), saved[3], options)) == digest(whole[3:])


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


def test_another_day_of_the_same_name_and_size_is_refused(tmp_path):
    """Directories whose files differ only in their contents."""
    paths = []
    for day in ("monday", "tuesday"):
        (tmp_path / day).mkdir()
        paths.append(tmp_path / day / "part.avro")
        af.write_avro(pa.table({"id": range(20)}), paths[-1])
    one, other = (af.AvroDataset(path) for path in paths)
    assert len(paths[0].read_bytes()) == len(paths[1].read_bytes())
    assert one.fingerprint != other.fingerprint
    state = json.dumps(one.record_batches(batch_size=5).state_dict())
    for match in ("names", "contents"):
        with pytest.raises(af.ChangedError) as caught:
            resumed(other, state, {"batch_size": 5}, match=match)
        assert str(caught.value) == (
            "state: expected files with the same contents, found a state of files with different contents"
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


def test_epochs_may_grow_and_end_after_the_position(people):
    dataset = af.AvroDataset(people, columns=["id"])
    options = {"batch_size": 60, **SHUFFLED}
    few, saved = states(dataset, {**options, "epochs": 3})
    whole = all_ids(dataset.record_batches(**options, epochs=4))
    for given in (0, 3, len(few)):
        assert all_ids(resumed(dataset, saved[given], {**options, "epochs": 4})) == whole[given:]
    endless = resumed(dataset, saved[-1], {**options, "epochs": None})
    assert [ids(next(endless)) for _ in range(2)] == whole[len(few) : len(few) + 2]
    with pytest.raises(ValueError, match="^state: ") as caught:
        resumed(dataset, saved[11], {**options, "epochs": 1})
    assert str(caught.value) == (
        "state: expected epochs 1, as requested, found a position in epoch 2, counted from 0, which needs "
        "epochs 3 or more"
    )


def test_a_dataset_of_a_mixture_that_had_ended_takes_part_again(people):
    few = af.AvroDataset(people[:1], columns=["id"])
    many = af.AvroDataset(people[1:], columns=["id"])
    mixed = af.MixedDataset([few, many], weights=[100, 1])
    options = {"batch_size": 10, "seed": 1}
    given, saved = states(mixed, options)
    rest = resumed(mixed, saved[len(given) - 3], {**options, "epochs": 3})
    found = [*all_ids(given[: len(given) - 3]), *all_ids(rest)]
    assert sorted(flat(found)) == sorted(3 * flat(all_ids(given)))


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
