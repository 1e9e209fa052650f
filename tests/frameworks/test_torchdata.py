"""`AvroDataset.to_torch` in torchdata's `StatefulDataLoader` resumes exactly from a state.

Run by `make test-torch`.
"""

import io
import itertools

import pytest
from feature_files import FEATURES, ROWS, cut, flat, write
from torch_ranks import RANKS, of_ranks

import arrowfeed as af

REASON = "expected PyTorch and torchdata, found them not installed: `make test-torch` has them"
torch = pytest.importorskip("torch", reason=REASON)
pytest.importorskip("torchdata", reason=REASON)

from torchdata.stateful_dataloader import StatefulDataLoader  # noqa: E402

NUMBERS = {name: FEATURES[name] for name in ("id", "x")}
SHUFFLE = {"shuffle_buffer_size": 300, "seed": 7}
NO_SEED = {"shuffle_buffer_size": 300}
BATCHES = 16
"""Of 64 rows, in a pass over all of them, in one process or two."""
REFUSED = {
    0: "state: expected seed 8, as requested, found seed 7",
    2: "ValueError: state: expected seed 8, as requested, found seed 7",
}
"""The error for a state of another seed, by the number of workers."""

pytestmark = pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")


def loader(paths, workers, options=SHUFFLE, **loader_options):
    source = af.AvroDataset(paths, features=NUMBERS).to_torch(batch_size=64, **options)
    return StatefulDataLoader(source, batch_size=None, num_workers=workers, **loader_options)


def ids(batches):
    return [batch["id"].tolist() for batch in batches]


def saved(stateful):
    """The state of a loader after a round trip through a checkpoint."""
    file = io.BytesIO()
    torch.save(stateful.state_dict(), file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def passes(stateful, epochs):
    given = []
    for epoch in epochs:
        stateful.dataset.set_epoch(epoch)
        given.append(ids(stateful))
    return given


@pytest.mark.parametrize("workers", [0, 2])
def test_a_mixture_goes_on_exactly_in_every_epoch(tmp_path, workers):
    train, test = af.AvroDataset(write(tmp_path), features=NUMBERS).split(0.8, seed=1)
    source = af.MixedDataset([train, test], weights=[1, 2]).to_torch(batch_size=64, **SHUFFLE)

    def made():
        return StatefulDataLoader(source, batch_size=None, num_workers=workers)

    epochs = passes(made(), range(2))
    assert [sorted(flat(epoch)) for epoch in epochs] == [[*range(ROWS)]] * 2
    assert epochs[0] != epochs[1]
    first = made()
    first.dataset.set_epoch(1)
    given = ids(itertools.islice(first, 5))
    resumed = made()
    resumed.load_state_dict(saved(first))
    assert given + ids(resumed) == epochs[1]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("options", [{}, SHUFFLE, NO_SEED], ids=["in order", "seed", "no seed"])
@pytest.mark.parametrize("count", [0, 1, 7, BATCHES])
def test_the_rest_is_that_of_the_unbroken_run(tmp_path, workers, options, count):
    paths = write(tmp_path)
    whole = loader(paths, workers, options)
    batches = iter(whole)
    before = ids(itertools.islice(batches, count))
    state = saved(whole)
    rest = ids(batches)
    assert len(before) == count
    assert len(rest) == BATCHES - count
    assert sorted(flat(before + rest)) == [*range(ROWS)]
    resumed = loader(paths, workers, options)
    resumed.load_state_dict(state)
    assert ids(resumed) == rest
    assert sorted(flat(ids(resumed))) == [*range(ROWS)]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_that_keeps_few_states_goes_on_exactly(tmp_path, workers):
    paths = write(tmp_path)
    whole = loader(paths, workers, snapshot_every_n_steps=4)
    batches = iter(whole)
    ids(itertools.islice(batches, 6))
    resumed = loader(paths, workers, snapshot_every_n_steps=4)
    resumed.load_state_dict(saved(whole))
    assert ids(resumed) == ids(batches)


@pytest.mark.parametrize(("workers", "persistent"), [(0, False), (2, False), (2, True)])
def test_epochs_after_a_resumed_one_are_those_of_the_unbroken_run(tmp_path, workers, persistent):
    paths = write(tmp_path)
    whole = loader(paths, workers, persistent_workers=persistent)
    orders = passes(whole, range(4))
    assert len({tuple(flat(order)) for order in orders}) == 4
    stopped = loader(paths, workers, persistent_workers=persistent)
    assert passes(stopped, [0]) == orders[:1]
    stopped.dataset.set_epoch(1)
    before = ids(itertools.islice(stopped, 5))
    resumed = loader(paths, workers, persistent_workers=persistent)
    resumed.load_state_dict(saved(stopped))
    assert before + ids(resumed) == orders[1]
    assert passes(resumed, [2, 3]) == orders[2:]


@pytest.mark.parametrize("count", [5, BATCHES])
def test_workers_that_persist_draw_the_same_seeds_after_a_state(tmp_path, count):
    paths = write(tmp_path)
    whole = loader(paths, 2, NO_SEED, persistent_workers=True)
    first = ids(whole)
    batches = iter(whole)
    before = ids(itertools.islice(batches, count))
    state = saved(whole)
    second, third = before + ids(batches), ids(whole)
    assert len({tuple(flat(order)) for order in (first, second, third)}) == 3
    resumed = loader(paths, 2, NO_SEED, persistent_workers=True)
    resumed.load_state_dict(state)
    assert before + ids(resumed) == second
    assert ids(resumed) == third


def rank(number, meeting, results, paths):
    torch.distributed.init_process_group("gloo", init_method=meeting, rank=number, world_size=RANKS)
    whole = loader(paths, 2, multiprocessing_context="fork")
    batches = iter(whole)
    before = ids(itertools.islice(batches, 3))
    state = saved(whole)
    rest = ids(batches)
    resumed = loader(paths, 2, multiprocessing_context="fork")
    resumed.load_state_dict(state)
    results.put((before, rest, ids(resumed)))
    torch.distributed.destroy_process_group()


def test_ranks_go_on_each_with_its_own_rows(tmp_path):
    given = of_ranks(rank, tmp_path, write(tmp_path))
    assert [len(before) for before, _, _ in given] == [3, 3]
    assert all(rest == resumed for _, rest, resumed in given)
    assert sorted(flat(flat(before + rest) for before, rest, _ in given)) == [*range(ROWS)]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_refuses_a_state_of_other_options(tmp_path, workers):
    paths = write(tmp_path)
    whole = loader(paths, workers)
    next(iter(whole))
    resumed = loader(paths, workers, {**SHUFFLE, "seed": 8})
    resumed.load_state_dict(saved(whole))
    with pytest.raises(ValueError, match="state") as caught:
        next(iter(resumed))
    assert str(caught.value).splitlines()[-1] == REFUSED[workers]


def test_an_error_of_a_worker_is_raised_unchanged(tmp_path):
    path, text = cut(tmp_path)
    with pytest.raises(af.TruncatedError) as caught:
        list(loader(path, 1, {}))
    assert str(caught.value).splitlines()[-1] == f"arrowfeed.TruncatedError: {text}"
