"""Python's generators as datasets of TensorFlow, with TensorFlow's errors.

`tf.data.Dataset.from_generator` looks at each array of an element in Python, twice, and runs three functions of a
graph for each element. Here Python gives one variant tensor, an optional of all components, which the graph takes
apart without the interpreter and in the thread that asks for it. For 19 features of 64 rows, an element takes a third
of the time.
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._errors import ArrowfeedError
from arrowfeed._handoff import framework
from arrowfeed._tf_components import component_specs, element, element_specs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_tf: Any = framework("tensorflow")
_Dataset: Any = _tf.data.Dataset
_OPTIONAL: Any = _tf.TensorSpec([], _tf.variant)

CPU = "/device:CPU:0"
PRESENT = b""


class _Passes:
    """Iterations over a dataset that go on, by number."""

    def __init__(self, components: Callable[..., Generator[list[Any]]]) -> None:
        self._components = components
        self._numbers = itertools.count()
        self._running: dict[int, Generator[list[Any]]] = {}
        self._missing: dict[int, bytes] = {}

    def start(self, *values: Any) -> np.int64:
        number = next(self._numbers)
        self._running[number] = self._components(*values)
        return np.int64(number)

    def give(self, tensor: Any) -> Any:
        """An optional of the next components. A StopIteration ends the iteration."""
        number = int(tensor)
        try:
            with _tf.device(CPU):
                return _tf.raw_ops.OptionalFromValue(components=next(self._running[number]))
        except ArrowfeedError as error:
            # TensorFlow makes an InvalidArgumentError of it, and of others an UnknownError.
            raise ValueError(str(error)) from error
        except FileNotFoundError as error:
            # Python has no way to say it: see `end`.
            self._missing[number] = str(error.filename).encode()
            raise StopIteration from error

    def end(self, number: np.int64) -> bytes:
        """The file that was not there, if any: an operation of the graph will not find it either."""
        # A generator ends where it stands, and closes what it has opened.
        self._running.pop(int(number)).close()
        return self._missing.pop(int(number), PRESENT)


class GeneratedDataset(_Dataset):
    """The `tf.data.Dataset` of what a generator gives.

    What is wrong with data ends an iteration with a `tf.errors.InvalidArgumentError`, a file that is not
    there with a `tf.errors.NotFoundError`.

    Args:
        specs: The `element_spec`: a `tf.TypeSpec`, or a dict of such.
        components: A generator, called for each iteration over the dataset. It gives eager tensors on the CPU, those
            of `component_specs`.
        arguments: Tensors, whose values it is called with.
    """

    def __init__(
        self, specs: Any, components: Callable[..., Generator[list[Any]]], arguments: tuple[Any, ...] = ()
    ) -> None:
        self._specs = specs
        # The variant has their names only.
        self._of_passes = _functions(_Passes(components), arguments)
        self._to_elements = _function(functools.partial(_to_element, specs), [_OPTIONAL])
        optionals = _tf.raw_ops.GeneratorDataset(
            init_func_other_args=arguments,
            next_func_other_args=[],
            finalize_func_other_args=[],
            **self._of_passes,
            **_types_and_shapes([_OPTIONAL]),
        )
        elements = _tf.raw_ops.MapDataset(
            input_dataset=optionals,
            other_arguments=[],
            f=self._to_elements,
            # One thread, the caller's: the operations only pass pointers on.
            use_inter_op_parallelism=False,
            **_types_and_shapes(element_specs(specs)),
        )
        super().__init__(elements)

    def _inputs(self) -> list[Any]:
        return []

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._specs


def _functions(passes: _Passes, arguments: tuple[Any, ...]) -> dict[str, Any]:
    """The functions of a `GeneratorDataset`."""

    def start(*values: Any) -> Any:
        return _tf.ensure_shape(_tf.numpy_function(passes.start, values, _tf.int64), [])

    def give(number: Any) -> Any:
        return _tf.ensure_shape(_tf.py_function(passes.give, [number], _tf.variant), [])

    def end(number: Any) -> Any:
        return _is_there(_tf.ensure_shape(_tf.numpy_function(passes.end, [number], _tf.string), []))

    number = _tf.TensorSpec([], _tf.int64)
    return {
        "init_func": _function(start, [_tf.TensorSpec.from_tensor(argument) for argument in arguments]),
        "next_func": _function(give, [number]),
        "finalize_func": _function(end, [number]),
    }


def _to_element(specs: Any, optional: Any) -> list[Any]:
    types_and_shapes = _types_and_shapes(component_specs(specs))
    return element(specs, iter(_tf.raw_ops.OptionalGetValue(optional=optional, **types_and_shapes)))


def _function(function: Callable[..., Any], signature: list[Any]) -> Any:
    return _tf.function(function, input_signature=signature, autograph=False).get_concrete_function()


def _types_and_shapes(specs: list[Any]) -> dict[str, Any]:
    return {"output_types": [spec.dtype for spec in specs], "output_shapes": [spec.shape for spec in specs]}


def _is_there(path: Any) -> Any:
    """Fails where a path was not there."""

    def read() -> Any:
        size = _tf.strings.length(_tf.io.read_file(path))
        # TensorFlow may find it, in a place that is not known here.
        with _tf.control_dependencies([_tf.debugging.Assert(size < 0, [path, "No such file or directory"])]):
            return _tf.identity(size)

    return _tf.cond(_tf.equal(path, PRESENT), lambda: _tf.constant(0), read)
