"""Batches by length in PyTorch: each row once, epochs and states. Run by `make test-torch`."""

import json

import pytest
from feature_files import FEATURES, ROWS, flat, write

import arrowfeed as af

torch = pytest.importorskip(
    "torch", reason="expected PyTorch, found it not installed: `make test-torch` has it"
)
stateful = pytest.importorskip(
    "torchdata.stateful_dataloader",
    reason="expected torchdata, found it not installed: `make test-torch` has it",
)

from torch.utils.data import DataLoader  # noqa: E402

KINDS = {"id": FEATURES["id"], "scores": af.features.Ragged(key="user.scores[*]")}
OPTIONS = {"batches": af.ByLength("user.scores", max_tokens=16, window=150)}
SHUFFLE = {"shuffle_buffer_size": 300, "seed": 7}
NO_SEED = {"shuffle_buffer_size": 300}


def ids(batches):
    return [batch["id"].tolist() for batch in batches]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("shuffle", [{}, SHUFFLE, NO_SEED])
def test_each_epoch_has_each_row_once_in_another_order(tmp_path, workers, shuffle):
    rows = af.AvroDataset(write(tmp_path), features=KINDS).to_torch(ragged="nested", **OPTIONS, **shuffle)
    loader = DataLoader(rows, batch_size=None, num_workers=workers)
    orders = []
    for epoch in (0, 1, 1):
        rows.set_epoch(epoch)
        orders.append(flat(ids(loader)))
    assert [sorted(order) for order in orders] == [[*range(ROWS)]] * 3
    assert (orders[0] == orders[1]) == (not shuffle)
    assert (orders[1] == orders[2]) == (shuffle is not NO_SEED)


@pytest.mark.parametrize("shuffle", [{}, SHUFFLE, NO_SEED])
@pytest.mark.parametrize("given", [0, 1, 30])
def test_a_state_resumes_inside_a_window(tmp_path, shuffle, given):
    files = af.AvroDataset(write(tmp_path), features=KINDS)
    source = files.to_torch(**OPTIONS, **shuffle)
    source.set_epoch(2)
    batches = iter(source)
    for _ in range(given):
        next(batches)
    state = json.loads(json.dumps(source.state_dict()))
    rest = ids(batches)
    resumed = files.to_torch(**OPTIONS, **shuffle)
    resumed.load_state_dict(state)
    assert ids(resumed) == rest


def test_a_stateful_loader_of_batches_by_length_resumes(tmp_path):
    files = af.AvroDataset(write(tmp_path), features=KINDS)

    def loader():
        rows = files.to_torch(**OPTIONS, **NO_SEED)
        return stateful.StatefulDataLoader(rows, batch_size=None, num_workers=2)

    first = loader()
    batches = iter(first)
    for _ in range(11):
        next(batches)
    state = first.state_dict()
    rest = ids(batches)
    resumed = loader()
    resumed.load_state_dict(state)
    assert ids(resumed) == rest


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_that_take_turns_return_the_batches_of_one_process(tmp_path, workers):
    files = af.AvroDataset(write(tmp_path), features=KINDS)
    whole = ids(files.to_torch(**OPTIONS, **SHUFFLE))
    rows = files.to_torch(even="drop", **OPTIONS, **SHUFFLE)
    found = ids(DataLoader(rows, batch_size=None, num_workers=workers))
    assert found == whole[: len(whole) // workers * workers]
