"""Record batches between workers."""

from __future__ import annotations

from typing import Any

from arrowfeed.beam._imported import beam, pa


class RecordBatchCoder(beam.coders.Coder):
    """Writes a `pyarrow.RecordBatch` as a stream of Arrow IPC, its schema with it.

    Of a slice only its own rows are written: pickle, which Beam would use otherwise, writes the whole
    buffers that a slice is of.

    Example:
        >>> coder = RecordBatchCoder()
        >>> coder.decode(coder.encode(batch.slice(10, 5))).num_rows
        5
    """

    @classmethod
    def register(cls) -> None:
        """Makes this the coder of `pyarrow.RecordBatch`, in this process and the workers of its pipelines."""
        beam.coders.registry.register_coder(pa.RecordBatch, cls)

    def encode(self, value: Any) -> bytes:
        """The bytes of a batch."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, value.schema) as stream:
            stream.write_batch(value)
        return sink.getvalue().to_pybytes()

    def decode(self, encoded: bytes) -> Any:
        """The batch, over the memory of the bytes."""
        with pa.ipc.open_stream(encoded) as stream:
            return stream.read_next_batch()

    def is_deterministic(self) -> bool:
        """False: equal batches may have different bytes under their nulls."""
        return False

    def to_type_hint(self) -> Any:
        """The type that it codes."""
        return pa.RecordBatch

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))
