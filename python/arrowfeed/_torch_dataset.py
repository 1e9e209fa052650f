"""Datasets as PyTorch has them: `AvroDataset.to_torch`. Imports PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._handoff import framework
from arrowfeed._passes import batches_of_pass
from arrowfeed.torch import to_torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import AvroDataset, BatchIterator
    from arrowfeed.types import Tensor

_torch: Any = framework("torch")
_data: Any = framework("torch.utils.data")
_Base: Any = _data.IterableDataset


class TorchDataset(_Base):
    """Dicts of what `arrowfeed.torch.to_torch` makes of a dataset's tensors. See `AvroDataset.to_torch`."""

    def __init__(self, dataset: AvroDataset, **options: Any) -> None:
        self._dataset = dataset
        self._options = options
        self._epoch = 0
        self._iterator: BatchIterator[dict[str, Tensor]] | None = None
        self._resumed: dict[str, Any] | None = None

    def set_epoch(self, epoch: int) -> None:
        """Chooses the order of the next pass, as `DistributedSampler.set_epoch` does.

        Call it before each pass where rows are shuffled with a seed; without, all passes have the order of
        epoch 0.
        """
        self._epoch = epoch

    def __iter__(self) -> Iterator[dict[str, Any]]:
        resumed, self._resumed = self._resumed, None
        self._iterator = batches_of_pass(self._dataset, self._epoch, self._own_options(resumed))
        if resumed is not None:
            self._iterator.load_state_dict(resumed)
        return _converted(self._iterator)

    def state_dict(self) -> dict[str, Any]:
        """Where the last iteration of this process stands after the batch that was given. JSON can hold it.

        Where a `DataLoader` has workers, each has a state of its own: torchdata's `StatefulDataLoader` asks
        for all of them.
        """
        batches = self._resumed if self._iterator is None else self._iterator.state_dict()
        return {"epoch": self._epoch, "batches": batches}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Lets the next iteration go on after the batch that a state is of.

        What is wrong with the state is raised by that iteration.
        """
        self._epoch, self._resumed = state["epoch"], state["batches"]
        self._iterator = None

    def _own_options(self, resumed: dict[str, Any] | None) -> dict[str, Any]:
        """The options of this worker of this rank."""
        options = dict(self._options)
        (index, count), worker = options.get("shard") or _rank(), _data.get_worker_info()
        if count > 1:
            _check_seed(options)
        if worker is not None:
            index, count = index * worker.num_workers + worker.id, count * worker.num_workers
            # Every worker is a process: their threads would be more than cores.
            options.setdefault("threads", 1)
            if options.get("seed") is None and resumed is None:
                # Drawn by the loader for each pass, the same for all workers.
                options["seed"] = worker.seed - worker.id
        return {**options, "shard": (index, count)}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_iterator": None}


def torch_dataset(dataset: AvroDataset, **options: Any) -> TorchDataset:
    """The `torch.utils.data.IterableDataset` of a dataset's tensors. See `AvroDataset.to_torch`."""
    return TorchDataset(dataset, **options)


def _converted(batches: BatchIterator[dict[str, Tensor]]) -> Iterator[dict[str, Any]]:
    with batches:
        for tensors in batches:
            yield to_torch(tensors)


def _rank() -> tuple[int, int]:
    """Number of this process among those that train together, and how many they are."""
    distributed = _torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def _check_seed(options: dict[str, Any]) -> None:
    if options.get("shuffle_buffer_size") and options.get("seed") is None:
        raise ValueError("seed: expected an integer, as all shards have to shuffle alike, found None")
