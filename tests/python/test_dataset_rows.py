"""Rows by number: those of the whole dataset, for files of each format and for a source written in Python."""

import multiprocessing
import os
import pickle
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Sparse, Structured, VarLenRagged, VarLenSparse
from law_sources import CHUNK, SOURCES, Chunks, rows
from session_seed import SEED

SIZES = [100, 0, 90, 50]


@pytest.fixture(scope="module", params=SOURCES)
def dataset(request, tmp_path_factory):
    return SOURCES[request.param](tmp_path_factory.mktemp(request.param), SIZES)


@pytest.fixture(scope="module")
def avro(tmp_path_factory):
    return SOURCES["avro"](tmp_path_factory.mktemp("one"), SIZES)


def table(dataset):
    """All rows."""
    batches = [pa.record_batch(batch) for batch in dataset.record_batches(batch_size=1000)]
    return pa.Table.from_batches(batches, pa.schema(dataset.arrow_schema))


def nested(value):
    """A value of a ragged tensor as lists."""
    return [nested(item) for item in value] if isinstance(value, list) else value.tolist()


def parts(dataset, rng):
    """The dataset, and random parts of it."""
    yield dataset
    yield dataset.skip(rng.randrange(200)).take(rng.randrange(100))
    part = dataset.split(rng.random(), seed=rng.randrange(100))[rng.randrange(2)]
    yield part.skip(rng.randrange(20)).take(150)
    yield dataset.take(180).project(["list"]).split(0.5, seed=1)[0]


def test_rows_are_those_of_the_whole_dataset(dataset):
    rng = random.Random(SEED)
    for part in parts(dataset, rng):
        whole = table(part)
        count = whole.num_rows
        samples = part.samples(cache_bytes=rng.choice([0, 3000, 64 << 20]), threads=rng.choice([1, 2, None]))
        assert len(samples) == part.num_rows == count
        for size in (0, 1, 50):
            numbers = [rng.randrange(-count, count) for _ in range(size if count else 0)]
            expected = whole.take(pa.array([number % count for number in numbers], pa.int64()))
            found = part.rows(numbers, threads=rng.choice([1, 2, None]))
            assert pa.Table.from_batches([pa.record_batch(found)]).equals(expected)
            tensors, adapter = part.row_tensors(numbers), part.tensor_adapter()
            want = adapter.convert(pa.record_batch(found))
            assert list(tensors) == list(want) == list(part.specs)
            given = samples.__getitems__(numbers)
            assert len(given) == len(numbers)
            assert tensors["list"].to_list() == want["list"].to_list()
            assert [nested(sample["list"]) for sample in given] == want["list"].to_list()
            if "id" in tensors:
                assert tensors["id"].values.tolist() == want["id"].values.tolist()
                assert [sample["id"] for sample in given] == want["id"].values.tolist()
            for number, sample in list(zip(numbers, given, strict=True))[:5]:
                assert nested(samples[number]["list"]) == nested(sample["list"])


@pytest.mark.parametrize(
    "numbers",
    [
        [3, 239, -1, 3],
        (3, 239, -1, 3),
        np.array([3, 239, -1, 3]),
        np.array([3, 239, -1, 3], np.int16),
        iter([3, 239, np.int8(-1), 3]),
    ],
    ids=["list", "tuple", "int64", "int16", "iterator"],
)
def test_numbers_come_in_every_form(avro, numbers):
    assert avro.rows(numbers)["id"].to_pyarrow().to_pylist() == [3, 239, 239, 3]


def test_ranges_and_unsigned_numbers(avro):
    assert avro.rows(range(200, 100, -50))["id"].to_pyarrow().to_pylist() == [200, 150]
    numbers = np.arange(5, dtype=np.uint64)
    assert avro.rows(numbers)["id"].to_pyarrow().to_pylist() == list(range(5))
    assert avro.rows([]).num_rows == avro.rows(range(0)).num_rows == 0


@pytest.mark.parametrize(
    "number",
    [240, -241, 2**62, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 10**30, np.uint64(2**64 - 1)],
)
def test_numbers_out_of_range_are_named(avro, number):
    for call in (avro.rows, avro.row_tensors, avro.samples().__getitems__):
        with pytest.raises(IndexError) as caught:
            call([5, number])
        expected = "expected the number of a row, from -240 to 239 in a dataset of 240 rows, found "
        assert str(caught.value) == f"{expected}{int(number)}"
    with pytest.raises(IndexError, match=f"240 rows, found {int(number)}$"):
        avro.samples()[number]
    with pytest.raises(IndexError, match=f"dataset of 0 rows, found {int(number)}$"):
        avro.take(0).rows([number])


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        (5, "int 5"),
        ("12", "str '12'"),
        ({1: 2}, "dict {1: 2}"),
        ([1.0], "float 1.0"),
        ([1, "2"], "str '2'"),
        ([None], "None"),
        ([True, False], "bool True"),
        (np.array([1.5]), r"float64 .*1.5"),
        (np.array([[1, 2]]), r"ndarray array\(\[1, 2\]\)"),
        (slice(3), r"slice slice\(None, 3, None\)"),
    ],
)
def test_what_is_no_number_is_refused(avro, numbers, shown):
    expected = "^numbers: expected a list, tuple, range or array of row numbers \\(int\\), found "
    for call in (avro.rows, avro.row_tensors):
        with pytest.raises(TypeError, match=expected + shown):
            call(numbers)


