"""Writes the Avro files of the benchmarks that do not exist yet. The files are deterministic.

The file with the null codec is written from records. The files with other codecs contain the same blocks,
recompressed.
"""

import argparse
import shutil
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import fastavro
from fastavro.write import Writer

from datasets import COLUMNS, GROWTH, SHAPES, SMALL_FILE, SMALL_FOLDER, SMALL_HALVES, Dataset, small_files
from manifest import Manifest

BLOCK_BYTES = 64_000
"""Size at which the writers of Java and Spark close a block."""
SYNC_MARKER = b"arrowfeed-bench!"
"""A fixed marker, so that equal seeds give equal files."""
LEVELS = {"deflate": 6, "snappy": None, "zstandard": 3}
"""The other codecs, each at the level that its writers usually use."""
CODECS = ("null", *LEVELS)


def write_null(dataset: Dataset, rows: int, path: Path) -> None:
    """Writes a dataset uncompressed."""
    schema = fastavro.parse_schema(dataset.schema)
    records = dataset.records(rows, dataset.seed)
    with path.open("wb") as out:
        fastavro.writer(out, schema, records, sync_interval=BLOCK_BYTES, sync_marker=SYNC_MARKER)


def recompress(source: Path, targets: dict[str, Path]) -> None:
    """Copies each block of a file with the null codec into one file per codec."""
    with ExitStack() as stack:
        blocks = fastavro.block_reader(stack.enter_context(source.open("rb")))
        schema: Any = blocks.writer_schema
        writers = [
            Writer(
                stack.enter_context(path.open("wb")),
                schema,
                codec,
                sync_marker=SYNC_MARKER,
                compression_level=LEVELS[codec],
            )
            for codec, path in targets.items()
        ]
        for block in blocks:
            for writer in writers:
                writer.write_block(block)
        for writer in writers:
            writer.flush()


def file_name(dataset: str, codec: str) -> str:
    """The name of a dataset's file in the data folder."""
    return f"{dataset}.{codec}.avro"


def make(dataset: Dataset, rows: int, codecs: tuple[str, ...], manifest: Manifest) -> None:
    """Generates the files of a dataset unless the folder has them."""
    if manifest.holds(dataset.name, rows):
        return
    start = time.perf_counter()
    names = {codec: file_name(dataset.name, codec) for codec in codecs}
    drafts = {codec: manifest.folder / f"{name}.part" for codec, name in names.items()}
    write_null(dataset, rows, drafts["null"])
    recompress(drafts["null"], {codec: path for codec, path in drafts.items() if codec != "null"})
    for codec, path in drafts.items():
        path.replace(manifest.folder / names[codec])
    manifest.add(dataset.name, rows, list(names.values()))
    print(f"{dataset.name}: {rows:,} rows, {time.perf_counter() - start:.0f} s", flush=True)


def make_small_files(scale: float, manifest: Manifest) -> None:
    """Fills both halves of the folder of small files with copies of one file."""
    count = small_files(scale)
    if manifest.holds(SMALL_FOLDER, count):
        return
    shutil.rmtree(manifest.folder / SMALL_FOLDER, ignore_errors=True)
    content = (manifest.folder / file_name(SMALL_FILE.name, "null")).read_bytes()
    for half in SMALL_HALVES:
        folder = manifest.folder / SMALL_FOLDER / half
        folder.mkdir(parents=True)
        for at in range(count):
            (folder / f"{at:05}.avro").write_bytes(content)
    # The files are written in order, so the last one shows that its half is complete.
    manifest.add(SMALL_FOLDER, count, [f"{SMALL_FOLDER}/{half}/{count - 1:05}.avro" for half in SMALL_HALVES])


def make_all(folder: Path, scale: float) -> None:
    """Generates all files that `run.py` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = Manifest(folder)
    for dataset in SHAPES:
        make(dataset, dataset.scaled_rows(scale), CODECS, manifest)
    for dataset in (*GROWTH, *COLUMNS):
        make(dataset, dataset.scaled_rows(scale), ("null",), manifest)
    make(SMALL_FILE, SMALL_FILE.rows, ("null",), manifest)
    make_small_files(scale, manifest)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="data folder")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the rows, 1 for what the bars mean")
    arguments = parser.parse_args()
    make_all(arguments.out, arguments.scale)


if __name__ == "__main__":
    main()
