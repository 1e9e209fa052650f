"""Batches of rows of similar length follow the rule in plain Python, keep their budget, and resume."""

import copy
import itertools
import json
import pickle
import random

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from law_sources import CHUNK, SOURCES, Chunks, plain

SIZES = [100, 0, 90, 50]
TOTAL = sum(SIZES)

ORDERS = {
    "in file order": {"epochs": 2},
    "across epochs": {"epochs": 2, "across_epochs": True},
    "a shard": {"shard": (2, 3)},
    "shuffled": {"shuffle_buffer_size": 60, "seed": 5, "epochs": 2},
    "a shuffled shard": {"shuffle_buffer_size": 100, "seed": 5, "shard": (1, 2)},
}
LENGTHS = {
    "rows of a size": {"batches": af.ByLength("list", window=50), "batch_size": 8},
    "a budget": {"batches": af.ByLength("list", max_tokens=12, window=70)},
    "a size and a budget": {"batches": af.ByLength("list", max_tokens=12, window=33), "batch_size": 5},
    "buckets": {"batches": af.ByLength("list", boundaries=[1, 3], window=64), "batch_size": 8},
    "buckets and a budget": {"batches": af.ByLength("list", max_tokens=9, boundaries=[2, 3], window=64)},
    "integers": {"batches": af.ByLength("id", boundaries=[50, 100], window=1000), "batch_size": 8},
    "all windows of one batch": {"batches": af.ByLength("list", window=8), "batch_size": 8},
}


@pytest.fixture(scope="module", params=["avro", "parquet", "chunks"])
def dataset(request, tmp_path_factory):
    return SOURCES[request.param](tmp_path_factory.mktemp(request.param), SIZES)


def tables(batches):
    """The rows of each batch."""
    return [[plain(row) for row in pa.record_batch(batch).to_pylist()] for batch in batches]


def of(row, options):
    """The length of a row."""
    value = row[options["batches"].column]
    return value if isinstance(value, int) else len(value or ())


def divided(window, options):
    """The batches of a window, from the definition, in the order of their first rows."""
    boundaries, batch_size = options["batches"].boundaries or (), options.get("batch_size", 1 << 60)
    most = options["batches"].max_tokens or 1 << 60
    lengths = [of(row, options) for row in window]
    buckets = [sum(boundary <= length for boundary in boundaries) for length in lengths]
    by = buckets if boundaries else lengths
    batches = []
    for _, group in itertools.groupby(
        sorted(range(len(window)), key=lambda row: by[row]), key=lambda row: buckets[row]
    ):
        batch = []
        for row in group:
            longest = max([lengths[row], 1, *(lengths[other] for other in batch)])
            too_many = longest * (len(batch) + 1) > most
            if batch and (len(batch) == batch_size or too_many):
                batches.append(batch)
                batch = []
            batch.append(row)
        batches.append(batch)
    return [[window[row] for row in batch] for batch in sorted(map(sorted, batches))]


def expected(dataset, options):
    """The batches of each window: the rows of the windows are the batches of a plain iteration."""
    plain_options = {name: value for name, value in options.items() if name not in ("batches", "batch_size")}
    windows = tables(dataset.record_batches(batch_size=options["batches"].window, **plain_options))
    return [divided(window, options) for window in windows]


def by_window(batches, windows):
    """The batches of each window, of which `windows` has as many."""
    rest = iter(batches)
    found = [[next(rest) for _ in window] for window in windows]
    assert next(rest, None) is None
    return found


def key(batch):
    return [row["id"] for row in batch]


@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_batches_are_those_of_the_rule(dataset, order, length):
    options = {**length, **order}
    windows = expected(dataset, options)
    runs = [tables(dataset.record_batches(threads=threads, **options)) for threads in (1, 2, 8)]
    assert runs[0] == runs[1] == runs[2]
    found = by_window(runs[0], windows)
    if "seed" not in options:
        assert found == windows
    assert [sorted(window, key=key) for window in found] == [sorted(window, key=key) for window in windows]
    for batch in runs[0]:
        longest = max(of(row, options) for row in batch)
        assert longest * len(batch) <= (options["batches"].max_tokens or 1 << 60)
        assert len(batch) <= options.get("batch_size", 1 << 60)


