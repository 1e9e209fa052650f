"""Writers of Parquet and Arrow IPC files, which pyarrow writes batch by batch."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from arrowfeed._libraries import needed
from arrowfeed.cli._output import new_file

if TYPE_CHECKING:
    from arrowfeed.cli._output import Output
    from arrowfeed.cli._rows import Rows


def write_parquet(rows: Rows, output: Output, codec: str) -> int:
    """Writes a row group for each batch."""
    parquet = needed("pyarrow.parquet", "to write parquet")
    with new_file(output) as unfinished:
        return _write(rows, parquet.ParquetWriter(str(unfinished), rows.schema, compression=codec))


def write_ipc(rows: Rows, output: Output, codec: str | None) -> int:
    """Writes an Arrow IPC file, which is also a Feather V2 file."""
    pa = needed("pyarrow", "to write arrow")
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with new_file(output) as unfinished:
        return _write(rows, pa.ipc.new_file(str(unfinished), rows.schema, options=options))


def _write(rows: Rows, writer: Any) -> int:
    count = 0
    with writer:
        for batch in rows.batches:
            count += batch.num_rows
            writer.write_batch(batch)
    return count


def check_parquet(schema: Any) -> None:
    """Raises a ValueError that names the first column with a type that Parquet does not support."""
    parquet = needed("pyarrow.parquet", "to write parquet")
    pa = needed("pyarrow", "to write parquet")
    for field in schema:
        try:
            parquet.ParquetWriter(io.BytesIO(), pa.schema([field])).close()
        except (NotImplementedError, pa.ArrowException) as error:  # noqa: PERF203 - once a column
            advice = ", or convert unions with --unions struct or --unions json" * _has_union(field.type)
            raise ValueError(
                f'column "{field.name}": expected a type that Parquet can hold, found {field.type}:'
                f" leave the column out with --exclude{advice}"
            ) from error


def _has_union(kind: Any) -> bool:
    """Whether the type is or contains a union."""
    pa = needed("pyarrow", "to write parquet")
    if pa.types.is_union(kind):
        return True
    return any(_has_union(kind.field(at).type) for at in range(kind.num_fields))
