"""A batch with a column for each kind of representation, and the representations."""

import pyarrow as pa

from arrowfeed.representations import Dense, Ragged, Sparse, Structured, VarLenRagged, VarLenSparse

BATCH = pa.record_batch(
    {
        "dense": pa.array([[1, 2], [3, 4], [5, 6], [7, 8]], pa.list_(pa.float32(), 2)),
        "varlen": pa.array([[1, 2, 3], None, [], [4]], pa.list_(pa.int64())),
        "index": pa.array([[4, 0], [], [9], []], pa.list_(pa.int32())),
        "value": pa.array([[0.5, 1.5], [], [2.5], None], pa.list_(pa.float64())),
        "deep": pa.array([[[1], [2, 3]], [], [[]], [[4, 5, 6]]], pa.list_(pa.list_(pa.int16()))),
        "text": pa.array(["a", "", "cé", "d" * 20]),
        "truth": pa.array([True, False, True, True]),
        "user": pa.array([{"age": age, "tags": ["x"] * age} for age in range(4)]),
    }
)
REPRESENTATIONS = {
    "d": Dense("dense", [2]),
    "v": VarLenSparse("varlen"),
    "s": Sparse(["index"], "value", [10]),
    "r": Ragged("deep"),
    "vr": VarLenRagged("varlen", row_splits_dtype="int32"),
    "t": Dense("text"),
    "b": Dense("truth"),
    "u": Structured(["user"]),
}
