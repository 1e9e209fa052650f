"""Beam transforms for sources of records. Importing this module imports apache_beam."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._engines.splits import SPLIT_BYTES
from arrowfeed.beam._imported import beam, pa
from arrowfeed.beam._known_files import read_known_files
from arrowfeed.beam._read import Outputs
from arrowfeed.tfxio._csv_cells import csv_batches, inferred_schema, kinds_of_records, widest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arrowfeed.tfxio._csv_cells import Cells
    from arrowfeed.tfxio._telemetry import Telemetry

__all__ = [
    "MOST",
    "SPLIT_BYTES",
    "Chained",
    "InferredCsvBatches",
    "Outputs",
    "RecordBatches",
    "measured_records",
    "pa",
    "read_known_files",
]

MOST = 1000
"""Default number of rows of a batch."""


class Chained(beam.PTransform):
    """A sequence of transforms.

    Args:
        **steps: The transforms by label.
    """

    def __init__(self, **steps: Any) -> None:
        beam.PTransform.__init__(self)
        self._steps = steps

    def expand(self, pcoll: Any) -> Any:
        """Returns the result of the last transform."""
        for label, step in self._steps.items():
            pcoll = pcoll | label >> step
        return pcoll


def measured_records(telemetry: Telemetry) -> Any:
    """Returns a transform that passes records through, and updates their metrics."""
    measure = functools.partial(_measured, telemetry)
    return beam.Map(measure).with_input_types(bytes).with_output_types(bytes)


class Batched(beam.PTransform):
    """Groups records into lists, and counts its options once in each pipeline.

    Args:
        telemetry: The metrics.
        batch_size: Number of records of a list. None: Beam decides.
    """

    def __init__(self, telemetry: Telemetry, batch_size: int | None) -> None:
        beam.PTransform.__init__(self)
        self._telemetry, self._batch_size = telemetry, batch_size

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of lists."""
        size = self._batch_size
        once = pcoll.pipeline | "Once" >> beam.Create([size], reshuffle=False)
        _ = once | "CountOptions" >> beam.Map(self._telemetry.count_batching)
        least, most = (1, MOST) if size is None else (size, size)
        return pcoll | "Elements" >> beam.BatchElements(min_batch_size=least, max_batch_size=most)


class RecordBatches(beam.PTransform):
    """Converts records to batches.

    Args:
        decoder: Function that converts a list of records to batches.
        batch_size: Number of rows of a batch. None: Beam decides.
        telemetry: The metrics.
    """

    def __init__(
        self,
        decoder: Callable[[list[bytes]], Iterator[Any]],
        batch_size: int | None,
        telemetry: Telemetry,
    ) -> None:
        beam.PTransform.__init__(self)
        self._decoder, self._batch_size, self._telemetry = decoder, batch_size, telemetry

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        decode = beam.FlatMap(functools.partial(_decoded, self._telemetry, self._decoder))
        decoded = decode.with_input_types(list[bytes]).with_output_types(pa.RecordBatch)
        batch: Any = Batched(self._telemetry, self._batch_size)
        return pcoll | "Batch" >> batch | "Read" >> decoded


def _widest(found: Iterable[list[int]]) -> list[int]:
    """The last of the types of each column. Empty if there are no records."""
    return [widest(kinds) for kinds in zip(*found, strict=True)]


class InferredCsvBatches(beam.PTransform):
    """Converts CSV records to batches with types that fit all records.

    Args:
        cells: The dialect of the records.
        raw_column: Name of an additional last column with the records. None: no such column.
        batch_size: Number of rows of a batch. None: Beam decides.
        telemetry: The metrics.
    """

    def __init__(
        self, cells: Cells, raw_column: str | None, batch_size: int | None, telemetry: Telemetry
    ) -> None:
        beam.PTransform.__init__(self)
        self._cells, self._raw_column, self._batch_size = cells, raw_column, batch_size
        self._telemetry = telemetry

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of `pyarrow.RecordBatch`."""
        cells, raw_column, names = self._cells, self._raw_column, self._cells.names
        telemetry = self._telemetry
        batch: Any = Batched(telemetry, self._batch_size)
        batches = pcoll | "Batch" >> batch
        kinds = (
            batches
            | "Types" >> beam.Map(functools.partial(kinds_of_records, cells))
            | "AllTypes" >> beam.CombineGlobally(_widest)
        )

        def decode(records: list[bytes], found: list[int]) -> Iterator[Any]:
            schema = inferred_schema(names, found or [0] * len(names))
            return telemetry.batches(csv_batches(cells, raw_column, records, schema))

        decoded = beam.FlatMap(decode, beam.pvalue.AsSingleton(kinds))
        return batches | "Decode" >> decoded.with_output_types(pa.RecordBatch)


def _measured(telemetry: Telemetry, record: bytes) -> bytes:
    telemetry.records([record])
    return record


def _decoded(
    telemetry: Telemetry, decoder: Callable[[list[bytes]], Iterator[Any]], records: list[bytes]
) -> Iterator[Any]:
    return telemetry.batches(decoder(records))
