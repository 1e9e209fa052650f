"""The exceptions of arrowfeed.

```
ArrowfeedError
├── FormatError
│   ├── TruncatedError
│   └── CorruptBlockError
├── CodecError
├── SchemaError, OptionError, RepresentationError, ConversionError    (also subclasses of ValueError)
├── LimitError
├── ChangedError
└── InternalError
```
Errors of the operating system are `OSError`s, such as `FileNotFoundError` and `PermissionError`.
`SkippedWarning` is the warning of skipped parts.
"""

from __future__ import annotations


class ArrowfeedError(Exception):
    """The base class of all arrowfeed errors.

    The text states where the error is, what was expected, and what was found.

    An attribute is None if it is unknown. Instances can be pickled, with their attributes.

    Attributes:
        path: The file, as the caller named it.
        block: Zero-based number of the block in its file or, while a split is read, in the split.
        record: Zero-based number of the record in its block or, if a tensor cannot be built, of the row in
            its batch.
        offset: Byte offset in the file: of the value if the block is not compressed, otherwise of the block.
        field: Path of the field from the root of the schema, such as `user.scores[4]`; if a tensor cannot be
            built, the name of its column.
        limit: Name of the `Limits` field that was exceeded.
        tensor: Name of the tensor that cannot be built.
        reason: The text without the location: what was expected, and what was found. None if a tensor cannot
            be built.

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
    """The file does not have the expected format, or its header breaks the specification of the format."""


class TruncatedError(FormatError):
    """The file ends inside its header or a block.

    An Avro file that was cut between two blocks looks complete, because the format does not store the number
    of blocks.
    """


class CorruptBlockError(FormatError):
    """A block or a record breaks the specification of its format, in its framing or in a value."""


class CodecError(ArrowfeedError):
    """Compressed bytes cannot be decompressed, their checksum is wrong, or the codec is unknown."""


class SchemaError(ArrowfeedError, ValueError):
    """A schema is invalid, cannot be resolved or cannot be converted to Arrow."""


class OptionError(ArrowfeedError, ValueError):
    """An option is invalid, or does not fit the files; or a source or a split does not fit the call."""


class RepresentationError(ArrowfeedError, ValueError):
    """A tensor representation does not fit the Arrow schema."""


class ConversionError(ArrowfeedError, ValueError):
    """A value does not fit its tensor, or the type to which a reader or writer converts it."""


class LimitError(ArrowfeedError):
    """A file or a batch exceeds a bound of `Limits`, which the attribute `limit` names."""


class ChangedError(ArrowfeedError):
    """A file has changed while it was read, or since a split, a checkpoint or an index of it was made."""


class InternalError(ArrowfeedError):
    """A defect of arrowfeed; please report it. No row of the affected block was returned."""


class SkippedWarning(UserWarning):
    """A damaged part of a file was skipped, because `on_error` is `"skip_block"` or `"skip_file"`.

    A reader, and all iterations over a dataset in one process, warn of the first skipped part of each file.
    `report()` of the reader, the iterator or the dataset lists all parts.

    Example:
        >>> warnings.simplefilter("ignore", arrowfeed.SkippedWarning)
    """


for _class in (
    ArrowfeedError,
    FormatError,
    TruncatedError,
    CorruptBlockError,
    CodecError,
    SchemaError,
    OptionError,
    RepresentationError,
    ConversionError,
    LimitError,
    ChangedError,
    InternalError,
    SkippedWarning,
):
    # The public name, which messages and pickles use.
    _class.__module__ = "arrowfeed"
