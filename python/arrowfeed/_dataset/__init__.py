"""Datasets: the base class of all sources, and the Python parts of `Dataset`."""

from arrowfeed._dataset.chunk_source import ChunkSource
from arrowfeed._dataset.copies import batches_of_pass, restored, tensors_of
from arrowfeed._dataset.inferred_schema import with_inferred_schema
from arrowfeed._dataset.opening import open_dataset
from arrowfeed._dataset.state_match import checked_match
from arrowfeed._dataset.tfxio import Tfxio

__all__ = [
    "ChunkSource",
    "Tfxio",
    "batches_of_pass",
    "checked_match",
    "open_dataset",
    "restored",
    "tensors_of",
    "with_inferred_schema",
]