def test_a_shuffle_changes_the_order_of_the_batches(dataset):
    options = {"batches": af.ByLength("list", window=200), "batch_size": 8, "shuffle_buffer_size": 200}
    first, again, other = (
        [key(b) for b in tables(dataset.record_batches(seed=s, **options))] for s in (1, 1, 2)
    )
    assert first == again != other
    lengths = [max(n % 4 for n in batch) for batch in first[:20]]
    assert lengths != sorted(lengths)
    assert sorted(itertools.chain.from_iterable(first)) == [*range(TOTAL)]


@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_resuming_batches_by_length_yields_the_rest(dataset, order, length):
    options = {**length, **order}
    whole = tables(dataset.record_batches(**options))
    batches = dataset.record_batches(**options)
    for given in range(len(whole) + 1):
        state = json.loads(json.dumps(batches.state_dict()))
        again = dataset.record_batches(threads=(1, 2, 8)[given % 3], prefetch_bytes=0, **options)
        assert batches.report()["rows"] == sum(map(len, whole[:given]))
        if given % 3 == 0 or given == len(whole):
            again.load_state_dict(state)
            assert again.state_dict() == state
            assert tables(again) == whole[given:]
            assert again.report()["rows"] == sum(map(len, whole))
        next(batches, None)


def test_an_iterator_continues_after_its_own_state_was_loaded(dataset):
    options = {**LENGTHS["a budget"], **ORDERS["shuffled"]}
    batches = dataset.record_batches(**options, threads=2)
    states, whole = [], []
    for batch in batches:
        whole.append(batch)
        states.append(batches.state_dict())
    whole = tables(whole)
    for given in (20, 3, 40):
        batches.load_state_dict(states[given])
        assert tables(itertools.islice(batches, 5)) == whole[given + 1 : given + 6]


def test_selected_and_filtered_rows(dataset):
    options = {"batches": af.ByLength("list", max_tokens=10, window=40)}
    for some in (
        dataset.filter(af.col("id") % 1 >= 0)
        if hasattr(af.Column, "__mod__")
        else dataset.filter(af.col("id") >= 30),
        dataset.skip(13).take(101),
        dataset.split(0.4, seed=3)[1],
    ):
        assert tables(some.record_batches(**options)) == list(
            itertools.chain.from_iterable(expected(some, options))
        )


