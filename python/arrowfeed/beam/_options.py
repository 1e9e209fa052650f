"""Read options for pipelines."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypedDict

from arrowfeed._arrowfeed import Limits, read_avro, read_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arrowfeed.types import ArrowSchemaExportable, AvroSchemaLike, Encoding, OnError, StringType, Unions


class ReadOptions(TypedDict, total=False):
    """Options of `arrowfeed.read_avro` except `threads`, because the runner starts the workers."""

    columns: list[str] | tuple[str, ...] | None
    reader_schema: AvroSchemaLike | None
    batch_size: int | None
    max_batch_bytes: int | None
    encoding: Encoding
    double_as_float: bool
    string_type: StringType
    unions: Unions
    raw: bool
    limits: Limits | None
    on_error: OnError


class ParquetReadOptions(TypedDict, total=False):
    """Options of `arrowfeed.read_parquet` except `threads`."""

    columns: list[str] | tuple[str, ...] | None
    schema: ArrowSchemaExportable | None
    double_as_float: bool
    batch_size: int | None
    limits: Limits | None
    on_error: OnError


_OF_A_FILE = ("columns", "reader_schema", "schema")
"""Options that can be checked only with the schema of a file."""

_EMPTY = b'Obj\x01\x02\x16avro.schema\x0c"null"\x00' + bytes(16)
"""An Avro file with the schema `"null"` and no rows."""


_FOOTER = b"\x15\x04\x19\x1c\x48\x06schema\x15\x00\x00\x16\x00\x19\x0c\x00"
_EMPTY_PARQUET = b"PAR1" + _FOOTER + len(_FOOTER).to_bytes(4, "little") + b"PAR1"
"""A Parquet file without columns and rows."""


def checked(function: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Checks the options, and adds limits.

    Args:
        function: Name of the function for messages.
        options: The options of the caller.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value.
    """
    return _checked(function, options, ReadOptions, functools.partial(read_avro, _EMPTY))


def checked_parquet(function: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Like `checked`, for Parquet files.

    Args:
        function: Name of the function for messages.
        options: The options of the caller.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value.
    """
    return _checked(function, options, ParquetReadOptions, functools.partial(read_parquet, _EMPTY_PARQUET))


def _checked(
    function: str, options: Mapping[str, Any], known: type, read: Callable[..., Any]
) -> dict[str, Any]:
    for name in options:
        if name not in known.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
    if options.get("on_error") == "skip_file":
        expected = "on_error: expected 'raise' or 'skip_block', because Beam reads parts of files"
        raise ValueError(f"{expected}, found 'skip_file'")
    read(**{name: value for name, value in options.items() if name not in _OF_A_FILE}).close()
    return {**options, "limits": options.get("limits") or Limits()}
