"""Python's generators as datasets of TensorFlow, with TensorFlow's errors.

`tf.data.Dataset.from_generator` looks at each array of an element in Python, twice, and passes it through
three functions of a graph. Here Python gives one variant tensor, an optional of all components, which the
graph takes apart without the interpreter, in the thread that asks for it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from arrowfeed._errors import ArrowfeedError
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow.specs import component_specs, element, element_specs

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_tf: Any = framework("tensorflow")
_Dataset: Any = _tf.data.Dataset
_NUMBER: Any = _tf.TensorSpec([], _tf.int64)

CPU = "/device:CPU:0"
PRESENT = b""


class _Passes:
    """Iterations over a dataset that go on, by number."""

    def __init__(self, components: Callable[..., Generator[list[Any]]]) -> None:
        self._components = components
        self._numbers = itertools.count()
        self._running: dict[int, Generator[list[Any]]] = {}
        self._begun: set[int] = set()
        self._missing: dict[int, bytes] = {}

    def start(self, *values: Any) -> np.int64:
        number = next(self._numbers)
        self._running[number] = self._components(*values)
        return np.int64(number)

    def once(self, number: np.int64) -> np.int64:
        """The number of a pass itself, when asked for the first time."""
        if number in self._begun:
            raise StopIteration
        self._begun.add(int(number))
        return number

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
            if error.filename is None:
                raise
            self._missing[number] = str(error.filename).encode()
            raise StopIteration from error

    def end(self, number: np.int64) -> bytes:
        """The file that was not there, if any: an operation of the graph will not find it either."""
        # A generator ends where it stands, and closes what it has opened.
        self._running.pop(int(number)).close()
        self._begun.discard(int(number))
        return self._missing.pop(int(number), PRESENT)


class GeneratedDataset(_Dataset):
    """The `tf.data.Dataset` of what a generator gives.

    What is wrong with data ends an iteration with a `tf.errors.InvalidArgumentError`, a file that is not
    there with a `tf.errors.NotFoundError`.

    Args:
        specs: The `element_spec`: a `tf.TypeSpec`, or a dict of such.
        components: A generator, called for each iteration over the dataset. It gives eager tensors on the
            CPU, those of `component_specs`.
        arguments: Tensors, whose values it is called with.
    """

    def __init__(
        self, specs: Any, components: Callable[..., Generator[list[Any]]], arguments: tuple[Any, ...] = ()
    ) -> None:
        self._specs = specs
        # The variants have their names only.
        self._of_passes = _functions(_Passes(components), specs, arguments)
        start, once, end, self._give = self._of_passes
        numbers = _tf.raw_ops.GeneratorDataset(
            init_func_other_args=arguments,
            next_func_other_args=[],
            finalize_func_other_args=[],
            init_func=start,
            next_func=once,
            finalize_func=end,
            **_types_and_shapes([_NUMBER]),
        )
        self._made = _tf.data.experimental.from_variant(numbers, _NUMBER).flat_map(self._pass)
        _Dataset.__init__(self, self._made._variant_tensor)  # noqa: SLF001

    def _pass(self, number: Any) -> Any:
        """The dataset of the elements of a pass."""
        elements = _tf.raw_ops.MapDataset(
            input_dataset=_tf.data.Dataset.from_tensors(number).repeat()._variant_tensor,  # noqa: SLF001
            other_arguments=[],
            f=self._give,
            # The caller's thread: from one to another and back takes as long as all else.
            use_inter_op_parallelism=False,
            # An element may be the end.
            preserve_cardinality=False,
            **_types_and_shapes(element_specs(self._specs)),
        )
        return _tf.data.experimental.from_variant(elements, self._specs)

    def _inputs(self) -> list[Any]:
        return [self._made]

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._specs


def _functions(passes: _Passes, specs: Any, arguments: tuple[Any, ...]) -> list[Any]:
    """The start of a pass, its number, its end, and its next element."""

    def start(*values: Any) -> Any:
        return _tf.ensure_shape(_tf.numpy_function(passes.start, values, _tf.int64), [])

    def once(number: Any) -> Any:
        return _tf.ensure_shape(_tf.numpy_function(passes.once, [number], _tf.int64), [])

    def end(number: Any) -> Any:
        return _is_there(_tf.ensure_shape(_tf.numpy_function(passes.end, [number], _tf.string), []))

    def give(number: Any) -> list[Any]:
        optional = _tf.ensure_shape(_tf.py_function(passes.give, [number], _tf.variant), [])
        types_and_shapes = _types_and_shapes(component_specs(specs))
        return element(specs, iter(_tf.raw_ops.OptionalGetValue(optional=optional, **types_and_shapes)))

    given = [_tf.TensorSpec.from_tensor(argument) for argument in arguments]
    return [_function(start, given), *(_function(one, [_NUMBER]) for one in (once, end, give))]


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
