"""Options of reading that pipelines have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from arrowfeed._arrowfeed import Limits, read_avro

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed.types import AvroSchemaLike, Encoding, OnError, StringType


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
    limits: Limits | None
    on_error: OnError


_OF_A_FILE = ("columns", "reader_schema")
"""What can only be checked with the schema of a file."""

_EMPTY = b'Obj\x01\x02\x16avro.schema\x0c"null"\x00' + bytes(16)
"""A file of nulls, without any."""


def checked(function: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with limits.

    Args:
        function: Whose they are, for messages.
        options: As they were given.

    Raises:
        TypeError: There is no such option, or it has a wrong type.
        ValueError: It has a wrong value.
    """
    for name in options:
        if name not in ReadOptions.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
    if options.get("on_error") == "skip_file":
        expected = "on_error: expected 'raise' or 'skip_block' where parts of files are read"
        raise ValueError(f"{expected}, found 'skip_file'")
    read_avro(_EMPTY, **{name: value for name, value in options.items() if name not in _OF_A_FILE}).close()
    return {**options, "limits": options.get("limits") or Limits()}
