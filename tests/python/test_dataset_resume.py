"""A state of any batch resumes with the rest of the run, in any process, and fits no other dataset."""

import json

import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import run_script
from dataset_files import all_ids, ids, people_files

ORDERS = {
    "in file order": {"epochs": 2},
    "a shard": {"shard": (2, 3)},
    "shuffled": {"shuffle_buffer_size": 60, "seed": 5, "epochs": 2},
    "a shuffled shard": {"shuffle_buffer_size": 100, "seed": 5, "shard": (1, 2), "drop_remainder": True},
}


def resumed(dataset, state, how="record_batches", **options):
    """The batches after a state that went through JSON."""
    batches = getattr(dataset, how)(**options)
    batches.load_state_dict(json.loads(json.dumps(state)))
    return batches


def test_a_state_counts_yielded_batches_not_those_read_ahead(people):
    dataset = af.AvroDataset(people, columns=["id"])
    batches = dataset.record_batches(batch_size=20, threads=3)
    given = ids(next(batches)) + ids(next(batches))
    assert batches.state_dict()["report"]["rows"] == len(given) == 40
    assert ids(next(resumed(dataset, batches.state_dict(), batch_size=20))) == list(range(40, 60))
    assert ids(next(batches)) == list(range(40, 60))


@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_states_of_record_batches_and_of_tensors_are_the_same(people, options):
    dataset = af.AvroDataset(people, columns=["id"])
    # Threads count blocks in their own time.
    options = {"batch_size": 23, "threads": 1, **options}
    whole = all_ids(dataset.record_batches(**options))
    records, tensors = dataset.record_batches(**options), dataset.tensors(**options)
    for given in range(1, len(whole)):
        next(records), next(tensors)
        state = tensors.state_dict()
        assert records.state_dict() == state
        assert all_ids(resumed(dataset, state, "record_batches", **options)) == whole[given:]
        assert all_ids(resumed(dataset, state, "tensors", **options)) == whole[given:]


def test_a_projection_takes_the_state_of_the_whole(people):
    dataset = af.AvroDataset(
        people,
        representations={"id": af.representations.Dense("id"), "paid": af.representations.Dense("paid")},
    )
    options = {"batch_size": 23, "shuffle_buffer_size": 60, "seed": 5}
    whole = all_ids(dataset.tensors(**options))
    batches = dataset.tensors(**options)
    next(batches)
    assert all_ids(resumed(dataset.project(["id"]), batches.state_dict(), **options)) == whole[1:]


def test_an_iterator_can_return_to_earlier_states(people):
    dataset = af.AvroDataset(people, columns=["id"])
    batches = dataset.record_batches(batch_size=100)
    states = [batches.state_dict() for _ in batches]
    for at in (1, 0, 2, 1):
        batches.load_state_dict(states[at])
        assert [batch[0] for batch in all_ids(batches)] == [100, 200][at:]
    batches.close()
    batches.load_state_dict(states[0])
    assert ids(next(batches)) == list(range(100, 200))


def test_a_state_is_taken_by_another_process(people):
    dataset = af.AvroDataset(people, columns=["id"])
    batches = dataset.record_batches(batch_size=23, shuffle_buffer_size=60)
    next(batches)
    script = """
        import json, sys
        import arrowfeed as af

        dataset = af.AvroDataset(json.loads(sys.argv[1]), columns=["id"])
        batches = dataset.record_batches(batch_size=23, shuffle_buffer_size=60)
        batches.load_state_dict(json.loads(sys.argv[2]))
        print([batch.column("id").to_pyarrow().to_pylist() for batch in batches])
    """
    done = run_script(script, json.dumps([str(path) for path in people]), json.dumps(batches.state_dict()))
    state, rest = batches.state_dict(), all_ids(batches)
    assert done.stdout == f"{rest}\n", done.stderr
    # The state has the seed that was drawn.
    options = {"batch_size": 23, "shuffle_buffer_size": 60, "seed": state["seed"]}
    assert all_ids(resumed(dataset, state, **options)) == rest


SHUFFLED = {"batch_size": 23, "shuffle_buffer_size": 60, "seed": 5}


@pytest.fixture
def state(people):
    batches = af.AvroDataset(people).record_batches(**SHUFFLED)
    next(batches)
    return batches.state_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop_remainder": True}, "expected drop_remainder true, as requested, found drop_remainder false"),
        (
            {"shuffle_buffer_size": 0},
            "expected shuffle_buffer_size 0, as requested, found shuffle_buffer_size 60",
        ),
        (
            {"on_error": "skip_file"},
            'expected on_error "skip_file", as requested, found on_error "raise"',
        ),
    ],
)
def test_a_state_of_other_options_is_refused(people, state, options, message):
    batches = af.AvroDataset(people).record_batches(**{**SHUFFLED, **options})
    before = batches.state_dict()
    with pytest.raises(ValueError, match="^state: ") as caught:
        batches.load_state_dict(state)
    assert (type(caught.value), str(caught.value)) == (ValueError, f"state: {message}")
    assert batches.state_dict() == before


def test_a_state_of_another_shard_of_as_many_is_refused(people):
    batches = [af.AvroDataset(people).record_batches(**SHUFFLED, shard=(index, 2)) for index in range(2)]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        batches[1].load_state_dict(batches[0].state_dict())
    assert str(caught.value) == "state: expected shard [1,2], as requested, found shard [0,2]"


def refused(source, state, **options):
    with pytest.raises(af.ChangedError) as caught:
        af.AvroDataset(source).record_batches(**options).load_state_dict(state)
    return str(caught.value)


