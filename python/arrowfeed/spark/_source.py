"""`ArrowfeedSource`, the data source of the format `arrowfeed`, and its reader."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._engines.groups import groups_of
from arrowfeed._engines.splits import UNIONS, SplitSource
from arrowfeed._errors import SchemaError
from arrowfeed.spark._imported import sources
from arrowfeed.spark._options import read_options, write_options
from arrowfeed.spark._types import arrow_schema, converted, readable, spark_schema
from arrowfeed.spark._write import FilesWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arrowfeed._arrowfeed import Split
    from arrowfeed._engines.splits import SplitReader
    from arrowfeed.spark._options import ReadOptions

_GROUP_PICKLE = 900
"""Maximum size in bytes of the pickle of several splits, so that a partition pickles to less than 1 KB."""

_NULLABLE = ("nullable", "containsNull", "valueContainsNull")
"""Keys of the JSON of a Spark schema."""


class ArrowfeedSource(sources.DataSource):
    """The format `arrowfeed`. Spark creates the objects of this class.

    Args:
        options: Options as strings; the page "Spark" lists them.
    """

    @classmethod
    def name(cls) -> str:
        """Returns the name of the format."""
        return "arrowfeed"

    def schema(self) -> Any:
        """Infers the `StructType` of the rows.

        Raises:
            SchemaError: Spark has no type for a column.
            Exception: As in `open_dataset`.
        """
        return spark_schema(readable(_split_source(read_options(self.options)).schema))

    def reader(self, schema: Any) -> Any:
        """Returns the reader of the rows.

        Args:
            schema: The inferred schema or that of the caller, whose fields select the columns.

        Raises:
            SchemaError: A field of the schema is not a column of the files, or has another type.
            Exception: As in `open_dataset`.
        """
        return SplitsReader(read_options(self.options), schema)

    def writer(self, schema: Any, overwrite: bool) -> Any:  # noqa: FBT001 - Spark's signature
        """Returns the writer of Avro files.

        Args:
            schema: The `StructType` of the rows.
            overwrite: Whether the new files replace the Avro files of the directory.

        Raises:
            SchemaError: Avro has no type for a column.
            ValueError: An option is unknown or has an invalid value.
            OSError: The directory cannot be created.
        """
        options = write_options(self.options)
        return FilesWriter(options, arrow_schema(schema), overwrite=overwrite)


class SplitsReader(sources.DataSourceReader):
    """Reads splits of files as record batches. The driver plans; executors unpickle the reader and read.

    Args:
        options: Options of the read.
        schema: The `StructType` of the rows.
    """

    def __init__(self, options: ReadOptions, schema: Any) -> None:
        source = _split_source(options)
        _check(schema, spark_schema(readable(source.schema)), has_columns="columns" in options.dataset)
        self._split_bytes = options.split_bytes
        self._splits = source.plan(options.split_bytes)
        self._reader: SplitReader = source.reader(
            schema.fieldNames(), batch_size=options.batch_size, on_error=options.on_error
        )
        self._schema = readable(self._reader.schema)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state without the splits, of which each task gets a group."""
        return {**self.__dict__, "_splits": None}

    def partitions(self) -> list[Any]:
        """Returns a partition for each large split, and for each group of small ones."""
        return [sources.InputPartition(part) for part in parts_of(self._splits, self._split_bytes)]

    def read(self, partition: Any) -> Iterator[Any]:
        """Yields the record batches of a partition. Without splits, Spark passes None.

        Raises:
            Exception: As in `SplitReader.read`.
        """
        if partition is not None:
            for split in partition.value:
                for batch in self._reader.read(split):
                    yield converted(batch, self._schema)


def _split_source(options: ReadOptions) -> SplitSource:
    return SplitSource(options.source, options.dataset, UNIONS, where=options.where)


def parts_of(splits: list[Split], target_bytes: int) -> list[list[Split]]:
    """Groups small splits that follow each other, because each task costs Spark 0.1 to 0.2 s of CPU time.

    A group has at most `target_bytes`, and its pickle at most `_GROUP_PICKLE` bytes.
    """
    return groups_of(splits, target_bytes, lambda group: len(pickle.dumps(group)) <= _GROUP_PICKLE)


def _check(schema: Any, inferred: Any, *, has_columns: bool) -> None:
    """Checks the schema of the caller.

    Raises:
        SchemaError: A field is not a column of the files, or has another type; or two fields have the same
            name.
    """
    names: list[str] = schema.fieldNames()
    if has_columns and names != inferred.fieldNames():
        found = f"the option columns and a schema of the fields {names}"
        message = f"expected the columns {inferred.fieldNames()}, found {found}"
        raise SchemaError(f"{message}: use either the option or the schema")
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise SchemaError(f"expected fields with different names, found {twice} several times")
    fields = {field.name: field for field in inferred.fields}
    for field in schema.fields:
        column = fields.get(field.name)
        if column is None:
            raise SchemaError(f"expected one of the columns {list(fields)}, found '{field.name}'")
        if not _fits(field.jsonValue(), column.jsonValue()):
            message = f"expected {_described(column)}, found {_described(field)} in the schema of the caller"
            raise SchemaError(f"{field.name}: {message}")


def _fits(given: Any, column: Any) -> bool:
    """Returns whether a part of a schema as JSON equals that of the files, or may also be null."""
    if isinstance(given, dict):
        parts: dict[str, Any] = dict(cast("dict[str, Any]", given))
        return all(
            name == "metadata" or (name in _NULLABLE and part is True) or _fits(part, column.get(name))
            for name, part in parts.items()
        )
    if isinstance(given, list):
        items = cast("list[Any]", given)
        return len(items) == len(column) and all(map(_fits, items, column))
    return bool(given == column)


def _described(field: Any) -> str:
    return field.dataType.simpleString() + ("" if field.nullable else " not null")
