"""Batches and tensors that the tests of all frameworks use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

# Otherwise TensorFlow prints information about its build to standard error.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pyarrow as pa

import arrowfeed as af
from arrowfeed.representations import Dense, Ragged, Structured, VarLenRagged, VarLenSparse

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell lets commands in the background ignore Ctrl-C, and their children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

NUMBERS = (
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bool"),
)
"""The types of numbers, by numpy's names."""

BATCH = pa.record_batch(
    {
        "dense": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.float32(), 2)),
        "varlen": pa.array([[1, 2, 3], None, [4]], pa.list_(pa.int64())),
        "deep": pa.array([[[1], [2, 3]], [], [[]]], pa.list_(pa.list_(pa.int16()))),
        "pairs": pa.array([[1, 2, 3, 4], [], [5, 6]], pa.list_(pa.int32())),
        "text": pa.array(["a", "", "cé"]),
        "words": pa.array([["x", "yz"], [], ["w"]]),
        "user": pa.array([{"age": age, "tags": [age] * age} for age in range(3)]),
    }
)
REPRESENTATIONS = {
    "dense": Dense("dense", [2]),
    "sparse": VarLenSparse("varlen"),
    "ragged": Ragged("deep"),
    "narrow": VarLenRagged("varlen", row_splits_dtype="int32"),
    "inner": Ragged("pairs", partitions=[2]),
    "text": Dense("text"),
    "words": VarLenRagged("words"),
    "sparse_words": VarLenSparse("words"),
    "user": Structured(["user"]),
}


def tensors(batch: pa.RecordBatch = BATCH, representations: dict = REPRESENTATIONS) -> dict:
    """The tensors of a batch."""
    return af.TensorAdapter(batch.schema, representations).convert(batch)


def dense(values: object, start: int = 0) -> af.DenseTensor:
    """The tensor of one column. With `start`, its memory is not aligned."""
    batch = pa.record_batch({"x": values if isinstance(values, pa.Array) else pa.array(values)})
    return tensors(batch.slice(start), {"x": Dense("x")})["x"]


def aligned(values: np.ndarray) -> tuple[np.ndarray, pa.Array]:
    """A writable array at a multiple of 64 bytes, and the Arrow array over its memory."""
    memory = np.zeros(values.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    array = memory[start : start + values.nbytes].view(values.dtype)
    array[:] = values
    kind = pa.from_numpy_dtype(values.dtype)
    return array, pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(array)])


ENVIRONMENT = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
"""The environment of other processes: their tensors are on the CPU."""


def run_script(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a script in a separate process, which the script may crash."""
    command = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=ENVIRONMENT)


def printed(script: str, *arguments: object) -> str:
    """The output of a script in a separate process, which must succeed."""
    done = run_script(script, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout
