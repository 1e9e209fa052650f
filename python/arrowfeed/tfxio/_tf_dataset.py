"""Record batches as a `tf.data.Dataset` of tensors."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

from arrowfeed._errors import ArrowfeedError
from arrowfeed._handoff import framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arrowfeed.tfxio._adapter import TensorAdapter
    from arrowfeed.tfxio._options import TensorFlowDatasetOptions


def dataset_of(
    adapter: TensorAdapter, batches: Callable[[int], Iterator[Any]], options: TensorFlowDatasetOptions
) -> Any:
    """The dataset of what an adapter makes of batches.

    Args:
        adapter: Makes the tensors.
        batches: Gives the batches of a pass over the dataset, by its number.
        options: `batch_size`, `num_epochs`, `drop_final_batch` say what is known of the sizes; `label_key`
            and `prefetch_buffer_size` are seen to here.

    Raises:
        ValueError: There is no tensor of the name of the label.
    """
    tf = framework("tensorflow")
    specs = adapter.TypeSpecs()
    label = options.label_key
    if label is not None and label not in specs:
        raise ValueError(
            f"The `label_key` provided ({label}) must be one of the following tensorsnames: {specs.keys()}."
        )
    passes = itertools.count()

    def tensors() -> Iterator[dict[str, Any]]:
        try:
            for batch in batches(next(passes)):
                yield adapter.ToBatchTensors(batch, produce_eager_tensors=True)
        except ArrowfeedError as error:
            # TensorFlow makes an InvalidArgumentError of it, and of others an UnknownError.
            raise ValueError(str(error)) from error

    # Without an end, every batch is full.
    is_full = options.num_epochs is None or options.drop_final_batch
    rows = options.batch_size if is_full else None
    signature = {name: _with_rows(tf, spec, rows) for name, spec in specs.items()}
    dataset = tf.data.Dataset.from_generator(tensors, output_signature=signature)
    if label is not None:
        dataset = dataset.map(functools.partial(_labelled, label))
    return dataset.prefetch(options.prefetch_buffer_size)


def _labelled(label: str, tensors: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    return {name: tensor for name, tensor in tensors.items() if name != label}, tensors[label]


def _with_rows(tf: Any, spec: Any, rows: int | None) -> Any:
    """The spec of batches of so many rows."""
    shape = [rows, *spec.shape[1:]]
    if isinstance(spec, tf.RaggedTensorSpec):
        splits = {"ragged_rank": spec.ragged_rank, "row_splits_dtype": spec.row_splits_dtype}
        return tf.RaggedTensorSpec(shape, spec.dtype, **splits)
    return type(spec)(shape, spec.dtype)
