"""Datasets as TensorFlow has them: `AvroDataset.to_tf`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from arrowfeed._handoff import framework
from arrowfeed._passes import batches_of_pass
from arrowfeed._tf_generator import from_arrays
from arrowfeed._tf_parts import composed, parts, signature
from arrowfeed._tf_specs import type_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from arrowfeed._arrowfeed import AvroDataset
    from arrowfeed.types import Tensor

AHEAD = 2
"""Batches that wait for the model, so that making one and computing with another go on side by side."""


def tf_dataset(dataset: AvroDataset, **options: Any) -> Any:
    """The `tf.data.Dataset` of a dataset's tensors. See `AvroDataset.to_tf`."""
    tf = framework("tensorflow")
    rows = options["batch_size"] if options.get("drop_remainder") else None
    specs = {name: type_spec(tf, spec, rows) for name, spec in dataset.specs.items()}
    passes = itertools.count()

    def batches() -> Iterator[Mapping[str, Tensor]]:
        with batches_of_pass(dataset, next(passes), options) as iterator:
            yield from iterator

    made = generated(tf, specs, batches)
    if options.get("epochs", 1) is None:
        made = made.apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    return made.prefetch(AHEAD)


def generated(
    tf: Any,
    specs: dict[str, Any],
    batches: Callable[..., Iterator[Mapping[str, Tensor]]],
    arguments: tuple[Any, ...] = (),
) -> Any:
    """The `tf.data.Dataset` of what a generator gives.

    Args:
        tf: TensorFlow.
        specs: The `tf.TypeSpec` of each tensor, by name.
        batches: Called for each iteration over the dataset. What it raises ends the iteration.
        arguments: Tensors, whose values it is called with.
    """

    def arrays(*values: Any) -> Iterator[tuple[Any, ...]]:
        for tensors in batches(*values):
            yield tuple(part for name in specs for part in parts(tensors[name]))

    def compose(*given: Any) -> dict[str, Any]:
        remaining = iter(given)
        return {name: composed(tf, spec, remaining) for name, spec in specs.items()}

    flat = [part for spec in specs.values() for part in signature(tf, spec)]
    return from_arrays(tf, flat, arrays, arguments).map(compose)
