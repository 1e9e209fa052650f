"""Probes, which recognize the format of files by their content.

A probe returns the dataset class of the files, perhaps with arguments. It raises `FormatError` if they have
another format. The functions are in the table `arrowfeed._formats`.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import (
    ExampleDataset,
    ExampleRecordDecoder,
    Limits,
    RawRecordDataset,
    SequenceExampleDataset,
    SequenceExampleRecordDecoder,
    check_avro,
)
from arrowfeed._errors import (
    CodecError,
    CorruptBlockError,
    FormatError,
    LimitError,
    SchemaError,
    TruncatedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset
    from arrowfeed._formats import Format
    from arrowfeed.types import Source

SEQUENCE_COLUMN = "##SEQUENCE##"
"""The column that contains the feature lists."""

_MOST_LINE = 16 << 20
"""Maximum size of a probed line, because a file of another format may have no line end."""

_DIALECT = (
    "skip_lines",
    "header",
    "names",
    "delimiter",
    "quote",
    "escape",
    "skip_blank_lines",
    "nulls",
    "comment",
    "true_values",
    "false_values",
    "decimal_comma",
    "raw",
    "limits",
)
"""Options for the dialect of a CSV file, and its limits."""


class Probed(NamedTuple):
    """The input of the probes of all formats."""

    reopen: Callable[[], Source]
    """Returns the source; can be called repeatedly."""
    keywords: dict[str, Any]
    """Keywords of the caller, for the class."""
    stores: dict[str, Any]
    """The keywords that determine the files of the source."""
    name: str | None
    """Name of the first file or its directory; None if it has no name."""
    is_directory: bool
    """Whether the source is a directory or, in a store, a directory or a glob."""


def avro(probed: Probed, known: Format) -> Callable[..., Dataset]:
    """Reads the first bytes. The class reads the header, with all options."""
    check_avro(probed.reopen(), **probed.stores)
    return known.dataset


def opened(probed: Probed, known: Format) -> Callable[..., Dataset]:
    """Opens the files."""
    # A footer over a limit, or with a column that cannot be read, is that of a file of the format. The class
    # opens such a file if the options of the caller allow it.
    with contextlib.suppress(LimitError, SchemaError):
        known.dataset(probed.reopen(), representations={}, **probed.stores)
    return known.dataset


def tfrecord(probed: Probed, known: Format) -> Callable[..., Dataset] | None:
    """Reads the first record, which determines the class. None: there is no record."""
    limits = probed.keywords.get("limits")
    reader = known.read(
        probed.reopen(), format="raw", batch_size=1, threads=1, limits=limits, **probed.stores
    )
    first = next(reader, None)
    if first is None:
        return None
    record: Any = next(iter(first["record"]))
    if SEQUENCE_COLUMN in _columns(SequenceExampleRecordDecoder(), record):
        return SequenceExampleDataset
    try:
        ExampleRecordDecoder().decode([record])
    except CorruptBlockError:
        return RawRecordDataset
    return ExampleDataset


def _columns(decoder: SequenceExampleRecordDecoder, record: bytes) -> list[str]:
    """The columns of a record; empty if it is not such a message."""
    try:
        return decoder.decode([record]).schema.names
    except CorruptBlockError:
        return []


def json_lines(probed: Probed, known: Format) -> Callable[..., Dataset]:
    """Checks whether the first line that is not empty is a JSON object."""
    limits = Limits(decoded_block_bytes=_MOST_LINE)
    try:
        known.dataset(probed.reopen(), sample=1, representations={}, limits=limits, **probed.stores)
    except SchemaError:
        # The line is an object, but no types can be inferred from it.
        return known.dataset
    except (CodecError, CorruptBlockError, LimitError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return known.dataset


def csv(probed: Probed, known: Format) -> Callable[..., Dataset]:
    """Accepts text files by their names, because any text is valid CSV."""
    if not known.has_name(probed.name) and not probed.is_directory:
        found = "bytes without a name" if probed.name is None else probed.name
        *names, last = (f"{suffix}{end}" for end in ("", ".gz") for suffix in known.suffixes)
        expected = f"the name of a CSV file, which ends with {', '.join(names)} or {last}"
        raise FormatError(f"expected {expected}, found {found}")
    kind = known.class_for(probed.name, probed.keywords)
    written = {key: value for key, value in probed.keywords.items() if key in _DIALECT}
    try:
        kind(probed.reopen(), sample=1, representations={}, **written, **probed.stores)
    except (CodecError, CorruptBlockError, TruncatedError) as error:
        raise FormatError(str(error)) from None
    return kind
