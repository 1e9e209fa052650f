"""`AvroRecord` and `AvroBeamRecord` work in pipelines, with files and with records in memory."""

import io
import pickle

import apache_beam as beam
import fastavro
import pyarrow as pa
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that
from avro_record_cases import AVRO, ROWS, SCHEMA, pair, rows

import arrowfeed as af
from arrowfeed import tfxio

IN_ORDER = tfxio.RecordBatchesOptions(1000, num_epochs=1, shuffle=False)


def encoded(row: dict) -> bytes:
    """A row as a raw record."""
    file = io.BytesIO()
    fastavro.schemaless_writer(file, AVRO, row)
    return file.getvalue()


def run(check: object, *transforms: beam.PTransform, given: list | None = None) -> None:
    """Checks the outputs of a pipeline of transforms."""
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        found = pipeline if given is None else pipeline | beam.Create(given)
        for number, transform in enumerate(transforms):
            found = found | str(number) >> transform
        assert_that(found | beam.Map(lambda element: [element]), check)


def are_batches_of(source: tfxio.TFXIO, expected: pa.RecordBatch, most: int) -> object:
    """Checks that batches have the schema of a source and the rows of another batch, in any order."""

    def check(found: list) -> None:
        batches = [batch for (batch,) in found]
        assert all(batch.schema.equals(source.ArrowSchema()) for batch in batches)
        assert all(0 < batch.num_rows <= most for batch in batches)
        given = [row for batch in batches for row in batch.to_pylist()]
        assert sorted(given, key=str) == sorted(expected.to_pylist(), key=str)

    return check


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["avro", "tfmd"])
@pytest.mark.parametrize(("batch_size", "most"), [(None, 1000), (7, 7)])
def test_a_source_has_the_rows_of_its_files(tmp_path, schema, batch_size, most):
    source = pair(tmp_path, schema).ours
    (expected,) = source.RecordBatches(IN_ORDER)
    run(are_batches_of(source, expected, most), source.BeamSource(batch_size))


@pytest.mark.parametrize("batch_size", [None, 7])
def test_a_source_with_raw_records_has_them_beside_their_rows(tmp_path, batch_size):
    source = pair(tmp_path, raw_record_column_name="raw").ours
    (expected,) = source.RecordBatches(IN_ORDER)
    assert expected.schema.names[-1] == "raw"
    run(are_batches_of(source, expected, 1000), source.BeamSource(batch_size))


def test_a_source_is_its_raw_records_made_batches(tmp_path):
    source = pair(tmp_path).ours
    (expected,) = source.RecordBatches(IN_ORDER)
    steps = source.RawRecordBeamSource(), source.RawRecordToRecordBatch(9)
    run(are_batches_of(source, expected, 9), *steps)


def test_raw_records_are_those_of_the_files(tmp_path):
    source, _, written = pair(tmp_path)

    def check(found: list) -> None:
        decoded = [fastavro.schemaless_reader(io.BytesIO(record), AVRO, None) for (record,) in found]
        assert sorted(decoded, key=lambda row: row["id"]) == written

    run(check, source.RawRecordBeamSource())


def test_a_projection_reads_its_columns(tmp_path):
    source = pair(tmp_path).ours.Project(["words", "id"])
    (expected,) = source.RecordBatches(IN_ORDER)
    assert expected.schema.names == ["id", "words"]
    run(are_batches_of(source, expected, 1000), source.BeamSource())


@pytest.mark.parametrize("raw", [None, "raw"])
@pytest.mark.parametrize("names", [None, ["sparse", "id"]])
def test_records_of_a_pipeline_are_those_of_a_file(tmp_path, raw, names):
    files, _, written = pair(tmp_path, raw_record_column_name=raw)
    records = tfxio.AvroBeamRecord("bytes", schema=SCHEMA, raw_record_column_name=raw, avro_schema=AVRO)
    given = [encoded(row) for row in written]
    if names is not None:
        files, records = files.Project(names), records.Project(names)
    (expected,) = files.RecordBatches(IN_ORDER)
    if raw is not None:
        expected = expected.set_column(
            expected.num_columns - 1,
            raw,
            pa.array([[one] for one in given], pa.large_list(pa.large_binary())),
        )
    run(are_batches_of(records, expected, 8), records.BeamSource(8), given=given)


def test_the_beam_source_of_avro_can_be_pickled(tmp_path):
    source = pair(tmp_path, raw_record_column_name="raw").ours
    (expected,) = source.RecordBatches(IN_ORDER)
    run(are_batches_of(source, expected, 1000), pickle.loads(pickle.dumps(source.BeamSource())))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda record: record[:-1],
            "byte 46, record 3: value: expected an item count, 0 bytes left",
        ),
        (
            lambda record: record + b"\x00",
            "byte 56, record 3: expected the end of the record, found 1 more byte",
        ),
    ],
    ids=["short", "long"],
)
def test_a_record_that_is_none_of_the_schema_is_named_by_its_number(change, message):
    given = [encoded(row) for row in rows(5, 0)]
    given[3] = change(given[3])
    source = tfxio.AvroBeamRecord("bytes", schema=SCHEMA, avro_schema=AVRO)
    with pytest.raises(af.ArrowfeedError) as caught:
        run(lambda _: None, source.BeamSource(5), given=given)
    assert str(caught.value).startswith(f"raw records: {message}")


def test_an_empty_collection_gives_no_batch():
    source = tfxio.AvroBeamRecord("bytes", avro_schema=AVRO)

    def check(found: list) -> None:
        assert found == []

    run(check, source.BeamSource(), given=[])


def test_a_missing_file_is_found_when_the_pipeline_is_built(tmp_path):
    with pytest.raises(FileNotFoundError):
        tfxio.AvroRecord(str(tmp_path / "*.avro")).BeamSource()


def test_the_number_of_rows_is_the_expected_one(tmp_path):
    assert sum(batch.num_rows for batch in pair(tmp_path).ours.RecordBatches(IN_ORDER)) == ROWS
