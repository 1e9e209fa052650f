"""`AvroDataset.to_torch` returns each row once over workers and ranks, and resumes exactly from states.

Run by `make test-torch`. torchdata's loader is in `test_torchdata.py`.
"""

import json
import pickle
import types
import warnings

import pyarrow as pa
import pytest
from feature_files import FEATURES, ROWS, cut, dataset, write
from feature_files import flat as joined
from torch_ranks import RANKS, of_ranks

import arrowfeed as af

torch = pytest.importorskip(
    "torch", reason="expected PyTorch, found it not installed: `make test-torch` has it"
)

from torch.utils.data import DataLoader  # noqa: E402

NUMBERS = {name: FEATURES[name] for name in ("id", "x", "words")}
SHUFFLE = {"shuffle_buffer_size": 300, "seed": 7}
NO_SEED = {"shuffle_buffer_size": 300}


def numbers(directory):
    return af.AvroDataset(write(directory), features=NUMBERS)


def ids(batches):
    return [batch["id"].tolist() for batch in batches]


def flat(batches):
    return joined(ids(batches))


def test_batches_of_to_torch_are_those_of_tensors(tmp_path):
    source = dataset(tmp_path)
    names = ("id", "x", "flag", "long")
    for batch, tensors in zip(source.to_torch(batch_size=64), source.tensors(batch_size=64), strict=True):
        assert list(batch) == list(FEATURES)
        for name in names:
            assert batch[name].tolist() == tensors[name].values.tolist()


def test_a_dataset_says_what_it_yields(tmp_path):
    rows = numbers(tmp_path).to_torch(batch_size=64)
    assert repr(rows) == "<arrowfeed.TorchDataset of tensors id, x, words>"


def test_the_number_of_batches_is_the_sum_over_the_workers(tmp_path):
    source = numbers(tmp_path)
    rows = source.to_torch(batch_size=300)
    for workers, expected in ((0, 4), (3, 6)):
        context = "fork" if workers else None
        loader = DataLoader(rows, batch_size=None, num_workers=workers, multiprocessing_context=context)
        parts = max(workers, 1)
        shards = [source.num_batches(batch_size=300, shard=(part, parts)) for part in range(parts)]
        assert len(list(loader)) == sum(shards) == expected
        with pytest.raises(TypeError, match="has no len"):
            len(loader)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("options", [{}, {"batch_size": 4}])
def test_a_loader_that_makes_batches_of_batches_is_refused(tmp_path, workers, options):
    # The fetcher of `DataLoader` is not public. If its names change, the loader is no longer refused.
    source = numbers(tmp_path).to_torch(batch_size=64)
    context = "fork" if workers else None
    loader = DataLoader(source, num_workers=workers, multiprocessing_context=context, **options)
    with pytest.raises(ValueError, match=r"batch_size: expected DataLoader\(\.\.\., batch_size=None\)"):
        list(loader)


@pytest.mark.filterwarnings("ignore:This DataLoader will create 3 worker:UserWarning")
@pytest.mark.parametrize("shuffle", [{}, SHUFFLE, NO_SEED])
@pytest.mark.parametrize("workers", [0, 1, 3])
def test_each_pass_has_each_row_once_over_all_workers(tmp_path, shuffle, workers):
    source = numbers(tmp_path).to_torch(batch_size=64, **shuffle)
    context = "fork" if workers else None
    loader = DataLoader(source, batch_size=None, num_workers=workers, multiprocessing_context=context)
    first, second = flat(loader), flat(loader)
    assert sorted(first) == sorted(second) == [*range(ROWS)]
    assert (first == second) == (shuffle is not NO_SEED)


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("shuffle", [SHUFFLE, NO_SEED])
def test_workers_that_persist_have_another_order_in_each_pass(tmp_path, start, shuffle):
    source = numbers(tmp_path).to_torch(batch_size=64, **shuffle)
    loader = DataLoader(
        source, batch_size=None, num_workers=2, persistent_workers=True, multiprocessing_context=start
    )
    passes = []
    for epoch in (0, 1, 2, 1):
        source.set_epoch(epoch)
        passes.append(flat(loader))
    assert [sorted(order) for order in passes] == [[*range(ROWS)]] * 4
    assert len({tuple(order) for order in passes}) == (3 if shuffle is SHUFFLE else 4)


@pytest.mark.parametrize(("options", "expected"), [({}, 1), ({"threads": None}, 1), ({"threads": 3}, 3)])
def test_a_worker_has_one_thread_unless_a_number_is_passed(tmp_path, monkeypatch, options, expected):
    worker = types.SimpleNamespace(id=1, num_workers=2, seed=5)
    monkeypatch.setattr(torch.utils.data, "get_worker_info", lambda: worker)
    source = numbers(tmp_path).to_torch(batch_size=64, **options)
    assert source._own_options(None)["threads"] == expected


