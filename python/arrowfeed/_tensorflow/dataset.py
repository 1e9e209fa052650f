"""Datasets over the op: `Dataset.to_tf`, and the base class of those of `arrowfeed.tfio`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import Dataset, TensorFlowSource
from arrowfeed._frameworks import framework
from arrowfeed._tensorflow.iterator import EagerIterator, Pass, is_supported
from arrowfeed._tensorflow.op import op_of_arguments, op_of_dataset, state_of_arguments, texts_of
from arrowfeed._tensorflow.specs import type_spec
from arrowfeed._tensorflow.wrapped import WrappedDataset

if TYPE_CHECKING:
    from arrowfeed._tensorflow.op import Op

_tf: Any = framework("tensorflow")

AHEAD = 2
"""Batches that wait for the model, so that making one and computing with another go on side by side."""


def tf_dataset(dataset: Dataset, **options: Any) -> Any:
    """The `tf.data.Dataset` of a dataset's tensors. See `Dataset.to_tf`."""
    rows = options["batch_size"] if options.get("drop_remainder") else None
    specs = {name: type_spec(spec, rows) for name, spec in dataset.specs.items()}
    if any(_tf.is_tensor(part) for part in options.get("shard", ())):
        return _shard(dataset, specs, options)
    return PassesDataset(dataset, specs, options, ahead=AHEAD)


def _shard(dataset: Dataset, specs: dict[str, Any], options: dict[str, Any]) -> Any:
    """The dataset of a shard that only the graph knows."""
    shard = [_tf.cast(part, _tf.int64) for part in options["shard"]]
    source = _Shards(dataset, {**options, "shard": (0, 1)})
    return op_of_arguments(source, specs).dataset(state_of_arguments(texts_of(shard)), ahead=AHEAD)


class _Shards(NamedTuple):
    """What makes the source of a shard.

    Attributes:
        dataset: Of all rows.
        options: Of `Dataset.tensors`, but for the shard.
    """

    dataset: Dataset
    options: dict[str, Any]

    def __call__(self, arguments: list[bytes]) -> TensorFlowSource:
        index, count = map(int, arguments)
        return TensorFlowSource(None, self.dataset, **{**self.options, "shard": (index, count)})


class OpDataset(WrappedDataset):
    """The `tf.data.Dataset` of the batches that an op gives.

    Args:
        op: What gives them.
        specs: The `element_spec`: the `tf.TypeSpec` of each tensor, by name.
        state: Of `Op.dataset`, where each pass begins.
        ahead: Of `Op.dataset`.
    """

    def __init__(self, op: Op, specs: dict[str, Any], *, state: Any = b"", ahead: int = 0) -> None:
        super().__init__(op.dataset(state, ahead=ahead))
        self._specs, self._op, self._state, self._ahead = specs, op, state, ahead

    def __iter__(self) -> Any:
        if not _tf.executing_eagerly() or not is_supported():
            tensorflows: Any = super()
            return tensorflows.__iter__()
        state = self._state if isinstance(self._state, bytes) else self._state.numpy()
        return EagerIterator(self._specs, Pass(self._op.batches, state), self._rest)

    def _rest(self, state: bytes) -> Any:
        """What TensorFlow passes over from a state on."""
        return self._op.dataset(state, ahead=self._ahead)


class PassesDataset(OpDataset):
    """The `tf.data.Dataset` of a dataset's tensors, for one pass after the other.

    Args:
        dataset: What is passed over.
        specs: The `tf.TypeSpec` of each tensor, by name; of a structured one, a dict of its fields'.
        options: Of `Dataset.tensors`, for each pass.
        ahead: Batches that are made before they are asked for, where tf.data asks.
    """

    def __init__(
        self, dataset: Dataset, specs: dict[str, Any], options: dict[str, Any], *, ahead: int
    ) -> None:
        super().__init__(op_of_dataset(dataset, specs, options), specs, ahead=ahead)

    def set_epoch(self, epoch: int) -> None:
        """Gives the next pass over the dataset the order that it has as the pass of this number, from 0.

        With a seed, each pass has an order of its own, and passes are counted in each process. Keras makes
        passes that it does not use; and a training that goes on after its process ended counts from 0 again.
        A callback that calls this in `on_epoch_begin` gives each epoch the same rows in the same order in
        every run.

        Args:
            epoch: The number of the pass.

        Raises:
            ValueError: It is negative.

        Example:
            >>> rows = source.to_tf(batch_size=64, shuffle_buffer_size=10_000, seed=7)
            >>> from tensorflow.keras.callbacks import BackupAndRestore, LambdaCallback
            >>> order = LambdaCallback(on_epoch_begin=lambda epoch, _: rows.set_epoch(epoch))
            >>> model.fit(rows, epochs=5, callbacks=[BackupAndRestore("backup"), order])
        """
        if epoch < 0:
            raise ValueError(f"epoch: expected an integer of 0 or more, found {epoch}")
        self._op.set_next_pass(epoch)
