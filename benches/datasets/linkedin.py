"""Ranking features in the layout of a production training set: scalars, dense arrays, sparse records."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from datasets.dataset import Dataset, Record, Schema, chunk_sizes, record_schema

CHUNK = 2000
VOCABULARY = 50_001
"""Sparse indices are below this."""
DISTINCT_WEIGHTS = 64
"""Number of distinct sparse values, which are weights of terms."""

SCALARS = [
    ("label", "float"),
    ("weight", "float"),
    ("score", "double"),
    ("position", "int"),
    ("member_id", "long"),
    ("is_click", "boolean"),
]
DENSE = [
    ("embedding_f32_128", "float"),
    ("embedding_f32_64", "float"),
    ("counts_f32_32", "float"),
    ("context_f32_16", "float"),
    ("stats_f64_32", "double"),
    ("context_f64_16", "double"),
    ("histogram_i64_32", "long"),
    ("ids_i64_16", "long"),
]
SPARSE = ["sparse_title", "sparse_skill", "sparse_company", "sparse_region", "sparse_query"]


def _array(items: str) -> Schema:
    return {"type": "array", "items": items}


def _schema() -> Schema:
    pair: list[tuple[str, Any]] = [("indices0", _array("long")), ("values", _array("float"))]
    fields: list[tuple[str, Any]] = [*SCALARS]
    fields += [(name, _array(items)) for name, items in DENSE]
    fields += [(name, record_schema(f"{name}_pair", pair)) for name in SPARSE]
    return record_schema("linkedin", fields)


def _scalars(rng: Generator, rows: int) -> dict[str, list[Any]]:
    return {
        "label": (rng.random(rows) < 0.1).astype(np.float32).tolist(),
        "weight": rng.random(rows, dtype=np.float32).tolist(),
        "score": rng.standard_normal(rows).tolist(),
        "position": rng.integers(0, 200, rows).tolist(),
        "member_id": rng.integers(1, 900_000_000, rows).tolist(),
        "is_click": (rng.random(rows) < 0.1).tolist(),
    }


def _dense(rng: Generator, rows: int) -> dict[str, list[Any]]:
    """Values from incompressible to nearly constant, because the results of codecs depend on this."""
    return {
        "embedding_f32_128": rng.standard_normal((rows, 128), dtype=np.float32).tolist(),
        "embedding_f32_64": rng.standard_normal((rows, 64)).round(2).astype(np.float32).tolist(),
        "counts_f32_32": rng.poisson(1.0, (rows, 32)).astype(np.float32).tolist(),
        "context_f32_16": (rng.random((rows, 16)) < 0.2).astype(np.float32).tolist(),
        "stats_f64_32": rng.gamma(2.0, 10.0, (rows, 32)).round(3).tolist(),
        "context_f64_16": rng.standard_normal((rows, 16)).tolist(),
        "histogram_i64_32": (rng.geometric(0.02, (rows, 32)) - 1).tolist(),
        "ids_i64_16": rng.integers(0, 1 << 40, (rows, 16)).tolist(),
    }


def _sparse(rng: Generator, rows: int, weights: np.ndarray) -> list[Record]:
    """20 to 50 sorted indices per row. Small indices are more likely than large ones."""
    counts = rng.integers(20, 51, rows)
    ends = np.cumsum(counts)
    indices = np.floor(VOCABULARY * rng.random(int(ends[-1])) ** 2.5).astype(np.int64)
    values = weights[rng.integers(0, DISTINCT_WEIGHTS, int(ends[-1]))]
    # One sort for all rows, with the row as the major key.
    order = np.lexsort((indices, np.repeat(np.arange(rows), counts)))
    pairs = zip(np.split(indices[order], ends[:-1]), np.split(values, ends[:-1]), strict=True)
    return [{"indices0": index.tolist(), "values": value.tolist()} for index, value in pairs]


def _records(rows: int, seed: int) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    weights = rng.gamma(2.0, 0.7, DISTINCT_WEIGHTS).round(3).astype(np.float32)
    for size in chunk_sizes(rows, CHUNK):
        columns = _scalars(rng, size) | _dense(rng, size)
        columns |= {name: _sparse(rng, size, weights) for name in SPARSE}
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(columns, values, strict=True))


LINKEDIN = Dataset("linkedin", 100_000, _schema(), _records, seed=11)
