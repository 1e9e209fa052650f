"""The ops of TensorFlow: one gives the batches of a dataset, one parses records, without the interpreter.

The ops are compiled into the extension module, and registered by TensorFlow's C API.

The input of the first one is the state of an iteration, so tf.data keeps that state: in its checkpoints, in
another process, and where a dataset is repeated. A graph has the source as a key of this process, and as a
pickle for others. The second one has the schema and the features as JSON in the graph.
"""

from __future__ import annotations

import functools
import json
import pickle
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arrowfeed import _arrowfeed
from arrowfeed._errors import ArrowfeedError
from arrowfeed._features import config as features_config
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow.specs import component_specs, composed, element, element_specs

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import AvroSchema, Dataset, TensorFlowSource
    from arrowfeed._tensorflow.iterator import Begun
    from arrowfeed.features import Feature

_tf: Any = framework("tensorflow")

NEXT_BATCH = "ArrowfeedNextBatch"
PARSE_RECORDS = "ArrowfeedParseRecords"

CPU = "/device:CPU:0"
"""Where tensors are made."""

MOST_PICKLED = 1 << 20
"""Bytes of a pickle that is still put into a graph: a dataset of files in memory is not."""


@functools.cache
def register() -> None:
    """Registers the ops in this process's TensorFlow, once.

    Raises:
        RuntimeError: This TensorFlow has not the functions that the ops need.
    """
    directory = Path(_tf.sysconfig.get_lib())
    libraries = sorted(directory.glob("libtensorflow_framework.*"))
    if not libraries:
        message = f"expected libtensorflow_framework in {directory}, found none: this TensorFlow takes no ops"
        raise RuntimeError(message)
    _arrowfeed.register_tensorflow_ops(str(libraries[0]))


STEPS = 256
"""Functions that are kept, one for each list of specs: what TensorFlow makes for one, it keeps for ever."""


class Op:
    """The op over one source.

    Args:
        source: What the op finds by its key, as long as it lives.
        key: Of the source.
        config: What another process makes the source of.
        specs: The `tf.TypeSpec` of what a batch has, or a dict of such; of a structured tensor, a dict of
            its fields'.
        is_infinite: Whether there are batches without end.
    """

    def __init__(
        self, source: TensorFlowSource, key: str, config: bytes, specs: Any, *, is_infinite: bool = False
    ) -> None:
        register()
        self._source, self._specs, self._is_infinite = source, specs, is_infinite
        self._key, self._config = key, config
        self._step = _step(*_tf.nest.flatten(specs))

    def batches(self, state: bytes) -> Begun:
        """The batches of a pass after a state, for eager code."""
        return self._source.batches(state)

    def set_next_pass(self, number: int) -> None:
        """Gives the next pass this number."""
        self._source.set_next_pass(number)

    def dataset(self, state: Any = b"", *, ahead: int = 0) -> Any:
        """The `tf.data.Dataset` of the batches.

        Args:
            state: Where it goes on, as bytes or a scalar tensor; empty: it begins with the next pass.
            ahead: Batches that are made before they are asked for. 0: none.
        """
        parts = element_specs(self._specs)
        variant = _tf.raw_ops.ScanDataset(
            # As many steps as the op wants: it ends the iteration.
            input_dataset=_tf.data.experimental.to_variant(_tf.data.Dataset.from_tensors(0).repeat()),
            preserve_cardinality=False,
            initial_state=[_tf.convert_to_tensor(state, _tf.string)],
            other_arguments=[_tf.constant(self._key), _tf.constant(self._config)],
            f=self._step,
            output_types=[part.dtype for part in parts],
            output_shapes=[part.shape for part in parts],
        )
        made = _tf.data.experimental.from_variant(variant, self._specs)
        if self._is_infinite:
            made = made.apply(_tf.data.experimental.assert_cardinality(_tf.data.INFINITE_CARDINALITY))
        if ahead:
            made = made.prefetch(ahead)
        # Whoever has the dataset has the source; and so has a function that makes the dataset.
        made.arrowfeed_op = self
        if not _tf.executing_eagerly():
            graph = _tf.compat.v1.get_default_graph()
            graph.arrowfeed_ops = [*getattr(graph, "arrowfeed_ops", ()), self]
        return made


def op_of_dataset(dataset: Dataset, specs: Any, options: dict[str, Any]) -> Op:
    """The op over the tensors of a dataset.

    Args:
        dataset: What is passed over.
        specs: As of `Op`.
        options: Of `Dataset.tensors`, for each pass.
    """
    key = uuid.uuid4().hex
    source = _arrowfeed.TensorFlowSource(key, dataset, **options)
    is_infinite = options.get("epochs", 1) is None
    return Op(source, key, _pickled((dataset, options)), specs, is_infinite=is_infinite)


def op_of_arguments(make: Callable[[list[bytes]], TensorFlowSource | None], specs: Any) -> Op:
    """The op over a source that is made of arguments when an iteration begins. Its state is one of
    `state_of_arguments`.

    Args:
        make: Called with the arguments. None: there is nothing to iterate over. Can be pickled.
        specs: As of `Op`.
    """
    key = uuid.uuid4().hex
    source = _arrowfeed.TensorFlowSource.made_by(key, make)
    return Op(source, key, _pickled(make), specs)


