"""`shard="auto"` in the processes of MPI."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af

ROWS = 101

PROGRAM = """if True:
    import sys
    {mpi}
    import arrowfeed as af

    rows = af.AvroDataset(sys.argv[1]).record_batches(batch_size=8, shard="auto")
    print(*(x for batch in rows for x in batch.to_pyarrow()["x"].to_pylist()))
"""


@pytest.mark.parametrize("mpi", ["", "from mpi4py import MPI"])
def test_the_processes_have_each_row_once(tmp_path: Path, mpi: str) -> None:
    """Without mpi4py, the variables of the launcher give the shard."""
    path = tmp_path / "rows.avro"
    af.write_avro(pa.record_batch({"x": range(ROWS)}), path)
    command = [
        Path(sys.executable).parent / "mpiexec",
        "-n",
        "2",
        sys.executable,
        "-c",
        PROGRAM.format(mpi=mpi),
        path,
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    parts = [[int(number) for number in line.split()] for line in output.splitlines()]
    assert sorted(len(part) for part in parts) == [50, 51]
    assert sorted(number for part in parts for number in part) == list(range(ROWS))
