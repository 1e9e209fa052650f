"""Batches of a dataset: `BatchIterator`."""

from types import TracebackType
from typing import Any, Generic, TypeVar, final

from arrowfeed.types import Report

_Batch_co = TypeVar("_Batch_co", covariant=True)

@final
class BatchIterator(Generic[_Batch_co]):
    """Batches of a dataset, one after the other. Made by `Dataset.record_batches` and `.tensors`.

    Threads start with the first batch, and end with the last one, with `close`, or when the iterator is
    dropped. Any number of threads may iterate; each batch goes to one of them. After an error there are no
    more batches, and the state is that of the last one that was given.

    An iterator belongs to the process that made it: after a fork, the child makes its own.

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
        """The next batch.

        Raises:
            ArrowfeedError: One of its kinds, for what is wrong with a file.
            ConversionError: Rows do not fit a tensor; `tensor`, `field` and `record` (the row of the batch)
                say which.
            ChangedError: A file is not what it was when it was first read.
            OSError: A file cannot be read.
            ValueError: The iterator was made before a fork, or is used from inside a call of it.
        """

    def state_dict(self) -> dict[str, Any]:
        """Where the iteration stands: after the last batch that was given, whatever was read ahead.

        It holds numbers, text, lists and dicts, so JSON can have it: marks of the files' names and sizes,
        the options that decide the order, the seed, the epoch, the place in it, and `report()`. Its size is
        some 6 bytes a file, and no more for a shuffle. What is in it may change with the version.

        Returns:
            A new dict, for `load_state_dict` of an iterator of the same files with the same options, in this
            process or another one.

        Raises:
            OSError: A file cannot be found. ValueError: The iterator was made before a fork.

        Example:
            >>> batches.state_dict()["place"]
            {'row': {'block': 3, 'file': 0, 'offset': 49152, 'row': 24, 'sync': '30313233343536373839...'}}
        """

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on after the batch that a state is of, whatever this iterator has given so far.

        It seeks to the block and decodes no other one before it; of a shuffle, the blocks of one window.
        `threads` and `prefetch_bytes` may be others than those of the state, and so may `record_batches` and
        `tensors`. A state with a seed that was drawn brings it.

        Args:
            state: Of `state_dict`, also by way of `json`.

        Raises:
            ChangedError: The files are others, or have another order, name, size or sync marker.
            ValueError: It is a state of other options, of another seed or version, or none at all.
            TypeError: It is no dict. In each case the iterator stays as it was.
        """

    def report(self) -> Report:
        """What has been read and what was left out so far, also before a state that was loaded.

        `rows` counts the rows of the batches given, in all epochs; what is left out is there once. `blocks`
        and `bytes` count what was decoded: ahead of the rows, or behind them while threads have not ended
        their pieces of work, and again what a resumed iteration decodes again.

        Example:
            >>> batches.report()
            {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}
        """

    def close(self) -> None:
        """Ends the iteration and waits for the threads that decode ahead. A second call does nothing."""

    def __enter__(self) -> BatchIterator[_Batch_co]: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