def test_a_mixture_has_windows_of_its_draws(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    mixed = af.MixedDataset(
        [SOURCES["avro"](tmp_path / "a", [60]), SOURCES["avro"](tmp_path / "b", [150])], weights=[1, 2]
    )
    options = {"batches": af.ByLength("list", max_tokens=10, window=40), "seed": 3}
    whole = tables(mixed.record_batches(**options))
    assert whole == list(itertools.chain.from_iterable(expected(mixed, options)))
    batches = mixed.record_batches(**options)
    for given in range(0, len(whole), 7):
        again = mixed.record_batches(**options)
        again.load_state_dict(json.loads(json.dumps(batches.state_dict())))
        assert tables(again) == whole[given:]
        for _ in range(7):
            next(batches, None)


def test_tensors_by_length_are_those_of_the_batches(dataset):
    options = {"batches": af.ByLength("list", max_tokens=10, window=40), "threads": 2}
    adapter = dataset.tensor_adapter()
    for batch, tensors in zip(dataset.record_batches(**options), dataset.tensors(**options), strict=True):
        assert tensors["list"].to_list() == adapter.convert(batch)["list"].to_list()


COLUMNS = {
    "list": pa.list_(pa.int8()),
    "large_list": pa.large_list(pa.int8()),
    "string": pa.string(),
    "binary": pa.binary(),
    "large_string": pa.large_string(),
    "int8": pa.int8(),
    "uint64": pa.uint64(),
}


@pytest.mark.parametrize("kind", COLUMNS.values(), ids=COLUMNS)
def test_every_kind_of_length(tmp_path, kind):
    chance = random.Random(str(kind))
    lengths = [chance.choice([None, 0, 1, 2, 30]) for _ in range(200)]
    if pa.types.is_integer(kind):
        values = lengths
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values = [None if length is None else "é" * (length // 2) + "a" * (length % 2) for length in lengths]
    elif pa.types.is_binary(kind):
        values = [None if length is None else bytes(length) for length in lengths]
    else:
        values = [None if length is None else [1] * length for length in lengths]
    table = pa.table(
        {"id": range(200), "x": pa.array(values, kind), "in": [{"x": v} for v in values]},
    )
    with pa.ipc.new_file(str(tmp_path / "x.arrow"), table.schema) as writer:
        writer.write_table(table, 30)
    dataset = af.ArrowDataset(tmp_path / "x.arrow", columns=["id", "x"], representations={"id": Dense("id")})
    options = {"batches": af.ByLength("x", max_tokens=60, window=77)}
    found = [key(batch) for batch in tables(dataset.record_batches(**options))]
    rows = [{"id": row, "x": length or 0} for row, length in enumerate(lengths)]
    windows = [rows[at : at + 77] for at in range(0, 200, 77)]
    assert found == [key(batch) for window in windows for batch in divided(window, options)]


@pytest.mark.parametrize("order", [{"epochs": 2}, {"shuffle_buffer_size": 60, "seed": 5}])
@pytest.mark.parametrize("window", [20, 70])
def test_shards_that_take_turns_have_the_batches_of_one(dataset, order, window):
    options = {"batches": af.ByLength("list", max_tokens=12, window=window), **order}
    whole = tables(dataset.record_batches(**options))
    for count in (1, 2, 3, 5, 8):
        groups = [whole[at : at + count] for at in range(0, len(whole) - count + 1, count)]
        for index in range(count):
            shard = {"shard": (index, count), "even": "drop", "threads": 1 + index % 2}
            batches = dataset.record_batches(**options, **shard)
            assert tables(batches) == [group[index] for group in groups]
            assert batches.report()["rows"] == sum(len(group[index]) for group in groups)


@pytest.mark.parametrize("order", [{"epochs": 2}, {"shuffle_buffer_size": 60, "seed": 5}])
def test_a_checkpoint_resumes_with_another_number_of_shards(dataset, order):
    options = {"batches": af.ByLength("list", max_tokens=12, window=30), "even": "drop", **order}
    whole = tables(dataset.record_batches(**options))
    for before, after in itertools.product((1, 2, 3, 7), repeat=2):
        for steps in (0, 1, 5, len(whole) // before):
            states = []
            for index in range(before):
                batches = dataset.record_batches(**options, shard=(index, before))
                for _ in range(steps):
                    next(batches)
                state = json.loads(json.dumps(batches.state_dict()))
                window = state["position"]["window"]
                states.append((window["epoch"], window["place"], state["position"]["batches"]))
            assert all(one == states[0] for one in states)
            rest = whole[before * steps :]
            groups = [rest[at : at + after] for at in range(0, len(rest) - after + 1, after)]
            for index in range(after):
                resumed = dataset.record_batches(**options, shard=(index, after))
                resumed.load_state_dict(state)
                assert tables(resumed) == [group[index] for group in groups]


def test_a_state_of_the_end_yields_no_more(dataset):
    options = {"batches": af.ByLength("list", max_tokens=12, window=30), "even": "drop"}
    batches = dataset.record_batches(**options, shard=(0, 7))
    list(batches)
    again = dataset.record_batches(**options, shard=(1, 2))
    again.load_state_dict(batches.state_dict())
    assert list(again) == []


def test_even_is_drop_or_none(dataset):
    options = {"batches": af.ByLength("list"), "batch_size": 8}
    with pytest.raises(
        ValueError, match=r'even: expected "drop" or None with batches=ByLength\(...\), found "repeat"'
    ):
        dataset.record_batches(even="repeat", **options)
    turns, own = dataset.record_batches(even="drop", **options), dataset.record_batches(**options)
    with pytest.raises(ValueError, match='expected even "drop", as requested, found even null'):
        turns.load_state_dict(own.state_dict())


def test_random_windows(tmp_path):
    chance = random.Random("random windows")
    for case in range(60):
        lengths = [chance.choice([0, 1, 2, 3, 50, 100]) for _ in range(chance.randrange(300))]
        path = tmp_path / f"{case}.arrow"
        table = pa.table(
            {"id": pa.array(range(len(lengths)), pa.int64()), "x": pa.array(lengths, pa.int64())}
        )
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table, chance.choice([1, 7, 100]))
        given = {"window": chance.choice([1, 2, 60, 1000])}
        if chance.random() < 0.5:
            given["boundaries"] = sorted(chance.sample([1, 2, 3, 40, 70], chance.randint(1, 3)))
        if chance.random() < 0.7:
            given["max_tokens"] = chance.choice([100, 101, 350])
        options = {"batches": af.ByLength("x", **given)}
        if "max_tokens" not in given or chance.random() < 0.5:
            options["batch_size"] = chance.choice([1, 4, 1000])
        dataset = af.ArrowDataset(path)
        found = tables(dataset.record_batches(threads=chance.choice([1, 2]), **options))
        assert found == list(itertools.chain.from_iterable(expected(dataset, options)))


@pytest.mark.parametrize("threads", [1, 2])
def test_skipped_blocks_leave_no_gap_in_windows(threads):
    source = Chunks(0, 200, damaged={1, 3})
    dataset = af.ChunkDataset(source, columns=["id", "list"])
    options = {"batches": af.ByLength("list", max_tokens=12, window=50), "on_error": "skip_block"}
    batches = dataset.record_batches(threads=threads, **options)
    whole = tables(batches)
    rows = [n for n in range(200) if n // CHUNK not in {1, 3}]
    assert [len(window) for window in expected(dataset, options)] != []
    assert whole == list(itertools.chain.from_iterable(expected(dataset, options)))
    assert sorted(row["id"] for batch in whole for row in batch) == rows
    assert len(batches.report()["skipped"]) == 2
    again = dataset.record_batches(threads=threads, **options)
    for _ in range(9):
        next(again)
    resumed = dataset.record_batches(threads=threads, **options)
    resumed.load_state_dict(again.state_dict())
    assert tables(resumed) == whole[9:]


def test_a_field_of_a_struct_has_the_length(tmp_path):
    rows = [{"id": n, "user": None if n % 5 == 0 else {"scores": [n] * (n % 7)}} for n in range(60)]
    af.write_avro(pa.Table.from_pylist(rows), tmp_path / "x.avro")
    dataset = af.AvroDataset(tmp_path / "x.avro")
    options = {"batches": af.ByLength("user.scores", window=60), "batch_size": 4}
    found = [key(batch) for batch in tables(dataset.record_batches(**options))]
    plain_rows = [{"id": row["id"], "user.scores": (row["user"] or {"scores": []})["scores"]} for row in rows]
    assert found == [key(batch) for batch in divided(plain_rows, options)]


def test_the_number_of_batches_is_unknown(dataset):
    options = {"batches": af.ByLength("list"), "batch_size": 8}
    with pytest.raises(TypeError, match="depends on the lengths of all rows"):
        len(dataset.record_batches(**options))
    with pytest.raises(
        ValueError,
        match="^num_batches: expected batches of one size, found batches by length: their number depends",
    ):
        dataset.num_batches(**options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"batch_size": 2, "max_tokens": 9},
            TypeError,
            r"argument 'max_tokens': use batches=ByLength\(...\)$",
        ),
        ({"batches": "list", "batch_size": 2}, TypeError, "^batches: expected a ByLength, found str 'list'$"),
        (
            {"batches": af.ByLength("list")},
            TypeError,
            "missing 1 required keyword-only argument: 'batch_size'",
        ),
        (
            {"batches": af.ByLength("lists"), "batch_size": 2},
            ValueError,
            "column: expected a column that is read, one of ",
        ),
        (
            {"batches": af.ByLength("list", boundaries=[3, 3]), "batch_size": 2},
            ValueError,
            r"^boundaries: expected ascending integers above 0, found \[3, 3\]",
        ),
        (
            {"batches": af.ByLength("list"), "batch_size": 2, "drop_remainder": True},
            ValueError,
            "^drop_remainder: expected batches of one size, found batches by length, whose sizes differ$",
        ),
        (
            {"batches": af.ByLength("list"), "global_batch_size": 64},
            ValueError,
            "^batches by length: expected batches of each shard, found global batches: the number of batches",
        ),
    ],
)
def test_options_that_contradict_each_other_are_errors(dataset, options, error, message):
    with pytest.raises(error, match=message):
        dataset.record_batches(**options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"column": 3}, TypeError, "column: expected the name of a column (str), found int 3"),
        ({"max_tokens": 0}, ValueError, "max_tokens: expected an integer of 1 or more, found int 0"),
        ({"window": "2"}, TypeError, "window: expected an integer of 1 or more, found str '2'"),
        ({"pack_to": -1}, ValueError, "pack_to: expected an integer of 1 or more, found int -1"),
        ({"boundaries": 3}, TypeError, "boundaries: expected a list or tuple of lengths (int), found int 3"),
        ({"boundaries": [0]}, ValueError, "boundaries: expected an integer of 1 or more, found int 0"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error) as caught:
        af.ByLength(**{"column": "list", **arguments})
    assert str(caught.value) == message


