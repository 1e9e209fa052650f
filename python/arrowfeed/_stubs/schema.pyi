"""Avro schemas: `AvroSchema`, `avro_schema`; and functions for the Python part of the package."""

from typing import final

from arrowfeed._stubs.arrow import Schema
from arrowfeed._stubs.read import Limits
from arrowfeed.types import (
    AvroSchemaLike,
    Source,
    StorageOptions,
    Store,
    StringType,
    Unions,
)

@final
class AvroSchema:
    """A valid Avro schema and, if it was read from a file, the codec and the metadata of that file.

    Schemas can be hashed and pickled, and `str` gives the JSON text. Two schemas are equal if they describe
    the same types: names, fields with their aliases and defaults, symbols, sizes and logical types. The
    comparison ignores documentation, the layout of the text, `codec` and `metadata`.

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
    source: Source,
    *,
    merge: bool = False,
    limits: Limits | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> AvroSchema:
    """Reads the schema, codec and metadata from the header of the first file of a source.

    Args:
        source: As in `read_avro`. A file object is read from its current position to slightly past the
            header.
        merge: Whether to merge the schemas of all files, as `read_avro` does with `reader_schema="merge"`.
            The result has no codec and no metadata.
        limits: Upper bounds on the header and the schema. None: `Limits()`.
        storage_options: As in `read_avro`.
        store: As in `read_avro`.

    Raises:
        OSError: The file cannot be opened.
        FormatError: The file is not an Avro object container file.
        SchemaError: The schema of the file breaks a rule of the Avro specification, or the schemas cannot be
            merged.
        LimitError: The header or the schema exceeds a limit.

    Example:
        >>> schema = arrowfeed.avro_schema("part-0.avro")
        >>> schema.codec, schema.arrow.names
        ('zstandard', ['id', 'name'])
    """

def avro_columns(
    schema: AvroSchema,
    *,
    reader_schema: AvroSchemaLike | None = None,
    string_type: StringType = "utf8",
    unions: Unions = "dense",
    limits: Limits | None = None,
) -> Schema:
    """Returns the Arrow schema of all columns of files with a schema.

    Columns of recursive types are the last ones, and have the type list of null.

    Args:
        schema: The schema of the files.
        reader_schema: As in `read_avro`.
        string_type: As in `read_avro`.
        unions: As in `read_avro`.
        limits: Upper bounds on the columns. None: `Limits()`.

    Raises:
        SchemaError: The schemas do not resolve.
    """
