"""`Dataset.map`: batches of a function, from any position on, with its tensors and its errors."""

import json
import multiprocessing
import pickle
import threading
import traceback

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from dataset_files import all_ids, ids
from law_sources import Chunks, rows

ORDERS = {
    "in file order": {"batch_size": 23, "epochs": 2},
    "a shard": {"batch_size": 23, "shard": (2, 3)},
    "shuffled": {"batch_size": 23, "epochs": 2, "shuffle_buffer_size": 60, "seed": 5},
    "global batches": {"global_batch_size": 24, "streams": 4, "shuffle_buffer_size": 60, "seed": 5},
    "by length": {"batch_size": 23, "batches": af.ByLength("vector")},
}


def doubled(batch):
    """The rows with another column, as a table of pyarrow."""
    table = pa.table(batch)
    return table.append_column("double", pc.multiply(table["id"], 2))


def odd(batch):
    """Only the rows with an odd number, as a `RecordBatch`."""
    return batch.filter([number % 2 == 1 for number in ids(batch)])


def failing(batch):
    """An error for the batch of row 150."""
    if 150 in ids(batch):
        raise LookupError("no row 150")
    return batch


def values(batches):
    return [pa.table(batch).to_pydict() for batch in batches]


@pytest.fixture
def dataset(people):
    return af.AvroDataset(people, columns=["id", "vector"])


IN_THREADS = [(order, threads, 0) for order in ORDERS for threads in (1, 3)]
IN_PROCESSES = [(order, 2, 2) for order in ("shuffled", "by length")]
"""Orders, threads, and processes that call the function. The order is made before the processes."""


@pytest.mark.parametrize(("order", "threads", "workers"), IN_THREADS + IN_PROCESSES)
def test_batches_are_those_of_the_function_from_any_position_on(dataset, order, threads, workers):
    mapped = dataset.map(doubled, workers=workers)
    options = {**ORDERS[order], "threads": threads}
    expected = values(map(doubled, dataset.record_batches(**options)))
    batches = mapped.record_batches(**options)
    states, found = [json.dumps(batches.state_dict())], []
    for batch in batches:
        assert isinstance(batch, af.RecordBatch)
        found.append(batch)
        states.append(json.dumps(batches.state_dict()))
    assert values(found) == expected
    assert len(expected) > 4
    # The start of processes takes time.
    for given in [2] if workers else range(len(states)):
        resumed = mapped.record_batches(**options)
        resumed.load_state_dict(json.loads(states[given]))
        assert values(resumed) == expected[given:]
    # The dataset without the function has the same positions.
    plain = dataset.record_batches(**options)
    plain.load_state_dict(json.loads(states[2]))
    assert all_ids(plain) == [batch["id"] for batch in expected[2:]]


def test_the_function_may_leave_out_rows(dataset):
    mapped = dataset.map(odd)
    batches = mapped.record_batches(batch_size=23)
    assert [number for batch in batches for number in ids(batch)] == list(range(1, 300, 2))
    assert batches.report()["rows"] == mapped.num_rows == 300
    assert mapped.num_batches(batch_size=23) == len(all_ids(mapped.record_batches(batch_size=23)))


def test_tensors_are_those_of_the_results(dataset):
    mapped = dataset.map(doubled)
    assert list(mapped.specs) == ["id", "vector", "double"]
    assert mapped.arrow_schema.names == ["id", "vector", "double"]
    for tensors in mapped.tensors(batch_size=64, threads=2):
        assert (tensors["double"].values == 2 * tensors["id"].values).all()
    chosen = dataset.map(doubled, representations={"twice": Dense("double"), "id": Dense("id")})
    assert list(next(chosen.tensors(batch_size=3))) == ["twice", "id"]
    by_key = dataset.map(doubled, features={"double": af.features.Dense([])})
    assert list(by_key.tensor_representations) == list(by_key.specs) == ["double"]
    # The definitions remain if the columns do.
    kept = af.AvroDataset(dataset_paths(dataset), representations={"n": Dense("id")}).map(odd)
    assert list(kept.specs) == ["n"]


def dataset_paths(dataset):
    return dataset.__reduce__()[1][1]


