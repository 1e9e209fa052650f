"""`RecordBatchCoder`, which transfers record batches between workers."""

from __future__ import annotations

from typing import Any

from arrowfeed.beam._imported import beam, pa


class RecordBatchCoder(beam.coders.Coder):
    """Encodes a `pyarrow.RecordBatch` as an Arrow IPC stream, including its schema.

    For a slice of a batch, the coder writes only the rows of the slice. Pickle, which Beam would use
    otherwise, writes the whole buffers of the batch.

    Example:
        >>> coder = RecordBatchCoder()
        >>> coder.decode(coder.encode(batch.slice(10, 5))).num_rows
        5
    """

    @classmethod
    def register(cls) -> None:
        """Registers this coder for `pyarrow.RecordBatch` in this process and the workers of its pipelines."""
        beam.coders.registry.register_coder(pa.RecordBatch, cls)

    def encode(self, value: Any) -> bytes:
        """Encodes a batch to bytes."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, value.schema) as stream:
            stream.write_batch(value)
        return sink.getvalue().to_pybytes()

    def decode(self, encoded: bytes) -> Any:
        """Decodes a batch that shares the memory of the bytes."""
        with pa.ipc.open_stream(encoded) as stream:
            return stream.read_next_batch()

    def is_deterministic(self) -> bool:
        """Returns False, because equal batches may have different bytes under their nulls."""
        return False

    def to_type_hint(self) -> Any:
        """Returns `pyarrow.RecordBatch`."""
        return pa.RecordBatch

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))
