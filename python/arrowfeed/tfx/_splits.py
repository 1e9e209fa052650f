"""The output splits of ExampleGen: hash buckets of messages, as the executors of TFX make them."""

from __future__ import annotations

import bisect
import hashlib
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import encode_examples
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arrowfeed.tfx._encoder import Messages


class Splits:
    """Assigns messages to output splits.

    A split has consecutive buckets. The bucket of a message is the SHA-256 hash of its deterministic
    serialization, or of that of the `tf.train.Feature` with the name `partition_feature_name`, modulo the
    number of buckets.

    Args:
        config: The `SplitConfig` of ExampleGen.
        is_sequence: Whether the messages are `tf.SequenceExample` messages, whose partition feature is in the
            context.
    """

    def __init__(self, config: Any, *, is_sequence: bool) -> None:
        self._ends: list[int] = []
        for split in config.splits:
            self._ends.append(split.hash_buckets + (self._ends[-1] if self._ends else 0))
        self._feature = config.partition_feature_name if config.HasField("partition_feature_name") else None
        self._is_sequence = is_sequence

    def rows(self, messages: Messages) -> list[list[int]]:
        """Returns the numbers of the rows of each split. Without output splits, there is one split.

        Raises:
            RuntimeError: A message has no value of `partition_feature_name`, or has floats.
        """
        if not self._ends:
            return [list(range(len(messages.serialized)))]
        rows: list[list[int]] = [[] for _ in self._ends]
        buckets, ends, sha256 = self._ends[-1], self._ends, hashlib.sha256
        for row, key in enumerate(self._keys(messages)):
            bucket = int.from_bytes(sha256(key).digest(), "big") % buckets
            rows[bisect.bisect(ends, bucket)].append(row)
        return rows

    def _keys(self, messages: Messages) -> Iterable[bytes]:
        """Returns the bytes of which the hashes are made."""
        name, columns = self._feature, messages.columns
        if columns is None:
            return self._parsed_keys(messages.serialized)
        if name is None:
            return messages.serialized
        if name not in columns.schema.names:
            raise _without(name)
        serialized = encode_examples(columns.select([name]), null_features=True)
        # Workers that need no messages of TensorFlow do not import it.
        parse = framework("tensorflow").train.Example.FromString
        return (_feature(name, parse(one).features.feature) for one in serialized)

    def _parsed_keys(self, serialized: list[bytes]) -> Iterator[bytes]:
        """Yields the keys of messages that another program has serialized."""
        train = framework("tensorflow").train
        parse = train.SequenceExample.FromString if self._is_sequence else train.Example.FromString
        for message in map(parse, serialized):
            if self._feature is None:
                yield message.SerializeToString(deterministic=True)
            else:
                features = message.context if self._is_sequence else message.features
                yield _feature(self._feature, features.feature)


def _feature(name: str, features: Any) -> bytes:
    """Returns the deterministic serialization of a feature."""
    if name not in features:
        raise _without(name)
    feature = features[name]
    kind = feature.WhichOneof("kind")
    if kind is None:
        raise RuntimeError("Partition feature does not contain any value.")
    if kind == "float_list":
        raise RuntimeError("Only `bytes_list` and `int64_list` features are supported for partition.")
    return feature.SerializeToString(deterministic=True)


def _without(name: str) -> RuntimeError:
    return RuntimeError(f"Feature name `{name}` does not exist.")
