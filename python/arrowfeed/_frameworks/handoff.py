"""Code that the modules of all frameworks share. Imports no framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import DenseTensor, RaggedTensor, SparseTensor, StructuredTensor
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arrowfeed.types import PlainTensor, Tensor


class RaggedParts(NamedTuple):
    """A ragged tensor for frameworks without such a type: row `i` is `flat_values[splits[i]:splits[i + 1]]`.

    If there are several row splits, each indexes the rows of the next one, and the last indexes
    `flat_values`.

    Attributes:
        flat_values: The values of all rows, `[values, ...]`.
        row_splits: Row splits from the outside in, each `[rows + 1]`.
    """

    flat_values: Any
    row_splits: tuple[Any, ...]


# The public name, which pickles use. Importing that module does not import PyTorch.
RaggedParts.__module__ = "arrowfeed.torch"


def framework(name: str) -> Any:
    """Imports the module of a framework.

    Raises:
        ImportError: The framework is not installed.
    """
    return needed(name, "to make its tensors")


def of_tensors(name: str, names: Iterable[str]) -> str:
    """The `repr` of an object of tensors, with escaped control characters.

    Args:
        name: Name of the class.
        names: Names of the tensors.
    """
    shown = ", ".join(names)
    shown = "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in shown)
    return f"<arrowfeed.{name} of tensors {shown}>"


def convert(tensors: Mapping[str, Tensor], one: Callable[[str, PlainTensor], Any]) -> dict[str, Any]:
    """Converts each tensor by name. A structured tensor becomes a dict of its converted fields.

    Args:
        tensors: The result of `TensorAdapter.convert`.
        one: Converts a dense, sparse or ragged tensor, called with its name.

    Raises:
        TypeError: `tensors` is not such a dict.
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
