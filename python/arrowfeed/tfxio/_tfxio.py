"""`TFXIO`, the base class of all sources of record batches and tensors."""

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
    """The class of tfx_bsl if it can be imported."""
    try:
        return importlib.import_module("tfx_bsl.tfxio.tfxio").TFXIO
    except ImportError:
        return abc.ABC


_Base: Any = _base()


class TFXIO(_Base):
    """A data source for TFX libraries. `AvroRecord` and the classes of the other formats are subclasses.

    If tfx_bsl is installed, this class is a subclass of its class. The adapters and configs are those of this
    package.
    """

    @abc.abstractmethod
    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that produces pyarrow record batches with the schema `ArrowSchema()`.

        Args:
            batch_size: Number of rows of a batch. None: the source decides.
        """

    @abc.abstractmethod
    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Iterates over pyarrow record batches, outside a pipeline.

        Args:
            options: A `RecordBatchesOptions`, of this package or of tfx_bsl.
        """

    @abc.abstractmethod
    def ArrowSchema(self) -> Any:  # noqa: N802
        """Returns the `pyarrow.Schema` of the record batches."""

    @abc.abstractmethod
    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """Returns the representations of the tensors by name."""

    @abc.abstractmethod
    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: N802
        """Returns a `tf.data.Dataset` of dicts of tensors.

        Args:
            options: A `TensorFlowDatasetOptions`, of this package or of tfx_bsl.
        """

    def RawRecordTensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: ARG002, N802
        """Not supported, as in tfx_bsl.

        Args:
            options: A `TensorFlowDatasetOptions`.

        Raises:
            NotImplementedError: Always.
        """
        name = type(self).__name__
        raise NotImplementedError(f"{name} cannot make a dataset of datasets: use RawTfRecordTFXIO")

    @abc.abstractmethod
    def _ProjectImpl(self, tensor_names: list[str]) -> TFXIO:  # noqa: N802
        """Returns the source of some of the tensors."""

    def Project(self, tensor_names: list[str]) -> TFXIO:  # noqa: N802
        """Returns a source of some of the tensors.

        The new source reads only the columns that these tensors need, except that a CSV source reads all
        columns, as in tfx_bsl.

        `OriginalTypeSpecs()` of the adapter of the new source returns the type specs of all tensors.

        Args:
            tensor_names: Names of tensors.

        Raises:
            ValueError: A name is not the name of a tensor.
        """
        if isinstance(self, ProjectedTFXIO):
            return ProjectedTFXIO(self.origin, self._ProjectImpl(tensor_names))
        return ProjectedTFXIO(self, self._ProjectImpl(tensor_names))

    def TensorAdapterConfig(self) -> TensorAdapterConfig:  # noqa: N802
        """Returns the picklable configuration of `TensorAdapter()`."""
        return TensorAdapterConfig(self.ArrowSchema(), self.TensorRepresentations())

    def TensorAdapter(self) -> TensorAdapter:  # noqa: N802
        """Returns the adapter that converts record batches to TensorFlow tensors."""
        return TensorAdapter(self.TensorAdapterConfig())


class ProjectedTFXIO(TFXIO):
    """A projection that keeps its original source.

    Args:
        origin: The original source.
        projected: The projected source.
    """

    def __init__(self, origin: TFXIO, projected: TFXIO) -> None:
        self._origin = origin
        self._projected = projected

    @property
    def origin(self) -> TFXIO:
        """The original source."""
        return self._origin

    @property
    def projected(self) -> TFXIO:
        """The projected source."""
        return self._projected

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that produces record batches of the remaining columns."""
        return self.projected.BeamSource(batch_size)

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Iterates over record batches of the remaining columns."""
        return self.projected.RecordBatches(options)

    def ArrowSchema(self) -> Any:  # noqa: N802
        """Returns the schema of the remaining columns."""
        return self.projected.ArrowSchema()

    def TensorRepresentations(self) -> TensorRepresentations:  # noqa: N802
        """Returns the representations of the remaining tensors."""
        return self.projected.TensorRepresentations()

    def TensorFlowDataset(self, options: TensorFlowDatasetOptions) -> Any:  # noqa: N802
        """Returns a dataset of the remaining tensors."""
        return self.projected.TensorFlowDataset(options)

    def _ProjectImpl(self, tensor_names: list[str]) -> TFXIO:  # noqa: N802
        return self.projected._ProjectImpl(tensor_names)  # noqa: SLF001 - of the same class

    def TensorAdapterConfig(self) -> TensorAdapterConfig:  # noqa: N802
        """Returns the configuration, with the type specs of the original source."""
        return TensorAdapterConfig(
            self.ArrowSchema(),
            self.TensorRepresentations(),
            original_type_specs=self.origin.TensorAdapter().TypeSpecs(),
        )
