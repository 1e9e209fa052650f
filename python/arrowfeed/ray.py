"""Ray Data: `read_dataset`, which reads files as a `ray.data.Dataset`.

    import arrowfeed.ray

    rows = arrowfeed.ray.read_dataset("part-*.avro", columns=["id", "user.scores"])

Several workers can read one file. Importing this module imports ray.
"""

from __future__ import annotations

import copy
import functools
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import Predicate
from arrowfeed._engines.groups import groups_of, size_of
from arrowfeed._engines.splits import SPLIT_BYTES, UNIONS, SplitSource, check_on_error
from arrowfeed._errors import SchemaError
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arrowfeed._arrowfeed import Dataset, Split, TensorSpec
    from arrowfeed._engines.splits import SplitReader
    from arrowfeed.types import FeatureLike, OnError, PredicateLike, RepresentationLike, Source

__all__ = ["read_dataset"]

_PURPOSE = "to read with Ray Data (ray[data])"
_data: Any = needed("ray.data", _PURPOSE)
_ray: Any = needed("ray", _PURPOSE)
_block: Any = needed("ray.data.block", _PURPOSE)
_extensions: Any = needed("ray.data.extensions", _PURPOSE)
_pyarrow: Any = needed("pyarrow", _PURPOSE)

_LEAST_SPLIT_BYTES = 1 << 20
"""Minimum of the default size of a split, below which starting a task takes longer than reading."""

_TASKS_PER_CPU = 4
"""Number of tasks per CPU for files that are too small for splits of `SPLIT_BYTES`."""

_MOST_OF_TARGET = 1.5
"""Maximum size of several splits that one task reads, relative to the target size."""

_STUB = "__bsp_stub"
"""Name of the column that carries the number of rows if there is no other column.

Ray loses the rows of a table without columns. Ray uses the same name for this purpose, and hides the column.
"""

_RENAMES = "get_column_renames"
"""A method that `Datasource` has in versions of Ray that expect a datasource to rename columns too."""