@pytest.mark.parametrize("method", ["tensors", "record_batches"])
def test_projections_pickles_and_parts_keep_the_function(dataset, method):
    made = dataset.map(doubled).map(odd).project(["double", "id"]).skip(10).take(100)
    options = {"batch_size": 23, "shuffle_buffer_size": 60, "seed": 5}
    for copy in (made, pickle.loads(pickle.dumps(made))):
        assert list(copy.specs) == ["double", "id"]
        assert copy.arrow_schema.names == ["id", "vector", "double"]
        found = [number for batch in getattr(copy, method)(**options) for number in ids(batch)]
        assert sorted(found) == list(range(11, 110, 2))
    assert copy.explain().splitlines()[:4] == [
        "4 files, columns: id, vector",
        "rows 10 to 110",
        "map to columns: id, vector, double",
        "map to columns: id, vector, double",
    ]


def test_a_column_of_nulls_has_the_type_of_the_other_batches(tmp_path):
    some = {"text": "a", "lists": [[1], []], "struct": {"x": 1, "y": 2}}
    none = {"text": None, "lists": None, "struct": {"x": 1, "y": None}}
    rows = [{"id": n, **(none if n > 4 else some)} for n in range(10)]
    struct = pa.struct({"x": pa.int64(), "y": pa.int64()})
    lists = pa.list_(pa.list_(pa.int64()))
    schema = pa.schema({"id": pa.int64(), "text": pa.string(), "lists": lists, "struct": struct})
    af.write_avro(pa.Table.from_pylist(rows, schema), tmp_path / "a.avro")

    def inferred(batch):
        return pa.Table.from_pylist(batch.to_pyarrow().to_pylist())

    def reversed_frame(batch):
        return pl.DataFrame(batch).reverse()

    dataset = af.AvroDataset(tmp_path / "a.avro", representations={})
    for function in (inferred, reversed_frame):
        batches = [batch.to_pyarrow() for batch in dataset.map(function).record_batches(batch_size=5)]
        assert len({str(batch.schema) for batch in batches}) == 1
        found = [row for batch in batches for row in batch.to_pylist()]
        assert sorted(found, key=lambda row: row["id"]) == rows
    late = [{"id": n, **(some if n > 104 else none)} for n in range(110)]
    af.write_avro(pa.Table.from_pylist(late, schema), tmp_path / "b.avro")
    mapped = af.AvroDataset(tmp_path / "b.avro", representations={}).map(inferred)
    message = "map: column text: expected Null, found Utf8: the first rows have only nulls: pass the schema"
    with pytest.raises(af.SchemaError, match=f"^{message}$"):
        list(mapped.record_batches(batch_size=5))


def test_a_projection_before_the_function_reads_fewer_columns(dataset):
    found = []
    mapped = dataset.project(["id"]).map(lambda batch: found.append(batch.schema.names) or batch)
    next(mapped.record_batches(batch_size=10))
    assert found == [["id"], ["id"]]


def test_filters_come_before_the_function(dataset):
    mapped = dataset.filter("id >= 290").map(doubled)
    assert [batch["double"] for batch in values(mapped.record_batches(batch_size=23))] == [
        list(range(580, 600, 2))
    ]


def test_mixtures_and_chunks_are_mapped(dataset):
    mixed = af.MixedDataset([dataset, dataset]).map(doubled)
    options = {"batch_size": 100, "seed": 1}
    batches = mixed.record_batches(**options)
    first = pa.table(next(batches))
    resumed = mixed.record_batches(**options)
    resumed.load_state_dict(batches.state_dict())
    rest = [*values(resumed)]
    everything = sorted([*first["double"].to_pylist(), *(n for batch in rest for n in batch["double"])])
    assert everything == sorted(2 * list(range(0, 600, 2)))
    chunks = af.ChunkDataset([Chunks(0, 80)], columns=["id"]).map(doubled)
    assert [n for batch in values(chunks.record_batches(batch_size=7)) for n in batch["double"]] == list(
        range(0, 160, 2)
    )


def test_the_caller_calls_the_function_when_a_batch_is_requested(dataset):
    calls = []

    def called(batch):
        calls.append((threading.get_ident(), batch.num_rows))
        return batch

    batches = dataset.map(called, schema=dataset.arrow_schema).tensors(batch_size=10, threads=3)
    assert calls == []
    next(batches), next(batches)
    assert calls == [(threading.get_ident(), 10)] * 2
    batches.close()


def test_workers_call_the_function_in_other_processes(dataset):
    mapped = dataset.map(process, workers=2, schema=pa.schema({"process": pa.int64()}))
    processes = {n for batch in values(mapped.record_batches(batch_size=10)) for n in batch["process"]}
    assert multiprocessing.current_process().pid not in processes
    assert 1 <= len(processes) <= 2


