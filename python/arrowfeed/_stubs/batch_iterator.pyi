"""Batches of a dataset: `BatchIterator`."""

from types import TracebackType
from typing import Any, Generic, TypeVar, final

from arrowfeed.types import Report

_Batch_co = TypeVar("_Batch_co", covariant=True)

@final
class BatchIterator(Generic[_Batch_co]):
    """An iterator over the batches of a dataset. `Dataset.record_batches` and `Dataset.tensors` create it.

    Worker threads start with the first batch. They stop after the last batch, on `close`, or when the
    iterator is garbage-collected. Any number of threads may iterate; each batch goes to one of them. After an
    error, the iterator returns no more batches, and `state_dict` returns the checkpoint after the last
    returned batch.

    An iterator belongs to the process that created it: after a fork, the child must create its own iterator.

    Example:
        >>> with dataset.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7) as batches:
        ...     for tensors in batches:
        ...         train(tensors["x"].values)
        ...         saved = json.dumps(batches.state_dict())
        >>> batches = dataset.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
        >>> batches.load_state_dict(json.loads(saved))  # goes on with the next batch
    """

    def __iter__(self) -> BatchIterator[_Batch_co]: ...
    def __next__(self) -> _Batch_co:
        """Returns the next batch.

        Raises:
            ArrowfeedError: A file is damaged or invalid; the subclass states the kind of fault.
            ConversionError: Rows do not fit a tensor; `tensor`, `field` and `record` (the row of the batch)
                give the location.
            ChangedError: A file has changed since it was first read.
            OSError: A file cannot be read.
            ValueError: The iterator was created before a fork, or one of its own calls, which is still
                running, calls it again.
        """

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint of the iteration after the last returned batch, without prefetched batches.

        The checkpoint contains fingerprints of the file names and sizes, the options that determine the
        order, the seed, the epoch, the position in the epoch, and `report()`. All of these are numbers,
        strings, lists and dicts, so the checkpoint can be saved as JSON. It takes about 6 bytes per file, and
        shuffling does not make it larger. Its content may change between versions.

        Returns:
            A new dict for `load_state_dict` of an iterator over the same files with the same options, in this
            or another process.

        Raises:
            OSError: A file cannot be found. ValueError: The iterator was created before a fork.

        Example:
            >>> batches.state_dict()["place"]
            {'row': {'block': 3, 'file': 0, 'offset': 49152, 'row': 24, 'sync': '30313233343536373839...'}}
        """

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resumes after the batch of a checkpoint. The current position of this iterator has no effect.

        The iterator seeks to the block of the next row and decodes no earlier block; with a shuffle, it
        decodes the blocks of one shuffle window. `threads` and `prefetch_bytes` may differ from those of the
        checkpoint. Checkpoints of `record_batches` and of `tensors` are interchangeable. A random seed is
        stored in the checkpoint and restored from it.

        Args:
            state: The result of `state_dict`, also after a round trip through `json`.

        Raises:
            ChangedError: The files differ, or their order, name, size or sync marker has changed.
            ValueError: The state has other options, another seed or another version, or it is not a state of
                an iterator.
            TypeError: `state` is not a dict. After any of these errors, the iterator is unchanged.
        """

    def report(self) -> Report:
        """Reports what has been read and skipped so far, including the work before a loaded checkpoint.

        `rows` counts the rows of the returned batches in all epochs. `skipped` lists each skipped part once.
        `blocks` and `bytes` count the decoded data. They can be ahead of `rows`, because of prefetching, or
        behind it, while worker threads have not finished. Blocks that a resumed iteration decodes again count
        again.

        Example:
            >>> batches.report()
            {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}
        """

    def close(self) -> None:
        """Ends the iteration and waits for its worker threads. A second call does nothing."""

    def __enter__(self) -> BatchIterator[_Batch_co]: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
