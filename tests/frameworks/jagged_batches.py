"""Random batches of lists of numbers, with the rows of each column as lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

import arrowfeed as af
from arrowfeed.representations import Dense, VarLenRagged

if TYPE_CHECKING:
    from random import Random

TYPES = ("int32", "int64", "float32", "float64")


def jagged(random: Random, columns: int, kind: str | None = None) -> tuple[dict, dict]:
    """Tensors of columns of lists and of plain numbers, and their rows."""
    count, kind = random.choice([0, 1, 3, 17]), kind or random.choice(TYPES)
    rows, arrays, representations = {}, {}, {}
    for number in range(columns):
        name = f"c{number}"
        longest = random.choice([0, 1, 5])
        rows[name] = [
            [random.randrange(100) for _ in range(random.randint(0, longest))] for _ in range(count)
        ]
        if random.random() < 0.2:
            rows[name] = [[random.randrange(100)] for _ in range(count)]
            arrays[name] = pa.array([value for [value] in rows[name]], kind)
            representations[name] = Dense(name)
            continue
        make = random.choice([pa.list_, pa.large_list])
        arrays[name] = pa.array(rows[name], make(pa.type_for_alias(kind)))
        splits = random.choice(["int32", "int64"])
        representations[name] = VarLenRagged(name, row_splits_dtype=splits)
    start = random.randint(0, count)
    batch = pa.record_batch(arrays).slice(start)
    tensors = af.TensorAdapter(batch.schema, representations).convert(batch)
    return tensors, {name: values[start:] for name, values in rows.items()}


def nulls_and_slices() -> dict:
    """The tensor `x` of a slice with a null list."""
    batch = pa.record_batch({"x": pa.array([[9], [1, 2], None, [3]], pa.list_(pa.int64()))}).slice(1)
    return af.TensorAdapter(batch.schema, {"x": VarLenRagged("x")}).convert(batch)
