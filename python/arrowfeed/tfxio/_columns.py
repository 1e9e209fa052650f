"""Selection of the columns and tensors of Avro records, which depends only on schemas."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from arrowfeed._arrowfeed import (
    AvroRecordDecoder,
    Dense,
    Ragged,
    Representation,
    Sparse,
    infer_representations,
    representations_from_tfmd,
)
from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arrowfeed._arrowfeed import AvroSchema, Limits, VarLenRagged, VarLenSparse
    from arrowfeed.types import Encoding

Path = tuple[str, ...]
"""Path of a column: its name, and the names of fields in its structs."""


class Columns(NamedTuple):
    """The columns that are read, and their tensors.

    Attributes:
        names: Names of the columns, for `arrowfeed.read_avro`.
        schema: The `pyarrow.Schema` of batches in the encoding `tfx`.
        representations: Representations of the tensors by name.
    """

    names: list[str]
    schema: Any
    representations: dict[str, Representation]

    def representations_of(self, wanted: Iterable[str]) -> dict[str, Representation]:
        """Returns the representations of some of the tensors, in their order.

        Raises:
            ValueError: A name is not that of a tensor.
        """
        names = set(wanted)
        unknown = names - self.representations.keys()
        if unknown:
            raise ValueError(
                f"Unable to project {unknown} because they were not in the original "
                "or inferred TensorRepresentations."
            )
        return {name: one for name, one in self.representations.items() if name in names}


def columns_of(avro_schema: AvroSchema, features: bytes | None, limits: Limits) -> Columns:
    """Returns the columns of a TensorFlow Metadata schema or, without a schema, all columns.

    Without a schema, a column with exactly one value per row becomes a dense tensor. Lists and nullable
    columns become sparse tensors; lists of lists and fields of records become ragged tensors.

    Args:
        avro_schema: The schema of the records.
        features: The bytes of the TensorFlow Metadata schema.
        limits: Limits of the schema.

    Raises:
        SchemaError: A feature is not a field of the records, or the encoding `tfx` does not support the type
            of a field.
        ValueError: A feature has another type than its column, or its representation cannot be determined.
    """
    if features is None:
        schema = _arrow_schema(avro_schema, None, "tfx", limits)
        native = _arrow_schema(avro_schema, None, "native", limits)
        inferred = infer_representations(schema)
        fields = {field.name: field for field in native}
        representations = {name: _always(name, one, fields.get(name)) for name, one in inferred.items()}
        return Columns(schema.names, schema, representations)
    messages: Any = importlib.import_module("tensorflow_metadata.proto.v0.schema_pb2")
    declared = {feature.name: feature for feature in reversed(messages.Schema.FromString(features).feature)}
    names = list(reversed(declared))
    schema = _arrow_schema(avro_schema, names, "tfx", limits)
    for name in names:
        _check(name, messages.FeatureType.Name(declared[name].type), schema.field(name).type)
    return Columns(names, schema, representations_from_tfmd(features))


def projected(columns: Columns, avro_schema: AvroSchema, wanted: Iterable[str], limits: Limits) -> Columns:
    """Returns the columns for some of the tensors. Columns and tensors keep their order.

    Raises:
        ValueError: A name is not that of a tensor.
    """
    representations = columns.representations_of(wanted)
    paths = {path for one in representations.values() for path in source_columns(one)}
    order = {name: place for place, name in enumerate(columns.schema.names)}
    needed = [".".join(path) for path in sorted(paths, key=lambda path: (order[path[0]], path))]
    return Columns(needed, _arrow_schema(avro_schema, needed, "tfx", limits), representations)


def _arrow_schema(
    avro_schema: AvroSchema, names: list[str] | None, encoding: Encoding, limits: Limits
) -> Any:
    options: dict[str, Any] = {"columns": names, "encoding": encoding, "limits": limits}
    return AvroRecordDecoder(avro_schema, name="schema", **options).schema.to_pyarrow()


def _always(name: str, inferred: Representation, field: Any) -> Representation:
    """Returns `Dense` if the column has exactly one value per row. `field`: its field in native encoding."""
    if field is None or field.nullable or field.type.num_fields > 0:
        return inferred
    return Dense(name)


_TYPES = {
    "INT": ("int64",),
    "FLOAT": ("float", "double"),
    "BYTES": ("large_binary",),
}
"""Allowed value types of a column, by their pyarrow names."""


def _check(name: str, declared: str, found: Any) -> None:
    """Raises ValueError if a column does not match its feature."""
    values = found
    while hasattr(values, "value_type"):
        values = values.value_type
    fits = (
        hasattr(values, "get_field_index")
        if declared == "STRUCT"
        else str(values) in _TYPES.get(declared, ())
    )
    if not fits and declared != "TYPE_UNKNOWN" and str(values) != "null":
        raise ValueError(f"feature {name!r}: expected a column of {declared}, found {found}")


def source_columns(representation: Representation) -> list[Path]:
    """The columns and record fields of a tensor."""
    made = cast("Dense | Ragged | Sparse | VarLenRagged | VarLenSparse", representation)
    crossed = [_path(key) for transform in made.transform for key in transform.keys]
    return [*_own_columns(representation), *crossed]


def _own_columns(representation: Representation) -> list[Path]:
    if isinstance(representation, Ragged):
        path = _path(representation.path)
        siblings = [name for name in representation.partitions if isinstance(name, str)]
        return [path, *((*path[:-1], name) for name in siblings)]
    if isinstance(representation, Sparse):
        return [_path(column) for column in (*representation.index_columns, representation.value_column)]
    return [_path(cast("Dense | VarLenSparse | VarLenRagged", representation).column)]


def _path(column: str | tuple[str, ...] | list[str]) -> Path:
    return tuple(column.split(".")) if isinstance(column, str) else tuple(column)


def with_nulls(schema: Any, batch: Any) -> Any:
    """Returns a pyarrow batch with the columns of the schema: those that the batch does not have are null."""
    pa = framework("pyarrow")
    known = set(batch.schema.names)
    columns = [
        batch.column(field.name) if field.name in known else pa.nulls(batch.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
