"""Avro schemas: `AvroSchema`, `avro_schema`."""

from typing import final

from arrowfeed._stubs.arrow import Schema
from arrowfeed.types import AvroSchemaLike, Source, StorageOptions, Store

@final
class AvroSchema:
    """A valid Avro schema and, where it is a file's, what else the header says. Hashable and picklable.

    Two schemas are equal when they describe the same types: names, fields with their aliases and defaults,
    symbols, sizes and logical types. Documentation and the layout of the text do not count, nor do `codec`
    and `metadata`.

    Args:
        schema: JSON text, the dict (for a union, the list) that it stands for, or another schema.
        codec: Name of the file's codec.
        metadata: The file's metadata.

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
        """The JSON text, as it was given or as it stands in the file."""

    @property
    def canonical(self) -> str:
        """The Parsing Canonical Form of the Avro specification: full names, and only what decoding needs."""

    @property
    def fingerprint(self) -> int:
        """The Rabin fingerprint (CRC-64-AVRO) of the canonical form, unsigned 64 bits."""

    @property
    def warnings(self) -> list[str]:
        """What the Avro specification tells readers to ignore: unknown logical types and the like."""

    @property
    def arrow(self) -> Schema:
        """The Arrow schema of what `read_avro` gives without options.

        Raises:
            SchemaError: A type contains itself, or is too deep for Arrow.
        """

    @property
    def codec(self) -> str | None:
        """How the file's blocks are compressed; None where the schema is not a file's."""

    @property
    def metadata(self) -> dict[str, bytes]:
        """The file's metadata: `avro.schema`, `avro.codec` and the user's. Empty where there is no file."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

def avro_schema(
    source: Source, *, storage_options: StorageOptions | None = None, store: Store | None = None
) -> AvroSchema:
    """The schema, codec and metadata in the header of the first file of a source.

    Args:
        source: As in `read_avro`. A file object is read from where it stands, a little past its header.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.

    Raises:
        OSError: The file cannot be opened.
        FormatError: It is no Avro object container file.
        SchemaError: Its schema breaks a rule of the Avro specification.

    Example:
        >>> schema = arrowfeed.avro_schema("part-0.avro")
        >>> schema.codec, schema.arrow.names
        ('zstandard', ['id', 'name'])
    """
