"""Sources in pipelines read large files in ranges, compressed and new files, and report missing ones."""

import functools
import gzip
import pickle
import random

import apache_beam as beam
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to
from beam_files import SCHEMA as AVRO
from beam_ranges import Reading, read_in_random_parts
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

import arrowfeed as af
from arrowfeed import tfxio
from arrowfeed.beam._known_files import KnownFiles

ROWS = 20_000
SCHEMA = text_format.Parse(
    'feature { name: "id" type: INT } feature { name: "text" type: BYTES }', schema_pb2.Schema()
)
FORMATS = ["tfrecord", "csv"]


def table(start=0, count=ROWS):
    """Rows with the ids from `start` on. Texts contain line ends and quotes."""
    numbers = range(start, start + count)
    return pa.table({"id": pa.array(numbers, pa.int64()), "text": [f'row\n"{n}",' * 15 for n in numbers]})


def write(folder, form, start=0, count=ROWS, name="rows"):
    """Writes a file of a format."""
    path = folder / f"{name}.{form}"
    if form == "tfrecord":
        af.write_tfrecord(table(start, count), path)
    else:
        pyarrow.csv.write_csv(table(start, count), path)
    return path


def source_of(path, form, **options):
    """The source of the files of a format."""
    if form == "tfrecord":
        return tfxio.TFExampleRecord(str(path), **{"schema": SCHEMA, **options})
    return tfxio.CsvTFXIO(str(path), ["id", "text"], skip_header_lines=1, **{"schema": SCHEMA, **options})


def splits_of(read):
    """The splits that workers plan."""
    return [split for _, group in read._list.process(None) for split in read._plan.process(group)]


def rows_of(read):
    """The number of rows of each split."""
    return [sum(batch.num_rows for batch in read._read._reader.open(split)) for split in splits_of(read)]


def batch_ids(batch):
    assert batch.schema.equals(batch_schema())
    return batch["id"].flatten().to_pylist()


@functools.cache
def example_decoder():
    return tfxio.TFExampleBeamRecord("records", schema=SCHEMA)._decoder()


@functools.cache
def batch_schema():
    return source_of("", "csv").ArrowSchema()


def record_ids(record):
    """The id of a record of a CSV or TFRecord file."""
    if b"," in record[:6]:
        return [int(record[: record.index(b",")])]
    [batch] = example_decoder()([record])
    return batch_ids(batch)


def read_ids(read, values, expected):
    """Compares the ids of a pipeline. Returns its result."""
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        assert_that(pipeline | read | beam.FlatMap(values), equal_to(expected))
    return pipeline.result


@pytest.fixture
def small(monkeypatch):
    """Ranges of 100 kB. A range without the start of a chunk of 256 kB has no records."""
    monkeypatch.setattr("arrowfeed.tfxio._beam.SPLIT_BYTES", 100_000)


READS = [
    pytest.param(lambda source: source.BeamSource(100), batch_ids, id="batches"),
    pytest.param(lambda source: source.RawRecordBeamSource(), record_ids, id="records"),
]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("reads", "values"), READS)
@pytest.mark.parametrize(("form", "counts"), [("tfrecord", range(20, 100)), ("csv", [8])])
def test_a_large_file_has_several_ranges(tmp_path, form, counts, reads, values):
    path = write(tmp_path, form)
    read = reads(source_of(path, form))
    splits = splits_of(read)
    assert len(splits) in counts
    assert {split.path for split in splits} == {str(path)}
    assert sum(count > 0 for count in rows_of(read)) >= 8
    result = read_ids(read, values, list(range(ROWS)))
    found = result.metrics().query(beam.metrics.MetricsFilter().with_namespace("arrowfeed"))["counters"]
    assert {one.key.metric.name: one.committed for one in found}["rows"] == ROWS