def test_the_option_is_a_value():
    by_length = af.ByLength("it's", boundaries=[2, 5], max_tokens=9, window=7)
    assert repr(by_length) == 'ByLength("it\'s", boundaries=[2, 5], max_tokens=9, window=7)'
    assert eval(repr(by_length), {"ByLength": af.ByLength}) == by_length
    assert pickle.loads(pickle.dumps(by_length)) == by_length == copy.copy(by_length)
    assert len({by_length, af.ByLength("it's", boundaries=(2, 5), max_tokens=9, window=7)}) == 1
    assert by_length != af.ByLength("it's", boundaries=[2, 5], max_tokens=9)
    assert (by_length.column, by_length.boundaries, by_length.max_tokens) == ("it's", (2, 5), 9)
    assert (by_length.pack_to, by_length.window) == (None, 7)
    plain = af.ByLength("x")
    assert (plain.boundaries, plain.window, repr(plain)) == (None, None, "ByLength('x')")


def test_a_row_that_exceeds_the_budget_is_an_error(dataset):
    batches = dataset.record_batches(batches=af.ByLength("list", max_tokens=2))
    with pytest.raises(af.OptionError) as caught:
        list(batches)
    assert str(caught.value) == (
        'max_tokens: expected rows of at most 2 tokens in column "list", found one of 3: increase '
        "max_tokens, or leave out longer rows with a filter"
    )


