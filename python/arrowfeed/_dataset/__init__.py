"""Datasets: the base class of all sources, and the parts of `Dataset` that are Python."""

from arrowfeed._dataset.copies import batches_of_pass, restored
from arrowfeed._dataset.tfxio import Tfxio

__all__ = ["Tfxio", "batches_of_pass", "restored"]
