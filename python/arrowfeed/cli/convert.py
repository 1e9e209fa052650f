"""`arrowfeed convert`: converts files of any format to one file of any format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import arrowfeed
from arrowfeed._libraries import needed
from arrowfeed._rendering.text import printable
from arrowfeed.cli import _targets as targets
from arrowfeed.cli._formats import MERGE, add_format
from arrowfeed.cli._input import Input, opened
from arrowfeed.cli._options import (
    UsageError,
    add_files,
    add_reading,
    add_scalars,
    added_columns,
    all_paths,
    positive,
    reading,
    stores_of,
    tell_skipped,
)
from arrowfeed.cli._output import Output, refuse, signals_raise
from arrowfeed.cli._partitions import check_columns, refuse_directory, write_partitions
from arrowfeed.cli._progress import progress
from arrowfeed.cli._rows import Rows, with_scalars, with_text

if TYPE_CHECKING:
    import argparse

    from arrowfeed import AvroSchema, RecordBatchReader

_BATCH_ROWS = 1 << 16
"""A batch becomes a Parquet row group, for which a few thousand rows are too few."""

_BATCH_BYTES = 64 << 20


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "convert",
        parents=[common],
        allow_abbrev=False,
        help="the rows in a file of another format or compression",
        description="Writes the rows of files with the same schema to one file, which appears under its name"
        " when it is complete.",
    )
    add_files(parser)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help=f"path or URL of the new file; its suffix determines the format: {', '.join(targets.SUFFIXES)}",
    )
    parser.add_argument("--to", choices=list(targets.BY_NAME), help="format of OUT, whatever its suffix")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    parser.add_argument(
        "--partition-by",
        metavar="NAMES",
        action="append",
        help="write a directory OUT with a directory such as dt=2026-01-01 for each value of these columns,"
        " separated by commas; needs --to",
    )
    parser.add_argument(
        "--codec",
        "--compression",
        choices=targets.CODECS,
        help="compression (default: zstandard for avro, parquet and arrow; for other formats gzip if the name"
        " of OUT ends in .gz, else none)",
    )
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=_BATCH_ROWS,
        metavar="N",
        help=f"number of rows of a record batch (default: {_BATCH_ROWS})",
    )
    add_scalars(parser)
    parser.add_argument(
        "--double-as-float",
        action="store_true",
        help="tfrecord and tfrecord-sequence only: round doubles to 32-bit floats",
    )
    add_format(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Writes the file, then prints its number of rows."""
    output = Output(options.output, stores_of(options))
    target = targets.target_of(output, options.to)
    codec = targets.codec_of(output, target, options.codec)
    if options.double_as_float and targets.DOUBLE_AS_FLOAT not in target.check_options:
        raise UsageError(
            f"--double-as-float: expected an output of tf.Example or tf.SequenceExample, found {target.name}"
        )
    partitions = all_paths(options.partition_by)
    if partitions is None:
        refuse(output, force=options.force)
    else:
        refuse_directory(output)
    files = opened(options.files, options.format, stores_of(options), options.partitioning)
    given = _avro_parts(files, options) if "schema" in target.write_options and files.is_avro else {}
    with (
        files.read(batch_size=options.batch_size, batch_bytes=_BATCH_BYTES, **reading(options)) as reader,
        progress(reader, files),
        signals_raise(),
    ):
        rows = _rows(reader, target, options)
        if target.check is not None:
            schema = rows.schema if partitions is None else check_columns(rows.schema, partitions)
            checked = {name: getattr(options, name) for name in target.check_options}
            target.check(schema, **checked)

        def write(rows: Rows, output: Output) -> int:
            if target.is_batched:
                needed("pyarrow", f"to write {target.name}")
                # The batches of a reader end with each file.
                rows = rows.gathered(options.batch_size, _BATCH_BYTES)
            return target.write(rows, output, codec, **given)

        if partitions is None:
            count = write(rows, output)
        else:
            count = write_partitions(rows, output, partitions, targets.suffix_of(target, codec), write)
    tell_skipped(reader.report())
    path = output.place
    size = f", {path.stat().st_size} bytes" if isinstance(path, Path) and path.is_file() else ""
    print(f"{printable(str(output))}: {count} rows{size}")


def _rows(reader: RecordBatchReader, target: targets.Target, options: argparse.Namespace) -> Rows:
    """The rows of a reader, changed according to the options and the target."""
    rows = Rows(reader)
    scalars = all_paths(options.scalars)
    if scalars is not None:
        rows = with_scalars(rows, scalars)
    if target.is_text:
        rows = with_text(rows)
    return rows


def _avro_parts(files: Input, options: argparse.Namespace) -> dict[str, Any]:
    """The schema and the metadata of Avro files that are written as Avro again.

    The schema keeps names, defaults and documentation. It is None if columns change, because it no longer
    describes them.
    """
    unions = None if options.unions == "dense" else options.unions
    changed = (
        options.columns,
        options.exclude,
        options.scalars,
        options.partition_by,
        unions,
        *added_columns(options).values(),
    )
    schema = _schema(files, options) if all(option is None for option in changed) else None
    # The first file of a directory is not known if it is in one of the directories below.
    return {"schema": schema, "metadata": _metadata(files) if options.partitioning is None else {}}


def _schema(files: Input, options: argparse.Namespace) -> AvroSchema:
    if options.reader_schema == MERGE:
        schema = files.merged_schema()
    elif options.reader_schema is not None:
        schema = arrowfeed.AvroSchema(Path(options.reader_schema).read_text("utf-8"))
    else:
        schema = files.header()
    return _of_records(schema)


def _metadata(files: Input) -> dict[str, bytes]:
    """The header entries other than those of the Avro specification."""
    entries = files.header().metadata.items()
    return {key: value for key, value in entries if not key.startswith("avro.")}


def _of_records(schema: AvroSchema) -> AvroSchema:
    """The schema or, if its root is not a record, a schema of records with the single field `value`."""
    root: Any = json.loads(schema.json)
    if isinstance(root, dict) and cast("dict[str, Any]", root)["type"] == "record":
        return schema
    name = "Row"
    while f'"{name}"' in schema.canonical:
        name += "_"
    return arrowfeed.AvroSchema({"type": "record", "name": name, "fields": [{"name": "value", "type": root}]})
