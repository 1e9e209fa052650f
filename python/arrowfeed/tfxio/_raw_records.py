"""Records of Avro without a file around them, to batches and back."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import read_avro, write_avro
from arrowfeed._blocks import MAGIC, MARKER, BlockFile, block_head
from arrowfeed._handoff import framework

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arrowfeed._arrowfeed import AvroSchema, Limits, RecordBatch


def as_file(schema: AvroSchema, records: Sequence[bytes] = ()) -> bytes:
    """A file of records, each in a block of its own, which a reader holds to its length.

    Args:
        schema: That the records are written in.
        records: In Avro's binary encoding.
    """
    metadata = _sized(b"avro.schema") + _sized(schema.json.encode())
    header = MAGIC + _long(1) + metadata + _long(0)
    marker = bytes(MARKER)
    return b"".join([header, marker, *(_long(1) + _sized(record) + marker for record in records)])


def batches_of(
    schema: AvroSchema, records: Sequence[bytes], raw_column: str | None, **options: Any
) -> Iterator[Any]:
    """The record batches of pyarrow of some records: one, or more where a batch would get too large.

    Args:
        schema: That the records are written in.
        records: In Avro's binary encoding.
        raw_column: Name of a last column for the records themselves. None: there is none.
        **options: Of `arrowfeed.read_avro`.

    Raises:
        ArrowfeedError: A record is none of the schema; `block` is its number.
    """
    file = NamedBytes(as_file(schema, records), "raw records")
    start = 0
    for batch in read_avro(file, batch_size=max(len(records), 1), threads=1, **options):
        made = batch.to_pyarrow()
        end = start + made.num_rows
        yield made if raw_column is None else with_raw_records(made, raw_column, records[start:end])
        start = end


def with_raw_records(batch: Any, name: str, records: Sequence[bytes]) -> Any:
    """The batch with a last column of the records that its rows were made of, one in each list."""
    pa = framework("pyarrow")
    values = pa.array(records, pa.large_binary())
    column = pa.LargeListArray.from_arrays(pa.array(range(len(records) + 1), pa.int64()), values)
    schema = batch.schema.append(raw_record_field(name))
    return pa.RecordBatch.from_arrays([*batch.columns, column], schema=schema)


def raw_record_field(name: str) -> Any:
    """The `pyarrow.Field` of the column of records."""
    pa = framework("pyarrow")
    return pa.field(name, pa.large_list(pa.large_binary()))


def records_of(batch: RecordBatch | Any, schema: AvroSchema, limits: Limits) -> list[bytes]:
    """Each row of a batch in Avro's binary encoding.

    Args:
        batch: In the encoding `native`.
        schema: To write the rows in.
        limits: Of a record.

    Raises:
        SchemaError: The batch does not fit the schema.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.avro")
        # So that each row gets a block, and the head of the block tells its length.
        write_avro(batch, path, codec="null", block_bytes=1, schema=schema)
        with path.open("rb") as file:
            place = len(BlockFile(file, str(path), limits).header)
        data = path.read_bytes()
    records: list[bytes] = []
    while (head := block_head(data, place)) is not None:
        end = place + head.length + head.size
        records += [data[end - head.size : end]] * head.rows
        place = end + MARKER
    return records


class NamedBytes(io.BytesIO):
    """A file object.

    Args:
        data: Its bytes.
        name: For messages.
    """

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _sized(data: bytes) -> bytes:
    return _long(len(data)) + data


def _long(value: int) -> bytes:
    """A length in Avro's binary encoding."""
    rest, encoded = value << 1, bytearray()
    while rest > 0x7F:  # noqa: PLR2004 - seven bits of a byte
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*encoded, rest])
