"""Global batches: batch `k` does not depend on the number of processes, and a state fits any number."""

import itertools
import json
import random
import re

import pyarrow as pa
import pytest

import arrowfeed as af
from law_sources import SOURCES, flat_ids

SIZES = [100, 0, 90, 50]
TOTAL = sum(SIZES)
OPTIONS = {"global_batch_size": 48, "streams": 12}
ORDERS = {
    "in file order": {"epochs": 2, "even": "drop"},
    "across epochs": {"epochs": 3, "across_epochs": True},
    "repeated": {"epochs": 2, "even": "repeat"},
    "shuffled": {"shuffle_buffer_size": 60, "seed": 5, "epochs": 2, "even": "drop"},
    "shuffled across epochs": {"shuffle_buffer_size": 200, "seed": 5, "epochs": 2, "across_epochs": True},
    "one epoch": {},
}


@pytest.fixture(scope="module", params=SOURCES)
def dataset(request, tmp_path_factory):
    return SOURCES[request.param](tmp_path_factory.mktemp(request.param), SIZES)


@pytest.fixture(scope="module")
def avro(tmp_path_factory):
    return SOURCES["avro"](tmp_path_factory.mktemp("avro"), SIZES)


def of_processes(dataset, count, options, state=None, threads=2):
    """The rows of each global batch, joined in the order of the processes."""
    each = []
    for index in range(count):
        batches = dataset.record_batches(**options, shard=(index, count), threads=threads)
        if state is not None:
            batches.load_state_dict(state)
        each.append([flat_ids(batch) for batch in batches])
    most = max(map(len, each))
    return [[*itertools.chain.from_iterable(own[k] for own in each if k < len(own))] for k in range(most)]


def test_a_batch_has_the_next_rows_of_each_stream(dataset):
    found = of_processes(dataset, 3, OPTIONS)
    stream = TOTAL // 12
    assert found == [
        [row for start in range(0, TOTAL, stream) for row in range(start + 4 * k, start + 4 * (k + 1))]
        for k in range(5)
    ]


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_any_number_of_processes_makes_the_same_batches_and_resumes_them(dataset, order):
    options = {**OPTIONS, **order}
    whole = of_processes(dataset, 1, options)
    assert dataset.num_batches(**options) == len(whole)
    pick = random.Random(str(order))
    for count in pick.sample([2, 3, 4, 6, 12], 2):
        assert of_processes(dataset, count, options, threads=pick.choice([1, 2, 8])) == whole
        saved = dataset.record_batches(**options, shard=(pick.randrange(count), count))
        passed = pick.randrange(len(whole) + 1)
        for _ in range(passed):
            next(saved)
        state = json.loads(json.dumps(saved.state_dict()))
        other = pick.choice([1, 2, 3, 4, 6, 12])
        assert of_processes(dataset, other, options, state) == whole[passed:]


def test_each_row_comes_once_in_an_epoch(dataset):
    options = {**OPTIONS, "shuffle_buffer_size": 60, "seed": 1, "epochs": 2}
    found = of_processes(dataset, 4, options)
    for epoch in (found[:5], found[5:]):
        assert sorted(itertools.chain.from_iterable(epoch)) == list(range(TOTAL))


