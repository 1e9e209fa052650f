"""`scan_avro` and `scan_dataset`, which scan files as a `polars.LazyFrame`."""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from arrowfeed._arrowfeed import (
    Dataset,
    Predicate,
    avro_columns,
    avro_schema,
    polars_frame,
    polars_schema,
    read_avro,
)
from arrowfeed._engines.sources import repeatable
from arrowfeed._engines.splits import UNIONS, SplitSource, column_paths, log_skipped, quoted
from arrowfeed._errors import OptionError, SchemaError
from arrowfeed._formats import ADDED_COLUMNS
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from arrowfeed._arrowfeed import Limits
    from arrowfeed.types import (
        ArrowSchemaExportable,
        AvroSchemaLike,
        OnError,
        PredicateLike,
        Source,
        StorageOptions,
        Store,
        StringType,
        Unions,
    )

_ROWS = 65_536
"""Number of rows of a frame if polars does not request a number. polars divides its work by frames."""


def scan_avro(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    reader_schema: AvroSchemaLike | None = None,
    string_type: StringType = "utf8_view",
    unions: Unions = "struct",
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    partitioning: Literal["hive"] | ArrowSchemaExportable | None = None,
    file_column: str | None = None,
    row_column: str | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
) -> Any:
    """Scans Avro object container files as a `polars.LazyFrame`.

    A query decodes only the columns that it uses. A query with a row limit, such as `head(10)`, stops when it
    has enough rows. Rows that do not pass a filter are left out while they are decoded, as far as the filter
    is a predicate. This call reads the header of the first file; each `collect` reads the files again.

    Args:
        source: As in `read_avro`, but no file objects, because they can be read only once.
        columns: Field paths to read, as in `read_avro`. None: all columns. Columns of recursive types
            are then the last ones, with the type `List(Null)`, and a query that uses one of them is an error.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        reader_schema: As in `read_avro`.
        string_type: Arrow type of strings, as in `read_avro`. polars shares the memory of the default type.
        unions: Arrow type of unions: `"struct"` or `"json"`, as in `read_avro`. polars has no dense unions.
        threads: Number of decoding threads. None: one per core of the process.
        limits: Upper bounds on the resources that one file may use. None: `Limits()`.
        on_error: How to handle damaged data, as in `read_avro`. A query warns with a `SkippedWarning` of the
            first skipped part of each file, and logs each part as a warning of the logger `arrowfeed`.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, as in `read_avro`.
        store: An obstore store or an fsspec filesystem, as in `read_avro`.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes. Requires `cache`. None: 100 GiB.

    Returns:
        A `polars.LazyFrame` of the rows of all files, in file order.

    Raises:
        ImportError: polars is not installed.
        TypeError: `source` contains a file object, or an argument has the wrong type.
        ArrowfeedError, OSError: As in `read_avro`, also while a query runs. A query of a column for which
            polars has no type, such as an interval or a decimal of more than 38 digits, is a `SchemaError`
            with its path as `field`.

    Example:
        >>> people = arrowfeed.scan_avro("people-*.avro")
        >>> people.filter(polars.col("age") > 30).select("name").collect().to_series().to_list()
        ['Ada']
    """
    source = repeatable(source)
    options: dict[str, Any] = {
        "reader_schema": reader_schema,
        "string_type": string_type,
        "unions": unions,
        "threads": threads,
        "limits": limits,
        "on_error": on_error,
        "partitioning": partitioning,
        "file_column": file_column,
        "row_column": row_column,
        "storage_options": storage_options,
        "store": store,
        "cache": cache,
        "cache_bytes": cache_bytes,
    }

    paths = None if columns is None else list(columns)
    excluded = None if exclude is None else list(exclude)
    schema = _avro_columns(source, {"columns": paths, "exclude": excluded}, options)
    if excluded is not None:
        paths = [quoted(name) for name in schema.names]
    own = None if where is None else Predicate(where, schema=schema)
    if own is not None:
        first = column_paths(paths, list(schema.names[:1]))
        read_avro(source, columns=first, where=own, **options).close()  # Checks the types.

    @contextmanager
    def opened(
        names: list[str] | None, batch_size: int, passing: Predicate | None
    ) -> Generator[Iterable[Any]]:
        both = own if passing is None else passing if own is None else own & passing
        selected = paths if names is None else column_paths(paths, names)
        with read_avro(source, columns=selected, where=both, batch_size=batch_size, **options) as reader:
            yield reader
            log_skipped(reader.report())

    return _lazy_frame("scan_avro()", schema, opened)


def _avro_columns(source: Any, selection: dict[str, list[str] | None], options: dict[str, Any]) -> Any:
    """Returns the Arrow schema of a scan of Avro files.

    Columns of recursive types are the last ones, and have the type `List(Null)`. Rows are counted with the
    first column.

    Args:
        source: The files.
        selection: The options `columns` and `exclude` of `read_avro`.
        options: The other options of `read_avro`.

    Raises:
        SchemaError: A selected column is recursive, or the options do not fit the schema.
    """
    try:
        with read_avro(source, **selection, **options) as reader:
            return reader.schema
    except SchemaError:
        if not any(selection.values()) and all(options[name] is None for name in ADDED_COLUMNS):
            # If the options are wrong for another reason, the error of the reader also names the file.
            with suppress(SchemaError):
                stores = {name: options[name] for name in ("storage_options", "store")}
                merges = options["reader_schema"] == "merge"
                schema = avro_schema(source, merge=merges, limits=options["limits"], **stores)
                used = ("reader_schema", "string_type", "unions", "limits")
                given: dict[str, Any] = {name: options[name] for name in used}
                if merges:
                    given["reader_schema"] = None
                return avro_columns(schema, **given)
        raise


