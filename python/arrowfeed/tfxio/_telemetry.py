"""Metrics of sources in Beam pipelines, with the namespaces and the names of tfx_bsl.

| metric | type | content |
|---|---|---|
| `num_raw_records` | counter | number of records |
| `raw_record_byte_size` | distribution | size of each record |
| `num_rows` | distribution | number of rows of each batch |
| `record_batch_byte_size` | distribution | size of each batch |
| `num_cells[kind]` | counter | number of cells that are not null, by the kind of their values |
| `num_columns` | distribution | number of columns that are not null, for each row of a sample |
| `num_feature_values` | distribution | number of values of each leaf column, for each row of a sample |
| `num_feature_values[kind]` | distribution | the same, by the kind of the values |
"""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed.tfxio._tfxio import TFXIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STRIDE = 50_000
"""Number of rows after which a process takes the next sample. Its first batch has one too."""

_SAMPLE = 50
"""Maximum number of rows of a sample. Beam has no call for several values of a distribution, and one value
takes 0.3 us: all values of a batch would take longer than its decoding.
"""


class Telemetry(NamedTuple):
    """The metrics of a source. Picklable.

    Attributes:
        descriptors: Names that identify the component with the source. None: unknown.
        logical_format: Format of the records.
        physical_format: Format of the files.
        batching: Names of the namespace in which options of batches are counted. None: `descriptors`.
    """

    descriptors: tuple[str, ...] | None
    logical_format: str
    physical_format: str
    batching: tuple[str, ...] | None = None

    def count_batching(self, batch_size: int | None) -> None:
        """Counts the options of a transform that makes batches of records."""
        counter = _metrics().counter
        namespace = _namespace(self.batching or self.descriptors or ("Unknown",))
        counter(namespace, "tfxio_use_byte_size_batching").inc(0)
        counter(namespace, "desired_batch_size").inc(batch_size or 0)

    def count_records(self, number: int) -> None:
        """Counts raw records."""
        _updates(self).count("num_raw_records", number)

    def count_decoder(self, seconds: float) -> None:
        """Counts the time that a process took to load the decoder of a source."""
        namespace = _namespace(self.descriptors or ())
        name = "record_to_tensor_tfxio_decoder_load_seconds"
        _metrics().distribution(namespace, name).update(int(seconds))

    def records(self, records: list[bytes]) -> list[bytes]:
        """Counts raw records and their sizes, and returns them."""
        self.count_records(len(records))
        _updates(self).distribute("raw_record_byte_size", map(len, records))
        return records

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yields pyarrow record batches, and counts their rows, cells and values."""
        # Imported here, because this module imports pyarrow.
        from arrowfeed.tfxio import _batch_figures as figures  # noqa: PLC0415

        updates = _updates(self)
        for batch in batches:
            size, cells = figures.size_and_cells(batch)
            updates.distribute("num_rows", [batch.num_rows])
            updates.distribute("record_batch_byte_size", [size])
            for kind, number in cells.items():
                updates.count(f"num_cells[{kind}]", number)
            sample = updates.sample(batch)
            if sample is not None:
                updates.distribute("num_columns", figures.columns_per_row(sample))
                for kind, numbers in figures.values_per_row(sample):
                    updates.distribute("num_feature_values", numbers)
                    updates.distribute(f"num_feature_values[{kind}]", numbers)
            yield batch


class MeasuredTFXIO(TFXIO):
    """A `TFXIO` that has metrics in pipelines."""

    physical_format: str
    """Format of the files, or the origin of the records."""
    _logical_format: str
    """Format of the records."""
    _batching: tuple[str, ...] | None = None
    """As in `Telemetry`."""
    _telemetry_descriptors: list[str] | None

    @property
    def telemetry_descriptors(self) -> list[str] | None:
        """The descriptors passed to the constructor."""
        return self._telemetry_descriptors

    @property
    def _telemetry(self) -> Telemetry:
        """The metrics of this source.

        Raises:
            AssertionError: A format contains a character that separates the parts of names.
        """
        for name in (self._logical_format, self.physical_format):
            if any(character in name for character in "[]-"):
                raise AssertionError(f"Invalid logical / physical format string: {name}")
        descriptors = self._telemetry_descriptors
        known = None if descriptors is None else tuple(descriptors)
        return Telemetry(known, self._logical_format, self.physical_format, self._batching)


class _Updates:
    """Updates of the metrics of a source.

    Args:
        telemetry: The metrics.
    """

    def __init__(self, telemetry: Telemetry) -> None:
        descriptors = ("UNKNOWN_COMPONENT",) if telemetry.descriptors is None else telemetry.descriptors
        namespace = _namespace((*descriptors, "io"))
        formats = f"LogicalFormat[{telemetry.logical_format}]-PhysicalFormat[{telemetry.physical_format}]"

        @functools.cache
        def increment(name: str) -> Any:
            return _metrics().counter(namespace, f"{formats}-{name}").inc

        @functools.cache
        def update(name: str) -> Any:
            return _metrics().distribution(namespace, f"{formats}-{name}").update

        self._increment, self._update = increment, update
        self._rows_before_sample = 0

    def count(self, name: str, number: int) -> None:
        """Adds a number to a counter."""
        self._increment(name)(number)

    def distribute(self, name: str, values: Iterable[int]) -> None:
        """Adds values to a distribution."""
        update = self._update(name)
        for value in values:
            update(value)

    def sample(self, batch: Any) -> Any:
        """Returns consecutive rows of a batch, or None if it is not time for a sample."""
        self._rows_before_sample -= batch.num_rows
        if self._rows_before_sample > 0:
            return None
        self._rows_before_sample = _STRIDE
        return batch.slice(random.randrange(max(batch.num_rows - _SAMPLE, 0) + 1), _SAMPLE)  # noqa: S311


_updates = functools.cache(_Updates)


def _metrics() -> Any:
    from arrowfeed.beam._imported import beam  # noqa: PLC0415 - on use

    return beam.metrics.Metrics


def _namespace(descriptors: tuple[str, ...]) -> str:
    return ".".join(("tfx", *descriptors))
