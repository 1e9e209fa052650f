"""`progress=True` shows a tqdm bar that counts rows."""

import io
import subprocess
import sys

import fastavro
import pyarrow as pa
import pyarrow.parquet
import pytest

import arrowfeed as af
from avro_splits import read_split

tqdm_auto = pytest.importorskip("tqdm.auto")

ROWS = 1000
SCHEMA = {"type": "record", "name": "R", "fields": [{"name": "id", "type": "long"}]}


@pytest.fixture(scope="module")
def source():
    """A file of small blocks."""
    file = io.BytesIO()
    fastavro.writer(file, SCHEMA, [{"id": row} for row in range(ROWS)], sync_interval=400)
    return file.getvalue()


@pytest.fixture
def bars(monkeypatch):
    """The bars in order of creation, with the number of rows of each when it was closed."""
    made = []

    class Bar(tqdm_auto.tqdm):
        def __init__(self, **options):
            self.closed_at = None
            super().__init__(file=io.StringIO(), **options)
            made.append(self)

        def close(self):
            if self.closed_at is None:
                self.closed_at = self.n
            super().close()

    monkeypatch.setattr(tqdm_auto, "tqdm", Bar)
    return made


def readers(tmp_path):
    """Each read function, with a file of `ROWS` rows."""
    table = pa.table({"id": range(ROWS)})
    avro, parquet, csv, lines, record = (
        tmp_path / f"x.{end}" for end in ("avro", "parquet", "csv", "jsonl", "tfrecord")
    )
    af.write_avro(table, avro)
    af.write_tfrecord(pa.table({"id": [[row] for row in range(ROWS)]}), record)
    pa.parquet.write_table(table, parquet)
    csv.write_text("id\n" + "".join(f"{row}\n" for row in range(ROWS)))
    lines.write_text("".join(f'{{"id": {row}}}\n' for row in range(ROWS)))
    dataset = af.AvroDataset(str(avro))
    [split] = dataset.plan_splits()
    [row_groups] = af.ParquetDataset(str(parquet)).plan_splits()
    return (
        lambda **options: af.read_avro(avro, **options),
        lambda **options: af.read_parquet(parquet, **options),
        lambda **options: af.read_csv(csv, **options),
        lambda **options: af.read_json_lines(lines, **options),
        lambda **options: af.read_tfrecord(record, **options),
        lambda **options: read_split(split, **options),
        lambda **options: read_split(row_groups, af.ParquetDataset, **options),
        lambda **options: dataset.read_split(split, **options),
    )


def test_a_bar_of_each_read_function_counts_the_rows(tmp_path, bars):
    for read in readers(tmp_path):
        assert sum(batch.num_rows for batch in read(batch_size=300, progress=True)) == ROWS
        bar = bars.pop()
        assert (bar.total, bar.n, bar.closed_at, bar.unit) == (None, ROWS, ROWS, " rows")
        assert (sum(batch.num_rows for batch in read(progress=False)), bars) == (ROWS, [])


def test_a_bar_follows_other_libraries(source, bars, tmp_path):
    assert pa.RecordBatchReader.from_stream(af.read_avro(source, progress=True)).read_all().num_rows == ROWS
    assert af.read_avro(source, progress=True).to_pyarrow().num_rows == ROWS
    assert af.write_avro(af.read_avro(source, progress=True), tmp_path / "x.avro") == ROWS
    assert [bar.closed_at for bar in bars] == [ROWS] * 3


@pytest.mark.parametrize(
    ("options", "total"),
    [
        ({}, ROWS),
        ({"epochs": 3}, 3 * ROWS),
        ({"drop_remainder": True}, 900),
        ({"shard": (1, 3)}, 333),
        ({"shuffle_buffer_size": 100, "seed": 1}, ROWS),
        ({"across_epochs": True, "epochs": 2, "drop_remainder": True}, 1800),
    ],
)
def test_a_bar_of_a_dataset_has_the_total(source, bars, options, total):
    dataset = af.AvroDataset(source)
    for iterate in (dataset.record_batches, dataset.tensors):
        for _ in iterate(batch_size=300, progress=True, **options):
            assert bars[-1].closed_at is None
        assert (bars[-1].total, bars[-1].n, bars[-1].closed_at) == (total, total, total)


