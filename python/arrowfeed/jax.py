"""Conversion of tensors to JAX. Imports JAX on first use."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import DenseTensor, SparseTensor
from arrowfeed._errors import ConversionError
from arrowfeed._frameworks import RaggedParts, convert, framework

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed.types import PlainTensor, Tensor

__all__ = ["RaggedParts", "to_jax"]


def to_jax(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Converts tensors to JAX, without a copy if their memory is aligned.

    | arrowfeed | JAX |
    |---|---|
    | `DenseTensor` | `jax.Array` of its shape |
    | `SparseTensor` | `jax.experimental.sparse.BCOO` |
    | `RaggedTensor` | `RaggedParts`: flat values and row splits |
    | `StructuredTensor` | dict of its fields |
    | byte strings | unchanged: JAX has no type for them |

    Without `jax_enable_x64`, JAX has no 64-bit types: it converts float64 to float32 and int64 to int32. This
    function raises an error for an integer that does not fit; JAX itself would truncate the integer.

    Args:
        tensors: The result of `TensorAdapter.convert`.

    Returns:
        Arrays on the CPU, with the same names.

    Raises:
        ImportError: JAX is not installed.
        ConversionError: An integer does not fit into 32 bits, and `jax_enable_x64` is off.
        TypeError: `tensors` is not a dict of tensors.

    Example:
        >>> to_jax(adapter.convert(batch))["x"].shape
        (1024, 128)
    """
    return convert(tensors, functools.partial(_one, framework("jax")))


def _one(jax: Any, name: str, tensor: PlainTensor) -> Any:
    if tensor.dtype.hasobject:
        return tensor
    hand_on = functools.partial(_dense, jax, name)
    if isinstance(tensor, DenseTensor):
        return hand_on(tensor)
    if isinstance(tensor, SparseTensor):
        indices, values = map(hand_on, tensor.parts())
        return framework("jax.experimental.sparse").BCOO((values, indices), shape=tensor.dense_shape)
    flat_values, row_splits = tensor.parts()
    return RaggedParts(hand_on(flat_values), tuple(map(hand_on, row_splits)))


def _dense(jax: Any, name: str, tensor: DenseTensor) -> Any:
    if not jax.config.jax_enable_x64:
        _check_32_bits(name, tensor)
    # JAX would copy unaligned memory anyway.
    return jax.numpy.from_dlpack(tensor.aligned())


def _check_32_bits(name: str, tensor: DenseTensor) -> None:
    if tensor.dtype.kind not in "iu" or tensor.dtype.itemsize <= 4 or 0 in tensor.shape:  # noqa: PLR2004
        return
    least, most = (-(2**31), 2**31 - 1) if tensor.dtype.kind == "i" else (0, 2**32 - 1)
    for found in (int(tensor.values.min()), int(tensor.values.max())):
        if not least <= found <= most:
            expected = "32-bit integers, because jax_enable_x64 is not set"
            message = f"tensor {name!r}: expected {expected}, found {found}"
            raise ConversionError(message, tensor=name)
