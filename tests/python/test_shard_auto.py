"""`shard="auto"` selects the shard that the environment of a launcher gives to this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest

import arrowfeed as af

ROWS = 101

NAMES = (
    "RANK",
    "WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_RANK",
    "PMI_SIZE",
    "TF_CONFIG",
)

CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}


@pytest.fixture
def dataset(tmp_path):
    af.write_avro(pa.record_batch({"x": range(ROWS)}), tmp_path / "rows.avro")
    return af.AvroDataset(tmp_path / "rows.avro")


@pytest.fixture(autouse=True)
def _no_launcher(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for module in ("torch.distributed", "jax", "mpi4py.MPI"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def rows(dataset, **options):
    return [
        x
        for batch in dataset.record_batches(batch_size=10, **options)
        for x in batch.to_pyarrow()["x"].to_pylist()
    ]


def tf_config(kind, index):
    return {"TF_CONFIG": json.dumps({"cluster": CLUSTER, "task": {"type": kind, "index": index}})}


@pytest.mark.parametrize(
    ("environment", "shard"),
    [
        ({}, (0, 1)),
        ({"RANK": "1", "WORLD_SIZE": "3"}, (1, 3)),
        ({"RANK": "1"}, (0, 1)),
        ({"WORLD_SIZE": "3"}, (0, 1)),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, (0, 2)),
        ({"PMI_RANK": "3", "PMI_SIZE": "4"}, (3, 4)),
        (tf_config("chief", 0), (0, 3)),
        (tf_config("worker", 0), (1, 3)),
        (tf_config("worker", 1), (2, 3)),
        (tf_config("evaluator", 0), (0, 1)),
        (
            {"TF_CONFIG": '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}'},
            (1, 2),
        ),
        ({"TF_CONFIG": ""}, (0, 1)),
        ({"TF_CONFIG": "{}"}, (0, 1)),
        ({"RANK": "1", "WORLD_SIZE": "2", "PMI_RANK": "1", "PMI_SIZE": "2"}, (1, 2)),
    ],
)
def test_the_environment_gives_the_shard(dataset, monkeypatch, environment, shard):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert rows(dataset, shard="auto") == rows(dataset, shard=shard)
    # Tensors and the number of batches have the same shard.
    assert len(list(dataset.tensors(batch_size=10, shard="auto"))) == dataset.num_batches(
        batch_size=10, shard=shard
    )
    assert dataset.num_batches(batch_size=10, shard="auto") == dataset.num_batches(batch_size=10, shard=shard)


def test_processes_of_a_launcher_have_each_row_once(dataset, tmp_path):
    program = """if True:
        import sys, arrowfeed as af
        batches = af.AvroDataset(sys.argv[1]).record_batches(batch_size=10, shard="auto")
        print(*(x for batch in batches for x in batch.to_pyarrow()["x"].to_pylist()))
    """
    command = [sys.executable, "-c", program, str(tmp_path / "rows.avro")]
    found = [
        subprocess.run(
            command,
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for rank in range(2)
    ]
    assert [len(part) for part in found] == [50, 51]
    assert sorted(map(int, found[0] + found[1])) == list(range(ROWS))


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        (
            {"RANK": "0", "WORLD_SIZE": "2", "PMI_RANK": "1", "PMI_SIZE": "2"},
            "shard: expected variables of one launcher, found RANK and WORLD_SIZE with process 0 of 2 and "
            "PMI_RANK and PMI_SIZE with process 1 of 2: pass shard=(index, count)",
        ),
        (
            {"RANK": "2", "WORLD_SIZE": "2"},
            "shard: expected RANK to be an integer below WORLD_SIZE, found RANK=2 and WORLD_SIZE=2",
        ),
        (
            {"PMI_RANK": "x", "PMI_SIZE": "2"},
            "shard: expected PMI_RANK to be an integer below PMI_SIZE, found PMI_RANK=x and PMI_SIZE=2",
        ),
        (
            {"TF_CONFIG": "worker"},
            "shard: expected TF_CONFIG to be JSON with the keys cluster and task, found worker",
        ),
        (
            {"TF_CONFIG": "[]"},
            "shard: expected TF_CONFIG to be JSON with the keys cluster and task, found []",
        ),
        (
            tf_config("ps", 0),
            "shard: expected the task of TF_CONFIG to be a chief or worker of its cluster, "
            "found the task 'ps' with the index 0",
        ),
        (
            tf_config("worker", 2),
            "shard: expected the task of TF_CONFIG to be a chief or worker of its cluster, "
            "found the task 'worker' with the index 2",
        ),
    ],
)
def test_an_environment_without_a_shard_is_refused(dataset, monkeypatch, environment, message):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole text is compared
        dataset.record_batches(batch_size=10, shard="auto")
    assert str(error.value) == message


def frameworks(initialized):
    """Modules with the functions that `shard="auto"` calls. Other tests call the real ones."""
    torch = SimpleNamespace(
        is_available=lambda: True,
        is_initialized=lambda: "torch" in initialized,
        get_rank=lambda: 1,
        get_world_size=lambda: 2,
    )
    jax = SimpleNamespace(
        distributed=SimpleNamespace(is_initialized=lambda: "jax" in initialized),
        process_index=lambda: 2,
        process_count=lambda: 3,
    )
    world = SimpleNamespace(Get_rank=lambda: 3, Get_size=lambda: 4)
    mpi = SimpleNamespace(
        Is_initialized=lambda: "mpi4py" in initialized,
        Is_finalized=lambda: "finalized" in initialized,
        COMM_WORLD=world,
    )
    return {"torch.distributed": torch, "jax": jax, "mpi4py.MPI": mpi}


@pytest.mark.parametrize(
    ("initialized", "shard"),
    [
        ({"torch", "jax", "mpi4py"}, (1, 2)),
        ({"jax", "mpi4py"}, (2, 3)),
        ({"mpi4py"}, (3, 4)),
        ({"mpi4py", "finalized"}, (4, 5)),
        (set(), (4, 5)),
    ],
)
def test_an_initialized_framework_comes_before_the_environment(dataset, monkeypatch, initialized, shard):
    for name, module in frameworks(initialized).items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setenv("RANK", "4")
    monkeypatch.setenv("WORLD_SIZE", "5")
    assert rows(dataset, shard="auto") == rows(dataset, shard=shard)


def test_a_process_that_mpi_has_not_launched_follows_the_environment(dataset, monkeypatch):
    world = SimpleNamespace(Get_rank=lambda: 0, Get_size=lambda: 1)
    mpi = SimpleNamespace(Is_initialized=lambda: True, Is_finalized=lambda: False, COMM_WORLD=world)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", mpi)
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert rows(dataset, shard="auto") == rows(dataset, shard=(2, 4))


def test_a_jax_that_cannot_be_asked_is_left_out(dataset, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(distributed=SimpleNamespace()))
    assert len(rows(dataset, shard="auto")) == ROWS
