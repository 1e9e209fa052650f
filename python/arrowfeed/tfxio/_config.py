"""`TensorAdapterConfig`, which is sent to workers to create a `TensorAdapter`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

from arrowfeed._arrowfeed import Representation
from arrowfeed.types import Message, RepresentationLike

if TYPE_CHECKING:
    from arrowfeed.types import ArrowSchemaExportable

TensorRepresentations: TypeAlias = dict[str, RepresentationLike]
"""By tensor name: messages of TensorFlow Metadata, their bytes, or representations of arrowfeed."""


def _base() -> type:
    """The config class of tfx_bsl if it can be imported, because TensorFlow Transform checks for it."""
    try:
        module = importlib.import_module("tfx_bsl.tfxio.tensor_adapter")
    except ImportError:
        return object
    return module.TensorAdapterConfig


_Base: Any = _base()


class TensorAdapterConfig(_Base):
    """The picklable configuration of a `TensorAdapter`.

    Args:
        arrow_schema: The schema of the batches: a `pyarrow.Schema`, or an object with `__arrow_c_schema__`.
        tensor_representations: Representations by tensor name. If TensorFlow Metadata is installed, the
            constructor converts them to messages.
        original_type_specs: Type specs of the source before a projection. None: those of this config.

    Example:
        >>> config = TensorAdapterConfig(batch.schema, {"x": arrowfeed.representations.VarLenSparse("x")})
        >>> TensorAdapter(config).TypeSpecs()
        {'x': SparseTensorSpec(TensorShape([None, None]), tf.int64)}
    """

    arrow_schema: Any
    tensor_representations: dict[str, Any]
    original_type_specs: dict[str, Any] | None

    def __init__(
        self,
        arrow_schema: ArrowSchemaExportable,
        tensor_representations: TensorRepresentations,
        original_type_specs: dict[str, Any] | None = None,
    ) -> None:
        self.arrow_schema = arrow_schema
        self.tensor_representations = {
            name: message(representation) for name, representation in tensor_representations.items()
        }
        self.original_type_specs = original_type_specs

    # Bytes, because message classes can differ between processes. The state of tfx_bsl has the same form.
    def __getstate__(self) -> tuple[Any, dict[str, bytes], dict[str, Any] | None]:
        representations = {name: proto(this) for name, this in self.tensor_representations.items()}
        return self.arrow_schema, representations, self.original_type_specs

    def __setstate__(self, state: tuple[Any, dict[str, bytes], dict[str, Any] | None]) -> None:
        arrow_schema, representations, original_type_specs = state
        self.__init__(arrow_schema, dict(representations), original_type_specs)


def proto(representation: RepresentationLike) -> bytes:
    """Returns the bytes of a representation in any form."""
    if isinstance(representation, Representation):
        return representation.to_proto()
    if isinstance(representation, Message):
        return representation.SerializeToString()
    return bytes(representation)


def message(representation: RepresentationLike) -> Any:
    """Converts to a message or, without TensorFlow Metadata, to a representation of arrowfeed."""
    if isinstance(representation, Message):
        return representation
    try:
        messages = importlib.import_module("tensorflow_metadata.proto.v0.schema_pb2")
    except ImportError:
        return Representation.from_proto(proto(representation))
    return messages.TensorRepresentation.FromString(proto(representation))
