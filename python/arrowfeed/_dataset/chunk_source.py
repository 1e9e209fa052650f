"""`ChunkSource`: rows of any origin, in chunks."""

from __future__ import annotations

import abc
import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrowfeed.types import ArrowArrayExportable, ArrowSchemaExportable, ArrowStreamExportable


class ChunkSource(abc.ABC):
    """Rows in chunks that can be read in any order, such as a table of a database.

    A class gives the three abstract parts. `ChunkDataset` makes a dataset of it, with all that a dataset has:
    shuffles, shards, epochs, states, `on_error`, tensors. Instances have to be picklable where the dataset
    is used by workers in other processes.

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
    @abc.abstractmethod
    def arrow_schema(self) -> ArrowSchemaExportable:
        """The schema of all columns, of any Arrow library."""

    @property
    @abc.abstractmethod
    def chunk_rows(self) -> Sequence[int]:
        """Rows of each chunk, in order. Asked once, when a dataset is made."""

    @abc.abstractmethod
    def read_chunk(self, number: int, columns: Sequence[str]) -> ArrowArrayExportable | ArrowStreamExportable:
        """The rows of a chunk, as a batch or table of any Arrow library.

        Called in the thread that asks for batches. A chunk is read in each epoch, and by each shard that has
        rows of it.

        Args:
            number: Of the chunk, from 0.
            columns: Names of the columns that are needed. Others are taken and not used.

        Raises:
            ArrowfeedError: A `FormatError` or `CodecError`, or a subclass of one, where the chunk is damaged:
                with `on_error="skip_block"`, it is left out.
            OSError: The source cannot be read: with `on_error="skip_file"`, the rest of it is left out, as
                where a chunk is damaged. Whatever else is raised ends the iteration.
        """

    @property
    def name(self) -> str:
        """What messages, reports and states call the source. Default: the name of its class."""
        return type(self).__name__

    @property
    def version(self) -> bytes | str:
        """What differs where the rows differ, such as a date: a state of another version is refused.

        Default: empty. The rows of each chunk and the schema are compared without it.
        """
        return ""


ChunkSource.__module__ = "arrowfeed"


def fingerprint(source: ChunkSource, schema: str) -> bytes:
    """Sixteen bytes for the rows of a source.

    Args:
        source: Whose version and rows are taken.
        schema: A text that describes its schema.
    """
    version = source.version
    parts = (version.encode() if isinstance(version, str) else bytes(version), schema.encode())
    hasher = hashlib.blake2b(digest_size=16)
    for part in (*parts, *(b"%d" % rows for rows in source.chunk_rows)):
        hasher.update(b"%d:" % len(part) + part)
    return hasher.digest()
