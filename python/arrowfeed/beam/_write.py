"""The transform `WriteToAvro`, which writes record batches as Avro files."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, TypedDict

from arrowfeed._arrowfeed import AvroSchema, AvroWriter, avro_schema
from arrowfeed.beam._beam_files import opened
from arrowfeed.beam._imported import beam, imported, pa

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from typing_extensions import Unpack

    from arrowfeed.types import AvroSchemaLike, Codec

_Base: Any = imported("apache_beam.io.filebasedsink", "apache-beam").FileBasedSink
_filesystems: Any = imported("apache_beam.io.filesystems", "apache-beam")
_iobase: Any = imported("apache_beam.io.iobase", "apache-beam")
_PLAIN: Any = imported("apache_beam.io.filesystem", "apache-beam").CompressionTypes.UNCOMPRESSED


class WriteOptions(TypedDict, total=False):
    """Options of `arrowfeed.write_avro` that do not belong to one file."""

    level: int | None
    block_bytes: int
    metadata: Mapping[str, bytes] | None
    on_overflow: Literal["decimal", "error"]


class WriteToAvro(beam.PTransform):
    """Writes a PCollection of `pyarrow.RecordBatch` as Avro files, on a filesystem of Beam.

    A worker writes each file under a temporary name. The files get their final names when all of them are
    complete, so a bundle that fails and is repeated adds no rows twice. Existing files of the same names are
    replaced.

    Args:
        path_prefix: Start of the names of the files, such as `"out/rows"` for
            `out/rows-00000-of-00004.avro`.
        schema: The Avro schema to write, as in `arrowfeed.write_avro`. None: the schema is derived from the
            batches, which must have the same columns; without batches, no file is written.
        codec: Compression codec of the blocks.
        num_shards: Number of files. The runner groups all batches by file. 0: a file for each bundle,
            without grouping.
        file_name_suffix: End of the names of the files.
        shard_name_template: As in `beam.io.WriteToAvro`. None: `-SSSSS-of-NNNNN`.
        **options: Options of `arrowfeed.write_avro`: `level`, `block_bytes`, `metadata` and `on_overflow`.

    Raises:
        TypeError: An option is unknown or has the wrong type.
        ValueError: An option has an invalid value.
        ArrowfeedError, OSError: As in `write_avro`, in the worker that writes the file.

    Example:
        >>> batches = pipeline | ReadFromDataset("rows/*.csv")
        >>> names = batches | WriteToAvro("out/rows", codec="snappy", num_shards=4)
    """

    def __init__(
        self,
        path_prefix: str | os.PathLike[str],
        schema: AvroSchemaLike | None = None,
        codec: Codec = "zstandard",
        num_shards: int = 0,
        *,
        file_name_suffix: str = ".avro",
        shard_name_template: str | None = None,
        **options: Unpack[WriteOptions],
    ) -> None:
        beam.PTransform.__init__(self)
        for name in options:
            if name not in WriteOptions.__annotations__:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{name}'")
        if type(num_shards) is not int or num_shards < 0:
            raise ValueError(f"num_shards: expected an integer of 0 or more, found {num_shards!r}")
        prefix = os.fspath(path_prefix)
        # Beam cannot create its temporary directory without a directory part.
        prefix = prefix if os.path.dirname(prefix) else f"./{prefix}"  # noqa: PTH120 - it may be no path
        text = None if schema is None else AvroSchema(schema).json
        names = (file_name_suffix, shard_name_template)
        self._sink = _Sink(prefix, text, {"codec": codec, **options}, num_shards, names)

    def expand(self, pcoll: Any) -> Any:
        """Returns a PCollection of the names of the files."""
        return pcoll | "Write" >> _iobase.Write(self._sink)


class _Sink(_Base):
    """Writes files with `AvroWriter`.

    Args:
        prefix: Start of the names of the files.
        schema: The Avro schema as JSON. None: it is derived.
        options: Options of `AvroWriter`.
        num_shards: Number of files. 0: one for each bundle.
        names: The end of the names, and the template of the shard.
    """

    def __init__(
        self,
        prefix: str,
        schema: str | None,
        options: dict[str, Any],
        num_shards: int,
        names: tuple[str, str | None],
    ) -> None:
        suffix, template = names
        _Base.__init__(
            self,
            prefix,
            coder=None,
            file_name_suffix=suffix,
            num_shards=num_shards,
            shard_name_template=template,
            mime_type="application/avro",
            compression_type=_PLAIN,
        )
        self._schema, self._options = schema, options
        # Checks the options.
        AvroWriter(io.BytesIO(), pa.schema([]), threads=1, **options).close()

    def open_writer(self, init_result: Any, uid: str) -> Any:
        """Returns a writer that opens its file for the first batch."""
        return _LazyWriter(lambda: _Base.open_writer(self, init_result, uid))

    def open(self, temp_path: str) -> _File:
        """Opens a file under a temporary name."""
        return _File(_Base.open(self, temp_path), self)

    def write_record(self, file_handle: _File, value: Any) -> None:
        """Writes a batch."""
        file_handle.write(value)

    def close(self, file_handle: _File) -> None:
        """Completes a file."""
        file_handle.close()

    def pre_finalize(self, init_result: Any, writer_results: Any) -> Any:
        """Removes files of an earlier run."""
        results = list(writer_results)
        # Only the number of results matters.
        return _Base.pre_finalize(self, init_result, results or [None])

    def finalize_write(self, init_result: Any, writer_results: Any, pre_finalize_results: Any) -> Any:
        """Writes the empty files, and renames all files."""
        written = [result for result in writer_results if result is not None]
        missing = len(writer_results) - len(written)
        if missing and (written or self._schema is not None):
            written += self._empty(init_result, written, missing)
        return _Base.finalize_write(self, init_result, written, pre_finalize_results)

    def _empty(self, directory: str, written: list[str], count: int) -> list[str]:
        """Writes files without rows, with the schema of the others."""
        # A repeated call uses the same names, which come after those of the other files.
        names = [_filesystems.FileSystems.join(directory, f"~{number:05}") for number in range(count)]
        if written and not _filesystems.FileSystems.exists(written[0]):
            # An earlier call has written these files, and has begun to rename all files.
            return names
        if self._schema is None:
            with opened(written[0]) as file:
                schema = avro_schema(file)
        else:
            schema = AvroSchema(self._schema)
        for name in names:
            with _Base.open(self, name) as file:
                self.writer(file, schema.arrow, schema.json).close()
        return names

    def writer(self, file: Any, arrow_schema: Any, schema: str | None = None) -> AvroWriter:
        """Returns a writer of a file."""
        return AvroWriter(file, arrow_schema, schema=schema or self._schema, threads=1, **self._options)


class _File:
    """A file that is being written.

    Args:
        file: The open file.
        sink: The sink, which has the options.
    """

    def __init__(self, file: Any, sink: _Sink) -> None:
        self._file, self._sink = file, sink
        self._writer: AvroWriter | None = None

    def write(self, batch: Any) -> None:
        """Writes a batch."""
        if self._writer is None:
            self._writer = self._sink.writer(self._file, batch.schema)
        self._writer.write(batch)

    def close(self) -> None:
        """Writes the remaining rows."""
        try:
            if self._writer is not None:
                self._writer.close()
        finally:
            self._file.close()


class _LazyWriter(_iobase.Writer):
    """A writer that opens its file for the first batch.

    Args:
        opened: Function that opens the file.
    """

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._opened = opened
        self._writer: Any = None

    def write(self, value: Any) -> None:
        """Writes a batch."""
        if self._writer is None:
            self._writer = self._opened()
        self._writer.write(value)

    def at_capacity(self) -> bool:
        """Returns False, because files have no maximum size."""
        return False

    def close(self) -> str | None:
        """Completes the file, and returns its temporary name; None if there was no batch."""
        return None if self._writer is None else self._writer.close()
