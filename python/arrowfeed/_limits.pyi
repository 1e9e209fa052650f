"""Stub of `arrowfeed.Limits`. Not importable at run time."""

from typing import final

@final
class Limits:
    """Upper bounds on what one file may make a reader do. Reaching one raises `LimitError`, which names it.

    Files can lie about sizes and counts; these bounds hold whatever they say. Comparable and picklable.

    Args:
        header_bytes: Bytes of the file header, metadata included. Default 16 MiB.
        schema_bytes: Bytes of the schema's JSON text. Default 4 MiB.
        schema_depth: Nesting of types in a schema. Default 64, at most 128.
        expanded_fields: Arrow fields that a schema may expand to. Default 100,000.
        decoded_block_bytes: Bytes of one block after decompression, and on disk. Default 256 MiB.
        skipped_depth: Nesting of values of a recursive type that is not read. Default 100,000.
        zero_byte_elements: Elements that take no bytes (of `array<null>` and the like) in one record.
            Default 10 million.
        zero_byte_rows: Rows that take no bytes in one block. Default 100 million.
        batch_bytes: Bytes of one record batch; a batch is cut before it grows past this. Default 512 MiB.
        zstd_window_bytes: Window of a zstandard frame. Default 128 MiB.
        xz_memory_bytes: Memory of the xz decoder. Default 128 MiB.

    Raises:
        ValueError: A value is negative, or `schema_depth` is over 128.
        TypeError: A value is no integer, or there is no such limit.

    Example:
        >>> arrowfeed.read_avro("part-0.avro", limits=arrowfeed.Limits(decoded_block_bytes=16 << 20))
    """

    header_bytes: int
    schema_bytes: int
    schema_depth: int
    expanded_fields: int
    decoded_block_bytes: int
    skipped_depth: int
    zero_byte_elements: int
    zero_byte_rows: int
    batch_bytes: int
    zstd_window_bytes: int
    xz_memory_bytes: int

    def __new__(
        cls,
        *,
        header_bytes: int = 16_777_216,
        schema_bytes: int = 4_194_304,
        schema_depth: int = 64,
        expanded_fields: int = 100_000,
        decoded_block_bytes: int = 268_435_456,
        skipped_depth: int = 100_000,
        zero_byte_elements: int = 10_000_000,
        zero_byte_rows: int = 100_000_000,
        batch_bytes: int = 536_870_912,
        zstd_window_bytes: int = 134_217_728,
        xz_memory_bytes: int = 134_217_728,
    ) -> Limits: ...
    def __eq__(self, other: object, /) -> bool: ...