@pytest.mark.parametrize(
    "options", [{"batch_size": 5}, {"batch_size": 5, "shuffle_buffer_size": 10, "seed": 1}]
)
def test_a_state_of_files_of_another_size_is_refused(tmp_path, options):
    [path] = people_files(tmp_path, [20])
    batches = af.AvroDataset(path).record_batches(**options)
    next(batches)
    state = batches.state_dict()
    people_files(tmp_path, [21])
    other = "found a state of a file with a different name or size"
    assert refused(path, state, **options) == f"state: expected {path} as file 0 of the list, {other}"


def test_a_state_of_a_file_of_the_same_size_written_again_is_refused(tmp_path):
    [path] = people_files(tmp_path, [20])
    batches = af.AvroDataset(path).record_batches(batch_size=5)
    next(batches)
    state = batches.state_dict()
    old, new = state["position"]["place"]["row"]["fingerprint"], b"0123456789abcdef"
    path.write_bytes(path.read_bytes().replace(bytes.fromhex(old), new))
    assert refused(path, state, batch_size=5) == (
        f"state: expected {path} unchanged, with the fingerprint {old}, found the fingerprint {new.hex()}"
    )


OTHER = "expected a saved state of an iteration, found other data: "


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"version": 1},
            "expected version 5, found version 1: start without the state, or resume with the "
            "version of arrowfeed that saved it",
        ),
        ({"seed": None}, "expected a seed, found none"),
        (
            {"sources": [{"files": {"count": 4, "marks": "?", "lengths": 0}, "chunks": 0}]},
            "expected checksums of files, found different text",
        ),
        ({"sources": []}, "expected number of datasets 1, as requested, found number of datasets 0"),
        (
            {"position": {"kind": "epochs", "epoch": 0, "place": "end"}},
            f"{OTHER}unknown variant `end`, expected one of `start`, `row`, `window`",
        ),
        (
            {"position": {"kind": "epochs", "epoch": -1, "place": "start"}},
            f"{OTHER}invalid value: integer `-1`, expected u64",
        ),
        (
            {"position": {"kind": "none"}},
            f"{OTHER}unknown variant `none`, expected one of `epochs`, `mixture`, `global`, `length`",
        ),
        (
            {"position": {"kind": "global", "epoch": 0, "first_epoch": 0, "batch": 0}},
            "expected a position in this order, found a position in a different order",
        ),
        ({"version": None}, f"{OTHER}invalid type: null, expected u32"),
    ],
)
def test_other_dicts_are_no_states(people, state, change, message):
    batches = af.AvroDataset(people).record_batches(**SHUFFLED)
    with pytest.raises(ValueError, match="^state: ") as caught:
        batches.load_state_dict({**state, **change})
    assert str(caught.value).split(" at line ")[0] == f"state: {message}"


def test_a_value_that_is_not_a_dict_is_not_a_state(people, state):
    batches = af.AvroDataset(people).record_batches(**SHUFFLED)
    with pytest.raises(TypeError) as caught:
        batches.load_state_dict([state])
    assert str(caught.value).startswith("state: expected a dict from state_dict(), found list [{")
    with pytest.raises(TypeError, match="^Object of type bytes is not JSON serializable$"):
        batches.load_state_dict({**state, "epoch": b"0"})


def moved(state, **position):
    return {**state, "position": {**state["position"], **position}}


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"window": 1 << 40}, "expected a window below 5, found 1099511627776"),
        ({"passed": 1 << 40}, "expected a position of up to [0-9]+ rows in a window, found 1099511627776"),
    ],
)
def test_a_position_beyond_the_end_is_refused(people, state, place, message):
    far = {"window": {"window": 0, "passed": 0, "left_out": [], **place}}
    with pytest.raises(ValueError, match=f"^state: {message}$"):
        resumed(af.AvroDataset(people), moved(state, place=far), **SHUFFLED)


@pytest.mark.parametrize("epoch", [3, 2**63])
def test_an_epoch_beyond_the_last_one_is_refused(people, state, epoch):
    with pytest.raises(ValueError, match=f"^state: expected an epoch from 0 to [0-9]+, found {epoch}$"):
        resumed(af.AvroDataset(people), moved(state, epoch=epoch), **SHUFFLED)


@pytest.mark.parametrize(
    "wrong", [{"file": 99}, {"offset": 1 << 40}, {"fingerprint": ""}, {"fingerprint": 3}]
)
def test_a_missing_location_is_an_error(people, wrong):
    dataset = af.AvroDataset(people, columns=["id"])
    batches = dataset.record_batches(batch_size=10)
    next(batches)
    state = batches.state_dict()
    state["position"]["place"]["row"].update(wrong)
    with pytest.raises((ValueError, af.ArrowfeedError)) as caught:
        all_ids(resumed(dataset, state, batch_size=10))
    assert not isinstance(caught.value, af.InternalError)


@pytest.mark.parametrize("name", ["rows", "blocks", "bytes"])
@pytest.mark.parametrize("count", [2**63, 2**64 - 1])
def test_counts_of_a_state_do_not_wrap(tmp_path, name, count):
    path = tmp_path / "rows.avro"
    af.write_avro(pa.table({"id": range(10)}), path)
    batches = af.AvroDataset(path).record_batches(batch_size=5)
    next(batches)
    state = batches.state_dict()
    state["report"][name] = 2**63 - 1
    batches.load_state_dict(state)
    state["report"][name] = count
    with pytest.raises(ValueError, match="^state: ") as caught:
        batches.load_state_dict(state)
    assert str(caught.value) == (
        f"state: expected counts of a report up to 9223372036854775807, found {count}"
    )
