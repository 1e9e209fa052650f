"""Demo of `make demo`: writes one set of events in four codecs, reads the files back through pyarrow,
makes tensors of one file, and trains a model on another.

The files stay in `data` for the examples of the pages.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import arrowfeed as af
import pyarrow as pa
from arrowfeed.types import Codec
from tqdm import tqdm

import people
from events import ROWS, SCHEMA, event_batches
from tensors import show_tensors
from train import train

FOLDER = Path(__file__).resolve().parents[2] / "data" / "demo"
CODECS: tuple[Codec, ...] = ("null", "deflate", "snappy", "zstandard")
SHOWN_ROWS = 2
SHOWN_WIDTH = 70


def write(codec: Codec) -> Path:
    """Writes all events with a progress bar, and returns the path."""
    path = FOLDER / f"events.{codec}.avro"

    def batches() -> Iterator[pa.RecordBatch]:
        with tqdm(total=ROWS, desc=f"write {codec:<9}", unit=" rows", unit_scale=True) as bar:
            for batch in event_batches():
                yield batch
                bar.update(batch.num_rows)

    rows = af.write_avro(pa.RecordBatchReader.from_batches(SCHEMA, batches()), str(path), codec=codec)
    assert rows == ROWS
    return path


def read(path: Path, codec: str) -> str:
    """Reads a file to its end with a progress bar, and returns a line with the throughput."""
    size, rows, start = path.stat().st_size, 0, time.perf_counter()
    with (
        af.read_avro(str(path)) as reader,
        tqdm(total=size, desc=f"read  {codec:<9}", unit="B", unit_scale=True) as bar,
    ):
        for batch in reader:
            rows += pa.record_batch(batch).num_rows
            bar.update(reader.report()["bytes"] - bar.n)
        bar.update(size - bar.n)
    seconds = time.perf_counter() - start
    assert rows == ROWS
    return f"{codec:<11}{size / 1e6:>8.1f} MB{rows / seconds:>14,.0f} rows/s{size / seconds / 1e6:>8.0f} MB/s"


def show(path: Path) -> None:
    """Prints the schema and the first rows."""
    with af.read_avro(str(path), batch_size=SHOWN_ROWS, threads=1) as reader:
        batch = pa.record_batch(next(iter(reader)))
    print(f"\nSchema\n{batch.schema.to_string()}")
    for number, row in enumerate(batch.to_pylist()):
        print(f"\nRow {number}")
        for name, value in row.items():
            text = str(value)
            cut = text if len(text) <= SHOWN_WIDTH else f"{text[:SHOWN_WIDTH]}..."
            print(f"  {name:<10} {cut}")


def main() -> None:
    """Runs all parts of the demo: files, rows, throughput, tensors and training."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = {codec: write(codec) for codec in CODECS}
    show(paths["zstandard"])
    print()
    rates = [read(path, codec) for codec, path in paths.items()]
    print("\nCodec         File size      Rows read     Of the file")
    print("\n".join(rates))
    show_tensors(paths["null"])
    train(paths["zstandard"])
    print(f"\n{ROWS:,} rows in each file, bars included. The files stay in {FOLDER}.")
    people.write(FOLDER.parent)
    print(f"The examples of the pages read {FOLDER.parent / 'part-*.avro'}.")


if __name__ == "__main__":
    main()
