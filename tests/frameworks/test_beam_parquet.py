"""Pipelines read each row of Parquet files once, for any ranges."""

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.io.restriction_trackers import OffsetRange
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.sdf_utils import RestrictionTrackerView, ThreadsafeRestrictionTracker
from apache_beam.testing.util import assert_that, equal_to
from beam_files import ROWS, ids, rows

import arrowfeed as af
from arrowfeed import beam as parquet
from arrowfeed._engines.splits import SplitSource
from arrowfeed.beam._read import ReadDatasetRanges


def write(path, start=0):
    """Writes rows in row groups of 100."""
    pq.write_table(pa.Table.from_batches([rows(start, ROWS)]), path, row_group_size=100)
    return path


@pytest.mark.parametrize("split_bytes", [997, 5000, 1 << 30])
def test_every_row_of_parquet_files_is_read_once(tmp_path, split_bytes):
    for number in range(2):
        write(tmp_path / f"part-{number}.parquet", number * ROWS)
    schema = pa.schema({"id": pa.large_list(pa.int64())})
    read = parquet.ReadFromDataset(tmp_path, split_bytes=split_bytes, schema=schema, batch_size=64)
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        found = pipeline | read | beam.FlatMap(lambda batch: batch.column("id").flatten().to_pylist())
        assert_that(found, equal_to(list(range(2 * ROWS))))


def test_patterns_may_come_from_the_pipeline(tmp_path):
    path = write(tmp_path / "part.parquet")
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        found = pipeline | beam.Create([str(path)]) | parquet.ReadAll(columns=["id"])
        assert_that(found | beam.FlatMap(lambda batch: ids([batch])), equal_to(list(range(ROWS))))


@pytest.mark.parametrize("fraction", [0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("batches", [0, 1, 3, 20])
def test_a_range_is_split_while_it_is_read(tmp_path, fraction, batches):
    path = write(tmp_path / "part.parquet")
    size = path.stat().st_size
    read = ReadDatasetRanges(SplitSource(path, {}).reader(batch_size=30), None)
    todo, found, split = [OffsetRange(0, size)], [], False
    while todo:
        tracker = ThreadsafeRestrictionTracker(read.create_tracker(todo.pop()))
        reading = read.process(af.Split(path, 0, size), RestrictionTrackerView(tracker))
        for _ in range(batches):
            found += ids(filter(None, [next(reading, None)]))
        if not split and (parts := tracker.try_split(fraction)) is not None:
            split = True
            todo.append(parts[1].restriction() if hasattr(parts[1], "restriction") else parts[1])
        found += ids(reading)
        tracker.check_done()
    assert sorted(found) == list(range(ROWS))


def test_ranges_of_every_byte_have_every_row_once(tmp_path):
    path = tmp_path / "part.parquet"
    pq.write_table(pa.Table.from_batches([rows(0, 20)]).select(["id"]), path, row_group_size=5)
    dataset = af.ParquetDataset(path, columns=["id"])
    [whole] = dataset.plan_splits()
    size = whole.end
    parts = [dataset.read_split(af.Split(path, at, at + 1)) for at in range(size)]
    assert [number for part in parts for number in ids(part)] == list(range(20))
    # There is no row group behind the last page.
    with pytest.raises(af.ChangedError):
        dataset.read_split(af.Split(path, size + 1, size + 2))


def test_errors_name_file_and_row_group(tmp_path):
    path = write(tmp_path / "part.parquet")
    narrow = pa.schema({"id": pa.int8()})
    place = r"part\.parquet: block \d+ at byte [\d,]+, record 28: id"
    expected = f"{place}: expected a value that Int8 can hold, found 128"
    with pytest.raises(Exception, match=expected), beam.Pipeline(runner=FnApiRunner()) as pipeline:
        _ = pipeline | beam.Create([str(path)]) | parquet.ReadAll(schema=narrow)
