"""Tensors as TensorFlow has them.

The import registers the op of `Dataset.to_tf`, where TensorFlow is installed: a process that runs a graph of
another one, such as a worker of tf.data service, imports this module first.
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
    """Hands tensors to TensorFlow, without a copy where their memory is aligned.

    | here | there |
    |---|---|
    | `DenseTensor` | `tf.Tensor` of its shape |
    | `SparseTensor` | `tf.SparseTensor` |
    | `RaggedTensor` | `tf.RaggedTensor`, row splits in their own integers |
    | `StructuredTensor` | dict of its fields |

    Numbers stay where they are if they begin at a multiple of 64 bytes, which TensorFlow relies on; elsewhere
    they are copied. Bools are bits in Arrow, and always copied. Byte strings are copied into `tf.string`.

    Args:
        tensors: Of `TensorAdapter.convert`.

    Returns:
        Eager tensors on the CPU, by the same names.

    Raises:
        ImportError: TensorFlow is not installed.
        TypeError: `tensors` is no dict of tensors.

    Example:
        >>> to_tensorflow(adapter.convert(batch))["x"].shape
        TensorShape([1024, 128])
    """
    eager = importlib.import_module("arrowfeed._tensorflow").eager
    return convert(tensors, lambda _, tensor: eager(tensor))


# Without TensorFlow, or with one that takes no ops, there is an error on use.
with contextlib.suppress(ImportError, RuntimeError):
    importlib.import_module("arrowfeed._tensorflow.op").register()
