"""Types for annotations: what arrowfeed takes and gives. `import arrowfeed` does not import this module."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, runtime_checkable

from arrowfeed._arrowfeed import (
    AvroSchema,
    DenseTensor,
    RaggedTensor,
    Representation,
    SparseTensor,
    StructuredTensor,
)

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import NotRequired


@runtime_checkable
class ArrowSchemaExportable(Protocol):
    """Has an Arrow schema: a schema of pyarrow, polars, nanoarrow, arro3, or `arrowfeed.Schema`."""

    def __arrow_c_schema__(self) -> object:
        """A PyCapsule of an `ArrowSchema`."""
        ...


class HasArrowSchema(Protocol):
    """Has a `schema` that is Arrow's: a batch, table or data set of pyarrow."""

    @property
    def schema(self) -> ArrowSchemaExportable:
        """The schema."""
        ...


@runtime_checkable
class ArrowArrayExportable(Protocol):
    """Has one piece of Arrow data: a record batch of any Arrow library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """PyCapsules of an `ArrowSchema` and an `ArrowArray`."""
        ...


@runtime_checkable
class ArrowStreamExportable(Protocol):
    """Has a stream of Arrow data: a table, data frame or reader of any Arrow library."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A PyCapsule of an `ArrowArrayStream`."""
        ...


@runtime_checkable
class BinaryReader(Protocol):
    """A file object in binary mode."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


@runtime_checkable
class BinaryIntoReader(Protocol):
    """A raw file object that can only fill buffers."""

    def readinto(self, buffer: bytearray, /) -> int | None:
        """The number of bytes put into the buffer; 0 at the end."""
        ...


@runtime_checkable
class SeekableFile(BinaryReader, Protocol):
    """A file object in binary mode that can be read at any offset."""

    def seek(self, offset: int, whence: int = 0, /) -> object:
        """Goes to an offset from the start, or, with `os.SEEK_END`, from the end."""
        ...

    def tell(self) -> int:
        """The offset from the start."""
        ...


@runtime_checkable
class Message(Protocol):
    """A message of protocol buffers."""

    def SerializeToString(self) -> bytes:  # noqa: N802
        """The bytes of the message."""
        ...


class TensorFlowDType(Protocol):
    """A type of TensorFlow."""

    @property
    def as_numpy_dtype(self) -> Any:
        """The same as numpy has it."""
        ...


StorageOptions: TypeAlias = Mapping[str, "str | int | float | bool"]
"""Keys and values for a store. The page "Stores" lists the keys."""

Store: TypeAlias = Any
"""A store of obstore, such as `obstore.store.S3Store`, or a filesystem of fsspec."""

OneSource: TypeAlias = (
    str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryReader | BinaryIntoReader
)
"""A path, a glob, a directory (its `*.avro`), a URL, the bytes of a file, or a file object in binary mode."""

Source: TypeAlias = OneSource | Sequence[OneSource]
"""One source, or a list or tuple of them, which are read in its order."""

AvroSchemaLike: TypeAlias = str | dict[str, Any] | list[Any] | AvroSchema
"""JSON text of an Avro schema, the dict (for a union, the list) that it stands for, or the schema itself."""

Codec: TypeAlias = Literal["null", "deflate", "snappy", "zstandard", "bzip2", "xz"]
"""How blocks are compressed: the names of the Avro specification."""

Encoding: TypeAlias = Literal["native", "feature", "tfx"]
"""How Avro types become Arrow types."""

Framing: TypeAlias = Literal["bare", "single_object", "confluent"]
"""What stands before a record of Avro in a message."""

MessageSchemas: TypeAlias = (
    dict[int, AvroSchemaLike] | Sequence[AvroSchemaLike] | Callable[[int], AvroSchemaLike | None]
)
"""Schemas of messages by fingerprint or number, a list of them, or a function that finds one."""

StringType: TypeAlias = Literal["utf8", "large_utf8", "utf8_view"]
"""The Arrow type of strings; bytes follow it."""

OnError: TypeAlias = Literal["raise", "skip_block", "skip_file"]
"""What to do with a block or file that cannot be read."""


ProtoLike: TypeAlias = bytes | bytearray | memoryview | Message
"""A message, or its bytes."""

ExampleSchemaLike: TypeAlias = dict[str, Literal["bytes", "float", "int64"]] | ProtoLike
"""Features of `tf.Example`: names and kinds of values, or a `Schema` of TensorFlow Metadata, or its bytes."""

SequenceExampleSchemaLike: TypeAlias = (
    dict[str, Literal["bytes", "float", "int64"] | dict[str, Literal["bytes", "float", "int64"]]] | ProtoLike
)
"""Features of `tf.SequenceExample`: as of `tf.Example`, and under `"##SEQUENCE##"` those of the steps."""

RepresentationLike: TypeAlias = Representation | ProtoLike
"""A representation, a `TensorRepresentation` message of TensorFlow Metadata, or the bytes of one."""

PlainTensor: TypeAlias = DenseTensor | SparseTensor | RaggedTensor
"""A tensor with values of its own."""

Tensor: TypeAlias = PlainTensor | StructuredTensor
"""One tensor of a batch."""

TensorKind: TypeAlias = Literal["dense", "sparse", "ragged", "structured"]
"""The kind of a tensor."""

RowSplitsDType: TypeAlias = Literal["int32", "int64"]
"""The integers of row splits."""

FeatureLike: TypeAlias = Any
"""A feature of `arrowfeed.features`, or one of `tf.io`, tensorflow-io or ATDS."""

Duplicates: TypeAlias = Literal["error", "keep"]
"""What becomes of two entries of a sparse tensor with the same coordinates."""

FeatureDType: TypeAlias = "npt.DTypeLike | TensorFlowDType"
"""The type of a feature's values: a type of numpy, Python or TensorFlow, or its name."""


