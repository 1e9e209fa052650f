"""Sources update the metrics of tfx_bsl in pipelines: the same namespaces, names and values."""

import types
import unittest
from random import Random

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from google.protobuf import text_format
from random_arrays import random_array, random_type
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.public import tfxio as public
from tfx_bsl.tfxio import parquet_tfxio, raw_tf_record, telemetry, telemetry_test

import arrowfeed as af
from arrowfeed import tfxio
from arrowfeed.tfxio import _batch_figures, _telemetry, table_util

THEIRS = types.SimpleNamespace(
    **{name: getattr(public, name) for name in public.__all__},
    ParquetTFXIO=parquet_tfxio.ParquetTFXIO,
    RawBeamRecordTFXIO=raw_tf_record.RawBeamRecordTFXIO,
    RawTfRecordTFXIO=raw_tf_record.RawTfRecordTFXIO,
)
DESCRIPTORS = ["test", "component"]
ROWS = 250
FEATURES = """
    feature { name: "age" type: INT }
    feature { name: "score" type: FLOAT }
    feature { name: "word" type: BYTES }
"""
SCHEMA = text_format.Parse(FEATURES, schema_pb2.Schema())
SEQUENCE_SCHEMA = text_format.Parse(
    FEATURES
    + """
    feature {
      name: "##SEQUENCE##"
      type: STRUCT
      struct_domain { feature { name: "clicks" type: INT } feature { name: "names" type: BYTES } }
    }
    """,
    schema_pb2.Schema(),
)


@pytest.fixture(autouse=True)
def every_row_is_sampled(monkeypatch):
    """On both sides, so that the distributions of rows can be compared."""
    monkeypatch.setattr(_telemetry, "_STRIDE", 0)
    monkeypatch.setattr(_telemetry, "_SAMPLE", 1 << 40)
    # Earlier tests of this process may have taken a sample.
    _telemetry._updates.cache_clear()
    original = telemetry._ProfileRecordBatchDoFn.__init__

    def of_every_batch(self, descriptors, logical, physical, _probability):
        original(self, descriptors, logical, physical, 1.0)

    monkeypatch.setattr(telemetry._ProfileRecordBatchDoFn, "__init__", of_every_batch)


def metrics(*transforms, given=None):
    """Runs a pipeline of transforms. Returns the metrics of tfx_bsl by namespace and name."""
    pipeline = beam.Pipeline(runner=FnApiRunner())
    found = pipeline if given is None else pipeline | beam.Create(given)
    for number, transform in enumerate(transforms):
        found = found | str(number) >> transform
    result = pipeline.run()
    result.wait_until_finish()
    queried = result.metrics().query()
    values = {one.key.metric: one.result for one in queried["counters"]}
    for one in queried["distributions"]:
        values[one.key.metric] = (one.result.count, one.result.sum, one.result.min, one.result.max)
    return {(key.namespace, key.name): value for key, value in values.items() if key.namespace[:4] == "tfx."}


def without(found, *names):
    return {key: value for key, value in found.items() if not key[1].endswith(names)}


def values(row):
    """The values of a row by feature. Some features are missing, and some have no values."""
    features = {"age": [*range(row % 5)], "score": [0.5] * (row % 3), "word": [b"x" * (row % 9)]}
    return {name: found for number, (name, found) in enumerate(features.items()) if row % (number + 3)}


def fill(features, row):
    for name, found in values(row).items():
        kind = {"age": "int64_list", "score": "float_list", "word": "bytes_list"}[name]
        getattr(features.feature[name], kind).value.extend(found)
        getattr(features.feature[name], kind).SetInParent()


def example(row):
    message = tf.train.Example()
    fill(message.features, row)
    return message.SerializeToString()


def sequence_example(row):
    message = tf.train.SequenceExample()
    fill(message.context, row)
    for step in range(row % 4):
        lists = message.feature_lists.feature_list
        lists["clicks"].feature.add().int64_list.value.extend(range(step))
        lists["names"].feature.add().bytes_list.value.append(b"y" * row)
    return message.SerializeToString()


def line(row):
    found = values(row)
    cells = [
        found.get("age", [])[:1],
        found.get("score", [])[:1],
        [one.decode() for one in found.get("word", [])],
    ]
    return ",".join(str(cell[0]) if cell else "" for cell in cells).encode() if any(cells) else b"0,,"