def texts_of(arguments: list[Any]) -> Any:
    """The arguments of a source: a vector of strings.

    Args:
        arguments: Tensors of strings, or of what has a text. All their values are arguments.
    """
    texts = [one if one.dtype == _tf.string else _tf.strings.as_string(one) for one in arguments]
    return _tf.concat([_tf.reshape(one, [-1]) for one in texts], 0)


def state_of_arguments(texts: Any) -> Any:
    """The state at the start of an iteration over a source of arguments, which `texts_of` gives."""
    return _tf.strings.join(["a", _netstring(_tf.strings.reduce_join(_netstring(texts)))])


def _netstring(strings: Any) -> Any:
    """The number of its bytes, a colon and the bytes of each string."""
    return _tf.strings.join([_tf.strings.as_string(_tf.strings.length(strings)), ":", strings])


@functools.lru_cache(STEPS)
def _step(*specs: Any) -> Any:
    """The function of a state that gives the next state and the next element.

    Args:
        specs: The `tf.TypeSpec` of each tensor, without names: datasets whose tensors are alike share it.
    """
    parts = [part for spec in specs for part in component_specs(spec)]

    def step(state: Any, number: Any, key: Any, config: Any) -> list[Any]:  # noqa: ARG001 - of the step
        first = [_tf.TensorSpec([], _tf.string)]
        after, *components = _created(NEXT_BATCH, [state, key, config], first, parts, {})
        given = iter(components)
        return [after, *(part for spec in specs for part in element(spec, given))]

    text = _tf.TensorSpec([], _tf.string)
    signature = [text, _tf.TensorSpec([], _tf.int32), text, text]
    # Traced outside of the graph that a dataset may be made in.
    with _tf.init_scope():
        return _tf.function(step, input_signature=signature, autograph=False).get_concrete_function()


def _created(
    name: str, given: list[Any], first: list[Any], parts: list[Any], attrs: dict[str, bytes]
) -> list[Any]:
    """The outputs of an op in the graph that is built: those of `first`, and the components."""
    value = _tf.compat.v1.AttrValue
    outputs = [*first, *parts]
    types = value.ListValue(type=[part.dtype.as_datatype_enum for part in parts])
    made = _tf.compat.v1.get_default_graph().create_op(
        name,
        given,
        [part.dtype for part in outputs],
        attrs={**{attr: value(s=text) for attr, text in attrs.items()}, "output_types": value(list=types)},
    )
    for output, part in zip(made.outputs, outputs, strict=True):
        output.set_shape(part.shape)
    return list(made.outputs)


def parsed_records(
    records: Any, schema: AvroSchema, features: dict[str, Feature], specs: dict[str, Any]
) -> dict[str, Any]:
    """The tensors of records, in the graph that is built.

    Args:
        records: A vector of strings.
        schema: Of the records.
        features: Of the tensors.
        specs: The `tf.TypeSpec` of each.
    """
    register()
    config = json.dumps({"schema": schema.json, "features": features_config.to_json(features)})
    with _tf.device(CPU):
        given = _created(PARSE_RECORDS, [records], [], component_specs(specs), {"config": config.encode()})
    return composed(specs, iter(given))


def _pickled(made: Any) -> bytes:
    """What another process makes the source of; empty: it cannot."""
    try:
        pickled = pickle.dumps(made)
    except Exception:  # noqa: BLE001 - whatever a source in Python raises
        return b""
    return pickled if len(pickled) <= MOST_PICKLED else b""


def restored(key: str, config: bytes) -> TensorFlowSource:
    """The source that another process has put into a graph. Called by the op."""
    if not config:
        raise ArrowfeedError(
            "expected a dataset that this process has made, found one of another process that cannot be "
            "pickled, or takes more than 1 MiB: make it of files"
        )
    made = pickle.loads(config)  # noqa: S301 - of our own graph
    # Named tuples make sources too.
    if type(made) is not tuple:
        return _arrowfeed.TensorFlowSource.made_by(key, made)
    dataset, options = cast("tuple[Dataset, dict[str, Any]]", made)
    return _arrowfeed.TensorFlowSource(key, dataset, **options)


def described(config: bytes) -> tuple[str, dict[str, Feature]]:
    """The schema and the features that a graph has for `parsed_records`. Called by the op."""
    read = json.loads(config)
    return read["schema"], features_config.of_json(read["features"])


def told(error: BaseException) -> tuple[str, str]:
    """The class of `tf.errors` that an exception is raised as, and its message. Called by the ops."""
    if isinstance(error, ArrowfeedError):
        return "InvalidArgumentError", str(error)
    if isinstance(error, FileNotFoundError):
        text = str(error) if error.filename is None else f"{error.filename}; {error.strerror}"
        return "NotFoundError", text
    if isinstance(error, ValueError):
        return "InvalidArgumentError", str(error)
    return "UnknownError", f"{type(error).__name__}: {error}"
