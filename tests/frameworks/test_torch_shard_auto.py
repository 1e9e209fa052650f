"""`shard="auto"` in the processes of torchrun."""

from __future__ import annotations

import sys

import pytest
from processes import assert_shards, numbers_of, write

pytest.importorskip("torch")

PROGRAM = """
import os
import sys
import torch
import arrowfeed as af

if sys.argv[2] == "initialized":
    torch.distributed.init_process_group("gloo")
rows = af.AvroDataset(sys.argv[1]).{method}(batch_size=8, shard="auto")
numbers = [int(x) for batch in rows for x in batch["x"].{values}.ravel()]
with open(f"{{sys.argv[1]}}.{{os.environ['RANK']}}", "w") as file:
    print(*numbers, file=file)
"""


@pytest.mark.parametrize("group", ["initialized", "environment"])
@pytest.mark.parametrize(("method", "values"), [("to_torch", "numpy()"), ("tensors", "values")])
def test_the_processes_of_torchrun_have_each_row_once(tmp_path, group, method, values):
    program, files = tmp_path / "program.py", write(tmp_path)
    program.write_text(PROGRAM.format(method=method, values=values) + "print(0)\n")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    numbers_of([sys.executable, *launcher, str(program), str(files), group], [{}])
    found = [(tmp_path / f"rows.avro.{rank}").read_text().split() for rank in range(2)]
    assert_shards([list(map(int, part)) for part in found])
