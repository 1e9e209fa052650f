"""Sources of records that a saved decoder converts to tensors, with the names of tfx_bsl."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Dense, Ragged, RawRecordDataset, VarLenSparse
from arrowfeed.tfxio._beam_records import BeamRecords
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._files import Reading, seeded
from arrowfeed.tfxio._raw_records import raw_records
from arrowfeed.tfxio._record_tensors import RecordTensors, converter_of, load, new_key
from arrowfeed.tfxio._records import Records
from arrowfeed.tfxio._tfrecord_files import TfRecordFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits, RecordBatch, Representation
    from arrowfeed.tfxio._options import RecordBatchesOptions


class DecodedRecords(Records):
    """A `TFXIO` over records that a saved decoder converts to tensors.

    Its batches have the columns of `arrowfeed.TensorsToRecordBatch`, and its adapter converts them back to
    the tensors of the decoder.
    """

    _logical_format = "tensor"
    _saved_decoder_path: str
    _index_column: str | None
    _key: str

    def _set_decoder(self, path: str | os.PathLike[str]) -> None:
        """Loads the decoder, which determines the columns.

        Raises:
            ValueError: Tensors of the decoder cannot become columns, another column has the name of the
                column of records, or the tensor of record indices is dense.
        """
        self._saved_decoder_path = os.fspath(path)
        self._key = new_key()
        decoder = load(self._saved_decoder_path)
        converter = converter_of(decoder.output_type_specs())
        schema: Any = converter.schema.to_pyarrow()
        representations = dict(converter.representations)
        self._columns = Columns(schema.names, schema, representations)
        index = decoder.record_index_tensor_name
        self._index_column = None if index is None else _index_column(representations[index])
        if self._raw_column in schema.names:
            raise ValueError(f"raw record column name: {self._raw_column} collided with an existing column.")

    def DecodeFunction(self) -> Callable[[Any], dict[str, Any]]:  # noqa: N802
        """Returns the function of the decoder: from a tensor of strings `[records]` to a dict of tensors."""
        return load(self._saved_decoder_path).decode_record

    def _found_columns(self) -> Columns:
        raise AssertionError("the constructor sets the columns")

    def _projected_columns(self, tensor_names: list[str]) -> Columns:
        # The decoder makes all tensors in any case.
        return self.columns._replace(representations=self.columns.representations_of(tensor_names))

    def _decoder(self) -> Callable[[Sequence[bytes]], Iterator[Any]]:
        decoder = RecordTensors(
            self._saved_decoder_path, self._index_column, self._raw_column, self._telemetry, self._key
        )
        return decoder.batches


class TFRecordToTensorTFXIO(DecodedRecords, TfRecordFiles):
    """A `TFXIO` over the records of TFRecord files, which a saved `TFGraphRecordDecoder` converts to tensors.

    Args:
        file_pattern: A path, a glob, a directory (its `*.tfrecord`), a URL, or a list of these. Files may be
            compressed with gzip or zlib, whatever their names; one worker of a pipeline reads a whole
            compressed file.
        saved_decoder_path: The directory of the decoder, which the workers of a pipeline read too.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        raw_record_column_name: Name of an additional last column with the original record of each row. None:
            no such column.
        limits: Upper bounds on the resources that one file may use. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: There is no file pattern, a tensor of the decoder cannot become columns, another column
            has the name `raw_record_column_name`, or the tensor of record indices is dense.
        AssertionError: The SavedModel is not a decoder.
        OSError: There is no SavedModel.

    Example:
        >>> source = TFRecordToTensorTFXIO("part-*.tfrecord.gz", "decoder", ["training"])
        >>> batches = pipeline | source.BeamSource()
    """

    def __init__(
        self,
        file_pattern: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        saved_decoder_path: str | os.PathLike[str],
        telemetry_descriptors: list[str] | None,
        raw_record_column_name: str | None = None,
        *,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(file_pattern, None, raw_record_column_name, telemetry_descriptors, limits)
        self._set_decoder(saved_decoder_path)

    def BeamSource(self, batch_size: int | None = None) -> Any:  # noqa: N802
        """Returns a Beam transform that reads the files in ranges, as pyarrow record batches.

        Several workers can read one file, and a runner can split a range again while it is read. One worker
        reads a whole compressed file.

        Args:
            batch_size: Maximum number of records of a batch. A batch has more rows if the decoder makes
                several rows of a record. None: 1,000.

        Raises:
            FileNotFoundError: No file matches a pattern.
        """
        batches = functools.partial(_decoded, self._decoder())
        return self._read_batches(RawRecordDataset, {"limits": self._limits}, batch_size, batches)

    def RecordBatches(self, options: RecordBatchesOptions) -> Iterator[Any]:  # noqa: N802
        """Iterates over pyarrow record batches, outside a pipeline.

        Args:
            options: A `RecordBatchesOptions`, of this package or of tfx_bsl. `batch_size` is the number of
                records of a batch.
        """
        return self._with_raw_records(seeded(options))

    def _reading(self) -> Reading:
        return Reading(RawRecordDataset, {"limits": self._limits}, {"record": Dense("record")})

    def _tensors(self, iteration: dict[str, Any]) -> Any:
        decode, names = self.DecodeFunction(), tuple(self.columns.representations)

        def decoded(read: dict[str, Any]) -> dict[str, Any]:
            tensors = decode(read["record"])
            return {name: tensors[name] for name in names}

        return super()._tensors(iteration).map(decoded)


class BeamRecordToTensorTFXIO(BeamRecords, DecodedRecords):
    """A `TFXIO` over records in a PCollection of bytes, which a saved `TFGraphRecordDecoder` converts to
    tensors. It reads no files.

    Args:
        saved_decoder_path: The directory of the decoder, which the workers of a pipeline read too.
        telemetry_descriptors: Names that identify the component with this source, for the metrics of
            pipelines. None: unknown.
        physical_format: Origin of the records, for the names of metrics. Without `[`, `]` and `-`.
        raw_record_column_name: Name of an additional last column with the original record of each row. None:
            no such column.
        experimental_use_singleton_decoder: Has no effect: all threads of a process share the decoder.

    Raises:
        ValueError, AssertionError, OSError: As in `TFRecordToTensorTFXIO`.

    Example:
        >>> source = BeamRecordToTensorTFXIO("decoder", ["training"], "kafka", None)
        >>> batches = records | source.BeamSource(batch_size=256)
    """

    def __init__(
        self,
        saved_decoder_path: str | os.PathLike[str],
        telemetry_descriptors: list[str] | None,
        physical_format: str,
        raw_record_column_name: str | None,
        experimental_use_singleton_decoder: bool = False,  # noqa: ARG002, FBT001, FBT002 - tfx_bsl's signature
    ) -> None:
        super().__init__(None, raw_record_column_name, telemetry_descriptors)
        self.physical_format = physical_format
        self._set_decoder(saved_decoder_path)


def _decoded(decoder: Callable[[list[bytes]], Iterator[Any]], batch: RecordBatch) -> Iterator[Any]:
    return decoder(raw_records(batch))


def _index_column(representation: Representation) -> str:
    """Returns the column of the tensor of record indices."""
    if isinstance(representation, VarLenSparse):
        return representation.column
    if isinstance(representation, Ragged):
        return str(representation.path)
    raise ValueError(
        f"The record index tensor must be a RaggedTensor or a VarLenSparseTensor, but got: {representation}"
    )
