"""The op of TensorFlow that gives the tensors of a dataset, without the interpreter.

The op is compiled into the extension module, and registered by TensorFlow's C API. Its input is the state of
an iteration, so tf.data keeps that state: in its checkpoints, in another process, and where a dataset is
repeated. A graph has the dataset as a key of this process, and as a pickle for others.
"""

from __future__ import annotations

import functools
import pickle
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arrowfeed import _arrowfeed
from arrowfeed._errors import ArrowfeedError
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow.specs import component_specs, element, element_specs

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import Dataset

_tf: Any = framework("tensorflow")

NAME = "ArrowfeedNextBatch"

MOST_PICKLED = 1 << 20
"""Bytes of a pickle that is still put into a graph: a dataset of files in memory is not."""


@functools.cache
def register() -> None:
    """Registers the op in this process's TensorFlow, once.

    Raises:
        RuntimeError: This TensorFlow has not the functions that the op needs.
    """
    directory = Path(_tf.sysconfig.get_lib())
    libraries = sorted(directory.glob("libtensorflow_framework.*"))
    if not libraries:
        message = f"expected libtensorflow_framework in {directory}, found none: this TensorFlow takes no ops"
        raise RuntimeError(message)
    _arrowfeed.register_tensorflow_op(str(libraries[0]))


class Op:
    """The op over one dataset with its options.

    Args:
        dataset: What is passed over.
        specs: The `tf.TypeSpec` of each tensor, by name; of a structured one, a dict of its fields'.
        options: Of `Dataset.tensors`, for each pass.
    """

    def __init__(self, dataset: Dataset, specs: dict[str, Any], options: dict[str, Any]) -> None:
        register()
        key = uuid.uuid4().hex
        self._specs = specs
        self._is_infinite = options.get("epochs", 1) is None
        # The op finds it by the key, as long as it lives.
        self._source = _arrowfeed.TensorFlowSource(key, dataset, **options)
        self._step = _step(key, _pickled(dataset, options), specs)

    def next_pass(self) -> int:
        """The number of a pass that begins now, from 0."""
        return self._source.next_pass()

    def dataset(self, state: bytes = b"", *, ahead: int) -> Any:
        """The `tf.data.Dataset` of the tensors.

        Args:
            state: Where it goes on; none: it begins with the next pass.
            ahead: Batches that are made before they are asked for. 0: none.
        """
        parts = element_specs(self._specs)
        variant = _tf.raw_ops.ScanDataset(
            # As many steps as the op wants: it ends the iteration.
            input_dataset=_tf.data.experimental.to_variant(_tf.data.Dataset.from_tensors(0).repeat()),
            preserve_cardinality=False,
            initial_state=[_tf.constant(state)],
            other_arguments=[],
            f=self._step,
            output_types=[part.dtype for part in parts],
            output_shapes=[part.shape for part in parts],
        )
        made = _tf.data.experimental.from_variant(variant, self._specs)
        if self._is_infinite:
            made = made.apply(_tf.data.experimental.assert_cardinality(_tf.data.INFINITE_CARDINALITY))
        if ahead:
            made = made.prefetch(ahead)
        # Whoever has the dataset has the source.
        made.arrowfeed_op = self
        return made


def _step(key: str, config: bytes, specs: dict[str, Any]) -> Any:
    """The function of a state that gives the next state and the next element."""
    parts = component_specs(specs)
    value = _tf.compat.v1.AttrValue
    types = [part.dtype for part in parts]
    attrs = {
        "key": value(s=key.encode()),
        "config": value(s=config),
        "output_types": value(list=value.ListValue(type=[dtype.as_datatype_enum for dtype in types])),
    }

    def step(state: Any, number: Any) -> list[Any]:  # noqa: ARG001 - of the step
        graph = _tf.compat.v1.get_default_graph()
        after, *components = graph.create_op(NAME, [state], [_tf.string, *types], attrs=attrs).outputs
        after.set_shape([])
        for component, part in zip(components, parts, strict=True):
            component.set_shape(part.shape)
        return [after, *element(specs, iter(components))]

    signature = [_tf.TensorSpec([], _tf.string), _tf.TensorSpec([], _tf.int32)]
    return _tf.function(step, input_signature=signature, autograph=False).get_concrete_function()


def _pickled(dataset: Dataset, options: dict[str, Any]) -> bytes:
    """What another process makes the dataset of; empty: it cannot."""
    try:
        pickled = pickle.dumps((dataset, options))
    except Exception:  # noqa: BLE001 - whatever a source in Python raises
        return b""
    return pickled if len(pickled) <= MOST_PICKLED else b""


def restored(key: str, config: bytes) -> Any:
    """The source that another process has put into a graph. Called by the op."""
    if not config:
        raise ArrowfeedError(
            "expected a dataset that this process has made, found one of another process that cannot be "
            "pickled, or takes more than 1 MiB: make it of files"
        )
    dataset, options = cast("tuple[Dataset, dict[str, Any]]", pickle.loads(config))  # noqa: S301 - of our own graph
    return _arrowfeed.TensorFlowSource(key, dataset, **options)


def told(error: BaseException) -> tuple[str, str]:
    """The class of `tf.errors` that an exception is raised as, and its message. Called by the op."""
    if isinstance(error, ArrowfeedError):
        return "InvalidArgumentError", str(error)
    if isinstance(error, FileNotFoundError):
        text = str(error) if error.filename is None else f"{error.filename}; {error.strerror}"
        return "NotFoundError", text
    if isinstance(error, ValueError):
        return "InvalidArgumentError", str(error)
    return "UnknownError", f"{type(error).__name__}: {error}"
