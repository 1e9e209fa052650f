"""Conversion of tensors to PyTorch. Imports PyTorch on first use."""

from __future__ import annotations

import functools
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import DenseTensor, SparseTensor, join_jagged
from arrowfeed._frameworks import (
    RaggedForms,
    RaggedParts,
    check_names,
    check_one_ragged_dimension,
    convert,
    framework,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from arrowfeed._arrowfeed import RaggedTensor
    from arrowfeed.types import KeyedJagged, PlainTensor, RaggedForm, Tensor

__all__ = [
    "RaggedParts",
    "ValuesAndLengths",
    "ValuesAndOffsets",
    "keyed_jagged",
    "lengths",
    "nested",
    "offsets",
    "to_torch",
]


class ValuesAndOffsets(NamedTuple):
    """A ragged tensor as `torch.nn.EmbeddingBag` takes it: `bag(*parts)`.

    Attributes:
        values: The values of all rows, `[values, ...]`.
        offsets: The number of the first value of each row, `[rows]`.
    """

    values: Any
    offsets: Any


class ValuesAndLengths(NamedTuple):
    """A ragged tensor as TorchRec's `JaggedTensor` takes it.

    Attributes:
        values: The values of all rows, `[values, ...]`.
        lengths: The number of values of each row, `[rows]`.
    """

    values: Any
    lengths: Any


def to_torch(
    tensors: Mapping[str, Tensor],
    *,
    ragged: RaggedForm | Mapping[str, RaggedForm] = "parts",
    keyed_jagged: KeyedJagged | None = None,
) -> dict[str, Any]:
    """Converts tensors to PyTorch, without a copy except for bools.

    | arrowfeed | PyTorch |
    |---|---|
    | `DenseTensor` | `torch.Tensor` of its shape |
    | `SparseTensor` | `torch.sparse_coo` tensor, not coalesced |
    | `RaggedTensor` | `RaggedParts`: flat values and row splits; `ragged` chooses another form |
    | `StructuredTensor` | dict of its fields |
    | byte strings | unchanged: PyTorch has no type for them |

    | `ragged` | form of ragged tensors |
    |---|---|
    | `"parts"` | `RaggedParts` |
    | `"nested"` | the result of `nested`: `torch.nested` in the jagged layout |
    | `"offsets"` | the result of `offsets`, for `torch.nn.EmbeddingBag` |
    | `"lengths"` | the result of `lengths` |

    PyTorch has no read-only tensors, so writing to a tensor changes the record batch. Clone a tensor before
    you write to it.

    Args:
        tensors: The result of `TensorAdapter.convert`.
        ragged: The form of all ragged tensors, or a dict of the forms of some of them. All forms except
            `"parts"` have one ragged dimension. The names in a dict may be those of fields, such as
            `"user.tags"`.
        keyed_jagged: A dict of names to lists of names of tensors. Each list becomes one `KeyedJaggedTensor`
            of TorchRec with these keys, which replaces its tensors, as `keyed_jagged` makes it.

    Returns:
        Tensors on the CPU, with the same names.

    Raises:
        ImportError: PyTorch or, for `keyed_jagged`, TorchRec is not installed.
        ConversionError: A ragged tensor has several ragged dimensions.
        ValueError: `ragged` has another form, or `keyed_jagged` an unknown name.
        TypeError: `tensors` is not a dict of tensors.

    Example:
        >>> to_torch(adapter.convert(batch))["x"].shape
        torch.Size([1024, 128])
    """
    return Converter(ragged, keyed_jagged)(tensors)


class Converter:
    """Converts batches as `to_torch` does, with the same forms of tensors.

    Args:
        ragged: As in `to_torch`.
        keyed_jagged: As in `to_torch`.
        names: The names of all tensors and fields, to check names. None: names are not checked.

    Raises:
        ImportError: PyTorch or, for `keyed_jagged`, TorchRec is not installed.
        ValueError: A form or a name is unknown.
    """

    def __init__(self, ragged: Any, keyed_jagged: KeyedJagged | None, names: list[str] | None = None) -> None:
        forms: dict[str, Callable[[str, RaggedTensor], Any]] = {
            "parts": lambda _name, tensor: _parts(tensor),
            "nested": lambda _name, tensor: nested(tensor),
            "offsets": lambda _name, tensor: offsets(tensor),
            "lengths": lambda _name, tensor: lengths(tensor),
        }
        self._forms = RaggedForms(ragged, forms)
        self._keyed = {name: list(keys) for name, keys in (keyed_jagged or {}).items()}
        self._joined = [key for keys in self._keyed.values() for key in keys]
        self._one = functools.partial(_one, framework("torch"), self._forms)
        if self._keyed:
            _kjt_class()
        if names is not None:
            check_names("ragged", self._forms.names, names)
            check_names("keyed_jagged", self._joined, names)

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Any]:
        if not self._keyed:
            return convert(tensors, self._one)
        others = {name: tensor for name, tensor in tensors.items() if name not in self._joined}
        made = convert(others, self._one)
        made.update((name, keyed_jagged(tensors, keys)) for name, keys in self._keyed.items())
        return made


