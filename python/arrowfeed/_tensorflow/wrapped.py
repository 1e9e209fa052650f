"""The base of datasets with their own class, like those of tensorflow-io."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from arrowfeed._frameworks import framework

_tf: Any = framework("tensorflow")

if TYPE_CHECKING:
    # The package types-tensorflow has the types.
    from tensorflow.data import Dataset

    _Dataset = Dataset[Any]
else:
    _Dataset = _tf.data.Dataset


class WrappedDataset(_Dataset):
    """A `tf.data.Dataset` that wraps another one.

    Args:
        dataset: The wrapped dataset.
    """

    def __init__(self, dataset: Any) -> None:
        self._wrapped = dataset
        # The variant tensor, which represents each dataset.
        _tf.data.Dataset.__init__(self, _tf.data.experimental.to_variant(dataset))

    def _inputs(self) -> list[Any]:
        return [self._wrapped]

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._wrapped.element_spec


class TensorFlowDataset(WrappedDataset):
    """The `tf.data.Dataset` of the batches of a dataset, where each iteration is the next pass. See
    `Dataset.to_tf`.
    """

    @abc.abstractmethod
    def set_epoch(self, epoch: int) -> None:
        """Sets the number of the next pass over the dataset, which determines its order.

        With a seed, each pass has a different order, and each process counts its passes from 0. However,
        Keras starts passes that it does not use, and a resumed training runs in a new process. With a
        callback that calls this method in `on_epoch_begin`, each epoch has the same rows in the same order in
        every run.

        Args:
            epoch: The number of the pass, from 0.

        Raises:
            ValueError: The number is negative.

        Example:
            >>> rows = source.to_tf(batch_size=64, shuffle_buffer_size=10_000, seed=7)
            >>> from tensorflow.keras.callbacks import BackupAndRestore, LambdaCallback
            >>> order = LambdaCallback(on_epoch_begin=lambda epoch, _: rows.set_epoch(epoch))
            >>> model.fit(rows, epochs=5, shuffle=False, callbacks=[BackupAndRestore("backup"), order])
        """
