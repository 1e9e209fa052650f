"""`arrowfeed stats`: statistics of the fields of files, in one pass."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

import arrowfeed
from arrowfeed._engines.planner import files_of
from arrowfeed._rendering import parts
from arrowfeed._rendering.text import json_text
from arrowfeed._statistics.collected import columns_of
from arrowfeed._statistics.page import page
from arrowfeed._statistics.report import Summary, as_text, figures
from arrowfeed._urls import is_remote, redacted
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
        origin, summary = _summary(options)
        print(_json(origin, summary) if options.json else as_text(summary), end="")
        return
    output = Output(options.html, stores_of(options))
    refuse(output, force=options.force)
    origin, summary = _summary(options)
    with new_file(output) as unfinished:
        unfinished.write_text(page(summary), "utf-8")
    if options.json:
        print(_json(origin, summary), end="")


class _Origin(NamedTuple):
    """Where the rows come from."""

    files: list[str]
    """The names of the files, as passed by the caller."""
    format: str
    """Name of the format of the files."""
    codecs: list[str]
    """The distinct codecs of Avro files."""


def _json(origin: _Origin, summary: Summary) -> str:
    """Formats a JSON object, whose keys docs/command-line.md lists."""
    return json_text({**origin._asdict(), **figures(summary)}, indent=2) + "\n"


def _summary(options: argparse.Namespace) -> tuple[_Origin, Summary]:
    files = opened(options.files, options.format, stores_of(options), options.partitioning)
    codecs = _codecs(files) if files.is_avro else []
    reader = files.read(batch_size=_BATCH_ROWS, batch_bytes=_BATCH_BYTES, **reading(options))
    with reader, progress(reader, files):
        fields = columns_of(reader.schema, reader, histograms=options.html is not None)
    tell_skipped(reader.report())
    names = ["standard input" if name == STANDARD_INPUT else redacted(name) for name in options.files]
    shown = ", ".join(names)
    lines = [("files", shown), ("format", files.format.name)]
    lines += [("codecs", ", ".join(codecs))] if codecs else []
    origin = _Origin(names, files.format.name, codecs)
    return origin, Summary(f"arrowfeed stats: {shown}", lines, reader.report(), fields)


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