@pytest.mark.parametrize(("reads", "values"), READS)
@pytest.mark.parametrize("form", FORMATS)
def test_a_split_of_a_running_range_loses_no_record(tmp_path, form, reads, values):
    read = reads(source_of(write(tmp_path, form), form))
    [split] = splits_of(read)
    count = 0
    for seed in range(5):
        found, splits = read_in_random_parts(
            random.Random(seed), lambda part: Reading(read._read, split, part, values), None
        )
        assert sorted(found) == list(range(ROWS)), seed
        count += splits
    assert count > 10


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("ending", [".gz", ""], ids=["named", "not named"])
def test_one_worker_reads_a_compressed_file(tmp_path, form, ending):
    path = write(tmp_path, form)
    compressed = path.with_name(f"compressed.{form}{ending}")
    compressed.write_bytes(gzip.compress(path.read_bytes()))
    source = source_of(compressed, form)
    counts = rows_of(source.BeamSource())
    assert sorted(counts) == [0] * (len(counts) - 1) + [ROWS]
    read_ids(source.BeamSource(), batch_ids, list(range(ROWS)))
    read_ids(source.RawRecordBeamSource(), record_ids, list(range(ROWS)))


@pytest.mark.parametrize("form", FORMATS)
def test_batches_have_the_size_of_the_call(tmp_path, form):
    source = source_of(write(tmp_path, form, count=2500), form)
    for size, expected in ((None, [1000, 1000, 500]), (1500, [1500, 1000])):
        read_ids(source.BeamSource(size), lambda batch: [batch.num_rows], expected)


@pytest.mark.usefixtures("small")
def test_raw_batches_have_the_records_of_all_ranges(tmp_path):
    source = tfxio.RawTfRecordTFXIO(str(write(tmp_path, "tfrecord")), "raw", None)
    assert len(splits_of(source.BeamSource())) > 20

    def values(batch):
        assert batch.schema.equals(source.ArrowSchema())
        assert batch.num_rows <= 1000
        return [number for [record] in batch["raw"].to_pylist() for number in record_ids(record)]

    read_ids(source.BeamSource(), values, list(range(ROWS)))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("least", "count"), [(0, 7), (1 << 30, 1)])
def test_ranges_of_parquet_files_have_a_minimum_size(tmp_path, least, count):
    path = tmp_path / "rows.parquet"
    pq.write_table(table(), path, row_group_size=1000, compression="none", use_dictionary=False)
    read = tfxio.ParquetTFXIO(str(path), schema=SCHEMA, min_bundle_size=least).BeamSource(100)
    assert len(splits_of(read)) >= count
    assert (len(splits_of(read)) == 1) == (count == 1)
    read_ids(read, batch_ids, list(range(ROWS)))


def missing(path):
    return f"[Errno 2] expected files that match this glob, found none: '{path}'"


@pytest.mark.parametrize("raw", [None, "raw"])
@pytest.mark.parametrize("form", FORMATS)
def test_missing_files_are_errors_when_the_pipeline_is_built(tmp_path, form, raw):
    here = write(tmp_path, form, count=10)
    pattern = f"{tmp_path}/*.none"
    for patterns in (pattern, [str(here), pattern]):
        kind = source_of(here, form, raw_record_column_name=raw)
        kind._patterns = [patterns] if isinstance(patterns, str) else patterns
        for make in (kind.BeamSource, kind.RawRecordBeamSource):
            with pytest.raises(FileNotFoundError) as caught:
                make()
            assert str(caught.value) == missing(pattern)


