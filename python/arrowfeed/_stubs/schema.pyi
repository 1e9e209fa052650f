"""Avro schemas: `AvroSchema`, `avro_schema`."""

from typing import final

from arrowfeed._stubs.arrow import Schema
from arrowfeed.types import AvroSchemaLike, Source, StorageOptions, Store

@final
class AvroSchema:
    """A valid Avro schema and, if it was read from a file, the codec and the metadata of that file.

    Schemas can be hashed and pickled. Two schemas are equal if they describe the same types: names, fields
    with their aliases and defaults, symbols, sizes and logical types. The comparison ignores documentation,
    the layout of the text, `codec` and `metadata`.

    Args:
        schema: JSON text, its parsed form (a dict, or a list for a union), the path of an `.avsc` file, or
            another schema.
        codec: Name of the codec of the file. None: the codec is unknown.
        metadata: The metadata of the file. None: no entries.

    Raises:
        SchemaError: The schema breaks a rule of the Avro specification.
        LimitError: The text of the schema exceeds 4 MiB.
        OSError: The `.avsc` file cannot be read.
        TypeError: An argument has the wrong type.

    Example:
        >>> schema = arrowfeed.AvroSchema({"type": "array", "items": "int"})
        >>> schema.canonical
        '{"type":"array","items":"int"}'
    """

    def __new__(
        cls,
        schema: AvroSchemaLike,
        *,
        codec: str | None = None,
        metadata: dict[str, bytes] | None = None,
    ) -> AvroSchema: ...
    @property
    def json(self) -> str:
        """The JSON text, as passed or as stored in the file."""

    @property
    def canonical(self) -> str:
        """The Parsing Canonical Form of the Avro specification: full names, and only the attributes that
        decoding needs.
        """

    @property
    def fingerprint(self) -> int:
        """The Rabin fingerprint (CRC-64-AVRO) of the canonical form, an unsigned integer of 64 bits."""

    @property
    def warnings(self) -> list[str]:
        """Descriptions of the parts of the schema that readers must ignore, such as unknown logical types."""

    @property
    def arrow(self) -> Schema:
        """The Arrow schema of the batches that `read_avro` returns without options.

        Raises:
            SchemaError: A type is recursive, or the types are nested too deeply for Arrow.
        """

    @property
    def codec(self) -> str | None:
        """Compression codec of the blocks of the file. None: the schema was not read from a file."""

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the file: `avro.schema`, `avro.codec` and user-defined entries. Empty if the schema was
        not read from a file.
        """

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

def avro_schema(
    source: Source, *, storage_options: StorageOptions | None = None, store: Store | None = None
) -> AvroSchema:
    """Reads the schema, codec and metadata from the header of the first file of a source.

    Args:
        source: As in `read_avro`. A file object is read from its current position to slightly past the
            header.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.

    Raises:
        OSError: The file cannot be opened.
        FormatError: The file is not an Avro object container file.
        SchemaError: The schema of the file breaks a rule of the Avro specification.

    Example:
        >>> schema = arrowfeed.avro_schema("part-0.avro")
        >>> schema.codec, schema.arrow.names
        ('zstandard', ['id', 'name'])
    """
