"""Decoders of records as TensorFlow graphs, which replace those of `tfx_bsl.coders.tf_graph_record_decoder`.

    from arrowfeed.tfxio import tf_graph_record_decoder  # from tfx_bsl.coders import tf_graph_record_decoder

    tf_graph_record_decoder.save_decoder(decoder, "decoder")
    tensors = tf_graph_record_decoder.load_decoder("decoder").decode_record(records)

A decoder that this module saves can be loaded by tfx_bsl, and the reverse. If tfx_bsl is installed,
`TFGraphRecordDecoder` is a subclass of its class. The functions import TensorFlow.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from arrowfeed._frameworks import framework
from arrowfeed._libraries import wanted

if TYPE_CHECKING:
    import os

__all__ = [
    "LoadedDecoder",
    "TFGraphRecordDecoder",
    "load_decoder",
    "save_decoder",
]

_INDEX_SIGNATURE = "__record_index_tensor_name__:"
"""Start of the name of a signature of the SavedModel, whose end is the name of the tensor."""


_theirs: Any = wanted("tfx_bsl.coders.tf_graph_record_decoder")
_Base: Any = abc.ABC if _theirs is None else _theirs.TFGraphRecordDecoder


class TFGraphRecordDecoder(_Base):
    """Converts a batch of records to tensors with TensorFlow ops.

    A subclass implements `decode_record`. `save` writes a SavedModel, which `load_decoder` and the sources
    `TFRecordToTensorTFXIO` and `BeamRecordToTensorTFXIO` read.

    Example:
        >>> class Numbers(TFGraphRecordDecoder):
        ...     def decode_record(self, records):
        ...         return {"number": tf.strings.to_number(records)}
        >>> Numbers().output_type_specs()
        {'number': TensorSpec(shape=(None,), dtype=tf.float32, name=None)}
        >>> Numbers().save("decoder")
    """

    @abc.abstractmethod
    def decode_record(self, records: Any) -> dict[str, Any]:
        """Converts records to tensors. The method is traced as a `tf.function` without autograph.

        Args:
            records: A tensor of strings `[records]`.

        Returns:
            Dense, sparse or ragged tensors by name, whose first dimensions have the same size. If this size
            is not the number of records, `record_index_tensor_name` names a tensor with the record of each
            row.
        """

    @property
    def record_index_tensor_name(self) -> str | None:
        """Name of the tensor with the index of the record of each row. None: row `i` is from record `i`.

        The tensor is a `tf.SparseTensor` or a `tf.RaggedTensor` of integers `[rows, 1]`. The values
        `[[0], [0], [2]]` mean that the first two rows are from the first record, and the third row from the
        third record.
        """
        return None

    def output_type_specs(self) -> dict[str, Any]:
        """Returns the `tf.TypeSpec` of each tensor of `decode_record` by name."""
        return _type_specs(_traced(self))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the decoder as a SavedModel, as `save_decoder(self, path)` does."""
        save_decoder(self, path)


class LoadedDecoder:
    """A decoder from a SavedModel. It has the public members of `TFGraphRecordDecoder` except for `save`.

    Args:
        loaded_module: The result of `tf.saved_model.load`.

    Raises:
        AssertionError: The model declares an empty name as `record_index_tensor_name`.
    """

    def __init__(self, loaded_module: Any) -> None:
        self._decode = loaded_module.decode_fun
        self._output_type_specs = dict(self._decode.structured_outputs)
        self._record_index_tensor_name: str | None = None
        for signature in getattr(loaded_module, "signatures", ()):
            if signature.startswith(_INDEX_SIGNATURE):
                self._record_index_tensor_name = _checked_name(signature.removeprefix(_INDEX_SIGNATURE))

    def decode_record(self, record: Any) -> dict[str, Any]:
        """Converts records, a tensor of strings `[records]`, to tensors by name."""
        return self._decode(record)

    def output_type_specs(self) -> dict[str, Any]:
        """Returns the `tf.TypeSpec` of each tensor by name."""
        return self._output_type_specs

    @property
    def record_index_tensor_name(self) -> str | None:
        """As in `TFGraphRecordDecoder`."""
        return self._record_index_tensor_name


def save_decoder(decoder: Any, path: str | os.PathLike[str]) -> None:
    """Writes a decoder as a SavedModel.

    Args:
        decoder: A `TFGraphRecordDecoder`, of arrowfeed or of tfx_bsl.
        path: The directory of the SavedModel.

    Raises:
        AssertionError: `record_index_tensor_name` is empty, or is not the name of a tensor.
    """
    tf = framework("tensorflow")
    module = tf.Module()
    module.decode_fun = _traced(decoder)
    signatures: dict[str, Any] = {}
    name = decoder.record_index_tensor_name
    if name is not None:
        names = _type_specs(module.decode_fun).keys()
        if _checked_name(name) not in names:
            raise AssertionError(
                f"Invalid decoder: record_index_tensor_name: {name} not in output tensors: {names}"
            )
        # The name of the signature is known without running its function.
        constant = tf.function(lambda: tf.constant(name), input_signature=[])
        signatures[_INDEX_SIGNATURE + name] = constant.get_concrete_function()
    tf.saved_model.save(module, path, signatures=signatures)


def load_decoder(path: str | os.PathLike[str]) -> LoadedDecoder:
    """Loads a decoder that arrowfeed or tfx_bsl has saved.

    Args:
        path: The directory of the SavedModel.

    Raises:
        AssertionError: The SavedModel is not a decoder.
        OSError: There is no SavedModel.
    """
    loaded = framework("tensorflow").saved_model.load(path)
    if not hasattr(loaded, "decode_fun"):
        raise AssertionError("the SavedModel is not a TFGraphRecordDecoder")
    return LoadedDecoder(loaded)


def _traced(decoder: Any) -> Any:
    """Returns the `tf.types.experimental.ConcreteFunction` of `decode_record`."""
    tf = framework("tensorflow")
    signature = [tf.TensorSpec([None], tf.string)]
    return tf.function(
        decoder.decode_record, input_signature=signature, autograph=False
    ).get_concrete_function()


def _type_specs(function: Any) -> dict[str, Any]:
    of_value = framework("tensorflow").type_spec_from_value
    return {name: of_value(value) for name, value in function.structured_outputs.items()}


def _checked_name(name: str) -> str:
    if not name:
        raise AssertionError("Invalid (empty) record_index_tensor_name")
    return name