@pytest.mark.parametrize("form", ["csv", "parquet", "avro"])
def test_files_may_be_written_after_the_pipeline_is_built(tmp_path, form):
    pattern = f"{tmp_path}/*.{form}"
    if form == "csv":
        source = source_of(pattern, form, validate=False)
    elif form == "parquet":
        source = tfxio.ParquetTFXIO(pattern, schema=SCHEMA, validate=False)
    else:
        # `validate` has no effect.
        source = tfxio.AvroRecord(
            pattern, schema=SCHEMA, reader_schema={**AVRO, "fields": AVRO["fields"][:2]}
        )
    # A transform belongs to one pipeline, and copies share the files that a process keeps open.
    read = pickle.dumps(source.BeamSource())
    with pytest.raises(RuntimeError) as caught, beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | pickle.loads(read)
    assert missing(pattern) in str(caught.value)
    # A pipeline that runs again reads new files too.
    for number in range(2):
        rows = table(number * 10, 10)
        path = tmp_path / f"{number}.{form}"
        if form == "csv":
            pyarrow.csv.write_csv(rows, path)
        elif form == "parquet":
            pq.write_table(rows, path)
        else:
            af.write_avro(rows, path)
        read_ids(pickle.loads(read), batch_ids, list(range(10 * number + 10)))


def test_files_without_records_and_several_patterns_are_read(tmp_path):
    (tmp_path / "a.tfrecord").touch()
    paths = [write(tmp_path, "tfrecord", 10 * n, 10, name=f"b{n}") for n in range(3)]
    source = source_of(tmp_path, "tfrecord")
    source._patterns = [str(tmp_path / "a.tfrecord"), f"{tmp_path}/b[01].tfrecord", str(paths[2])]
    read_ids(source.BeamSource(), batch_ids, list(range(30)))
    read_ids(source_of(tmp_path, "tfrecord").RawRecordBeamSource(), record_ids, list(range(30)))


def test_a_relative_pattern_is_one_of_the_program(tmp_path, monkeypatch):
    write(tmp_path, "tfrecord", count=10)
    monkeypatch.chdir(tmp_path)
    read = source_of("*.tfrecord", "tfrecord").BeamSource()
    monkeypatch.chdir("/")
    read_ids(read, batch_ids, list(range(10)))


@pytest.mark.parametrize("form", FORMATS)
def test_the_beam_sources_of_each_form_can_be_pickled(tmp_path, form):
    source = source_of(write(tmp_path, form, count=10), form)
    read_ids(pickle.loads(pickle.dumps(source.BeamSource())), batch_ids, list(range(10)))
    read_ids(pickle.loads(pickle.dumps(source.RawRecordBeamSource())), record_ids, list(range(10)))


def test_groups_of_files_contain_no_secret(monkeypatch):
    urls = ["https://user:pw@host/a.csv", "https://host/b.csv?sig=key", "https://host/c.csv"]
    files = KnownFiles(af.CsvDataset, urls, {}, None, 10)
    monkeypatch.setattr(files, "_new_dataset", lambda: None)
    monkeypatch.setattr("arrowfeed.beam._known_files.files_of", lambda *_: urls)
    assert files.groups() == [[0], [1], ["https://host/c.csv"]]
    opened = []
    files._kind = lambda source, **_: opened.append(source) or af.CsvDataset(b"a")
    with pytest.raises(af.OptionError):
        files.plan(1, 10, None)
    assert opened == [[urls[1]]]


def test_a_column_that_is_read_in_part_can_be_projected(tmp_path):
    people = [{"age": n, "name": "x"} for n in range(10)]
    pq.write_table(pa.table({"id": range(10), "user": people}), tmp_path / "a.parquet")
    source = tfxio.ParquetTFXIO(str(tmp_path / "*.parquet"), column_names=["id", "user.age"])
    [name] = [name for name in source.TensorRepresentations() if "age" in name]
    projected = source.Project([name])
    assert projected.ArrowSchema() == pa.schema({"user": pa.struct({"age": pa.int64()})})
    read_ids(projected.BeamSource(), lambda batch: batch["user"].field("age").to_pylist(), list(range(10)))


def test_a_damaged_record_is_located(tmp_path):
    path = write(tmp_path, "tfrecord")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(Exception, match=r"rows\.tfrecord: .*byte [\d,]+"):
        read_ids(source_of(path, "tfrecord").BeamSource(), batch_ids, [])
