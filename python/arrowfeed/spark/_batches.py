"""`map_in_arrow`, which gives the record batches of files to a function, without rows of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arrowfeed._engines.splits import SPLIT_BYTES, SplitSource, check_on_error
from arrowfeed.spark._source import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from arrowfeed._arrowfeed import Split
    from arrowfeed._engines.splits import SplitReader
    from arrowfeed.types import OnError, PredicateLike, Source


def map_in_arrow(
    spark: Any,
    source: Source,
    function: Callable[[Iterator[Any]], Iterable[Any]],
    schema: Any,
    *,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    split_bytes: int = SPLIT_BYTES,
    batch_size: int | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Any:
    """Applies a function to the record batches of files, as `DataFrame.mapInArrow` applies it to a DataFrame.

    Spark receives only the batches that the function returns. `spark.read.format("arrowfeed")` turns all
    columns into rows of Spark, which takes more time than the decoding.

    Args:
        spark: The `pyspark.sql.SparkSession`.
        source: As in `open_dataset`, but no file objects and no bytes. All executors must be able to read it.
        function: Receives an iterator of the `pyarrow.RecordBatch`es of one partition, and returns an
            iterator of `pyarrow.RecordBatch`es. It is pickled.
        schema: The schema of the returned batches: a `StructType`, or text such as `"id long, name string"`.
        columns: As in the dataset class of the format, such as `AvroDataset`. None: all columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        split_bytes: Target size of a partition in bytes.
        batch_size: As in `Dataset.read_split`.
        on_error: `"raise"` or `"skip_block"`, as in `Dataset.read_split`.
        **options: Options of the dataset class of the format, such as `limits` and `storage_options`. They
            are part of the function that Spark sends to the executors.

    Returns:
        A `pyspark.sql.DataFrame` of the returned batches.

    Raises:
        OptionError: A source has no path.
        SchemaError: The columns of a file differ from those of the first file.
        ValueError: An option has an invalid value.
        ArrowfeedError, OSError: As in `open_dataset`. An error of a task contains the text of the error.

    Example:
        >>> def total(batches):
        ...     for batch in batches:
        ...         yield pa.record_batch({"total": [pc.sum(batch["id"]).as_py()]})
        >>> totals = map_in_arrow(spark, "part-*.avro", total, "total long")
        >>> totals.agg({"total": "sum"}).first()[0]
        499500
    """
    check_on_error(on_error)
    files = SplitSource(source, options, columns=columns, where=where)
    parts = parts_of(files.plan(split_bytes), split_bytes)
    read = _Mapped(files.reader(batch_size=batch_size, on_error=on_error), parts, function)
    # One number in each partition.
    numbers = spark.range(0, len(parts), 1, max(len(parts), 1))
    return numbers.mapInArrow(read, schema)


class _Mapped:
    """The function of a partition, whose batches contain the numbers of parts.

    Args:
        reader: The reader of the splits.
        parts: The splits of each part.
        function: The function of the caller.
    """

    def __init__(
        self,
        reader: SplitReader,
        parts: list[list[Split]],
        function: Callable[[Iterator[Any]], Iterable[Any]],
    ) -> None:
        self._reader = reader
        self._parts = parts
        self._function = function

    def __call__(self, batches: Iterator[Any]) -> Iterable[Any]:
        """Returns the batches that the function returns."""
        return self._function(self._read(batches))

    def _read(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in cast("list[int]", batch["id"].to_pylist()):
                for split in self._parts[number]:
                    yield from self._reader.read(split)
