"""Columns and representations of the benchmarks of tensor adapters. Equal seeds give equal batches."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

Numbers = Callable[[int], np.ndarray]


@dataclass(frozen=True)
class AdapterCase:
    """A function that makes a batch, and the text of a `TensorRepresentation` of its columns."""

    batch: Callable[[np.random.Generator, int], pa.RecordBatch]
    representation: str


def lists(lengths: np.ndarray, numbers: Numbers) -> pa.Array:
    """Large lists of these lengths, as the readers of tfx_bsl return them."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(numbers(int(offsets[-1]))))


def width(number: type) -> Callable[[np.random.Generator, int], pa.RecordBatch]:
    """Lists of up to ten values of a type."""

    def batch(random: np.random.Generator, rows: int) -> pa.RecordBatch:
        lengths = random.integers(0, 11, rows)
        return pa.record_batch({"x": lists(lengths, lambda n: random.integers(0, 100, n).astype(number))})

    return batch


def varlen(most: int) -> Callable[[np.random.Generator, int], pa.RecordBatch]:
    """Lists of up to `most` integers per row."""

    def batch(random: np.random.Generator, rows: int) -> pa.RecordBatch:
        lengths = random.integers(0, most + 1, rows)
        return pa.record_batch({"x": lists(lengths, lambda n: random.integers(0, 1000, n))})

    return batch


def sparse(random: np.random.Generator, rows: int) -> pa.RecordBatch:
    """Up to ten values per row, and their sorted indices."""
    lengths = random.integers(0, 11, rows)
    steps = lists(lengths, lambda n: random.integers(1, 90, n))
    sums = np.concatenate([[0], np.cumsum(steps.values)])
    starts = np.asarray(steps.offsets)
    index = sums[1:] - np.repeat(sums[starts[:-1]], lengths)
    value = lists(lengths, lambda n: random.random(n, np.float32))
    return pa.record_batch({"i": lists(lengths, lambda _: index), "x": value})


def filled(random: np.random.Generator, rows: int) -> pa.RecordBatch:
    """Ten values per row, with a tenth of the rows null."""
    values = lists(np.full(rows, 10), lambda n: random.random(n, np.float32))
    there = pa.array(random.random(rows) >= 0.1)
    return pa.record_batch({"x": pa.compute.if_else(there, values, None)})


def grouped(random: np.random.Generator, rows: int) -> pa.RecordBatch:
    """Up to four groups per row, of up to five values each."""
    lengths = lists(random.integers(0, 5, rows), lambda n: random.integers(0, 6, n))
    sums = np.concatenate([[0], np.cumsum(lengths.values)])[np.asarray(lengths.offsets)]
    return pa.record_batch({"n": lengths, "x": lists(np.diff(sums), lambda n: random.random(n, np.float32))})


def same(size: int) -> Callable[[np.random.Generator, int], pa.RecordBatch]:
    """Lists of one length."""

    def batch(random: np.random.Generator, rows: int) -> pa.RecordBatch:
        return pa.record_batch({"x": lists(np.full(rows, size), lambda n: random.random(n, np.float32))})

    return batch


def fixed(size: int) -> Callable[[np.random.Generator, int], pa.RecordBatch]:
    """Fixed-size lists, which tfx_bsl does not accept."""

    def batch(random: np.random.Generator, rows: int) -> pa.RecordBatch:
        values = random.random(rows * size, np.float32)
        return pa.record_batch({"x": pa.FixedSizeListArray.from_arrays(values, size)})

    return batch


def dense(size: int, default: str = "") -> str:
    """A dense tensor of rows of `size` values."""
    return f"dense_tensor {{ column_name: 'x' shape {{ dim {{ size: {size} }} }} {default} }}"


VARLEN = "varlen_sparse_tensor { column_name: 'x' }"
SPARSE = (
    "sparse_tensor { dense_shape { dim { size: 1000 } }"
    " index_column_names: 'i' value_column_name: 'x' already_sorted: true }"
)
RAGGED = "ragged_tensor { feature_path { step: 'x' } }"
PARTITIONS = "ragged_tensor { feature_path { step: 'x' } partition { row_length: 'n' } }"

CASES = {
    "sparse": AdapterCase(sparse, SPARSE),
    "varlen": AdapterCase(varlen(10), VARLEN),
    "varlen, long rows": AdapterCase(varlen(100), VARLEN),
    "default fill": AdapterCase(filled, dense(10, "default_value { float_value: 0.5 }")),
    "ragged with partitions": AdapterCase(grouped, PARTITIONS),
    "dense, 10 values a row": AdapterCase(same(10), dense(10)),
    "dense, 1,000 values a row": AdapterCase(same(1000), dense(1000)),
    "fixed-size lists of 10": AdapterCase(fixed(10), dense(10)),
    "fixed-size lists of 1,000": AdapterCase(fixed(1000), dense(1000)),
    "varlen, 8 bits a value": AdapterCase(width(np.int8), VARLEN),
    "varlen, 64 bits a value": AdapterCase(width(np.int64), VARLEN),
    "ragged, 10 values a row": AdapterCase(same(10), RAGGED),
    "ragged, 1,000 values a row": AdapterCase(same(1000), RAGGED),
}
