"""Damaged files and rows raise errors after the rows before them, or are skipped by `on_error`."""

import itertools
import pickle
import threading
import warnings

import polars as pl
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense
from conftest import users, write
from dataset_files import all_ids, ids, people_files


@pytest.fixture
def broken(tmp_path):
    """Three files of 60 rows. The third block of the second file has wrong bytes."""
    paths = people_files(tmp_path, [60, 60, 60])
    data = bytearray(paths[1].read_bytes())
    blocks = data.split(data[-16:])
    middle = len(bytes(data[-16:]).join(blocks[:3])) + 16 + len(blocks[3]) // 2
    data[middle : middle + 8] = bytes(byte ^ 0x55 for byte in data[middle : middle + 8])
    paths[1].write_bytes(data)
    return paths


def until_an_error(batches):
    """The rows before an error, and the error."""
    given, error = [], None
    try:
        for batch in batches:
            given += ids(batch)
    except af.ArrowfeedError as raised:
        error = raised
    assert error is not None
    return given, error


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fault_ends_the_iteration_and_the_state_before_it_stays(broken, threads):
    dataset = af.AvroDataset(broken, columns=["id"])
    batches = dataset.record_batches(batch_size=10, threads=threads)
    given, error = until_an_error(batches)
    assert error.path == str(broken[1])
    assert error.block == 2
    assert given == list(range(len(given)))
    assert 60 < len(given) < 120
    assert list(batches) == []
    assert batches.report()["rows"] == len(given)
    again = dataset.record_batches(batch_size=10)
    again.load_state_dict(batches.state_dict())
    nothing, same = until_an_error(again)
    assert (nothing, str(same)) == ([], str(error))


@pytest.mark.parametrize("shuffle_buffer_size", [0, 50])
@pytest.mark.parametrize("on_error", ["skip_block", "skip_file"])
def test_skipped_parts_are_reported_once_and_kept_in_the_state(broken, on_error, shuffle_buffer_size):
    dataset = af.AvroDataset(broken, columns=["id"])
    options = {
        "batch_size": 7,
        "on_error": on_error,
        "shuffle_buffer_size": shuffle_buffer_size,
        "seed": 2,
        "epochs": 2,
    }
    batches = dataset.record_batches(**options)
    whole = all_ids(batches)
    rows = list(itertools.chain(*whole))
    [skipped] = batches.report()["skipped"]
    assert skipped["path"] == str(broken[1])
    if on_error == "skip_block":
        once = sorted(set(rows))
        assert sorted(rows) == sorted(once * 2)
        assert skipped["rows"] == 180 - len(once) > 0
    elif shuffle_buffer_size == 0:
        # The first two blocks of the file, in both epochs.
        assert rows == [*range(len(rows) // 2 - 60), *range(120, 180)] * 2
        assert 120 < len(rows) // 2 < 180
    else:
        # The rows before that block in the order of the epoch.
        assert 240 <= len(rows) < 360
        assert max(map(rows.count, rows)) == 2
    resumed = dataset.record_batches(threads=1, **options)
    half = dataset.record_batches(threads=3, **options)
    for _ in range(len(whole) // 2):
        next(half)
    resumed.load_state_dict(half.state_dict())
    assert all_ids(resumed) == whole[len(whole) // 2 :]
    assert resumed.report()["skipped"] == [skipped]
    assert resumed.report()["rows"] == len(rows)


WRONG_ROW = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "x", "type": {"type": "array", "items": "float"}},
    ],
}


def test_rows_that_do_not_fit_leave_the_state_before_their_batch(tmp_path):
    rows = [{"id": n, "x": [1.0, 2.0] if n != 25 else [1.0]} for n in range(40)]
    path = write(tmp_path / "a.avro", rows, WRONG_ROW, sync_interval=50)
    dataset = af.AvroDataset(path, representations={"id": Dense("id"), "x": Dense("x", [2])})
    for others in ({"on_error": "skip_block"}, {"threads": 1}, {"shuffle_buffer_size": 5, "seed": 0}):
        options = {"batch_size": 10, **others}
        batches = dataset.tensors(**options)
        given, error = until_an_error(batches)
        assert isinstance(error, af.ConversionError)
        assert (error.tensor, error.field) == ("x", "x")
        order = list(itertools.chain(*all_ids(dataset.record_batches(**options))))
        assert given == order[: len(given)]
        row = order[len(given) :].index(25)
        assert (len(given) % 10, error.record) == (0, row)
        assert str(error) == f'tensor "x", column "x", row {row}: expected 2 values, found 1'
        assert list(batches) == []
        assert batches.report()["rows"] == len(given)
        resumed = dataset.record_batches(**options)
        resumed.load_state_dict(batches.state_dict())
        assert list(itertools.chain(*all_ids(resumed))) == order[len(given) :]
        narrow = dataset.project(["id"]).tensors(**options)
        narrow.load_state_dict(batches.state_dict())
        assert list(itertools.chain(*all_ids(narrow))) == order[len(given) :]


def test_a_feature_that_misses_a_value_says_where(tmp_path):
    path = write(tmp_path / "users.avro", users(20))
    dataset = af.AvroDataset(path, features={"name": features.Dense([])})
    with pytest.raises(af.ConversionError) as caught:
        next(dataset.tensors(batch_size=10))
    assert str(caught.value) == ('key "name", row 0: expected a value, as there is no default, found a null')


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path):
    paths = people_files(tmp_path, [20, 20])
    dataset = af.AvroDataset(paths, columns=["id"])
    assert dataset.num_rows == 40
    size, other = paths[1].stat().st_size, tmp_path / "other"
    other.mkdir()
    [_, longer] = people_files(other, [20, 21])
    longer.replace(paths[1])
    batches = dataset.record_batches(batch_size=20)
    assert ids(next(batches)) == list(range(20))
    with pytest.raises(af.ChangedError) as caught:
        next(batches)
    assert str(caught.value) == (
        f"{paths[1]}: expected the file to be unchanged since it was first read ({size:,} bytes), "
        f"found {paths[1].stat().st_size:,} bytes"
    )


