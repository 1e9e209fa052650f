"""Representations: how columns are combined into a tensor.

    from arrowfeed import representations

    dataset = arrowfeed.AvroDataset("a.avro", representations={"x": representations.Dense("x")})

The classes of `arrowfeed.features` define tensors by key expressions instead. The page "Arrow to tensors"
says when to use which.
"""

from arrowfeed._arrowfeed import (
    Dense,
    Ragged,
    Sparse,
    Structured,
    VarLenRagged,
    VarLenSparse,
)

__all__ = [
    "Dense",
    "Ragged",
    "Sparse",
    "Structured",
    "VarLenRagged",
    "VarLenSparse",
]
