"""The table of the formats that `arrowfeed convert` writes."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, get_args

from arrowfeed.cli import _write_arrow as by_arrow
from arrowfeed.cli import _write_rows as by_rows
from arrowfeed.cli import _write_text as by_text
from arrowfeed.cli._options import UsageError
from arrowfeed.types import Codec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arrowfeed.cli._output import Output

GZIP = ".gz"
DOUBLE_AS_FLOAT = "double_as_float"


@dataclasses.dataclass(frozen=True)
class Target:
    """An output format.

    Args:
        name: The value of `--to`.
        suffixes: File name suffixes of the format. Empty: only `--to` selects it.
        codecs: Names of compressions, and the argument of `write` for each.
        default: The default compression.
        write: Writes rows to an `Output` with a codec, and returns their number.
        check: Raises a ValueError that names a column with an unsupported type, before anything is written.
            None: `write` checks the types itself, or the format supports all types.
        write_options: Names of additional arguments of `write`.
        check_options: Names of additional arguments of `check`.
        is_gzip: Whether a file name of the format may have the additional suffix `.gz`.
        is_text: Whether byte strings are converted to text.
        is_batched: Whether a record batch is a unit of the file, such as a row group.
    """

    name: str
    suffixes: tuple[str, ...]
    codecs: Mapping[str, Any]
    default: str
    write: Callable[..., int]
    check: Callable[..., None] | None = None
    write_options: frozenset[str] = frozenset()
    check_options: frozenset[str] = frozenset()
    is_gzip: bool = False
    is_text: bool = False
    is_batched: bool = False


_PLAIN_OR_GZIP = {"null": None, "gzip": "gzip"}
_RECORD_COMPRESSIONS = {"null": "none", "gzip": "gzip", "zlib": "zlib"}

TARGETS = (
    Target(
        "parquet",
        (".parquet",),
        {"null": "none", "gzip": "gzip", "snappy": "snappy", "zstandard": "zstd"},
        "zstandard",
        by_arrow.write_parquet,
        by_arrow.check_parquet,
        is_batched=True,
    ),
    Target(
        "arrow",
        (".arrow", ".feather"),
        {"null": None, "zstandard": "zstd"},
        "zstandard",
        by_arrow.write_ipc,
        is_batched=True,
    ),
    Target(
        "avro",
        (".avro",),
        {name: name for name in get_args(Codec) if name != "zstd"},
        "zstandard",
        by_rows.write_avro,
        write_options=frozenset({"schema", "metadata"}),
    ),
    Target(
        "tfrecord",
        (".tfrecord", ".tfrecords"),
        _RECORD_COMPRESSIONS,
        "null",
        functools.partial(by_rows.write_tfrecord, kind="example"),
        by_rows.check_examples,
        check_options=frozenset({DOUBLE_AS_FLOAT}),
        is_gzip=True,
    ),
    Target(
        "tfrecord-sequence",
        (),
        _RECORD_COMPRESSIONS,
        "null",
        functools.partial(by_rows.write_tfrecord, kind="sequence_example"),
        by_rows.check_sequence_examples,
        check_options=frozenset({DOUBLE_AS_FLOAT}),
        is_gzip=True,
    ),
    Target(
        "tfrecord-raw",
        (),
        _RECORD_COMPRESSIONS,
        "null",
        functools.partial(by_rows.write_tfrecord, kind="raw"),
        by_rows.check_raw_records,
        is_gzip=True,
    ),
    Target(
        "csv",
        (".csv",),
        _PLAIN_OR_GZIP,
        "null",
        by_text.write_csv,
        by_text.check_csv,
        is_gzip=True,
        is_text=True,
    ),
    Target(
        "jsonl",
        (".jsonl", ".ndjson"),
        _PLAIN_OR_GZIP,
        "null",
        by_text.write_json_lines,
        is_gzip=True,
        is_text=True,
    ),
)
"""All output formats. A new format needs an entry here."""

BY_NAME = {target.name: target for target in TARGETS}

SUFFIXES = tuple(
    suffix + end
    for target in TARGETS
    for suffix in target.suffixes
    for end in ("", GZIP)[: 1 + target.is_gzip]
)
"""File name suffixes of all output formats."""

_ALIASES = {"none": "null", "zstd": "zstandard", "gzip": "deflate", "deflate": "gzip"}
"""Alternative names of compressions, for formats that do not have the first name."""

CODECS = tuple(dict.fromkeys((*_ALIASES, *(codec for target in TARGETS for codec in target.codecs))))
"""The names of all compressions."""


def target_of(output: Output, name: str | None) -> Target:
    """Determines the format of a new file.

    Args:
        output: The file.
        name: Name of the format. None: the file suffix determines it.

    Raises:
        UsageError: The suffix does not belong to a format.
    """
    if name is not None:
        return BY_NAME[name]
    shown = output.name.lower()
    is_gzip = shown.endswith(GZIP)
    shown = shown.removesuffix(GZIP)
    for target in TARGETS:
        if shown.endswith(target.suffixes) and (target.is_gzip or not is_gzip):
            return target
    raise UsageError(f"{output}: expected a name that ends in {', '.join(SUFFIXES)}, or --to")


def suffix_of(target: Target, codec: Any) -> str:
    """The suffix of the names of files in directories, for an argument of `target.write`."""
    suffix = target.suffixes[0] if target.suffixes else ".tfrecord"
    return suffix + (GZIP if target.is_gzip and codec == target.codecs["gzip"] else "")


def codec_of(output: Output, target: Target, name: str | None) -> Any:
    """Returns the argument of `target.write` for the compression of a new file.

    Args:
        output: The file.
        target: Its format.
        name: Name of the compression. None: gzip if the file name ends with `.gz`, otherwise the default.

    Raises:
        UsageError: The format does not support it, or the file name implies another one.
    """
    is_gzip = output.name.lower().endswith(GZIP)
    if name is None:
        return target.codecs["gzip" if is_gzip and target.is_gzip else target.default]
    known = name if name in target.codecs else _ALIASES.get(name, name)
    if known not in target.codecs:
        raise UsageError(f"--codec: expected {', '.join(target.codecs)} for {target.name}, found {name}")
    if is_gzip and target.is_gzip and known != "gzip":
        raise UsageError(f"--codec: expected gzip for a name that ends in .gz, found {name}")
    return target.codecs[known]
