"""`shard="auto"`: the shard of this process, as its launcher or its framework numbers the processes."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, cast

_PAIRS = (
    ("RANK", "WORLD_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
)
"""Variables with the number of this process and the number of processes: of torchrun, Open MPI and MPICH."""

_TRAINERS = ("chief", "master", "worker")
"""The tasks of `TF_CONFIG` that train, in the order of their numbers."""


def shard_of_process() -> tuple[int, int]:
    """Returns the number of this process, from 0, and the number of processes.

    A framework that is initialized knows them: `torch.distributed`, then `jax.distributed`, then mpi4py. No
    framework is imported here. Otherwise the environment variables of the launcher determine them: `RANK`
    and `WORLD_SIZE` of torchrun, `TF_CONFIG`, and the variables of Open MPI and MPICH. Without any of these,
    there is one process.

    Raises:
        ValueError: The variables of two launchers disagree, a variable has an invalid value, or the task of
            `TF_CONFIG` reads no rows.
    """
    for shard in (_of_torch(), _of_jax(), _of_mpi4py()):
        if shard is not None:
            return shard
    found = {names: shard for names, shard in _of_environment().items() if shard is not None}
    if len(set(found.values())) > 1:
        each = [f"{names} with process {index} of {count}" for names, (index, count) in found.items()]
        message = f"shard: expected variables of one launcher, found {' and '.join(each)}"
        raise ValueError(f"{message}: pass shard=(index, count)")
    return next(iter(found.values()), (0, 1))


def _of_torch() -> tuple[int, int] | None:
    distributed = _imported("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return None
    return distributed.get_rank(), distributed.get_world_size()


def _of_jax() -> tuple[int, int] | None:
    jax = _imported("jax")
    # Older releases of JAX cannot be asked.
    is_initialized = getattr(getattr(jax, "distributed", None), "is_initialized", None)
    if jax is None or is_initialized is None or not is_initialized():
        return None
    return jax.process_index(), jax.process_count()


def _of_mpi4py() -> tuple[int, int] | None:
    mpi = _imported("mpi4py.MPI")
    if mpi is None or not mpi.Is_initialized() or mpi.Is_finalized():
        return None
    count = mpi.COMM_WORLD.Get_size()
    # Each process that imports mpi4py without a launcher of MPI is a world of its own.
    return (mpi.COMM_WORLD.Get_rank(), count) if count > 1 else None


def _imported(name: str) -> Any:
    """A module that the caller has imported; None if it has not."""
    return sys.modules.get(name)


def _of_environment() -> dict[str, tuple[int, int] | None]:
    """The shards by the names of the variables of a launcher."""
    shards = {f"{index} and {count}": _of_pair(index, count) for index, count in _PAIRS}
    return {**shards, "TF_CONFIG": _of_tf_config(os.environ.get("TF_CONFIG"))}


def _of_pair(index_name: str, count_name: str) -> tuple[int, int] | None:
    index, count = os.environ.get(index_name), os.environ.get(count_name)
    if index is None or count is None:
        return None
    if not (index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        expected = f"{index_name} to be an integer below {count_name}"
        raise ValueError(f"shard: expected {expected}, found {index_name}={index} and {count_name}={count}")
    return int(index), int(count)


def _of_tf_config(text: str | None) -> tuple[int, int] | None:
    """The shard of a task, as `MultiWorkerMirroredStrategy` numbers the tasks: the chief, then the workers.

    An evaluator reads all rows, because each evaluation is one process.
    """
    if not text:
        return None
    try:
        config = json.loads(text)
        cluster = cast("dict[str, list[str]]", config.get("cluster", {}))
        task = cast("dict[str, Any]", config.get("task", {}))
        kind, number = str(task.get("type", "")), int(task.get("index", 0))
        counts = {name: len(cluster.get(name, ())) for name in _TRAINERS}
    except (AttributeError, TypeError, ValueError) as error:
        message = f"shard: expected TF_CONFIG to be JSON with the keys cluster and task, found {text}"
        raise ValueError(message) from error
    if not cluster or kind == "evaluator":
        return 0, 1
    if kind not in counts or not 0 <= number < counts[kind]:
        expected = "the task of TF_CONFIG to be a chief or worker of its cluster"
        raise ValueError(f"shard: expected {expected}, found the task {kind!r} with the index {number}")
    before = _TRAINERS[: _TRAINERS.index(kind)]
    return sum(counts[name] for name in before) + number, sum(counts.values())
