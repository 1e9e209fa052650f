"""Batches and tensors of files, outside of a pipeline."""

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
    """The patterns of an argument.

    Raises:
        ValueError: There is none.
    """
    alone = isinstance(file_pattern, str | os.PathLike)
    patterns: Sequence[str | os.PathLike[str]] = [file_pattern] if alone else file_pattern
    if not patterns:
        raise ValueError("file_pattern: expected a pattern or more, found none")
    return [os.fspath(pattern) for pattern in patterns]


class FileBatches(TFXIO):
    """Files that are read outside of a pipeline too."""

    @abc.abstractmethod
    def _dataset(self) -> Dataset:
        """The columns and the tensors of the files."""

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Record batches of pyarrow, outside of a pipeline.

        All have `batch_size` rows, across the ends of epochs; only the very last one may have fewer.

        Args:
            options: As in tfx_bsl.
        """
        self.ArrowSchema()
        return (batch.to_pyarrow() for batch in self._dataset().record_batches(**_seeded(options)))

    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: N802
        """A `tf.data.Dataset` of what `TensorAdapter()` makes of `RecordBatches`.

        Elements are dicts of tensors by name; with a `label_key`, pairs of such a dict and the label.

        Args:
            options: As in tfx_bsl. Each iteration over the dataset is shuffled in another way; with a seed,
                in the same ways in each run.

        Raises:
            ValueError: There is no tensor of the name of the label, or a representation does not fit.
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
    """Records of files that are read outside of a pipeline too."""

    @abc.abstractmethod
    def _with_raw_records(self, iteration: dict[str, Any]) -> Iterator[Any]:
        """Batches of pyarrow with a last column of the records themselves."""

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Record batches of pyarrow, outside of a pipeline: those of all files, and the records themselves.

        Args:
            options: As in tfx_bsl.
        """
        if self.raw_record_column_name is None:
            return super().RecordBatches(options)
        self.ArrowSchema()
        return self._with_raw_records(_seeded(options))


def _seeded(options: RecordBatchesOptions) -> dict[str, Any]:
    """The same in the words of `Dataset.record_batches`, with a seed."""
    return {"seed": secrets.randbits(64), **_iteration(options)}


def _iteration(options: RecordBatchesOptions | TensorFlowDatasetOptions) -> dict[str, Any]:
    """The same in the words of `Dataset.record_batches`."""
    seed = options.shuffle_seed
    return {
        "batch_size": options.batch_size,
        # Without an end, every batch is full.
        "drop_remainder": options.drop_final_batch or options.num_epochs is None,
        "epochs": options.num_epochs,
        "across_epochs": True,
        "shuffle_buffer_size": options.shuffle_buffer_size if options.shuffle else 0,
        **({} if seed is None else {"seed": seed % _SEEDS}),
    }


def _labelled(label: str, tensors: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    return {name: tensor for name, tensor in tensors.items() if name != label}, tensors[label]