EXAMPLES = [example(row) for row in range(ROWS)]
SEQUENCE_EXAMPLES = [sequence_example(row) for row in range(ROWS)]
LINES = [line(row) for row in range(ROWS)]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name, records in {"example": EXAMPLES, "sequence_example": SEQUENCE_EXAMPLES}.items():
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecord")) as file:
            for record in records:
                file.write(record)
    (folder / "lines.csv").write_bytes(b"".join(one + b"\n" for one in LINES))
    decoder = tfxio.ExamplesToRecordBatchDecoder(SCHEMA.SerializeToString())
    table = pa.Table.from_batches([decoder.DecodeBatch(EXAMPLES)])
    pq.write_table(table, folder / "rows.parquet", row_group_size=100)
    return folder


def file_source(module, name, folder, **options):
    options = {"telemetry_descriptors": DESCRIPTORS, **options}
    if name == "CsvTFXIO":
        columns = [feature.name for feature in SCHEMA.feature]
        options = {"schema": SCHEMA, **options}
        return module.CsvTFXIO(str(folder / "lines.csv"), columns, **options)
    if name == "ParquetTFXIO":
        return module.ParquetTFXIO(str(folder / "rows.parquet"), schema=SCHEMA, **options)
    if name == "RawTfRecordTFXIO":
        return module.RawTfRecordTFXIO(str(folder / "example.tfrecord"), "raw", **options)
    if name == "TFExampleRecord":
        return module.TFExampleRecord(str(folder / "example.tfrecord"), schema=SCHEMA, **options)
    return module.TFSequenceExampleRecord(
        str(folder / "sequence_example.tfrecord"), schema=SEQUENCE_SCHEMA, **options
    )


RECORDS = ["CsvTFXIO", "RawTfRecordTFXIO", "TFExampleRecord", "TFSequenceExampleRecord"]


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("batch_size", [None, 60])
def test_a_source_of_files_has_the_metrics_of_tfx_bsl_except_for_the_sizes_of_records(
    files, name, batch_size
):
    source = file_source(tfxio, name, files)
    found = metrics(source.BeamSource(batch_size))
    original = metrics(file_source(THEIRS, name, files).BeamSource(batch_size))
    if batch_size is None:
        # Batches have other numbers of rows.
        names = ("-num_rows", "-record_batch_byte_size")
        found, original = without(found, *names), without(original, *names)
    assert found == without(original, "-raw_record_byte_size")
    assert len(original) >= 8


@pytest.mark.parametrize("name", RECORDS)
def test_raw_records_have_the_metrics_of_tfx_bsl(files, name):
    both = []
    for module in (tfxio, THEIRS):
        source = file_source(module, name, files)
        both.append(metrics(source.RawRecordBeamSource(), source.RawRecordToRecordBatch(60)))
    assert both[0] == both[1]
    assert any(key[1].endswith("-raw_record_byte_size") for key in both[0])


def test_a_source_with_a_column_of_raw_records_has_the_metrics_of_tfx_bsl(files):
    both = []
    for module in (tfxio, THEIRS):
        source = file_source(module, "TFExampleRecord", files, raw_record_column_name="raw")
        both.append(metrics(source.BeamSource(60)))
    assert both[0] == both[1]


def test_parquet_has_the_metrics_of_tfx_bsl(files):
    both = [metrics(file_source(one, "ParquetTFXIO", files).BeamSource(1000)) for one in (tfxio, THEIRS)]
    # pyarrow makes other bitmaps.
    name = "-record_batch_byte_size"
    assert without(both[0], name) == without(both[1], name)
    assert both[0].keys() == both[1].keys()
    name = "LogicalFormat[parquet]-PhysicalFormat[parquet]-num_rows"
    assert both[0]["tfx.test.component.io", name] == (3, 250, 50, 100)


def test_rows_of_parquet_files_have_the_metrics_of_tfx_bsl(files):
    both = []
    for module in (tfxio, THEIRS):
        source = file_source(module, "ParquetTFXIO", files)
        both.append(metrics(source.RawRecordBeamSource(), source.RawRecordToRecordBatch(60)))
    # The bytes of pickles differ.
    assert without(both[0], "-raw_record_byte_size") == without(both[1], "-raw_record_byte_size")
    assert both[0].keys() == both[1].keys()


