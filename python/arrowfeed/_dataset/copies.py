"""The parts of `Dataset` that are Python: its copies from pickles, and the passes over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import BatchIterator, Dataset
    from arrowfeed.types import Tensor


def restored(
    made: Callable[..., Dataset], source: Any, options: dict[str, Any], names: list[str] | None
) -> Dataset:
    """The dataset that was pickled.

    Args:
        made: The class of its format.
        source: Its files.
        options: What it was made with.
        names: The tensors that it was projected to; None: it was not.
    """
    dataset = made(source, **options)
    return dataset if names is None else dataset.project(names)


def batches_of_pass(
    dataset: Dataset, number: int, options: dict[str, Any]
) -> BatchIterator[dict[str, Tensor]]:
    """The tensors of a pass: its epochs are those after the epochs of the passes before it.

    So a seed gives each pass an order of its own, and the same passes in every run.

    Args:
        dataset: What is passed over.
        number: Of the pass, from 0.
        options: Of `Dataset.tensors`, for each pass.
    """
    has_order = options.get("shuffle_buffer_size") and options.get("seed") is not None
    if not has_order or number == 0:
        return dataset.tensors(**options)
    epochs = options.get("epochs", 1)
    changed: dict[str, Any] = {"epochs": None if epochs is None else epochs * (number + 1)}
    iterator = dataset.tensors(**{**options, **changed})
    iterator.load_state_dict({**iterator.state_dict(), "epoch": (epochs or 1) * number})
    return iterator
