"""Conversion of CSV records to record batches with the types of tfx_bsl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import read_csv
from arrowfeed._errors import ArrowfeedError
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._columns import Columns
from arrowfeed.tfxio._example_columns import columns_of_examples
from arrowfeed.tfxio._raw_records import with_raw_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits


class Cells(NamedTuple):
    """The CSV dialect: how records are split into cells, and cells into values. Picklable.

    Attributes:
        names: Names of all columns of a record.
        delimiter: The character between cells.
        skip_blank_lines: Whether empty lines are skipped.
        multivalent: Names of columns whose cells have several values.
        secondary_delimiter: The character between these values.
    """

    names: list[str]
    delimiter: str
    skip_blank_lines: bool
    multivalent: list[str]
    secondary_delimiter: str | None

    def options(self) -> dict[str, Any]:
        """Returns the dialect as arguments of `arrowfeed.read_csv`."""
        several = {
            "multivalent_columns": self.multivalent,
            "secondary_delimiter": self.secondary_delimiter,
        }
        return {
            "names": self.names,
            "delimiter": self.delimiter,
            "skip_blank_lines": self.skip_blank_lines,
            **(several if self.multivalent else {}),
        }


def promised_columns(features: bytes, names: Sequence[str]) -> Columns:
    """Returns the columns of a TensorFlow Metadata schema, in the order of the names.

    Raises:
        ValueError: A feature is not a column, or has a type other than BYTES, INT and FLOAT.
    """
    found = columns_of_examples(features)
    known = set(found.names)
    if not known <= set(names):
        raise ValueError(f"Schema features are not a subset of column names: {list(names)} vs {found.names}")
    ordered = [name for name in names if name in known]
    schema = framework("pyarrow").schema([found.schema.field(name) for name in ordered])
    return Columns(ordered, schema, found.representations)


KINDS = ("null", "int64", "double", "string")
"""Inferred types. Each type can represent the values of the preceding types."""


def inferred_kinds(schema: Any) -> list[int]:
    """Returns the column types of an inferred schema, as indices in `KINDS`."""
    items = (getattr(field.type, "value_type", field.type) for field in schema)
    return [KINDS.index(str(item)) for item in items]


def inferred_schema(names: Iterable[str], kinds: Iterable[int]) -> Any:
    """Returns the schema for inferred types. A column without values has the type null."""
    pa = framework("pyarrow")
    types = (
        pa.null(),
        pa.large_list(pa.int64()),
        pa.large_list(pa.float32()),
        pa.large_list(pa.large_binary()),
    )
    return pa.schema([(name, types[kind]) for name, kind in zip(names, kinds, strict=True)])


def kinds_of_records(cells: Cells, records: Sequence[bytes]) -> list[int]:
    """Infers the column types of some records."""
    reader = read_csv(_text(cells, records)[0], header=False, **cells.options())
    return inferred_kinds(reader.schema.to_pyarrow())


def csv_batches(
    cells: Cells,
    raw_column: str | None,
    records: Sequence[bytes],
    schema: Any,
    limits: Limits | None = None,
) -> Iterator[Any]:
    """Converts records to a pyarrow record batch.

    Args:
        cells: The dialect of the records.
        raw_column: Name of an additional last column with the records. None: no such column.
        records: Records without their line ends; a quoted cell may contain line ends.
        schema: The pyarrow schema, without the column for the records.
        limits: Limits of a record. None: `arrowfeed.Limits()`.

    Raises:
        ValueError: A record has the wrong number of cells, or a cell does not have the type of its column.
    """
    pa = framework("pyarrow")
    text, kept = _text(cells, records)
    options: dict[str, Any] = {
        "batch_size": max(len(kept), 1),
        "threads": 1,
        "limits": limits,
        **cells.options(),
    }
    try:
        reader = read_csv(text, schema=schema, header=False, **options)
        batches = [batch.to_pyarrow() for batch in reader]
    except ArrowfeedError as error:
        raise ValueError(f"expected records of {len(cells.names)} columns: {error}") from error
    table = pa.Table.from_batches(batches, schema=schema)
    if table.num_rows != len(kept):
        raise ValueError(f"expected {len(kept)} records, found {table.num_rows}: a quote is not closed")
    arrays = [column.combine_chunks() for column in table.columns]
    batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    yield batch if raw_column is None else with_raw_records(batch, raw_column, kept)


def _text(cells: Cells, records: Sequence[bytes]) -> tuple[bytes, list[bytes]]:
    """Returns the joined text of the records, and the records that become rows."""
    kept = [record for record in records if record.strip(b"\r\n") or not cells.skip_blank_lines]
    return b"".join(record + b"\n" for record in kept), kept