def test_csv_without_a_schema_has_the_metrics_of_tfx_bsl(files):
    """Our batches have other sizes, because they are lists of the types of all cells."""
    columns = [feature.name for feature in SCHEMA.feature]
    both = []
    for module in (tfxio, THEIRS):
        source = module.BeamRecordCsvTFXIO("text", columns, telemetry_descriptors=DESCRIPTORS)
        both.append(metrics(source.BeamSource(60), given=LINES))
    assert both[0] == both[1]


def beam_source(module, name):
    if name == "BeamRecordCsvTFXIO":
        columns = [feature.name for feature in SCHEMA.feature]
        return module.BeamRecordCsvTFXIO("kafka", columns, schema=SCHEMA), LINES
    if name == "RawBeamRecordTFXIO":
        return module.RawBeamRecordTFXIO("kafka", "raw", None), EXAMPLES
    if name == "TFExampleBeamRecord":
        return module.TFExampleBeamRecord("kafka", schema=SCHEMA), EXAMPLES
    return module.TFSequenceExampleBeamRecord("kafka", None, schema=SEQUENCE_SCHEMA), SEQUENCE_EXAMPLES


@pytest.mark.parametrize(
    "name", ["BeamRecordCsvTFXIO", "RawBeamRecordTFXIO", "TFExampleBeamRecord", "TFSequenceExampleBeamRecord"]
)
def test_records_of_a_pipeline_without_descriptors_have_the_metrics_of_tfx_bsl(name):
    both = []
    for module in (tfxio, THEIRS):
        source, records = beam_source(module, name)
        both.append(metrics(source.BeamSource(60), given=records))
    assert both[0] == both[1]
    batching = "tfx.CSVToRecordBatch" if name == "BeamRecordCsvTFXIO" else "tfx.Unknown"
    assert {key[0] for key in both[0]} == {batching, "tfx.UNKNOWN_COMPONENT.io"}


def profile(descriptors, logical, physical, _probability=None):
    """The transform of tfx_bsl over our metrics."""
    ours = _telemetry.Telemetry(descriptors and tuple(descriptors), logical, physical)
    return beam.FlatMap(lambda batch: ours.batches([batch]))


def profile_records(descriptors, logical, physical):
    ours = _telemetry.Telemetry(descriptors and tuple(descriptors), logical, physical)
    return beam.FlatMap(lambda record: ours.records([record]))


def test_the_tests_of_telemetry_of_tfx_bsl_pass(monkeypatch):
    ours = types.SimpleNamespace(ProfileRecordBatches=profile, ProfileRawRecords=profile_records)
    monkeypatch.setattr(telemetry_test, "telemetry", ours)
    suite = unittest.defaultTestLoader.loadTestsFromModule(telemetry_test)
    result = unittest.TestResult()
    suite.run(result)
    assert [report for _, report in result.failures + result.errors] == []
    assert (result.testsRun, result.skipped) == (5, [])


def random_batch(seed, *, hidden):
    """A slice of random columns. `hidden`: whether values may be stored under nulls."""
    rng = Random(seed)
    rows = rng.choice([0, 1, 5, 17])
    kinds = [random_type(rng, structs=True, others=True) for _ in range(rng.randint(1, 6))]
    columns = [random_array(rng, kind, rows + 3, hidden=hidden) for kind in kinds]
    if not hidden:
        columns = [pa.array(column.to_pylist(), column.type) for column in columns]
    return pa.RecordBatch.from_arrays(columns, [str(number) for number in range(len(columns))]).slice(2, rows)


@pytest.mark.parametrize("seed", range(20))
def test_random_batches_have_the_metrics_of_tfx_bsl(seed):
    # Arrow IPC would make batches without rows on which tfx_bsl aborts the process.
    batches = beam.Map(lambda number: random_batch(f"{seed} {number}", hidden=False))
    both = [
        metrics(batches, one(DESCRIPTORS, "some", "way", 1.0), given=range(5))
        for one in (profile, telemetry.ProfileRecordBatches)
    ]
    assert both[0] == both[1]


