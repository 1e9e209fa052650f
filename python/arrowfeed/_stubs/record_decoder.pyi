"""Decoders and encoders of records without a file, in Avro, `tf.Example` and `tf.SequenceExample`."""

from collections.abc import Iterable, Sequence
from typing import Literal, final

from arrowfeed._stubs.adapter import TensorAdapter, TensorSpec
from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.read import Limits
from arrowfeed.types import (
    AnyTensor,
    AvroSchemaLike,
    Encoding,
    ExampleSchemaLike,
    FeatureLike,
    Framing,
    MessageSchemas,
    RepresentationT,
    Rows,
    SequenceExampleSchemaLike,
    StringType,
    Unions,
)

class AvroRecordDecoder:
    """Decodes records without a file, such as messages of a stream, into record batches or tensors.

    The decoder collects records one by one for a batch, or decodes several records into a separate batch.
    Records are in Avro's binary encoding, without a file header. The records may have several writer schemas;
    all batches have the same schema. Only one thread at a time may use a decoder.

    Args:
        schema: The writer schema of the records. None: the header of each message identifies its schema, and
            the columns are those of `reader_schema` or, without it, those of the first schema in `schemas`.
        framing: The header of each message. `"bare"`: none. `"single_object"`: the bytes `c3 01` and the
            CRC-64-AVRO fingerprint of the schema (Avro specification, "Single-object encoding").
            `"confluent"`: a zero byte and the ID of the schema in a registry (Confluent Schema Registry,
            "Wire format").
        schemas: The schemas of framed messages: a dict of fingerprints (`AvroSchema.fingerprint`) or IDs to
            schemas; for `"single_object"` also a list of schemas. Alternatively, a function such as a
            registry client, which maps a fingerprint or ID to its schema, or to None if there is no such
            schema; the decoder calls the function once for each new fingerprint or ID. None: records without
            a framing.
        features: Features for `flush_tensors`, as in `AvroDataset`.
        representations: Representations for `flush_tensors`, as in `AvroDataset`. If you pass neither
            argument, `infer_representations` determines the tensors.
        columns: Field paths to read, in this order. None: the fields that `features` or `representations`
            need; without these arguments, all fields.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        reader_schema: The reader schema, as in `read_avro`, except for `"merge"`: a decoder has no files.
            None: the writer schema.
        batch_size: Maximum number of rows of a batch, whatever the writer schemas of its rows. None: 8,192.
        max_batch_bytes: Size in bytes at which a batch ends before it has `batch_size` rows. None:
            `limits.batch_bytes`.
        encoding: How Avro types are converted to Arrow types; see `read_avro`.
        double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
        string_type: The Arrow type of strings and bytes; see `read_avro`.
        unions: The Arrow type of unions; see `read_avro`.
        limits: Upper bounds on the resources that a record may use. None: `Limits()`.
        name: A name for the source of the records, such as a topic, which is the attribute `path` of errors.
            None: errors have no path.

    Raises:
        SchemaError: The schema is invalid, cannot be resolved, or cannot be converted to Arrow.
        RepresentationError: A tensor cannot be built from the columns.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
        >>> decoder = arrowfeed.AvroRecordDecoder(schema)
        >>> decoder.extend([bytes([2]), bytes([4])])
        >>> decoder.flush().to_pyarrow()["id"].to_pylist()
        [1, 2]
        >>> decoder = arrowfeed.AvroRecordDecoder(framing="confluent", schemas={7: schema})
        >>> decoder.decode([bytes([0, 0, 0, 0, 7, 2])]).num_rows
        1
        >>> decoder = arrowfeed.AvroRecordDecoder(schema, features={"id": arrowfeed.features.Dense([])})
        >>> decoder.append(bytes([2]))
        >>> decoder.flush_tensors()["id"].values
        array([1])
    """

    def __init__(
        self,
        schema: AvroSchemaLike | None = None,
        *,
        framing: Framing = "bare",
        schemas: MessageSchemas | None = None,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        reader_schema: AvroSchemaLike | None = None,
        batch_size: int | None = None,
        max_batch_bytes: int | None = None,
        encoding: Encoding = "native",
        double_as_float: bool = False,
        string_type: StringType = "utf8",
        unions: Unions = "dense",
        limits: Limits | None = None,
        name: str | None = None,
    ) -> None: ...
    @property
    def schema(self) -> Schema:
        """The schema of every batch."""

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """Specs of the tensors by name, known before any record is decoded."""

    @property
    def rows(self) -> int:
        """Number of decoded rows that no flush has returned yet."""

    def add_writer(self, schema: AvroSchemaLike) -> int:
        """Registers another writer schema.

        Args:
            schema: The writer schema, as in the constructor.

        Returns:
            The number of the schema, for `append` and `extend`. The first schema has the number 0. A schema
            that is already registered keeps its number.

        Raises:
            SchemaError: The schema cannot be resolved, or its columns differ from those of the first schema.
            ValueError: The decoder already has 1,024 schemas.

        Example:
            >>> decoder = arrowfeed.AvroRecordDecoder(old_schema, reader_schema=new_schema)
            >>> decoder.append(record, writer=decoder.add_writer(new_schema))
        """

    def decode(
        self,
        records: bytes | bytearray | memoryview | Iterable[bytes | bytearray | memoryview],
        /,
        *,
        writer: int | None = None,
    ) -> RecordBatch:
        """Decodes records into a batch.

        Args:
            records: The bytes of exactly one record, an iterable of records, or a pyarrow array of records.
                With a `framing`, messages with their headers.
            writer: Number of the writer schema of bare records, from `add_writer`. None: 0.

        Returns:
            One batch of all rows, whatever `batch_size` is.

        Raises:
            CorruptBlockError: A record is damaged, has excess bytes, or has another framing. `error.record`
                is its index. The decoder discards the rows of all records of the call.
            SchemaError: The schema of a message is unknown. `error.record` is the index of the message.
            LimitError: The record exceeds a limit.
            ValueError: The decoder has rows that no flush has returned yet.
            Exception: Exceptions of a `schemas` function are passed on.
        """

    def append(self, record: bytes | bytearray | memoryview, /, *, writer: int | None = None) -> None:
        """Decodes one record for the next `flush`.

        Args:
            record: The bytes of exactly one record. With a `framing`, a message with its header.
            writer: Number of the writer schema of bare records, from `add_writer`. None: 0.

        Raises:
            CorruptBlockError, SchemaError, LimitError: As in `decode`, but `error.record` is the number of
                the record since the last `flush`. The record adds no row, and the decoder remains usable.
        """

    def extend(
        self, records: Iterable[bytes | bytearray | memoryview], /, *, writer: int | None = None
    ) -> None:
        """Decodes records for the next `flush`, in order, up to the first damaged record.

        The method releases the GIL while it decodes.

        Args:
            records: Several records, as in `decode`.
            writer: Number of the writer schema of bare records, from `add_writer`. None: 0.

        Raises:
            CorruptBlockError, SchemaError, LimitError: As in `append`. The rows before the record remain.
        """

    def flush(self) -> RecordBatch | None:
        """Returns the next batch of at most `batch_size` decoded rows. None: no row is left."""

    def flush_tensors(self) -> dict[str, AnyTensor] | None:
        """Returns the tensors of the next batch of decoded rows, by name. None: no row is left.

        Raises:
            ConversionError: A row does not fit its tensors; `error.record` is its number in the batch. The
                decoder then discards the rows of the batch.
            LimitError: As in `TensorAdapter.convert`.
        """

    def tensor_adapter(self) -> TensorAdapter:
        """Returns the adapter that converts the batches of `flush` to tensors."""

