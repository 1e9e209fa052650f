"""Copies of JAX arrays to devices, and arrays of which each process has a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arrowfeed._errors import ConversionError
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Callable


def placement(device: Any, sharding: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Returns the function that copies a batch.

    Args:
        device: A device. None: `sharding` is set.
        sharding: A sharding of all tensors, or a dict of those of some of them.

    Raises:
        ValueError: Both are set.
    """
    if device is None:
        return Sharded(sharding)
    if sharding is not None:
        raise ValueError("sharding: expected no sharding with device=, found both")
    jax = framework("jax")

    def copy(leaf: Any) -> Any:
        # It returns before the copy is complete. Operations on the copy wait for it.
        return jax.device_put(leaf, device) if isinstance(leaf, jax.Array) else leaf

    return lambda batch: jax.tree.map(copy, batch)


class Sharded:
    """Makes global arrays, of which the batch of this process is a part: the rows of the batch are split."""

    def __init__(self, sharding: Any) -> None:
        self._jax = framework("jax")
        is_by_name = isinstance(sharding, dict)
        self._by_name = cast("dict[str, Any]", sharding) if is_by_name else None
        self._sharding: Any = None if is_by_name else sharding

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {name: self._one(name, value) for name, value in batch.items()}

    def _one(self, name: str, value: Any) -> Any:
        sharding = self._sharding if self._by_name is None else self._by_name.get(name)
        if sharding is None:
            return value
        if not isinstance(value, self._jax.Array):
            found = type(value).__name__
            message = f"tensor {name!r}: expected a dense tensor of numbers to shard, found {found}"
            raise ConversionError(message, tensor=name)
        return self._jax.make_array_from_process_local_data(sharding, np.asarray(value))