@pytest.mark.parametrize("workers", [0, 2])
def test_set_epoch_chooses_the_order(tmp_path, workers):
    source = numbers(tmp_path).to_torch(batch_size=64, **SHUFFLE)
    loader = DataLoader(source, batch_size=None, num_workers=workers)
    passes = []
    for epoch in (0, 1, 2, 1):
        source.set_epoch(epoch)
        passes.append(flat(loader))
    assert passes[1] == passes[3]
    assert len({tuple(order) for order in passes}) == 3


@pytest.mark.filterwarnings("ignore:This DataLoader will create 3 worker:UserWarning")
def test_another_number_of_workers_goes_on_at_the_next_epoch(tmp_path):
    source, orders = numbers(tmp_path), []
    for epoch, workers in enumerate([2, 3]):
        options = {"batch_size": 64, "start_epoch": epoch, **SHUFFLE}
        rows = source.to_torch(**options)
        loader = DataLoader(rows, batch_size=None, num_workers=workers, multiprocessing_context="fork")
        found = ids(loader)
        shards = [source.tensors(**options, shard=(worker, workers)) for worker in range(workers)]
        assert sorted(found) == sorted(batch["id"].values.tolist() for shard in shards for batch in shard)
        orders.append(joined(found))
    assert [sorted(order) for order in orders] == [[*range(ROWS)]] * 2
    assert orders[0] != orders[1]


