"""Benchmark worker for tensor adapters: `adapter_worker.py arrowfeed|tfx_bsl`.

The protocol is that of `python_worker.py`; a job's file is the name of a case below. Batches are made once for each
case, the same in every process; what counts is the time from the first batch to the last tensor's numpy arrays.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import pyarrow as pa

BATCHES = 20
"""Batches of a case, so that none is in the processor's nearest cache all the time."""

Make = Callable[[pa.RecordBatch], Callable[[], object]]


def ragged(random: np.random.Generator, rows: int, most: int, values: Callable[[int], np.ndarray]) -> pa.Array:
    """Large lists of up to `most` values."""
    offsets = np.concatenate([[0], np.cumsum(random.integers(0, most + 1, rows))])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values(int(offsets[-1]))))


def sparse(random: np.random.Generator, rows: int, _width: int) -> pa.RecordBatch:
    """Values and sorted indices, ten at most in a row."""
    value = ragged(random, rows, 10, lambda n: random.random(n, np.float32))
    lengths = np.diff(value.offsets)
    index = np.concatenate([np.sort(random.choice(1000, length, replace=False)) for length in lengths])
    return pa.record_batch({"index": pa.LargeListArray.from_arrays(value.offsets, index), "value": value})


def varlen(random: np.random.Generator, rows: int, width: int) -> pa.RecordBatch:
    """Lists of integers, ten at most in a row unless it is told otherwise."""
    return pa.record_batch({"x": ragged(random, rows, width or 10, lambda n: random.integers(0, 1000, n))})


def default(random: np.random.Generator, rows: int, _width: int) -> pa.RecordBatch:
    """Lists of ten numbers, a tenth of them null."""
    values = random.random((rows, 10), np.float32)
    there = random.random(rows) >= 0.1
    return pa.record_batch({"x": pa.array([list(row) if it else None for row, it in zip(values, there, strict=True)],
                                          pa.large_list(pa.float32()))})


def dense(random: np.random.Generator, rows: int, width: int) -> pa.RecordBatch:
    """Lists of one length."""
    values = random.random(rows * width, np.float32)
    return pa.record_batch({"x": pa.LargeListArray.from_arrays(np.arange(rows + 1) * width, values)})


def partitions(random: np.random.Generator, rows: int, _width: int) -> pa.RecordBatch:
    """Values in groups of up to five, up to four groups in a row."""
    lengths = ragged(random, rows, 4, lambda n: random.integers(0, 6, n))
    sums = np.concatenate([[0], np.cumsum(lengths.values)])[np.asarray(lengths.offsets)]
    values = pa.LargeListArray.from_arrays(pa.array(sums), pa.array(random.random(int(sums[-1]), np.float32)))
    return pa.record_batch({"lengths": lengths, "values": values})


CASES: dict[str, tuple[Callable[[np.random.Generator, int, int], pa.RecordBatch], str]] = {
    "sparse": (
        sparse,
        "sparse_tensor { dense_shape { dim { size: 1000 } } index_column_names: 'index' value_column_name: 'value' }",
    ),
    "varlen": (varlen, "varlen_sparse_tensor { column_name: 'x' }"),
    "default": (
        default,
        "dense_tensor { column_name: 'x' shape { dim { size: 10 } } default_value { float_value: 0.5 } }",
    ),
    "partitions": (
        partitions,
        "ragged_tensor { feature_path { step: 'values' } partition { row_length: 'lengths' } }",
    ),
    "dense": (dense, "dense_tensor { column_name: 'x' shape { dim { size: WIDTH } } }"),
    "ragged": (varlen, "ragged_tensor { feature_path { step: 'x' } partition { } }"),
}
