"""Avro schemas: `AvroSchema`, `avro_schema`."""

from typing import final

from arrowfeed._stubs.arrow import Schema
from arrowfeed.types import AvroSchemaLike, Source, StorageOptions, Store

@final
class AvroSchema:
    """A valid Avro schema and, for the schema of a file, the codec and metadata of the header. Hashable and
    picklable.

    Two schemas are equal if they describe the same types: names, fields with their aliases and defaults,
    symbols, sizes and logical types. The comparison ignores documentation, the layout of the text, `codec`
    and `metadata`.

    Args:
        schema: JSON text, its parsed form (a dict, or a list for a union), or another schema.
        codec: Name of the codec of the file.
        metadata: The metadata of the file.

    Raises:
        SchemaError: The schema breaks a rule of the Avro specification.

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
        """The Parsing Canonical Form of the Avro specification, with full names and only the attributes that
        decoding needs.
        """

    @property
    def fingerprint(self) -> int:
        """The Rabin fingerprint (CRC-64-AVRO) of the canonical form, unsigned 64 bits."""

    @property
    def warnings(self) -> list[str]:
        """Parts of the schema that the Avro specification tells readers to ignore, such as unknown logical
        types.
        """

    @property
    def arrow(self) -> Schema:
        """The Arrow schema of the batches that `read_avro` returns without options.

        Raises:
            SchemaError: A type is recursive, or is nested too deeply for Arrow.
        """

    @property
    def codec(self) -> str | None:
        """Compression codec of the blocks of the file; None if the schema is not from a file."""

    @property
    def metadata(self) -> dict[str, bytes]:
        """Metadata of the file: `avro.schema`, `avro.codec` and user-defined entries. Empty if the schema is
        not from a file.
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
