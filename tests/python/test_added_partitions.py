"""States of datasets whose filter leaves out partitions: files may be added only there."""

import json

import pytest

import arrowfeed as af
from dataset_files import all_ids

DAYS = ["2026-01-02", "2026-01-03", "2026-01-04"]
SHUFFLED = {"shuffle_buffer_size": 30, "seed": 5}
ORDERS = {
    "in file order": {"batch_size": 7, "epochs": 2},
    "a shard": {"batch_size": 7, "shard": (1, 2)},
    "shuffled": {"batch_size": 7, "epochs": 2, **SHUFFLED},
    "by length": {"batch_size": 5, "batches": af.ByLength("items", window=20), **SHUFFLED},
    "global batches": {"global_batch_size": 8, "streams": 4, "epochs": 2, **SHUFFLED},
}


def add_day(root, day, number):
    folder = root / f"dt={day}"
    folder.mkdir()
    rows = [{"id": number * 100 + row, "items": [0] * (row % 5)} for row in range(40)]
    af.write_avro(rows, folder / "part.avro")


@pytest.fixture
def root(tmp_path):
    for number, day in enumerate(DAYS):
        add_day(tmp_path, day, number)
    return tmp_path


def opened(root, is_mixed):
    rows = af.AvroDataset(str(root), partitioning="hive", columns=["id", "items"])
    rows = rows.filter("dt >= '2026-01-02' and dt < '2026-01-05'")
    return af.MixedDataset([rows, rows.filter("id < 50")]) if is_mixed else rows


@pytest.mark.parametrize("is_mixed", [False, True], ids=["files", "mixture"])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("match", ["names", "contents"])
def test_files_that_a_filter_leaves_out_may_be_added(root, is_mixed, order, match):
    options = {"seed": 5, **order} if is_mixed else order
    batches = opened(root, is_mixed).record_batches(**options)
    for _ in range(9):
        next(batches)
    state = json.loads(json.dumps(batches.state_dict()))
    rest = all_ids(batches)
    # One before the others, so that their numbers in the list change, and one after them.
    add_day(root, "2026-01-01", 8)
    add_day(root, "2026-01-05", 9)
    resumed = opened(root, is_mixed).record_batches(**options)
    resumed.load_state_dict(state, match=match)
    again = json.loads(json.dumps(resumed.state_dict()))
    assert all_ids(resumed) == rest
    # Files may be removed there too.
    (root / "dt=2026-01-01" / "part.avro").unlink()
    fewer = opened(root, is_mixed).record_batches(**options)
    fewer.load_state_dict(again, match=match)
    assert all_ids(fewer) == rest


def test_files_that_are_read_may_not_be_added(root):
    batches = opened(root, is_mixed=False).record_batches(batch_size=7)
    next(batches)
    state = batches.state_dict()
    af.write_avro([{"id": 1, "items": [1]}], root / f"dt={DAYS[2]}" / "more.avro")
    resumed = opened(root, is_mixed=False).record_batches(batch_size=7)
    with pytest.raises(af.ChangedError) as error:
        resumed.load_state_dict(state)
    assert str(error.value) == "state: expected 4 files, found a state of 3"


@pytest.mark.parametrize(
    "restricted",
    [
        lambda rows: rows.skip(3).filter("dt >= '2026-01-02'"),
        lambda rows: rows.filter("dt >= '2026-01-02'").split(0.7, seed=1)[0],
    ],
    ids=["numbered before the filter", "chosen by the numbers of files"],
)
def test_rows_that_depend_on_all_files_need_all_files(root, restricted):
    def made():
        rows = af.AvroDataset(str(root), partitioning="hive", columns=["id"])
        return restricted(rows).record_batches(batch_size=7)

    batches = made()
    next(batches)
    state = batches.state_dict()
    add_day(root, "2026-01-01", 8)
    with pytest.raises(af.ChangedError) as error:
        made().load_state_dict(state)
    assert str(error.value) == "state: expected 4 files, found a state of 3"
