"""Records without a file: `AvroRecordDecoder`, and messages of `tf.Example` and `tf.SequenceExample`."""

from collections.abc import Iterable, Sequence
from typing import Literal, final, overload

from arrowfeed._stubs.adapter import TensorAdapter, TensorSpec
from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.read import Limits
from arrowfeed.types import (
    ArrowArrayExportable,
    ArrowStreamExportable,
    AvroSchemaLike,
    Encoding,
    ExampleSchemaLike,
    FeatureLike,
    Framing,
    MessageSchemas,
    RepresentationLike,
    SequenceExampleSchemaLike,
    StringType,
    Tensor,
)

class AvroRecordDecoder:
    """Decodes records without a file, such as messages of a stream, into record batches or tensors.

    Records are pushed one by one, or a list of them becomes a batch. They are in Avro's binary encoding,
    without the header of a file. They may be of several writer's schemas; all batches have one schema. One
    thread uses a decoder at a time.

    Args:
        schema: The schema that the records were written with. None: `framing` says it. The columns are then
            those of `reader_schema`, or else those of the first one of `schemas`.
        framing: What stands before a record in a message. `"bare"`: nothing. `"single_object"`: the bytes
            `c3 01` and the CRC-64-AVRO fingerprint of its schema (Avro specification, "Single-object
            encoding"). `"confluent"`: a zero byte and the number of its schema in a registry (Confluent
            Schema Registry, "Wire format").
        schemas: The schemas of framed messages: a dict of fingerprints (`AvroSchema.fingerprint`) or numbers
            to schemas; for `"single_object"` also a list of schemas. Or a function of a fingerprint or
            number, such as the client of a registry, which is called once for each that is not known; None
            says that there is no such schema.
        features: Features for `flush_tensors`, as in `AvroDataset`.
        representations: Representations for `flush_tensors`, as in `AvroDataset`. None of both: what
            `infer_representations` finds.
        columns: Field paths to read, in the order of the columns. None: those that `features` or
            `representations` need; without these, every field.
        reader_schema: The schema to resolve the records to. None: as written.
        batch_size: Most rows of a batch, of all writer's schemas together.
        max_batch_bytes: Bytes after which a batch ends early, of all writer's schemas together. None:
            `limits.batch_bytes`.
        encoding: How Avro types become Arrow types, see `read_avro`.
        double_as_float: With `encoding="tfx"`, doubles as float32.
        string_type: The Arrow type of strings and bytes.
        limits: Upper bounds on what a record may ask for.
        name: A name of the records, such as a topic. Errors have it as `path`. None: errors have no path.

    Raises:
        SchemaError: The schema is invalid, cannot be resolved, or cannot become Arrow.
        RepresentationError: A tensor cannot be made of the columns.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
        >>> decoder = arrowfeed.AvroRecordDecoder(schema)
        >>> decoder.extend([bytes([2]), bytes([4])])
        >>> decoder.flush().to_pyarrow()["id"].to_pylist()
        [1, 2]
        >>> decoder = arrowfeed.AvroRecordDecoder(framing="confluent", schemas={7: schema})
        >>> decoder.decode([bytes([0, 0, 0, 0, 7, 2])]).num_rows
        1
        >>> decoder = arrowfeed.AvroRecordDecoder(schema, features={"id": arrowfeed.features.Dense()})
        >>> decoder.decode(bytes([2]))
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
        representations: dict[str, RepresentationLike] | None = None,
        columns: Sequence[str] | None = None,
        reader_schema: AvroSchemaLike | None = None,
        batch_size: int = 8192,
        max_batch_bytes: int | None = None,
        encoding: Encoding = "native",
        double_as_float: bool = False,
        string_type: StringType = "utf8",
        limits: Limits | None = None,
        name: str | None = None,
    ) -> None: ...
    @property
    def schema(self) -> Schema:
        """The schema of every batch."""

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """What is known of each tensor before any record, by name."""

    @property
    def rows(self) -> int:
        """Rows that have been decoded and not been flushed."""

    def add_writer(self, schema: AvroSchemaLike) -> int:
        """Prepares for records of another writer's schema.

        Returns:
            The number of the schema for `decode` and `extend`. The first schema has the number 0, and a
            schema that is known keeps its number.

        Raises:
            SchemaError: The schema cannot be resolved, or its columns are not those of the first one.
            ValueError: There are 1,024 schemas.
        """

    @overload
    def decode(self, record: bytes | bytearray | memoryview, /, *, writer: int | None = None) -> None: ...
    @overload
    def decode(
        self, records: Iterable[bytes | bytearray | memoryview], /, *, writer: int | None = None
    ) -> RecordBatch: ...
    def decode(
        self,
        records: bytes | bytearray | memoryview | Iterable[bytes | bytearray | memoryview],
        /,
        *,
        writer: int | None = None,
    ) -> RecordBatch | None:
        """Decodes a record for the next `flush`, or several records into a batch of their own.

        Args:
            records: A record, all of whose bytes belong to it; or an iterable of records, or an array of
                pyarrow. With a `framing`, messages.
            writer: The number of their schema, if they are bare. None: 0.

        Returns:
            Of several records, their batch, whatever `batch_size` is. Of one, None.

        Raises:
            CorruptBlockError: A record is damaged, has more bytes, or another framing. `error.record` is its
                number since the last `flush`, or in the list. A single record adds no row, and the decoder
                goes on; of several, none is kept.
            SchemaError: The schema of a message is not known. `error.record` is its number.
            LimitError: The record asks for more than a limit.
            ValueError: Several records are given while rows wait for `flush`.
                Whatever a function of `schemas` raises.
        """

    def extend(
        self, records: Iterable[bytes | bytearray | memoryview], /, *, writer: int | None = None
    ) -> None:
        """Decodes records for the next `flush`, in their order, up to the first that is damaged.

        The interpreter is free while records are decoded.

        Args:
            records: As several records of `decode`.
            writer: The number of their schema, if they are bare. None: 0.

        Raises:
            CorruptBlockError, SchemaError, LimitError: As `decode`.
        """

    def flush(self) -> RecordBatch | None:
        """The next batch of the decoded rows, of `batch_size` rows at most. None: no row is left."""

    def flush_tensors(self) -> dict[str, Tensor] | None:
        """The tensors of the next batch of the decoded rows, by name. None: no row is left.

        Raises:
            ConversionError: A row does not fit its tensors; `error.record` is its number in the batch. The
                rows of the batch are lost.
            LimitError: As `TensorAdapter.convert`.
        """

    def tensor_adapter(self) -> TensorAdapter:
        """What makes the tensors of the batches that `flush` gives."""

@final
class ExampleRecordDecoder:
    """Decodes messages of `tf.Example` that have no file, such as those of a queue, into record batches.

    Each feature is a column of lists, `large_list` of int64, float or large_binary, null where a record does
    not have it. A decoder can be pickled, and used by several threads.

    Args:
        schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
            `tensorflow.metadata.v0.Schema` or its bytes. None: each batch has the features of its own
            records, in the order of their names; one without a list in any of them is a column of nulls.
        encoding: The Arrow types of features, see `ExampleDataset`.

    Raises:
        RepresentationError: `schema` has a feature of another type, or its bytes are no schema.
        ValueError: There is no such encoding. TypeError: An argument has a wrong type.

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
        """The schema of every batch. None: each batch has its own."""

    def decode(self, records: Iterable[bytes | bytearray | memoryview], /) -> RecordBatch:
        """The batch of some messages. The interpreter is free while they are decoded.

        Args:
            records: A row each.

        Raises:
            CorruptBlockError: A record is no message, or a feature has values of another kind.
                `error.record` is its number, `error.field` the feature.
        """

