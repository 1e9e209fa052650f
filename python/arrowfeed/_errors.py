"""The exceptions of arrowfeed.

```
ArrowfeedError
├── FormatError
│   ├── TruncatedError
│   └── CorruptBlockError
├── CodecError
├── SchemaError, RepresentationError, ConversionError    (ValueError too)
├── LimitError
├── ChangedError
└── InternalError
```
What the operating system refuses stays an `OSError`: `FileNotFoundError`, `PermissionError` and kin.
"""

from __future__ import annotations


class ArrowfeedError(Exception):
    """The base of all errors of arrowfeed. Its text says what was expected, what was found, and where.

    Instances can be pickled, attributes included.

    Attributes:
        path: The file, as the caller named it. Like the others, None where it is not known.
        block: Zero-based number of the block in its file, or in the split that is read.
        record: Zero-based number of the record in its block; of a `ConversionError`, of the row in its batch.
        offset: Byte offset in the file: of the block or, in a block that is not compressed, of the value.
        field: Path of the field from the root of the schema, as `user.scores[4]`; of a tensor, its column.
        limit: Name of the field of `Limits` that was reached.
        tensor: Name of the tensor that cannot be made.
        reason: The text without the place: what was expected, and what was found. None of errors of tensors.

    Example:
        >>> try:
        ...     batches = list(arrowfeed.read_avro("part-3.avro"))
        ... except arrowfeed.ArrowfeedError as error:
        ...     log.warning("%s, block %s: %s", error.path, error.block, error)
    """

    path: str | None
    block: int | None
    record: int | None
    offset: int | None
    field: str | None
    limit: str | None
    tensor: str | None
    reason: str | None

    def __init__(
        self,
        message: str = "",
        *,
        path: str | None = None,
        block: int | None = None,
        record: int | None = None,
        offset: int | None = None,
        field: str | None = None,
        limit: str | None = None,
        tensor: str | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.block = block
        self.record = record
        self.offset = offset
        self.field = field
        self.limit = limit
        self.tensor = tensor
        self.reason = reason


class FormatError(ArrowfeedError):
    """The bytes are no Avro object container file, or its header breaks the Avro specification."""


class TruncatedError(FormatError):
    """The file ends inside its header or a block.

    A file that was cut at the border of two blocks looks whole: the format does not say how many there are.
    """


class CorruptBlockError(FormatError):
    """A block breaks the Avro specification: its framing, or a value in it."""


class CodecError(ArrowfeedError):
    """Compressed bytes do not decompress, their checksum is wrong, or the codec is unknown."""


class SchemaError(ArrowfeedError, ValueError):
    """A schema is invalid, cannot be resolved or become Arrow, or an option does not fit it."""


class RepresentationError(ArrowfeedError, ValueError):
    """A tensor representation does not fit the Arrow schema."""


class ConversionError(ArrowfeedError, ValueError):
    """A value of a batch does not fit its tensor representation."""


class LimitError(ArrowfeedError):
    """A file or a batch asks for more than a field of `Limits` allows; `limit` names it."""


class ChangedError(ArrowfeedError):
    """The file changed while it was read, or since its splits were planned or its state was saved."""


class InternalError(ArrowfeedError):
    """A defect of arrowfeed, please report it. No row of the block in question was given out."""


for _class in (
    ArrowfeedError,
    FormatError,
    TruncatedError,
    CorruptBlockError,
    CodecError,
    SchemaError,
    RepresentationError,
    ConversionError,
    LimitError,
    ChangedError,
    InternalError,
):
    # Users know them by this name, in messages and in pickles.
    _class.__module__ = "arrowfeed"