@final
class ExampleRecordDecoder:
    """Decodes `tf.Example` messages without a file, such as messages of a queue, into record batches.

    Each feature is a column of type `large_list` of int64, float or large_binary, with a null for each record
    without the feature. A decoder can be pickled, and several threads may share it.

    Args:
        schema: The features: a dict of names to `"int64"`, `"float"`, `"bytes"`, or `"null"` for a feature
            that never has a list, or a `tensorflow.metadata.v0.Schema` or its bytes. None: each batch has the
            features of its own records, sorted by name; a feature without a list of values in any of these
            records becomes a column of nulls.
        encoding: The Arrow types of features; see `ExampleDataset`.

    Raises:
        RepresentationError: `schema` has a feature of an unsupported type, or its bytes are not a schema.
        ValueError: The encoding is unknown.
        TypeError: An argument has the wrong type.

    Example:
        >>> decoder = arrowfeed.ExampleRecordDecoder({"id": "int64"})
        >>> messages = arrowfeed.encode_examples(pyarrow.record_batch({"id": [7, 8]}))
        >>> decoder.decode(messages).to_pyarrow()["id"].to_pylist()
        [[7], [8]]
    """

    def __new__(
        cls, schema: ExampleSchemaLike | None = None, *, encoding: Literal["tfx", "feature"] = "tfx"
    ) -> ExampleRecordDecoder: ...
    @property
    def schema(self) -> Schema | None:
        """The schema of every batch. None: each batch has its own schema."""

    def decode(self, records: Iterable[bytes | bytearray | memoryview], /) -> RecordBatch:
        """Decodes messages into a batch, and releases the GIL meanwhile.

        Args:
            records: Messages, each of which becomes a row.

        Raises:
            CorruptBlockError: A record is not a message, or a feature has values of another type.
                `error.record` is the number of the record, `error.field` the feature.
        """

