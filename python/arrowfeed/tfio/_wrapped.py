"""Datasets that are a class of their own, as tensorflow-io's are."""

from __future__ import annotations

from typing import Any

from arrowfeed._frameworks import framework

_Dataset: Any = framework("tensorflow").data.Dataset


class WrappedDataset(_Dataset):
    """A `tf.data.Dataset` that is another one.

    Args:
        dataset: The other one.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        # What every dataset is made of.
        _Dataset.__init__(self, dataset._variant_tensor)  # noqa: SLF001

    def _inputs(self) -> list[Any]:
        return [self._dataset]

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._dataset.element_spec
