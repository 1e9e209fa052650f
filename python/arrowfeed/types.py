"""Types for annotations of arguments and results. `import arrowfeed` does not import this module."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
    runtime_checkable,
)

from arrowfeed._arrowfeed import (
    AvroSchema,
    ByLength,
    Column,
    DenseTensor,
    Predicate,
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
    """An object with an Arrow schema: a schema of pyarrow, polars, nanoarrow or arro3, or
    `arrowfeed.Schema`.
    """

    def __arrow_c_schema__(self) -> object:
        """Returns a PyCapsule of an `ArrowSchema`."""
        ...


class HasArrowSchema(Protocol):
    """An object whose attribute `schema` is an Arrow schema, such as a batch, table or dataset of pyarrow."""

    @property
    def schema(self) -> ArrowSchemaExportable:
        """The schema."""
        ...


@runtime_checkable
class ArrowArrayExportable(Protocol):
    """An object that exports one Arrow array, such as a record batch of any Arrow library."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Returns PyCapsules of an `ArrowSchema` and an `ArrowArray`."""
        ...


@runtime_checkable
class ArrowStreamExportable(Protocol):
    """An object that exports a stream of Arrow arrays, such as a table, data frame or reader of any Arrow
    library.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a PyCapsule of an `ArrowArrayStream`."""
        ...


class LazyFrameLike(Protocol):
    """A query whose result is computed in batches: a `polars.LazyFrame`."""

    def collect_batches(self) -> Iterator[Any]:
        """Computes the result in batches."""
        ...


