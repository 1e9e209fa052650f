"""Datasets over the op: `Dataset.to_tf`, and the base class of the datasets of `arrowfeed.tfio`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import Dataset, TensorFlowSource
from arrowfeed._dataset import checked_match
from arrowfeed._frameworks import framework
from arrowfeed._frameworks.labels import Labels, labels_of
from arrowfeed._tensorflow.iterator import EagerIterator, Pass, is_supported
from arrowfeed._tensorflow.op import op_of_arguments, op_of_dataset, state_of_arguments, texts_of
from arrowfeed._tensorflow.specs import type_spec
from arrowfeed._tensorflow.wrapped import TensorFlowDataset, WrappedDataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed._arrowfeed import LoaderStats
    from arrowfeed._tensorflow.op import Op
    from arrowfeed.types import FileMatch, Report

_tf: Any = framework("tensorflow")

AHEAD = 2
"""Number of prefetched batches, so that the model computes while the next batch is made."""


def tf_dataset(
    dataset: Dataset,
    *,
    label: str | Sequence[str] | None = None,
    weight: str | None = None,
    match: FileMatch = "names",
    **options: Any,
) -> Any:
    """Returns the `tf.data.Dataset` of a dataset. See `Dataset.to_tf`."""
    labels = labels_of(dataset.specs, label, weight)
    rows = _unlabelled(dataset, {**options, "_match": checked_match(match)})
    return rows if labels is None else LabelledDataset(rows, labels)


def _unlabelled(dataset: Dataset, options: dict[str, Any]) -> Any:
    rows = _rows_of_every_batch(options)
    made = dataset.tensor_representations
    # Packed tensors have a line for each sequence, of which batches have different numbers.
    packed = {name for name, one in made.items() if getattr(one, "pack", None) is not None}
    specs = {name: type_spec(spec, None if name in packed else rows) for name, spec in dataset.specs.items()}
    if any(_tf.is_tensor(part) for part in options.get("shard", ())):
        return _shard(dataset, specs, options)
    return PassesDataset(dataset, specs, options, ahead=AHEAD)


def _rows_of_every_batch(options: dict[str, Any]) -> int | None:
    """The number of rows that all batches have. None: some may have fewer, or the number is not known yet."""
    is_equal = options.get("drop_remainder") or options.get("even") in ("drop", "repeat")
    if not is_equal or options.get("batches") is not None:
        return None
    size, shard = options.get("global_batch_size"), options.get("shard", (0, 1))
    if size is None:
        return options["batch_size"]
    return None if any(_tf.is_tensor(part) for part in shard) else size // shard[1]


def _shard(dataset: Dataset, specs: dict[str, Any], options: dict[str, Any]) -> Any:
    """Returns the dataset of a shard that is known only in the graph."""
    shard = [_tf.cast(part, _tf.int64) for part in options["shard"]]
    source = _Shards(dataset, {**options, "shard": (0, 1)})
    return op_of_arguments(source, specs).dataset(state_of_arguments(texts_of(shard)), ahead=AHEAD)


class _Shards(NamedTuple):
    """A function that makes the source of a shard.

    Attributes:
        dataset: The dataset of all rows.
        options: Options of `Dataset.tensors`, except the shard.
    """

    dataset: Dataset
    options: dict[str, Any]

    def __call__(self, arguments: list[bytes]) -> TensorFlowSource:
        index, count = map(int, arguments)
        return TensorFlowSource(None, self.dataset, **{**self.options, "shard": (index, count)})


class OpDataset(WrappedDataset):
    """The `tf.data.Dataset` of the batches of an op.

    Args:
        op: The op that produces the batches.
        specs: The `element_spec`: the `tf.TypeSpec` of each tensor, by name.
        state: Argument of `Op.dataset`: the state at the start of each pass.
        ahead: Argument of `Op.dataset`.
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
        """Returns the TensorFlow dataset that continues from a state."""
        return self._op.dataset(state, ahead=self._ahead)


class LabelledDataset(TensorFlowDataset):
    """Features, labels and, if there are any, sample weights.

    Args:
        rows: The `tf.data.Dataset` of dicts of all tensors.
        labels: The division of the tensors.
    """

    def __init__(self, rows: Any, labels: Labels) -> None:
        super().__init__(rows.map(labels.__call__))
        self._rows = rows

    def report(self) -> Report:
        """Returns the counts and the skipped parts of all iterations in this process: `Dataset.report`."""
        return self._rows.report()

    def stats(self) -> LoaderStats | None:
        """Returns the figures of the iteration of this process that began last: `Dataset.stats`."""
        return self._rows.stats()

    def set_epoch(self, epoch: int) -> None:
        """Sets the number of the next pass. See `TensorFlowDataset.set_epoch`."""
        self._rows.set_epoch(epoch)


class PassesDataset(OpDataset, TensorFlowDataset):
    """Dicts of all tensors.

    Args:
        dataset: The dataset.
        specs: The `tf.TypeSpec` of each tensor by name; for a structured tensor, a dict of those of its
            fields.
        options: Options of `Dataset.tensors` for each pass.
        ahead: Number of batches that tf.data prefetches.
    """

    def __init__(
        self, dataset: Dataset, specs: dict[str, Any], options: dict[str, Any], *, ahead: int
    ) -> None:
        super().__init__(op_of_dataset(dataset, specs, options), specs, ahead=ahead)
        self._arrowfeed_dataset = dataset

    def report(self) -> Report:
        """Returns the counts and the skipped parts of all iterations in this process: `Dataset.report`.

        Workers of the tf.data service are other processes. Each warns with a `SkippedWarning`.
        """
        return self._arrowfeed_dataset.report()

    def stats(self) -> LoaderStats | None:
        """Returns the figures of the iteration of this process that began last: `Dataset.stats`."""
        return self._arrowfeed_dataset.stats()

    def set_epoch(self, epoch: int) -> None:
        """Sets the number of the next pass. See `TensorFlowDataset.set_epoch`."""
        if epoch < 0:
            raise ValueError(f"epoch: expected an integer of 0 or more, found {epoch}")
        self._op.set_next_pass(epoch)
