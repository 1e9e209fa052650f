"""Writes rows to directories such as `dt=2026-01-01`, one file in each."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from arrowfeed._libraries import needed
from arrowfeed._rendering import parts
from arrowfeed.cli._options import UsageError
from arrowfeed.cli._output import Output
from arrowfeed.cli._rows import Rows, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

NULL = "__HIVE_DEFAULT_PARTITION__"
"""The name of a null in a directory, of Hive and Spark."""


def check_columns(schema: Any, names: list[str]) -> Any:
    """Returns the schema of the files, which is that of the rows without the columns of the directories.

    Raises:
        UsageError: A column does not exist, has a type without names of directories, or is the last one.
    """
    types = parts.arrow().types
    for name in names:
        if name not in schema.names:
            known = ", ".join(f'"{each}"' for each in schema.names)
            raise UsageError(f'--partition-by: expected a column, one of {known}, found "{name}"')
        kind = schema.field(name).type
        matches = (types.is_integer, types.is_boolean, types.is_date, types.is_string, types.is_large_string)
        if not any(match(kind) for match in (*matches, types.is_string_view)):
            raise UsageError(
                f'--partition-by: expected integers, booleans, dates or text, found column "{name}" of {kind}'
            )
    kept = [field for field in schema if field.name not in names]
    if not kept:
        raise UsageError("--partition-by: expected a further column for the files, found none")
    return parts.arrow().schema(kept, schema.metadata)


def refuse_directory(output: Output) -> None:
    """Checks early whether the directory can be created.

    Raises:
        UsageError: The output is a URL, or there are files in the directory.
        OSError: The parent directory does not exist.
    """
    path = output.place
    if isinstance(path, str):
        raise UsageError(f"{output}: expected a path of this machine with --partition-by, found a URL")
    if not path.parent.is_dir():
        raise FileNotFoundError(2, "expected an existing directory to write to", str(path.parent))
    if path.is_dir() and any(path.iterdir()):
        raise UsageError(f"{path}: expected no directory of this name, or an empty one, found files in it")
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: expected no file of this name, found one")


def write_partitions(
    rows: Rows, output: Output, names: list[str], suffix: str, write: Callable[[Rows, Output], int]
) -> int:
    """Writes the files of all directories. The whole tree appears under its name when it is complete.

    The rows of a directory first go to a file of their own, so that no more than two files are open at a
    time, whatever the number of directories.

    Args:
        rows: The rows.
        output: The directory, which does not exist or is empty.
        names: Columns, from the outer directory to the inner one.
        suffix: Suffix of the names of the files.
        write: Writes the rows of one file, and returns their number.

    Returns:
        The number of rows.
    """
    schema = check_columns(rows.schema, names)
    path = Path(output.place)
    with (
        tempfile.TemporaryDirectory(prefix="arrowfeed-") as spool,
        _unfinished(path) as tree,
    ):
        found = _spooled(rows, names, schema, Path(spool))
        count = 0
        for directory, file in found.items():
            folder = tree / directory
            folder.mkdir(parents=True)
            whole = Output(str(folder / f"part-0{suffix}"), output.stores)
            count += write(rows_of(schema, _streams(file)), whole)
            file.unlink()
    return count


@contextlib.contextmanager
def _unfinished(path: Path) -> Generator[Path]:
    """Provides a directory beside the output, which becomes the output after the block."""
    tree = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".unfinished", dir=path.parent))
    try:
        yield tree
        tree.chmod(0o755)
        if path.is_dir():
            path.rmdir()
        tree.rename(path)
    finally:
        shutil.rmtree(tree, ignore_errors=True)


def _spooled(rows: Rows, names: list[str], schema: Any, spool: Path) -> dict[str, Path]:
    """Appends the rows of each directory to a file, as Arrow IPC streams. Returns the files."""
    pa = parts.arrow()
    compute = needed("pyarrow.compute", "to divide rows")
    files: dict[str, Path] = {}
    for batch in rows.batches:
        texts = [_directories(name, batch.column(name)) for name in names]
        keys = compute.binary_join_element_wise(*texts, "/") if len(texts) > 1 else texts[0]
        encoded = keys.dictionary_encode()
        order = compute.sort_indices(encoded.indices)
        sorted_batch = batch.select(schema.names).take(order)
        borders = compute.value_counts(encoded.indices.take(order))
        start = 0
        for border in borders:
            rows_of_key = border["counts"].as_py()
            directory = encoded.dictionary[border["values"].as_py()].as_py()
            file = files.setdefault(directory, spool / str(len(files)))
            piece = sorted_batch.slice(start, rows_of_key)
            start += rows_of_key
            with file.open("ab") as stream, pa.ipc.new_stream(stream, schema) as writer:
                writer.write_batch(piece.cast(schema) if piece.schema != schema else piece)
    return files


def _directories(name: str, column: Any) -> Any:
    """The name of the directory of each value."""
    pa = parts.arrow()
    encoded = column.dictionary_encode()
    names = [f"{quote(name, safe='')}={_text(name, value)}" for value in encoded.dictionary.to_pylist()]
    null = f"{quote(name, safe='')}={NULL}"
    texts = pa.array([*names, null], pa.string())
    return texts.take(encoded.indices.fill_null(len(names)))


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if text in ("", NULL):
        shown = "an empty text" if not text else f"the text {text}, which means null"
        raise ValueError(f'column "{name}": expected values with a name for --partition-by, found {shown}')
    return quote(text, safe=" ")


def _streams(file: Path) -> Iterator[Any]:
    """The batches of all streams in a file."""
    pa = parts.arrow()
    size = file.stat().st_size
    with file.open("rb") as stream:
        while stream.tell() < size:
            with pa.ipc.open_stream(stream) as reader:
                yield from reader