@final
class SequenceExampleRecordDecoder:
    """Decodes messages of `tf.SequenceExample` that have no file into record batches.

    The columns are those of `SequenceExampleDataset`. A decoder can be pickled, and used by several threads.

    Args:
        schema: The features, as in `SequenceExampleDataset`. None: each batch has the features of its own
            records, in the order of their names. A feature of the context without a list in any of them is a
            column of nulls, and one of the steps has null steps; the struct is there if a record has feature
            lists, even empty ones.
        sequence_column: The name of the struct.
        encoding: The Arrow types of features, see `SequenceExampleDataset`.

    Raises:
        RepresentationError: `schema` has a feature of another type, or its bytes are no schema.
        ValueError: A feature of the context has the name of the struct.
        TypeError: An argument has a wrong type.

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
        """The schema of every batch. None: each batch has its own."""

    def decode(self, records: Iterable[bytes | bytearray | memoryview], /) -> RecordBatch:
        """The batch of some messages. The interpreter is free while they are decoded.

        Args:
            records: A row each.

        Raises:
            CorruptBlockError: A record is no message, or a feature has values of another kind.
                `error.record` is its number, `error.field` the feature.
        """

def encode_examples(
    batches: ArrowStreamExportable | ArrowArrayExportable, *, null_features: bool = False
) -> list[bytes]:
    """Encodes rows as messages of `tf.Example`, as `write_tfrecord` writes them.

    Args:
        batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
        null_features: Whether a null row has a feature without a list, as tfx_bsl writes it. Readers take it
            for none.

    Raises:
        ConversionError: A column has a type that no feature has, a list has a null value, or an integer does
            not fit into 64 bits with a sign.
        TypeError: `batches` is something else.

    Example:
        >>> arrowfeed.encode_examples(pyarrow.record_batch({"n": [7]}))[0].hex()
        '0a0c0a0a0a016e12051a030a0107'
    """

def encode_sequence_examples(
    batches: ArrowStreamExportable | ArrowArrayExportable, *, sequence_column: str = "##SEQUENCE##"
) -> list[bytes]:
    """Encodes rows as messages of `tf.SequenceExample`.

    Each field of the struct is a feature list: a list of steps, each a list of values or one value. All other
    columns are features of the context, as in `encode_examples`. A null list is left out; a null step has no
    list.

    Args:
        batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
        sequence_column: The name of the struct. Without such a column, messages have no feature lists.

    Raises:
        ConversionError: A column has a type that no feature has, a list has a null value, an integer does not
            fit into 64 bits with a sign, or the column of sequences is no struct of lists.
        TypeError: An argument has a wrong type.

    Example:
        >>> steps = pyarrow.array([{"t": [[7]]}])
        >>> arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))[0].hex()
        '120e0a0c0a017412070a051a030a0107'
    """
