"""Splits of files, which datasets of the files plan and read."""

from typing import Any

import arrowfeed as af

READING = ("claim", "file", "batch_size", "on_error", "progress")
"""Options of `Dataset.read_split`. The others are those of the dataset class."""


def plan_splits(source: object, *, target_bytes: int = 64 << 20, **options: Any) -> list[af.Split]:
    """Plans the splits of Avro files."""
    return af.AvroDataset(source, representations={}, **options).plan_splits(target_bytes=target_bytes)


def read_split(split: af.Split, kind: Any = af.AvroDataset, **options: Any) -> af.RecordBatchReader:
    """Reads a split of a file with a dataset of the file."""
    reading = {name: options.pop(name) for name in READING if name in options}
    return kind(split.path, **{"representations": {}, **options}).read_split(split, **reading)
