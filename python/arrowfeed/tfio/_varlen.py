"""`VarLenFeatureWithRank`."""

from __future__ import annotations

import dataclasses
from typing import Any

from arrowfeed._features.arguments import found


@dataclasses.dataclass(frozen=True)
class VarLenFeatureWithRank:
    """A sparse tensor `[batch, longest, ...]` of nested lists.

    Args:
        dtype: The `tf.DType` of the values.
        rank: Number of dimensions after the batch: one for each `[*]` and each filter of the key.

    Raises:
        ValueError: The rank is not an integer of at least 1.

    Example:
        >>> VarLenFeatureWithRank(tf.string, 2)  # of "friends[*].address[*].street"
        VarLenFeatureWithRank(dtype=tf.string, rank=2)
    """

    dtype: Any
    rank: int = 1

    def __post_init__(self) -> None:
        given: Any = self.rank
        if not isinstance(given, int) or given < 1:
            raise ValueError(f"rank: expected an integer of 1 or more, found {found(given)}")
