"""The CSV cases in the wheel of tfx_bsl pass on the CSV sources of arrowfeed."""

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.testing.util import assert_that, equal_to
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.coders import csv_decoder_test

from arrowfeed import tfxio

CASES = {case["testcase_name"]: case for case in csv_decoder_test._TEST_CASES}


def source_of(case):
    """The source of a case, and its records."""
    names = ("delimiter", "schema", "multivalent_columns", "secondary_delimiter", "raw_record_column_name")
    options = {name: case[name] for name in names if name in case}
    blank = case.get("skip_blank_lines", False)
    lines = [line if isinstance(line, bytes) else line.encode() for line in case["input_lines"]]
    return tfxio.BeamRecordCsvTFXIO("text", case["column_names"], skip_blank_lines=blank, **options), lines


def differences(found):
    """The names of the cases whose batches differ from those that tfx_bsl expects."""
    wrong = []
    batches = dict(found)
    for name, case in CASES.items():
        expected = case["expected_record_batch"]
        made = batches.get(name, [])
        if made != expected:
            wrong.append((name, str(expected), str(made)))
    return wrong


def test_each_case_gives_the_batch_that_tfx_bsl_expects():
    assert len(CASES) == 30

    def check(found):
        wrong = differences(found)
        assert not wrong, wrong

    with beam.Pipeline() as pipeline:
        made = []
        for name, case in CASES.items():
            source, lines = source_of(case)
            records = pipeline | f"{name} records" >> beam.Create(lines, reshuffle=False)
            batches = records | f"{name} batches" >> source.RawRecordToRecordBatch(1000)
            made.append(batches | f"{name}" >> beam.Map(lambda batch, name=name: (name, batch)))
        assert_that(made | beam.Flatten(), check)


@pytest.mark.parametrize("lines", [["|,test"], ["|,test", ",a", "||,b"]])
def test_a_column_of_empty_values_of_files_is_null_too(lines, tmp_path):
    (tmp_path / "rows.csv").write_text("".join(f"{line}\n" for line in lines))
    several = {"multivalent_columns": ["f1"], "secondary_delimiter": "|"}
    source = tfxio.CsvTFXIO(str(tmp_path / "rows.csv"), ["f1", "f2"], **several)
    texts = pa.array([[line.partition(",")[2].encode()] for line in lines], pa.large_list(pa.large_binary()))
    expected = pa.RecordBatch.from_arrays([pa.nulls(len(lines)), texts], ["f1", "f2"])
    assert source.ArrowSchema() == expected.schema
    assert list(source.RecordBatches(tfxio.RecordBatchesOptions(10, num_epochs=1, shuffle=False))) == [
        expected
    ]
    [tensors] = source.TensorFlowDataset(tfxio.TensorFlowDatasetOptions(10, num_epochs=1, shuffle=False))
    assert list(tensors) == ["f2"]
    with beam.Pipeline() as pipeline:
        assert_that(pipeline | source.BeamSource(), equal_to([expected]))
    kept = tfxio.CsvTFXIO(str(tmp_path / "rows.csv"), ["f1", "f2"], raw_record_column_name="raw", **several)
    [batch] = kept.RecordBatches(tfxio.RecordBatchesOptions(10, num_epochs=1, shuffle=False))
    assert batch.schema.types[0] == pa.null()
    assert batch["raw"].to_pylist() == [[line.encode()] for line in lines]


def test_empty_values_are_texts_if_other_records_have_values():
    """Each record is a batch, and the types of each batch are inferred separately."""
    several = {"multivalent_columns": ["f1"], "secondary_delimiter": "|"}
    source = tfxio.BeamRecordCsvTFXIO("text", ["f1", "f2"], **several)
    with beam.Pipeline() as pipeline:
        records = pipeline | beam.Create([b"|,1", b"1|2,3"], reshuffle=False)
        rows = records | source.RawRecordToRecordBatch(1) | beam.FlatMap(lambda batch: batch.to_pylist())
        assert_that(rows, equal_to([{"f1": [b"", b""], "f2": [1]}, {"f1": [b"1", b"2"], "f2": [3]}]))


@pytest.mark.parametrize("schema", [None, 'feature { name: "f2" type: INT }'])
def test_the_column_of_records_needs_a_name_of_its_own(schema):
    schema = schema and text_format.Parse(schema, schema_pb2.Schema())
    source = tfxio.BeamRecordCsvTFXIO("text", ["f1", "f2"], schema=schema, raw_record_column_name="f1")
    expected = (
        "raw_record_column_name: f1 is already an existing column name. Please choose a different name."
    )
    for made in (source.RawRecordToRecordBatch, source.BeamSource):
        with pytest.raises(ValueError, match=f"^{expected}$"):
            made()
