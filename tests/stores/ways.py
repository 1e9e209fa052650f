"""Ways to read all rows of files. Each yields the rows in its own order."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import arrowfeed as af
from rows import DATASETS, READERS, SCHEMAS, rows_of

Rows = list[dict[str, Any]]


@dataclass
class Files:
    """Files of one format, in a store or local. `retries` is the sum over reports."""

    format: str
    sources: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    index: Path | None = None
    retries: int = 0

    def reader(self, **more: Any) -> Rows:
        """The rows of a reader."""
        reader = READERS[self.format](self.sources, **self.options, **SCHEMAS[self.format], **more)
        return self.counted(reader)

    def dataset(self, **more: Any) -> Any:
        """A dataset."""
        return DATASETS[self.format](self.sources, **self.options, **SCHEMAS[self.format], **more)

    def counted(self, batches: Any) -> Rows:
        """The rows of batches, to their end or an error, after which the retries are counted."""
        try:
            return rows_of(batches)
        finally:
            report = batches.report()
            assert report["skipped"] == []
            self.retries += report.get("requests", {"retries": 0})["retries"]


def iterate(**options: Any) -> Callable[[Files], Rows]:
    """A way by an iteration over a dataset."""
    return lambda files: files.counted(files.dataset().record_batches(batch_size=9, **options))


def shards(files: Files) -> Rows:
    """The rows of two shards of a shuffle."""
    dataset = files.dataset()
    options = {"batch_size": 7, "shuffle_buffer_size": 20, "seed": 4, "threads": 2}
    parts = [files.counted(dataset.record_batches(shard=(number, 2), **options)) for number in range(2)]
    return [*parts[0], *parts[1]]


def indexed(files: Files) -> Rows:
    """The rows of a shuffle with an index."""
    dataset = files.dataset(index=files.index)
    options = {"batch_size": 8, "shuffle_buffer_size": 30, "seed": 5, "threads": 2}
    return files.counted(dataset.record_batches(**options))


def splits(files: Files) -> Rows:
    """The rows of splits."""
    dataset = files.dataset()
    planned = dataset.plan_splits(target_bytes=900)
    return [row for split in planned for row in files.counted(dataset.read_split(split, batch_size=9))]


def resumed(files: Files) -> Rows:
    """The rows of an iteration that resumes from its state."""
    options = {"batch_size": 9, "shuffle_buffer_size": 25, "seed": 6}
    batches = files.dataset().record_batches(threads=2, **options)
    found = rows_of(itertools.islice(batches, 4))
    state = json.loads(json.dumps(batches.state_dict()))
    batches.close()
    again = files.dataset().record_batches(threads=1, **options)
    again.load_state_dict(state)
    return found + files.counted(again)


def opened(files: Files) -> Rows:
    """The rows of a dataset whose format and columns are detected."""
    dataset = af.open_dataset(files.sources, **files.options)
    return files.counted(dataset.record_batches(batch_size=9, threads=2))


WAYS: dict[str, Callable[[Files], Rows]] = {
    "a thread": lambda files: files.reader(threads=1, batch_size=10),
    "two threads": lambda files: files.reader(threads=2, batch_size=10),
    "a projection": lambda files: files.reader(threads=2, columns=["id"]),
    "file order": iterate(threads=2, epochs=2),
    "a shuffle": iterate(shuffle_buffer_size=30, seed=3, threads=2),
    "shards": shards,
    "an index": indexed,
    "splits": splits,
    "a state": resumed,
    "any format": opened,
}
