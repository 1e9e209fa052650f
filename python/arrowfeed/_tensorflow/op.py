"""The TensorFlow ops, which produce the batches of a dataset and parse records without the interpreter.

The ops are compiled into the extension module and registered through TensorFlow's C API.

The input of the first op is the state of an iteration, so tf.data keeps that state: in checkpoints, in
another process, and when a dataset is repeated. A graph contains the source as a key for this process and as
a pickle for other processes. For the second op, the graph contains the schema and the features as JSON.
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
"""The device on which tensors are created."""

MOST_PICKLED = 1 << 20
"""Maximum size of a pickle in a graph, which excludes datasets of files in memory."""


@functools.cache
def register() -> None:
    """Registers the ops in the TensorFlow of this process, once.

    Raises:
        RuntimeError: This TensorFlow does not have the functions that the ops need.
    """
    directory = Path(_tf.sysconfig.get_lib())
    libraries = sorted(directory.glob("libtensorflow_framework.*"))
    if not libraries:
        message = (
            f"expected libtensorflow_framework in {directory}, found none: this TensorFlow "
            f"cannot load custom ops"
        )
        raise RuntimeError(message)
    _arrowfeed.register_tensorflow_ops(str(libraries[0]))


STEPS = 256
"""Size of the cache of functions by specs. TensorFlow never frees what it creates for a function."""


class Op:
    """The op over one source.

    Args:
        source: The source, which the op finds by its key as long as it exists.
        key: The key of the source.
        config: The data from which another process creates the source.
        specs: The `tf.TypeSpec` of a batch, or a dict of specs; for a structured tensor, a dict of those of
            its fields.
        cardinality: Number of batches of a pass, or `tf.data.INFINITE_CARDINALITY`. None: unknown.
    """

    def __init__(
        self, source: TensorFlowSource, key: str, config: bytes, specs: Any, *, cardinality: int | None = None
    ) -> None:
        register()
        self._source, self._specs, self._cardinality = source, specs, cardinality
        self._key, self._config = key, config
        self._step = _step(*_tf.nest.flatten(specs))

    def batches(self, state: bytes) -> Begun:
        """Returns the batches of a pass after a state, for eager code."""
        return self._source.batches(state)

    def set_next_pass(self, number: int) -> None:
        """Sets the number of the next pass."""
        self._source.set_next_pass(number)

    def dataset(self, state: Any = b"", *, ahead: int = 0) -> Any:
        """Returns the `tf.data.Dataset` of the batches.

        Args:
            state: The state to continue from, as bytes or a scalar tensor. Empty: the next pass begins.
            ahead: Number of batches to prefetch. 0: none.
        """
        parts = element_specs(self._specs)
        variant = _tf.raw_ops.ScanDataset(
            # An endless number of steps, because the op ends the iteration.
            input_dataset=_tf.data.experimental.to_variant(_tf.data.Dataset.from_tensors(0).repeat()),
            preserve_cardinality=False,
            initial_state=[_tf.convert_to_tensor(state, _tf.string)],
            other_arguments=[_tf.constant(self._key), _tf.constant(self._config)],
            f=self._step,
            output_types=[part.dtype for part in parts],
            output_shapes=[part.shape for part in parts],
        )
        made = _tf.data.experimental.from_variant(variant, self._specs)
        is_whole_pass = isinstance(state, bytes) and not state
        if self._cardinality == _tf.data.INFINITE_CARDINALITY or (self._cardinality and is_whole_pass):
            made = made.apply(_tf.data.experimental.assert_cardinality(self._cardinality))
        if ahead:
            made = made.prefetch(ahead)
        # The dataset keeps the source alive, and so does the graph of a function that creates the dataset.
        made.arrowfeed_op = self
        if not _tf.executing_eagerly():
            graph = _tf.compat.v1.get_default_graph()
            graph.arrowfeed_ops = [*getattr(graph, "arrowfeed_ops", ()), self]
        return made


def op_of_dataset(dataset: Dataset, specs: Any, options: dict[str, Any]) -> Op:
    """Returns the op over the tensors of a dataset.

    Args:
        dataset: The dataset.
        specs: As in `Op`.
        options: Options of `Dataset.tensors` for each pass.
    """
    key = uuid.uuid4().hex
    source = _arrowfeed.TensorFlowSource(key, dataset, **options)
    return Op(source, key, _pickled((dataset, options)), specs, cardinality=_cardinality(dataset, options))


def _cardinality(dataset: Dataset, options: dict[str, Any]) -> int | None:
    """The number of batches of a pass, or `tf.data.INFINITE_CARDINALITY`. None: unknown."""
    if options.get("epochs", 1) is None:
        return _tf.data.INFINITE_CARDINALITY
    if options.get("on_error", "raise") != "raise":
        return None
    try:
        return dataset._known_num_batches(**options)  # noqa: SLF001
    except (ArrowfeedError, OSError):
        # The iteration raises the error, after the rows before the fault.
        return None


def op_of_arguments(make: Callable[[list[bytes]], TensorFlowSource | None], specs: Any) -> Op:
    """Returns the op over a source that is created from arguments when an iteration begins. Its state comes
    from `state_of_arguments`.

    Args:
        make: Picklable function of the arguments. A result of None means that there is nothing to iterate
            over.
        specs: As in `Op`.
    """
    key = uuid.uuid4().hex
    source = _arrowfeed.TensorFlowSource.made_by(key, make)
    return Op(source, key, _pickled(make), specs)


def texts_of(arguments: list[Any]) -> Any:
    """Converts the arguments of a source to a string vector.

    Args:
        arguments: Tensors of strings, or of values that can be converted to strings. All their values are
            arguments.
    """
    texts = [one if one.dtype == _tf.string else _tf.strings.as_string(one) for one in arguments]
    return _tf.concat([_tf.reshape(one, [-1]) for one in texts], 0)


def state_of_arguments(texts: Any) -> Any:
    """The state at the start of an iteration over a source of the arguments from `texts_of`."""
    return _tf.strings.join(["a", _netstring(_tf.strings.reduce_join(_netstring(texts)))])


def _netstring(strings: Any) -> Any:
    """Each string as its length in bytes, a colon and its bytes."""
    return _tf.strings.join([_tf.strings.as_string(_tf.strings.length(strings)), ":", strings])


@functools.lru_cache(STEPS)
def _step(*specs: Any) -> Any:
    """Returns the function from a state to the next state and the next element.

    Args:
        specs: The `tf.TypeSpec` of each tensor, without names, so datasets with equal specs share the
            function.
    """
    parts = [part for spec in specs for part in component_specs(spec)]

    def step(state: Any, number: Any, key: Any, config: Any) -> list[Any]:  # noqa: ARG001 - of the step
        first = [_tf.TensorSpec([], _tf.string)]
        after, *components = _created(NEXT_BATCH, [state, key, config], first, parts, {})
        given = iter(components)
        return [after, *(part for spec in specs for part in element(spec, given))]

    text = _tf.TensorSpec([], _tf.string)
    signature = [text, _tf.TensorSpec([], _tf.int32), text, text]
    # Traced outside the graph in which a dataset may be created.
    with _tf.init_scope():
        return _tf.function(step, input_signature=signature, autograph=False).get_concrete_function()


def _created(
    name: str, given: list[Any], first: list[Any], parts: list[Any], attrs: dict[str, bytes]
) -> list[Any]:
    """Adds an op to the current graph. Returns its outputs: those of `first`, and the components."""
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
    """Returns the tensors of records in the current graph.

    Args:
        records: A string vector.
        schema: The schema of the records.
        features: The features of the tensors.
        specs: The `tf.TypeSpec` of each tensor.
    """
    register()
    config = json.dumps({"schema": schema.json, "features": features_config.to_json(features)})
    with _tf.device(CPU):
        given = _created(PARSE_RECORDS, [records], [], component_specs(specs), {"config": config.encode()})
    return composed(specs, iter(given))


def _pickled(made: Any) -> bytes:
    """The data from which another process creates the source; empty if that is impossible."""
    try:
        pickled = pickle.dumps(made)
    except Exception:  # noqa: BLE001 - whatever a source in Python raises
        return b""
    return pickled if len(pickled) <= MOST_PICKLED else b""


def restored(key: str, config: bytes) -> TensorFlowSource:
    """Restores the source that another process put into a graph. The op calls it."""
    if not config:
        raise ArrowfeedError(
            "expected a dataset of this process, found one of a different process that cannot be "
            "pickled or is larger than 1 MiB: use a dataset of files"
        )
    made = pickle.loads(config)  # noqa: S301 - of our own graph
    # Named tuples are functions that make sources.
    if type(made) is not tuple:
        return _arrowfeed.TensorFlowSource.made_by(key, made)
    dataset, options = cast("tuple[Dataset, dict[str, Any]]", made)
    return _arrowfeed.TensorFlowSource(key, dataset, **options)


def described(config: bytes) -> tuple[str, dict[str, Feature]]:
    """Reads the schema and the features of `parsed_records` from a graph. The op calls it."""
    read = json.loads(config)
    return read["schema"], features_config.of_json(read["features"])


def told(error: BaseException) -> tuple[str, str]:
    """Returns the class of `tf.errors` for an exception, and its message. The ops call it."""
    if isinstance(error, ArrowfeedError):
        return "InvalidArgumentError", str(error)
    if isinstance(error, FileNotFoundError):
        text = str(error) if error.filename is None else f"{error.filename}; {error.strerror}"
        return "NotFoundError", text
    if isinstance(error, ValueError):
        return "InvalidArgumentError", str(error)
    return "UnknownError", f"{type(error).__name__}: {error}"
