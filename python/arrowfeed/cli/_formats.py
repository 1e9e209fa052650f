"""The table of the formats that the command line reads."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import arrowfeed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping

    from arrowfeed import Dataset

COLUMNS, READER_SCHEMA, SAMPLE = "columns", "reader_schema", "sample"
"""Options of reading that not all formats have."""


@dataclasses.dataclass(frozen=True)
class Format:
    """A format that the command line reads.

    Args:
        name: The value of `--format`.
        dataset: The class of `arrowfeed` that reads files of the format.
        read: The function of `arrowfeed` that gives a reader of their batches.
        evidence: The content by which a file is recognized.
        suffixes: Suffixes of names, which count only where the content does not say the format.
        options: Options of reading that the format has, of those that not all formats have.
        arguments: Fixed arguments of `read`.
        dataset_arguments: Fixed arguments of `dataset`.
        bytes_option: The argument of `read` that ends a batch by its bytes: `"max_batch_bytes"`, or
            `"limits"` where `Limits.batch_bytes` does. None: no argument does.
    """

    name: str
    dataset: str
    read: str
    evidence: str
    suffixes: tuple[str, ...] = ()
    options: frozenset[str] = frozenset({COLUMNS})
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])
    dataset_arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])
    bytes_option: str | None = None

    def open_dataset(self, source: Any, **options: Any) -> Dataset:
        """Files of the format as a dataset."""
        return getattr(arrowfeed, self.dataset)(source, **self.dataset_arguments, **options)

    def is_made_by(self, kind: Callable[..., Dataset]) -> bool:
        """Whether this is the format of a class, perhaps with arguments, that `open_dataset` chose."""
        arguments: dict[str, Any] = {}
        if isinstance(kind, functools.partial):
            kind, arguments = kind.func, kind.keywords
        return getattr(arrowfeed, self.dataset) is kind and self.dataset_arguments == arguments


AVRO = Format(
    "avro",
    "AvroDataset",
    "read_avro",
    "it begins with the bytes 4f 62 6a 01",
    (".avro",),
    frozenset({COLUMNS, READER_SCHEMA}),
    bytes_option="max_batch_bytes",
)

FORMATS = (
    AVRO,
    Format("parquet", "ParquetDataset", "read_parquet", "it ends with the bytes PAR1", (".parquet",)),
    Format(
        "tfrecord",
        "ExampleDataset",
        "read_tfrecord",
        "its first record of TFRecord is a tf.Example",
        (".tfrecord", ".tfrecords"),
        frozenset({COLUMNS, SAMPLE}),
        bytes_option="limits",
    ),
    Format(
        "tfrecord-sequence",
        "SequenceExampleDataset",
        "read_tfrecord",
        "its first record of TFRecord is a tf.SequenceExample",
        options=frozenset({COLUMNS, SAMPLE}),
        arguments={"format": "sequence_example"},
        bytes_option="limits",
    ),
    Format(
        "tfrecord-raw",
        "RawRecordDataset",
        "read_tfrecord",
        "its first record of TFRecord is no tf.Example",
        options=frozenset(),
        arguments={"format": "raw"},
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
        "it is text, and its name ends with .csv",
        (".csv",),
        frozenset({COLUMNS, SAMPLE}),
        bytes_option="limits",
    ),
    Format(
        "tsv",
        "CsvDataset",
        "read_csv",
        "it is text, and its name ends with .tsv",
        (".tsv",),
        frozenset({COLUMNS, SAMPLE}),
        arguments={"delimiter": "\t"},
        dataset_arguments={"delimiter": "\t"},
        bytes_option="limits",
    ),
)
"""Every format that is read. A further one is a line here."""

BY_NAME = {known.name: known for known in FORMATS}


def by_suffix(file: str) -> Format | None:
    """The format that the name of a file says."""
    suffixes = [suffix.lower() for suffix in PurePath(file).suffixes if suffix != ".gz"]
    return next((known for known in FORMATS if suffixes[-1:] and suffixes[-1] in known.suffixes), None)


def add_format(parser: argparse.ArgumentParser) -> None:
    """Adds `--format`."""
    parser.add_argument(
        "--format",
        choices=[known.name for known in FORMATS],
        help="format of the files (default: the one that the content of the first file says)",
    )
