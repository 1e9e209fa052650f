"""More files than a process may have open, in every format."""

import pickle
import subprocess
import sys

import pytest

import law_sources

FILES, ROWS = 300, 3

READ = """
import pickle, resource, sys
import numpy as np

with open(sys.argv[1], "rb") as file:
    dataset = pickle.load(file)
# For the interpreter, its libraries and the threads too.
resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))
for options in (
    {"batch_size": 100},
    {"batch_size": 100, "shuffle_buffer_size": 500, "seed": 1},
    {"global_batch_size": 64, "streams": 64},
    {"global_batch_size": 60, "streams": 6, "shuffle_buffer_size": 200, "seed": 1},
):
    for threads in (1, 3):
        batches = dataset.project(["id"]).tensors(threads=threads, **options)
        found = [np.asarray(tensors["id"].values).ravel() for tensors in batches]
        assert np.array_equal(np.sort(np.concatenate(found)), np.arange(900)), (options, threads)
splits = dataset.plan_splits(target_bytes=1000)
assert sum(batch.num_rows for split in splits for batch in dataset.read_split(split)) == 900
assert dataset.rows([5, 899, 0]).num_rows == 3
print("done", end="")
"""


@pytest.mark.parametrize("name", [name for name in law_sources.SOURCES if name != "chunks"])
def test_more_files_than_a_process_may_open(name, tmp_path):
    saved = tmp_path / "dataset.pickle"
    saved.write_bytes(pickle.dumps(law_sources.SOURCES[name](tmp_path, [ROWS] * FILES)))
    ended = subprocess.run([sys.executable, "-c", READ, saved], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("done", "", 0)