def test_rows_of_a_batch_are_bounded_in_bytes(tmp_path):
    path = write(tmp_path / "a.avro", [b"x" * 1000] * 100, "bytes", sync_interval=1000)
    dataset = af.AvroDataset(path, limits=af.Limits(batch_bytes=50_000))
    with pytest.raises(af.LimitError) as caught:
        list(dataset.record_batches(batch_size=100))
    assert caught.value.limit == "batch_bytes"
    assert "ask for fewer" in str(caught.value)
    assert sum(batch.num_rows for batch in dataset.record_batches(batch_size=10)) == 100


# ---- the report of a dataset, and warnings


def warned(caught, paths):
    """The files whose first skipped part is named in the warnings."""
    assert all(one.category is af.SkippedWarning for one in caught)
    return [path.name for one in caught for path in paths if str(path) in str(one.message)]


@pytest.fixture
def twice_broken(broken, tmp_path):
    """Files of which two have a damaged block."""
    copy = tmp_path / "part-00003.avro"
    copy.write_bytes(broken[1].read_bytes())
    return [*broken, copy]


def test_a_dataset_sums_the_counts_of_its_iterations(twice_broken):
    dataset = af.AvroDataset(twice_broken, columns=["id"])
    assert dataset.report() == {"rows": 0, "blocks": 0, "bytes": 0, "skipped": []}
    reports = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for threads in (1, 2):
            batches = dataset.record_batches(batch_size=10, on_error="skip_block", threads=threads, epochs=2)
            list(batches)
            reports.append(batches.report())
        part = dataset.take(100).record_batches(batch_size=10, on_error="skip_block", threads=1)
        list(part)
    reports.append(part.report())
    total = dataset.report()
    assert total["skipped"] == reports[0]["skipped"]
    assert len(total["skipped"]) == 2
    for name in ("rows", "blocks", "bytes"):
        assert total[name] == sum(report[name] for report in reports) > 0
    # Each file is named once, although five epochs have skipped the blocks.
    assert warned(caught, twice_broken) == ["part-00001.avro", "part-00003.avro"]
    first = total["skipped"][0]["error"]
    assert str(caught[0].message) == (
        f"skipped a block: {first} (`report()` lists all skipped parts of the file)"
    )
    assert caught[0].filename == __file__


