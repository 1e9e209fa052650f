"""Features with the names and attributes of TensorFlow's, tensorflow-io's and ATDS's."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class DType:
    """A type of TensorFlow."""

    def __init__(self, name: str, as_numpy_dtype: type) -> None:
        self.name, self.as_numpy_dtype = name, as_numpy_dtype

    def __repr__(self) -> str:
        return f"tf.{self.name}"


STRING = DType("string", np.object_)
BOOL = DType("bool", np.bool_)
INT32 = DType("int32", np.int32)
INT64 = DType("int64", np.int64)
FLOAT32 = DType("float32", np.float32)
DTYPES = {"bytes": STRING, "int32": INT32, "int64": INT64, "float32": FLOAT32}


class FixedLenFeature(NamedTuple):
    """Of tf.io."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """Of tf.io."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """Of tf.io."""

    dtype: Any


class VarLenFeatureWithRank:
    """Of tensorflow-io."""

    def __init__(self, dtype: Any, rank: Any = 1) -> None:
        self.dtype, self.rank = dtype, rank

    def __repr__(self) -> str:
        return f"VarLenFeatureWithRank(rank={self.rank!r})"


class SparseFeature(NamedTuple):
    """Of tf.io."""

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowLengths(NamedTuple):
    """Of tf.io.RaggedFeature."""

    key: str


class UniformRowLength(NamedTuple):
    """Of tf.io.RaggedFeature."""

    length: int


class RaggedFeature(NamedTuple):
    """Of tf.io."""

    dtype: Any
    value_key: Any = None
    partitions: Any = ()
    row_splits_dtype: Any = INT32
    validate: bool = False


class DenseFeature(NamedTuple):
    """Of ATDS."""

    shape: Any
    dtype: Any


class VarlenFeature(NamedTuple):
    """Of ATDS."""

    shape: Any
    dtype: Any


class Atds:
    """ATDS has a sparse feature of the same name."""

    class SparseFeature(NamedTuple):
        """Of ATDS."""

        shape: Any
        dtype: Any


def as_tf(case: dict[str, Any]) -> Any:
    """The feature of TensorFlow for a case of ``tests/cases/keys``. None: TensorFlow has no such feature."""
    [given] = [value for value in case.values() if isinstance(value, dict)]
    if "dtype" not in given or given.keys() & {"lossy", "truncate"}:
        return None
    dtype, default = DTYPES[given["dtype"]], given.get("default")
    if "dense" in case:
        return FixedLenFeature(given["shape"], dtype, default)
    if "sequence" in case:
        return FixedLenSequenceFeature(given["shape"], dtype, allow_missing=True, default_value=default)
    if "varlen" in case and "shape" not in given:
        return VarLenFeature(dtype)
    if "sparse" in case:
        return SparseFeature(given["index"], given["value"], dtype, given["size"])
    return None
