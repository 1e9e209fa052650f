"""Conversion of tensors to JAX. Imports JAX on first use."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import DenseTensor, SparseTensor
from arrowfeed._errors import ConversionError
from arrowfeed._frameworks import RaggedForms, RaggedParts, check_names, convert, framework

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed._arrowfeed import RaggedTensor
    from arrowfeed.types import JaxRaggedForm, PlainTensor, Tensor

__all__ = ["Padded", "RaggedParts", "Segments", "to_jax"]


class Padded(NamedTuple):
    """A ragged tensor whose rows are padded to the longest one of the batch.

    Attributes:
        values: The values, `[rows, longest, ...]`, with zeros after those of shorter rows.
        mask: Bools `[rows, longest]`, True where the row has a value.
    """

    values: Any
    mask: Any


class Segments(NamedTuple):
    """A ragged tensor as `jax.ops.segment_sum` takes it: `segment_sum(*segments, num_segments=rows)`.

    Attributes:
        values: The values of all rows, `[values, ...]`.
        segment_ids: The row of each value, `[values]`.
    """

    values: Any
    segment_ids: Any


def to_jax(
    tensors: Mapping[str, Tensor], *, ragged: JaxRaggedForm | Mapping[str, JaxRaggedForm] = "parts"
) -> dict[str, Any]:
    """Converts tensors to JAX, without a copy if their memory is aligned.

    | arrowfeed | JAX |
    |---|---|
    | `DenseTensor` | `jax.Array` of its shape |
    | `SparseTensor` | `jax.experimental.sparse.BCOO` |
    | `RaggedTensor` | `RaggedParts`: flat values and row splits; `ragged` chooses another form |
    | `StructuredTensor` | dict of its fields |
    | byte strings | unchanged: JAX has no type for them |

    | `ragged` | form of ragged tensors |
    |---|---|
    | `"parts"` | `RaggedParts` |
    | `"padded"` | `Padded`: padded values and a mask |
    | `"segments"` | `Segments`: flat values and the row of each |

    Without `jax_enable_x64`, JAX has no 64-bit types: it converts float64 to float32 and int64 to int32. This
    function raises an error for an integer that does not fit; JAX itself would truncate the integer.

    Args:
        tensors: The result of `TensorAdapter.convert`.
        ragged: The form of all ragged tensors, or a dict of the forms of some of them. All forms except
            `"parts"` have one ragged dimension. The names in a dict may be those of fields, such as
            `"user.tags"`. To pad to a constant length, see `features.Ragged`.

    Returns:
        Arrays on the CPU, with the same names.

    Raises:
        ImportError: JAX is not installed.
        ConversionError: An integer does not fit into 32 bits, and `jax_enable_x64` is off; or a ragged tensor
            has several ragged dimensions.
        ValueError: `ragged` has another form.
        TypeError: `tensors` is not a dict of tensors.

    Example:
        >>> to_jax(adapter.convert(batch))["x"].shape
        (1024, 128)
    """
    return Converter(ragged)(tensors)


class Converter:
    """Converts batches as `to_jax` does, with the same forms of ragged tensors.

    Args:
        ragged: As in `to_jax`.
        names: The names of all tensors and fields, to check names. None: names are not checked.

    Raises:
        ImportError: JAX is not installed.
        ValueError: A form or a name is unknown.
    """

    def __init__(self, ragged: Any, names: list[str] | None = None) -> None:
        jax = framework("jax")
        forms = {"parts": _parts, "padded": _padded, "segments": _segments}
        known = {form: functools.partial(make, jax) for form, make in forms.items()}
        self._forms = RaggedForms(ragged, known)
        self._one = functools.partial(_one, jax, self._forms)
        if names is not None:
            check_names("ragged", self._forms.names, names)

    def __call__(self, tensors: Mapping[str, Tensor]) -> dict[str, Any]:
        return convert(tensors, self._one)


def _one(jax: Any, forms: RaggedForms, name: str, tensor: PlainTensor) -> Any:
    if tensor.dtype.hasobject:
        return tensor
    hand_on = functools.partial(_dense, jax, name)
    if isinstance(tensor, DenseTensor):
        return hand_on(tensor)
    if isinstance(tensor, SparseTensor):
        indices, values = map(hand_on, tensor.parts())
        return framework("jax.experimental.sparse").BCOO((values, indices), shape=tensor.dense_shape)
    return forms.convert(name, tensor)


def _parts(jax: Any, name: str, tensor: RaggedTensor) -> RaggedParts:
    flat_values, row_splits = tensor.parts()
    splits = tuple(_dense(jax, name, level) for level in row_splits)
    return RaggedParts(_dense(jax, name, flat_values), splits)


def _padded(jax: Any, name: str, tensor: RaggedTensor) -> Padded:
    values, mask = tensor.padded()
    return Padded(_dense(jax, name, values), _dense(jax, name, mask))


def _segments(jax: Any, name: str, tensor: RaggedTensor) -> Segments:
    values, rows = tensor.parts()[0], tensor.segment_ids()
    return Segments(_dense(jax, name, values), _dense(jax, name, rows))


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
