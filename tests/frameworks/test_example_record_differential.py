"""`TFExampleRecord` returns the results of tfx_bsl for the same files. Reuses the tests of `AvroRecord`."""

import avro_record_cases
import pytest
import test_avro_record_differential as differential
import test_avro_record_transform as transform
from avro_record_cases import ROWS, example
from test_avro_record_differential import (
    test_a_feature_that_is_declared_twice_is_the_first_one,
    test_a_label_that_is_no_tensor_is_refused_with_the_same_words,
    test_a_raw_record_column_that_collides_is_refused_with_the_same_words,
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

from arrowfeed import tfxio as ours

__all__ = [
    "test_a_feature_that_is_declared_twice_is_the_first_one",
    "test_a_label_that_is_no_tensor_is_refused_with_the_same_words",
    "test_a_raw_record_column_that_collides_is_refused_with_the_same_words",
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


def pair(folder, schema=avro_record_cases.SCHEMA, count=ROWS, seed=None, **options):
    """The sources of the same file."""
    made = avro_record_cases.pair(folder, schema, count, seed, **options)
    source = ours.TFExampleRecord(str(folder / "x.tfrecord"), schema=schema, **options)
    return made._replace(ours=source)


@pytest.fixture(autouse=True)
def _of_examples(monkeypatch):
    monkeypatch.setattr(differential, "pair", pair)
    monkeypatch.setattr(transform, "pair", pair)


def test_transform_makes_the_same_of_examples(tmp_path):
    transform.test_transform_makes_the_same_of_avro_as_of_examples(tmp_path)


@pytest.mark.parametrize("shuffle", [False, True])
def test_raw_examples_are_beside_their_rows(tmp_path, shuffle):
    mine, other, rows = pair(tmp_path, raw_record_column_name="raw")
    assert mine.ArrowSchema().equals(other.ArrowSchema())
    found = differential.batches(mine, ours, shuffle=shuffle)
    assert sum(batch.num_rows for batch in found) == ROWS
    for batch in found:
        assert batch.schema.equals(mine.ArrowSchema())
        numbers = batch.column("id").flatten().to_pylist()
        for number, (raw,) in zip(numbers, batch.column("raw").to_pylist(), strict=True):
            assert raw == example(rows[number])


def test_without_a_schema_the_columns_are_those_of_all_records(tmp_path):
    pair(tmp_path)
    source = ours.TFExampleRecord(str(tmp_path / "x.tfrecord"))
    assert source.ArrowSchema().names == sorted(
        field["name"] for field in avro_record_cases.AVRO["fields"] if field["name"] != "unused"
    )
    found = differential.batches(source, ours)
    assert all(batch.schema.equals(source.ArrowSchema()) for batch in found)
    with pytest.raises(ValueError, match="TFMD schema not provided"):
        ours.TFExampleBeamRecord("queue").ArrowSchema()
