"""Conversion of tensors to PyTorch. Imports PyTorch on first use."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import DenseTensor, SparseTensor
from arrowfeed._frameworks import RaggedParts, convert, framework

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed.types import PlainTensor, Tensor

__all__ = ["RaggedParts", "to_torch"]


def to_torch(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Converts tensors to PyTorch, without a copy except for bools.

    | arrowfeed | PyTorch |
    |---|---|
    | `DenseTensor` | `torch.Tensor` of its shape |
    | `SparseTensor` | `torch.sparse_coo` tensor, not coalesced |
    | `RaggedTensor` | `RaggedParts`: flat values and row splits |
    | `StructuredTensor` | dict of its fields |
    | byte strings | unchanged: PyTorch has no type for them |

    `torch.nested.nested_tensor_from_jagged(parts.flat_values, parts.row_splits[0])` makes a nested tensor
    from a ragged tensor with one ragged dimension. PyTorch has no read-only tensors, so writing to a tensor
    changes the record batch. Clone a tensor before you write to it.

    Args:
        tensors: The result of `TensorAdapter.convert`.

    Returns:
        Tensors on the CPU, with the same names.

    Raises:
        ImportError: PyTorch is not installed.
        TypeError: `tensors` is not a dict of tensors.

    Example:
        >>> to_torch(adapter.convert(batch))["x"].shape
        torch.Size([1024, 128])
    """
    torch = framework("torch")
    return convert(tensors, functools.partial(_one, torch))


def _one(torch: Any, _name: str, tensor: PlainTensor) -> Any:
    if tensor.dtype.hasobject:
        return tensor
    if isinstance(tensor, DenseTensor):
        return torch.from_dlpack(tensor)
    if isinstance(tensor, SparseTensor):
        indices, values = map(torch.from_dlpack, tensor.parts())
        # The constructor of the tensor has already checked the invariants.
        return torch.sparse_coo_tensor(indices.t(), values, tensor.dense_shape, check_invariants=False)
    flat_values, row_splits = tensor.parts()
    splits = tuple(torch.from_dlpack(level) for level in row_splits)
    return RaggedParts(torch.from_dlpack(flat_values), splits)
