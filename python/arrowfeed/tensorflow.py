"""Conversion of tensors to TensorFlow.

If TensorFlow is installed, importing this module registers the op of `Dataset.to_tf`. A process that runs a
graph of another process, such as a worker of tf.data service, must import this module first.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, Any

from arrowfeed._frameworks import convert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed.types import Tensor

__all__ = ["to_tensorflow"]


def to_tensorflow(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Converts tensors to TensorFlow, without a copy if their memory is aligned.

    | arrowfeed | TensorFlow |
    |---|---|
    | `DenseTensor` | `tf.Tensor` of its shape |
    | `SparseTensor` | `tf.SparseTensor` |
    | `RaggedTensor` | `tf.RaggedTensor`, row splits with the same integer type |
    | `StructuredTensor` | dict of its fields |

    TensorFlow requires memory that is aligned to 64 bytes: aligned numbers are shared, other numbers are
    copied. Bools, which are bits in Arrow, are always copied. Byte strings are copied into `tf.string`.

    Args:
        tensors: The result of `TensorAdapter.convert`.

    Returns:
        Eager tensors on the CPU, with the same names.

    Raises:
        ImportError: TensorFlow is not installed.
        TypeError: `tensors` is not a dict of tensors.

    Example:
        >>> to_tensorflow(adapter.convert(batch))["x"].shape
        TensorShape([1024, 128])
    """
    eager = importlib.import_module("arrowfeed._tensorflow").eager
    return convert(tensors, lambda _, tensor: eager(tensor))


# Without TensorFlow, or with a TensorFlow that accepts no ops, the error is raised on use.
with contextlib.suppress(ImportError, RuntimeError):
    importlib.import_module("arrowfeed._tensorflow.op").register()
