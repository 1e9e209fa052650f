"""`rows_of` and `batches_of`: the rows of batches are those that an iteration returns."""

import re

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from law_sources import SOURCES, flat_ids
from session_seed import chance

SIZES = [100, 0, 60, 80]
BORDERS = np.cumsum([0, *SIZES])

ORDERS = {
    "file order": {"batch_size": 23},
    "shuffled": {"batch_size": 16, "shuffle_buffer_size": 80, "seed": 1},
    "short batches dropped": {"batch_size": 64, "drop_remainder": True},
    "a shard": {"batch_size": 7, "shard": (1, 3), "shuffle_buffer_size": 30, "seed": 5},
    "global batches": {"global_batch_size": 32, "streams": 8, "shard": (1, 2)},
    "shuffled global batches": {
        "global_batch_size": 24,
        "streams": 4,
        "even": "repeat",
        "shuffle_buffer_size": 50,
        "seed": 3,
    },
    "by length": {"batches": {"max_tokens": 400, "window": 70}},
    "by length, in turns": {
        "batch_size": 9,
        "batches": {"boundaries": [1, 3], "window": 90},
        "even": "drop",
        "shard": (0, 2),
        "shuffle_buffer_size": 40,
        "seed": 2,
    },
}

CHANGES = {
    "all rows": lambda dataset: dataset,
    "a filter": lambda dataset: dataset.filter("id > 40 and id != 77"),
    "a filter of a split": lambda dataset: dataset.split(0.7, seed=4)[1].filter("id < 200"),
    "taken rows": lambda dataset: dataset.skip(11).take(160),
    "a projection": lambda dataset: dataset.project(["id"]),
}


@pytest.fixture(params=SOURCES)
def dataset(request, tmp_path):
    return SOURCES[request.param](tmp_path, SIZES)


def number_of(file, row):
    """The value of `id` of a row: the rows of all files are numbered."""
    part = re.search(r"part-(\d+)\.", file)
    first = BORDERS[int(part[1])] if part else int(re.fullmatch(r"rows (\d+) to \d+", file)[1])
    return int(first + row)


def of_dataset(options, dataset):
    """The options, with the name of a column that has lengths."""
    if "batches" not in options:
        return options
    column = "list" if "list" in pa.schema(dataset.arrow_schema).names else "id"
    return {**options, "batches": af.ByLength(column, **options["batches"])}


def by_batch(found):
    """The values of `id` of each batch that `rows_of` returned."""
    table = pa.table(found)
    assert table.schema.equals(
        pa.schema(
            [
                pa.field("batch", pa.int64(), nullable=False),
                pa.field("file", pa.dictionary(pa.int32(), pa.string()), nullable=False),
                pa.field("row", pa.int64(), nullable=False),
            ]
        )
    )
    batches = {}
    for row in table.to_pylist():
        batches.setdefault(row["batch"], []).append(number_of(row["file"], row["row"]))
    return batches


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_the_rows_of_batches_are_those_of_an_iteration(dataset, options, change):
    dataset = change(dataset)
    options = of_dataset(options, dataset)
    for epoch in (0, 3):
        batches = dataset.record_batches(start_epoch=epoch, threads=2, **options)
        expected = {number: flat_ids(batch) for number, batch in enumerate(batches)}
        assert expected or "drop_remainder" in options
        assert by_batch(dataset.rows_of(range(len(expected)), epoch=epoch, **options)) == expected
    some = sorted(chance("some", str(options)).sample(range(len(expected)), min(2, len(expected))))
    found = by_batch(dataset.rows_of(some, epoch=3, **options))
    assert found == {number: expected[number] for number in some}


@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_the_batches_of_rows_are_the_reverse(tmp_path, options):
    dataset = SOURCES["avro"](tmp_path, SIZES).filter("id != 20")
    options = of_dataset(options, dataset)
    file = str(tmp_path / "part-0.avro")
    epochs = 1 if options.get("even") == "drop" else 3
    found = pa.table(dataset.batches_of(file, [5, 20, 99, 1000], epochs=epochs, start_epoch=1, **options))
    # The batches of all epochs in one iteration.
    batches = dataset.record_batches(epochs=epochs, start_epoch=1, **options)
    each = [len(list(dataset.record_batches(start_epoch=1 + epoch, **options))) for epoch in range(epochs)]
    expected = []
    for epoch, count in enumerate(each, start=1):
        for number in range(count):
            rows = [row for row in flat_ids(next(batches)) if row in {5, 99}]
            expected += [{"epoch": epoch, "batch": number, "row": row} for row in rows]
    assert next(batches, None) is None
    assert found.to_pylist() == expected


