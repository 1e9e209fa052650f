"""`scan_avro`, which scans Avro files as a `polars.LazyFrame`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import read_avro
from arrowfeed._engines.splits import quoted
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    import os

    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import AvroSchemaLike, OnError, Source, StorageOptions, Store, StringType, Unions

_ROWS = 65_536
"""Number of rows of a frame if polars does not request a number. polars divides its work by frames."""


def scan_avro(
    source: Source,
    *,
    reader_schema: AvroSchemaLike | None = None,
    string_type: StringType = "utf8_view",
    unions: Unions = "struct",
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> Any:
    """Scans Avro object container files as a `polars.LazyFrame`.

    A query decodes only the columns that it uses. A query with a row limit, such as `head(10)`, stops when it
    has enough rows. polars filters a batch while the next one is decoded. This call reads the header of the
    first file; each `collect` reads the files again.

    Args:
        source: As in `read_avro`, but no file objects, because they can be read only once.
        reader_schema: As in `read_avro`.
        string_type: Arrow type of strings, as in `read_avro`. polars shares the memory of the default type.
        unions: Arrow type of unions: `"struct"` or `"json"`, as in `read_avro`. polars has no dense unions.
        threads: Number of decoding threads. None: one per core of the process.
        limits: Upper bounds on the resources that one file may use. None: `Limits()`.
        on_error: How to handle damaged data, as in `read_avro`.
        storage_options: Options of the store, as in `read_avro`.
        store: An obstore store or an fsspec filesystem, as in `read_avro`.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes. Requires `cache`. None: 100 GiB.

    Returns:
        A `polars.LazyFrame` of the rows of all files, in file order.

    Raises:
        ImportError: polars is not installed.
        TypeError: `source` contains a file object, or an argument has the wrong type.
        ArrowfeedError, OSError: As in `read_avro`.
        polars.exceptions.ComputeError: A file is damaged or cannot be read while a query runs. The text is
            that of the error of `read_avro`.

    Example:
        >>> people = arrowfeed.scan_avro("people-*.avro")
        >>> people.filter(polars.col("age") > 30).select("name").collect()
    """
    polars: Any = needed("polars", "for scan_avro()")
    register_io_source: Any = needed("polars.io.plugins", "for scan_avro()").register_io_source
    _refuse_file(source)
    if isinstance(source, (Iterator, list, tuple)):
        source = list(source)
        for item in source:
            _refuse_file(item)
    options: dict[str, Any] = {
        "reader_schema": reader_schema,
        "string_type": string_type,
        "unions": unions,
        "threads": threads,
        "limits": limits,
        "on_error": on_error,
        "storage_options": storage_options,
        "store": store,
        "cache": cache,
        "cache_bytes": cache_bytes,
    }

    def frames(
        with_columns: list[str] | None, predicate: Any, n_rows: int | None, batch_size: int | None
    ) -> Iterator[Any]:
        columns = None if with_columns is None else [quoted(name) for name in with_columns]
        if not columns and names:
            # A frame without columns has no rows in polars: one column carries the number of rows.
            columns = columns if columns is None else [quoted(names[0])]
        size = batch_size or _ROWS
        size = size if n_rows is None else max(1, min(size, n_rows))
        left = n_rows
        with read_avro(source, columns=columns, batch_size=size, **options) as reader:
            for batch in reader:
                frame = polars.DataFrame(batch)
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame if with_columns is None else frame.select(with_columns)
                if left == 0:
                    return

    with read_avro(source, **options) as reader:
        schema, names = polars.Schema(reader.schema), reader.schema.names
    return register_io_source(frames, schema=schema, validate_schema=True, is_pure=True)


def _refuse_file(source: Any) -> None:
    """Raises a TypeError for a file object. It is checked before an iterator is read, because it is one."""
    if hasattr(source, "read") or hasattr(source, "readinto"):
        message = f"source: expected files that can be read again, found {type(source).__name__}"
        raise TypeError(f"{message}: pass a path, a URL or the bytes")
