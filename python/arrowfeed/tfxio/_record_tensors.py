"""Records to record batches by a decoder that is a TensorFlow graph."""

from __future__ import annotations

import contextlib
import functools
import time
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arrowfeed._arrowfeed import (
    DenseTensor,
    RaggedTensor,
    SparseTensor,
    TensorSpec,
    TensorsToRecordBatch,
)
from arrowfeed._frameworks import framework
from arrowfeed._libraries import wanted
from arrowfeed.tfxio._raw_records import with_raw_records
from arrowfeed.tfxio.tf_graph_record_decoder import load_decoder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arrowfeed.tfxio._telemetry import Telemetry


class RecordTensors(NamedTuple):
    """The conversion of records by a saved decoder. Picklable: each process loads the decoder on first use.

    Attributes:
        path: The directory of the SavedModel.
        index_column: Name of the column with the index of the record of each row. None: row `i` is from
            record `i`.
        raw_column: Name of an additional last column with the original records. None: no such column.
        telemetry: The metrics of the source.
        key: Differs between sources, because a later source may have another decoder at the same path.
    """

    path: str
    index_column: str | None
    raw_column: str | None
    telemetry: Telemetry
    key: str

    def batches(self, records: Sequence[bytes]) -> Iterator[Any]:
        """Converts records to a pyarrow record batch.

        Raises:
            AssertionError: The rows of the tensors cannot be assigned to records, which have a column.
        """
        decode, converter = _loaded(self)
        tf = framework("tensorflow")
        decoded = decode(tf.constant(records, tf.string, [len(records)]))
        batch = converter.convert({name: _tensor(tf, one) for name, one in decoded.items()}).to_pyarrow()
        if self.raw_column is not None:
            batch = with_raw_records(batch, self.raw_column, self._records_of_rows(batch, records))
        yield batch

    def _records_of_rows(self, batch: Any, records: Sequence[bytes]) -> Sequence[bytes]:
        if self.index_column is None:
            if batch.num_rows != len(records):
                raise AssertionError(f"num_rows: {batch.num_rows} vs len raw_records: {len(records)}")
            return records
        indices: list[int] = batch[self.index_column].flatten().to_pylist()
        if len(indices) != batch.num_rows:
            raise AssertionError(
                "Record indices must be aligned with the record batch, but got different lengths: "
                f"{len(indices)} vs {batch.num_rows}"
            )
        return [records[index] for index in indices]


def new_key() -> str:
    """Returns a new `key` of `RecordTensors`."""
    return uuid.uuid4().hex


def load(path: str) -> Any:
    """Loads a decoder. The ops of struct2tensor are available to it, if this library is installed."""
    with contextlib.suppress(framework("tensorflow").errors.NotFoundError):
        wanted("struct2tensor")
    return load_decoder(path)


def converter_of(type_specs: dict[str, Any]) -> TensorsToRecordBatch:
    """Returns the converter of tensors of these type specs.

    Raises:
        ValueError: Tensors of a type spec cannot be converted.
    """
    return TensorsToRecordBatch({name: _spec(spec) for name, spec in type_specs.items()})


@functools.lru_cache(maxsize=16)
def _loaded(conversion: RecordTensors) -> tuple[Any, TensorsToRecordBatch]:
    start = time.monotonic()
    decoder = load(conversion.path)
    converter = converter_of(decoder.output_type_specs())
    conversion.telemetry.count_decoder(time.monotonic() - start)
    return decoder.decode_record, converter


def _spec(spec: Any) -> TensorSpec:
    tf = framework("tensorflow")
    dtype = np.dtype(spec.dtype.as_numpy_dtype)
    shape = spec.shape.as_list()
    if isinstance(spec, tf.RaggedTensorSpec):
        splits = spec.row_splits_dtype.name
        return TensorSpec("ragged", dtype, shape, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)
    return TensorSpec("sparse" if isinstance(spec, tf.SparseTensorSpec) else "dense", dtype, shape)


def _tensor(tf: Any, tensor: Any) -> DenseTensor | SparseTensor | RaggedTensor:
    if isinstance(tensor, tf.SparseTensor):
        shape = tensor.dense_shape.numpy().tolist()
        return SparseTensor(tensor.indices.numpy(), tensor.values.numpy(), shape)
    if isinstance(tensor, tf.RaggedTensor):
        splits = [one.numpy() for one in tensor.nested_row_splits]
        return RaggedTensor(tensor.flat_values.numpy(), splits)
    return DenseTensor(tensor.numpy())