class DataclassInstance(Protocol):
    """An instance of a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@runtime_checkable
class BinaryReader(Protocol):
    """A file object in binary mode."""

    def read(self, size: int, /) -> bytes:
        """Returns at most `size` bytes; at the end of the file, empty bytes."""
        ...


@runtime_checkable
class BinaryIntoReader(Protocol):
    """A raw file object that can only fill buffers."""

    def readinto(self, buffer: bytearray, /) -> int | None:
        """Fills the buffer and returns the number of bytes, which is 0 at the end of the file."""
        ...


@runtime_checkable
class SeekableFile(BinaryReader, Protocol):
    """A file object in binary mode that can be read at any offset."""

    def seek(self, offset: int, whence: int = 0, /) -> object:
        """Moves to an offset from the start or, with `os.SEEK_END`, from the end."""
        ...

    def tell(self) -> int:
        """Returns the offset from the start."""
        ...


@runtime_checkable
class Message(Protocol):
    """A protocol buffer message."""

    def SerializeToString(self) -> bytes:  # noqa: N802
        """Returns the bytes of the message."""
        ...


class TensorFlowDType(Protocol):
    """A `tf.DType`."""

    @property
    def as_numpy_dtype(self) -> Any:
        """The corresponding numpy type."""
        ...


class PyarrowExpression(Protocol):
    """A `pyarrow.compute.Expression`, which is also named `pyarrow.dataset.Expression`."""

    def to_substrait(self, schema: Any, allow_arrow_extensions: bool = ...) -> Any:  # noqa: FBT001 - that of pyarrow
        """Returns the bytes of an `ExtendedExpression` of Substrait."""
        ...


class PolarsExpression(Protocol):
    """A `polars.Expr`."""

    @property
    def meta(self) -> Any:
        """The methods that describe the expression."""
        ...


ColumnType: TypeAlias = str | ArrowSchemaExportable
"""The Arrow type of a column: its name, such as `"int64"`, or a type or field of any Arrow library."""

StorageOptions: TypeAlias = Mapping[str, "str | int | float | bool"]
"""Options of a store. The page "Files in stores" lists the keys."""

Store: TypeAlias = Any
"""An obstore store, such as `obstore.store.S3Store`, or an fsspec filesystem."""

OneSource: TypeAlias = (
    str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryReader | BinaryIntoReader
)
"""A path, a glob, a directory (its files of the format), a URL, bytes, or a file object in binary mode."""

Source: TypeAlias = OneSource | Iterable[OneSource]
"""One source, or an ordered iterable of sources, such as a list or a generator, but not a set."""

PredicateValue: TypeAlias = (
    bool | int | float | Decimal | str | bytes | dt.date | dt.time | dt.datetime | dt.timedelta
)
"""A value that a predicate compares with a column. Scalars of NumPy and pandas are taken too."""

PredicateLike: TypeAlias = Predicate | Column | str | PyarrowExpression | PolarsExpression
"""A predicate, a column of booleans, the text of a predicate, or an expression of pyarrow or polars."""

Rows: TypeAlias = (
    ArrowStreamExportable
    | ArrowArrayExportable
    | Iterable[ArrowStreamExportable | ArrowArrayExportable | Mapping[str, Any] | DataclassInstance]
    | LazyFrameLike
)
"""Rows to write: Arrow data; an iterable of such data, dicts or dataclass instances; or a lazy frame."""

AvroSchemaLike: TypeAlias = str | os.PathLike[str] | dict[str, Any] | list[Any] | AvroSchema
"""JSON text of an Avro schema, the path of an `.avsc` file, the parsed dict or list, or the schema itself."""

SchemaChangeKind: TypeAlias = Literal["field", "nullable", "type", "symbols", "branch", "name"]
"""The kinds of changes that a file makes to a merged schema."""

Codec: TypeAlias = Literal["null", "deflate", "snappy", "zstandard", "zstd", "bzip2", "xz"]
"""Compression codecs of blocks, by their names in the Avro specification; `"zstd"` is `"zstandard"`."""

Encoding: TypeAlias = Literal["native", "feature", "tfx"]
"""The conversion of Avro types to Arrow types."""

Framing: TypeAlias = Literal["bare", "single_object", "confluent"]
"""The header of a message with an Avro record."""

MessageSchemas: TypeAlias = dict[int, Any] | Sequence[AvroSchemaLike] | Callable[[int], AvroSchemaLike | None]
"""A dict of `AvroSchemaLike` by fingerprint or ID of a message, a list of schemas, or a function of it."""

StringType: TypeAlias = Literal["utf8", "large_utf8", "utf8_view"]
"""The Arrow type of strings, with the matching type for bytes."""

Unions: TypeAlias = Literal["dense", "struct", "json"]
"""The Arrow type of Avro unions of several types."""

OnError: TypeAlias = Literal["raise", "skip_block", "skip_file"]

FileMatch: TypeAlias = Literal["names", "contents"]
"""Handling of blocks and files that cannot be read."""


ProtoLike: TypeAlias = bytes | bytearray | memoryview | Message
"""A protocol buffer message, or its bytes."""

FeatureKind: TypeAlias = Literal["bytes", "float", "int64", "null"]
"""The kind of the lists of a TensorFlow feature; `"null"` for a feature that never has a list."""

ExampleSchemaLike: TypeAlias = dict[str, FeatureKind] | dict[str, str] | ProtoLike
"""Features of `tf.Example`: names and kinds of lists, or a `Schema` of TensorFlow Metadata, or its bytes."""

SequenceExampleSchemaLike: TypeAlias = dict[str, Any] | ProtoLike
"""Features of `tf.SequenceExample`: as for `tf.Example`, with the feature lists under `"##SEQUENCE##"`."""

RepresentationLike: TypeAlias = Representation | ProtoLike
"""A representation, a `TensorRepresentation` message of TensorFlow Metadata, or its bytes."""

RepresentationT = TypeVar("RepresentationT", bound=RepresentationLike)
"""The type of the values of a dict of representations, such as `Dense` if all of them are."""

PlainTensor: TypeAlias = DenseTensor | SparseTensor | RaggedTensor
"""A tensor that is not structured."""

Tensor: TypeAlias = PlainTensor | StructuredTensor
"""One tensor of a batch."""

TensorT = TypeVar("TensorT", bound=Tensor)
"""The type of the values of a dict of tensors, such as `DenseTensor` if all of them are."""

AnyTensor: TypeAlias = Any
"""A `Tensor` of a result, whose class depends on the representation that has its name. `Any`, because type
checkers cannot know this class: so they accept the attributes of each class, such as `tensors["x"].values`.
"""

TensorKind: TypeAlias = Literal["dense", "sparse", "ragged", "structured"]
"""The kind of a tensor."""

RowSplitsDType: TypeAlias = Literal["int32", "int64"]
"""The integer type of row splits."""

Packed: TypeAlias = Literal["values", "segment_ids", "positions"]
"""The tensor of packed rows, as `features.Ragged` explains."""

RaggedForm: TypeAlias = Literal["parts", "nested", "offsets", "lengths"]
"""The form of a ragged tensor in PyTorch, as `arrowfeed.torch.to_torch` explains."""

JaxRaggedForm: TypeAlias = Literal["parts", "padded", "segments"]
"""The form of a ragged tensor in JAX, as `arrowfeed.jax.to_jax` explains."""

KeyedJagged: TypeAlias = "Mapping[str, Iterable[str]]"
"""Names of `KeyedJaggedTensor`s, and the names of the tensors that each of them joins."""

FeatureLike: TypeAlias = Any
"""A feature of `arrowfeed.features`, or one of `tf.io`, tensorflow-io or ATDS."""

Duplicates: TypeAlias = Literal["error", "keep"]
"""Treatment of two entries of a sparse tensor with the same coordinates."""

FeatureDType: TypeAlias = "npt.DTypeLike | TensorFlowDType"
"""The type of the values of a feature: a numpy, Python or TensorFlow type, or its name."""


class Skipped(TypedDict):
    """A block or the rest of a file that `on_error` has skipped."""

    path: str
    """The file, as the caller named it."""
    block: int | None
    """Zero-based number of the block; None for a whole file."""
    offset: int | None
    """Byte offset of the block; None for a whole file."""
    rows: int | None
    """Number of records that the block declares, if it could be read."""
    error: str
    """The complete error message."""


class Requests(TypedDict):
    """Counts of requests to stores, including requests whose bytes have not been read yet.

    The first report also includes the requests of the constructor.
    """

    requests: int
    """Number of requests sent, including repeated attempts."""
    retries: int
    """Number of repeated attempts."""
    bytes: int
    """Bytes of response bodies, including those of failed attempts."""
    cached_bytes: int
    """Bytes read from the local cache."""
    without_ranges: int
    """Number of files that were read as a whole because their server does not support ranges."""
    slow: int
    """Number of attempts that failed because fewer than `min_bytes_per_second` arrived."""


class Report(TypedDict):
    """Counts of the data that a reader has read so far."""

    rows: int
    """Rows in the returned batches."""
    blocks: int
    """Decoded blocks; this count may be ahead of the rows."""
    bytes: int
    """Bytes of these blocks in their files."""
    skipped: list[Skipped]
    """Skipped parts in file order. Empty unless `on_error` allows skipping."""
    rejected: NotRequired[int]
    """Rows that a filter left out. Missing if there are none."""
    requests: NotRequired[Requests]
    """Counts of requests to stores. Missing if no request was sent."""


class FormatFigures(TypedDict):
    """What was read of the files of one format. It may run ahead of the returned batches."""

    rows: int
    """Decoded rows that passed the filters."""
    blocks: int
    """Decoded blocks."""
    bytes: int
    """Bytes of these blocks in their files."""
    stage_seconds: dict[str, float]
    """The time that threads spent with these files, by stage."""


class LoaderFigures(TypedDict):
    """The figures of an iteration at one moment: `LoaderStats.to_dict`."""

    verdict: str
    """The bottleneck, in a sentence."""
    seconds: float
    """The time from the first request for a batch until now, or until the end of the iteration."""
    first_batch_seconds: float | None
    """The time from the first request for a batch until its result. None: there is no result yet."""
    wait_seconds: float
    """The sum of the waits of the caller after the first batch."""
    wait_share: float
    """The share of these waits in the time since the first batch, from 0 to 1."""
    wait_p50_seconds: float
    """The wait that half of the batches did not exceed, within 4 %."""
    wait_p95_seconds: float
    """The wait that 95 % of the batches did not exceed."""
    wait_p99_seconds: float
    """The wait that 99 % of the batches did not exceed."""
    batches: int
    """Returned batches."""
    rows: int
    """Rows of these batches."""
    blocks: int
    """Decoded blocks, as in `Report`."""
    bytes: int
    """Bytes of these blocks in their files, as in `Report`."""
    rows_per_second: float
    """Rows of the returned batches per second."""
    bytes_per_second: float
    """Bytes of the decoded blocks per second."""
    batches_ready: int
    """Batches that are decoded or converted ahead at this moment."""
    bytes_ready: int
    """The bytes of these batches."""
    prefetch_bytes: int
    """The memory budget for these batches in bytes. 0: no batch is decoded ahead."""
    threads: int
    """The threads that decode and convert. With more than one, the thread of the caller also works."""
    cores: int
    """The cores that the process may use."""
    busy_share: float
    """The share of the time in which these threads worked, from 0 to 1."""
    shard: list[int]
    """The index of the shard and the number of shards."""
    stage_seconds: dict[str, float]
    """The time of all threads in each stage: `request`, `open`, `read`, `decompress`, `decode`, `filter`,
    `shuffle`, `convert` and `copy`."""
    codec_seconds: dict[str, float]
    """The time of the stage `decompress` by codec."""
    requests: Requests
    """Counts of requests to stores."""
    formats: dict[str, FormatFigures]
    """What was read of the files of each format."""


class IterationOptions(TypedDict, total=False):
    """Options of an iteration over a dataset; `Dataset.record_batches` explains them."""

    batch_size: int
    """Number of rows of a batch. `record_batches` explains all options."""
    global_batch_size: int | None
    """In place of `batch_size`: number of rows of a batch of all shards together, a multiple of `streams`."""
    batches: ByLength | None
    """A `ByLength`, which makes batches of rows of similar length. None: batches have consecutive rows."""
    streams: int
    """With `global_batch_size`: number of equal parts of an epoch, a multiple of the number of shards."""
    even: Literal["drop", "repeat", "auto"] | None
    """With `global_batch_size`: how each shard gets the same number of batches of the same size. "auto":
    "drop" for `shard="auto"`, otherwise None."""
    drop_remainder: bool
    """Drops the last batch of an epoch if it has fewer rows."""
    epochs: int | None
    """Number of passes over all rows. None: endless."""
    shuffle_buffer_size: int
    """Minimum number of rows that are shuffled together. 0: file order."""
    seed: int | None
    """Seed of the shuffle. None: random."""
    shard: tuple[int, int] | list[int] | Literal["auto"]
    """The index of this shard and the number of shards, or "auto", as in `record_batches`."""
    threads: int | None
    """Number of decoding threads."""
    prefetch_bytes: int
    """Maximum size in bytes of the prefetched rows."""
    on_error: OnError
    """How to handle blocks that cannot be read. Rows that do not fit a tensor always raise an error."""
    across_epochs: bool
    """Whether a batch may have rows of two epochs."""
    start_epoch: int
    """Number of the first epoch, from 0."""