def test_a_mixture_names_the_files_of_all_datasets(tmp_path):
    datasets = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        datasets.append(SOURCES["avro"](tmp_path / name, SIZES))
    mixed = af.MixedDataset(datasets, weights=[1, 2])
    for options in (
        {"batch_size": 32, "seed": 9, "shuffle_buffer_size": 60},
        {"batch_size": 32, "seed": 9, "epochs": 3},
        {"global_batch_size": 40, "streams": 4, "shard": (1, 2)},
    ):
        expected = [flat_ids(batch) for batch in mixed.record_batches(**options)]
        found = mixed.rows_of(range(len(expected)), **options)
        assert list(by_batch(found).values()) == expected
        assert {file.split("/")[-2] for file in pa.table(found)["file"].to_pylist()} == {"one", "two"}


def test_the_columns_are_those_of_file_column_and_row_column(tmp_path):
    SOURCES["avro"](tmp_path, SIZES)
    added = {"file_column": "file", "row_column": "_row", "partitioning": "hive"}
    dataset = af.AvroDataset(tmp_path, representations={"id": Dense("id")}, **added)
    dataset = dataset.filter("_row > 3 and file is not null")
    options = {"batch_size": 16, "shuffle_buffer_size": 80, "seed": 1}
    whole = af.AvroDataset(tmp_path, representations={}, columns=["id"], **added)
    whole = whole.filter("_row > 3 and file is not null")
    for number, batch in enumerate(whole.record_batches(**options)):
        found = dataset.rows_of(number, **options)
        found, expected = pa.table(found), pa.table(batch)
        assert found["file"].to_pylist() == expected["file"].to_pylist()
        assert found["row"].to_pylist() == expected["_row"].to_pylist()


@pytest.mark.parametrize("order", [{}, {"shuffle_buffer_size": 50, "seed": 1}, {"shard": (0, 2)}])
@pytest.mark.parametrize("damage", ["marker", "cut", "missing"])
def test_blocks_and_files_that_are_skipped_have_no_rows(tmp_path, damage, order):
    dataset = SOURCES["avro"](tmp_path, SIZES)
    path = tmp_path / "part-2.avro"
    content = bytearray(path.read_bytes())
    if damage == "marker":
        content[-1] ^= 1
    elif damage == "cut":
        content = content[:-30]
    path.write_bytes(content)
    if damage == "missing":
        path.unlink()
    options = {"batch_size": 16, "on_error": "skip_file" if damage == "missing" else "skip_block", **order}
    with pytest.warns(af.SkippedWarning):
        expected = [flat_ids(batch) for batch in dataset.record_batches(**options)]
    assert sum(map(len, expected)) < sum(SIZES)
    assert list(by_batch(dataset.rows_of(range(len(expected)), **options)).values()) == expected


def test_a_function_receives_the_rows(tmp_path):
    dataset = SOURCES["avro"](tmp_path, SIZES)
    mapped = dataset.map(lambda batch: pa.record_batch({"x": [batch.num_rows]}))
    assert pa.table(mapped.rows_of(2, batch_size=50)) == pa.table(dataset.rows_of(2, batch_size=50))


