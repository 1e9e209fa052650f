"""The rows that all engines read, and their checksum, which does not depend on their order."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import arrowfeed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ROWS = int(os.environ.get("ARROWFEED_ENGINE_ROWS", "1_000_000"))
"""Number of rows of all files. `make test-long` reads 10 million."""

_SMALL_FILES = 8
"""Number of files besides the large one, each of a hundredth of the rows."""

_CHUNK = 100_000
"""Number of rows that are made at a time."""


class Checksum(NamedTuple):
    """Sums over rows. The sum over parts of the rows is the sum of their checksums."""

    rows: int = 0
    ids: int = 0
    values: int = 0
    nulls: int = 0
    characters: int = 0
    tags: int = 0

    def __add__(self, other: Any) -> Checksum:
        """The checksum of the rows of both."""
        return Checksum(*(one + two for one, two in zip(self, other, strict=True)))


def batches(start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """The rows with the ids from `start` up to `stop`."""
    for first in range(start, stop, _CHUNK):
        ids = np.arange(first, min(first + _CHUNK, stop), dtype=np.int64)
        values = pa.array((ids % 1000).astype(np.float64), mask=ids % 7 == 0)
        names = pc.binary_join_element_wise("name", pc.cast(pa.array(ids % 10_007), pa.string()), "-")
        offsets = np.concatenate([[0], np.cumsum(ids % 4)]).astype(np.int32)
        tags = pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.arange(offsets[-1]) % 100))
        yield pa.record_batch({"id": pa.array(ids), "value": values, "name": names, "tags": tags})


def checksum(batch: pa.RecordBatch | pa.Table) -> Checksum:
    """The checksum of rows with all columns."""
    values = pc.sum(batch["value"]).as_py()
    tags = pc.sum(pc.list_flatten(batch["tags"])).as_py()
    return Checksum(
        rows=batch.num_rows,
        ids=pc.sum(batch["id"]).as_py() or 0,
        values=int(values or 0),
        nulls=batch["value"].null_count,
        characters=pc.sum(pc.utf8_length(batch["name"])).as_py() or 0,
        tags=tags or 0,
    )


def total(checksums: Iterable[Any]) -> Checksum:
    """The checksum of the rows of all parts, each with its checksum."""
    return sum(checksums, Checksum())


def write(directory: Path, rows: int = ROWS) -> Path:
    """Writes Avro files: a large one, and small ones after it."""
    small = rows // 100
    borders = [0, rows - _SMALL_FILES * small]
    borders += [borders[-1] + small * (number + 1) for number in range(_SMALL_FILES)]
    schema = next(batches(0, 1)).schema
    for number, (start, stop) in enumerate(itertools.pairwise(borders)):
        reader = pa.RecordBatchReader.from_batches(schema, batches(start, stop))
        arrowfeed.write_avro(reader, directory / f"part-{number}.avro", codec="snappy")
    return directory
