"""`take`, `skip` and `start_epoch` count in the whole dataset, for every format and framework."""

import pytest

import arrowfeed as af
from arrowfeed._dataset.copies import batches_of_pass
from dataset_files import all_ids


@pytest.fixture(scope="module")
def dataset(people):
    return af.AvroDataset(people, columns=["id"])


def flat(batches):
    return [row for batch in all_ids(batches) for row in batch]


def test_selected_rows_reach_tensors_counts_and_explain(dataset):
    """Rust tests have the orders, the states and the splits of selected rows."""
    selected = dataset.skip(10).take(100).skip(5).project(["id"])
    tensors = [row for batch in selected.tensors(batch_size=50) for row in batch["id"].values.tolist()]
    assert tensors == list(range(15, 110))
    assert (selected.num_rows, selected.num_batches(batch_size=50)) == (95, 2)
    assert dataset.skip(1000).num_rows == 0
    assert dataset.skip(299).take(2**64 - 1).num_rows == 1
    assert "\nrows 15 to 110\n" in selected.explain()
    assert selected.fingerprint != dataset.fingerprint


@pytest.mark.parametrize(
    ("count", "kind", "message"),
    [
        (-1, ValueError, "count: expected an integer of 0 or more, found int -1"),
        (1.5, TypeError, "count: expected an integer of 0 or more, found float 1.5"),
        ("3", TypeError, "count: expected an integer of 0 or more, found str '3'"),
    ],
)
def test_other_counts_are_refused(dataset, count, kind, message):
    for method in (dataset.take, dataset.skip):
        with pytest.raises(kind) as error:
            method(count)
        assert str(error.value) == message


def test_later_epochs_are_those_of_a_longer_iteration(dataset):
    options = {"batch_size": 64, "shuffle_buffer_size": 50, "seed": 1}
    whole = flat(dataset.record_batches(epochs=5, **options))
    later = dataset.record_batches(epochs=2, start_epoch=3, **options)
    first = next(later)
    state = later.state_dict()
    rest = flat(later)
    assert flat([first]) + rest == whole[900:]
    resumed = dataset.record_batches(epochs=2, start_epoch=3, **options)
    resumed.load_state_dict(state)
    assert flat(resumed) == rest
    message = "^state: expected start_epoch 2, as requested, found start_epoch 3$"
    with pytest.raises(ValueError, match=message):
        dataset.record_batches(epochs=2, start_epoch=2, **options).load_state_dict(state)


def test_another_number_of_shards_goes_on_at_the_next_epoch(dataset):
    options = {"batch_size": 16, "shuffle_buffer_size": 60, "seed": 1}
    orders = []
    for epoch, count in enumerate([2, 3, 5]):
        shards = [
            flat(dataset.record_batches(start_epoch=epoch, shard=(index, count), **options))
            for index in range(count)
        ]
        rows = [row for shard in shards for row in shard]
        assert sorted(rows) == list(range(300))
        orders.append(tuple(rows))
    assert len(set(orders)) == 3


def test_passes_follow_the_first_epoch(dataset):
    options = {"batch_size": 64, "shuffle_buffer_size": 60, "seed": 1}
    order = [flat(dataset.record_batches(start_epoch=epoch, **options)) for epoch in range(6)]

    def of_pass(number, **more):
        batches = batches_of_pass(dataset, number, {**options, **more})
        return [row for batch in batches for row in batch["id"].values.tolist()]

    assert [of_pass(number, start_epoch=2) for number in range(3)] == order[2:5]
    assert of_pass(1, start_epoch=2, epochs=2) == order[4] + order[5]
