"""`arrowfeed trace`: the rows that an iteration had returned when its state was saved."""

import json
import re

import numpy as np
import pytest

import arrowfeed as af
from law_sources import SOURCES, flat_ids

SIZES = [100, 0, 60, 80]
BORDERS = np.cumsum([0, *SIZES])

ORDERS = {
    "file order": ({"batch_size": 23, "epochs": 2}, 13),
    "shuffled": ({"batch_size": 16, "shuffle_buffer_size": 80, "seed": 1, "epochs": 3}, 20),
    "a shard": ({"batch_size": 7, "shard": (1, 3), "shuffle_buffer_size": 30, "seed": 5}, 4),
    "later epochs": ({"batch_size": 50, "start_epoch": 4, "epochs": 2, "drop_remainder": True}, 6),
    "global batches": ({"global_batch_size": 32, "streams": 8, "epochs": 2}, 9),
    "by length": ({"batches": af.ByLength("list", max_tokens=400, window=70), "epochs": 2}, 3),
}

RESTRICTIONS = {
    "all rows": lambda dataset: dataset,
    "a filter": lambda dataset: dataset.filter("id > 40 and id != 77"),
    "taken rows": lambda dataset: dataset.skip(11).take(160),
    "skipped rows": lambda dataset: dataset.skip(200),
}


def ids_of(lines):
    """The values of `id` of each batch, in order."""
    batches = {}
    for line in lines:
        row = json.loads(line)
        part = int(re.search(r"part-(\d+)\.", row["path"])[1])
        key = (row["epoch"], row["batch"])
        batches.setdefault(key, []).append(int(BORDERS[part] + row["row"]))
    assert list(batches) == sorted(batches)
    return list(batches.values())


@pytest.mark.parametrize("restricted", RESTRICTIONS.values(), ids=RESTRICTIONS)
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("name", ["avro", "parquet", "jsonl"])
def test_the_rows_before_a_state_are_those_that_were_returned(arrowfeed, tmp_path, name, order, restricted):
    options, count = order
    dataset = restricted(SOURCES[name](tmp_path, SIZES))
    batches = dataset.record_batches(**options)
    seen = [flat_ids(batch) for _, batch in zip(range(count), batches, strict=False)]
    (tmp_path / "state.json").write_text(json.dumps(batches.state_dict()))
    ran = arrowfeed("trace", "state.json", f"part-*.{name}", "--json")
    assert (ran.err, ran.code) == ("", 0)
    assert ids_of(ran.out.splitlines()) == seen
    table = [line.split() for line in arrowfeed("trace", "state.json", f"part-*.{name}").out.splitlines()]
    assert table[0] == ["epoch", "batches", "rows"]
    assert sum(int(line[-1].replace(",", "")) for line in table[1:]) == sum(map(len, seen))
    assert sum(int(line[1]) for line in table[1:]) == len(seen)


MIXTURE = "expected the state of a dataset of files, found that of a mixture: use Dataset.rows_of"


def saved(directory, options, count, dataset=None):
    """A file with a state after some batches."""
    dataset = SOURCES["avro"](directory, SIZES) if dataset is None else dataset
    batches = dataset.record_batches(**options)
    for _ in range(count):
        next(batches)
    (directory / "state.json").write_text(json.dumps({"epoch": 1, "batches": batches.state_dict()}))


def test_the_batches_of_a_row_are_printed(arrowfeed, tmp_path):
    saved(tmp_path, {"batch_size": 50, "epochs": 2}, 8)
    rows = ("--row", "part-0.avro:60", "--row", "part-3.avro:79", "--row", "part-2.avro:60")
    assert arrowfeed("trace", "state.json", "part-*.avro", *rows).out.splitlines() == [
        "path         row     epoch  batch",
        "part-0.avro   60         0      1",
        "part-0.avro   60         1      1",
        "part-3.avro   79         0      4",
        "part-2.avro   60  not seen",
    ]
    ran = arrowfeed("trace", "state.json", "part-*.avro", *rows[2:], "--json")
    assert [json.loads(line) for line in ran.out.splitlines()] == [
        {"path": "part-3.avro", "row": 79, "epoch": 0, "batch": 4},
        {"path": "part-2.avro", "row": 60, "epoch": None, "batch": None},
    ]


def test_states_that_the_command_cannot_repeat_are_errors(arrowfeed, tmp_path):
    dataset = SOURCES["avro"](tmp_path, SIZES)
    mixed = af.MixedDataset([dataset, dataset], weights=[1, 1])
    cases = [
        (mixed, {"batch_size": 50, "seed": 1},
         MIXTURE),
        (dataset, {"batch_size": 50, "epochs": 2, "across_epochs": True},
         "expected a state whose epochs are separate, found across_epochs: use Dataset.rows_of"),
        (dataset, {"batches": af.ByLength("list", max_tokens=400, window=70), "even": "drop"},
         'expected a state whose epochs are separate, found ByLength with even="drop": use Dataset.rows_of'),
        (dataset.split(0.5, seed=3)[0], {"batch_size": 50},
         "expected a state of all rows or of a filter, found split(0.5, seed=3)[0]: use Dataset.rows_of"),
        (mixed, {"global_batch_size": 64},
         MIXTURE),
    ]  # fmt: skip
    for source, options, message in cases:
        saved(tmp_path, options, 1, source)
        ran = arrowfeed("trace", "state.json", "part-*.avro")
        assert (ran.code, ran.out, ran.err) == (2, "", f"arrowfeed: {message}\n")


def test_wrong_files_and_rows_are_errors(arrowfeed, tmp_path):
    saved(tmp_path, {"batch_size": 50}, 1)
    (tmp_path / "none.json").write_text("[1]")
    (tmp_path / "text.json").write_text("x")
    for arguments, code, message in [
        (("state.json", "part-0.avro"), 1, "state: expected 1 file, found a state of 4"),
        (("none.json", "part-*.avro"), 2, "none.json: expected the state of one iteration, found none"),
        (("state.json", "-"), 2, "expected paths or URLs, found - for standard input"),
        (("state.json", "part-*.avro", "--row", "x.avro:1"), 1,
         'file: expected the name of a file of the dataset, found "x.avro"'),
    ]:  # fmt: skip
        ran = arrowfeed("trace", *arguments)
        assert (ran.code, ran.out, ran.err) == (code, "", f"arrowfeed: {message}\n")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "fields.json").write_text(
        '{"version": 5, "options": {"by_length": 3}, "position": {}, "sources": [1], "seed": 1}'
    )
    for name, message in [
        ("text.json", "expected the state of one iteration as JSON, found other data: "),
        ("deep.json", "expected the state of one iteration as JSON, found other data: "),
        ("fields.json", "expected the state of one iteration, found one without the right fields: "),
    ]:
        ran = arrowfeed("trace", name, "part-*.avro")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"arrowfeed: {name}: {message}")
    assert (
        "expected FILE:NUMBER, found a.avro" in arrowfeed("trace", "state.json", "a", "--row", "a.avro").err
    )
