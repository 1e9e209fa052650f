"""`ParquetTFXIO` on files in Spark's layout returns the results of tfx_bsl's `TFExampleRecord`.

The rows are scalars, doubles and `list<element>`; the tests are those of `AvroRecord`. Files that the
`ParquetTFXIO` of tfx_bsl can read are read by both.
"""

import pickle

import apache_beam as beam
import avro_record_cases
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import test_avro_record_differential as differential
import test_avro_record_transform as transform
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from avro_record_cases import ROWS, SCHEMA
from test_avro_record_beam import are_batches_of, run
from test_avro_record_differential import (
    test_a_feature_that_is_declared_twice_is_the_first_one,
    test_a_label_that_is_no_tensor_is_refused_with_the_same_words,
    test_a_shuffle_has_every_row_once_in_each_epoch,
    test_both_are_of_one_class,
    test_datasets_are_the_same,
    test_projections_are_the_same,
    test_record_batches_are_the_same,
    test_schemas_are_the_same,
    test_tensors_of_batches_are_the_same,
    test_unknown_tensors_are_refused_with_the_same_words,
    test_without_an_end_all_batches_are_full,
)
from tfx_bsl.tfxio import parquet_tfxio as theirs

from arrowfeed import tfxio as ours

__all__ = [
    "test_a_feature_that_is_declared_twice_is_the_first_one",
    "test_a_label_that_is_no_tensor_is_refused_with_the_same_words",
    "test_a_shuffle_has_every_row_once_in_each_epoch",
    "test_both_are_of_one_class",
    "test_datasets_are_the_same",
    "test_projections_are_the_same",
    "test_record_batches_are_the_same",
    "test_schemas_are_the_same",
    "test_tensors_of_batches_are_the_same",
    "test_unknown_tensors_are_refused_with_the_same_words",
    "test_without_an_end_all_batches_are_full",
]

ALL = ours.RecordBatchesOptions(1000, num_epochs=1, shuffle=False)


def element(kind: pa.DataType) -> pa.DataType:
    """A list type in Spark's layout."""
    return pa.list_(pa.field("element", kind))


SPARK = pa.schema(
    {
        "label": pa.binary(),
        "unused": pa.string(),
        "id": pa.int32(),
        "weight": pa.float64(),
        "box": element(pa.float64()),
        "counts": element(pa.int32()),
        "scores": element(pa.float32()),
        "words": element(pa.binary()),
        "pairs": element(pa.int64()),
        "place": element(pa.int16()),
        "value": element(pa.float64()),
    }
)


def spark(rows, path):
    """Writes rows in several row groups."""
    pq.write_table(pa.Table.from_pylist(rows, SPARK), path, row_group_size=17)
    return str(path)


def pair(folder, schema=SCHEMA, count=ROWS, seed=None, **options):
    """The sources of the same rows."""
    made = avro_record_cases.pair(folder, schema, count, seed, **options)
    path = spark(made.rows, folder / "x.parquet")
    return made._replace(ours=ours.ParquetTFXIO(path, schema=schema, **options))


@pytest.fixture(autouse=True)
def _of_parquet(monkeypatch):
    monkeypatch.setattr(differential, "pair", pair)
    monkeypatch.setattr(transform, "pair", pair)


def test_transform_makes_the_same_of_parquet(tmp_path):
    transform.test_transform_makes_the_same_of_avro_as_of_examples(tmp_path)
    (tmp_path / "projected").mkdir()
    transform.test_transform_takes_a_projection(tmp_path / "projected")


def test_transform_fails_on_tfx_bsls_own(tmp_path):
    source = theirs.ParquetTFXIO(str(tmp_path / "x.parquet"), schema=SCHEMA)
    pair(tmp_path)
    with pytest.raises(Exception, match="schema"):
        transform.transformed(source, tmp_path / "out")


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["types of the file", "tfmd"])
@pytest.mark.parametrize(("batch_size", "most"), [(None, 1000), (7, 7)])
def test_pipelines_have_the_rows_of_the_files(tmp_path, schema, batch_size, most):
    source = pair(tmp_path, schema).ours
    (expected,) = source.RecordBatches(ALL)
    run(are_batches_of(source, expected, most), source.BeamSource(batch_size))


def promised(folder):
    """A file of the documented types of tfx_bsl, which both can read."""
    (batch,) = pair(folder).ours.RecordBatches(ALL)
    pq.write_table(pa.Table.from_batches([batch]), folder / "promised.parquet", row_group_size=13)
    return str(folder / "promised.parquet")


def types(batch):
    """The types of a batch. pyarrow calls the items of a list `element` when they come from a file."""
    return str(batch.schema.types).replace("element", "item")


def in_pipeline(source, folder):
    """The rows of a pipeline, and the types of its batches."""
    folder.mkdir()
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        found = pipeline | source.BeamSource(batch_size=10)
        lines = found | beam.FlatMap(lambda batch: [repr((types(batch), row)) for row in batch.to_pylist()])
        lines | beam.io.WriteToText(str(folder / "rows"), shard_name_template="")
    return sorted((folder / "rows").read_text().splitlines())