def process(batch):
    """The number of the process for each row."""
    number = multiprocessing.current_process().pid
    return pa.table({"process": pa.array([number] * batch.num_rows, pa.int64())})


@pytest.mark.parametrize(
    ("how", "threads", "workers"),
    [("record_batches", 1, 0), ("tensors", 1, 0), ("tensors", 3, 0), ("tensors", 3, 2)],
)
def test_an_error_of_the_function_is_raised_after_the_batches_before_it(dataset, how, threads, workers):
    options = {"batch_size": 20, "threads": threads}
    batches = getattr(dataset.map(failing, workers=workers), how)(**options)
    found = []
    with pytest.raises(LookupError) as caught:
        found.extend(ids(batch) for batch in batches)
    assert found == [list(range(start, start + 20)) for start in range(0, 140, 20)]
    assert str(caught.value) == "'no row 150'" or caught.value.args == ("no row 150",)
    shown = "".join(traceback.format_exception(caught.value))
    assert 'raise LookupError("no row 150")' in shown
    # The batch comes again.
    resumed = getattr(dataset, how)(**options)
    resumed.load_state_dict(batches.state_dict())
    assert ids(next(resumed)) == list(range(140, 160))
    assert list(batches) == []


def test_an_error_of_the_first_call_is_raised_at_once(dataset):
    error = KeyError("first")

    def fails(_batch):
        raise error

    with pytest.raises(KeyError) as caught:
        dataset.map(fails)
    assert caught.value is error
    batches = dataset.map(fails, schema=dataset.arrow_schema).record_batches(batch_size=10)
    with pytest.raises(KeyError) as caught:
        next(batches)
    assert caught.value is error
    assert [frame.name for frame in traceback.extract_tb(error.__traceback__)][-1] == "fails"


def test_other_results_are_refused(dataset):
    def iterate(function):
        return list(dataset.map(function, schema=dataset.arrow_schema).record_batches(batch_size=10))

    cases = [
        (odd_columns, "map: expected a batch with the columns id, vector, found id"),
        (texts, "map: column id: expected Int64, found Utf8"),
        (
            nulls,
            "map: expected a batch of the schema, found one that does not fit: Invalid argument error: "
            "Column 'id' is declared as non-nullable but contains null values",
        ),
    ]
    for function, message in cases:
        with pytest.raises(af.SchemaError) as caught:
            iterate(function)
        assert str(caught.value) == message
    with pytest.raises(TypeError) as caught:
        iterate(lambda _batch: None)
    assert str(caught.value) == (
        "map: expected an object with __arrow_c_stream__ or __arrow_c_array__, or an iterable of batches, "
        "dicts or dataclass instances, found None"
    )
    with pytest.raises(TypeError) as caught:
        dataset.map("double")
    assert str(caught.value) == "function: expected a function of a RecordBatch, found str 'double'"
    with pytest.raises(ValueError, match="^workers: expected an integer of 0 or more, found int -1$"):
        dataset.map(doubled, workers=-1)


def odd_columns(batch):
    return pa.table(batch).select(["id"])


def texts(batch):
    table = pa.table(batch)
    return table.set_column(0, "id", table["id"].cast(pa.string()))


def nulls(batch):
    table = pa.table(batch)
    return table.set_column(0, "id", pa.nulls(len(table), pa.int64()))


def test_calls_that_need_the_rows_of_the_files_are_refused(dataset, tmp_path):
    mapped = dataset.map(doubled)
    calls = {
        "filter": lambda: mapped.filter("id > 3"),
        "rows by number": lambda: mapped.rows([1]),
        "plan_splits": mapped.plan_splits,
        "datasets": lambda: af.MixedDataset([mapped, dataset]),
    }
    for name, call in calls.items():
        with pytest.raises(af.OptionError) as caught:
            call()
        assert str(caught.value).endswith(
            f"{name}: expected a dataset without map, found one with it: call map last"
        )
    mapped.save_index(tmp_path / "index.json")
    assert mapped.head(2).num_columns == 3


def test_a_dataset_without_rows_is_mapped(tmp_path):
    path = tmp_path / "empty.avro"
    af.write_avro(pa.Table.from_batches([rows(0, 0)]), path)
    mapped = af.AvroDataset(path, columns=["id"]).map(doubled)
    assert mapped.arrow_schema.names == ["id", "double"]
    assert list(mapped.record_batches(batch_size=5)) == []