@pytest.mark.parametrize(
    ("even", "rows"), [("drop", 1003 // 96 * 96), ("repeat", -(-1003 // 96) * 96), (None, 1003)]
)
def test_every_process_makes_the_same_steps(tmp_path, even, rows):
    path = tmp_path / "rows.avro"
    af.write_avro(pa.record_batch({"id": range(1003)}), path)
    options = {"global_batch_size": 96, "streams": 12, "even": even}
    dataset = af.AvroDataset(path)
    batches = [[*dataset.record_batches(**options, shard=(index, 4))] for index in range(4)]
    assert sum(batch.num_rows for own in batches for batch in own) == rows
    counts = [dataset.num_batches(**options, shard=(index, 4)) for index in range(4)]
    assert counts == [len(own) for own in batches]
    assert counts == [len(dataset.record_batches(**options, shard=(index, 4))) for index in range(4)]
    if even is not None:
        assert len(set(counts)) == 1
        assert {batch.num_rows for own in batches for batch in own} == {24}


def test_mixtures_and_parts_obey_the_same_law(avro):
    first, rest = avro.split(0.7, seed=3)
    mixed = af.MixedDataset([first.skip(5), rest.take(60)], weights=[1, 3])
    for even in (None, "drop", "repeat"):
        options = {**OPTIONS, "shuffle_buffer_size": 40, "seed": 2, "epochs": 2, "even": even}
        whole = of_processes(mixed, 1, options)
        assert of_processes(mixed, 6, options) == whole
        batches = mixed.record_batches(**options, shard=(1, 3))
        for _ in range(4):
            next(batches)
        assert of_processes(mixed, 4, options, batches.state_dict()) == whole[4:]
    endless = mixed.record_batches(**{**options, "epochs": None}, shard=(0, 2))
    assert [next(endless).num_rows for _ in range(30)] == [24] * 30


def test_a_state_is_small_and_says_epoch_batch_and_seed(avro):
    batches = avro.record_batches(**OPTIONS, shuffle_buffer_size=50, seed=9, epochs=3, even="drop")
    for _ in range(6):
        next(batches)
    state = batches.state_dict()
    assert (state["epoch"], state["global_batch"], state["seed"]) == (1, 1, 9)
    assert state["options"]["even"] == "drop"
    assert len(json.dumps(state)) < 4096


def test_auto_makes_equal_steps_by_default(avro, monkeypatch):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    options = {"global_batch_size": 36, "streams": 12}
    assert avro.num_batches(**options) == 7
    assert avro.num_batches(**options, shard="auto") == 6
    assert avro.num_batches(**options, shard="auto", even=None) == 7
    auto = avro.record_batches(**options, shard="auto")
    assert auto.state_dict()["options"]["even"] == "drop"
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert [batch.num_rows for batch in avro.record_batches(**options, shard="auto")] == [12] * 6
    resumed = avro.record_batches(**options, shard="auto")
    resumed.load_state_dict(auto.state_dict())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"global_batch_size": 100},
            "global batch size: expected a multiple of streams (64), such as 64 or 128, found 100",
        ),
        (
            {"global_batch_size": 10},
            "global batch size: expected a multiple of streams (64), such as 64, found 10",
        ),
        (
            {"global_batch_size": 128, "shard": (0, 3)},
            "shard: expected a number of shards that divides streams (64), such as 2 or 4, found 3: use one "
            "of these, or another number of streams, such as 63",
        ),
        (
            {"global_batch_size": 64, "batch_size": 64},
            "global_batch_size: expected either batch_size= or global_batch_size=, found both",
        ),
        (
            {"batch_size": 64, "even": "drop"},
            "even: expected global_batch_size= too, found batch_size=",
        ),
        (
            {"batch_size": 64, "streams": 4},
            "streams: expected global_batch_size= too, which has rows of each stream",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(avro, options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        avro.record_batches(**options)


def test_states_of_other_iterations_are_refused(avro):
    options = {**OPTIONS, "even": "drop"}
    state = avro.record_batches(**options).state_dict()
    plain = avro.record_batches(batch_size=10)
    refused = {
        'state: expected even null, as requested, found even "drop"': ({**OPTIONS}, state),
        "state: expected streams 6, as requested, found streams 12": ({**options, "streams": 6}, state),
        "state: expected a state of an iteration with global batches, found a state of one with "
        "batches of each shard: start without the state, or iterate as when it was saved": (
            options,
            plain.state_dict(),
        ),
        "state: expected a global batch up to 5, found 6": (options, {**state, "global_batch": 6}),
        "state: expected an epoch from 0 to 1, found 2": (options, {**state, "epoch": 2}),
    }
    for message, (own, state) in refused.items():
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            avro.record_batches(**own).load_state_dict(state)
    with pytest.raises(ValueError, match="expected a state of an iteration with batches of each shard"):
        plain.load_state_dict(avro.record_batches(**options).state_dict())
    old = {**plain.state_dict(), "version": 2}
    with pytest.raises(ValueError, match="start without the state, or resume with the version"):
        avro.record_batches(batch_size=10).load_state_dict(old)


@pytest.mark.parametrize("even", [None, "drop", "repeat"])
def test_processes_mix_in_one_order_without_a_seed(avro, even):
    mixed = af.MixedDataset([avro.take(TOTAL // 3), avro.skip(TOTAL // 3)])
    options = {**OPTIONS, "even": even}
    whole = of_processes(mixed, 1, options)
    assert of_processes(mixed, 4, options) == whole
    batches = mixed.record_batches(**options, shard=(1, 2))
    next(batches)
    assert of_processes(mixed, 3, options, batches.state_dict()) == whole[1:]
