"""Options that several subcommands share, and their conversion to library arguments."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import arrowfeed
from arrowfeed._formats import ADDED_COLUMNS
from arrowfeed._rendering.text import printable
from arrowfeed.cli._formats import MERGE, OTHERS
from arrowfeed.cli._standard_input import StandardInput
from arrowfeed.types import OnError, Unions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed import AvroSchema
    from arrowfeed.types import Report

STANDARD_INPUT = "-"
STORAGE_OPTION = "--storage-option"
EVERY = "*"
"""The value of `--scalars` that selects all list columns."""

_SHOWN_SKIPPED = 10

_PATH = re.compile(r"(?:\['(?:[^']|'')*'\]|[^,])+")
"""A field path with surrounding spaces."""

_MISSPELT = re.compile(r"(--stor[^\s=]*=[^\s=]*=).*", re.DOTALL | re.IGNORECASE)
"""A misspelt storage option: the name, the key, and the rest."""


class UsageError(Exception):
    """An error of the call that argparse does not detect."""


FILES = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "tcsh": "f",
    "fish": "(__fish_complete_path (commandline -ct))",
}
"""Completes the names of files: `shtab.FILE`, without an import of shtab."""


def add_files(parser: argparse.ArgumentParser, *, standard_input: bool = True) -> None:
    """Adds FILE... and `--storage-option`."""
    what = "path, quoted glob, directory or URL"
    files: Any = parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help=f"{what}; - is standard input" if standard_input else what,
    )
    files.complete = FILES
    parser.add_argument(
        STORAGE_OPTION,
        type=_key_and_value,
        action="append",
        metavar="KEY=VALUE",
        help="option of the store of a URL, such as aws_region=eu-west-1; may be repeated",
    )


def stores_of(options: argparse.Namespace) -> dict[str, Any]:
    """Converts the options of `add_files` to arguments of the library functions that read or write."""
    pairs = options.storage_option
    return {} if pairs is None else {"storage_options": dict(pairs)}


def _key_and_value(text: str) -> tuple[str, str]:
    """Splits a storage option. Its value may be secret, so no message shows it."""
    key, separator, value = text.partition("=")
    if not key or not separator:
        found = "no key" if separator else "no ="
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, found {found}")
    return key, value


def without_values(message: str) -> str:
    """Removes the values of misspelt storage options from a message."""
    return _MISSPELT.sub(r"\1…", message)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Adds the read options: those of the read functions with the same names, and `--exclude`."""
    parser.add_argument(
        "--columns",
        metavar="PATHS",
        action="append",
        help="field paths to read, separated by commas, such as id,user.scores; may be repeated"
        " (default: all)",
    )
    parser.add_argument(
        "--exclude",
        metavar="NAMES",
        action="append",
        help="columns to leave out, separated by commas; may be repeated",
    )
    add_where(parser)
    add_partitioning(parser)
    parser.add_argument("--file-column", metavar="NAME", help="column to add with the path of the file")
    parser.add_argument(
        "--row-column", metavar="NAME", help="column to add with the number of the row in its file, from 0"
    )
    add_reader_schema(parser)
    parser.add_argument(
        "--unions",
        choices=get_args(Unions),
        help="Avro only: Arrow type of unions (default: dense)",
    )
    add_text(parser)
    parser.add_argument(
        "--on-error",
        choices=get_args(OnError),
        default="raise",
        help="how to handle a block or file that cannot be read (default: raise)",
    )
    parser.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="number of decoding threads (default: one per core; head: 1)",
    )


def add_partitioning(parser: argparse.ArgumentParser) -> None:
    """Adds `--partitioning`."""
    parser.add_argument(
        "--partitioning",
        choices=["hive"],
        help="columns from the names of directories such as dt=2026-01-01, with the files of all directories"
        " below",
    )


def add_reader_schema(parser: argparse.ArgumentParser) -> None:
    """Adds `--reader-schema`."""
    parser.add_argument(
        "--reader-schema",
        metavar="JSONFILE",
        help="'merge' to merge the schemas of all files of avro, parquet, csv or jsonl; Avro only: file with"
        " the reader schema",
    )


def reader_schema_of(options: argparse.Namespace) -> str | None:
    """The text of the reader schema, `MERGE`, or None."""
    schema = options.reader_schema
    return schema if schema in (None, MERGE) else Path(schema).read_text("utf-8")


def add_where(parser: argparse.ArgumentParser) -> None:
    """Adds `--where`."""
    parser.add_argument(
        "--where",
        metavar="PREDICATE",
        help="only rows for which this is true, such as 'age >= 18 and label is not null'",
    )


