"""Synthetic clicks for a ranking model: 6 scalars, 8 dense and 5 sparse features, equal in every run.

Sparse features are records of `indices0` and `values`, as in AvroTensorDataset. Whether an item is clicked
depends on the features, so that a model has something to learn.
"""

from collections.abc import Iterator
from pathlib import Path

import arrowfeed as af
import numpy as np
import pyarrow as pa
from arrowfeed import features

SCALARS = [f"scalar_{n}" for n in range(6)]
DENSE = {f"dense_{n}": size for n, size in enumerate((4, 8, 8, 16, 16, 32, 32, 64))}
SPARSE = {f"sparse_{n}": size for n, size in enumerate((50, 100, 500, 1000, 5000))}
LABEL = "click"
SEED = 20_260_101
BATCH = 5_000

FEATURES = (
    {LABEL: features.Dense([])}
    | {name: features.Dense([]) for name in SCALARS}
    | {name: features.Dense([size], key=f"{name}[*]") for name, size in DENSE.items()}
    | {name: features.Sparse("indices0[*]", "values[*]", size) for name, size in SPARSE.items()}
)
"""The features by column name."""


def batches(rows: int) -> Iterator[pa.RecordBatch]:
    """Yields all clicks in batches of some thousand rows."""
    random = np.random.default_rng(SEED)
    weights = {name: random.normal(size=size) for name, size in SPARSE.items()}
    for start in range(0, rows, BATCH):
        yield _batch(random, weights, min(BATCH, rows - start))


def _batch(random: np.random.Generator, weights: dict[str, np.ndarray], rows: int) -> pa.RecordBatch:
    columns: dict[str, pa.Array] = {}
    score = np.zeros(rows)
    for name in SCALARS:
        values = random.normal(size=rows).astype(np.float32)
        score += values / 3
        columns[name] = pa.array(values)
    for name, size in DENSE.items():
        values = random.normal(size=(rows, size)).astype(np.float32)
        score += values[:, 0] / 3
        columns[name] = _lists(np.arange(rows + 1) * size, values.ravel())
    for name, size in SPARSE.items():
        columns[name], effect = _sparse(random, weights[name], size, rows)
        score += effect
    columns[LABEL] = pa.array((score > random.logistic(size=rows) / 2).astype(np.float32))
    return pa.record_batch(columns)


def _sparse(
    random: np.random.Generator, weights: np.ndarray, size: int, rows: int
) -> tuple[pa.Array, np.ndarray]:
    """One to five entries per row at increasing indices, and their effect on the score."""
    counts = random.integers(1, 6, rows)
    splits = np.append(0, np.cumsum(counts))
    entries = int(splits[-1])
    step = size // 5
    nth = np.arange(entries) - np.repeat(splits[:-1], counts)
    indices = nth * step + random.integers(0, step, entries)
    values = np.ones(entries, np.float32)
    effect = np.add.reduceat(weights[indices], splits[:-1]) / 2
    return pa.StructArray.from_arrays(
        [_lists(splits, indices), _lists(splits, values)], ["indices0", "values"]
    ), effect


def _lists(splits: np.ndarray, values: np.ndarray) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(splits, pa.int32()), pa.array(values))


def write(folder: Path, rows: int, files: int = 4) -> list[str]:
    """Writes the clicks to files unless they exist, and returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"clicks-{rows}-{n}.avro" for n in range(files)]
    missing = [path for path in paths if not path.exists()]
    if missing:
        parts = list(batches(rows))
        for n, path in enumerate(paths):
            af.write_avro(pa.Table.from_batches(parts[n::files], parts[0].schema), path, codec="deflate")
    return [str(path) for path in paths]


def dataset(paths: list[str]) -> af.AvroDataset:
    """Returns the dataset on which all models train."""
    return af.AvroDataset(paths, features=FEATURES)
