"""Conversion of CSV records to record batches with the types of tfx_bsl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import ExampleRecordDecoder, read_csv
from arrowfeed._errors import ArrowfeedError
from arrowfeed._frameworks import framework
from arrowfeed.tfxio._columns import Columns, with_nulls
from arrowfeed.tfxio._example_columns import columns_of_messages
from arrowfeed.tfxio._raw_records import with_raw_records

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from arrowfeed._arrowfeed import Limits, RecordBatch


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

    def readable(self, schema: Any) -> Any:
        """Returns the pyarrow schema without multivalent columns of the type null, whose cells have only
        empty texts.
        """
        several = set(self.multivalent)
        kept = [field for field in schema if field.name not in several or str(field.type) != "null"]
        return framework("pyarrow").schema(kept)


def promised_columns(features: bytes, names: Sequence[str]) -> Columns:
    """Returns the columns of a TensorFlow Metadata schema, in the order of the names.

    Raises:
        ValueError: A feature is not a column, or has a type other than BYTES, INT and FLOAT.
    """
    found = columns_of_messages(ExampleRecordDecoder, features)
    known = set(found.names)
    if not known <= set(names):
        raise ValueError(f"Schema features are not a subset of column names: {list(names)} vs {found.names}")
    ordered = [name for name in names if name in known]
    schema = framework("pyarrow").schema([found.schema.field(name) for name in ordered])
    return Columns(ordered, schema, found.representations)


KINDS = ("null", "int64", "double", "string")
"""Inferred types. Each type can represent the values of the preceding types."""

EMPTY_TEXTS = -1
"""The type of a multivalent column whose values are all empty texts: no type, but only texts can represent
them if other records have values.
"""


def inferred_kinds(schema: Any, empty: Collection[str] = ()) -> list[int]:
    """Returns the column types of an inferred schema, as indices in `KINDS`.

    Args:
        schema: A pyarrow schema.
        empty: Names of columns with the type `EMPTY_TEXTS`.
    """
    items = ((field.name, getattr(field.type, "value_type", field.type)) for field in schema)
    return [EMPTY_TEXTS if name in empty else KINDS.index(str(item)) for name, item in items]


def widest(kinds: Iterable[int]) -> int:
    """Returns the type that can represent the values of all types of a column."""
    found = set(kinds)
    most = max(found)
    if EMPTY_TEXTS not in found:
        return most
    return KINDS.index("string") if most > 0 else EMPTY_TEXTS


def lists_of_texts(schema: Any) -> list[str]:
    """Returns the names of the columns of lists of texts."""
    return [field.name for field in schema if str(getattr(field.type, "value_type", "")) == "string"]


def lists_without_values(names: Iterable[str], batches: Iterable[RecordBatch]) -> set[str]:
    """Returns the columns of lists of texts whose texts are all empty. Stops when there is none."""
    compute = framework("pyarrow.compute")
    left = set(names)
    for batch in batches:
        columns = batch.to_pyarrow()
        lengths = {name: compute.binary_length(columns[name].flatten()) for name in left}
        left = {name for name in left if not compute.max(lengths[name]).as_py()}
        if not left:
            break
    return left


def inferred_schema(names: Iterable[str], kinds: Iterable[int]) -> Any:
    """Returns the schema for inferred types. A column without values has the type null."""
    pa = framework("pyarrow")
    types = (
        pa.null(),
        pa.large_list(pa.int64()),
        pa.large_list(pa.float32()),
        pa.large_list(pa.large_binary()),
    )
    return pa.schema([(name, types[max(kind, 0)]) for name, kind in zip(names, kinds, strict=True)])


def kinds_of_records(cells: Cells, records: Sequence[bytes]) -> list[int]:
    """Infers the column types of some records."""
    reader = read_csv(_text(cells, records)[0], header=False, **cells.options())
    schema = reader.schema.to_pyarrow()
    texts = lists_of_texts(schema)
    return inferred_kinds(schema, lists_without_values(texts, reader) if texts else ())


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
    readable = cells.readable(schema)
    try:
        reader = read_csv(text, schema=readable, header=False, **options)
        batches = [with_nulls(schema, batch.to_pyarrow()) for batch in reader]
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
