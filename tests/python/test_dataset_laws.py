"""The laws of datasets hold for files of each format, and for a source written in Python."""

import json
import pickle
import sys

import pyarrow as pa
import pytest

import arrowfeed as af
from conftest import run_script
from law_sources import CHUNK, SOURCES, Chunks, plain, rows

SIZES = [100, 0, 90, 50]
TOTAL = sum(SIZES)

ORDERS = {
    "in file order": {"epochs": 2},
    "a shuffled shard": {"shuffle_buffer_size": 100, "seed": 5, "shard": (1, 2), "drop_remainder": True},
}


@pytest.fixture(scope="module", params=SOURCES)
def dataset(request, tmp_path_factory):
    return SOURCES[request.param](tmp_path_factory.mktemp(request.param), SIZES)


of_two_kinds = pytest.mark.parametrize("dataset", ["avro", "chunks"], indirect=True)
"""Tests with files of one format and with a source written in Python. Rust tests have each format."""


def tables(batches):
    """The rows of each batch."""
    return [[plain(row) for row in pa.record_batch(batch).to_pylist()] for batch in batches]


def ids(batches):
    return [[row["id"] for row in batch] for batch in tables(batches)]


def flat(batches):
    return [number for batch in batches for number in batch]


def cut(numbers, size):
    return [numbers[at : at + size] for at in range(0, len(numbers), size)]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_rows_come_in_order_in_whole_batches(dataset, threads):
    found = tables(dataset.record_batches(batch_size=23, epochs=2, threads=threads))
    one = cut(rows(0, TOTAL).select(["id", "list"]).to_pylist(), 23)
    assert found == one * 2
    assert dataset.num_rows == TOTAL


@of_two_kinds
def test_shards_are_equal_parts_of_all_rows(dataset):
    shards = [flat(ids(dataset.record_batches(batch_size=7, shard=(n, 4)))) for n in range(4)]
    assert [len(shard) for shard in shards] == [60] * 4
    assert flat(shards) == list(range(TOTAL))


@of_two_kinds
def test_shuffled_rows_come_once_an_epoch_in_an_order_that_the_seed_decides(dataset):
    options = {"batch_size": 16, "shuffle_buffer_size": 80, "epochs": 2}
    found = [ids(dataset.record_batches(seed=1, threads=threads, **options)) for threads in (1, 2, 8)]
    assert found[0] == found[1] == found[2] != ids(dataset.record_batches(seed=2, **options))
    numbers = flat(found[0])
    assert sorted(numbers[:TOTAL]) == sorted(numbers[TOTAL:]) == list(range(TOTAL))
    assert numbers[:TOTAL] != numbers[TOTAL:]


@of_two_kinds
@pytest.mark.parametrize("drop_remainder", [False, True])
def test_batches_across_epochs_are_whole_but_for_the_last(dataset, drop_remainder):
    options = {"batch_size": 31, "epochs": 3, "across_epochs": True, "drop_remainder": drop_remainder}
    expected = cut(list(range(TOTAL)) * 3, 31)
    expected = expected[:-1] if drop_remainder else expected
    assert ids(dataset.record_batches(threads=2, **options)) == expected


@of_two_kinds
@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_resuming_after_every_batch_yields_the_rest(dataset, options):
    options = {"batch_size": 23, **options}
    whole = tables(dataset.record_batches(**options))
    batches = dataset.record_batches(**options)
    for given in range(len(whole) + 1):
        state = json.loads(json.dumps(batches.state_dict()))
        again = dataset.record_batches(threads=(1, 2, 8)[given % 3], prefetch_bytes=0, **options)
        again.load_state_dict(state)
        assert tables(again) == whole[given:]
        assert again.report()["rows"] == sum(map(len, whole))
        next(batches, None)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_tensors_are_those_of_the_batches(dataset, threads):
    options = {"batch_size": 50, "shuffle_buffer_size": 30, "seed": 3, "threads": threads}
    adapter = dataset.tensor_adapter()
    for batch, tensors in zip(dataset.record_batches(**options), dataset.tensors(**options), strict=True):
        expected = adapter.convert(batch)
        assert list(tensors) == ["id", "list"]
        assert tensors["id"].values.tolist() == expected["id"].values.tolist()
        assert tensors["list"].to_list() == expected["list"].to_list()


