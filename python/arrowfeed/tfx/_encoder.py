"""Encoding of batches as messages, on the workers of a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import encode_examples, encode_sequence_examples

if TYPE_CHECKING:
    from arrowfeed.tfx._feature_columns import FeatureColumns


class Messages(NamedTuple):
    """The messages of a batch."""

    serialized: list[bytes]
    """The messages, in the form of protobuf's deterministic serialization if they have columns."""
    columns: Any
    """The feature columns, as a `pyarrow.RecordBatch`. None: the messages were not decoded."""


class Encoder:
    """Encodes batches as messages. Picklable.

    Args:
        columns: The conversion of columns to features. None: batches have the messages.
        null_features: Whether a null becomes a feature without values, as opposed to no feature.
    """

    def __init__(self, columns: FeatureColumns | None, *, null_features: bool = False) -> None:
        self._columns, self._null_features = columns, null_features

    def encode(self, batch: Any) -> Messages:
        """Encodes the rows of a `pyarrow.RecordBatch`."""
        if self._columns is None:
            return Messages(batch["record"].to_pylist(), None)
        columns = self._columns.convert(batch)
        if self._columns.has_feature_lists:
            return Messages(encode_sequence_examples(columns), columns)
        return Messages(encode_examples(columns, null_features=self._null_features), columns)