def leaves(kind, value):
    """The number of values of each leaf of a cell."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        counted = [leaves(kind.value_type, one) for one in value or []]
        return totals(counted, len(leaves(kind.value_type, None)))
    if pa.types.is_struct(kind):
        return [one for field in kind for one in leaves(field.type, value and value[field.name])]
    return [1]


def totals(lists, length):
    return [sum(one[place] for one in lists) for place in range(length)]


@pytest.mark.parametrize("seed", range(300))
def test_values_of_random_batches_are_those_of_a_plain_implementation(seed):
    batch = random_batch(seed, hidden=True)
    expected = []
    for column in batch.columns:
        cells = [leaves(column.type, value) for value in column.to_pylist()]
        expected += [[cell[place] for cell in cells] for place in range(len(leaves(column.type, None)))]
    assert [counts for _, counts in _batch_figures.values_per_row(batch)] == expected
    present = [
        [pa.types.is_null(column.type) or cell is not None for cell in column.to_pylist()] for column in batch
    ]
    assert _batch_figures.columns_per_row(batch) == totals(present, batch.num_rows)
    size, cells = _batch_figures.size_and_cells(batch)
    assert size == table_util.TotalByteSize(batch, ignore_unsupported=True)
    assert sum(cells.values()) == sum(map(sum, present))


@pytest.mark.parametrize("file_source", [True, False])
def test_avro_has_the_metrics_of_its_batches(tmp_path, file_source):
    table = pa.table({"id": range(ROWS), "words": [["a"] * (row % 3) for row in range(ROWS)]})
    af.write_avro(table, tmp_path / "rows.avro")
    source = tfxio.AvroRecord(tmp_path / "rows.avro", telemetry_descriptors=DESCRIPTORS)
    batches = list(source.RecordBatches(tfxio.RecordBatchesOptions(60, num_epochs=1, shuffle=False)))
    physical = "avro_container" if file_source else "kafka"
    expected = metrics(telemetry.ProfileRecordBatches(DESCRIPTORS, "avro", physical, 1.0), given=batches)
    prefix = f"LogicalFormat[avro]-PhysicalFormat[{physical}]"
    expected["tfx.test.component.io", f"{prefix}-num_raw_records"] = ROWS
    expected["tfx.test.component", "desired_batch_size"] = 60
    expected["tfx.test.component", "tfxio_use_byte_size_batching"] = 0
    if file_source:
        found = metrics(source.BeamSource(60))
    else:
        records = af.encode_avro_records(next(af.read_avro(tmp_path / "rows.avro")), source.AvroSchema())
        expected["tfx.test.component.io", f"{prefix}-raw_record_byte_size"] = (
            ROWS,
            sum(map(len, records)),
            min(map(len, records)),
            max(map(len, records)),
        )
        source = tfxio.AvroBeamRecord("kafka", DESCRIPTORS, avro_schema=source.AvroSchema())
        found = metrics(source.BeamSource(60), given=records)
    assert found == expected


def test_a_projection_has_the_metrics_of_its_columns(files):
    source = file_source(tfxio, "TFExampleRecord", files).Project(["age"])
    found = metrics(source.BeamSource())
    kinds = {name.partition("num_cells")[2] for _, name in found if "num_cells" in name}
    assert kinds == {"[INT]"}


def test_a_process_samples_its_first_batch_and_then_a_part_of_the_rows(monkeypatch):
    monkeypatch.setattr(_telemetry, "_STRIDE", 50_000)
    monkeypatch.setattr(_telemetry, "_SAMPLE", 50)
    batches = [pa.record_batch({"x": [[1]] * 1000})] * 120
    found = metrics(profile(["samples"], "some", "way"), given=batches)
    prefix = "LogicalFormat[some]-PhysicalFormat[way]"
    assert found["tfx.samples.io", f"{prefix}-num_columns"] == (150, 150, 1, 1)
    assert found["tfx.samples.io", f"{prefix}-num_rows"] == (120, 120_000, 1000, 1000)


def test_a_format_that_would_break_the_names_is_refused_as_in_tfx_bsl():
    texts = []
    for module in (tfxio, THEIRS):
        with pytest.raises(AssertionError) as error:
            metrics(module.TFExampleBeamRecord("a-b", schema=SCHEMA).RawRecordBeamSource(), given=EXAMPLES)
        texts.append(str(error.value))
    assert texts == ["Invalid logical / physical format string: a-b"] * 2
