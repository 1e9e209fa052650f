"""The files of a scan of an Iceberg table, in the form that the compiled module reads."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._libraries import needed
from arrowfeed._urls import scheme_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)

_GLOB = "*?["


def location(path: str) -> str:
    """Returns the path or URL of a file of a table.

    A location is not percent-encoded, unlike a URL: the name of a partition directory may have a `%`.

    Raises:
        ValueError: The URL has a character of globs.
    """
    scheme = scheme_of(path)
    if path.startswith("file:"):
        rest = path.removeprefix("file:")
        return "/" + rest.lstrip("/")
    if scheme is not None and any(character in path for character in _GLOB):
        raise ValueError(f"expected a location without *, ? and [, found {path}")
    return path


class ScanSchemas(NamedTuple):
    """The schemas with which a scan is read."""

    whole: Any
    """All columns."""
    selected: Any
    """The columns that the scan selects."""

    @classmethod
    def of(cls, scan: Any) -> ScanSchemas:
        """The schemas that the scan itself states: that of its snapshot, or the current one of the table."""
        return cls(scan.update(selected_fields=("*",)).projection(), scan.projection())

    def of_id(self, scan: Any, schema_id: int) -> ScanSchemas:
        """The same columns in another schema of the table.

        Raises:
            ValueError: The table does not have the schema.
        """
        known = {schema.schema_id: schema for schema in scan.table_metadata.schemas}
        if schema_id not in known:
            raise ValueError(f"expected schema {schema_id} in the table, found {sorted(known)}")
        schema: Any = needed("pyiceberg.schema", "to read a scan of it")
        ids = self.selected.field_ids & known[schema_id].field_ids
        return ScanSchemas(
            known[schema_id], schema.prune_columns(known[schema_id], ids, select_full_types=False)
        )


def scan_json(scan: Any, tasks: list[Any], schemas: ScanSchemas) -> str:
    """Returns the JSON text of a scan: its snapshot, schema, columns and data files.

    Raises:
        NotImplementedError: A data file has another format than Parquet and Avro.
    """
    whole, selected = schemas
    mapping = scan.table_metadata.name_mapping()
    specs = scan.table_metadata.specs()
    fields = {field.field_id: field for field in whole.fields}
    text = {
        "snapshot-id": snapshot_id(scan),
        "schema": json.loads(whole.model_dump_json()),
        "name-mapping": None if mapping is None else json.loads(mapping.model_dump_json()),
        "columns": None if "*" in scan.selected_fields else list(_paths(whole.fields, selected.fields, "")),
        "files": [_file(task.file, specs[task.file.spec_id], fields) for task in tasks],
    }
    return json.dumps(text)


def snapshot_id(scan: Any) -> int | None:
    """The snapshot that a scan reads, or the last one of a scan of several; None for a table without one."""
    if hasattr(scan, "snapshot"):
        snapshot = scan.snapshot()
        return None if snapshot is None else snapshot.snapshot_id
    last = getattr(scan, "to_snapshot_id", None)
    if last is not None:
        return last
    current = scan.table_metadata.current_snapshot()
    return None if current is None else current.snapshot_id


def step(path: str, name: str) -> str:
    """Appends the name of a field to a field path."""
    if not name or name != name.strip() or any(character in name for character in ".[]'"):
        quoted = name.replace("'", "''")
        return f"{path}['{quoted}']"
    return f"{path}.{name}" if path else name


def _paths(whole: Iterable[Any], selected: Iterable[Any], path: str) -> Iterable[str]:
    """The field paths of selected fields among all fields."""
    by_id = {field.field_id: field for field in whole}
    for field in selected:
        here = step(path, field.name)
        of_whole = by_id[field.field_id].field_type
        if of_whole == field.field_type:
            yield here
        else:
            yield from _paths(_inside(of_whole), _inside(field.field_type), here)


def _inside(data_type: Any) -> Iterable[Any]:
    """The fields of a struct, through lists and maps."""
    types: Any = needed("pyiceberg.types", "to read a scan of it")
    while not isinstance(data_type, types.StructType):
        data_type = data_type.element_type if isinstance(data_type, types.ListType) else data_type.value_type
    return data_type.fields


def _file(file: Any, spec: Any, fields: dict[int, Any]) -> dict[str, Any]:
    """A data file, with the values of its identity partitions."""
    transforms: Any = needed("pyiceberg.transforms", "to read a scan of it")
    name = file.file_format.value.lower()
    if name not in ("avro", "parquet"):
        raise NotImplementedError(
            f"{file.file_path}: expected a data file of Parquet or Avro, found {name.upper()}"
        )
    partition = {}
    for number, field in enumerate(spec.fields):
        source = fields.get(field.source_id)
        if source is not None and isinstance(field.transform, transforms.IdentityTransform):
            partition[str(field.source_id)] = _value(file.partition[number], source.field_type)
    return {"format": name, "partition": partition}


def _value(value: Any, data_type: Any) -> Any:
    """A partition value as a JSON value."""
    for kind, converted in _JSON:
        if isinstance(value, kind):
            return converted(value, data_type)
    return value


def _unscaled(value: decimal.Decimal, data_type: Any) -> str:
    return str(int(decimal.Context(prec=100).scaleb(value, data_type.scale)))


def _microseconds(value: dt.datetime, _: Any) -> int:
    instant = value if value.tzinfo else value.replace(tzinfo=dt.timezone.utc)
    return (instant - _EPOCH) // dt.timedelta(microseconds=1)


_JSON: tuple[tuple[type, Callable[[Any, Any], Any]], ...] = (
    (decimal.Decimal, _unscaled),
    (float, lambda value, _: value if math.isfinite(value) else str(value)),
    (uuid.UUID, lambda value, _: value.bytes.hex()),
    (bytes, lambda value, _: value.hex()),
    (dt.datetime, _microseconds),
    (dt.date, lambda value, _: (value - _EPOCH.date()).days),
)
"""The JSON values of types. A datetime is also a date."""
