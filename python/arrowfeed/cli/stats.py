"""`arrowfeed stats`: statistics of the fields of files, in one pass."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._engines.planner import files_of
from arrowfeed._urls import is_remote, redacted
from arrowfeed.cli import _parts as parts
from arrowfeed.cli._field_stats import FieldStats, column_path
from arrowfeed.cli._formats import add_format
from arrowfeed.cli._input import opened
from arrowfeed.cli._options import (
    STANDARD_INPUT,
    add_files,
    add_reading,
    header,
    reading,
    stores_of,
    tell_skipped,
)
from arrowfeed.cli._output import Output, new_file, refuse
from arrowfeed.cli._progress import progress
from arrowfeed.cli._stats_html import page
from arrowfeed.cli._stats_report import Summary, as_json, as_text

if TYPE_CHECKING:
    import argparse

    from arrowfeed.cli._input import Input

_BATCH_ROWS = 1 << 15
_BATCH_BYTES = 32 << 20
"""Maximum size of a batch. It bounds the memory, because each thread has one batch and some batches wait."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser = commands.add_parser(
        "stats",
        parents=[common],
        allow_abbrev=False,
        help="nulls, ranges, lengths and bytes of each field",
        description="Reads files with the same schema and prints statistics of each field, at any depth.",
    )
    add_files(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object, not a table")
    parser.add_argument("--html", metavar="FILE", help="write a page with plots to FILE; print no table")
    parser.add_argument("--force", action="store_true", help="replace the FILE of --html if it exists")
    add_format(parser)
    add_reading(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Reads all files, then prints the requested form."""
    parts.arrow()
    if options.html is None:
        summary = _summary(options)
        print(as_json(summary) if options.json else as_text(summary), end="")
        return
    output = Output(options.html, stores_of(options))
    refuse(output, force=options.force)
    summary = _summary(options)
    with new_file(output) as unfinished:
        unfinished.write_text(page(summary), "utf-8")
    if options.json:
        print(as_json(summary), end="")


def _summary(options: argparse.Namespace) -> Summary:
    files = opened(options.files, options.format, stores_of(options), options.partitioning)
    codecs = _codecs(files) if files.is_avro else []
    reader = files.read(batch_size=_BATCH_ROWS, batch_bytes=_BATCH_BYTES, **reading(options))
    histograms = options.html is not None
    schema = parts.arrow().schema(reader.schema)
    fields = [
        FieldStats(column_path(field.name), parts.shown_type(field.type), histograms=histograms)
        for field in schema
    ]
    with reader, progress(reader, files):
        for batch in reader:
            for stats, column in zip(fields, parts.record_batch(batch).columns, strict=True):
                stats.add(column)
    tell_skipped(reader.report())
    names = ["standard input" if name == STANDARD_INPUT else redacted(name) for name in options.files]
    return Summary(names, files.format.name, codecs, reader.report(), fields)


def _codecs(files: Input) -> list[str]:
    """The distinct codecs of the file headers, in file order. The reader reports faults of headers."""
    found: dict[str, None] = {}
    for at, item in enumerate(files.source()):
        with contextlib.suppress(arrowfeed.ArrowfeedError, OSError):
            if isinstance(item, str) and not is_remote(item):
                for file in _files(item):
                    found.setdefault(str(header(file, {}).codec))
            else:
                # Only the first file of a URL is read, because each file costs a request.
                one = files.header() if at == 0 else header(item, files.stores)
                found.setdefault(str(one.codec))
    return list(found)


def _files(name: str) -> list[str]:
    """Lists the files of a path, a glob or a directory."""
    return files_of(arrowfeed.AvroDataset(name, raw=True, representations={}), {})
