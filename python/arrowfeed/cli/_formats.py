"""The table of the formats that the command line reads."""

from __future__ import annotations

import dataclasses
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import arrowfeed
from arrowfeed._urls import name_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from arrowfeed import Dataset

COLUMNS, READER_SCHEMA, SAMPLE = "columns", "reader_schema", "sample"
DELIMITER, HEADER = "delimiter", "header"
UNIONS = "unions"

OPTIONS = {
    COLUMNS: "--columns",
    READER_SCHEMA: "--reader-schema",
    SAMPLE: "--sample",
    DELIMITER: "--delimiter",
    HEADER: "--no-header",
    UNIONS: "--unions",
}
"""Read arguments that not all formats support, and their command line options."""


@dataclasses.dataclass(frozen=True)
class Format:
    """A format that the command line reads.

    Args:
        name: The value of `--format`.
        dataset: The class of `arrowfeed` that reads files of the format.
        read: The function of `arrowfeed` that returns a reader of the files.
        evidence: The content by which the format is recognized.
        suffixes: File name suffixes, used only if the content does not determine the format.
        options: The arguments in `OPTIONS` that the format supports.
        arguments: Fixed arguments of `read`.
        suffix_arguments: Arguments of `read` that follow from the suffix of the first file name.
        bytes_option: The argument of `read` that limits the bytes of a batch: `"max_batch_bytes"`, or
            `"limits"` for `Limits.batch_bytes`. None: no such argument.
    """

    name: str
    dataset: str
    read: str
    evidence: str
    suffixes: tuple[str, ...] = ()
    options: frozenset[str] = frozenset({COLUMNS})
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])
    suffix_arguments: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict[str, Any])
    bytes_option: str | None = None

    @property
    def extension(self) -> str:
        """The extension of files in a directory, without the dot."""
        return self.suffixes[0][1:] if self.suffixes else "tfrecord"

    @property
    def dataset_class(self) -> Callable[..., Dataset]:
        """The class of `dataset`."""
        return getattr(arrowfeed, self.dataset)


AVRO = Format(
    "avro",
    "AvroDataset",
    "read_avro",
    "it begins with the bytes 4f 62 6a 01",
    (".avro",),
    frozenset({COLUMNS, READER_SCHEMA, UNIONS}),
    bytes_option="max_batch_bytes",
)

FORMATS = (
    AVRO,
    Format("parquet", "ParquetDataset", "read_parquet", "it ends with the bytes PAR1", (".parquet",)),
    Format(
        "arrow",
        "ArrowDataset",
        "read_arrow_ipc",
        "it begins with ARROW1, or with the schema message of a stream",
        (".arrow", ".feather", ".arrows"),
        bytes_option="limits",
    ),
    Format(
        "tfrecord",
        "ExampleDataset",
        "read_tfrecord",
        "its first TFRecord record is a tf.Example",
        (".tfrecord", ".tfrecords"),
        frozenset({COLUMNS, SAMPLE}),
        bytes_option="limits",
    ),
    Format(
        "tfrecord-raw",
        "RawRecordDataset",
        "read_tfrecord",
        "its first TFRecord record is not a tf.Example",
        options=frozenset(),
        arguments={"format": "raw"},
        bytes_option="limits",
    ),
    Format(
        "tfrecord-sequence",
        "SequenceExampleDataset",
        "read_tfrecord",
        "its first TFRecord record is a tf.SequenceExample",
        options=frozenset({COLUMNS, SAMPLE}),
        arguments={"format": "sequence_example"},
        bytes_option="limits",
    ),
    Format(
        "jsonl",
        "JsonLinesDataset",
        "read_json_lines",
        "its first line is a JSON object",
        (".jsonl", ".ndjson"),
        frozenset({COLUMNS, SAMPLE}),
        bytes_option="limits",
    ),
    Format(
        "csv",
        "CsvDataset",
        "read_csv",
        "it is text, and its name ends in .csv or .tsv",
        (".csv", ".tsv"),
        frozenset({COLUMNS, SAMPLE, DELIMITER, HEADER}),
        suffix_arguments={".tsv": {DELIMITER: "\t"}},
        bytes_option="limits",
    ),
)
"""All input formats. A new format needs an entry here."""

BY_NAME = {known.name: known for known in FORMATS}


def by_suffix(file: str) -> Format | None:
    """The format that follows from the suffix of a file name or URL."""
    return next((known for known in FORMATS if suffix_of(file) in known.suffixes), None)


def suffix_of(file: str) -> str:
    """The suffix of a name or URL in lower case, without a trailing `.gz`; empty if there is none."""
    return PurePath(name_of(file).lower().removesuffix(".gz")).suffix


def add_format(parser: argparse.ArgumentParser) -> None:
    """Adds `--format`."""
    parser.add_argument(
        "--format",
        choices=[known.name for known in FORMATS],
        help="format of the files (default: detected from the content of the first file)",
    )
