"""The base of datasets with their own class, like those of tensorflow-io."""

from __future__ import annotations

from typing import Any

from arrowfeed._frameworks import framework

_tf: Any = framework("tensorflow")
_Dataset: Any = _tf.data.Dataset


class WrappedDataset(_Dataset):
    """A `tf.data.Dataset` that wraps another one.

    Args:
        dataset: The wrapped dataset.
    """

    def __init__(self, dataset: Any) -> None:
        self._wrapped = dataset
        # The variant tensor, which represents each dataset.
        _Dataset.__init__(self, _tf.data.experimental.to_variant(dataset))

    def _inputs(self) -> list[Any]:
        return [self._wrapped]

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._wrapped.element_spec