@final
class SequenceExampleRecordDecoder:
    """Decodes `tf.SequenceExample` messages without a file into record batches.

    The columns are those of `SequenceExampleDataset`. A decoder can be pickled, and several threads may share
    it.

    Args:
        schema: The features, as in `SequenceExampleDataset`. None: each batch has the features of its own
            records, sorted by name. A context feature without a list of values in any record becomes a column
            of nulls. If no step of a feature list has a list of values, all steps are null. The struct exists
            if any record has a feature list, even an empty one.
        sequence_column: The name of the struct.
        encoding: The Arrow types of features; see `SequenceExampleDataset`.

    Raises:
        RepresentationError: `schema` has a feature of an unsupported type, or its bytes are not a schema.
        ValueError: A context feature has the name of the struct.
        TypeError: An argument has the wrong type.

    Example:
        >>> steps = pyarrow.array([{"token": [[7], [8, 9]]}])
        >>> messages = arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))
        >>> decoder = arrowfeed.SequenceExampleRecordDecoder({"##SEQUENCE##": {"token": "int64"}})
        >>> decoder.decode(messages).to_pyarrow()["##SEQUENCE##"].to_pylist()
        [{'token': [[7], [8, 9]]}]
    """

    def __new__(
        cls,
        schema: SequenceExampleSchemaLike | None = None,
        *,
        sequence_column: str = "##SEQUENCE##",
        encoding: Literal["tfx", "feature"] = "tfx",
    ) -> SequenceExampleRecordDecoder: ...
    @property
    def schema(self) -> Schema | None:
        """The schema of every batch. None: each batch has its own schema."""

    def decode(self, records: Iterable[bytes | bytearray | memoryview], /) -> RecordBatch:
        """Decodes messages into a batch, and releases the GIL meanwhile.

        Args:
            records: Messages, each of which becomes a row.

        Raises:
            CorruptBlockError: A record is not a message, or a feature has values of another type.
                `error.record` is the number of the record, `error.field` the feature.
        """

def encode_examples(batches: Rows, *, null_features: bool = False) -> list[bytes]:
    """Encodes rows as `tf.Example` messages, in the same way as `write_tfrecord`.

    Args:
        batches: Rows, as in `write_avro`.
        null_features: Whether to encode a null as a feature without a list, as tfx_bsl does, instead of
            omitting the feature. Readers treat both in the same way.

    Raises:
        ConversionError: Features do not support the type of a column, a list has a null value, or an integer
            does not fit into a signed 64-bit integer.
        TypeError: `batches` has neither method.

    Example:
        >>> arrowfeed.encode_examples(pyarrow.record_batch({"n": [7]}))[0].hex()
        '0a0c0a0a0a016e12051a030a0107'
    """

def encode_sequence_examples(batches: Rows, *, sequence_column: str = "##SEQUENCE##") -> list[bytes]:
    """Encodes rows as `tf.SequenceExample` messages.

    Each field of the struct `sequence_column` is a feature list: a list of steps, where a step is a list of
    values or one value. All other columns are context features, as in `encode_examples`. A null feature list
    is omitted; a null step is encoded as a feature without a list.

    Args:
        batches: Rows, as in `write_avro`.
        sequence_column: Name of the struct column with the feature lists. If the column does not exist, the
            messages have no feature lists.

    Raises:
        ConversionError: Features do not support the type of a column, a list has a null value, an integer
            does not fit into a signed 64-bit integer, or `sequence_column` is not a struct of lists.
        TypeError: An argument has the wrong type.

    Example:
        >>> steps = pyarrow.array([{"t": [[7]]}])
        >>> arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))[0].hex()
        '120e0a0c0a017412070a051a030a0107'
    """

def encode_tfrecord(
    records: Iterable[bytes | bytearray | memoryview],
    /,
    *,
    compression: Literal["none", "gzip", "zlib"] = "none",
    level: int | None = None,
) -> bytes:
    """Returns the bytes of a TFRecord file that contains these records, and releases the GIL meanwhile.

    The bytes of several calls can be joined to one file, unless the compression is zlib.

    Args:
        records: Records, such as the messages of `encode_examples`.
        compression: Compression of the bytes.
        level: The compression level: from 1, the fastest, to 12. Level 1 takes half the time of level 6 for
            about 3 % more bytes of floats. None: 6.

    Raises:
        TypeError: `records` is not an iterable of bytes.
        ValueError: `compression` is unknown.
        OptionError: `level` is not in its range, or is given without a compression.

    Example:
        >>> messages = arrowfeed.encode_examples(pyarrow.record_batch({"id": [7, 8]}))
        >>> arrowfeed.read_tfrecord(arrowfeed.encode_tfrecord(messages)).schema.names
        ['id']
    """