def test_a_bar_of_an_endless_iteration_has_no_total(source, bars):
    with af.AvroDataset(source).tensors(batch_size=300, epochs=None, progress=True) as batches:
        for _ in range(5):
            next(batches)
    [bar] = bars
    assert (bar.total, bar.n, bar.closed_at) == (None, 1300, 1300)


def test_closing_early_closes_the_bar(source, bars):
    batches = af.AvroDataset(source).tensors(batch_size=300, progress=True)
    reader = af.read_avro(source, batch_size=300, progress=True)
    for iterator in (batches, reader):
        next(iterator)
        iterator.close()
        iterator.close()
    assert [(bar.n, bar.closed_at) for bar in bars] == [(300, 300), (300, 300)]


def test_dropping_the_iterator_closes_the_bar(source, bars):
    next(af.read_avro(source, batch_size=300, progress=True))
    next(af.AvroDataset(source).tensors(batch_size=300, progress=True))
    assert [(bar.n, bar.closed_at) for bar in bars] == [(300, 300), (300, 300)]


def test_an_error_of_the_file_closes_the_bar(source, bars):
    cut = source[:-30]
    with pytest.raises(af.TruncatedError):
        list(af.read_avro(cut, progress=True))
    with pytest.raises(af.TruncatedError):
        list(af.AvroDataset(cut).tensors(batch_size=300, progress=True))
    assert [bar.closed_at for bar in bars] == [bar.n for bar in bars]
    assert all(0 < bar.n < ROWS and bar.total is None for bar in bars)
    assert len(bars) == 2


def test_an_exception_in_the_loop_closes_the_bar(source, bars):
    def stop_at_the_first_batch():
        with af.read_avro(source, batch_size=300, progress=True) as reader:
            for batch in reader:
                raise KeyError(batch.num_rows)

    with pytest.raises(KeyError):
        stop_at_the_first_batch()
    [bar] = bars
    assert (bar.n, bar.closed_at) == (300, 300)


def test_a_resumed_iteration_continues_the_bar(source, bars):
    dataset = af.AvroDataset(source)
    before = dataset.tensors(batch_size=300)
    next(before)
    after = dataset.tensors(batch_size=300, progress=True)
    after.load_state_dict(before.state_dict())
    next(after)
    [bar] = bars
    assert bar.n == 600
    list(after)
    assert (bar.n, bar.closed_at) == (ROWS, ROWS)


def test_without_tqdm_the_error_says_how_to_install_it(source, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    dataset = af.AvroDataset(source)
    for make in (
        lambda: af.read_avro(source, progress=True),
        lambda: dataset.record_batches(batch_size=1, progress=True),
        lambda: dataset.tensors(batch_size=1, progress=True),
    ):
        with pytest.raises(ImportError) as caught:
            make()
        assert (
            str(caught.value) == "expected tqdm for progress=True, found it not installed: pip install tqdm"
        )


def test_a_wrong_argument_says_what_was_expected(source):
    dataset = af.AvroDataset(source)
    for make in (
        lambda: af.read_avro(source, progress=1),
        lambda: dataset.tensors(batch_size=1, progress=1),
    ):
        with pytest.raises(TypeError) as caught:
            make()
        assert str(caught.value) == "progress: expected True or False, found int 1"
    for method in (dataset.to_torch, dataset.to_jax, dataset.to_tf):
        with pytest.raises(TypeError) as caught:
            method(batch_size=1, progress=True)
        expected = f"{method.__name__}() got an unexpected keyword argument 'progress'"
        assert str(caught.value) == expected


def test_nothing_is_imported_without_a_bar(source, tmp_path):
    path = tmp_path / "x.avro"
    path.write_bytes(source)
    code = (
        "import sys, arrowfeed as af\n"
        "rows = sum(batch.num_rows for batch in af.read_avro(sys.argv[1], progress=False))\n"
        "tensors = len(list(af.AvroDataset(sys.argv[1]).tensors(batch_size=100)))\n"
        "print(rows, tensors, [name for name in sys.modules if 'tqdm' in name or '_progress' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout == f"{ROWS} 10 []\n"
