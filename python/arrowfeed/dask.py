"""Dask: `read_dataset`, which reads files of any format as a Dask DataFrame.

    from arrowfeed.dask import read_dataset

    rows = read_dataset("part-*.avro")

Each partition of the DataFrame is one split of the files. Importing this module imports dask.dataframe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from arrowfeed._engines.splits import SPLIT_BYTES, UNIONS, SplitSource, check_on_error
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed._arrowfeed import Split
    from arrowfeed._engines.splits import SplitReader
    from arrowfeed.types import OnError, PredicateLike, Source

dd: Any = needed("dask.dataframe", "for arrowfeed.dask")
pa: Any = needed("pyarrow", "for arrowfeed.dask")
pd: Any = needed("pandas", "for arrowfeed.dask")

__all__ = ["read_dataset"]

DtypeBackend: TypeAlias = Literal["pyarrow", "numpy_nullable"]
"""Types of the columns: those of Arrow, or the nullable types of pandas."""

_NULLABLE: dict[str, str] = {
    "bool": "boolean",
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "uint8": "UInt8",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float": "Float32",
    "double": "Float64",
    "string": "string",
    "large_string": "string",
}
"""Nullable pandas types by Arrow types. Columns of all other types keep their Arrow type."""


def read_dataset(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    split_bytes: int = SPLIT_BYTES,
    on_error: OnError = "raise",
    dtype_backend: DtypeBackend = "pyarrow",
    **options: Any,
) -> Any:
    """Reads files as a `dask.dataframe.DataFrame`, with one partition for each split.

    The content of the first file determines the format, as in `open_dataset`. The call reads the metadata of
    all files, such as the header of an Avro file; without a `schema`, it reads TFRecord, CSV and JSON lines
    files as a whole. The workers read the rows. A task decodes only the columns that the computation uses. A
    task that Dask repeats returns the same rows, or raises `ChangedError` if the file has changed.

    Args:
        source: A path, a glob, a directory, a URL, or a list of these. All workers need read access.
        columns: As in the dataset class of the format, such as `AvroDataset`. None: all columns.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        split_bytes: Target size of a split in bytes. A split is decoded as a whole, and needs several times
            this memory.
        on_error: How to handle damaged data, as in `Dataset.read_split`.
        dtype_backend: Types of the columns. `"pyarrow"`: `pandas.ArrowDtype`. `"numpy_nullable"`: the
            nullable types of pandas for booleans, numbers and strings, and `pandas.ArrowDtype` for all other
            types.
        **options: Options of the dataset class of the format, such as `limits` and `storage_options`. The
            tasks contain them, but the splits do not.

    Returns:
        A `dask.dataframe.DataFrame`. The index of each partition begins with 0.

    Raises:
        OptionError: A source has no path.
        SchemaError: The columns of a file differ from those of the first file.
        ValueError: `dtype_backend` or another option has an invalid value.
        ArrowfeedError, OSError: As in `open_dataset`; in the tasks, as in `Dataset.read_split`.

    Example:
        >>> rows = arrowfeed.dask.read_dataset("part-*.avro", split_bytes=16 << 20)
        >>> int(rows["id"].sum().compute())
        499500
    """
    if dtype_backend not in ("pyarrow", "numpy_nullable"):
        expected = "expected 'pyarrow' or 'numpy_nullable'"
        raise ValueError(f"dtype_backend: {expected}, found {dtype_backend!r}")
    check_on_error(on_error)
    planned = SplitSource(source, options, UNIONS, columns=columns, where=where)
    splits = planned.plan(split_bytes)
    read = _Read(planned.reader(on_error=on_error), dtype_backend)
    if not splits:
        return dd.from_pandas(read.frame([], read.reader.schema), npartitions=1)
    return dd.from_map(read, splits, meta=read.frame([], read.reader.schema), label="read-dataset")


class _Read:
    """Reads a split as a pandas DataFrame.

    Args:
        reader: The reader of all columns.
        dtype_backend: As in `read_dataset`.
    """

    def __init__(self, reader: SplitReader, dtype_backend: DtypeBackend) -> None:
        self.reader = reader
        self._dtype_backend = dtype_backend

    # `from_map` always passes the columns because the argument is required, so an empty list reaches this
    # function too.
    def __call__(self, split: Split, columns: list[str]) -> Any:
        """Returns the rows of a split with some of the columns."""
        reader = self.reader.select(columns)
        return self.frame(list(reader.read(split)), reader.schema)

    def frame(self, batches: list[Any], schema: Any) -> Any:
        """Returns batches as one DataFrame with the types of `dtype_backend`."""
        if not schema.names:
            return pd.DataFrame(index=pd.RangeIndex(sum(batch.num_rows for batch in batches)))
        return pa.Table.from_batches(batches, schema).to_pandas(types_mapper=self._dtype)

    def __dask_tokenize__(self) -> tuple[str, str]:
        """Identifies the source and the types, without the options of the source."""
        return self.reader.key, self._dtype_backend

    def _dtype(self, kind: Any) -> Any:
        """Returns the pandas type of an Arrow type."""
        name = _NULLABLE.get(str(kind)) if self._dtype_backend == "numpy_nullable" else None
        return pd.ArrowDtype(kind) if name is None else pd.api.types.pandas_dtype(name)
