"""The option `--format`, and the options of reading that not all formats have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrowfeed._formats import BY_NAME

if TYPE_CHECKING:
    import argparse

COLUMNS, READER_SCHEMA, SAMPLE = "columns", "reader_schema", "sample"
DELIMITER, HEADER, TYPES = "delimiter", "header", "types"
UNIONS = "unions"

OTHERS = "others"
"""The options of `--option`, by name."""

MERGE = "merge"
"""The value of `--reader-schema` for the merged schema of all files."""

MERGING = ("parquet", "csv", "jsonl")
"""The formats beside Avro whose schemas can be merged: the value of their argument `schema`."""

OPTIONS = {
    COLUMNS: "--columns",
    READER_SCHEMA: "--reader-schema",
    SAMPLE: "--sample",
    DELIMITER: "--delimiter",
    HEADER: "--no-header",
    TYPES: "--type",
    UNIONS: "--unions",
}
"""Arguments that not all formats have, and their command line options."""


def add_format(parser: argparse.ArgumentParser) -> None:
    """Adds `--format`."""
    parser.add_argument(
        "--format",
        choices=list(BY_NAME),
        help="format of the files (default: detected from the content of the first file)",
    )
