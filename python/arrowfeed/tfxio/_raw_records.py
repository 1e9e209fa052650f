"""Batches of records of Avro that have no file around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import AvroRecordDecoder
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arrowfeed._arrowfeed import AvroSchema


def batches_of(
    schema: AvroSchema, records: Sequence[bytes], raw_column: str | None, **options: Any
) -> Iterator[Any]:
    """The record batches of pyarrow of some records: one, or more where a batch would get too large.

    Args:
        schema: That the records are written in.
        records: In Avro's binary encoding.
        raw_column: Name of a last column for the records themselves. None: there is none.
        **options: Of `arrowfeed.AvroRecordDecoder`.

    Raises:
        ArrowfeedError: A record is none of the schema; `record` is its number.
    """
    decoder = AvroRecordDecoder(schema, batch_size=max(len(records), 1), name="raw records", **options)
    decoder.extend(records)
    start = 0
    for batch in iter(decoder.flush, None):
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
