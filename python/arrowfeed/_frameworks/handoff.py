"""Code that the modules of all frameworks share. Imports no framework."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import DenseTensor, RaggedTensor, SparseTensor, StructuredTensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed.types import PlainTensor, Tensor


class RaggedParts(NamedTuple):
    """A ragged tensor for frameworks that have none: row `i` is `flat_values[splits[i]:splits[i + 1]]`.

    With several levels, the splits of one level are over the rows of the next, the last over `flat_values`.

    Attributes:
        flat_values: The values of all rows, `[values, ...]`.
        row_splits: From the outside in, each `[rows + 1]`.
    """

    flat_values: Any
    row_splits: tuple[Any, ...]


# Users know it by this name, in pickles. Importing this module does not import PyTorch.
RaggedParts.__module__ = "arrowfeed.torch"


def framework(name: str) -> Any:
    """The module of a framework.

    Raises:
        ImportError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] != name.split(".", maxsplit=1)[0]:
            raise
        message = f"expected {name} to make its tensors with, found it not installed: pip install {name}"
        raise ImportError(message, name=name) from error


def convert(tensors: Mapping[str, Tensor], one: Callable[[str, PlainTensor], Any]) -> dict[str, Any]:
    """Converts each tensor by name; of structured ones, each field, which becomes a dict.

    Args:
        tensors: Of `TensorAdapter.convert`.
        one: Takes the name, and a dense, sparse or ragged tensor.

    Raises:
        TypeError: `tensors` is no such dict.
    """
    given: Any = tensors
    if not isinstance(given, Mapping):
        message = f"tensors: expected a dict of names to tensors, found {type(given).__name__}"
        raise TypeError(message)
    return {name: _convert(name, tensor, one) for name, tensor in tensors.items()}


def _convert(name: str, tensor: Tensor, one: Callable[[str, PlainTensor], Any]) -> Any:
    if isinstance(tensor, StructuredTensor):
        return {field: _convert(f"{name}.{field}", inner, one) for field, inner in tensor.fields.items()}
    given: Any = tensor
    if not isinstance(given, DenseTensor | SparseTensor | RaggedTensor):
        message = f"tensors[{name!r}]: expected a tensor of arrowfeed, found {type(given).__name__}"
        raise TypeError(message)
    return one(name, tensor)
