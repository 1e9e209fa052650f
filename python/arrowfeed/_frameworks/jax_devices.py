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
        values = np.asarray(value)
        try:
            return self._jax.make_array_from_process_local_data(sharding, values)
        except ValueError as error:
            parts = _parts(sharding, values.shape)
            if parts is None or values.shape[0] % parts == 0:
                raise
            message = (
                f"tensor {name!r}: expected rows that the {parts} devices of its sharding divide evenly, "
                f"found {values.shape[0]}: use a batch_size= that is a multiple of {parts}, with "
                "drop_remainder=True"
            )
            raise ConversionError(message, tensor=name) from error


def _parts(sharding: Any, shape: tuple[int, ...]) -> int | None:
    """Number of parts into which a sharding divides the rows of this process. None: it has another rank."""
    devices, own = len(sharding.device_set), len(sharding.addressable_devices)
    if not shape:
        return None
    try:
        [rows, *_] = sharding.shard_shape((devices, *shape[1:]))
    except ValueError:
        return None
    return max(devices // rows * own // devices, 1)
