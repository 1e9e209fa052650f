"""`arrowfeed convert`: Avro files to one file of Parquet, Arrow or Avro."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import arrowfeed
from arrowfeed.cli._libraries import needed
from arrowfeed.cli._options import (
    UsageError,
    add_files,
    add_reading,
    header,
    positive,
    reading,
    sources,
    tell_skipped,
)
from arrowfeed.cli._output import new_file, refuse, signals_raise
from arrowfeed.cli._progress import progress
from arrowfeed.cli._text import printable
from arrowfeed.types import Codec

if TYPE_CHECKING:
    import argparse

    from arrowfeed import AvroSchema, RecordBatchReader
    from arrowfeed.cli._standard_input import StandardInput

_BATCH_ROWS = 1 << 16
"""A row group of Parquet is a batch: thousands of rows are too few for it."""

_BATCH_BYTES = 64 << 20
_PARQUET = {"null": "none", "deflate": "gzip", "snappy": "snappy", "zstandard": "zstd"}
_ARROW = {"null": None, "zstandard": "zstd"}
CODECS: dict[str, tuple[str, ...]] = {
    ".parquet": tuple(_PARQUET),
    ".arrow": tuple(_ARROW),
    ".feather": tuple(_ARROW),
    ".avro": get_args(Codec),
}
"""What each form of file can be compressed with, by Avro's names."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options."""
    parser = commands.add_parser(
        "convert",
        parents=[common],
        allow_abbrev=False,
        help="Parquet, Arrow, or Avro with another codec",
        description="Writes the rows of the files, which have one schema, to one file. It appears under its"
        " name when it is whole.",
    )
    add_files(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT",
        help="its suffix says the form: .parquet, .arrow or .feather, .avro",
    )
    parser.add_argument("--force", action="store_true", help="replace OUT")
    parser.add_argument(
        "--codec", choices=get_args(Codec), default="zstandard", help="compression (default: zstandard)"
    )
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=_BATCH_ROWS,
        metavar="N",
        help=f"rows of a record batch (default: {_BATCH_ROWS})",
    )
    add_reading(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the file, then says how many rows it has."""
    form = options.output.suffix.lower()
    if form not in CODECS:
        raise UsageError(f"{options.output}: expected a name that ends in {', '.join(CODECS)}")
    if options.codec not in CODECS[form]:
        names = ", ".join(CODECS[form])
        raise UsageError(f"--codec: expected {names} for {form}, found {options.codec}")
    refuse(options.output, force=options.force)
    given = sources(options.files)
    schema = _schema(given[0], options) if form == ".avro" else None
    metadata = _metadata(given[0]) if form == ".avro" else None
    with (
        arrowfeed.read_avro(
            given, batch_size=options.batch_size, max_batch_bytes=_BATCH_BYTES, **reading(options)
        ) as reader,
        progress(reader, given),
        signals_raise(),
    ):
        if form == ".avro":
            rows = arrowfeed.write_avro(
                reader, options.output, codec=options.codec, schema=schema, metadata=metadata
            )
        else:
            rows = _write(reader, options.output, form, options.codec)
    tell_skipped(reader.report())
    print(f"{printable(str(options.output))}: {rows} rows, {options.output.stat().st_size} bytes")


def _schema(first: str | StandardInput, options: argparse.Namespace) -> AvroSchema | None:
    """The schema to write Avro with, so that names, defaults and documentation stay.

    None where columns are left out, which it does not describe.
    """
    if options.columns is not None:
        return None
    if options.reader_schema is not None:
        schema = arrowfeed.AvroSchema(Path(options.reader_schema).read_text("utf-8"))
    else:
        schema = header(first)
    return _of_records(schema)


def _metadata(first: str | StandardInput) -> dict[str, bytes]:
    """What the header has beside the entries of the Avro specification."""
    entries = header(first).metadata.items()
    return {key: value for key, value in entries if not key.startswith("avro.")}


def _of_records(schema: AvroSchema) -> AvroSchema:
    """The schema or, where its root is no record, that of records with the one field `value`."""
    root: Any = json.loads(schema.json)
    if isinstance(root, dict) and cast("dict[str, Any]", root)["type"] == "record":
        return schema
    name = "Row"
    while f'"{name}"' in schema.canonical:
        name += "_"
    return arrowfeed.AvroSchema({"type": "record", "name": name, "fields": [{"name": "value", "type": root}]})


def _write(reader: RecordBatchReader, path: Path, form: str, codec: str) -> int:
    """Writes by pyarrow, a batch at a time."""
    rows, pa = 0, needed("pyarrow", f"to write {form}")
    with new_file(path) as unfinished, _writer(reader, unfinished, form, codec) as writer:
        for batch in reader:
            rows += batch.num_rows
            writer.write_batch(pa.record_batch(batch))
    return rows


def _writer(reader: RecordBatchReader, path: Path, form: str, codec: str) -> Any:
    pa = needed("pyarrow", f"to write {form}")
    schema = pa.schema(reader.schema)
    if form == ".parquet":
        parquet = needed("pyarrow.parquet", "to write .parquet")
        try:
            return parquet.ParquetWriter(str(path), schema, compression=_PARQUET[codec])
        except (NotImplementedError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            message = f"expected columns that Parquet can hold: {error}: name the others in --columns"
            raise ValueError(message) from error
    return pa.ipc.new_file(str(path), schema, options=pa.ipc.IpcWriteOptions(compression=_ARROW[codec]))