def nested(tensor: RaggedTensor) -> Any:
    """Converts a ragged tensor to a nested tensor of PyTorch in the jagged layout, without a copy of values.

    Args:
        tensor: A ragged tensor of numbers with one ragged dimension.

    Raises:
        ConversionError: The tensor has several ragged dimensions.
        ImportError: PyTorch is not installed.

    Example:
        >>> nested(arrowfeed.RaggedTensor([1, 2, 3], [[0, 1, 1, 3]])).offsets()
        tensor([0, 1, 1, 3])
    """
    torch = framework("torch")
    values, splits = _values_and_splits(torch, tensor)
    return torch.nested.nested_tensor_from_jagged(values, splits.long())


def offsets(tensor: RaggedTensor) -> ValuesAndOffsets:
    """Converts a ragged tensor to its values and the offset of each row, without a copy.

    For `EmbeddingBag(include_last_offset=True)`, pass the row splits instead, which are the offsets and the
    number of values: `RaggedParts.row_splits[0]`.

    Args:
        tensor: A ragged tensor of numbers with one ragged dimension.

    Raises:
        ConversionError: The tensor has several ragged dimensions.
        ImportError: PyTorch is not installed.

    Example:
        >>> torch.nn.EmbeddingBag(1000, 16)(*offsets(tensors["words"])).shape
        torch.Size([1024, 16])
    """
    values, splits = _values_and_splits(framework("torch"), tensor)
    return ValuesAndOffsets(values, splits[:-1])


def lengths(tensor: RaggedTensor) -> ValuesAndLengths:
    """Converts a ragged tensor to its values, without a copy, and the number of values of each row.

    Args:
        tensor: A ragged tensor of numbers with one ragged dimension.

    Raises:
        ConversionError: The tensor has several ragged dimensions.
        ImportError: PyTorch is not installed.

    Example:
        >>> lengths(arrowfeed.RaggedTensor([1, 2, 3], [[0, 1, 1, 3]])).lengths
        tensor([1, 0, 2])
    """
    torch = framework("torch")
    return ValuesAndLengths(torch.from_dlpack(tensor.parts()[0]), torch.from_dlpack(tensor.lengths()))


def keyed_jagged(tensors: Mapping[str, Tensor], keys: Iterable[str]) -> Any:
    """Makes a `KeyedJaggedTensor` of TorchRec, with one copy of the values. Imports TorchRec.

    It has the values of each key row by row, int32 lengths, and the number of values of each key, so that
    TorchRec does not count them again.

    Args:
        tensors: The result of `TensorAdapter.convert`. The tensors of the keys have numbers of one type. Each
            is ragged with one ragged dimension, or dense with one dimension (one value for each row) or two
            (equal numbers of values).
        keys: The names of the tensors, in the order of the keys.

    Raises:
        ImportError: PyTorch or TorchRec is not installed.
        ConversionError: A tensor has another kind, shape or type.
        ValueError: A key is unknown, or there are none.

    Example:
        >>> keyed_jagged(adapter.convert(batch), ["user", "words"]).keys()
        ['user', 'words']
    """
    torch, kjt, names = framework("torch"), _kjt_class(), list(keys)
    check_names("keys", names, tensors)
    if not names:
        raise ValueError("keys: expected at least one name of a tensor, found none")
    values, row_lengths, counts = join_jagged({name: tensors[name] for name in names})
    return kjt(
        keys=names,
        values=torch.from_dlpack(values),
        lengths=torch.from_dlpack(row_lengths),
        stride=len(row_lengths) // len(names),
        length_per_key=counts,
        offset_per_key=[0, *accumulate(counts)],
    )


def _kjt_class() -> Any:
    return framework("torchrec.sparse.jagged_tensor").KeyedJaggedTensor


def _one(torch: Any, forms: RaggedForms, name: str, tensor: PlainTensor) -> Any:
    if tensor.dtype.hasobject:
        return tensor
    if isinstance(tensor, DenseTensor):
        return torch.from_dlpack(tensor)
    if isinstance(tensor, SparseTensor):
        indices, values = map(torch.from_dlpack, tensor.parts())
        # The constructor of the tensor has already checked the invariants.
        return torch.sparse_coo_tensor(indices.t(), values, tensor.dense_shape, check_invariants=False)
    return forms.convert(name, tensor)


def _parts(tensor: RaggedTensor) -> RaggedParts:
    torch = framework("torch")
    flat_values, row_splits = tensor.parts()
    splits = tuple(torch.from_dlpack(level) for level in row_splits)
    return RaggedParts(torch.from_dlpack(flat_values), splits)


def _values_and_splits(torch: Any, tensor: RaggedTensor) -> tuple[Any, Any]:
    values, splits = tensor.parts()
    check_one_ragged_dimension(tensor)
    return torch.from_dlpack(values), torch.from_dlpack(splits[0])
