"""Global batches: batch `k` does not depend on the number of processes, and a state fits any number."""

import itertools
import json
import re

import pytest

import arrowfeed as af
from law_sources import SOURCES, flat_ids

SIZES = [100, 0, 90, 50]
TOTAL = sum(SIZES)
OPTIONS = {"global_batch_size": 48, "streams": 12}


@pytest.fixture(scope="module", params=["avro", "chunks"])
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


@pytest.mark.parametrize(("even", "rows"), [(None, 230), ("drop", 192), ("repeat", 240)])
def test_processes_make_the_same_batches_and_resume_them(dataset, even, rows):
    options, part = {**OPTIONS, "even": even, "shuffle_buffer_size": 60, "seed": 5}, dataset.take(230)
    whole = of_processes(part, 1, options)
    assert sum(map(len, whole)) == rows
    assert of_processes(part, 4, options) == whole
    batches = part.record_batches(**options, shard=(1, 3))
    assert part.num_batches(**options, shard=(1, 3)) == len(batches) == len(whole)
    assert [next(batches).num_rows for _ in range(2)] == [16, 16]
    state = json.loads(json.dumps(batches.state_dict()))
    assert of_processes(part, 6, options, state) == whole[2:]
    mixed = af.MixedDataset([dataset.take(80), dataset.skip(80)], weights=[1, 3])
    endless = mixed.record_batches(**options, epochs=None, shard=(0, 2))
    assert [next(endless).num_rows for _ in range(30)] == [24] * 30


def test_a_state_is_small_and_says_epoch_batch_and_seed(avro):
    batches = avro.record_batches(**OPTIONS, shuffle_buffer_size=50, seed=9, epochs=3, even="drop")
    for _ in range(6):
        next(batches)
    state = batches.state_dict()
    assert state["position"] == {"kind": "global", "epoch": 1, "first_epoch": 0, "batch": 1}
    assert (state["seed"], state["options"]["global"]["even"]) == (9, "drop")
    assert len(json.dumps(state)) < 4096


def test_auto_makes_equal_steps_by_default(avro, monkeypatch):
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    options = {"global_batch_size": 36, "streams": 12}
    assert avro.num_batches(**options) == 7
    assert avro.num_batches(**options, shard="auto") == 6
    assert avro.num_batches(**options, shard="auto", even=None) == 7
    auto = avro.record_batches(**options, shard="auto")
    assert auto.state_dict()["options"]["global"]["even"] == "drop"
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


def moved(state, **position):
    return {**state, "position": {**state["position"], **position}}


def test_states_of_other_global_batches_are_refused(avro):
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
        "state: expected a global batch up to 5, found 6": (options, moved(state, batch=6)),
        "state: expected an epoch from 0 to 1, found 2": (options, moved(state, epoch=2)),
    }
    for message, (own, state) in refused.items():
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            avro.record_batches(**own).load_state_dict(state)
    with pytest.raises(ValueError, match="expected a state of an iteration with batches of each shard"):
        plain.load_state_dict(avro.record_batches(**options).state_dict())
    old = {**plain.state_dict(), "version": 2}
    with pytest.raises(ValueError, match="start without the state, or resume with the version"):
        avro.record_batches(batch_size=10).load_state_dict(old)