def test_wrong_options_of_rows_are_refused(avro):
    with pytest.raises(ValueError, match="threads: expected an integer of 1 or more, found int 0"):
        avro.rows([1], threads=0)
    with pytest.raises(ValueError, match="threads: expected an integer of 1 or more, found int 0"):
        avro.samples(threads=0)
    with pytest.raises(ValueError, match="cache_bytes: expected an integer of 0 or more, found int -1"):
        avro.samples(cache_bytes=-1)
    with pytest.raises(TypeError, match="cache_size"):
        avro.samples(cache_size=1)
    with pytest.raises(TypeError, match="slice"):
        avro.samples()[1:2]


def test_a_mixture_has_no_row_numbers(avro):
    mixed = af.MixedDataset([avro, avro])
    expected = "rows by number: expected a dataset of files, found a mixed dataset"
    for call in (lambda: mixed.rows([1]), lambda: mixed.row_tensors([1]), mixed.samples):
        with pytest.raises(af.OptionError, match=expected):
            call()


def test_only_rows_of_a_damaged_chunk_are_an_error():
    sources = [Chunks(0, 100), Chunks(100, 200, damaged=[1])]
    dataset = af.ChunkDataset(sources, representations={"id": Dense("id")})
    samples = dataset.samples()
    assert [sample["id"] for sample in samples.__getitems__([199, 100, 5])] == [199, 100, 5]
    for call in (dataset.rows, dataset.row_tensors, samples.__getitems__):
        with pytest.raises(af.CorruptBlockError, match="^chunk 1 is damaged$"):
            call([5, 140])
    assert samples[199]["id"] == 199


def test_rows_raise_an_error_of_read_chunk_unchanged():
    for error in (OSError("the table is locked"), KeyboardInterrupt(), ValueError("no")):
        dataset = af.ChunkDataset(Chunks(0, 100, damaged=[1], error=error))
        with pytest.raises(type(error)) as caught:
            dataset.rows([50])
        assert caught.value is error


def test_a_file_that_has_changed_is_an_error(tmp_path):
    dataset = SOURCES["parquet"](tmp_path, [100])
    samples = dataset.samples(cache_bytes=0)
    assert samples[99]["id"] == 99
    SOURCES["parquet"](tmp_path, [120])
    for call in (dataset.rows, samples.__getitems__):
        with pytest.raises(af.ChangedError):
            call([99])


def test_each_chunk_is_read_once_in_a_call_and_kept_by_samples():
    source = Chunks(0, 100)
    dataset = af.ChunkDataset(source, representations={"id": Dense("id")})
    numbers = [99, 1, 50, 2, 98, 51]
    assert dataset.rows(numbers)["id"].to_pyarrow().to_pylist() == numbers
    assert [number for number, _ in source.asked] == [0, 1, 2]
    samples = dataset.samples()
    source.asked.clear()
    for _ in range(2):
        assert [samples[number]["id"] for number in numbers] == numbers
    assert [number for number, _ in source.asked] == [2, 0, 1]


