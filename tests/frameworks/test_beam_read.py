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
def test_every_row_is_read_once(folder, split_bytes):
    run(avro.ReadAvro(str(folder / "*.avro"), split_bytes=split_bytes), has(EVERY))


def test_the_direct_runner_reads_every_row_once(folder):
    with beam.Pipeline(runner="DirectRunner") as pipeline:
        batches = pipeline | avro.ReadAvro(folder, split_bytes=5000)
        assert_that(batches | beam.FlatMap(lambda batch: batch.column("id").to_pylist()), equal_to(EVERY))


@pytest.mark.parametrize("form", [str, lambda folder: f"{folder}/", lambda folder: f"file://{folder}"])
def test_a_directory_is_its_avro_files(folder, form):
    (folder / "notes.txt").write_text("no Avro")
    run(avro.ReadAvro(form(folder)), has(EVERY))


@pytest.mark.parametrize("pattern", ["part-*.avro", ".", "./part-?.avro", ["part-0.avro", "part-[1-3].avro"]])
def test_patterns_may_be_relative(folder, monkeypatch, pattern):
    monkeypatch.chdir(folder)
    run(avro.ReadAvro(pattern), has(EVERY))


def test_patterns_and_files_of_a_collection_are_read(folder):
    path = folder / "part-1.avro"
    given = [str(folder / "part-0.avro"), FileMetadata(str(path), path.stat().st_size)]
    run(avro.ReadAllAvro(), has(EVERY[: 2 * ROWS]), given)


def test_options_are_those_of_read_avro(folder):

    options = {"columns": ["tags", "id"], "batch_size": 7, "encoding": "tfx"}

    def check(found: list) -> None:
        whole = pa.table(af.read_avro(folder / "part-0.avro", **{**options, "batch_size": ROWS}))
        batches = [batch for (batch,) in found]
        assert all(batch.schema.equals(whole.schema) for batch in batches)
        assert max(batch.num_rows for batch in batches) == 7

    run(avro.ReadAvro(folder / "part-0.avro", **options), check)


def test_files_of_several_schemas_are_resolved(tmp_path):
    write(tmp_path / "new.avro", count=5)
    af.write_avro(rows(5, 5).select(["id"]), tmp_path / "old.avro")
    fields = [{"name": "id", "type": "long"}, {"name": "text", "type": "string", "default": "?"}]
    schema = {"type": "record", "name": "Row", "fields": fields}

    def check(found: list) -> None:
        texts = {n: text for (batch,) in found for n, text in zip(*batch.to_pydict().values(), strict=True)}
        assert texts == {n: f"row {n}" if n < 5 else "?" for n in range(10)}

    run(avro.ReadAvro(tmp_path, reader_schema=schema), check)


def test_files_of_other_writers_are_read(tmp_path):
    schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
    with (tmp_path / "x.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"id": n} for n in range(5000)], codec="deflate", sync_interval=100)
    run(avro.ReadAvro(tmp_path, split_bytes=1000), has(list(range(5000))))


def test_a_file_without_rows_gives_no_batch(tmp_path):
    write(tmp_path / "x.avro", count=0)
    run(avro.ReadAvro(tmp_path), has([]))


def failure(source: beam.PTransform, given: list | None = None) -> str:
    """The error message of a pipeline."""
    with pytest.raises((af.ArrowfeedError, RuntimeError)) as caught:
        run(source, has([]), given)
    return str(caught.value)


def test_a_pattern_without_files_is_not_found(tmp_path):
    message = failure(avro.ReadAvro([str(tmp_path / "*.avro")]))
    expected = f"[Errno 2] expected files that match this pattern, found none: '{tmp_path}/*.avro'"
    assert expected in message


def test_a_corrupt_block_is_named_with_its_file(folder):
    path = folder / "part-0.avro"
    data = path.read_bytes()
    place = data.index(b"row 2000")
    path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
    message = failure(avro.ReadAvro(folder, split_bytes=10_000))
    with pytest.raises(af.CorruptBlockError) as whole:
        ids(af.read_avro(path))
    expected = re.escape(str(whole.value)).replace(f"block\\ {whole.value.block}\\ ", r"block \d+ ")
    assert re.search(expected, message)


def test_an_empty_file_is_no_avro_file(tmp_path):
    (tmp_path / "x.avro").write_bytes(b"")
    expected = f"{tmp_path}/x.avro: expected an Avro object container file, found an empty file"
    assert expected in failure(avro.ReadAvro(tmp_path))


def test_a_file_that_got_shorter_has_changed(tmp_path):
    path = write(tmp_path / "x.avro", count=50)
    length = path.stat().st_size
    message = failure(avro.ReadAllAvro(), [FileMetadata(str(path), length + 1)])
    expected = f"{path}: expected a file of {length + 1:,} bytes or more, found its end at byte {length:,}"
    assert expected in message


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
    result = run(avro.ReadAvro(path, on_error="skip_block", split_bytes=10_000), has(expected))
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
        ({"colums": ["id"]}, TypeError, "ReadAvro() got an unexpected keyword argument 'colums'"),
        ({"threads": 2}, TypeError, "ReadAvro() got an unexpected keyword argument 'threads'"),
        ({"batch_size": 0}, ValueError, "batch_size: expected an integer of 1 or more, found int 0"),
        ({"split_bytes": 0}, ValueError, "split_bytes: expected an integer of 1 or more, found int 0"),
        (
            {"on_error": "skip_file"},
            ValueError,
            "on_error: expected 'raise' or 'skip_block', because Beam reads parts of files, found "
            "'skip_file'",
        ),
    ],
)
def test_wrong_options_are_refused_at_once(options, kind, message):
    with pytest.raises(kind) as caught:
        avro.ReadAvro("x.avro", **options)
    assert str(caught.value) == message


def test_no_pattern_is_refused():
    with pytest.raises(ValueError, match="^file_pattern: expected one or more patterns, found none$"):
        avro.ReadAvro([])


def test_what_reads_can_be_pickled(folder):
    source = avro.ReadAvro(folder, columns=["id"], limits=af.Limits(schema_depth=9))
    run(pickle.loads(pickle.dumps(source)), has(EVERY))