def read_dataset(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    where: PredicateLike | None = None,
    features: Mapping[str, FeatureLike] | None = None,
    representations: Mapping[str, RepresentationLike] | None = None,
    split_bytes: int | None = None,
    batch_size: int | None = 65_536,
    on_error: OnError = "raise",
    override_num_blocks: int | None = None,
    concurrency: int | None = None,
    ray_remote_args: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Reads files of one format, which the content of the first file determines, as a `ray.data.Dataset`.

    The call opens each file and reads only its metadata; without a `schema`, it reads TFRecord, CSV and JSON
    lines files as a whole. A task of Ray reads one part of a large file, or several small files. Ray runs a
    task again if its worker ends; the rows are the same. `select_columns` and `count` of the dataset decode
    only the columns that they need. Without tensors, `filter(expr=...)` leaves out rows while they are
    decoded.

    Args:
        source: As in `open_dataset`, but no file objects and no bytes. All nodes must be able to read it.
        columns: Field paths to read, as in the dataset class of the format. None: all fields or, with
            tensors, the fields that the tensors need.
        where: The predicate of the rows, as in `Dataset.filter`. None: all rows.
        features: Features by name, as in `AvroDataset`. A dense tensor with a fixed shape becomes a column of
            this name: a tensor column of Ray, or a plain column if each row has one value. Other tensors, and
            byte strings with a shape, stay the Arrow columns that they are read from.
        representations: Representations by name, an alternative to `features`.
        split_bytes: Size in bytes of the part of the files that a task reads, at least 1. None: 64 MiB, or
            less (but at least 1 MiB) so that each CPU of the cluster has four tasks.
        batch_size: Maximum number of rows that are decoded at a time. None: as in `Dataset.read_split`.
        on_error: How to handle damaged data: `"raise"` or `"skip_block"`. A worker logs each skipped block.
        override_num_blocks: Approximate number of tasks, an alternative to `split_bytes`. A file can be cut
            only between chunks, so there may be fewer.
        concurrency: Maximum number of tasks that run at the same time. None: Ray decides.
        ray_remote_args: Resources and other options of the tasks, such as `{"num_cpus": 2}`.
        **options: Other options of the dataset class of the format, such as `limits` and `storage_options`.
            They are sent to the workers.

    Returns:
        A `ray.data.Dataset`. The order of its blocks is undefined, unless Ray preserves it.

    Raises:
        OptionError: A source has no path.
        SchemaError: The columns of the files differ, or a tensor and an Arrow column have the same name.
        ValueError: An option has an invalid value, or two options exclude each other.
        TypeError: An option has the wrong type, or the dataset class has no such option.
        ArrowfeedError, OSError: As in `open_dataset`.

    Example:
        >>> rows = arrowfeed.ray.read_dataset("part-*.avro", columns=["id", "value"])
        >>> rows.sum("value")
        499500.0
    """
    given = {"columns": columns, "features": features, "representations": representations}
    options.update((name, value) for name, value in given.items() if value is not None)
    check_on_error(on_error)
    if split_bytes is not None and override_num_blocks is not None:
        raise ValueError("expected split_bytes or override_num_blocks, found both")
    counts = {"override_num_blocks": override_num_blocks, "batch_size": batch_size}
    for name, value in counts.items():
        if value is not None and value < 1:
            raise ValueError(f"{name}: expected an integer of 1 or more, found {value}")
    files = SplitSource(source, options, UNIONS, where=where)
    parts = _parts(files, split_bytes, override_num_blocks)
    datasource = ArrowfeedDatasource(files, parts, {"batch_size": batch_size, "on_error": on_error})
    # Ray would otherwise cut the blocks of a task until there are as many as it considers useful.
    return _data.read_datasource(
        datasource,
        override_num_blocks=max(len(parts), 1),
        concurrency=concurrency,
        **_remote(ray_remote_args or {}),
    )


class ArrowfeedDatasource(_data.Datasource):
    """The datasource of `read_dataset`. Each of its read tasks reads one part of the files.

    Args:
        files: The files.
        parts: The splits of each task.
        reading: Options of `SplitSource.reader`.
    """

    def __init__(
        self,
        files: SplitSource,
        parts: Sequence[Sequence[Split]],
        reading: Mapping[str, Any],
    ) -> None:
        _data.Datasource.__init__(self)
        self._files = files
        self._parts = parts
        self._reading = reading
        self._names: list[str] | None = None
        self._filters: list[Any] = []
        self._rows = _rows(files, None, reading)

    def estimate_inmemory_data_size(self) -> int:
        """Returns the size of the splits in the files. The rows in memory may be larger."""
        return sum(map(size_of, self._parts))

    def get_read_tasks(
        self,
        parallelism: int,  # noqa: ARG002 - the number of tasks was passed to Ray
        per_task_row_limit: int | None = None,
        data_context: Any = None,  # noqa: ARG002 - Ray's signature
    ) -> list[Any]:
        """Returns a task for each part of the files; for files without rows, one task without splits."""
        schema = self._rows.schema
        # The tasks share one object, because it may contain the names of many files.
        rows = _ray.put(self._rows)
        tasks: list[Any] = []
        for part in self._parts or [[]]:
            metadata = _block.BlockMetadata(
                num_rows=None,
                size_bytes=size_of(part),
                input_files=sorted({split.path for split in part}),
                exec_stats=None,
            )
            read = functools.partial(_read, rows, part)
            tasks.append(_data.ReadTask(read, metadata, schema=schema, per_task_row_limit=per_task_row_limit))
        return tasks

    def supports_projection_pushdown(self) -> bool:
        """Returns whether Ray expects that a datasource only selects columns, as it does since 2.60.

        Otherwise Ray selects the columns of complete rows.
        """
        return not hasattr(_data.Datasource, _RENAMES)

    def get_projection_map(self) -> dict[str, str] | None:
        """Returns the selected columns; None if all columns are selected."""
        return None if self._names is None else {name: name for name in self._names}

    def apply_projection(self, projection_map: Mapping[str, str] | None) -> ArrowfeedDatasource:
        """Returns a datasource with only these columns of this one.

        Raises:
            SchemaError: There is no such column.
        """
        if projection_map is None:
            return copy.copy(self)
        names, found = list(projection_map), self._rows.schema.names
        for name in names:
            if name not in found:
                raise SchemaError(f"expected columns among {found}, found {name!r}")
        selected = copy.copy(self)
        selected.__dict__.update(_names=names, _rows=_rows(self._files, names, self._reading, self._filters))
        return selected

    def supports_predicate_pushdown(self) -> bool:
        """Returns whether Ray passes filters. A filter might name a tensor, so there must be none."""
        return not self._files.dataset.specs

    def apply_predicate(self, predicate_expr: Any) -> ArrowfeedDatasource:
        """Returns a datasource of the rows that pass a filter, which pyarrow has."""
        found: ArrowfeedDatasource = _data.Datasource.apply_predicate(self, predicate_expr)
        expression = predicate_expr.to_pyarrow()
        try:
            found._files = self._files.filtered(Predicate(expression, schema=self._files.schema))
        except ValueError:
            # No predicate: pyarrow filters the decoded rows.
            found._filters = [*self._filters, expression]
        found._rows = _rows(found._files, found._names, found._reading, found._filters)
        return found


class _Rows(NamedTuple):
    """The rows of a split as tables. Every task contains it."""

    reader: SplitReader
    """The reader of the splits."""
    columns: list[str]
    """Names of the columns, in this order."""
    tensors: frozenset[str]
    """Names of the columns that are tensors. The others are columns of the batches."""
    filters: list[Any]
    """Expressions of pyarrow that the rows must pass. Only without tensors."""

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of the tables. Ray shows no stub."""
        table = self.table(_empty(self.reader.schema))
        return table.schema if self.columns else _pyarrow.schema([])

    def table(self, batch: Any) -> Any:
        """Converts a batch of the reader to a table."""
        if not self.tensors:
            rows = _pyarrow.Table.from_batches([batch])
            for expression in self.filters:
                rows = rows.filter(expression)
            return rows.select(self.columns) if self.columns else _stub(rows.num_rows)
        if not self.columns:
            return _stub(batch.num_rows)
        tensors: Mapping[str, Any] = self.reader.convert(batch)
        arrays: list[Any] = []
        fields: list[Any] = []
        for name in self.columns:
            if name in self.tensors:
                arrays.append(_array(tensors[name]))
                fields.append(_pyarrow.field(name, arrays[-1].type))
            else:
                arrays.append(batch[name])
                fields.append(batch.schema.field(name))
        return _pyarrow.Table.from_arrays(arrays, schema=_pyarrow.schema(fields))


def _stub(rows: int) -> Any:
    """Returns a table without other columns."""
    return _pyarrow.table({_STUB: _pyarrow.nulls(rows)})


def _rows(
    files: SplitSource,
    names: Sequence[str] | None,
    reading: Mapping[str, Any],
    filters: Sequence[Any] = (),
) -> _Rows:
    """Returns the rows with the columns of these names, or with all columns.

    Raises:
        SchemaError: A tensor and an Arrow column have the same name.
    """
    dataset = files.dataset
    fixed = {name for name, spec in dataset.specs.items() if _is_fixed(spec)}
    if not fixed:
        columns = list(dataset.arrow_schema.names if names is None else names)
        read = None if filters else columns
        return _Rows(files.reader(read, **reading), columns, frozenset(), list(filters))
    others = [name for name in dataset.specs if name not in fixed]
    consumed = _columns(dataset, sorted(fixed)) - _columns(dataset, others)
    arrow = [name for name in dataset.arrow_schema.names if name not in consumed]
    for name in arrow:
        if name in fixed:
            message = f"expected a tensor with another name than an Arrow column of the rows, found {name!r}"
            raise SchemaError(f"{message}: rename the tensor")
    every = [name for name in dataset.specs if name in fixed] + arrow
    columns = every if names is None else list(names)
    wanted = set(columns)
    if wanted.intersection(arrow) - _columns(dataset, others):
        # The caller has named columns that no tensor needs, so all named columns are read.
        return _Rows(files.reader(**reading), columns, frozenset(fixed & wanted), [])
    tensors = [name for name in dataset.specs if name in fixed & wanted]
    # The columns of other tensors are read for the rows alone.
    tensors += [name for name in others if _columns(dataset, [name]) & wanted]
    return _Rows(files.reader(tensors=tensors, **reading), columns, frozenset(fixed & wanted), [])


def _columns(dataset: Dataset, tensors: Sequence[str]) -> set[str]:
    """The names of the columns from which these tensors are made."""
    return set(dataset.project(tensors).arrow_schema.names) if tensors else set()


def _is_fixed(spec: TensorSpec) -> bool:
    """Whether a column of Ray can have the tensor. Ray has no tensors of byte strings."""
    inner = spec.shape[1:]
    if spec.kind != "dense" or spec.dtype is None or None in inner:
        return False
    return not (inner and spec.dtype.hasobject)


def _array(tensor: Any) -> Any:
    """Converts a dense tensor to an Arrow array that has one element per row."""
    if len(tensor.shape) == 1:
        return _pyarrow.array(tensor.arrow)
    return _extensions.ArrowTensorArray.from_numpy(tensor.values)


def _empty(schema: Any) -> Any:
    """Returns a batch without rows. `RecordBatch.from_pylist` does not support all types."""
    return _pyarrow.RecordBatch.from_arrays(
        [_pyarrow.nulls(0, field.type) for field in schema], schema=schema
    )


def _read(rows: Any, part: Sequence[Split]) -> Iterator[Any]:
    """Yields the tables of splits; at least one, because Ray would make a block without columns.

    Args:
        rows: The reference to the `_Rows`.
        part: The splits.
    """
    found: _Rows = _ray.get(rows)
    empty = True
    for split in part:
        for batch in found.reader.read(split):
            yield found.table(batch)
            empty = False
    if empty:
        yield found.table(_empty(found.reader.schema))


def _parts(files: SplitSource, split_bytes: int | None, count: int | None) -> list[list[Split]]:
    """Plans the splits of each task.

    Args:
        files: The files.
        split_bytes: Bytes of a task. None: a default.
        count: Number of tasks. None: as many as follow from `split_bytes`.
    """
    target = SPLIT_BYTES if split_bytes is None else split_bytes
    splits = files.plan(target)
    if split_bytes is None:
        tasks = count or _TASKS_PER_CPU * _cpus()
        target = -(-size_of(splits) // tasks) if splits else 1
        if count is None:
            target = min(max(target, _LEAST_SPLIT_BYTES), SPLIT_BYTES)
        if any(size_of([split]) > target for split in splits):
            splits = files.plan(target)
    return groups_of(splits, _MOST_OF_TARGET * target)


def _cpus() -> int:
    """The number of CPUs of the cluster. Connects to a cluster or starts one, as functions of Ray do."""
    if not _ray.is_initialized():
        _ray.init()
    return max(int(_ray.cluster_resources().get("CPU", 1)), 1)


def _remote(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of tasks as arguments of `ray.data.read_datasource`.

    Ray has named arguments for some of them, and will remove the argument for all others.
    """
    known = inspect.signature(_data.read_datasource).parameters
    named = {name: value for name, value in arguments.items() if name in known}
    others = {name: value for name, value in arguments.items() if name not in known}
    return {**named, "ray_remote_args": others} if others else named
