"""Tables of Apache Iceberg in a catalog of SQLite, with files that pyiceberg cannot write.

These are data files of Avro, deletes by position, and deletion vectors.
"""

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table
from pyiceberg.typedef import Record
from pyroaring import BitMap

# The identifiers of the columns of delete files.
FILE_PATH, POS = 2147483546, 2147483545


class Tables:
    """A catalog in a directory, and its tables."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.catalog = SqlCatalog("test", uri=f"sqlite:///{root}/catalog.db", warehouse=f"file://{root}")
        self.catalog.create_namespace("n")
        self.count = 0

    def create(self, schema: Any, **options: Any) -> Table:
        """Makes an empty table."""
        self.count += 1
        return self.catalog.create_table(f"n.t{self.count}", schema, **options)

    def path(self, suffix: str) -> Path:
        """The path of a new file."""
        self.count += 1
        return self.root / f"file-{self.count}{suffix}"


def add(
    table: Table,
    path: Path,
    rows: int,
    content: DataFileContent = DataFileContent.DATA,
    partition: list[Any] | None = None,
) -> None:
    """Adds a file to a table in a new snapshot."""
    names = {".avro": FileFormat.AVRO, ".parquet": FileFormat.PARQUET, ".puffin": FileFormat.PUFFIN}
    names[".orc"] = FileFormat.ORC
    file = DataFile.from_args(
        content=content,
        file_path=f"file://{path}",
        file_format=names[path.suffix],
        partition=Record(*(partition or [])),
        record_count=rows,
        file_size_in_bytes=path.stat().st_size,
        column_sizes={},
        value_counts={},
        null_value_counts={},
        nan_value_counts={},
        lower_bounds={},
        upper_bounds={},
        split_offsets=None,
        sort_order_id=None,
        equality_ids=[1] if content == DataFileContent.EQUALITY_DELETES else None,
        key_metadata=None,
    )
    file.spec_id = table.spec().spec_id
    with table.transaction() as transaction, transaction.update_snapshot().fast_append() as append:
        append.append_data_file(file)


def add_avro(
    table: Table,
    path: Path,
    schema: dict[str, Any],
    rows: list[dict[str, Any]],
    partition: list[Any] | None = None,
) -> None:
    """Adds a data file of Avro."""
    with path.open("wb") as file:
        fastavro.writer(file, schema, rows, sync_interval=500)
    add(table, path, len(rows), partition=partition)


def data_files(table: Table) -> list[str]:
    """The locations of the data files."""
    return [task.file.file_path for task in table.scan().plan_files()]


def delete(
    table: Table, path: Path, positions: list[tuple[str, int]], partition: list[Any] | None = None
) -> None:
    """Deletes rows by their positions in data files, with a delete file of Parquet or Avro."""
    rows = [{"file_path": file, "pos": position} for file, position in positions]
    if path.suffix == ".avro":
        fields = [
            {"name": "file_path", "type": "string", "field-id": FILE_PATH},
            {"name": "pos", "type": "long", "field-id": POS},
        ]
        with path.open("wb") as file:
            fastavro.writer(file, {"type": "record", "name": "delete", "fields": fields}, rows)
    else:
        ids = [{"PARQUET:field_id": str(number)} for number in (FILE_PATH, POS)]
        schema = pa.schema(
            [
                pa.field("file_path", pa.string(), nullable=False, metadata=ids[0]),
                pa.field("pos", pa.int64(), nullable=False, metadata=ids[1]),
            ]
        )
        pq.write_table(pa.Table.from_pylist(rows, schema), path)
    add(table, path, len(rows), DataFileContent.POSITION_DELETES, partition)


def delete_by_vector(table: Table, path: Path, data_file: str, positions: list[int]) -> None:
    """Deletes rows of a data file with a vector: a blob `deletion-vector-v1` of the Puffin specification."""
    keys: dict[int, BitMap] = {}
    for position in positions:
        keys.setdefault(position >> 32, BitMap()).add(position & 0xFFFFFFFF)
    bitmaps = struct.pack("<q", len(keys))
    for key, bitmap in sorted(keys.items()):
        bitmaps += struct.pack("<i", key) + bitmap.serialize()
    content = bytes.fromhex("d1d33964") + bitmaps
    blob = struct.pack(">i", len(content)) + content + struct.pack(">I", zlib.crc32(content))
    described = {
        "type": "deletion-vector-v1",
        "fields": [],
        "snapshot-id": -1,
        "sequence-number": -1,
        "offset": 4,
        "length": len(blob),
        "properties": {"referenced-data-file": data_file, "cardinality": str(len(positions))},
    }
    footer = json.dumps({"blobs": [described], "properties": {}}).encode()
    file = io.BytesIO()
    file.write(b"PFA1" + blob + b"PFA1" + footer + struct.pack("<i", len(footer)) + bytes(4) + b"PFA1")
    path.write_bytes(file.getvalue())
    add(table, path, len(positions), DataFileContent.POSITION_DELETES)