@pytest.mark.parametrize(
    "options", [{}, {"column_names": ["words", "id"]}, {"schema": SCHEMA}], ids=["plain", "columns", "tfmd"]
)
def test_both_read_files_of_the_promised_types_alike(tmp_path, options):
    path = promised(tmp_path)
    mine, other = ours.ParquetTFXIO(path, **options), theirs.ParquetTFXIO(path, **options)
    found = in_pipeline(mine, tmp_path / "ours")
    assert len(found) == ROWS
    assert found == in_pipeline(other, tmp_path / "theirs")
    if "column_names" in options:
        # The schema of tfx_bsl has all columns of the file, but its batches do not.
        assert mine.ArrowSchema().names == ["words", "id"]
    else:
        assert mine.ArrowSchema().equals(other.ArrowSchema())


@pytest.mark.parametrize("names", [None, ["words", "id"]])
def test_raw_records_are_those_of_tfx_bsl(tmp_path, names):
    path = spark(pair(tmp_path).rows, tmp_path / "x.parquet")
    found = []
    for number, module in enumerate((ours, theirs)):
        source = module.ParquetTFXIO(path, schema=SCHEMA, column_names=names)
        with beam.Pipeline(runner=FnApiRunner()) as pipeline:
            lines = pipeline | source.RawRecordBeamSource() | beam.Map(lambda row: repr(pickle.loads(row)))
            lines | beam.io.WriteToText(str(tmp_path / str(number)), shard_name_template="")
        found.append(sorted((tmp_path / str(number)).read_text().splitlines()))
    assert len(found[0]) == ROWS
    assert found[0] == found[1]


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["types of the file", "tfmd"])
def test_raw_records_become_the_batches_of_the_files(tmp_path, schema):
    source = pair(tmp_path, schema).ours
    (expected,) = source.RecordBatches(ALL)
    steps = source.RawRecordBeamSource(), source.RawRecordToRecordBatch(9)
    run(are_batches_of(source, expected, 9), *steps)


def test_column_names_are_a_part_of_the_schema(tmp_path):
    rows = pair(tmp_path).rows
    names = ["words", "nobody", "place", "id"]
    source = ours.ParquetTFXIO(str(tmp_path / "x.parquet"), schema=SCHEMA, column_names=names)
    assert source.ArrowSchema().names == ["words", "place", "id"]
    # The sparse tensor needs a column that is not read.
    assert source.TensorRepresentations().keys() == {"words", "id"}
    (batch,) = source.RecordBatches(ALL)
    assert batch.schema.equals(source.ArrowSchema())
    assert batch["id"].to_pylist() == [[row["id"]] for row in rows]
    assert source.TensorAdapter().ToBatchTensors(batch).keys() == {"words", "id"}


def test_a_feature_that_a_file_does_not_have_is_null(tmp_path):
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "a.parquet")
    source = ours.ParquetTFXIO(str(tmp_path / "*.parquet"), schema=SCHEMA).Project(["words", "id"])
    (batch,) = source.RecordBatches(ALL)
    assert batch.to_pydict() == {"id": [[1], [2]], "words": [None, None]}


def test_without_a_schema_files_of_other_columns_are_errors(tmp_path):
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": [1.5]}), tmp_path / "b.parquet")
    source = ours.ParquetTFXIO(str(tmp_path / "*.parquet"))
    with pytest.raises(ValueError, match=r'b\.parquet: .*column "id" to be Int64, found "id" as Float64'):
        list(source.RecordBatches(ALL))
    expected = r'b\.parquet: expected the columns of .*: column "id" to be Int64, found "id" as Float64'
    with pytest.raises(Exception, match=expected), beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | source.BeamSource()


def test_files_are_looked_for_when_the_pipeline_is_built(tmp_path):
    pattern = str(tmp_path / "*.parquet")
    with pytest.raises(FileNotFoundError, match="expected files that match this glob, found none"):
        ours.ParquetTFXIO(pattern, schema=SCHEMA).BeamSource()
    assert ours.ParquetTFXIO(pattern, schema=SCHEMA, validate=False).BeamSource() is not None


def test_arguments_are_those_of_tfx_bsl(tmp_path):
    options = {"column_names": None, "min_bundle_size": 1 << 20, "schema": SCHEMA, "validate": False}
    for module in (ours, theirs):
        source = module.ParquetTFXIO(str(tmp_path), telemetry_descriptors=["a"], **options)
        assert source.raw_record_column_name is None
        assert source.telemetry_descriptors == ["a"]
        assert not source.SupportAttachingRawRecords()
        assert source.TensorRepresentations().keys() == pair_names()


def pair_names():
    """The tensors of the schema."""
    sparse = {"place", "value"}
    return {feature.name for feature in SCHEMA.feature} - sparse | {"sparse"}
