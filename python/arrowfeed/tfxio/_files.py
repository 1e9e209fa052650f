"""Base classes for batches and tensors of files, outside a pipeline."""

from __future__ import annotations

import abc
import functools
import os
import secrets
from typing import TYPE_CHECKING, Any

from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._tfxio import TFXIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed.tfxio._options import RecordBatchesOptions, TensorFlowDatasetOptions

_SEEDS = 1 << 64


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


class FileBatches(TFXIO):
    """Files that can also be read outside a pipeline."""

    @abc.abstractmethod
    def _dataset(self) -> Dataset:
        """The dataset of the columns and tensors of the files."""

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Iterates over pyarrow record batches, outside a pipeline.

        All batches have `batch_size` rows, also across epochs; only the very last batch may have fewer rows.

        Args:
            options: A `RecordBatchesOptions`, of this package or of tfx_bsl.
        """
        self.ArrowSchema()
        return (batch.to_pyarrow() for batch in self._dataset().record_batches(**_seeded(options)))

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
        dataset = self._dataset().to_tf(**iteration)
        if label is not None:
            dataset = dataset.map(functools.partial(_labelled, label))
        return dataset.prefetch(options.prefetch_buffer_size)


class FileRecords(FileBatches, Records):
    """Records of files that can also be read outside a pipeline."""

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
        return self._with_raw_records(_seeded(options))


def _seeded(options: RecordBatchesOptions) -> dict[str, Any]:
    """Converts the options to those of `Dataset.record_batches`, with a seed."""
    return {"seed": secrets.randbits(64), **_iteration(options)}


def _iteration(options: RecordBatchesOptions | TensorFlowDatasetOptions) -> dict[str, Any]:
    """Converts the options to those of `Dataset.record_batches`."""
    seed = options.shuffle_seed
    return {
        "batch_size": options.batch_size,
        # In an endless iteration, every batch is full.
        "drop_remainder": options.drop_final_batch or options.num_epochs is None,
        "epochs": options.num_epochs,
        "across_epochs": True,
        "shuffle_buffer_size": options.shuffle_buffer_size if options.shuffle else 0,
        **({} if seed is None else {"seed": seed % _SEEDS}),
    }


def _labelled(label: str, tensors: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    return {name: tensor for name, tensor in tensors.items() if name != label}, tensors[label]
