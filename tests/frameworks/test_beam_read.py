"""Pipelines read each row of files once, and errors have a location."""

import pickle
import re

import apache_beam as beam
import fastavro
import pyarrow as pa
import pytest
from apache_beam.io.filesystem import FileMetadata
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to
from beam_files import ROWS, ids, rows, write

import arrowfeed as af
from arrowfeed import beam as avro


def run(source: beam.PTransform, check: object, given: list | None = None) -> object:
    """Checks the batches of a source, in a runner of this process."""
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        start = pipeline if given is None else pipeline | beam.Create(given)
        assert_that(start | source | beam.Map(lambda batch: [batch]), check)
    return pipeline.result


def has(expected: list[int], most: int = 8192) -> object:
    """Checks that each row occurs once, in batches of a maximum size."""

    def check(found: list) -> None:
        batches = [batch for (batch,) in found]
        assert sorted(ids(batches)) == expected
        assert all(0 < batch.num_rows <= most for batch in batches)

    return check


@pytest.fixture
def folder(tmp_path):
    for number, codec in enumerate(["null", "deflate", "snappy", "zstandard"]):
        write(tmp_path / f"part-{number}.avro", start=number * ROWS, codec=codec)
    return tmp_path


EVERY = list(range(4 * ROWS))


@pytest.mark.parametrize("split_bytes", [200, 7777, 20_000, 64 << 20])
def test_read_all_reads_every_row_once(folder, split_bytes):
    run(avro.ReadAll(split_bytes=split_bytes), has(EVERY), [str(folder / "*.avro")])


def test_the_direct_runner_reads_every_row_once(folder):
    with beam.Pipeline(runner="DirectRunner") as pipeline:
        batches = pipeline | avro.ReadFromDataset(folder, split_bytes=5000)
        assert_that(batches | beam.FlatMap(lambda batch: batch.column("id").to_pylist()), equal_to(EVERY))


@pytest.mark.parametrize("form", [str, lambda folder: f"{folder}/", lambda folder: f"file://{folder}"])
def test_a_directory_is_its_avro_files(folder, form):
    (folder / "notes.txt").write_text("no Avro")
    run(avro.ReadAll(), has(EVERY), [form(folder)])


@pytest.mark.parametrize("pattern", ["part-*.avro", ".", "./part-?.avro", ["part-0.avro", "part-[1-3].avro"]])
def test_patterns_may_be_relative(folder, monkeypatch, pattern):
    monkeypatch.chdir(folder)
    run(avro.ReadAll(), has(EVERY), pattern if isinstance(pattern, list) else [pattern])


def test_patterns_and_files_of_a_collection_are_read(folder):
    path = folder / "part-1.avro"
    given = [str(folder / "part-0.avro"), FileMetadata(str(path), path.stat().st_size)]
    run(avro.ReadAll(), has(EVERY[: 2 * ROWS]), given)


def test_options_are_those_of_the_dataset(folder):

    options = {"columns": ["tags", "id"], "batch_size": 7, "encoding": "tfx"}

    def check(found: list) -> None:
        whole = pa.table(af.read_avro(folder / "part-0.avro", **{**options, "batch_size": ROWS}))
        batches = [batch for (batch,) in found]
        assert all(batch.schema.equals(whole.schema) for batch in batches)
        assert max(batch.num_rows for batch in batches) == 7

    run(avro.ReadAll(**options), check, [str(folder / "part-0.avro")])


def test_files_of_several_schemas_are_resolved(tmp_path):
    write(tmp_path / "new.avro", count=5)
    af.write_avro(rows(5, 5).select(["id"]), tmp_path / "old.avro")
    fields = [{"name": "id", "type": "long"}, {"name": "text", "type": "string", "default": "?"}]
    schema = {"type": "record", "name": "Row", "fields": fields}

    def check(found: list) -> None:
        texts = {n: text for (batch,) in found for n, text in zip(*batch.to_pydict().values(), strict=True)}
        assert texts == {n: f"row {n}" if n < 5 else "?" for n in range(10)}

    run(avro.ReadAll(reader_schema=schema), check, [str(tmp_path)])


