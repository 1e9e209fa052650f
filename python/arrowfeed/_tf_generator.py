"""Python's generators as datasets of TensorFlow, with TensorFlow's errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._errors import ArrowfeedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PRESENT = b""


def from_arrays(
    tf: Any,
    signature: list[Any],
    arrays: Callable[..., Iterator[tuple[Any, ...]]],
    arguments: tuple[Any, ...] = (),
) -> Any:
    """The `tf.data.Dataset` of tuples of arrays.

    What is wrong with data ends an iteration with a `tf.errors.InvalidArgumentError`, a file that is not
    there with a `tf.errors.NotFoundError`.

    Args:
        tf: TensorFlow.
        signature: The `tf.TensorSpec` of each array.
        arrays: Called for each iteration over the dataset.
        arguments: Tensors, whose values it is called with.
    """

    def checked(*values: Any) -> Iterator[tuple[Any, ...]]:
        try:
            for given in arrays(*values):
                yield (*given, PRESENT)
        except ArrowfeedError as error:
            # TensorFlow makes an InvalidArgumentError of it, and of others an UnknownError.
            raise ValueError(str(error)) from error
        except FileNotFoundError as error:
            # Python has no way to say it: an operation of the graph will not find the file either.
            path = str(error.filename).encode()
            yield (*(nothing(spec) for spec in signature), path)

    def is_there(*given: Any) -> Any:
        missing = given[-1]
        there = tf.equal(missing, PRESENT)
        read = tf.cond(there, lambda: missing, lambda: tf.io.read_file(missing))
        # True; what is not used would not be computed.
        return tf.strings.length(read) >= 0

    def rest(*given: Any) -> tuple[Any, ...]:
        return given[:-1]

    flat = (*signature, tf.TensorSpec([], tf.string))
    made = tf.data.Dataset.from_generator(checked, args=arguments, output_signature=flat)
    return made.filter(is_there).map(rest)


def nothing(spec: Any) -> Any:
    """An array of a `tf.TensorSpec` with as little in it as may be."""
    shape = [size or 0 for size in spec.shape]
    kind = spec.dtype.as_numpy_dtype
    return np.full(shape, b"", object) if kind is object else np.zeros(shape, kind)
