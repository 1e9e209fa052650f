"""The positions of the rows of data files that delete files delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import read_avro, read_parquet
from arrowfeed._iceberg.scan import location
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable


def deleted_positions(scan: Any, tasks: list[Any], stores: dict[str, Any]) -> list[bytes] | None:
    """Returns the positions of each file as 64-bit integers in little-endian bytes; None if there are none.

    Args:
        scan: The scan.
        tasks: Its data files with their delete files.
        stores: The arguments that describe stores.

    Raises:
        NotImplementedError: A file deletes rows by equality, or has a format that cannot be read.
    """
    if not any(task.delete_files for task in tasks):
        return None
    read: dict[str, dict[str, list[Any]]] = {}
    found: list[bytes] = []
    for task in tasks:
        positions: list[Any] = []
        for file in sorted(task.delete_files, key=lambda file: file.file_path):
            if file.file_path not in read:
                read[file.file_path] = _by_data_file(scan, file, stores)
            positions += read[file.file_path].get(task.file.file_path, [])
        found.append(
            b"".join(chunk.to_numpy(zero_copy_only=False).astype("<u8").tobytes() for chunk in positions)
        )
    return found


def _by_data_file(scan: Any, file: Any, stores: dict[str, Any]) -> dict[str, list[Any]]:
    """The positions in a delete file by the location of the data file."""
    manifest: Any = needed("pyiceberg.manifest", "to read a scan of it")
    if file.content != manifest.DataFileContent.POSITION_DELETES:
        raise NotImplementedError(
            f"{file.file_path}: expected deletes by position, found deletes by equality: rewrite the table "
            "without them, for example with the procedure rewrite_data_files of Spark"
        )
    name = file.file_format.value.lower()
    if name == "puffin":
        return _of_vectors(scan, file)
    readers: dict[str, Callable[..., Any]] = {"avro": read_avro, "parquet": read_parquet}
    if name not in readers:
        expected = "expected a delete file of Parquet, Avro or Puffin"
        raise NotImplementedError(f"{file.file_path}: {expected}, found {name.upper()}")
    pa: Any = needed("pyarrow", "for the deletes of Iceberg tables")
    pc: Any = needed("pyarrow.compute", "for the deletes of Iceberg tables")
    rows = pa.table(readers[name](location(file.file_path), columns=["file_path", "pos"], **stores))
    paths = pc.unique(rows["file_path"])
    return {path.as_py(): rows.filter(pc.equal(rows["file_path"], path))["pos"].chunks for path in paths}


def _of_vectors(scan: Any, file: Any) -> dict[str, list[Any]]:
    """The positions in deletion vectors."""
    puffin: Any = needed("pyiceberg.table.puffin", "to read deletion vectors")
    vectors: Any = needed("pyiceberg.table.deletion_vector", "to read deletion vectors")
    with scan.io.new_input(file.file_path).open() as opened:
        content = puffin.PuffinFile(opened.read())
    of_file = vectors.deletion_vectors_from_puffin_file(content)
    return {vector.referenced_data_file: vector.to_vector().chunks for vector in of_file}
