"""`Dataset.to_keras`. Imports Keras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arrowfeed._errors import ConversionError
from arrowfeed._frameworks import framework, of_tensors
from arrowfeed._frameworks.labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed._arrowfeed import Dataset, DenseTensor

_Base: Any = framework("keras").utils.PyDataset


class KerasDataset(_Base):
    """A `keras.utils.PyDataset` of dicts of arrays, or of tuples with labels. See `Dataset.to_keras`."""

    def __init__(
        self,
        dataset: Dataset,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
        **options: Any,
    ) -> None:
        _Base.__init__(self, **options)
        self._dataset, self._batch_size = dataset, batch_size
        self._labels = labels_of(dataset.specs, label, weight)
        for name, spec in dataset.specs.items():
            if spec.kind != "dense":
                found = f"{name}: expected a dense tensor, which every backend of Keras takes, found {spec}"
                raise ConversionError(f"{found}: give it a shape, or use to_tf or to_torch")
        # Also checks the arguments. One epoch has a number of batches.
        batches = dataset.num_batches(batch_size=batch_size, drop_remainder=drop_remainder)
        self._len = batches or 0

    def __len__(self) -> int:
        return self._len

    def __getitem__(self, index: int) -> Any:
        """Returns a batch.

        Raises:
            IndexError: There is no such batch.
            ArrowfeedError, OSError: As in `Dataset.row_tensors`.
        """
        if not 0 <= index < self._len:
            raise IndexError(f"expected a batch from 0 to {self._len - 1}, found {index}")
        start = index * self._batch_size
        end = min(start + self._batch_size, self._dataset.num_rows)
        tensors = cast("dict[str, DenseTensor]", self._dataset.row_tensors(range(start, end), threads=1))
        arrays = {name: tensor.values for name, tensor in tensors.items()}
        return arrays if self._labels is None else self._labels(arrays)

    def __repr__(self) -> str:
        return of_tensors("KerasDataset", self._dataset.specs)
