"""Functions that the tests of processes run in spawned processes, which import this module."""

from __future__ import annotations

import pickle
import queue
from typing import Any

from rows import ids


def rows_of_pickle(data: bytes, options: dict[str, Any]) -> list[int]:
    """The rows of a pickled dataset."""
    return ids(pickle.loads(data).record_batches(**options))


def rows_of_splits(data: bytes, splits: bytes) -> list[int]:
    """The rows of pickled splits of a pickled dataset."""
    dataset = pickle.loads(data)
    return [number for split in pickle.loads(splits) for number in ids(dataset.read_split(split))]


def work(dataset: Any, number: int, workers: int, batches: Any, options: dict[str, Any]) -> None:
    """A worker of a data loader: puts the batches of its shard into a queue, and `None` at their end."""
    try:
        for batch in dataset.record_batches(shard=(number, workers), **options):
            batches.put((number, ids([batch])), timeout=60)
    except (Exception, queue.Full) as error:
        batches.put((number, repr(error)), timeout=60)
    batches.put((number, None), timeout=60)
