"""Arrow data: `Schema`, `Array`, `RecordBatch`, and their frames of polars."""

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt

from arrowfeed.types import ArrowArrayExportable, ArrowSchemaExportable, PredicateLike

@final
class Schema:
    """The names and Arrow types of columns.

    Any Arrow library accepts a schema: `pyarrow.schema(schema)`.

    Two schemas are equal if their names, types, nullability and metadata are equal. Schemas can be pickled.

    Example:
        >>> arrowfeed.read_avro("part-0.avro").schema
        <arrowfeed.Schema of 2 columns>
          id: Int64 not null
          name: Utf8
    """

    @property
    def names(self) -> list[str]:
        """Names of the columns, in order."""

    @property
    def metadata(self) -> dict[str, str]:
        """Key-value metadata of the schema."""

    def to_pyarrow(self) -> Any:
        """Converts the schema to a `pyarrow.Schema`.

        Raises:
            ImportError: pyarrow is not installed.
        """

    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Array:
    """One column of a batch: its values, name and type.

    Any Arrow library accepts an array without a copy: `pyarrow.array(array)`.

    Example:
        >>> batch.column("id")
        <arrowfeed.Array id: Int64 of 8192 values, 0 nulls>
    """

    @property
    def name(self) -> str:
        """Name of the column."""

    @property
    def type(self) -> str:
        """Text form of the Arrow type, such as `List(Float32)`."""

    @property
    def null_count(self) -> int:
        """Number of null values."""

    def to_pyarrow(self) -> Any:
        """Converts the array to a `pyarrow.Array` without a copy.

        Raises:
            ImportError: pyarrow is not installed.
        """

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Converts the values to a numpy array, for `numpy.asarray(array)`.

        An array of numbers without nulls shares the memory of the column, so it is read-only. The conversion
        rounds no value. The Arrow type determines the numpy type:

        | Arrow | numpy |
        |---|---|
        | integers, floats | the same type; a null float is NaN |
        | Boolean | bool |
        | Date, Timestamp, Duration | datetime64 or timedelta64; a null is NaT |
        | Utf8, Binary, FixedSizeBinary | `object`: `str` or `bytes` |
        | integers or Boolean with nulls | `object`: a null is `None` |
        | Dictionary | the values |
        | all others | `object`, as `pyarrow.Array.to_pylist` converts them |

        Args:
            dtype: The numpy type to convert to, as in `numpy.ndarray.astype`. None: the type in the table
                above.
            copy: True: always copies. None: copies only if the conversion needs a copy. False: a needed copy
                is an error.

        Raises:
            ImportError: The Arrow type is in the last row of the table, and pyarrow is not installed.
            ValueError: `copy` is False, and `dtype` needs a copy.

        Example:
            >>> numpy.asarray(batch["id"])
            array([1, 2, 3])
        """

    def __iter__(self) -> Iterator[Any]:
        """Iterates over the values, as `numpy.asarray(array)` converts them.

        `pandas.Series(array)` and `pandas.DataFrame({"id": array})` contain these values too.

        Raises:
            ImportError: As in `__array__`.

        Example:
            >>> [int(value) for value in batch["id"]]
            [1, 2, 3]
        """

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class RecordBatch:
    """A batch of rows: columns of equal length.

    Any Arrow library accepts a batch without a copy: `pyarrow.record_batch(batch)`.

    Example:
        >>> batch = next(arrowfeed.read_avro("part-0.avro"))
        >>> batch
        <arrowfeed.RecordBatch of 8192 rows and 2 columns>
          id: Int64 not null = 1, 2, 3, …
          name: Utf8 = Ada, null, Emmy, …
    """

    @property
    def num_rows(self) -> int:
        """Number of rows."""

    @property
    def num_columns(self) -> int:
        """Number of columns. A batch without columns can still have rows."""

    @property
    def schema(self) -> Schema:
        """Names and types of the columns."""

    def column(self, name: str) -> Array:
        """Returns the column with the given name.

        Args:
            name: Name of a top-level column. If several columns have this name, the first one is returned.

        Raises:
            KeyError: No column has this name.

        Example:
            >>> numpy.asarray(batch.column("id"))
            array([1, 2, 3])
        """

    @overload
    def __getitem__(self, key: str, /) -> Array: ...
    @overload
    def __getitem__(self, key: slice, /) -> RecordBatch:
        """Returns the column with the given name, as `column` does, or the rows of a slice.

        The rows of a slice without a step share the memory of the batch.

        Raises:
            KeyError: No column has this name.
            TypeError: The key is neither a string nor a slice.

        Example:
            >>> batch["id"]
            <arrowfeed.Array id: Int64 of 8192 values, 0 nulls>
            >>> batch[-10:].num_rows
            10
        """

    def filter(
        self, rows: PredicateLike | Iterable[bool | None] | npt.NDArray[np.bool_] | ArrowArrayExportable, /
    ) -> RecordBatch:
        """Returns the rows for which a predicate or a mask is true.

        Args:
            rows: A predicate, as in `Dataset.filter`: `arrowfeed.col("age") >= 18`, its text, or an
                expression of pyarrow or polars. Or a mask: a list or array with a bool for each row; a row
                with a null is left out. In a comparison, a list is its only value.

        Raises:
            OptionError: A column of the predicate does not exist, or has another type than its value.
            ConversionError: A list of a comparison has several values.
            ValueError: The mask has another length, or the text is not a predicate.
            TypeError: The argument is neither a predicate nor a mask.

        Example:
            >>> batch.filter("age >= 18").num_rows
            5120
        """

    def take(self, numbers: Iterable[SupportsIndex] | npt.NDArray[np.integer[Any]], /) -> RecordBatch:
        """Returns rows by their numbers, in the order of `numbers`.

        Args:
            numbers: A list, range, one-dimensional array or other iterable of integers. A number may occur
                several times, and -1 is the last row.

        Raises:
            IndexError: The batch has no row of this number.
            TypeError: `numbers` is not an iterable of integers.

        Example:
            >>> batch.take([7, 7, -1]).num_rows
            3
        """

    def to_pyarrow(self) -> Any:
        """Converts the batch to a `pyarrow.RecordBatch` without a copy.

        Raises:
            ImportError: pyarrow is not installed.
        """

    def to_pandas(self) -> Any:
        """Converts the batch to a `pandas.DataFrame`, with `pyarrow.RecordBatch.to_pandas`.

        Raises:
            ImportError: pyarrow or pandas is not installed.
        """

    def to_polars(self) -> Any:
        """Converts the batch to a `polars.DataFrame`.

        Columns of types that polars lacks are converted to an equal type: decimals of 256 bits with at most
        38 digits, list views, run-end encoded values, and lists and bytes of the fixed size 0.

        Raises:
            SchemaError: polars has no type for a column, such as a union, an interval or a decimal of more
                than 38 digits. `field` is its path.
            ImportError: polars is not installed.
        """

    def __array__(self, *arguments: object, **keywords: object) -> NoReturn: ...
    def __iter__(self) -> NoReturn: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

def one_batch(value: object) -> RecordBatch:
    """Joins the rows of a batch or a table of any library with the Arrow interfaces, as `Dataset.map` does.

    Args:
        value: The result of a function of `Dataset.map`.

    Raises:
        TypeError: The value is no such object.
    """

def polars_schema(schema: ArrowSchemaExportable) -> dict[str, Any]:
    """Returns the `polars.DataType` of each column. None: polars has no type for the column.

    Args:
        schema: An Arrow schema.

    Raises:
        ImportError: polars is not installed.
    """

def polars_frame(batch: RecordBatch, names: list[str]) -> Any:
    """Converts columns of a batch to a `polars.DataFrame`, as `RecordBatch.to_polars`.

    Args:
        batch: The batch.
        names: Names of the columns, in the order of the result.

    Raises:
        SchemaError: polars has no type for a column.
        ValueError: There is no such column.
        ImportError: polars is not installed.
    """
