"""`Dataset.to_torch`. Imports PyTorch."""

from __future__ import annotations

import contextlib
import copy
import inspect
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import MixedDataset
from arrowfeed._dataset import batches_of_pass, checked_match
from arrowfeed._frameworks import (
    apply_functions,
    checked_function,
    framework,
    names_of,
    of_tensors,
    warn_of_texts,
)
from arrowfeed._frameworks.copied_ahead import Converted, CopiedAhead, check_copies_ahead
from arrowfeed._frameworks.labels import labels_of
from arrowfeed._frameworks.torch_devices import Device, Pinned
from arrowfeed._frameworks.torch_shared import shared
from arrowfeed.torch import Converter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from arrowfeed._arrowfeed import BatchIterator, Dataset, LoaderStats
    from arrowfeed.types import AnyTensor, FileMatch, KeyedJagged, Report

_torch: Any = framework("torch")
_data: Any = framework("torch.utils.data")

if TYPE_CHECKING:
    from torch.utils.data import IterableDataset  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    _Base = IterableDataset[Any]  # pyright: ignore[reportUnknownVariableType]
else:
    _Base = _data.IterableDataset


class TorchDataset(_Base):  # pyright: ignore[reportUntypedBaseClass]
    """A dataset of dicts of PyTorch tensors, or of tuples with labels. See `Dataset.to_torch`."""

    def __init__(
        self,
        dataset: Dataset,
        *,
        ragged: Any = "parts",
        keyed_jagged: KeyedJagged | None = None,
        pin_memory: bool = False,
        device: Any = None,
        copies_ahead: int = 2,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
        match: FileMatch = "names",
        **options: Any,
    ) -> None:
        self._dataset = dataset
        self._match: FileMatch = checked_match(match)
        self._functions: tuple[Callable[[Any], Any], ...] = ()
        self._labels = labels_of(dataset.specs, label, weight)
        if not isinstance(cast("Any", pin_memory), bool):
            raise TypeError(f"pin_memory: expected a bool, found {type(pin_memory).__name__} {pin_memory!r}")
        check_copies_ahead(copies_ahead)
        self._pins, self._copies_ahead = pin_memory, copies_ahead
        self._device: Any = None if device is None else _torch.device(device)
        # Not the converter: a pickle has neither functions nor the modules of frameworks.
        self._forms = ragged, keyed_jagged
        Converter(*self._forms, names_of(dataset.specs))
        warn_of_texts("to_torch", "PyTorch", dataset.specs, 2)
        self._options = options
        # The epoch of the next pass, and whether a worker has begun the last pass. In memory that the workers
        # share, because persistent workers have copies of everything else.
        self._shared: Any = _torch.zeros(2, dtype=_torch.int64).share_memory_()
        self._started: tuple[int, Converted[dict[str, Any]]] | None = None
        self._resumed: dict[str, Any] | None = None
        # The number of global batches of other workers before the next one of this worker.
        self._turn = 0
        self._resumed_turn: int | None = None
        self._drawn_seed: int | None = None

    def map(self, function: Callable[[Any], Any]) -> TorchDataset:
        """Returns a dataset whose elements are the results of a function of each element.

        The process that iterates calls the function: each worker of a `DataLoader`, or the caller.
        Checkpoints are those of the elements. `Dataset.map` is for functions of record batches.

        Args:
            function: A function of an element: a dict of tensors, or a tuple with labels. It is pickled for
                workers that are not forked.

        Raises:
            TypeError: `function` is not callable.

        Example:
            >>> rows = dataset.to_torch(batch_size=1024).map(lambda row: row["x"] / 255)
        """
        mapped = copy.copy(self)
        mapped._functions = (*self._functions, checked_function(function))  # noqa: SLF001 - its own class
        return mapped

    def set_epoch(self, epoch: int) -> None:
        """Selects the order of the next pass, like `DistributedSampler.set_epoch`.

        If rows are shuffled with a seed, call this method before each pass; otherwise all passes have the
        order of epoch 0. The call also affects persistent workers.

        Args:
            epoch: Number of the next pass, from 0.
        """
        if self._shared[1]:
            # The workers have begun a later pass than this process.
            self._started = None
        self._shared.copy_(_torch.tensor([epoch, 0]))

    @property
    def _epoch(self) -> int:
        return int(self._shared[0])

    def __iter__(self) -> Iterator[Any]:
        self._refuse_collation(inspect.currentframe())
        resumed, self._resumed = self._resumed, None
        epoch = self._epoch
        options = self._own_options(resumed)
        batches = batches_of_pass(self._dataset, epoch, options)
        if resumed is not None:
            batches.load_state_dict(resumed, match=self._match)
        converted = self._converted(batches)
        self._started = epoch, converted
        self._shared[1] = _data.get_worker_info() is not None
        self._turn, workers = options.get("_turn", (0, 1))
        return self._counted(converted, workers)

    def _converted(self, batches: BatchIterator[dict[str, AnyTensor]]) -> Converted[dict[str, Any]]:
        convert, ahead = Converter(*self._forms), self._copies_ahead
        if self._device is not None:
            device = Device(self._device)
            return CopiedAhead(batches, lambda tensors: device.begin(convert(tensors)), ahead, device.finish)
        if self._pins:
            pin = Pinned()
            return CopiedAhead(batches, lambda tensors: pin(convert(tensors)), ahead)
        return Converted(batches, convert)

    def _counted(self, batches: Converted[dict[str, Any]], workers: int) -> Iterator[Any]:
        has_workers = _data.get_worker_info() is not None
        with contextlib.closing(batches):
            for tensors in batches:
                self._turn = workers - 1
                element = tensors if self._labels is None else self._labels(tensors)
                element = apply_functions(self._functions, element)
                # A function may return another class of tuples or dicts, which stays as it is.
                is_plain = type(element) in {dict, tuple}
                yield shared(element) if has_workers and is_plain else element

    def __repr__(self) -> str:
        return of_tensors("TorchDataset", self._dataset.specs)

    def report(self) -> Report:
        """Returns the counts and the skipped parts of all iterations in this process: `Dataset.report`.

        The workers of a `DataLoader` are other processes. Each warns with a `SkippedWarning`.
        """
        return self._dataset.report()

    def stats(self) -> LoaderStats | None:
        """Returns the figures of the iteration of this process that began last: `Dataset.stats`.

        The workers of a `DataLoader` are other processes, with figures of their own.
        """
        return self._dataset.stats()

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint of the last iteration of this process, which can be saved as JSON.

        If a `DataLoader` has workers, each worker has its own state; torchdata's `StatefulDataLoader`
        collects all of them. Before an iteration, and after `set_epoch`, the checkpoint is the start of the
        next pass.

        Raises:
            ValueError: The workers of a `DataLoader` have begun the last iteration, so this process does not
                know its position.
        """
        if _data.get_worker_info() is None and self._shared[1]:
            raise ValueError(
                "state_dict: expected an iteration of this process, found one of the workers of a "
                "DataLoader, which have its position: use torchdata's StatefulDataLoader, or "
                "state_after(count) with to_torch(global_batch_size=...)"
            )
        if self._started is None:
            return {"epoch": self._epoch, "batches": self._resumed}
        epoch, batches = self._started
        state: dict[str, Any] = {"epoch": epoch, "batches": batches.state_dict()}
        worker = _data.get_worker_info()
        if worker is not None and self._is_global:
            state["turn"] = [self._turn, worker.num_workers]
        return state

    def state_after(self, count: int) -> dict[str, Any]:
        """Returns a checkpoint `count` batches after the position of `load_state_dict`, or after the start.

        A `DataLoader` with workers returns batches that this process has not made. Its caller knows how many
        there were. The checkpoint can be loaded with any number of processes and of workers.

        Args:
            count: Number of batches that the loader has returned.

        Raises:
            ValueError: `to_torch` was called without `global_batch_size`, rows are shuffled without a `seed`,
                or there are fewer batches.

        Example:
            >>> rows = dataset.to_torch(global_batch_size=1024)
            >>> for count, batch in enumerate(DataLoader(rows, batch_size=None, num_workers=2), 1):
            ...     state = rows.state_after(count)
        """
        if not self._is_global:
            raise ValueError("state_after: expected to_torch(global_batch_size=...), found batch_size=")
        if count < 0:
            raise ValueError(f"count: expected an integer of 0 or more, found {count}")
        own = {**self._options, **_sharded(self._options)}
        if _needs_seed(own) and self._resumed is None:
            raise ValueError("seed: expected an integer, which all workers share, found None")
        state = self._moved(own, count)
        return {"epoch": self._epoch, "batches": state}

    def _moved(self, options: dict[str, Any], count: int) -> dict[str, Any]:
        """The state of batches `count` batches after the next iteration begins."""
        batches = batches_of_pass(self._dataset, self._epoch, options)
        if self._resumed is not None:
            batches.load_state_dict(self._resumed, match=self._match)
        state = batches.state_dict()
        position = state["position"]
        number = position["batch"] + count
        if isinstance(self._dataset, MixedDataset):
            # Its datasets have epochs of their own.
            moved = {"batch": number}
        elif options.get("across_epochs"):
            rows, epochs = max(self._dataset.num_rows, 1), options.get("epochs", 1)
            passed = number * options["global_batch_size"] // rows
            first = position["first_epoch"]
            last = None if epochs is None else state["options"]["start_epoch"] + epochs
            epoch = first + passed if last is None else min(first + passed, last)
            moved = {"batch": number, "epoch": epoch}
        else:
            one: dict[str, Any] = {**options, "epochs": 1}
            each = max(self._dataset.num_batches(**one) or 1, 1)
            # The end of an epoch is a position of this epoch.
            epochs = max(number - 1, 0) // each
            moved = {"batch": number - epochs * each, "epoch": position["epoch"] + epochs}
        state = {**state, "position": {**position, **moved}}
        # The iterator checks that the position exists.
        batches.load_state_dict(state)
        batches.close()
        return state

    def load_state_dict(self, state: dict[str, Any], *, match: FileMatch | None = None) -> None:
        """Lets the next iteration resume after the batch of a checkpoint.

        With `global_batch_size`, the checkpoint may come from any number of processes and workers. It may
        also be that of a `StatefulDataLoader` with another number of workers, which the loader itself
        refuses: pass it to this method of the dataset of a new loader.

        If the checkpoint is invalid, the next iteration raises the error.

        Args:
            state: The result of `state_dict`, of `state_after` or, with `global_batch_size`, of
                `StatefulDataLoader.state_dict`.
            match: How files are compared, as in `BatchIterator.load_state_dict`, from now on. None: as
                `to_torch(match=...)` says, which also counts for the workers of a loader.

        Raises:
            ValueError: The checkpoint of a loader has no position, or the loader does not take a snapshot of
                each batch.
        """
        if match is not None:
            self._match = checked_match(match)
        if "batches" not in state:
            state = _furthest(state)
        self.set_epoch(state["epoch"])
        self._resumed = state["batches"]
        self._started = None
        # A worker of a `StatefulDataLoader` has a state of its own; other states are common to all workers.
        self._resumed_turn = None
        turn, worker = state.get("turn"), _data.get_worker_info()
        if turn is not None and worker is not None and turn[1] == worker.num_workers:
            self._resumed_turn = turn[0]

    @property
    def _is_global(self) -> bool:
        return self._options.get("global_batch_size") is not None

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
        options = {**self._options, **_sharded(self._options)}
        (index, count), worker = options["shard"], _data.get_worker_info()
        if count > 1:
            _check_seed(options)
        if worker is None:
            return options
        if self._device is not None or self._pins:
            # A forked process cannot use CUDA.
            argument = "pin_memory" if self._device is None else "device"
            instead = "pass pin_memory=True to the DataLoader"
            raise ValueError(f"{argument}: expected no workers, found a worker of a DataLoader: {instead}")
        # Each worker is a process, so several threads per worker would exceed the number of cores.
        if options.get("threads") is None:
            options["threads"] = 1
        if _needs_seed(options):
            options["seed"] = self._seed_of_pass(worker, resumed)
        if self._is_global:
            first, self._resumed_turn = self._resumed_turn, None
            return {**options, "_turn": (worker.id if first is None else first, worker.num_workers)}
        shard = index * worker.num_workers + worker.id, count * worker.num_workers
        return {**options, "shard": shard}

    def _seed_of_pass(self, worker: Any, resumed: dict[str, Any] | None) -> int:
        """The seed of a pass if none was passed: common to all workers, and different for each pass."""
        seed = (resumed or {}).get("seed")
        if seed is None:
            # The loader draws a seed when it starts its workers.
            seed = worker.seed - worker.id if self._drawn_seed is None else self._drawn_seed + 1
        self._drawn_seed = seed
        return seed

    def __getstate__(self) -> dict[str, Any]:
        # A worker that was not forked has no process group.
        options = {**self._options, **_sharded(self._options)} if _is_initialized() else self._options
        return {**self.__dict__, "_started": None, "_options": options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._shared.share_memory_()


def torch_dataset(dataset: Dataset, **options: Any) -> TorchDataset:
    """Returns the `torch.utils.data.IterableDataset` of a dataset. See `Dataset.to_torch`."""
    return TorchDataset(dataset, **options)


def _sharded(options: dict[str, Any]) -> dict[str, Any]:
    """The shard of this process: by default, its rank and the number of ranks, which make equal steps."""
    if options.get("shard") is not None:
        return {}
    if not _is_initialized():
        return {"shard": (0, 1)}
    shard = _torch.distributed.get_rank(), _torch.distributed.get_world_size()
    is_uneven = options.get("global_batch_size") is not None and options.get("even", "auto") == "auto"
    return {"shard": shard, "even": "drop"} if is_uneven else {"shard": shard}


def _is_initialized() -> bool:
    """Whether this process is a rank of `torch.distributed`."""
    distributed = _torch.distributed
    return distributed.is_available() and distributed.is_initialized()


def _furthest(state: dict[str, Any]) -> dict[str, Any]:
    """The state of the worker of a `StatefulDataLoader` that has returned the last global batch.

    The loader stores a state of each worker somewhere in its own state, and counts the batches since then.
    """
    found = list(_states(state))
    if not found:
        raise ValueError("state: expected a checkpoint of this dataset or of its loader, found neither")
    if state.get("_steps_since_snapshot"):
        raise ValueError(
            "state: expected a loader with snapshot_every_n_steps=1, found one with later batches that its "
            "checkpoint does not contain"
        )
    return max(found, key=lambda state: (state["epoch"], *_position(state["batches"])))


def _states(state: object) -> Iterator[dict[str, Any]]:
    """The states of this dataset inside the state of a loader."""
    if not isinstance(state, dict):
        return
    known = cast("dict[str, Any]", state)
    if "batches" in known and "epoch" in known:
        yield known
        return
    for inner in known.values():
        yield from _states(inner)


def _position(batches: dict[str, Any] | None) -> tuple[int, int]:
    if batches is None:
        return -1, -1
    position = batches["position"]
    if position["kind"] != "global":
        raise ValueError(
            "state: expected a loader of to_torch(global_batch_size=...), found one of batch_size=: its "
            "checkpoint can be loaded only by a loader with the same number of workers"
        )
    return position["epoch"], position["batch"]


def _needs_seed(options: dict[str, Any]) -> bool:
    return bool(options.get("shuffle_buffer_size")) and options.get("seed") is None


def _check_seed(options: dict[str, Any]) -> None:
    if _needs_seed(options):
        raise ValueError("seed: expected an integer, the same for all shards, found None")
