"""`shard="auto"` in the processes of torchrun."""

from __future__ import annotations

import json
import sys

import pytest
from processes import assert_shards, numbers_of, write

pytest.importorskip("torch")

PROGRAM = """
import json
import os
import sys
import torch
import arrowfeed as af

def numbers():
    rows, options = af.AvroDataset(sys.argv[1]), {"batch_size": 8, "shard": "auto"}
    return {
        "to_torch": [int(x) for batch in rows.to_torch(**options) for x in batch["x"].numpy().ravel()],
        "tensors": [int(x) for batch in rows.tensors(**options) for x in batch["x"].values.ravel()],
    }

found = {"environment": numbers()}
torch.distributed.init_process_group("gloo")
found["initialized"] = numbers()
with open(f"{sys.argv[1]}.{os.environ['RANK']}", "w") as file:
    json.dump(found, file)
print(0)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The numbers that each of two processes reads, before and after it joins a group."""
    folder = tmp_path_factory.mktemp("torchrun")
    program, files = folder / "program.py", write(folder)
    program.write_text(PROGRAM)
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    numbers_of([sys.executable, *launcher, str(program), str(files)], [{}])
    return [json.loads((folder / f"rows.avro.{rank}").read_text()) for rank in range(2)]


@pytest.mark.parametrize("group", ["initialized", "environment"])
@pytest.mark.parametrize("method", ["to_torch", "tensors"])
def test_the_processes_of_torchrun_have_each_row_once(found, group, method):
    assert_shards([part[group][method] for part in found])
