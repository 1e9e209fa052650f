"""Statistics that TensorFlow Data Validation makes of sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import apache_beam as beam
import tensorflow_data_validation as tfdv
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from same_proto import assert_same
from tensorflow_metadata.proto.v0 import statistics_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from sources import Source


BATCH = 16
"""Rows of a batch. TFDV infers domains from the first 100 values of each batch: here, from all values."""


def statistics(
    source: Source, options: tfdv.StatsOptions, folder: Path
) -> statistics_pb2.DatasetFeatureStatisticsList:
    """The statistics of all batches of a source."""
    file = Path(folder, "statistics.pb")
    with beam.Pipeline(runner=FnApiRunner()) as pipeline:
        found = source.batches(pipeline, BATCH) | tfdv.GenerateStatistics(options)
        found | tfdv.WriteStatisticsToBinaryFile(str(file))
    return statistics_pb2.DatasetFeatureStatisticsList.FromString(file.read_bytes())


def path_of(feature: Message) -> tuple[str, ...]:
    """The path of a column."""
    return tuple(feature.path.step)


def paths_of(cross: Message) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths of the columns of a cross."""
    return tuple(cross.path_x.step), tuple(cross.path_y.step)


def name_of(message: Message) -> str:
    """The name of a dataset or of a custom statistic."""
    return message.name


# TFDV keeps columns and slices in dicts of Python, so their order has no meaning.
KEYS = {"datasets": name_of, "features": path_of, "cross_features": paths_of, "custom_stats": name_of}


def assert_same_statistics(found: Message, expected: Message) -> None:
    """Fails unless each field is equal; sums of floats may differ by 1e-9."""
    assert_same(found, expected, KEYS)
