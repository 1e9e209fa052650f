"""Beam transforms read any filesystem that Beam knows, such as one whose reads are short."""

import io
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from apache_beam.io.filesystem import FileMetadata
from apache_beam.io.localfilesystem import LocalFileSystem
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to
from beam_files import ROWS, rows, write
from beam_files import SCHEMA as AVRO
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

import arrowfeed as af
from arrowfeed import beam as avro
from arrowfeed import tfxio


class ShortReads(io.FileIO):
    """A file whose reads return a few bytes."""

    def read(self, size: int = -1) -> bytes:
        return super().read(size if size < 0 else min(size, 1000))


class Shelf(LocalFileSystem):
    """Files of one directory as `shelf://name`."""

    root: Path

    @classmethod
    def scheme(cls) -> str:
        return "shelf"

    def has_dirs(self) -> bool:
        return False

    def _list(self, _prefix: str) -> list[FileMetadata]:
        return [FileMetadata(f"shelf://{path.name}", path.stat().st_size) for path in self.root.iterdir()]

    def exists(self, path: str) -> bool:
        return self._path(path).exists()

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, self._path(path).stat().st_size)

    def open(self, path: str, *_arguments: object, **_options: object) -> ShortReads:
        return ShortReads(self._path(path))

    def _path(self, url: str) -> Path:
        return self.root / url.removeprefix("shelf://")


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.setattr(Shelf, "root", tmp_path, raising=False)
    for number, codec in enumerate(["null", "deflate", "zstandard"]):
        write(tmp_path / f"part-{number}.avro", start=number * ROWS, codec=codec, block_bytes=3000)
    return tmp_path


@pytest.mark.parametrize("split_bytes", [5000, 64 << 20])
def test_every_row_of_a_filesystem_is_read_once(shelf, split_bytes):
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        batches = pipeline | beam.Create(["shelf://part-*.avro"]) | avro.ReadAll(split_bytes=split_bytes)
        rows = batches | beam.FlatMap(lambda batch: batch.column("id").to_pylist())
        assert_that(rows, equal_to(list(range(3 * ROWS))))


def test_an_error_of_a_pipeline_has_the_url(shelf):
    (shelf / "part-1.avro").write_bytes(b"no file of a known format")
    pipeline = beam.Pipeline(runner=FnApiRunner())
    _ = pipeline | beam.Create(["shelf://part-*.avro"]) | avro.ReadAll()
    with pytest.raises(af.FormatError, match="shelf://part-1.avro: expected the magic bytes"):
        pipeline.run()


SCHEMA = text_format.Parse('feature { name: "id" type: INT }', schema_pb2.Schema())
SOURCES = {
    "avro": lambda pattern: tfxio.AvroRecord(pattern, schema=SCHEMA, reader_schema=AVRO),
    "parquet": lambda pattern: tfxio.ParquetTFXIO(pattern, schema=SCHEMA),
    "tfrecord": lambda pattern: tfxio.TFExampleRecord(pattern, schema=SCHEMA),
    "csv": lambda pattern: tfxio.CsvTFXIO(pattern, ["id", "text"], schema=SCHEMA, skip_header_lines=1),
}


def write_part(folder, form, number):
    """Writes a file. The Avro files exist already."""
    table, path = pa.Table.from_batches([rows(number * ROWS, ROWS)]), folder / f"part-{number}.{form}"
    if form == "parquet":
        pq.write_table(table, path)
    elif form == "tfrecord":
        af.write_tfrecord(table, path)
    elif form == "csv":
        pyarrow.csv.write_csv(table.select(["id", "text"]), path)


@pytest.mark.parametrize("form", SOURCES)
def test_sources_of_tfx_read_every_row_once(shelf, form):
    for number in range(2):
        write_part(shelf, form, number)
    files = 3 if form == "avro" else 2
    for pattern in (f"shelf://*.{form}", [f"shelf://part-{number}.{form}" for number in range(files)]):
        with beam.Pipeline(runner=FnApiRunner()) as pipeline:
            batches = pipeline | SOURCES[form](pattern).BeamSource()
            ids = batches | beam.FlatMap(lambda batch: batch.column("id").flatten().to_pylist())
            assert_that(ids, equal_to(list(range(files * ROWS))))


@pytest.mark.parametrize("form", ["tfrecord", "csv", "parquet"])
def test_a_missing_file_has_its_url(shelf, form):
    with pytest.raises(FileNotFoundError) as caught:
        SOURCES[form](f"shelf://none.{form}").BeamSource()
    assert str(caught.value) == f"[Errno 2] expected a file, found none: 'shelf://none.{form}'"


@pytest.mark.parametrize("form", ["tfrecord", "csv", "parquet"])
def test_each_file_of_a_list_must_exist(shelf, form):
    write_part(shelf, form, 0)
    with pytest.raises(FileNotFoundError) as caught:
        SOURCES[form]([f"shelf://part-0.{form}", f"shelf://none.{form}"]).BeamSource()
    assert str(caught.value) == f"[Errno 2] expected a file, found none: 'shelf://none.{form}'"


@pytest.mark.parametrize("form", ["tfrecord", "csv", "parquet"])
def test_a_list_may_have_files_of_several_filesystems(shelf, form):
    for number in range(3):
        write_part(shelf, form, number)
    source = SOURCES[form]([f"shelf://part-0.{form}", str(shelf / f"part-[12].{form}")])
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        ids = (
            pipeline
            | source.BeamSource()
            | beam.FlatMap(lambda batch: batch.column("id").flatten().to_pylist())
        )
        assert_that(ids, equal_to(list(range(3 * ROWS))))
