"""Any file system that Beam knows will do: here one of the test's own, whose reads are short."""

import io
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.io.filesystem import FileMetadata
from apache_beam.io.localfilesystem import LocalFileSystem
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.testing.util import assert_that, equal_to
from beam_files import ROWS, write

import arrowfeed as af
from arrowfeed import beam as avro


class ShortReads(io.FileIO):
    """A file that gives a few bytes at a time."""

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

    def open(self, path: str, *_arguments: object, **_options: object) -> ShortReads:
        return ShortReads(self.root / path.removeprefix("shelf://"))


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.setattr(Shelf, "root", tmp_path, raising=False)
    for number, codec in enumerate(["null", "deflate", "zstandard"]):
        write(tmp_path / f"part-{number}.avro", start=number * ROWS, codec=codec, block_bytes=3000)
    return tmp_path


@pytest.mark.parametrize("split_bytes", [5000, 64 << 20])
def test_every_row_is_read_once(shelf, split_bytes):
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        batches = pipeline | avro.ReadAvro("shelf://part-*.avro", split_bytes=split_bytes)
        rows = batches | beam.FlatMap(lambda batch: batch.column("id").to_pylist())
        assert_that(rows, equal_to(list(range(3 * ROWS))))


def test_an_error_has_the_url(shelf):
    (shelf / "part-1.avro").write_bytes(b"PAR1" * 9)
    pipeline = beam.Pipeline(runner=FnApiRunner())
    pipeline | avro.ReadAvro("shelf://part-*.avro")
    with pytest.raises(af.FormatError, match="shelf://part-1.avro: expected the magic bytes"):
        pipeline.run()
