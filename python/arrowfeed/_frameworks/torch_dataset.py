"""`Dataset.to_torch`. Imports PyTorch."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from arrowfeed._dataset import batches_of_pass
from arrowfeed._frameworks import framework, of_tensors
from arrowfeed.torch import to_torch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from arrowfeed._arrowfeed import BatchIterator, Dataset
    from arrowfeed.types import AnyTensor, Report

_torch: Any = framework("torch")
_data: Any = framework("torch.utils.data")

if TYPE_CHECKING:
    from torch.utils.data import IterableDataset  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    _Base = IterableDataset[dict[str, Any]]  # pyright: ignore[reportUnknownVariableType]
else:
    _Base = _data.IterableDataset


class TorchDataset(_Base):  # pyright: ignore[reportUntypedBaseClass]
    """A dataset of dicts of PyTorch tensors. See `Dataset.to_torch`."""

    def __init__(self, dataset: Dataset, **options: Any) -> None:
        self._dataset = dataset
        self._options = options
        # In memory that the workers share, because persistent workers have copies of everything else.
        self._shared_epoch: Any = _torch.zeros((), dtype=_torch.int64).share_memory_()
        self._started: tuple[int, BatchIterator[dict[str, AnyTensor]]] | None = None
        self._resumed: dict[str, Any] | None = None
        self._drawn_seed: int | None = None

    def set_epoch(self, epoch: int) -> None:
        """Selects the order of the next pass, like `DistributedSampler.set_epoch`.

        If rows are shuffled with a seed, call this method before each pass; otherwise all passes have the
        order of epoch 0. The call also affects persistent workers.

        Args:
            epoch: Number of the next pass, from 0.
        """
        self._shared_epoch.fill_(epoch)

    @property
    def _epoch(self) -> int:
        return int(self._shared_epoch)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self._refuse_collation(inspect.currentframe())
        resumed, self._resumed = self._resumed, None
        epoch = self._epoch
        batches = batches_of_pass(self._dataset, epoch, self._own_options(resumed))
        if resumed is not None:
            batches.load_state_dict(resumed)
        self._started = epoch, batches
        return _converted(batches)

    def __repr__(self) -> str:
        return of_tensors("TorchDataset", self._dataset.specs)

    def report(self) -> Report:
        """Returns the counts and the skipped parts of all iterations in this process: `Dataset.report`.

        The workers of a `DataLoader` are other processes. Each warns with a `SkippedWarning`.
        """
        return self._dataset.report()

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint of the last iteration of this process, which can be saved as JSON.

        If a `DataLoader` has workers, each worker has its own state; torchdata's `StatefulDataLoader`
        collects all of them.
        """
        if self._started is None:
            return {"epoch": self._epoch, "batches": self._resumed}
        epoch, batches = self._started
        return {"epoch": epoch, "batches": batches.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Lets the next iteration resume after the batch of a checkpoint.

        If the checkpoint is invalid, that iteration raises the error.

        Args:
            state: The result of `state_dict`.
        """
        self.set_epoch(state["epoch"])
        self._resumed = state["batches"]
        self._started = None

    def _refuse_collation(self, frame: FrameType | None) -> None:
        """Raises if a `DataLoader` would collate the batches of this dataset into batches of batches.

        A dataset is not told who iterates over it, so this looks at the caller's `self`. The names are those
        of the fetcher of `DataLoader`, which are not public: where they do not exist, nothing is refused.
        """
        caller = None if frame is None else frame.f_back
        fetcher = None if caller is None else caller.f_locals.get("self")
        if getattr(fetcher, "dataset", None) is self and getattr(fetcher, "auto_collation", False):
            raise ValueError(
                "batch_size: expected DataLoader(..., batch_size=None), because to_torch already "
                "makes batches, found a DataLoader with a batch_size"
            )

    def _own_options(self, resumed: dict[str, Any] | None) -> dict[str, Any]:
        """The options of this worker of this rank."""
        options = dict(self._options)
        (index, count), worker = options.get("shard") or _rank(), _data.get_worker_info()
        if count > 1:
            _check_seed(options)
        if worker is not None:
            index, count = index * worker.num_workers + worker.id, count * worker.num_workers
            # Each worker is a process, so several threads per worker would exceed the number of cores.
            if options.get("threads") is None:
                options["threads"] = 1
            if _needs_seed(options):
                options["seed"] = self._seed_of_pass(worker, resumed)
        return {**options, "shard": (index, count)}

    def _seed_of_pass(self, worker: Any, resumed: dict[str, Any] | None) -> int:
        """The seed of a pass if none was passed: common to all workers, and different for each pass."""
        seed = (resumed or {}).get("seed")
        if seed is None:
            # The loader draws a seed when it starts its workers.
            seed = worker.seed - worker.id if self._drawn_seed is None else self._drawn_seed + 1
        self._drawn_seed = seed
        return seed

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_started": None}
        index, count = _rank()
        if count > 1 and self._options.get("shard") is None:
            # A worker that was not forked has no process group.
            state["_options"] = {**self._options, "shard": (index, count)}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._shared_epoch.share_memory_()


def torch_dataset(dataset: Dataset, **options: Any) -> TorchDataset:
    """Returns the `torch.utils.data.IterableDataset` of a dataset. See `Dataset.to_torch`."""
    return TorchDataset(dataset, **options)


def _converted(batches: BatchIterator[dict[str, AnyTensor]]) -> Iterator[dict[str, Any]]:
    with batches:
        for tensors in batches:
            yield to_torch(tensors)


def _rank() -> tuple[int, int]:
    """The rank of this process and the number of ranks."""
    distributed = _torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return 0, 1
    return distributed.get_rank(), distributed.get_world_size()


def _needs_seed(options: dict[str, Any]) -> bool:
    return bool(options.get("shuffle_buffer_size")) and options.get("seed") is None


def _check_seed(options: dict[str, Any]) -> None:
    if _needs_seed(options):
        raise ValueError("seed: expected an integer, the same for all shards, found None")
