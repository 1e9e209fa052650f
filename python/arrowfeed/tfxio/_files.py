"""Base classes for batches and tensors of files, inside and outside pipelines."""

from __future__ import annotations

import abc
import functools
import os
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed.tfxio._columns import with_nulls
from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._telemetry import MeasuredTFXIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset, RecordBatch, Representation
    from arrowfeed.tfxio._options import RecordBatchesOptions, TensorFlowDatasetOptions
    from arrowfeed.tfxio._telemetry import Telemetry

_SEEDS = 1 << 64

_RECORDS = 100
"""Number of records that a worker holds at the same time, because a record may be large."""


def patterns_of(file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    """Returns the patterns of an argument as a list.

    Raises:
        ValueError: There is no pattern.
    """
    alone = isinstance(file_pattern, str | os.PathLike)
    patterns: Sequence[str | os.PathLike[str]] = [file_pattern] if alone else file_pattern
    if not patterns:
        raise ValueError("file_pattern: expected one or more patterns, found none")
    return [os.fspath(pattern) for pattern in patterns]


class Reading(NamedTuple):
    """The dataset class of files, and its arguments."""

    kind: Callable[..., Dataset]
    """The dataset class."""
    options: dict[str, Any]
    """Options of the class, which determine the columns."""
    representations: dict[str, Representation]
    """Representations of the tensors by name."""
    whole: Any = None
    """The `pyarrow.Schema` of the batches, if they also have columns of the type null that are not read."""


class FileBatches(MeasuredTFXIO):
    """Files that can be read inside and outside pipelines."""

    _patterns: list[str]
    """Paths, globs, directories and URLs of the files."""
    _validate: bool
    """Whether `BeamSource` checks that the files exist."""
    _min_bundle_size = 0
    """Minimum size of a range in bytes."""
    _most_ranges: int | None = None
    """Maximum number of ranges of a file when a pipeline starts. None: no maximum."""
    _of_records = True
    """Whether rows are records, which have metrics of their own."""

    @abc.abstractmethod
    def _reading(self) -> Reading:
        """The dataset class and the options for batches with the schema `ArrowSchema()`."""

    def _dataset(self) -> Dataset:
        """The dataset of the columns and tensors of the files."""
        reading = self._reading()
        return reading.kind(self._patterns, representations=reading.representations, **reading.options)

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the files in ranges, as pyarrow record batches.

        Several workers can read one file, and a runner can split a range again while it is read. One worker
        reads a whole compressed file.

        Args:
            batch_size: Maximum number of rows of a batch. A batch may have fewer rows at the end of a range
                and, in Parquet files, of a row group. None: 1,000.

        Raises:
            FileNotFoundError: No file matches a pattern. With `validate=False` and a `schema`, `CsvTFXIO` and
                `ParquetTFXIO` find this when the pipeline runs, and so does `AvroRecord` with a
                `reader_schema`.
        """
        reading = self._reading()
        if reading.whole is None:
            return self._read_batches(*reading[:2], batch_size, _converted, schema=self.ArrowSchema())
        batches = functools.partial(_completed, reading.whole)
        return self._read_batches(*reading[:2], batch_size, batches)

    def _read_batches(
        self,
        kind: Callable[..., Dataset],
        options: dict[str, Any],
        batch_size: int | None,
        batches: Callable[[RecordBatch], Iterable[Any]],
        **arguments: Any,
    ) -> Any:
        """Returns a Beam transform that reads the files as pyarrow record batches.

        Args:
            kind: The dataset class.
            options: Options of the class.
            batch_size: Maximum number of rows of a batch. None: 1,000.
            batches: Converts a batch.
            **arguments: Further arguments of `ReadKnownFiles`.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        measured = functools.partial(_measured_batches, self._telemetry, self._of_records, batches)
        outputs = _beam.Outputs(measured, _beam.pa.RecordBatch)
        if self._of_records:
            arguments["on_list"] = functools.partial(self._telemetry.count_batching, batch_size)
        return self._read_ranges(kind, options, batch_size, outputs=outputs, **arguments)

    def _read_records(
        self,
        kind: Callable[..., Dataset],
        options: dict[str, Any],
        records: Callable[[RecordBatch], list[bytes]],
    ) -> Any:
        """Returns a Beam transform that reads records as bytes.

        Args:
            kind: The dataset class.
            options: Options of the class.
            records: Returns the records of a batch.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        measured = functools.partial(_measured_records, self._telemetry, records)
        return self._read_ranges(kind, options, _RECORDS, outputs=_beam.Outputs(measured, bytes))

    def _read_ranges(
        self, kind: Callable[..., Dataset], options: dict[str, Any], batch_size: int | None, **arguments: Any
    ) -> Any:
        """Returns a Beam transform that reads the files in ranges.

        Args:
            kind: The dataset class.
            options: Options of the class.
            batch_size: Maximum number of rows of a batch. None: 1,000.
            **arguments: Further arguments of `ReadKnownFiles`.
        """
        from arrowfeed.tfxio import _beam  # noqa: PLC0415 - on use

        return _beam.read_known_files(
            kind,
            self._patterns,
            options,
            batch_size=_beam.MOST if batch_size is None else batch_size,
            validate=self._validate,
            split_bytes=max(self._min_bundle_size, _beam.SPLIT_BYTES),
            most_ranges=self._most_ranges,
            **arguments,
        )

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Iterates over pyarrow record batches, outside a pipeline.

        All batches have `batch_size` rows, also across epochs; only the very last batch may have fewer rows.

        Args:
            options: A `RecordBatchesOptions`, of this package or of tfx_bsl.
        """
        self.ArrowSchema()
        whole = self._reading().whole
        batches = (batch.to_pyarrow() for batch in self._dataset().record_batches(**seeded(options)))
        return batches if whole is None else (with_nulls(whole, batch) for batch in batches)

    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: N802
        """Returns a `tf.data.Dataset` of the batches of `RecordBatches`, converted by `TensorAdapter()`.

        Each element is a dict of tensors by name or, with a `label_key`, a pair of such a dict and the label.

        Args:
            options: A `TensorFlowDatasetOptions`, of this package or of tfx_bsl. With `shuffle`, each
                iteration over the dataset has a different order; with a seed, each run of the program has the
                same orders.

        Raises:
            ValueError: No tensor has the name of the label, or a representation does not fit the schema.
        """
        names = self.TensorAdapter().TypeSpecs().keys()
        label = options.label_key
        if label is not None and label not in names:
            raise ValueError(
                f"The `label_key` provided ({label}) must be one of the following tensorsnames: {names}."
            )
        iteration = _iteration(options)
        if options.reader_num_threads > 0:
            iteration["threads"] = options.reader_num_threads
        dataset = self._tensors(iteration)
        if label is not None:
            dataset = dataset.map(functools.partial(_labelled, label))
        return dataset.prefetch(options.prefetch_buffer_size)

    def _tensors(self, iteration: dict[str, Any]) -> Any:
        """Returns a `tf.data.Dataset` of dicts of tensors.

        Args:
            iteration: Options of `Dataset.to_tf`.
        """
        return self._dataset().to_tf(**iteration)


class FileRecords(FileBatches, Records):
    """Records of files that can be read inside and outside pipelines."""

    @abc.abstractmethod
    def _with_raw_records(self, iteration: dict[str, Any]) -> Iterator[Any]:
        """Iterates over pyarrow batches with an additional last column of the original records."""

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Iterates over pyarrow record batches, outside a pipeline.

        If `raw_record_column_name` is set, the last column contains the original records.

        Args:
            options: A `RecordBatchesOptions`, of this package or of tfx_bsl.
        """
        if self.raw_record_column_name is None:
            return super().RecordBatches(options)
        self.ArrowSchema()
        return self._with_raw_records(seeded(options))

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the files in ranges, as pyarrow record batches.

        Several workers can read one file, and a runner can split a range again while it is read. One worker
        reads a whole compressed file. If `raw_record_column_name` is set, the transform consists of
        `RawRecordBeamSource` and `RawRecordToRecordBatch`.

        Args:
            batch_size: Maximum number of rows of a batch. The last batch of a range may have fewer. None:
                1,000; with `raw_record_column_name`, Beam decides, up to 1,000.

        Raises:
            FileNotFoundError: No file matches a pattern. With `validate=False` and a `schema`, `CsvTFXIO` and
                `ParquetTFXIO` find this when the pipeline runs, and so does `AvroRecord` with a
                `reader_schema`.
        """
        if self.raw_record_column_name is None:
            return super().BeamSource(batch_size)
        return Records.BeamSource(self, batch_size)


def _measured_batches(
    telemetry: Telemetry,
    of_records: bool,  # noqa: FBT001
    batches: Callable[[RecordBatch], Iterable[Any]],
    batch: RecordBatch,
) -> Iterator[Any]:
    if of_records:
        telemetry.count_records(batch.num_rows)
    return telemetry.batches(batches(batch))


def _measured_records(
    telemetry: Telemetry, records: Callable[[RecordBatch], list[bytes]], batch: RecordBatch
) -> list[bytes]:
    return telemetry.records(records(batch))


def _converted(batch: RecordBatch) -> list[Any]:
    return [batch.to_pyarrow()]


def _completed(whole: Any, batch: RecordBatch) -> list[Any]:
    return [with_nulls(whole, batch.to_pyarrow())]


def seeded(options: RecordBatchesOptions) -> dict[str, Any]:
    """Converts the options to those of `Dataset.record_batches`, with a seed if rows are shuffled."""
    converted = _iteration(options)
    return {"seed": secrets.randbits(64), **converted} if converted["shuffle_buffer_size"] else converted


def _iteration(options: RecordBatchesOptions | TensorFlowDatasetOptions) -> dict[str, Any]:
    """Converts the options to those of `Dataset.record_batches`."""
    buffer_size = options.shuffle_buffer_size if options.shuffle else 0
    seed = options.shuffle_seed if buffer_size else None
    return {
        "batch_size": options.batch_size,
        # In an endless iteration, every batch is full.
        "drop_remainder": options.drop_final_batch or options.num_epochs is None,
        "epochs": options.num_epochs,
        "across_epochs": True,
        "shuffle_buffer_size": buffer_size,
        **({} if seed is None else {"seed": seed % _SEEDS}),
    }


def _labelled(label: str, tensors: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    return {name: tensor for name, tensor in tensors.items() if name != label}, tensors[label]
