"""Synthetic events of an app: numbers, nullable strings, arrays and nested records, equal in every run."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

ROWS = 300_000
BATCH = 10_000
SEED = 20_260_101
START = 1_767_225_600_000
"""2026-01-01 in milliseconds."""

EMBEDDING = 16
MISSING = 0.1
"""Fraction of the users and clicks that is null."""

CITIES = np.array(["Bogotá", "København", "Lagos", "Osaka", "Praha", "Santiago", "Tbilisi", "Zürich"])
SYSTEMS = np.array(["android", "ios", "linux", "macos", "windows"])
TAGS = np.array(["new", "returning", "trial", "paid", "newsletter", "beta", "referred", "support"])

SCREEN = pa.struct(
    [pa.field("width", pa.int32(), nullable=False), pa.field("height", pa.int32(), nullable=False)]
)
DEVICE = pa.struct(
    [
        pa.field("system", pa.string(), nullable=False),
        pa.field("version", pa.float32(), nullable=False),
        pa.field("screen", SCREEN, nullable=False),
    ]
)
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("time", pa.timestamp("ms", "UTC"), nullable=False),
        pa.field("user", pa.string()),
        pa.field("city", pa.string(), nullable=False),
        pa.field("clicks", pa.int32()),
        pa.field("score", pa.float64(), nullable=False),
        pa.field("paid", pa.bool_(), nullable=False),
        pa.field("tags", pa.list_(pa.field("item", pa.string(), nullable=False)), nullable=False),
        pa.field("embedding", pa.list_(pa.field("item", pa.float32(), nullable=False)), nullable=False),
        pa.field("device", DEVICE, nullable=False),
    ]
)


def event_batches() -> Iterator[pa.RecordBatch]:
    """Yields all events in batches."""
    random = np.random.default_rng(SEED)
    for start in range(0, ROWS, BATCH):
        columns = _columns(random, np.arange(start, min(start + BATCH, ROWS)))
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _columns(random: np.random.Generator, ids: np.ndarray) -> list[pa.Array]:
    rows = len(ids)
    users = np.char.add("user-", random.integers(0, 50_000, rows).astype(str))
    scores = random.normal(size=rows)
    return [
        pa.array(ids),
        pa.array(START + ids * 250 + random.integers(0, 250, rows), pa.timestamp("ms", "UTC")),
        pa.array(users, pa.string(), mask=random.random(rows) < MISSING),
        pa.array(CITIES[random.integers(0, len(CITIES), rows)], pa.string()),
        pa.array(random.poisson(3, rows), pa.int32(), mask=random.random(rows) < MISSING),
        pa.array(scores),
        # The probability grows with the score, so that a model has something to learn.
        pa.array(random.random(rows) < 1 / (1 + np.exp(2 - 2 * scores))),
        _tags(random, rows),
        _embeddings(random, rows),
        _devices(random, rows),
    ]


def _tags(random: np.random.Generator, rows: int) -> pa.Array:
    """Up to four tags per row, often none."""
    ends = np.cumsum(random.binomial(4, 0.4, rows))
    offsets = pa.array(np.concatenate([[0], ends]), pa.int32())
    values = pa.array(TAGS[random.integers(0, len(TAGS), ends[-1])], pa.string())
    return pa.ListArray.from_arrays(offsets, values, type=SCHEMA.field("tags").type)


def _embeddings(random: np.random.Generator, rows: int) -> pa.Array:
    offsets = pa.array(np.arange(rows + 1) * EMBEDDING, pa.int32())
    values = pa.array(random.normal(size=rows * EMBEDDING), pa.float32())
    return pa.ListArray.from_arrays(offsets, values, type=SCHEMA.field("embedding").type)


def _devices(random: np.random.Generator, rows: int) -> pa.Array:
    widths = random.choice([720, 1080, 1440, 1920], rows)
    screens = [pa.array(widths, pa.int32()), pa.array(widths * 16 // 9, pa.int32())]
    fields = [
        pa.array(SYSTEMS[random.integers(0, len(SYSTEMS), rows)], pa.string()),
        pa.array(np.round(random.uniform(9, 19, rows), 1), pa.float32()),
        pa.StructArray.from_arrays(screens, fields=list(SCREEN)),
    ]
    return pa.StructArray.from_arrays(fields, fields=list(DEVICE))