def test_projections_copies_and_indexed_datasets_are_the_same_source(dataset, tmp_path):
    options = {"batch_size": 40, "shuffle_buffer_size": 99, "seed": 8}
    whole = ids(dataset.record_batches(**options))
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.fingerprint == dataset.fingerprint
    assert ids(copy.record_batches(**options)) == whole
    assert ids(dataset.project(["id"]).record_batches(**options)) == whole
    assert pa.schema(dataset.project(["id"]).arrow_schema).names == ["id"]
    dataset.save_index(tmp_path / "rows.index.json")
    assert json.loads((tmp_path / "rows.index.json").read_text())["files"]


def damaged(kind, directory):
    """A dataset of three parts. In the second, some rows cannot be read."""
    made = SOURCES[kind](directory, [100, 100, 100])
    if kind == "chunks":
        return af.ChunkDataset([Chunks(0, 100), Chunks(100, 200, damaged=[1]), Chunks(200, 300)])
    path = directory / f"part-1.{kind}"
    bytes_ = bytearray(path.read_bytes())
    if kind in ("csv.gz", "jsonl.gz"):
        # The file is truncated, because changed deflated data could be another valid text.
        path.write_bytes(bytes_[: len(bytes_) * 3 // 4])
        return made
    # Damages the digits of an `id` in text, deflated data in Avro and compressed files, bytes of a
    # record in TFRecord files, and the header of a page in Parquet files.
    at = len(bytes_) // 2
    if kind == "parquet":
        import pyarrow.parquet as pq  # noqa: PLC0415 - the other sources do without

        group = pq.ParquetFile(path).metadata.row_group(1)
        at = group.column(0).dictionary_page_offset or group.column(0).data_page_offset
    if kind in ("csv", "jsonl"):
        at = bytes_.index(b"150")
    if kind in ("arrow", "arrows"):
        # The offsets of the lists of the second record batch, which stand after its texts.
        at = bytes_.index(b"row 173") // 8 * 8 + 56
    for place in range(at, at + (3 if kind in ("csv", "jsonl") else 20)):
        bytes_[place] ^= 0x55
    path.write_bytes(bytes_)
    return made


@pytest.mark.parametrize("kind", SOURCES)
def test_rows_before_damage_come_first_and_then_the_error(kind, tmp_path):
    dataset = damaged(kind, tmp_path)
    for threads in (1, 2, 8):
        batches = dataset.record_batches(batch_size=10, threads=threads)
        found = []
        with pytest.raises(af.ArrowfeedError):
            found.extend(ids([batch])[0] for batch in batches)
        numbers = flat(found)
        assert numbers == list(range(len(numbers)))
        assert 100 <= len(numbers) < 200
        assert next(batches, None) is None


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("on_error", ["skip_block", "skip_file"])
def test_skipped_parts_are_reported_and_the_same_for_all_threads(kind, on_error, tmp_path):
    dataset = damaged(kind, tmp_path)
    found, reports = [], []
    for threads in (1, 2, 8):
        batches = dataset.record_batches(batch_size=10, threads=threads, on_error=on_error)
        found.append(ids(batches))
        reports.append(batches.report()["skipped"])
    assert found[0] == found[1] == found[2]
    assert reports[0] == reports[1] == reports[2]
    # In a compressed file, the wrong record and the rest, whose records are not found.
    skipped = reports[0][-1]
    assert len(reports[0]) == (2 if (kind, on_error) == ("gz", "skip_block") else 1)
    lost = set(range(300)) - set(flat(found[0]))
    assert lost
    assert lost < set(range(100, 200)) if on_error == "skip_block" else lost <= set(range(100, 200))
    assert skipped["error"]
    # The number of rows in the rest is unknown.
    assert (skipped["rows"] is None) == (on_error == "skip_file" or kind.endswith("gz"))


MEMORY = """
    import resource, sys
    import pyarrow as pa, pyarrow.parquet as pq
    import arrowfeed as af

    kind, path = sys.argv[1:]
    schema = pa.schema({"id": pa.int64(), "data": pa.binary()})

    class Large(af.ChunkSource):
        arrow_schema, chunk_rows = schema, [4] * 60

        def read_chunk(self, number, columns):
            data = [bytes([number]) * (1 << 20)] * 4
            return pa.record_batch({"id": [number] * 4, "data": data}, schema)

    def mebibytes():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

    source = Large()
    if kind == "parquet":
        with pq.ParquetWriter(path, schema, use_dictionary=False, compression="zstd") as writer:
            for number in range(60):
                writer.write_batch(source.read_chunk(number, []))
        dataset = af.ParquetDataset(path)
    elif kind == "arrow":
        with pa.ipc.new_file(path, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            for number in range(60):
                writer.write_batch(source.read_chunk(number, []))
        dataset = af.ArrowDataset(path)
    elif kind == "tfrecord":
        batches = (source.read_chunk(number, []) for number in range(60))
        af.write_tfrecord(pa.RecordBatchReader.from_batches(schema, batches), path)
        dataset = af.ExampleDataset(path, schema={"id": "int64", "data": "bytes"})
    elif kind in ("csv", "jsonl"):
        line = '%d,"%s"\\n' if kind == "csv" else '{"id": %d, "data": "%s"}\\n'
        with open(path, "w") as file:
            for number in range(60):
                for _ in range(4):
                    file.write(line % (number, chr(65 + number % 26) * (1 << 20)))
        schema = pa.schema({"id": pa.int64(), "data": pa.string()})
        if kind == "csv":
            dataset = af.CsvDataset(path, header=False, schema=schema)
        else:
            dataset = af.JsonLinesDataset(path, schema=schema)
    else:
        dataset = af.ChunkDataset(source)
    options = {"batch_size": 4, "shuffle_buffer_size": 16, "seed": 1, "prefetch_bytes": 16 << 20}
    before, seen = mebibytes(), []
    for count, batch in enumerate(dataset.record_batches(epochs=4, threads=2, **options)):
        if count % 60 == 59:
            seen.append(mebibytes())
    print(count + 1, seen[0] - before, seen[-1] - seen[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="KiB on Linux only")
@pytest.mark.parametrize("kind", ["parquet", "arrow", "tfrecord", "csv", "jsonl", "chunks"])
def test_memory_is_bounded_and_does_not_grow(kind, tmp_path):
    done = run_script(MEMORY, kind, tmp_path / "large", timeout=120)
    assert done.returncode == 0, done.stderr
    batches, first, grown = map(int, done.stdout.split())
    # A window of 16 rows is 16 MiB. As much may wait, and each of two threads decodes a chunk of 4 rows.
    assert batches == 240
    assert first < 160, first
    assert grown < 24, grown


# Tests of sources written in Python only.


def test_only_the_columns_that_are_needed_are_asked_for():
    source = Chunks(0, 80)
    dataset = af.ChunkDataset(source, features={"list[*]": af.features.VarLen("int64")})
    assert pa.schema(dataset.arrow_schema).names == ["list"]
    assert sum(batch.num_rows for batch in dataset.record_batches(batch_size=8)) == 80
    assert source.asked == [(0, ["list"]), (1, ["list"]), (2, ["list"])]
    assert pa.schema(af.ChunkDataset(source, columns=["text", "id"]).arrow_schema).names == ["text", "id"]


def test_a_table_of_several_batches_is_one_chunk():
    class Tables(Chunks):
        def read_chunk(self, number, columns):
            batch = super().read_chunk(number, columns)
            return pa.Table.from_batches([batch.slice(0, 5), batch.slice(5)])

    batches = af.ChunkDataset(Tables(0, 80)).record_batches(batch_size=9)
    assert flat(ids(batches)) == list(range(80))


def test_an_error_of_read_chunk_is_raised_unchanged():
    for error in (OSError("the table is locked"), KeyboardInterrupt(), ValueError("no")):
        for on_error in ("raise", "skip_block"):
            source = Chunks(0, 100, damaged=[1], error=error)
            batches = af.ChunkDataset(source).record_batches(batch_size=CHUNK, on_error=on_error, threads=2)
            assert len(ids([next(batches)])[0]) == CHUNK
            with pytest.raises(type(error)) as caught:
                next(batches)
            assert caught.value is error


def test_a_source_that_the_system_does_not_let_read_is_left_out_as_a_file():
    sources = [Chunks(0, 100, damaged=[1], error=OSError("the table is locked")), Chunks(100, 150)]
    batches = af.ChunkDataset(sources).record_batches(batch_size=CHUNK, on_error="skip_file")
    assert flat(ids(batches)) == [*range(CHUNK), *range(100, 150)]
    [skipped] = batches.report()["skipped"]
    assert (skipped["path"], skipped["block"]) == ("rows 0 to 100", None)
    assert skipped["error"] == "rows 0 to 100: block 1: the table is locked"


class Wrong(Chunks):
    """A source whose `read_chunk` does not return what the source declares."""

    def __init__(self, given):
        super().__init__(0, 80)
        self.given = given

    def read_chunk(self, number, columns):
        return self.given


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (
            rows(0, 5),
            af.ConversionError,
            "rows 0 to 80: block 0: expected a chunk of 37 rows, found 5",
        ),
        (
            pa.record_batch({"id": range(CHUNK), "text": ["x"] * CHUNK}),
            af.ConversionError,
            'rows 0 to 80: block 0: read_chunk(): expected the column "list", found "id", "text"',
        ),
        (
            pa.record_batch({"id": ["x"] * CHUNK, "text": ["x"] * CHUNK, "list": [[1]] * CHUNK}),
            af.ConversionError,
            'rows 0 to 80: block 0: expected column "id" to be Int64, found "id" as Utf8',
        ),
        (
            7,
            TypeError,
            "read_chunk(): expected an object with __arrow_c_stream__ or __arrow_c_array__, or an iterable of"
            " batches, dicts or dataclass instances, found int 7",
        ),
    ],
    ids=["rows", "columns", "types", "no batch"],
)
def test_a_chunk_that_differs_from_its_declaration_is_an_error_and_never_skipped(given, kind, message):
    for on_error in ("raise", "skip_block", "skip_file"):
        with pytest.raises(kind) as caught:
            next(af.ChunkDataset(Wrong(given)).record_batches(batch_size=5, on_error=on_error))
        assert str(caught.value) == message


def go_on(batches, state):
    batches.load_state_dict(state)
    next(batches)


def test_a_state_of_other_rows_is_refused():
    batches = af.ChunkDataset(Chunks(0, 80)).record_batches(batch_size=5)
    next(batches)
    for other in (Chunks(0, 79), Chunks(1, 81)):
        again = af.ChunkDataset(other).record_batches(batch_size=5)
        with pytest.raises(af.ChangedError, match="rows 1 to 81|rows 0 to 79"):
            go_on(again, batches.state_dict())


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: af.ChunkDataset("part.avro"),
            TypeError,
            "source: expected a ChunkSource or a list of these, found str 'part.avro'",
        ),
        (lambda: af.ChunkDataset([]), af.OptionError, "expected at least one source, found an empty list"),
        (
            lambda: af.ChunkDataset(Chunks(0, 9), columns=["x"]),
            af.SchemaError,
            'rows 0 to 9: x: expected a column of this name, one of "id", "text", "list", found none',
        ),
        (
            lambda: af.ChunkDataset(Chunks(0, 9)).plan_splits(),
            af.OptionError,
            'expected files with a path, which can be split, found "rows 0 to 9"',
        ),
        (
            lambda: af.ChunkDataset(Chunks(0, 9), reader_schema="long"),
            TypeError,
            "ChunkDataset.__new__() got an unexpected keyword argument 'reader_schema'",
        ),
    ],
)
def test_wrong_calls_of_chunk_sources_are_named(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message
