"""Read options with the names, order and defaults of tfx_bsl."""

from __future__ import annotations

from typing import NamedTuple

AUTOTUNE = -1
"""The value with which TensorFlow chooses a number itself."""


class RecordBatchesOptions(NamedTuple):
    """Options of `TFXIO.RecordBatches`.

    Attributes:
        batch_size: Number of rows of a batch.
        drop_final_batch: Drops the last batch if it has fewer rows.
        num_epochs: Number of passes over all rows. None: endless.
        shuffle: Whether to shuffle the rows.
        shuffle_buffer_size: Minimum number of rows that are shuffled together.
        shuffle_seed: Seed of the shuffle. None: a different order each time.

    Example:
        >>> options = RecordBatchesOptions(1024, num_epochs=1, shuffle=False)
        >>> batches = list(source.RecordBatches(options))
    """

    batch_size: int
    drop_final_batch: bool = False
    num_epochs: int | None = None
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: int | None = None


class TensorFlowDatasetOptions(NamedTuple):
    """Options of `TFXIO.TensorFlowDataset`, which extend `RecordBatchesOptions`.

    Attributes:
        batch_size: Number of rows of a batch. `RecordBatchesOptions` explains the options down to
            `shuffle_seed`.
        drop_final_batch: Drops the last batch if it has fewer rows.
        num_epochs: Number of passes over all rows.
        shuffle: Whether to shuffle the rows.
        shuffle_buffer_size: Minimum number of rows that are shuffled together.
        shuffle_seed: Seed of the shuffle.
        prefetch_buffer_size: Number of prefetched batches. -1: TensorFlow chooses the number.
        reader_num_threads: Number of decoding threads. -1: one per core.
        parser_num_threads: Has no effect, because decoding produces columns directly.
        sloppy_ordering: Has no effect, because the order of the rows is always kept.
        label_key: Name of the label tensor. Each element is then a pair of the other tensors and the label.
            None: each element is a dict of all tensors.

    Example:
        >>> options = TensorFlowDatasetOptions(1024, num_epochs=1, label_key="label")
        >>> rows = source.TensorFlowDataset(options)
    """

    batch_size: int
    drop_final_batch: bool = False
    num_epochs: int | None = None
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: int | None = None
    prefetch_buffer_size: int = AUTOTUNE
    reader_num_threads: int = AUTOTUNE
    parser_num_threads: int = AUTOTUNE
    sloppy_ordering: bool = False
    label_key: str | None = None
