"""`shard="auto"` in the processes of MPI."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import arrowfeed as af

ROWS = 101

PROGRAM = """if True:
    import json
    import os
    import pathlib
    import sys
    {mpi}
    import arrowfeed as af

    rows = af.AvroDataset(sys.argv[1]).record_batches(batch_size=8, shard="auto")
    numbers = [x for batch in rows for x in batch.to_pyarrow()["x"].to_pylist()]
    pathlib.Path(sys.argv[2], str(os.getpid())).write_text(json.dumps(numbers))
"""


@pytest.mark.parametrize("mpi", ["", "from mpi4py import MPI"])
def test_the_processes_of_mpi_have_each_row_once(tmp_path: Path, mpi: str) -> None:
    """Without mpi4py, the variables of the launcher give the shard.

    Each process writes a file, because the outputs of two processes can be interleaved.
    """
    path, results = tmp_path / "rows.avro", tmp_path / "results"
    results.mkdir()
    af.write_avro(pa.record_batch({"x": range(ROWS)}), path)
    command = [
        Path(sys.executable).parent / "mpiexec",
        "-n",
        "2",
        sys.executable,
        "-c",
        PROGRAM.format(mpi=mpi),
        path,
        results,
    ]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    parts = [json.loads(file.read_text()) for file in results.iterdir()]
    assert sorted(len(part) for part in parts) == [50, 51]
    assert sorted(number for part in parts for number in part) == list(range(ROWS))
