"""The table of the formats of files, which `open_dataset` and the command line read."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed import _arrowfeed
from arrowfeed._urls import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader

ADDED_COLUMNS = ("partitioning", "file_column", "row_column")
"""Arguments of all formats for columns that are not stored in files."""


def suffix_of(file: str) -> str:
    """The suffix of a name or URL in lower case, without a trailing `.gz`; empty if there is none."""
    return PurePath(name_of(file).lower().removesuffix(".gz")).suffix


def extension_of(dataset: Any) -> str:
    """The extension of the files that a dataset or its class reads in a directory, without the dot."""
    return dataset._extension  # noqa: SLF001


def options_of(dataset: Any) -> frozenset[str]:
    """The names of the arguments with defaults of a dataset class, or of a `functools.partial` of it.

    `inspect.signature` would compile the text of the signature. CPython 3.11 raises SystemError if two
    threads do that at once (python/cpython#106905), and threads copy and pickle datasets.
    """
    made = getattr(dataset, "func", dataset)
    return frozenset(re.findall(r"(\w+)=", made.__text_signature__))


class Format(NamedTuple):
    """A format of files."""

    name: str
    """The value of `--format` on the command line."""
    dataset: Callable[..., Dataset]
    """The class of the datasets. It has the extension of the files in a directory."""
    read: Callable[..., RecordBatchReader]
    """The function that returns a reader of the files."""
    evidence: str
    """The content by which the format is recognized."""
    arguments: dict[str, Any] = {}  # noqa: RUF012
    """Fixed arguments of `read`."""
    bytes_argument: str | None = "limits"
    """The argument of `read` that limits the bytes of a batch; `"limits"` for `Limits.batch_bytes`. None: no
    such argument."""

    @property
    def extension(self) -> str:
        """The extension of files in a directory, without the dot."""
        return extension_of(self.dataset)

    def has(self, argument: str) -> bool:
        """Whether the dataset class, and the function that reads such files, have an argument."""
        return argument in options_of(self.dataset)


AVRO = Format(
    "avro",
    _arrowfeed.AvroDataset,
    _arrowfeed.read_avro,
    "it begins with the bytes 4f 62 6a 01",
    bytes_argument="max_batch_bytes",
)

CSV = Format(
    "csv",
    _arrowfeed.CsvDataset,
    _arrowfeed.read_csv,
    "it is text, and its name ends in .csv or .tsv",
)

FORMATS = (
    AVRO,
    Format(
        "parquet",
        _arrowfeed.ParquetDataset,
        _arrowfeed.read_parquet,
        "it begins with the bytes PAR1",
        bytes_argument=None,
    ),
    Format(
        "arrow",
        _arrowfeed.ArrowDataset,
        _arrowfeed.read_arrow_ipc,
        "it begins with ARROW1, or with the schema message of a stream",
    ),
    Format(
        "tfrecord",
        _arrowfeed.ExampleDataset,
        _arrowfeed.read_tfrecord,
        "its first TFRecord record is a tf.Example",
    ),
    Format(
        "tfrecord-raw",
        _arrowfeed.RawRecordDataset,
        _arrowfeed.read_tfrecord,
        "its first TFRecord record is not a tf.Example",
        arguments={"format": "raw"},
    ),
    Format(
        "tfrecord-sequence",
        _arrowfeed.SequenceExampleDataset,
        _arrowfeed.read_tfrecord,
        "its first TFRecord record is a tf.SequenceExample",
        arguments={"format": "sequence_example"},
    ),
    Format(
        "jsonl",
        _arrowfeed.JsonLinesDataset,
        _arrowfeed.read_json_lines,
        "its first line is a JSON object",
    ),
    CSV,
)
"""All formats. A TFRecord file has one of three, which depends on its records."""

SEQUENCE_COLUMN = "##SEQUENCE##"
"""The column that contains the feature lists of a `tf.SequenceExample`."""

BY_NAME = {known.name: known for known in FORMATS}
