"""Options of reading that pipelines have."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypedDict

from arrowfeed._arrowfeed import Limits, read_avro, read_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arrowfeed.types import ArrowSchemaExportable, AvroSchemaLike, Encoding, OnError, StringType


class ReadOptions(TypedDict, total=False):
    """Those of `arrowfeed.read_avro`, which explains them, but for `threads`: workers are started by the
    runner.
    """

    columns: list[str] | tuple[str, ...] | None
    reader_schema: AvroSchemaLike | None
    batch_size: int
    max_batch_bytes: int | None
    encoding: Encoding
    double_as_float: bool
    string_type: StringType
    raw: bool
    limits: Limits | None
    on_error: OnError


class ParquetReadOptions(TypedDict, total=False):
    """Those of `arrowfeed.read_parquet`, which explains them, but for `threads`."""

    columns: list[str] | tuple[str, ...] | None
    schema: ArrowSchemaExportable | None
    double_as_float: bool
    batch_size: int
    limits: Limits | None
    on_error: OnError


_OF_A_FILE = ("columns", "reader_schema", "schema")
"""What can only be checked with the schema of a file."""

_EMPTY = b'Obj\x01\x02\x16avro.schema\x0c"null"\x00' + bytes(16)
"""A file of nulls, without any."""


_FOOTER = b"\x15\x04\x19\x1c\x48\x06schema\x15\x00\x00\x16\x00\x19\x0c\x00"
_EMPTY_PARQUET = b"PAR1" + _FOOTER + len(_FOOTER).to_bytes(4, "little") + b"PAR1"
"""A file without columns and rows."""


def checked(function: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with limits.

    Args:
        function: Whose they are, for messages.
        options: As they were given.

    Raises:
        TypeError: There is no such option, or it has a wrong type.
        ValueError: It has a wrong value.
    """
    return _checked(function, options, ReadOptions, functools.partial(read_avro, _EMPTY))


def checked_parquet(function: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The same of Parquet files.

    Args:
        function: Whose they are, for messages.
        options: As they were given.

    Raises:
        TypeError: There is no such option, or it has a wrong type.
        ValueError: It has a wrong value.
    """
    return _checked(function, options, ParquetReadOptions, functools.partial(read_parquet, _EMPTY_PARQUET))


def _checked(
    function: str, options: Mapping[str, Any], known: type, read: Callable[..., Any]
) -> dict[str, Any]:
    for name in options:
        if name not in known.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
    if options.get("on_error") == "skip_file":
        expected = "on_error: expected 'raise' or 'skip_block' where parts of files are read"
        raise ValueError(f"{expected}, found 'skip_file'")
    read(**{name: value for name, value in options.items() if name not in _OF_A_FILE}).close()
    return {**options, "limits": options.get("limits") or Limits()}