def test_files_of_other_writers_are_read(tmp_path):
    schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
    with (tmp_path / "x.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"id": n} for n in range(5000)], codec="deflate", sync_interval=100)
    run(avro.ReadAll(split_bytes=1000), has(list(range(5000))), [str(tmp_path)])


def test_a_file_without_rows_gives_no_batch(tmp_path):
    write(tmp_path / "x.avro", count=0)
    run(avro.ReadAll(), has([]), [str(tmp_path)])


def failure(source: beam.PTransform, given: list | None = None) -> str:
    """The error message of a pipeline."""
    with pytest.raises((af.ArrowfeedError, RuntimeError)) as caught:
        run(source, has([]), given)
    return str(caught.value)


def test_a_pattern_without_files_is_not_found(tmp_path):
    message = failure(avro.ReadAll(), [str(tmp_path / "*.avro")])
    expected = f"[Errno 2] expected files that match this glob, found none: '{tmp_path}/*.avro'"
    assert expected in message


def test_a_corrupt_block_is_named_with_its_file(folder):
    path = folder / "part-0.avro"
    data = path.read_bytes()
    place = data.index(b"row 2000")
    path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    message = failure(avro.ReadAll(split_bytes=10_000), [str(folder)])
    with pytest.raises(af.CorruptBlockError) as whole:
        ids(af.read_avro(path))
    expected = re.escape(str(whole.value)).replace(f"block\\ {whole.value.block}\\ ", r"block \d+ ")
    assert re.search(expected, message)


def test_an_empty_file_is_no_avro_file(tmp_path):
    (tmp_path / "x.avro").write_bytes(b"")
    expected = f"{tmp_path}/x.avro: expected an Avro object container file, found an empty file"
    assert expected in failure(avro.ReadAll(), [str(tmp_path)])


def counters(result: object) -> dict[str, int]:
    """The counters of a pipeline."""
    found = result.metrics().query(beam.metrics.MetricsFilter().with_namespace("arrowfeed"))
    return {counter.key.metric.name: counter.committed for counter in found["counters"]}


def test_skipped_blocks_are_left_out_and_counted(tmp_path, caplog):
    path = write(tmp_path / "x.avro")
    data = path.read_bytes()
    place = data.index(b"row 2000")
    path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    expected = ids(af.read_avro(path, on_error="skip_block"))
    result = run(avro.ReadAll(on_error="skip_block", split_bytes=10_000), has(expected), [str(path)])
    assert 0 < len(expected) < ROWS
    found = counters(result)
    assert (found["rows"], found["skipped_blocks"]) == (len(expected), 1)
    reader = af.read_avro(path, on_error="skip_block")
    ids(reader)
    (skipped,) = reader.report()["skipped"]
    expected = re.sub(r"block \d+ ", r"block \\d+ ", re.escape(skipped["error"]).replace("\\ ", " "))
    assert re.search(f"skipped a block: {expected}", caplog.text)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"colums": ["id"]}, TypeError, "ReadAll() got an unexpected keyword argument 'colums'"),
        ({"threads": 2}, TypeError, "ReadAll() got an unexpected keyword argument 'threads'"),
        ({"batch_size": 0}, ValueError, "batch_size: expected an integer of 1 or more, found 0"),
        ({"split_bytes": 0}, ValueError, "split_bytes: expected an integer of 1 or more, found 0"),
        (
            {"on_error": "skip_file"},
            ValueError,
            "on_error: expected 'raise' or 'skip_block', because a task reads a part of a file, found "
            "'skip_file'",
        ),
    ],
)
def test_wrong_options_are_refused_at_once(options, kind, message):
    with pytest.raises(kind) as caught:
        avro.ReadAll(**options)
    assert str(caught.value) == message


def test_readers_in_pipelines_can_be_pickled(folder):
    source = avro.ReadAll(columns=["id"], limits=af.Limits(schema_depth=9))
    run(pickle.loads(pickle.dumps(source)), has(EVERY), [str(folder)])