def scan_dataset(
    source: Source | Dataset,
    *,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    threads: int | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Any:
    """Scans files of any format as a `polars.LazyFrame`.

    The content of the first file determines the format, as in `open_dataset`. A query of files decodes only
    the columns that it uses. A query with a row limit, such as `head(10)`, stops when it has enough rows.
    Rows that do not pass a filter are left out while they are decoded, as far as the filter is a predicate.
    Each `collect` reads the files again. `scan_avro` has more options for Avro.

    Args:
        source: As in `open_dataset`, but no file objects, because they can be read only once. Or a dataset: a
            query then reads its rows in the order of the dataset, and decodes all its columns.
        columns: As in the dataset class of the format, such as `AvroDataset`. None: all columns. For a
            dataset: names of its columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        threads: Number of decoding threads. None: one per core of the process.
        on_error: How to handle damaged data, as in `Dataset.record_batches`. Skipped parts cause warnings as
            in `scan_avro`.
        **options: Options of the dataset class of the format, such as `limits` and `storage_options`. A
            dataset has its own, so none are accepted with it.

    Returns:
        A `polars.LazyFrame` of the rows of all files in file order, or of the dataset in its order.

    Raises:
        ImportError: polars or pyarrow is not installed.
        TypeError: `source` contains a file object, or an argument has the wrong type.
        ArrowfeedError, OSError: As in `open_dataset`, also while a query runs. A query of a column for which
            polars has no type, such as an interval or a decimal of more than 38 digits, is a `SchemaError`
            with its path as `field`.

    Example:
        >>> people = arrowfeed.scan_dataset("people-*.csv")
        >>> people.filter(polars.col("age") > 30).select("name").collect().to_series().to_list()
        ['Ada']
    """
    if isinstance(source, Dataset):
        if options:
            raise TypeError(f"{next(iter(options))}: expected it in the call that makes the dataset")
        return _scan_of(source if where is None else source.filter(where), columns, threads, on_error)
    reader = SplitSource(source, options, UNIONS, columns=columns, where=where).reader(on_error=on_error)

    def opened(
        names: list[str] | None, batch_size: int, where: Predicate | None
    ) -> AbstractContextManager[Iterable[Any]]:
        passing = reader if where is None else reader.filtered(where)
        selected = passing if names is None else passing.select(names)
        return closing(selected.read_all_decoded(batch_size=batch_size, threads=threads))

    return _lazy_frame("scan_dataset()", reader.schema, opened)


def _scan_of(dataset: Dataset, columns: Sequence[str] | None, threads: int | None, on_error: OnError) -> Any:
    """Returns the scan of a dataset."""
    pyarrow: Any = needed("pyarrow", "for scan_dataset()")
    schema = pyarrow.schema(dataset.arrow_schema)
    if columns is not None:
        missing = [name for name in columns if name not in schema.names]
        if missing:
            raise SchemaError(f"expected columns of {schema.names}, found {missing}")
        schema = pyarrow.schema([schema.field(name) for name in columns])

    @contextmanager
    def opened(
        _: list[str] | None, batch_size: int, where: Predicate | None
    ) -> Generator[Iterable[Any], None, None]:
        passing = dataset if where is None else dataset.filter(where)
        with passing.record_batches(batch_size=batch_size, threads=threads, on_error=on_error) as batches:
            yield batches
            log_skipped(batches.report())

    return _lazy_frame("scan_dataset()", schema, opened)


def _lazy_frame(
    function: str,
    schema: Any,
    opened: Callable[[list[str] | None, int, Predicate | None], AbstractContextManager[Iterable[Any]]],
) -> Any:
    """Returns the `polars.LazyFrame` of a scan.

    Args:
        function: Name of the function for messages.
        schema: An Arrow schema of all columns.
        opened: Opens the files, with the names of the columns to decode (None: all columns), the number of
            rows of a batch, and the predicate of the rows (None: all rows). Its batches may have more
            columns.
    """
    polars: Any = needed("polars", f"for {function}")
    from arrowfeed._expressions.of_polars import pushed  # noqa: PLC0415 - imports polars

    register_io_source: Any = needed("polars.io.plugins", f"for {function}").register_io_source
    types = polars_schema(schema)
    names = list(types)
    # A frame without columns has no rows in polars: one column carries the number of rows.
    counted = [name for name in names if types[name] is not None][:1] or names[:1]

    def frames(
        with_columns: list[str] | None, predicate: Any, n_rows: int | None, batch_size: int | None
    ) -> Iterator[Any]:
        columns = with_columns
        if columns is not None and not columns:
            columns = counted
        size = batch_size or _ROWS
        size = size if n_rows is None else max(1, min(size, n_rows))
        left = n_rows
        where, is_whole = None, predicate is None
        # A limit that polars passes counts the rows before the filter.
        if predicate is not None and n_rows is None:
            where, is_whole = pushed(predicate, types)
        with ExitStack() as files:
            try:
                reader = files.enter_context(opened(columns, size, where))
            except OptionError:
                # The column has no comparison.
                where, is_whole = None, predicate is None
                reader = files.enter_context(opened(columns, size, where))
            for batch in reader:
                frame = polars_frame(batch, names if columns is None else columns)
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                if not is_whole:
                    frame = frame.filter(predicate)
                yield frame if with_columns is None else frame.select(with_columns)
                if left == 0:
                    return

    declared = {name: polars.Object if found is None else found for name, found in types.items()}
    return register_io_source(frames, schema=polars.Schema(declared), validate_schema=True, is_pure=True)
