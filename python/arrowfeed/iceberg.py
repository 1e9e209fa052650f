"""Apache Iceberg: `dataset`, which reads a scan of a table of pyiceberg.

    from arrowfeed import iceberg

    table = catalog.load_table("ads.clicks")
    rows = iceberg.dataset(table.scan(row_filter="day >= '2026-01-01'", selected_fields=("id", "label")))

pyiceberg plans the scan: it finds the data files and delete files of a snapshot. arrowfeed reads them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._arrowfeed import IcebergDataset
from arrowfeed._iceberg.deletes import deleted_positions
from arrowfeed._iceberg.filters import predicate
from arrowfeed._iceberg.scan import ScanSchemas, location, scan_json
from arrowfeed._iceberg.scan import snapshot_id as _of_scan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arrowfeed._arrowfeed import Dataset

__all__ = ["IcebergDataset", "dataset", "snapshot_id"]

_STORES = ("storage_options", "store", "cache", "cache_bytes")


def dataset(scan: Any, *, state: Mapping[str, Any] | None = None, **options: Any) -> Dataset:
    """Opens the data files of a scan of an Iceberg table as a dataset.

    The columns have the names, types and order of the scan. Fields are matched by their identifiers, so that
    columns that were renamed, added, moved or dropped after a file was written are read as the table has
    them now; a column that a file lacks is null, or has the value of its partition. Rows that position
    deletes or deletion vectors delete are left out. The rows are those of `scan.to_arrow()`, in the order of
    the data files. Without `selected_fields`, the dataset reads the columns that its tensors need.

    The dataset reads one snapshot with one schema. Its states contain the identifiers of both, and states of
    others are refused. `state` selects the snapshot and the schema of a state, so that a job that restarts
    after the table has changed goes on with the rows and columns that it began with.

    Args:
        scan: The result of `table.scan(...)` of pyiceberg, with its filter, columns, snapshot and limit.
        state: A state of an iteration: the scan reads the snapshot of this state with its schema. None: those
            of the scan.
        **options: `features`, `representations`, `index`, `limits`, `storage_options`, `store`, `cache` and
            `cache_bytes`, as in `ParquetDataset`. The properties of the catalog that describe stores are not
            used.

    Returns:
        An `IcebergDataset`, filtered by the filter of the scan.

    Raises:
        FileNotFoundError: The scan has no data file.
        NotImplementedError: The table has deletes by equality, or files of another format than Parquet and
            Avro.
        ValueError: The state is not one of a scan; pyiceberg refuses the scan.
        SchemaError: A column has a type that arrowfeed cannot read, or cannot be converted to that of the
            table.
        TypeError: `scan` is a table.
        ImportError: pyiceberg is not installed.
        ArrowfeedError, OSError: As in `ParquetDataset`.

    Example:
        >>> rows = arrowfeed.iceberg.dataset(table.scan(selected_fields=("id", "label")))
        >>> for batch in rows.to_torch(batch_size=1024, shuffle_buffer_size=100_000, seed=7):
        ...     train(batch)
    """
    if hasattr(scan, "scan") and not hasattr(scan, "plan_files"):
        name = type(scan).__name__
        raise TypeError(f"scan: expected a scan of a table, found a {name}: pass table.scan()")
    schemas = ScanSchemas.of(scan)
    if state is not None:
        of_state, schema = _version(state)
        scan, schemas = scan.update(snapshot_id=of_state), schemas.of_id(scan, schema)
    tasks = list(scan.plan_files())
    if not tasks:
        raise FileNotFoundError(f"expected data files in the scan of snapshot {_of_scan(scan)}, found none")
    stores = {name: options[name] for name in _STORES if name in options}
    rows: Dataset = IcebergDataset(
        [location(task.file.file_path) for task in tasks],
        scan=scan_json(scan, tasks, schemas),
        deleted=deleted_positions(scan, tasks, stores),
        **options,
    )
    passing = predicate(scan, schemas.whole)
    if passing is False:
        return rows.take(0)
    if passing is not True:
        rows = rows.filter(passing)
    limit = getattr(scan, "limit", None)
    return rows if limit is None else rows.take(limit)


def snapshot_id(state: Mapping[str, Any]) -> int:
    """Returns the identifier of the snapshot that an iteration has read.

    Args:
        state: The result of `state_dict()` of an iteration over an `IcebergDataset`.

    Raises:
        ValueError: The state is not one of an iteration over a scan.

    Example:
        >>> rows = arrowfeed.iceberg.dataset(table.scan(), state=state)
        >>> arrowfeed.iceberg.snapshot_id(state) == table.current_snapshot().snapshot_id
        True
    """
    return _version(state)[0]


def _version(state: Mapping[str, Any]) -> tuple[int, int]:
    """The identifiers of the snapshot and of the schema that an iteration has read."""
    found = set(re.findall(r"\bsnapshot (\d+) with schema (\d+)", _text(state)))
    if len(found) != 1:
        raise ValueError(f"expected a state of a scan of one snapshot, found {len(found)} snapshots")
    snapshot, schema = found.pop()
    return int(snapshot), int(schema)


def _text(state: Any) -> str:
    """The rows that a state selects, as text."""
    if isinstance(state, dict):
        parts = cast("dict[str, Any]", state).items()
        return " ".join(_text(value) for name, value in parts if name not in ("report", "files"))
    if isinstance(state, list):
        return " ".join(_text(value) for value in cast("list[Any]", state))
    return state if isinstance(state, str) else ""
