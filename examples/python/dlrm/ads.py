"""Synthetic ads for a model of the shape of DLRM: 13 numbers and 26 categories a row, equal in every run.

The categories are strings. `features.hashed` makes ids of embedding tables of them while the files are read,
so that PyTorch and JAX, which hold no strings, get the same batches as Keras. Whether a user clicks depends
on the categories and the numbers, so that a model has something to learn.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import arrowfeed as af
import numpy as np
import pyarrow as pa
from arrowfeed import features
from arrowfeed.types import IterationOptions

NUMBERS = [f"number_{n}" for n in range(13)]
CATEGORIES = [f"category_{n}" for n in range(26)]
LABEL = "click"
BUCKETS = 1000
"""Rows of each embedding table."""

WIDTH = 8
"""Numbers of each embedding."""

PAIRS = np.triu_indices(len(CATEGORIES) + 1, 1)
"""The pairs of vectors whose products are inputs of the last layers."""

SEED = 20_260_101
FOLDER = Path(__file__).resolve().parents[3] / "data" / "dlrm"

NORMALISED = [features.clipped(-3, 3), features.normalised(0.0, 1.5)]
FEATURES = (
    {LABEL: features.Dense([])}
    | {name: features.Dense([], "float32", 0.0, lossy=True, transform=NORMALISED) for name in NUMBERS}
    | {name: features.Dense([], "int64", 0, transform=features.hashed(BUCKETS)) for name in CATEGORIES}
)
"""The features by column name. A null number becomes 0, and a null category the id 0."""


def table(rows: int) -> pa.Table:
    """Returns all rows."""
    random = np.random.default_rng(SEED)
    columns: dict[str, pa.Array] = {}
    score = np.zeros(rows)
    for name in NUMBERS:
        values = random.normal(size=rows)
        score += values / 6
        columns[name] = pa.array(values, mask=random.random(rows) < 0.05)
    for name in CATEGORIES:
        kinds = random.integers(0, 30, rows)
        score += random.normal(size=30)[kinds] / 2
        texts = np.array([f"{name}:{kind:x}" for kind in range(30)], object)[kinds]
        columns[name] = pa.array(texts, pa.string(), mask=random.random(rows) < 0.05)
    columns[LABEL] = pa.array((score > random.logistic(size=rows) / 2).astype(np.float32))
    return pa.table(columns)


def dataset(folder: Path, rows: int) -> af.AvroDataset:
    """Returns the dataset on which all models train. Writes its file unless it exists."""
    path = folder / f"ads-{rows}.avro"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        af.write_avro(table(rows), path, codec="snappy")
    return af.AvroDataset(str(path), features=FEATURES)


def options(batch_size: int) -> IterationOptions:
    """Returns the order of the batches, which is the same for all models."""
    return {"batch_size": batch_size, "drop_remainder": True, "shuffle_buffer_size": 10_000, "seed": 7}


def main(train: Callable[[Path, int, int], Iterator[float]]) -> None:
    """Trains one epoch, and prints the mean loss of each tenth of it."""
    rows, batch_size = int(sys.argv[1]) if len(sys.argv) > 1 else 40_000, 256
    losses = list(train(FOLDER, rows, batch_size))
    for part in np.array_split(np.array(losses), 10):
        print(f"loss {part.mean():.4f}")