class Skipped(TypedDict):
    """A block, or what was left of a file, that `on_error` left out."""

    path: str
    """The file, as the caller named it."""
    block: int | None
    """Zero-based number of the block; None for a whole file."""
    offset: int | None
    """Where the block starts, in bytes; None for a whole file."""
    rows: int | None
    """Records that the block declares, where that could be read."""
    error: str
    """The whole message."""


class Requests(TypedDict):
    """Counts of requests to stores, also of those whose bytes have not been read yet.

    The first report has the requests of the constructor too.
    """

    requests: int
    """Attempts of requests."""
    retries: int
    """Attempts after the first one of a request."""
    bytes: int
    """Bytes of bodies, including those of attempts that failed."""
    cached_bytes: int
    """Bytes that came from the local cache."""
    without_ranges: int
    """Files that were read as a whole because their server does not support ranges."""


class Report(TypedDict):
    """What a reader has read so far."""

    rows: int
    """Rows in the batches that were given out."""
    blocks: int
    """Blocks that were decoded; they may be ahead of the rows."""
    bytes: int
    """Bytes of those blocks in their files."""
    skipped: list[Skipped]
    """What was left out, in file order. Empty unless `on_error` asks for it."""
    requests: NotRequired[Requests]
    """Counts of requests to stores. Missing where none was sent."""


class BatchSize(TypedDict):
    """The one option of an iteration that has no default."""

    batch_size: int
    """Rows of a batch."""


class IterationOptions(BatchSize, total=False):
    """Options of an iteration over a dataset; `Dataset.record_batches` explains them."""

    drop_remainder: bool
    """Leaves out the last batch of an epoch where it has fewer rows."""
    epochs: int | None
    """How often all rows are given. None: without end."""
    across_epochs: bool
    """Whether batches may have rows of two epochs."""
    shuffle_buffer_size: int
    """Rows that are shuffled with each other, at least. 0: file order."""
    seed: int | None
    """Of the shuffle. None: drawn by the system."""
    shard: tuple[int, int] | list[int]
    """The number of this shard, and how many there are."""
    threads: int | None
    """Threads that decode. None: as many as the process has cores."""
    prefetch_bytes: int
    """Bytes of decoded rows that may wait for the caller."""
    on_error: OnError
    """What to do with a block or file that cannot be read."""
