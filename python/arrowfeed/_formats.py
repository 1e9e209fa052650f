"""The table of the formats of files, which `open_dataset` and the command line read."""

from __future__ import annotations

import functools
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed import _arrowfeed, _probes
from arrowfeed._urls import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset, RecordBatchReader
    from arrowfeed._probes import Probed

    Probe = Callable[[Probed, "Format"], Callable[..., Dataset] | None]

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
    probe: Probe | None = None
    """The function that recognizes files. None: the probe of another format recognizes them."""
    starts: tuple[bytes, ...] = ()
    """The first bytes of files, one of these. Empty: files may begin with any bytes."""
    needs_file: bool = False
    """Whether the probe needs the whole file, as opposed to its first bytes."""
    is_any_text: bool = False
    """Whether any text is a file of the format, so that the name identifies the files."""
    other_suffixes: tuple[str, ...] = ()
    """Suffixes of file names other than the extension."""
    suffix_arguments: dict[str, dict[str, Any]] = {}  # noqa: RUF012
    """Arguments that follow from the suffix of the name of the first file."""
    arguments: dict[str, Any] = {}  # noqa: RUF012
    """Fixed arguments of `read`."""
    bytes_argument: str | None = "limits"
    """The argument of `read` that limits the bytes of a batch; `"limits"` for `Limits.batch_bytes`. None: no
    such argument."""

    @property
    def extension(self) -> str:
        """The extension of files in a directory, without the dot."""
        return extension_of(self.dataset)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of file names. A name with a further `.gz` has the suffix too."""
        return (f".{self.extension}", *self.other_suffixes)

    def has(self, argument: str) -> bool:
        """Whether the dataset class, and the function that reads such files, have an argument."""
        return argument in options_of(self.dataset)

    def has_name(self, file: str | None) -> bool:
        """Whether a file name, a pattern or a URL has a suffix of the format."""
        return file is not None and suffix_of(file) in self.suffixes

    def class_for(self, file: str | None, keywords: dict[str, Any]) -> Callable[..., Dataset]:
        """The dataset class with the arguments that follow from a file name, unless `keywords` has them."""
        given = self.suffix_arguments.get(suffix_of(file or ""), {})
        others = {name: value for name, value in given.items() if name not in keywords}
        return functools.partial(self.dataset, **others) if others else self.dataset


AVRO = Format(
    "avro",
    _arrowfeed.AvroDataset,
    _arrowfeed.read_avro,
    "it begins with the bytes 4f 62 6a 01",
    _probes.avro,
    starts=(b"Obj\x01",),
    bytes_argument="max_batch_bytes",
)

FORMATS = (
    AVRO,
    Format(
        "parquet",
        _arrowfeed.ParquetDataset,
        _arrowfeed.read_parquet,
        "it ends with the bytes PAR1",
        _probes.opened,
        starts=(b"PAR1",),
        needs_file=True,
        bytes_argument=None,
    ),
    Format(
        "arrow",
        _arrowfeed.ArrowDataset,
        _arrowfeed.read_arrow_ipc,
        "it begins with ARROW1, or with the schema message of a stream",
        _probes.opened,
        starts=(b"ARROW1", b"\xff\xff\xff\xff"),
        needs_file=True,
        other_suffixes=(".feather", ".arrows"),
    ),
    Format(
        "tfrecord",
        _arrowfeed.ExampleDataset,
        _arrowfeed.read_tfrecord,
        "its first TFRecord record is a tf.Example",
        _probes.tfrecord,
        other_suffixes=(".tfrecords",),
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
        _probes.json_lines,
        other_suffixes=(".ndjson",),
    ),
    Format(
        "csv",
        _arrowfeed.CsvDataset,
        _arrowfeed.read_csv,
        "it is text, and its name ends in .csv or .tsv",
        _probes.csv,
        is_any_text=True,
        other_suffixes=(".tsv",),
        suffix_arguments={".tsv": {"delimiter": "\t"}},
    ),
)
"""All formats, in the order in which `open_dataset` tries them."""

EXTENSIONS = tuple(dict.fromkeys(known.extension for known in FORMATS))
"""The extensions of files in directories. `open_dataset` reads the files with the first one that exists."""

BY_NAME = {known.name: known for known in FORMATS}


def by_suffix(file: str) -> Format | None:
    """The format that follows from the suffix of a file name or URL."""
    return next((known for known in FORMATS if known.has_name(file)), None)