def test_a_column_without_a_length_is_an_error(tmp_path):
    af.write_avro(pa.table({"x": [1.5]}), tmp_path / "x.avro")
    with pytest.raises(af.OptionError) as caught:
        af.AvroDataset(tmp_path / "x.avro").record_batches(batches=af.ByLength("x"), batch_size=2)
    assert str(caught.value) == (
        'column: expected a column of lists, strings, bytes or integers, found "x" of Float64'
    )
    af.write_avro(pa.table({"x": [1, -1]}), tmp_path / "y.avro")
    with pytest.raises(af.OptionError, match='^column: expected integers of 0 or more in column "x"'):
        list(af.AvroDataset(tmp_path / "y.avro").record_batches(batches=af.ByLength("x"), batch_size=2))


def test_states_of_other_batches_by_length_are_refused(dataset):
    options = {"batches": af.ByLength("list", max_tokens=12, window=50)}
    batches, other = dataset.record_batches(**options), dataset.record_batches(batch_size=12)
    next(batches)
    next(other)
    with pytest.raises(
        ValueError,
        match="expected a state of an iteration without batches by length, found a state of one with them",
    ):
        other.load_state_dict(batches.state_dict())
    with pytest.raises(
        ValueError,
        match="expected a state of an iteration with batches by length, found a state of one without them",
    ):
        batches.load_state_dict(other.state_dict())
    for changed, message in (
        ({"column": "id", "max_tokens": 10**6}, 'expected column "id", as requested, found column "list"'),
        ({"max_tokens": 13}, "expected max_tokens 13, as requested, found max_tokens 12"),
        ({"window": 51}, "expected window 51, as requested, found window 50"),
        ({"batch_size": 5}, "expected batch_size 5, as requested, found batch_size null"),
        ({"boundaries": [2]}, r"expected boundaries \[2\], as requested, found boundaries \[\]"),
    ):
        size = {"batch_size": changed.pop("batch_size")} if "batch_size" in changed else {}
        by_length = af.ByLength(**{"column": "list", "max_tokens": 12, "window": 50, **changed})
        with pytest.raises(ValueError, match=message):
            dataset.record_batches(batches=by_length, **size).load_state_dict(batches.state_dict())
    state = batches.state_dict()
    state["position"]["batches"] = 10**6
    again = dataset.record_batches(**options)
    again.load_state_dict(state)
    with pytest.raises(ValueError, match="expected a position in a window of"):
        next(again)
