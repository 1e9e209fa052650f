"""Options of reading, by tfx_bsl's names, order and defaults."""

from __future__ import annotations

from typing import NamedTuple

AUTOTUNE = -1
"""TensorFlow's word for: as many as it sees fit."""


class RecordBatchesOptions(NamedTuple):
    """Options of `TFXIO.RecordBatches`.

    Attributes:
        batch_size: Rows of a batch.
        drop_final_batch: Leaves out the last batch where it has fewer rows.
        num_epochs: How often all rows are given. None: without end.
        shuffle: Whether rows are shuffled.
        shuffle_buffer_size: Rows that are shuffled with each other, at least.
        shuffle_seed: Of the shuffle. None: another order each time.

    Example:
        >>> RecordBatchesOptions(1024, num_epochs=1, shuffle=False)
    """

    batch_size: int
    drop_final_batch: bool = False
    num_epochs: int | None = None
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: int | None = None


class TensorFlowDatasetOptions(NamedTuple):
    """Options of `TFXIO.TensorFlowDataset`: those of `RecordBatchesOptions`, and more.

    Attributes:
        batch_size: As there; so are the options down to `shuffle_seed`.
        drop_final_batch: Leaves out a short last batch.
        num_epochs: How often all rows are given.
        shuffle: Whether rows are shuffled.
        shuffle_buffer_size: Rows that are shuffled with each other.
        shuffle_seed: Of the shuffle.
        prefetch_buffer_size: Batches that wait for the model.
        reader_num_threads: Threads that decode.
        parser_num_threads: Has no effect: who decodes makes columns at once.
        sloppy_ordering: Has no effect: an order that is kept costs nothing here.
        label_key: The tensor that is the label: elements are pairs of the other tensors and this one.

    Example:
        >>> TensorFlowDatasetOptions(1024, num_epochs=1, label_key="label")
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
