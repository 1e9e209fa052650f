"""`Dataset.samples` in a `DataLoader`: the rows in the order of its sampler. Run by `make test-torch`."""

import numpy as np
import pytest
from feature_files import FEATURES, ROWS, dataset, write

import arrowfeed as af

torch = pytest.importorskip(
    "torch", reason="expected PyTorch, found it not installed: `make test-torch` has it"
)

from torch.utils.data import (  # noqa: E402
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
    Subset,
)

NUMBERS = {name: FEATURES[name] for name in ("id", "x", "flag")}
STARTS = [(0, None), (2, "fork"), (2, "spawn")]


def numbers(directory, **options):
    return af.AvroDataset(write(directory), features=NUMBERS).samples(**options)


def random_sampler(samples, **options):
    return RandomSampler(samples, generator=torch.Generator().manual_seed(3), **options)


def flat(loader):
    return [number for batch in loader for number in batch["id"].tolist()]


@pytest.mark.parametrize(("workers", "start"), STARTS)
@pytest.mark.parametrize("cache_bytes", [0, 20_000, 64 << 20])
def test_batches_have_the_rows_of_a_random_sampler(tmp_path, workers, start, cache_bytes):
    samples = numbers(tmp_path, cache_bytes=cache_bytes)
    order = list(random_sampler(samples))
    loader = DataLoader(
        samples,
        batch_size=64,
        sampler=random_sampler(samples),
        num_workers=workers,
        multiprocessing_context=start,
        persistent_workers=workers > 0,
    )
    batches = list(loader)
    assert [number for batch in batches for number in batch["id"].tolist()] == order
    assert sorted(order) == [*range(ROWS)]
    assert batches[0]["x"].dtype == torch.float32
    assert batches[0]["x"].tolist() == [[i, i / 2, -i, 0] for i in order[:64]]
    assert [bool(flag) for flag in batches[0]["flag"]] == [i % 3 == 0 for i in order[:64]]
    # The next pass of the loader has another order.
    again = flat(loader)
    assert sorted(again) == sorted(order)
    assert again != order


@pytest.mark.filterwarnings("error")
def test_the_arrays_of_samples_are_writable(tmp_path):
    loader = DataLoader(numbers(tmp_path), batch_size=None)
    assert flat({"id": sample["id"].reshape(1)} for sample in loader) == [*range(ROWS)]


@pytest.mark.parametrize(("workers", "start"), STARTS)
def test_batch_samplers_choose_the_rows_of_a_batch(tmp_path, workers, start):
    samples = numbers(tmp_path)
    sampler = BatchSampler(SequentialSampler(range(ROWS - 1, -1, -1)), 48, drop_last=True)
    loader = DataLoader(samples, batch_sampler=sampler, num_workers=workers, multiprocessing_context=start)
    assert flat(loader) == [*range(ROWS // 48 * 48)]
    assert len(loader) == ROWS // 48


def test_rows_are_drawn_several_times_with_replacement(tmp_path):
    samples = numbers(tmp_path)
    sampler = random_sampler(samples, replacement=True, num_samples=3000)
    expected = list(random_sampler(samples, replacement=True, num_samples=3000))
    assert flat(DataLoader(samples, batch_size=100, sampler=sampler)) == expected
    assert len(set(expected)) < 3000


def test_ranks_have_each_row_once_and_as_many_steps(tmp_path):
    samples = numbers(tmp_path)
    ranks = []
    for rank in range(3):
        sampler = DistributedSampler(samples, num_replicas=3, rank=rank, seed=5, drop_last=True)
        ranks.append(flat(DataLoader(samples, batch_size=10, sampler=sampler)))
    assert [len(rank) for rank in ranks] == [333] * 3
    assert len({number for rank in ranks for number in rank}) == 999


def test_subsets_and_splits_of_pytorch_have_their_rows(tmp_path):
    samples = numbers(tmp_path)
    assert flat(DataLoader(Subset(samples, [5, 999, 5]), batch_size=2)) == [5, 999, 5]
    parts = torch.utils.data.random_split(samples, [0.9, 0.1])
    assert sorted(flat(DataLoader(parts[0], batch_size=7)) + flat(DataLoader(parts[1], batch_size=7))) == [
        *range(ROWS)
    ]


@pytest.mark.parametrize(("workers", "start"), STARTS)
def test_a_function_collates_rows_of_different_lengths(tmp_path, workers, start):
    loader = DataLoader(
        dataset(tmp_path).samples(),
        batch_size=8,
        sampler=[3, 2, 1, 0, 10, 11, 12, 13],
        collate_fn=list,
        num_workers=workers,
        multiprocessing_context=start,
    )
    [batch] = loader
    for number, sample in zip([3, 2, 1, 0, 10, 11, 12, 13], batch, strict=True):
        words = [f"w{n}".encode() for n in range(number % 4)]
        assert list(sample) == list(FEATURES)
        assert sample["id"] == number
        assert sample["words"].tolist() == sample["tags"].values.tolist() == words
        assert sample["tags"].indices.tolist() == [[n] for n in range(number % 4)]
        assert sample["hot"].indices.tolist() == [[number % 10]]
        assert (sample["hot"].values.tolist(), sample["hot"].shape) == ([number], (10,))
        assert sample["name"] == ("" if number % 5 == 0 else f"é{number}").encode()


@pytest.mark.parametrize(("workers", "start"), STARTS)
def test_row_tensors_collate_numbers_of_rows(tmp_path, workers, start):
    rows = dataset(tmp_path)
    loader = DataLoader(
        range(ROWS),
        batch_size=100,
        collate_fn=rows.row_tensors,
        num_workers=workers,
        multiprocessing_context=start,
    )
    tensors = [batch["words"] for batch in loader]
    assert [row for batch in tensors for row in batch.to_list()] == [
        [f"w{n}".encode() for n in range(i % 4)] for i in range(ROWS)
    ]


def test_a_stateful_loader_resumes_in_the_middle(tmp_path):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")
    samples = numbers(tmp_path)

    def loader():
        sampler = stateful.sampler.RandomSampler(samples, generator=torch.Generator().manual_seed(3))
        return stateful.StatefulDataLoader(samples, batch_size=64, sampler=sampler)

    whole = flat(loader())
    first = loader()
    batches = iter(first)
    given = [number for _ in range(5) for number in next(batches)["id"].tolist()]
    resumed = loader()
    resumed.load_state_dict(first.state_dict())
    assert given + flat(resumed) == whole


def test_numbers_of_numpy_are_row_numbers(tmp_path):
    samples = numbers(tmp_path)
    assert samples[np.int64(7)]["id"] == samples[torch.tensor(7)]["id"] == 7
