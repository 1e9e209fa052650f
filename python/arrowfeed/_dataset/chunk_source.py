"""`ChunkSource`, the base class of sources that provide rows in chunks."""

from __future__ import annotations

import abc
import hashlib
from typing import TYPE_CHECKING

from arrowfeed._dataset.attributes import let_instances_set, missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed.types import ArrowArrayExportable, ArrowSchemaExportable, ArrowStreamExportable


class ChunkSource(abc.ABC):
    """A source of rows, in chunks that can be read in any order. An example is a database table.

    A subclass has the attributes `arrow_schema` and `chunk_rows`, and may have `name` and `version`: as
    attributes of the class, attributes that `__init__` sets, or properties. It implements `read_chunk`.

    `ChunkDataset` makes a dataset from the source, with shuffles, shards, epochs, checkpoints, `on_error` and
    tensors. If workers in other processes use the dataset, the source must be picklable.

    Example:
        >>> class Squares(arrowfeed.ChunkSource):
        ...     arrow_schema = pyarrow.schema({"n": pyarrow.int64(), "square": pyarrow.int64()})
        ...     chunk_rows = [100] * 5
        ...
        ...     def read_chunk(self, number, columns):
        ...         n = range(number * 100, number * 100 + 100)
        ...         return pyarrow.record_batch({"n": n, "square": [i * i for i in n]}, self.arrow_schema)
        >>> dataset = arrowfeed.ChunkDataset(Squares())
        >>> next(dataset.tensors(batch_size=4, shuffle_buffer_size=500, seed=0))["n"].shape
        (4,)
    """

    __slots__ = ()

    @property
    def arrow_schema(self) -> ArrowSchemaExportable:
        """The schema of all columns, as a schema of any Arrow library."""
        raise missing(self, "arrow_schema")

    @property
    def chunk_rows(self) -> Sequence[int]:
        """Number of rows of each chunk, in order. The constructor of a dataset reads this property."""
        raise missing(self, "chunk_rows")

    @abc.abstractmethod
    def read_chunk(self, number: int, columns: Sequence[str]) -> ArrowArrayExportable | ArrowStreamExportable:
        """Returns the rows of a chunk, as a batch or table of any Arrow library.

        The thread that requests batches calls this method, in each epoch and for each shard that has rows of
        the chunk.

        Args:
            number: Number of the chunk, from 0.
            columns: Names of the required columns. Additional columns in the result are ignored.

        Raises:
            FormatError, CodecError: The chunk is damaged. `on_error="skip_block"` skips the chunk.
            OSError: The source cannot be read. `on_error="skip_file"` skips the rest of the source, as after
                a damaged chunk.
            Exception: Any other exception ends the iteration.
        """

    @property
    def name(self) -> str:
        """Name of the source in messages, reports and checkpoints. Default: the name of its class."""
        return type(self).__name__

    @property
    def version(self) -> bytes | str:
        """A value that changes when the rows change, such as a date. A checkpoint of another version is an
        error.

        Default: empty. The number of rows of each chunk and the schema are always compared.
        """
        return ""


let_instances_set(ChunkSource, "arrow_schema", "chunk_rows", "name", "version")
ChunkSource.__module__ = "arrowfeed"


def fingerprint(source: ChunkSource, schema: str) -> bytes:
    """A fingerprint of 16 bytes for the rows of a source.

    Args:
        source: The source, whose version and row counts enter the fingerprint.
        schema: A text that describes the schema.
    """
    version = source.version
    parts = (version.encode() if isinstance(version, str) else bytes(version), schema.encode())
    hasher = hashlib.blake2b(digest_size=16)
    for part in (*parts, *(b"%d" % rows for rows in source.chunk_rows)):
        hasher.update(b"%d:" % len(part) + part)
    return hasher.digest()
