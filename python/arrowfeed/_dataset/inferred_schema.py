"""`with_inferred_schema`, which saves copies of a dataset from inferring its columns again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import CsvDataset, JsonLinesDataset, SequenceExampleDataset
from arrowfeed._formats import FORMATS, SEQUENCE_COLUMN

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import Dataset, Schema

_KINDS = {"l": "int64", "f": "float", "Z": "bytes", "z": "bytes", "n": "null"}
"""Kinds of features by the format of their values in Arrow's C data interface."""

_STRUCT = "+s"
"""The format of structs in Arrow's C data interface."""

_WITHOUT_NAMES = (
    "columns",
    "exclude",
    "features",
    "representations",
    "index",
    "sample",
    "types",
    "file_column",
    "row_column",
)
"""Options that do not affect the names of the columns of a CSV file."""


def with_inferred_schema(
    kind: Callable[..., Dataset], source: Any, options: dict[str, Any], schema: Schema
) -> dict[str, Any]:
    """Adds the inferred columns of a dataset to its options.

    A copy of the dataset with the result has the same columns, and opens only the first file.

    Args:
        kind: The dataset class, or a `functools.partial` of it.
        source: The files. The first record is read here for CSV files without names.
        options: The options of the dataset. `partitioning` is not `"hive"`, but the schema of the columns.
        schema: The columns of the dataset before a projection.

    Returns:
        The options with a `schema`, and without a `sample` and `types`. If there is a schema, or if the class
        infers no columns: the same options.
    """
    made: Any = getattr(kind, "func", kind)
    # Such a class reads all files to infer the columns, unless it has a schema.
    is_inferring = any(known.dataset is made and known.has("sample") for known in FORMATS)
    if not is_inferring or options.get("schema") is not None or options.get("raw"):
        return options
    known = {name: value for name, value in options.items() if name not in ("sample", "types")}
    added = _added(options)
    if options.get("exclude") is not None:
        # The schema lacks the excluded columns, except those that are not stored in the files.
        known["exclude"] = [name for name in options["exclude"] if _unquoted(name) in added]
    schema = _without(schema, added)
    known["schema"] = schema if made in (CsvDataset, JsonLinesDataset) else _features(made, schema)
    if made is CsvDataset and not options.get("header", True) and options.get("names") is None:
        # The columns of the schema may be only some of those of the files.
        others = {name: value for name, value in options.items() if name not in _WITHOUT_NAMES}
        names = kind(source, sample=1, representations={}, **others).arrow_schema.names
        known["names"] = [name for name in names if name not in added]
    return known


def _added(options: dict[str, Any]) -> set[str]:
    """The names of the columns that are not stored in the files."""
    partitions = options.get("partitioning")
    names: list[str] = [] if partitions is None else partitions.names
    return {*names, *(options[key] for key in ("file_column", "row_column") if options.get(key) is not None)}


def _unquoted(name: str) -> str:
    """The name of a column, which may be a quoted step of a path."""
    is_quoted = name.startswith("['") and name.endswith("']")
    return name[2:-2].replace("''", "'") if is_quoted else name


def _without(schema: Schema, names: set[str]) -> Schema:
    """Returns a schema without the columns of these names."""
    if not names:
        return schema
    made, arguments = cast("Any", schema.__reduce__())
    (described,) = arguments
    columns = tuple(column for column in described[4] if column[1] not in names)
    return made((*described[:4], columns, *described[5:]))


def _features(made: Any, schema: Schema) -> dict[str, Any]:
    """Returns columns as the argument `schema` of a dataset class of TensorFlow messages."""
    _, (described,) = schema.__reduce__()
    features: dict[str, Any] = {}
    for column in described[4]:
        name, values = column[1], _values(column)
        if made is SequenceExampleDataset and name == SEQUENCE_COLUMN:
            features[name] = {steps[1]: _KINDS[_values(steps)[0]] for steps in values[4]}
        else:
            features[name] = _KINDS[values[0]]
    return features


def _values(column: Any) -> Any:
    """Returns the description of the values in lists, which is a tuple of the format, the name and others."""
    while column[4] and column[0] != _STRUCT:
        column = column[4][0]
    return column
