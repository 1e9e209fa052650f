"""Code that the modules of all frameworks share. Imports no framework."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from arrowfeed._arrowfeed import DenseTensor, RaggedTensor, SparseTensor, StructuredTensor
from arrowfeed._errors import ConversionError
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arrowfeed._arrowfeed import TensorSpec
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


class RaggedForms:
    """The forms that ragged tensors have in a framework.

    Args:
        ragged: The form of all ragged tensors, or a dict of the forms of some of them by name.
        known: The functions that make the forms of a tensor and its name, by the names of the forms. Only the
            first form, which is the default, may have several ragged dimensions.

    Raises:
        ValueError: A form is unknown.
    """

    def __init__(self, ragged: Any, known: Mapping[str, Callable[[str, RaggedTensor], Any]]) -> None:
        default = next(iter(known))
        by_name = dict(cast("Mapping[str, str]", ragged)) if isinstance(ragged, Mapping) else {}
        other = default if isinstance(ragged, Mapping) else ragged
        for form in (*by_name.values(), other):
            if form not in known:
                expected = ", ".join(f'"{form}"' for form in known)
                raise ValueError(f"ragged: expected one of {expected}, or a dict of them, found {form!r}")
        self.names = list(by_name)
        self._default = known[default]
        self._by_name = {name: known[form] for name, form in by_name.items()}
        self._other = known[other]

    def convert(self, name: str, tensor: RaggedTensor) -> Any:
        """Converts a ragged tensor to the form of its name.

        Raises:
            ConversionError: The form requires one ragged dimension, and the tensor has more.
        """
        form = self._by_name.get(name, self._other)
        if form is not self._default:
            check_one_ragged_dimension(tensor, name)
        return form(name, tensor)


def check_one_ragged_dimension(tensor: RaggedTensor, name: str | None = None) -> None:
    """Raises a `ConversionError` if a tensor has several ragged dimensions."""
    if tensor.ragged_rank != 1:
        where = "" if name is None else f"tensor {name!r}: "
        message = f"{where}expected one ragged dimension, found {tensor.ragged_rank}"
        raise ConversionError(message, tensor=name)


def check_names(argument: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raises a `ValueError` if a name is not one of the known tensors, or is there twice."""
    all_known, seen = list(known), set[str]()
    for name in names:
        if name not in all_known:
            raise ValueError(f"{argument}: expected names of tensors, one of {all_known}, found {name!r}")
        if name in seen:
            raise ValueError(f"{argument}: expected each tensor once, found {name!r} twice")
        seen.add(name)


def names_of(specs: Mapping[str, TensorSpec]) -> list[str]:
    """The names of tensors and of the fields of structured tensors, such as `user.tags`."""
    names: list[str] = []
    for name, spec in specs.items():
        names += [name, *(f"{name}.{field}" for field in names_of(spec.fields))]
    return names


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


def checked_function(function: Any) -> Callable[[Any], Any]:
    """Returns the argument of a method `map`. Raises a `TypeError` if it is not callable."""
    if not callable(function):
        expected = "function: expected a function of an element"
        raise TypeError(f"{expected}, found {type(function).__name__} {function!r}")
    return function


def apply_functions(functions: Iterable[Callable[[Any], Any]], element: Any) -> Any:
    """Returns the result of the functions of the methods `map` for an element.

    Raises:
        RuntimeError: A function has raised `StopIteration`, which would end the iteration as if there were no
            more elements.
    """
    try:
        for function in functions:
            element = function(element)
    except StopIteration as error:
        raise RuntimeError("map: the function raised StopIteration") from error
    return element


def warn_of_texts(method: str, library: str, specs: Mapping[str, TensorSpec], frames: int) -> None:
    """Warns of the tensors of byte strings, which stay tensors of arrowfeed.

    Args:
        method: Name of the method of the dataset.
        library: Name of the framework.
        specs: The specs of the tensors.
        frames: Number of functions from the caller of this one to that of the method.
    """
    texts = [name for name, spec in _leaves("", specs) if spec.dtype is not None and spec.dtype.hasobject]
    if texts:
        message = (
            f"{method}: {library} has no byte strings, so these stay tensors of arrowfeed: "
            f"{', '.join(texts)}; transform=arrowfeed.features.hashed(...) makes numbers of them"
        )
        warnings.warn(message, stacklevel=2 + frames)


def _leaves(prefix: str, specs: Mapping[str, TensorSpec]) -> Iterator[tuple[str, TensorSpec]]:
    for name, spec in specs.items():
        if spec.fields:
            yield from _leaves(f"{prefix}{name}.", spec.fields)
        else:
            yield f"{prefix}{name}", spec
