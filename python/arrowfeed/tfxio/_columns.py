"""Which columns are read of Avro records, and which tensors are made of them: decided by schemas alone."""

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

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arrowfeed._arrowfeed import AvroSchema, Limits, VarLenRagged, VarLenSparse
    from arrowfeed.types import Encoding

Path = tuple[str, ...]
"""Of a column: its name, and those of fields in its structs."""


class Columns(NamedTuple):
    """What is read and what is made of it.

    Attributes:
        names: Of the columns, for `arrowfeed.read_avro`.
        schema: The `pyarrow.Schema` of batches in the encoding `tfx`.
        representations: Of the tensors, by name.
    """

    names: list[str]
    schema: Any
    representations: dict[str, Representation]

    def representations_of(self, wanted: Iterable[str]) -> dict[str, Representation]:
        """Those of some of the tensors, in their order.

        Raises:
            ValueError: There is no tensor of a name.
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
    """The columns that a schema of TensorFlow Metadata names; without one, all.

    Without one, a column that has one value in each row is a dense tensor, lists and what may be missing are
    sparse, lists of lists and fields of records are ragged.

    Args:
        avro_schema: Of the records.
        features: The bytes of the schema of TensorFlow Metadata.
        limits: Of the schema.

    Raises:
        SchemaError: A feature is no field of the records, or a field has a type that `tfx` has not.
        ValueError: A feature has another type than its column, or its representation cannot be told.
    """
    if features is None:
        schema = _arrow_schema(avro_schema, None, "tfx", limits)
        native = _arrow_schema(avro_schema, None, "native", limits)
        inferred = infer_representations(schema)
        representations = {name: _always(name, one, native) for name, one in inferred.items()}
        return Columns(schema.names, schema, representations)
    messages: Any = importlib.import_module("tensorflow_metadata.proto.v0.schema_pb2")
    declared = {feature.name: feature for feature in reversed(messages.Schema.FromString(features).feature)}
    names = list(reversed(declared))
    schema = _arrow_schema(avro_schema, names, "tfx", limits)
    for name in names:
        _check(name, messages.FeatureType.Name(declared[name].type), schema.field(name).type)
    return Columns(names, schema, representations_from_tfmd(features))


def projected(columns: Columns, avro_schema: AvroSchema, wanted: Iterable[str], limits: Limits) -> Columns:
    """What is read for some of the tensors. Columns and tensors stay in their order.

    Raises:
        ValueError: There is no tensor of a name.
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


def _always(name: str, inferred: Representation, native: Any) -> Representation:
    """Dense, where the column has a value in each row, and one."""
    field = native.field(name) if name in native.names else None
    if field is None or field.nullable or field.type.num_fields > 0:
        return inferred
    return Dense(name)


_TYPES = {
    "INT": ("int64",),
    "FLOAT": ("float", "double"),
    "BYTES": ("large_binary",),
}
"""What the values of a column may be, by pyarrow's names."""


def _check(name: str, declared: str, found: Any) -> None:
    """Raises ValueError, where a column is not what its feature says."""
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
    """The columns, and the fields of records, that a tensor is made of."""
    if isinstance(representation, Ragged):
        path = _path(representation.path)
        siblings = [name for name in representation.partitions if isinstance(name, str)]
        return [path, *((*path[:-1], name) for name in siblings)]
    if isinstance(representation, Sparse):
        return [_path(column) for column in (*representation.index_columns, representation.value_column)]
    return [_path(cast("Dense | VarLenSparse | VarLenRagged", representation).column)]


def _path(column: str | tuple[str, ...] | list[str]) -> Path:
    return tuple(column.split(".")) if isinstance(column, str) else tuple(column)
