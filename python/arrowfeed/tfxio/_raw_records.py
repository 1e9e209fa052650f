"""Conversion of records without a file to batches, and the column of the original records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import AvroRecordDecoder
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arrowfeed._arrowfeed import (
        AvroSchema,
        ExampleRecordDecoder,
        RecordBatch,
        SequenceExampleRecordDecoder,
    )


def avro_batches(
    schema: AvroSchema, raw_column: str | None, records: Sequence[bytes], **options: Any
) -> Iterator[Any]:
    """Decodes records into pyarrow record batches: one, or several if a batch would become too large.

    Args:
        schema: The writer schema of the records.
        raw_column: Name of an additional last column with the original records. None: no such column.
        records: Records in Avro's binary encoding.
        **options: Options of `arrowfeed.AvroRecordDecoder`.

    Raises:
        ArrowfeedError: A record does not have the schema; `record` is its number.
    """
    decoder = AvroRecordDecoder(schema, batch_size=max(len(records), 1), name="raw records", **options)
    decoder.extend(records)
    start = 0
    for batch in iter(decoder.flush, None):
        made = batch.to_pyarrow()
        end = start + made.num_rows
        yield made if raw_column is None else with_raw_records(made, raw_column, records[start:end])
        start = end


def message_batches(
    decoder: Callable[..., ExampleRecordDecoder | SequenceExampleRecordDecoder],
    schema: Any,
    raw_column: str | None,
    records: Sequence[bytes],
) -> Iterator[Any]:
    """Decodes `tf.Example` or `tf.SequenceExample` messages into a pyarrow record batch.

    Args:
        decoder: The decoder class of the messages.
        schema: The features, as an argument of `decoder`. None: the features of these messages.
        raw_column: As in `avro_batches`.
        records: Messages.

    Raises:
        ArrowfeedError: A record is not a message of the schema; `record` is its number.
    """
    batch = decoder(schema).decode(records).to_pyarrow()
    yield batch if raw_column is None else with_raw_records(batch, raw_column, records)


def raw_records(batch: RecordBatch) -> list[bytes]:
    """Returns the records of a batch that was read without decoding them."""
    return batch.to_pyarrow()["record"].to_pylist()


def raw_batches(raw_column: str, records: Sequence[bytes]) -> Iterator[Any]:
    """Returns a pyarrow record batch whose only column contains the original records."""
    pa = framework("pyarrow")
    yield with_raw_records(pa.RecordBatch.from_arrays([], names=[]), raw_column, records)


def with_raw_records(batch: Any, name: str, records: Sequence[bytes]) -> Any:
    """Returns the batch with an additional last column of the original records, one in each list."""
    pa = framework("pyarrow")
    column = _lists_of_one(pa.array(records, pa.large_binary()))
    schema = batch.schema.append(raw_record_field(name))
    return pa.RecordBatch.from_arrays([*batch.columns, column], schema=schema)


def raw_column_batches(name: str, batch: RecordBatch) -> list[Any]:
    """Returns a batch of records as a pyarrow record batch whose column contains a list for each record."""
    pa = framework("pyarrow")
    column = _lists_of_one(batch.to_pyarrow()["record"])
    return [pa.RecordBatch.from_arrays([column], schema=pa.schema([raw_record_field(name)]))]


def _lists_of_one(values: Any) -> Any:
    """Returns a pyarrow array of lists, each with one of the values."""
    pa = framework("pyarrow")
    return pa.LargeListArray.from_arrays(pa.array(range(len(values) + 1), pa.int64()), values)


def raw_record_field(name: str) -> Any:
    """Returns the `pyarrow.Field` of the column of records."""
    pa = framework("pyarrow")
    return pa.field(name, pa.large_list(pa.large_binary()))