def add_text(parser: argparse.ArgumentParser) -> None:
    """Adds the options for files without a schema, and `--option` for all others of the formats."""
    parser.add_argument(
        "--sample",
        type=positive,
        metavar="N",
        help="all formats but Avro, Parquet and tfrecord-raw: number of records from which to infer the"
        " columns (default: all)",
    )
    parser.add_argument(
        "--type",
        dest="types",
        action="append",
        type=_named_type,
        metavar="NAME=TYPE",
        help="CSV and JSON lines only: type of a column, such as zip=string; may be repeated (default:"
        " inferred)",
    )
    parser.add_argument(
        "--delimiter",
        metavar="C",
        help="CSV only: character between cells (default: a comma; for .tsv files, a tab)",
    )
    parser.add_argument(
        "--no-header",
        dest="header",
        action="store_false",
        default=None,
        help="CSV only: the first line is a row, not the names of the columns",
    )
    parser.add_argument(
        "--option",
        dest="others",
        action="append",
        type=_option,
        metavar="NAME=VALUE",
        help="another option of the format, with its name in Python, such as string_type=large_utf8 or"
        """ nulls='["NA"]'; VALUE is JSON or a text; may be repeated""",
    )


def text_options(options: argparse.Namespace) -> dict[str, Any]:
    """Converts the options of `add_text` to arguments of `Input.read`."""
    return {
        "sample": options.sample,
        "types": None if options.types is None else dict(options.types),
        "delimiter": options.delimiter,
        "header": options.header,
        OTHERS: None if options.others is None else dict(options.others),
    }


def _option(text: str) -> tuple[str, Any]:
    """The name and the value of `--option`. The value is checked when the files are opened."""
    name, separator, value = text.partition("=")
    if not name or not separator:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, found {text}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _named_type(text: str) -> tuple[str, str]:
    """The name and the type of an option `--type`. The type is checked when the files are opened."""
    name, separator, kind = text.rpartition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"expected NAME=TYPE, found {text}")
    return name, kind


def add_scalars(parser: argparse.ArgumentParser) -> None:
    """Adds `--scalars`."""
    parser.add_argument(
        "--scalars",
        action="append",
        metavar="NAMES",
        help="list columns to write as single values, separated by commas, or"
        f" {EVERY} for all; each list must have one value",
    )


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """Converts the options of `add_reading` to arguments of `Input.read`."""
    return {
        "columns": all_paths(options.columns),
        "exclude": all_paths(options.exclude),
        "where": options.where,
        **added_columns(options),
        "reader_schema": reader_schema_of(options),
        "unions": options.unions,
        **text_options(options),
        "on_error": options.on_error,
        "threads": options.threads,
    }


def added_columns(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of columns that are not stored in files."""
    return {name: getattr(options, name) for name in ADDED_COLUMNS}


def all_paths(lists: list[str] | None) -> list[str] | None:
    """The field paths of a repeatable option. None: the option is not set."""
    return None if lists is None else [path for text in lists for path in _paths(text)]


def _paths(text: str) -> list[str]:
    """Splits field paths at commas. A comma inside a quoted step, `['a, b']`, is part of the name."""
    found = (match[0].strip() for match in _PATH.finditer(text))
    return [path for path in found if path]


def positive(text: str) -> int:
    """Parses an integer of at least 1."""
    return _integer(text, 1)


def not_negative(text: str) -> int:
    """Parses an integer of at least 0."""
    return _integer(text, 0)


def _integer(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"expected an integer of {least} or more, found {text!r}")
    return number


def sources(files: list[str]) -> list[str | StandardInput]:
    """Converts names to sources of the library, with `-` as standard input.

    Raises:
        UsageError: Standard input is requested twice.
        OSError: There is no standard input.
    """
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("expected - for standard input once, found it more than once")
    return [StandardInput() if name == STANDARD_INPUT else name for name in files]


def header(source: str | StandardInput, stores: Mapping[str, Any]) -> AvroSchema:
    """Reads the header of a source, which can then still be read from its start."""
    if isinstance(source, StandardInput):
        return source.schema()
    return arrowfeed.avro_schema(source, **stores)


def tell_skipped(report: Report) -> None:
    """Reports the parts that `--on-error` skipped, on standard error."""
    skipped = report["skipped"]
    for entry in skipped[:_SHOWN_SKIPPED]:
        print(f"arrowfeed: skipped: {printable(entry['error'])}", file=sys.stderr)
    if len(skipped) > _SHOWN_SKIPPED:
        print(f"arrowfeed: skipped: {len(skipped) - _SHOWN_SKIPPED} more", file=sys.stderr)