def test_a_reader_warns_once_for_each_file(twice_broken):
    ways = {
        "iteration": list,
        "pandas": lambda reader: reader.to_pandas(),
        "polars": lambda reader: reader.to_polars(),
        "stream": pl.DataFrame,
    }
    for name, way in ways.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reader = af.read_avro(twice_broken, columns=["id"], on_error="skip_block")
            way(reader)
        assert warned(caught, twice_broken) == ["part-00001.avro", "part-00003.avro"], name
        assert len(reader.report()["skipped"]) == 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(af.read_avro(twice_broken, columns=["id"], on_error="skip_file"))
    assert warned(caught, twice_broken) == ["part-00001.avro", "part-00003.avro"]
    assert str(caught[0].message).startswith(f"skipped the rest of a file: {twice_broken[1]}: ")


def test_a_scan_warns_and_logs(twice_broken, caplog):
    for scan in (af.scan_avro, af.scan_dataset):
        caplog.clear()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scan(twice_broken, on_error="skip_block").select("id").collect()
        assert warned(caught, twice_broken) == ["part-00001.avro", "part-00003.avro"]
        assert len(caplog.messages) == 2
        assert all(text.startswith("skipped a block: ") for text in caplog.messages)


def test_a_filter_that_makes_the_warning_an_error_loses_no_counts(broken):
    dataset = af.AvroDataset(broken, columns=["id"])
    batches = dataset.record_batches(batch_size=10, on_error="skip_block", threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(af.SkippedWarning):
            list(batches)
        rest = len(list(batches))
    assert rest > 0
    assert len(batches.report()["skipped"]) == len(dataset.report()["skipped"]) == 1


@pytest.mark.filterwarnings("ignore::arrowfeed.SkippedWarning")
def test_the_report_of_a_dataset_is_of_its_process_and_of_all_its_threads(broken):
    dataset = af.AvroDataset(broken, columns=["id"])
    options = {"batch_size": 10, "on_error": "skip_block", "threads": 1}

    def iterate():
        for _ in dataset.tensors(**options):
            pass

    threads = [threading.Thread(target=iterate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = dataset.project(["id"]).tensors(**options)
    list(alone)
    assert dataset.report()["rows"] == 5 * alone.report()["rows"]
    assert dataset.report()["skipped"] == alone.report()["skipped"]
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.report() == {"rows": 0, "blocks": 0, "bytes": 0, "skipped": []}
    # A checkpoint brings its skipped parts, but not its rows.
    resumed = copy.tensors(**options)
    resumed.load_state_dict(alone.state_dict())
    assert list(resumed) == []
    assert copy.report() == {**copy.report(), "rows": 0, "skipped": alone.report()["skipped"]}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_mixed_dataset_sums_its_own_iterations(twice_broken, threads):
    parts = [
        af.AvroDataset(twice_broken[:2], columns=["id"]),
        af.AvroDataset(twice_broken[2:], columns=["id"]),
    ]
    mixed = af.MixedDataset(parts, weights=[0.5, 0.5])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        batches = mixed.record_batches(batch_size=10, on_error="skip_block", threads=threads, seed=1)
        list(batches)
    assert sorted(warned(caught, twice_broken)) == ["part-00001.avro", "part-00003.avro"]
    assert mixed.report() == batches.report()
    assert parts[0].report()["rows"] == 0
