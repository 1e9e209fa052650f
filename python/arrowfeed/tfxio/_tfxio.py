"""What is read, as record batches and as tensors, whatever its format."""

from __future__ import annotations

import abc
import importlib
from typing import TYPE_CHECKING, Any

from arrowfeed.tfxio._adapter import TensorAdapter
from arrowfeed.tfxio._config import TensorAdapterConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed.tfxio._config import TensorRepresentations
    from arrowfeed.tfxio._options import RecordBatchesOptions, TensorFlowDatasetOptions


def _base() -> type:
    """The class of tfx_bsl, where it can be imported."""
    try:
        return importlib.import_module("tfx_bsl.tfxio.tfxio").TFXIO
    except ImportError:
        return abc.ABC


_Base: Any = _base()


class TFXIO(_Base):
    """Where data comes from, for libraries of TFX. `AvroRecord` is one; other formats are subclasses.

    A subclass of tfx_bsl's where that is installed. Its adapters and configs are those of this module.
    """

    @abc.abstractmethod
    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """A Beam transform that gives record batches of pyarrow, of the schema `ArrowSchema()`.

        Args:
            batch_size: Rows of a batch. None: the source decides.
        """

    @abc.abstractmethod
    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Record batches of pyarrow, outside of a pipeline."""

    @abc.abstractmethod
    def ArrowSchema(self) -> Any:  # noqa: N802
        """The `pyarrow.Schema` of the record batches."""

    @abc.abstractmethod
    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """What each tensor is made of, by name."""

    @abc.abstractmethod
    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: N802
        """A `tf.data.Dataset` of dicts of tensors."""

    @abc.abstractmethod
    def _ProjectImpl(self, tensor_names: list[str]) -> TFXIO:  # noqa: N802
        """The same source for some of the tensors."""

    def Project(self, tensor_names: list[str]) -> TFXIO:  # noqa: N802
        """The same source for some of the tensors; it reads no other columns than they need.

        Its adapter knows the type specs of all tensors as `OriginalTypeSpecs()`.

        Raises:
            ValueError: There is no tensor of a name.
        """
        if isinstance(self, ProjectedTFXIO):
            return ProjectedTFXIO(self.origin, self._ProjectImpl(tensor_names))
        return ProjectedTFXIO(self, self._ProjectImpl(tensor_names))

    def TensorAdapterConfig(self) -> TensorAdapterConfig:  # noqa: N802
        """What `TensorAdapter()` is made of; it travels to workers."""
        return TensorAdapterConfig(self.ArrowSchema(), self.TensorRepresentations())

    def TensorAdapter(self) -> TensorAdapter:  # noqa: N802
        """What makes TensorFlow's tensors of the record batches."""
        return TensorAdapter(self.TensorAdapterConfig())


class ProjectedTFXIO(TFXIO):
    """A projection that knows what it is a projection of.

    Args:
        origin: What was projected first.
        projected: What is left of it.
    """

    def __init__(self, origin: TFXIO, projected: TFXIO) -> None:
        self._origin = origin
        self._projected = projected

    @property
    def origin(self) -> TFXIO:
        """What was projected first."""
        return self._origin

    @property
    def projected(self) -> TFXIO:
        """What is left of it."""
        return self._projected

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """See `TFXIO`; so are the methods below."""
        return self.projected.BeamSource(batch_size)

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Record batches of the columns that are left."""
        return self.projected.RecordBatches(options)

    def ArrowSchema(self) -> Any:  # noqa: N802
        """The schema of the columns that are left."""
        return self.projected.ArrowSchema()

    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """Those of the tensors that are left."""
        return self.projected.TensorRepresentations()

    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: N802
        """The tensors that are left."""
        return self.projected.TensorFlowDataset(options)

    def _ProjectImpl(self, tensor_names: list[str]) -> TFXIO:  # noqa: N802
        return self.projected._ProjectImpl(tensor_names)  # noqa: SLF001 - of the same class

    def TensorAdapterConfig(self) -> TensorAdapterConfig:  # noqa: N802
        """With the type specs of the origin."""
        return TensorAdapterConfig(
            self.ArrowSchema(),
            self.TensorRepresentations(),
            original_type_specs=self.origin.TensorAdapter().TypeSpecs(),
        )