def test_samples_have_the_row_of_every_kind_of_tensor():
    batch = pa.record_batch(
        {
            "number": pa.array([1.5, 2.5], pa.float32()),
            "text": ["a", "é"],
            "pair": pa.array([[1, 2], [3, 4]], pa.list_(pa.int16(), 2)),
            "texts": pa.array([["a", "b"], ["c", "d"]], pa.list_(pa.string(), 2)),
            "list": pa.array([[1, 2, 3], []], pa.list_(pa.int64())),
            "deep": pa.array([[[1], [2, 3]], [[]]], pa.list_(pa.list_(pa.int64()))),
            "pairs": pa.array([[1, 2, 3, 4], [5, 6]], pa.list_(pa.int64())),
            "words": [["x", "yz"], ["w"]],
            "index": pa.array([[7, 2], [0]], pa.list_(pa.int64())),
            "value": pa.array([[0.5, 0.25], [1]], pa.list_(pa.float32())),
            "user": [{"age": 5, "tags": [1]}, {"age": 6, "tags": []}],
        }
    )

    class Source(af.ChunkSource):
        arrow_schema, chunk_rows = batch.schema, (2,)

        def read_chunk(self, number, columns):
            return batch

    representations = {
        "number": Dense("number"),
        "text": Dense("text"),
        "pair": Dense("pair", [2]),
        "texts": Dense("texts", [2]),
        "ragged": VarLenRagged("list"),
        "deep": Ragged("deep"),
        "pairs": Ragged("pairs", partitions=[2]),
        "words": VarLenRagged("words"),
        "varlen": VarLenSparse("list"),
        "sparse": Sparse(["index"], "value", [10]),
        "user": Structured(["user"]),
    }
    dataset = af.ChunkDataset(Source(), representations=representations)
    samples = dataset.samples()
    first, second = samples.__getitems__([0, 1])
    assert repr(samples) == f"<arrowfeed.Samples of tensors {', '.join(representations)}>"
    assert list(first) == list(representations)
    assert (first["number"], first["number"].dtype) == (1.5, np.float32)
    assert (first["text"], second["text"]) == (b"a", "é".encode())
    assert second["pair"].dtype == np.int16
    assert second["pair"].tolist() == [3, 4]
    assert second["texts"].tolist() == [b"c", b"d"]
    assert [first["ragged"].tolist(), second["ragged"].tolist()] == [[1, 2, 3], []]
    assert [part.tolist() for part in first["deep"]] == [[1], [2, 3]]
    assert first["pairs"].tolist() == [[1, 2], [3, 4]]
    assert second["words"].tolist() == [b"w"]
    assert first["varlen"].indices.tolist() == [[0], [1], [2]]
    assert (first["varlen"].values.tolist(), first["varlen"].shape) == ([1, 2, 3], (3,))
    assert (second["varlen"].values.tolist(), second["varlen"].shape) == ([], (0,))
    assert first["sparse"].shape == (10,)
    assert dict(
        zip(first["sparse"].indices[:, 0].tolist(), first["sparse"].values.tolist(), strict=True)
    ) == {
        7: 0.5,
        2: 0.25,
    }
    assert set(first["user"]["user"]) == {"age", "tags"}
    assert (second["user"]["user"]["age"], first["user"]["user"]["tags"].tolist()) == (6, [1])
    first["pair"][0] = 9
    assert samples[0]["pair"].tolist() == [1, 2]
    assert dataset.project([]).samples().__getitems__([1, 0]) == [{}, {}]
    # A padded dimension is as long as the longest row of the call.
    features = {"list": af.features.FixedLenSequence([], "int64", default=0)}
    samples = af.ChunkDataset(Source(), features=features).samples()
    assert [sample["list"].tolist() for sample in samples.__getitems__([0, 1])] == [[1, 2, 3], [0, 0, 0]]
    assert samples[1]["list"].tolist() == []


def test_a_source_that_asks_for_its_own_rows_does_not_wait_for_itself():
    class Nested(Chunks):
        depth = 0

        def read_chunk(self, number, columns):
            self.depth += 1
            if self.depth == 1:
                assert samples[5]["id"] == 5
            return super().read_chunk(number, columns)

    source = Nested(0, 100)
    samples = af.ChunkDataset(source, representations={"id": Dense("id")}).samples()
    assert samples[6]["id"] == samples[7]["id"] - 1 == 6
    assert source.depth == 2


def test_samples_are_pickled_and_used_by_threads(dataset):
    samples = dataset.samples(cache_bytes=5000)
    copy = pickle.loads(pickle.dumps(samples))
    assert repr(copy) == repr(samples)
    assert copy[200]["id"] == 200
    with ThreadPoolExecutor(8) as pool:
        numbers = [random.Random(SEED + n).randrange(240) for n in range(400)]
        assert [sample["id"] for sample in pool.map(samples.__getitem__, numbers)] == numbers


def ids_in_child(samples, numbers, queue):
    queue.put([int(sample["id"]) for sample in map(samples.__getitem__, numbers)])


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_samples_are_used_in_a_child_process(start, avro):
    """In a forked child, also while threads of the parent decode chunks and hold the lock of the cache."""
    samples = avro.samples(cache_bytes=3000)
    stop = threading.Event()

    def work(seed):
        rng = random.Random(seed)
        while not stop.is_set():
            samples[rng.randrange(240)]

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for worker in workers:
        worker.start()
    context = multiprocessing.get_context(start)
    try:
        for _ in range(10 if start == "fork" else 1):
            queue = context.Queue()
            numbers = list(range(0, 240, 7))
            child = context.Process(target=ids_in_child, args=(samples, numbers, queue))
            child.start()
            assert queue.get(timeout=60) == numbers
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        for worker in workers:
            worker.join()


class Slow(af.ChunkSource):
    """Chunks that take 10 ms each, and are counted. Ctrl-C comes during the tenth."""

    arrow_schema, chunk_rows = pa.schema({"id": pa.int64()}), (1,) * 2000
    read = 0

    def read_chunk(self, number, columns):
        self.read += 1
        if self.read == 10:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        return pa.record_batch({"id": [number]})


@pytest.mark.parametrize("call", ["rows", "row_tensors", "samples"])
def test_ctrl_c_stops_a_call(call):
    source = Slow()
    dataset = af.ChunkDataset(source)
    calls = {
        "rows": dataset.rows,
        "row_tensors": dataset.row_tensors,
        "samples": dataset.samples().__getitems__,
    }
    with pytest.raises(KeyboardInterrupt):
        calls[call](range(2000))
    assert 10 <= source.read < 2000


def test_rows_do_not_count_in_the_report(avro):
    before = avro.report()
    avro.rows([1, 2])
    assert avro.report() == before
    assert rows(0, CHUNK).num_rows == CHUNK
