"""Python parts of `Dataset`: restoring from pickles, and passes over a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import BatchIterator, Dataset
    from arrowfeed.types import AnyTensor


def restored(
    made: Callable[..., Dataset],
    source: Any,
    options: dict[str, Any],
    names: list[str] | None,
    restrictions: list[tuple[str, Any]],
    *maps: tuple[dict[str, Any], list[str] | None],
) -> Dataset:
    """Restores a pickled dataset.

    Args:
        made: The dataset class of its format.
        source: The files of the dataset.
        options: The options of its constructor.
        names: The tensors that remain after a projection. None: no projection.
        restrictions: The calls that restricted the rows, in order, each with its values: "filter" with the
            text of the predicate; "rows" with the first row and their number; "split" with the rows that were
            divided, the fraction, the seed, and whether the second part is read.
        maps: The arguments of each `map`, and the names of the tensors after a projection of its result.
    """
    dataset = made(source, **options)
    if names is not None:
        dataset = dataset.project(names)
    for kind, value in restrictions:
        if kind == "filter":
            dataset = dataset.filter(value)
        elif kind == "rows":
            dataset = selected(dataset, value)
        else:
            divided, fraction, seed, is_rest = cast("tuple[tuple[int, int], float, int, bool]", value)
            dataset = selected(dataset, divided).split(fraction, seed=seed)[is_rest]
    for arguments, tensors in maps:
        dataset = dataset.map(**arguments)
        if tensors is not None:
            dataset = dataset.project(tensors)
    return dataset


def selected(dataset: Dataset, rows: tuple[int, int]) -> Dataset:
    """The rows of a dataset from a row on. `rows` are the first row and the number of rows."""
    first, count = rows
    return dataset.skip(first).take(count)


def batches_of_pass(
    dataset: Dataset, number: int, options: dict[str, Any]
) -> BatchIterator[dict[str, AnyTensor]]:
    """Iterates over the tensors of a pass, whose epochs follow those of the previous passes.

    With a seed, each pass therefore has a different order, and all runs have the same passes.

    Args:
        dataset: The dataset.
        number: Number of the pass, from 0.
        options: Options of `Dataset.tensors` for each pass.
    """
    has_order = options.get("shuffle_buffer_size") and options.get("seed") is not None
    if not has_order or number == 0:
        return tensors_of(dataset, options)
    start = options.get("start_epoch", 0) + (options.get("epochs", 1) or 1) * number
    return tensors_of(dataset, {**options, "start_epoch": start})


def tensors_of(dataset: Dataset, options: dict[str, Any]) -> BatchIterator[dict[str, AnyTensor]]:
    """Returns `dataset.tensors(**options)`, without labels."""
    # The options could have a label, so the type of the result does not follow from them.
    return cast("Any", dataset).tensors(**options)
