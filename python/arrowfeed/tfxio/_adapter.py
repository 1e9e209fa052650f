"""`TensorAdapter`, which converts batches to TensorFlow tensors, with the names of tfx_bsl."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._errors import ConversionError, RepresentationError
from arrowfeed._frameworks import convert, framework
from arrowfeed.tfxio._refusal import nested_row_lengths, refusal
from arrowfeed.tfxio._values import value

if TYPE_CHECKING:
    from arrowfeed.tfxio._config import TensorAdapterConfig


class TensorAdapter:
    """Converts record batches of one schema to TensorFlow tensors.

    Batches may be slices. The adapter checks each row.

    Args:
        config: A `TensorAdapterConfig`, of arrowfeed or of tfx_bsl.

    Raises:
        ValueError: A representation does not fit the schema, or its type spec differs from the original one.
            In the first case, the cause of the error is an `arrowfeed.RepresentationError`, which states what
            was expected.
        ImportError: TensorFlow or pyarrow is not installed.

    Example:
        >>> adapter = TensorAdapter(TensorAdapterConfig(batch.schema, representations))
        >>> adapter.ToBatchTensors(batch)["image"].shape
        TensorShape([1024, 784])
    """

    def __init__(self, config: TensorAdapterConfig) -> None:
        self._tf = framework("tensorflow")
        self._arrow_schema = _pyarrow(config.arrow_schema)
        self._adapter = self._compile(config.tensor_representations)
        type_spec = importlib.import_module("arrowfeed._tensorflow").type_spec
        self._type_specs = {name: type_spec(spec) for name, spec in self._adapter.specs.items()}
        own, given = self._type_specs, config.original_type_specs
        self._original_type_specs = own if given is None else given
        self._check_original()

    def _compile(self, representations: dict[str, Any]) -> arrowfeed.TensorAdapter:
        schema = self._arrow_schema
        try:
            adapter = arrowfeed.TensorAdapter(schema, representations)
        except RepresentationError as error:
            name = str(error.tensor)
            raise ValueError(refusal(name, representations[name], schema)) from error
        for name, representation in representations.items():
            if nested_row_lengths(representation, schema) is not None:
                raise ValueError(refusal(name, representation, schema))
        return adapter

    def _check_original(self) -> None:
        for name, spec in self._type_specs.items():
            original = self._original_type_specs.get(name)
            if original is None or original != spec:
                raise ValueError(
                    "original_type_specs must be a superset of type_specs derived from "
                    f"TensorRepresentations. But for tensor {name}, got {original} vs {spec}"
                )

    def TypeSpecs(self) -> dict[str, Any]:  # noqa: N802
        """Returns the `tf.TypeSpec` of each tensor by name."""
        return self._type_specs

    def OriginalTypeSpecs(self) -> dict[str, Any]:  # noqa: N802
        """Returns the type specs of the source before a projection, or those of the config."""
        return self._original_type_specs

    def ToBatchTensors(  # noqa: N802
        self,
        record_batch: Any,
        produce_eager_tensors: bool | None = None,  # noqa: FBT001
    ) -> dict[str, Any]:
        """Converts a batch to tensors by name, in the order of the representations.

        Args:
            record_batch: A `pyarrow.RecordBatch`, or one of arrowfeed.
            produce_eager_tensors: True: `tf.Tensor`, `tf.SparseTensor` and `tf.RaggedTensor`, which share the
                memory of the batch if it is aligned. False: read-only numpy arrays,
                `tf.compat.v1.SparseTensorValue` and `tf.compat.v1.ragged.RaggedTensorValue`. None: depends on
                the execution mode of TensorFlow.

        Raises:
            RuntimeError: Eager tensors are requested, but TensorFlow does not execute eagerly.
            ValueError: The batch has another schema, or a row does not fit its tensor. In the second case,
                the cause of the error is an `arrowfeed.ConversionError`, which states the row, what was
                expected and what was found.
        """
        eager = self._tf.executing_eagerly()
        if produce_eager_tensors and not eager:
            raise RuntimeError("Eager Tensors were requested but eager mode was not enabled.")
        if not _pyarrow(record_batch.schema).equals(self._arrow_schema):
            raise ValueError("Expected same schema.")
        try:
            tensors = self._adapter.convert(record_batch)
        except ConversionError as error:
            raise ValueError(f"Error raised when handling tensor '{error.tensor}'") from error
        if eager if produce_eager_tensors is None else produce_eager_tensors:
            # Imported here, because the module imports TensorFlow.
            return importlib.import_module("arrowfeed.tensorflow").to_tensorflow(tensors)
        return convert(tensors, lambda _name, tensor: value(self._tf, tensor))


def _pyarrow(schema: Any) -> Any:
    """Converts the schema to a pyarrow schema, which can be compared."""
    return schema if hasattr(schema, "equals") else framework("pyarrow").schema(schema)
