"""Input files, as batches of a pipeline and the encoder of their messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import (
    ExampleDataset,
    ExampleRecordDecoder,
    RawRecordDataset,
    SequenceExampleDataset,
)
from arrowfeed.beam import ReadFromDataset
from arrowfeed.beam._dataset import detected
from arrowfeed.beam._imported import pa
from arrowfeed.beam._known_files import read_known_files
from arrowfeed.beam._read import Outputs
from arrowfeed.tfx._encoder import Encoder
from arrowfeed.tfx._feature_columns import FeatureColumns, kinds
from arrowfeed.tfx._imported import example_gen_pb2

if TYPE_CHECKING:
    from arrowfeed._arrowfeed import RecordBatch

_BATCH = 4096
"""Maximum number of rows of a batch of undecoded records."""

_OF_MESSAGES: dict[Any, int] = {
    ExampleDataset: example_gen_pb2.FORMAT_TF_EXAMPLE,
    SequenceExampleDataset: example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE,
}
"""The formats of files that contain messages."""


class Source:
    """Input files.

    Files of messages that are written as messages of the same type are not decoded, unless columns or rows
    are selected: the output has the bytes of the input.

    Args:
        pattern: The pattern of the files.
        payload: The `PayloadFormat` of the output.
        options: Options of `ReadFromDataset`, and `feature_lists`.
        zeros_are_missing: As in `FeatureColumns`.

    Raises:
        ConversionError: A column cannot become a feature.
        Exception: As in `ReadFromDataset`.
    """

    def __init__(
        self, pattern: str, payload: int, options: dict[str, Any], *, zeros_are_missing: bool
    ) -> None:
        options = dict(options)
        lists = options.pop("feature_lists", None)
        if lists is None and payload == example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE:
            lists = ()
        kind = detected(pattern, options)
        if _OF_MESSAGES.get(kind) == payload and not options and not lists:
            outputs = Outputs(_as_pyarrow, Any)
            self.batches: Any = read_known_files(
                RawRecordDataset, [pattern], {}, batch_size=_BATCH, validate=True, outputs=outputs
            )
            self.encoder: Encoder = Encoder(None)
            return
        self.batches = ReadFromDataset(pattern, **options)
        self.batches.without_coder()
        columns = FeatureColumns(lists, zeros_are_missing=zeros_are_missing)
        self.encoder = Encoder(columns, null_features=kind not in _OF_MESSAGES)
        schema = self.batches.schema
        empty = [pa.nulls(0, field.type) for field in schema]
        self._empty = columns.convert(pa.RecordBatch.from_arrays(empty, schema=schema))

    def decoder(self) -> ExampleRecordDecoder:
        """Returns the decoder of the messages to columns of lists, which Parquet files contain.

        Raises:
            ConversionError: A feature has several kinds.
        """
        return ExampleRecordDecoder(kinds(self._empty))


def _as_pyarrow(batch: RecordBatch) -> list[Any]:
    return [batch.to_pyarrow()]
