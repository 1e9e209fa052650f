"""Arrow data: `Schema`, `Array`, `RecordBatch`."""

from typing import Any, final

@final
class Schema:
    """Names and Arrow types of columns. Any Arrow library takes it: `pyarrow.schema(schema)`.

    Two schemas are equal when names, types, nullability and metadata are. Picklable.

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
        """The schema's own key-value pairs."""

    def to_pyarrow(self) -> Any:
        """The same schema as a `pyarrow.Schema`.

        Raises:
            ImportError: pyarrow is not installed.
        """

    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Array:
    """One column of a batch: values and their field. Any Arrow library takes it: `pyarrow.array(array)`.

    Example:
        >>> batch.column("id")
        <arrowfeed.Array id: Int64 of 8192 values, 0 nulls>
    """

    @property
    def name(self) -> str:
        """Name of the column."""

    @property
    def type(self) -> str:
        """Text form of the Arrow type, as `List(Float32)`."""

    @property
    def null_count(self) -> int:
        """Number of null values."""

    def to_pyarrow(self) -> Any:
        """The same array as a `pyarrow.Array`; it is not copied.

        Raises:
            ImportError: pyarrow is not installed.
        """

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class RecordBatch:
    """Rows in columns of one length.

    Any Arrow library takes it without a copy: `pyarrow.record_batch(batch)`.

    Example:
        >>> batch = next(arrowfeed.read_avro("part-0.avro"))
        >>> batch.num_rows, batch.schema.names
        (8192, ['id', 'name'])
    """

    @property
    def num_rows(self) -> int:
        """Number of rows."""

    @property
    def num_columns(self) -> int:
        """Number of columns. A batch without columns still has rows."""

    @property
    def schema(self) -> Schema:
        """Names and types of the columns."""

    def column(self, name: str) -> Array:
        """The column of a name.

        Args:
            name: Of a top-level column; the first one where several have it.

        Raises:
            KeyError: No column has this name.

        Example:
            >>> numpy.asarray(batch.column("id").to_pyarrow())
            array([1, 2, 3])
        """

    def to_pyarrow(self) -> Any:
        """The same batch as a `pyarrow.RecordBatch`; it is not copied.

        Raises:
            ImportError: pyarrow is not installed.
        """

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