def test_wrong_arguments_of_rows_and_batches_are_named(tmp_path):
    dataset = SOURCES["avro"](tmp_path, SIZES)
    file = tmp_path / "part-0.avro"
    turns, texts = af.ByLength("list", max_tokens=9), af.ByLength("text", max_tokens=9)
    goes_on = "whose batches go on from one epoch to the next, found 2: use rows_of"
    calls = [
        (lambda: dataset.rows_of(4, batch_size=80), af.OptionError,
         "batches: expected numbers below 3, the number of batches, found 4"),
        (lambda: dataset.rows_of([0], batch_size=80, shuffle_buffer_size=10), af.OptionError,
         "seed: expected the seed of the order, which is random without one, found none"),
        (lambda: dataset.rows_of([-1], batch_size=80), ValueError,
         "numbers: expected an integer of 0 or more, found int -1"),
        (lambda: dataset.rows_of("0", batch_size=80), TypeError,
         "numbers: expected an integer, or a list, tuple, range or array of integers, found str '0'"),
        (lambda: dataset.rows_of(0, batch_size=80, epoch=1, start_epoch=1), ValueError,
         "epoch: expected either epoch= or start_epoch=, found both"),
        (lambda: dataset.filter("id > 1000").rows_of(7, batch_size=80), af.OptionError,
         "batches: expected no numbers, because there is no batch, found 7"),
        (lambda: dataset.project(["id"]).rows_of(0, batches=texts), af.OptionError,
         'column: expected a column that is read, one of ["id"], found "text"'),
        (lambda: dataset.rows_of(0), TypeError,
         "rows_of() missing 1 required keyword-only argument: 'batch_size'"),
        (lambda: dataset.batches_of("x.avro", 0, batch_size=80), af.OptionError,
         'file: expected the name of a file of the dataset, found "x.avro"'),
        (lambda: dataset.batches_of(file, 0, batch_size=80, epochs=None), af.OptionError,
         "epochs: expected a number of epochs, found none"),
        (lambda: dataset.batches_of(file, 0, batch_size=80, across_epochs=True), af.OptionError,
         "across_epochs: expected batches of one epoch each, found batches across epochs"),
        (lambda: dataset.batches_of(file, 0, batch_size=80, start_epoch=2**64 - 2), af.OptionError,
         "start_epoch: expected epochs up to 9,223,372,036,854,775,807, found later ones"),
        (lambda: dataset.batches_of(file, 0, batches=turns, even="drop", epochs=2), af.OptionError,
         f"epochs: expected 1 for batches that shards take in turn, {goes_on}"),
        (lambda: af.MixedDataset([dataset], weights=[1]).batches_of(file, 0, batch_size=9, seed=1, epochs=2),
         af.OptionError,
         f"epochs: expected 1 for a mixture, {goes_on}"),
    ]  # fmt: skip
    for call, kind, message in calls:
        with pytest.raises(kind) as error:
            call()
        assert str(error.value) == message
    assert dataset.rows_of(np.int64(1), batch_size=80) == dataset.rows_of(1, batch_size=80)
    assert dataset.batches_of(file, 0, batch_size=80, epochs=10).num_rows == 10
    assert dataset.filter("id > 1000").batches_of(file, 0, batch_size=80, epochs=10**15).num_rows == 0
    assert dataset.rows_of([], batch_size=80).num_rows == 0
    assert dataset.batches_of(file, [], batch_size=80).num_rows == 0


def test_a_million_rows_of_several_windows(tmp_path):
    total = 1_000_000
    numbers = np.arange(total)
    texts = pa.array(numbers).cast(pa.string())
    for part in range(4):
        rows = slice(part * total // 4, (part + 1) * total // 4)
        table = pa.table({"id": numbers[rows], "text": texts[rows]})
        af.write_avro(table, tmp_path / f"part-{part}.avro", codec="snappy")
    dataset = af.AvroDataset(tmp_path, representations={})
    for options in (
        {"batch_size": 10_000, "shuffle_buffer_size": 200_000, "seed": 3},
        {"global_batch_size": 8_192, "shard": (1, 2)},
    ):
        expected = [np.asarray(batch["id"]) for batch in dataset.record_batches(**options)]
        found = pa.table(dataset.rows_of(range(len(expected)), **options))
        names = found["file"].combine_chunks()
        first = np.array([int(re.search(r"part-(\d)", name)[1]) for name in names.dictionary.to_pylist()])
        ids = first[names.indices.to_numpy()] * (total // 4) + found["row"].to_numpy()
        assert np.array_equal(ids, np.concatenate(expected))
        batch = np.repeat(np.arange(len(expected)), [len(part) for part in expected])
        assert np.array_equal(found["batch"].to_numpy(), batch)
