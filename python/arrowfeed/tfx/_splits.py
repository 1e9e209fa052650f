"""The output splits of ExampleGen: hash buckets of messages, as the executors of TFX make them."""

from __future__ import annotations

import bisect
import hashlib
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import encode_examples
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Sequence


class Splits:
    """Assigns messages to output splits.

    A split has consecutive buckets. The bucket of a message is the SHA-256 hash of its bytes, or of the
    `tf.train.Feature` with the name `partition_feature_name`, modulo the number of buckets.

    Args:
        config: The `SplitConfig` of ExampleGen.
    """

    def __init__(self, config: Any) -> None:
        self._ends: list[int] = []
        for split in config.splits:
            self._ends.append(split.hash_buckets + (self._ends[-1] if self._ends else 0))
        self._feature = config.partition_feature_name if config.HasField("partition_feature_name") else None

    def __len__(self) -> int:
        return max(len(self._ends), 1)

    def rows(self, messages: Sequence[bytes], columns: Any) -> list[list[int]]:
        """Returns the numbers of the rows of each split.

        Args:
            messages: The messages, in the form of protobuf's deterministic serialization.
            columns: The feature columns of the messages, as a `pyarrow.RecordBatch`. None: there are none.

        Raises:
            RuntimeError: A message has no value of `partition_feature_name`, or has floats.
        """
        if not self._ends:
            return [list(range(len(messages)))]
        keys = messages if self._feature is None else _features(self._feature, messages, columns)
        rows: list[list[int]] = [[] for _ in self._ends]
        buckets, ends, sha256 = self._ends[-1], self._ends, hashlib.sha256
        for row, key in enumerate(keys):
            bucket = int.from_bytes(sha256(key).digest(), "big") % buckets
            rows[bisect.bisect(ends, bucket)].append(row)
        return rows


def _features(name: str, messages: Sequence[bytes], columns: Any) -> list[bytes]:
    """Returns the features of a name, in the form of protobuf's deterministic serialization."""
    # Workers that need no TensorFlow do not import it.
    tf = framework("tensorflow")
    if columns is None:
        examples = map(tf.train.Example.FromString, messages)
    elif name in columns.schema.names:
        examples = map(tf.train.Example.FromString, encode_examples(columns.select([name]), null_features=True))
    else:
        raise RuntimeError(f"Feature name `{name}` does not exist.")
    return [_feature(name, example.features.feature) for example in examples]


def _feature(name: str, features: Any) -> bytes:
    if name not in features:
        raise RuntimeError(f"Feature name `{name}` does not exist.")
    feature = features[name]
    kind = feature.WhichOneof("kind")
    if kind is None:
        raise RuntimeError("Partition feature does not contain any value.")
    if kind == "float_list":
        raise RuntimeError("Only `bytes_list` and `int64_list` features are supported for partition.")
    return feature.SerializeToString(deterministic=True)
