"""`len` of an iterator is the number of its batches, if no long scan of the files is needed."""

from __future__ import annotations

import io
import sys
import types

import pyarrow as pa
import pyarrow.parquet
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense

UNKNOWN = "the number of batches is unknown before a scan of the files: call num_batches of the dataset"
LARGE = (64 << 20) + 1
"""Number of bytes above which no file is scanned for the number."""


def avro(rows: int = 10) -> bytes:
    """An Avro file."""
    file = io.BytesIO()
    af.write_avro(pa.table({"id": range(rows)}), file)
    return file.getvalue()


@pytest.fixture
def many(tmp_path):
    """The paths of 101 Avro files of one row."""
    paths = [tmp_path / f"{number}.avro" for number in range(101)]
    for path in paths:
        path.write_bytes(avro(1))
    return paths


def length(iterator) -> int | str:
    """The length of an iterator, or the message of the error."""
    try:
        return len(iterator)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drop_remainder": True},
        {"epochs": 3},
        {"epochs": 3, "across_epochs": True},
        {"shard": (1, 3)},
        {"shuffle_buffer_size": 4, "seed": 1},
        {"start_epoch": 2},
    ],
)
def test_the_length_is_the_number_of_all_batches(options):
    dataset = af.AvroDataset(avro(), representations={"id": Dense("id")})
    for iterate in (dataset.record_batches, dataset.tensors):
        batches = iterate(batch_size=4, **options)
        expected = dataset.num_batches(batch_size=4, **options)
        assert len(batches) == expected
        next(batches)
        assert (len(batches), len(list(batches)), len(batches)) == (expected, expected - 1, expected)


def test_a_loaded_state_does_not_change_the_length():
    dataset = af.AvroDataset(avro())
    before, after = (dataset.record_batches(batch_size=4) for _ in range(2))
    next(before)
    after.load_state_dict(before.state_dict())
    assert (len(after), len(list(after))) == (3, 2)


def test_an_iterator_is_true_whatever_its_length():
    dataset = af.AvroDataset(avro())
    for batches in (
        dataset.take(0).record_batches(batch_size=4),
        dataset.record_batches(batch_size=4),
        dataset.record_batches(batch_size=4, epochs=None),
    ):
        assert bool(batches) is True


def test_the_length_says_why_it_is_unknown():
    dataset = af.AvroDataset(avro())
    endless = dataset.record_batches(batch_size=4, epochs=None)
    assert length(endless) == "an endless iteration has no number of batches"
    for on_error in ("skip_block", "skip_file"):
        skipping = dataset.record_batches(batch_size=4, on_error=on_error)
        assert length(skipping) == (
            "the number of batches is unknown, because on_error skips damaged rows: num_batches of the "
            "dataset counts the batches with these rows"
        )
        assert len(list(skipping)) == 3


def test_the_length_of_many_files_is_known_after_they_were_counted(many):
    assert len(af.AvroDataset(many[1:]).record_batches(batch_size=4)) == 25
    dataset = af.AvroDataset(many)
    batches = dataset.record_batches(batch_size=4)
    assert length(batches) == UNKNOWN
    assert len(list(dataset.record_batches(batch_size=4))) == 26
    assert dataset.num_rows == 101
    assert len(batches) == 26


def test_the_length_of_many_files_is_known_if_the_iteration_counts_them(many):
    dataset = af.AvroDataset(many)
    assert len(dataset.record_batches(batch_size=4, shard=(0, 2))) == 13
    dataset = af.AvroDataset(many)
    assert len(dataset.record_batches(batch_size=4, shuffle_buffer_size=8)) == 26
    assert len(af.AvroDataset(many).skip(1).record_batches(batch_size=4)) == 25


def test_the_length_of_a_large_avro_file_is_known_after_it_was_counted(tmp_path):
    path = tmp_path / "large.avro"
    af.write_avro(pa.table({"x": [bytes(LARGE)]}), path, codec="null")
    dataset = af.AvroDataset(path)
    assert length(dataset.record_batches(batch_size=4)) == UNKNOWN
    assert dataset.num_rows == 1
    assert len(dataset.record_batches(batch_size=4)) == 1


def test_the_length_of_a_large_parquet_file_is_in_its_footer(tmp_path):
    file = io.BytesIO()
    pa.parquet.write_table(pa.table({"id": range(10)}), file)
    content = file.getvalue()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    path = tmp_path / "large.parquet"
    with path.open("wb") as large:
        large.write(content[:footer])
        large.seek(LARGE)
        large.write(content[footer:])
    dataset = af.ParquetDataset(path)
    batches = dataset.record_batches(batch_size=4)
    assert (len(batches), len(list(batches))) == (3, 3)


def test_the_length_of_many_parquet_files_is_unknown(tmp_path):
    paths = [tmp_path / f"{number}.parquet" for number in range(101)]
    for path in paths:
        pa.parquet.write_table(pa.table({"id": [1]}), path)
    assert len(af.ParquetDataset(paths[1:]).record_batches(batch_size=4)) == 25
    assert length(af.ParquetDataset(paths).record_batches(batch_size=4)) == UNKNOWN


def test_the_length_of_a_damaged_file_is_unknown():
    batches = af.AvroDataset(avro()[:-1]).record_batches(batch_size=4)
    with pytest.raises(TypeError) as caught:
        len(batches)
    assert str(caught.value) == UNKNOWN
    assert isinstance(caught.value.__cause__, af.TruncatedError)
    with pytest.raises(af.TruncatedError):
        list(batches)


def test_the_length_of_an_iterator_of_jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", types.ModuleType("jax"))
    dataset = af.AvroDataset(avro(), representations={"id": Dense("id"), "a\x1b": Dense("id")})
    batches = dataset.to_jax(batch_size=4, epochs=2)
    assert (len(batches), bool(batches)) == (6, True)
    assert repr(batches) == r"<arrowfeed.JaxIterator of tensors id, a\u{1b}>"
    endless = dataset.to_jax(batch_size=4, epochs=None)
    assert (length(endless), bool(endless)) == ("an endless iteration has no number of batches", True)
