"""`FilesWriter`, which writes one Avro file for each task, and renames them when the job is committed."""

from __future__ import annotations

import contextlib
import io
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import AvroWriter
from arrowfeed.spark._imported import pyspark, sources
from arrowfeed.spark._types import converted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arrowfeed.spark._options import WriteOptions


@dataclass
class WrittenFile(sources.WriterCommitMessage):
    """The result of a task."""

    name: str | None
    """Name of the file in the temporary directory of the job. None: the task had no rows."""


class FilesWriter(sources.DataSourceArrowWriter):
    """Writes Avro files. The driver creates the writer and commits; executors unpickle it and write.

    Until the job is committed, a hidden directory in the target directory contains the files. Each attempt of
    a task writes a file with its own name, and Spark passes the name of one attempt of each task to `commit`.

    Args:
        options: Options of the write.
        schema: The `pyarrow.Schema` of the rows.
        overwrite: Whether the new files replace the Avro files of the directory.

    Raises:
        SchemaError: Avro has no type for a column.
        ValueError: An option has an invalid value.
        OSError: The directory cannot be created.
    """

    def __init__(self, options: WriteOptions, schema: Any, *, overwrite: bool) -> None:
        # Checks the schema and the options before any task runs.
        AvroWriter(io.BytesIO(), schema, **options.writer).close()
        self._options = options.writer
        self._schema = schema
        self._overwrite = overwrite
        self._job = uuid.uuid4().hex
        self._directory = Path(options.directory).absolute()
        self._temporary = self._directory / f".arrowfeed-{self._job}"
        self._temporary.mkdir(parents=True)
        self._old = self._temporary / "old"

    def write(self, iterator: Iterator[Any]) -> WrittenFile:
        """Writes the rows of a task. The first task writes a file even if it has no rows.

        Raises:
            FileNotFoundError: The executor does not see the directory that the driver has created.
            Exception: As in `AvroWriter`.
        """
        partition = pyspark.TaskContext.get().partitionId()
        batches = (batch for batch in iterator if batch.num_rows)
        first = next(batches, None)
        if first is None and partition != 0:
            return WrittenFile(None)
        name = f"part-{partition:05}-{uuid.uuid4().hex}.avro"
        with AvroWriter(self._temporary / name, self._schema, threads=1, **self._options) as writer:
            if first is not None:
                writer.write(converted(first, self._schema))
            for batch in batches:
                writer.write(converted(batch, self._schema))
        return WrittenFile(name)

    def commit(self, messages: Sequence[WrittenFile | None]) -> None:
        """Moves the files of the tasks to the target directory.

        Raises:
            OSError: A file cannot be moved. The files of the directory are those from before the job, unless
                they cannot be moved back, which `abort` tries again.
        """
        moves: list[tuple[Path, Path]] = []
        if self._overwrite:
            self._old.mkdir()
            replaced = (path for path in sorted(self._directory.glob("[!.]*.avro")) if path.is_file())
            moves += [(path, self._old / path.name) for path in replaced]
        names = [message.name for message in messages if message is not None and message.name is not None]
        moves += [(self._temporary / name, self._directory / name) for name in names]
        _move(moves)
        shutil.rmtree(self._temporary, ignore_errors=True)

    def abort(self, messages: Sequence[WrittenFile | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Removes the files of the tasks, and the target directory if it is empty. Keeps the old files.

        Raises:
            OSError: An old file cannot be moved back. The message names its directory.
        """
        if self._old.exists():
            try:
                for path in sorted(self._old.iterdir()):
                    path.rename(self._directory / path.name)
            except OSError as error:
                message = f"expected to move the old files back, found: {error}"
                raise OSError(error.errno, f"{message}. They are in {self._old}") from error
        shutil.rmtree(self._temporary, ignore_errors=True)
        if not any(self._directory.iterdir()):
            self._directory.rmdir()


def _move(moves: list[tuple[Path, Path]]) -> None:
    """Renames files. After an error, the files have their former names.

    Raises:
        OSError: A file cannot be renamed.
    """
    done: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            source.rename(target)
            done.append((source, target))
    except BaseException:
        for source, target in reversed(done):
            with contextlib.suppress(OSError):
                target.rename(source)
        raise
