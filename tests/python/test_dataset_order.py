"""Files and options determine the batches, down to the bytes of every column."""

import itertools
import re
import warnings

import pytest

import arrowfeed as af
from dataset_files import all_ids, digest, people_files

ORDERS = {
    "in file order": {},
    "epochs": {"epochs": 2, "drop_remainder": True},
    "a shard": {"shard": (1, 3)},
    "shuffled": {"shuffle_buffer_size": 60, "seed": 5},
    "all shuffled": {"shuffle_buffer_size": 10_000, "seed": 5, "epochs": 2},
    "a shuffled shard": {"shuffle_buffer_size": 60, "seed": 5, "shard": (0, 2)},
}
SPEEDS = list(itertools.product([1, 2, 3], [0, 64 << 20]))


@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_threads_and_prefetch_change_no_byte(people, options):
    dataset = af.AvroDataset(people)
    digests = {
        digest(dataset.record_batches(batch_size=32, threads=threads, prefetch_bytes=prefetch, **options))
        for threads, prefetch in SPEEDS
    }
    assert len(digests) == 1


def test_the_digest_distinguishes_orders_and_bytes(people):
    dataset = af.AvroDataset(people)
    digests = [digest(dataset.record_batches(batch_size=32, **options)) for options in ORDERS.values()]
    digests.append(digest(dataset.record_batches(batch_size=31)))
    digests.append(digest(af.AvroDataset(people[:3]).record_batches(batch_size=32)))
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("method", ["tensors", "record_batches"])
def test_a_seed_without_a_shuffle_warns(people, method):
    dataset = af.AvroDataset(people)
    message = "seed: expected shuffle_buffer_size= too, because a seed alone does not shuffle the rows"
    with pytest.warns(UserWarning, match=f"^{re.escape(message)}$") as warned:
        getattr(dataset, method)(batch_size=8, seed=1).close()
    assert [warning.filename for warning in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(dataset, method)(batch_size=8, seed=1, shuffle_buffer_size=8).close()
        # The order of a mixture depends on its seed.
        getattr(af.MixedDataset([dataset]), method)(batch_size=8, seed=1).close()


def test_the_order_of_a_seed_never_changes(tmp_path):
    paths = people_files(tmp_path, [6, 5, 5], sync_interval=1)
    dataset = af.AvroDataset(paths, columns=["id"])
    [batch] = all_ids(dataset.record_batches(batch_size=16, shuffle_buffer_size=4, seed=7))
    assert batch == [2, 12, 11, 5, 15, 13, 9, 10, 4, 7, 3, 8, 1, 14, 0, 6]


def test_two_iterators_do_not_disturb_each_other(people):
    dataset = af.AvroDataset(people, columns=["id"])
    options = {"batch_size": 32, "shuffle_buffer_size": 60, "seed": 5, "threads": 2}
    alone = all_ids(dataset.record_batches(**options))
    pairs = zip(dataset.record_batches(**options), dataset.tensors(**options), strict=True)
    assert [all_ids(pair) for pair in pairs] == [[batch, batch] for batch in alone]