def rank(number, meeting, results, paths, start):
    torch.distributed.init_process_group("gloo", init_method=meeting, rank=number, world_size=RANKS)
    source = af.AvroDataset(paths, features=NUMBERS).to_torch(batch_size=64, **SHUFFLE)
    loader = DataLoader(source, batch_size=None, num_workers=2, multiprocessing_context=start)
    without_seed = af.AvroDataset(paths, features=NUMBERS).to_torch(batch_size=64, shuffle_buffer_size=9)
    with pytest.raises(ValueError, match="seed") as refused:
        list(without_seed)
    results.put((flat(loader), str(refused.value)))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_ranks_have_each_row_once(tmp_path, start):
    given = of_ranks(rank, tmp_path, write(tmp_path), start)
    assert sorted(given[0][0] + given[1][0]) == [*range(ROWS)]
    assert {len(order) for order, _ in given} == {ROWS // 2}
    assert {text for _, text in given} == {"seed: expected an integer, the same for all shards, found None"}


def rank_of_copy(number, meeting, results, source):
    torch.distributed.init_process_group("gloo", init_method=meeting, rank=number, world_size=RANKS)
    results.put(flat(source))
    torch.distributed.destroy_process_group()


def test_a_dataset_that_was_pickled_before_its_ranks_began_is_divided(tmp_path):
    given = of_ranks(rank_of_copy, tmp_path, numbers(tmp_path).to_torch(batch_size=64))
    assert sorted(given[0] + given[1]) == [*range(ROWS)]


@pytest.mark.parametrize("shuffle", [{}, SHUFFLE, NO_SEED])
@pytest.mark.parametrize("given", [0, 1, 9, 16])
def test_a_state_of_to_torch_resumes_after_the_yielded_batch(tmp_path, shuffle, given):
    files = numbers(tmp_path)
    source = files.to_torch(batch_size=64, **shuffle)
    source.set_epoch(3)
    batches = iter(source)
    for _ in range(given):
        next(batches)
    state = json.loads(json.dumps(source.state_dict()))
    rest = ids(batches)
    resumed = files.to_torch(batch_size=64, **shuffle)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state
    assert ids(resumed) == rest
    assert len(rest) == 16 - given
    # The state is for one iteration.
    assert len(flat(resumed)) == ROWS


def test_the_state_is_of_the_pass_that_was_begun(tmp_path):
    files = numbers(tmp_path)
    source, resumed = (files.to_torch(batch_size=64, **SHUFFLE) for _ in range(2))
    batches = iter(source)
    next(batches)
    source.set_epoch(1)
    resumed.load_state_dict(source.state_dict())
    assert ids(resumed) == ids(batches)


def test_a_state_beside_workers_is_an_error_and_not_the_start(tmp_path):
    rows = numbers(tmp_path).to_torch(batch_size=64, **SHUFFLE)
    next(iter(rows))
    start = rows.state_dict()
    assert start["batches"] is not None
    loader = iter(DataLoader(rows, batch_size=None, num_workers=1))
    next(loader)
    with pytest.raises(ValueError, match="^state_dict: ") as caught:
        rows.state_dict()
    assert str(caught.value) == (
        "state_dict: expected an iteration of this process, found one of the workers of a DataLoader, which "
        "have its position: use torchdata's StatefulDataLoader, or state_after(count) with "
        "to_torch(global_batch_size=...)"
    )
    # The start of the next pass is known, and so is the position of an iteration of this process.
    del loader
    rows.set_epoch(1)
    assert rows.state_dict() == {"epoch": 1, "batches": None}
    next(iter(rows))
    assert rows.state_dict()["batches"] is not None


def test_strings_are_warned_of_once(tmp_path):
    path = tmp_path / "x.avro"
    af.write_avro(pa.table({"name": ["a"]}), path)
    files = af.AvroDataset(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = files.to_torch(batch_size=1, shard=None)
        pickle.loads(pickle.dumps(rows))
        assert len(list(rows)) == 1
    assert [str(warning.message) for warning in caught] == [
        "to_torch: PyTorch has no byte strings, so these stay tensors of arrowfeed: name; "
        "transform=arrowfeed.features.hashed(...) makes numbers of them"
    ]
    assert caught[0].filename == __file__


def test_the_state_travels_in_a_pickle(tmp_path):
    files = numbers(tmp_path)
    source, resumed = files.to_torch(batch_size=64), files.to_torch(batch_size=64)
    next(iter(source))
    resumed.load_state_dict(source.state_dict())
    assert flat(pickle.loads(pickle.dumps(resumed)))[0] == 64
    assert flat(pickle.loads(pickle.dumps(source)))[0] == 0


def test_a_damaged_file_is_the_error_of_to_torch(tmp_path):
    path, text = cut(tmp_path)
    source = af.AvroDataset(path, features=NUMBERS).to_torch(batch_size=10)
    with pytest.raises(af.TruncatedError) as caught:
        list(source)
    assert str(caught.value) == text


def test_options_of_to_torch_are_checked_at_once(tmp_path):
    with pytest.raises(TypeError) as caught:
        numbers(tmp_path).to_torch(size=3)
    assert str(caught.value) == "to_torch() got an unexpected keyword argument 'size'"


def test_the_figures_are_those_of_the_last_iteration(tmp_path):
    source = numbers(tmp_path)
    rows = source.to_torch(batch_size=64)
    assert rows.stats() is None
    for _ in range(2):
        assert len(list(DataLoader(rows, batch_size=None))) == 16
        assert rows.stats().to_dict()["batches"] == 16
    assert source.stats().to_dict() == rows.stats().to_dict()


@pytest.mark.parametrize("workers", [0, 2])
def test_skipped_blocks_are_reported_and_named_once_for_each_process(tmp_path, workers):
    path = tmp_path / "damaged.avro"
    af.write_avro(pa.table({"x": [1.0, 2.0]}), path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    source = af.AvroDataset(path)
    rows = source.to_torch(batch_size=2, on_error="skip_block")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            assert list(DataLoader(rows, batch_size=None, num_workers=workers)) == []
    assert rows.report() == source.report()
    named = [one for one in caught if one.category is af.SkippedWarning]
    if workers:
        # A worker has a sum of its own.
        assert (source.report()["skipped"], named) == ([], [])
        return
    [skipped] = source.report()["skipped"]
    assert skipped["path"] == str(path)
    assert [str(one.message) for one in named] == [
        f"skipped a block: {skipped['error']} (`report()` lists all skipped parts of the file)"
    ]


@pytest.mark.parametrize("workers", [0, 2])
def test_labels_and_weights_of_to_torch_are_apart(tmp_path, workers):
    source = dataset(tmp_path).project(["id", "x", "flag"])
    plain = DataLoader(source.to_torch(batch_size=64), batch_size=None, num_workers=workers)
    rows = source.to_torch(batch_size=64, label="flag", weight="x")
    pairs = list(DataLoader(rows, batch_size=None, num_workers=workers))
    for (features, label, weight), batch in zip(pairs, plain, strict=True):
        assert list(features) == ["id"]
        assert torch.equal(features["id"], batch["id"])
        assert torch.equal(label, batch["flag"])
        assert torch.equal(weight, batch["x"])
    features, labels = next(iter(source.to_torch(batch_size=64, label=["flag"])))
    assert (list(features), list(labels)) == (["id", "x"], ["flag"])
    with pytest.raises(ValueError, match="^label: expected one of the tensors id, x, flag, found 'none'$"):
        source.to_torch(batch_size=64, label="none")
