"""Batches of a dataset: `BatchIterator`."""

from types import TracebackType
from typing import Any, Generic, Literal, NoReturn, TypeVar, final

from arrowfeed._stubs.loader_stats import LoaderStats
from arrowfeed.types import FileMatch, Report

_Batch_co = TypeVar("_Batch_co", covariant=True)

@final
class BatchIterator(Generic[_Batch_co]):
    """An iterator over the batches of a dataset. `Dataset.record_batches` and `Dataset.tensors` create it.

    The worker threads start when the first batch is requested. They stop after the last batch, on `close`, or
    when the iterator is garbage-collected. Any number of threads may iterate; each batch goes to one of them.
    After an error, the iterator returns no more batches, and `state_dict` returns the checkpoint after the
    last returned batch.

    An iterator belongs to the process that created it: after a fork, the child must create its own iterator.

    Example:
        >>> with dataset.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7) as batches:
        ...     for tensors in batches:
        ...         train(tensors["x"].values)
        ...         saved = json.dumps(batches.state_dict())
        >>> batches = dataset.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
        >>> batches.load_state_dict(json.loads(saved))  # continues with the next batch
    """

    def __iter__(self) -> BatchIterator[_Batch_co]: ...
    def __next__(self) -> _Batch_co:
        """Returns the next batch.

        Raises:
            ArrowfeedError: A file is damaged or invalid; the subclass states the kind of error.
            ConversionError: A row does not fit a tensor. The attributes `tensor`, `field` (the column) and
                `record` (the row of the batch) give the location.
            ChangedError: A file has changed since it was first read.
            OSError: A file cannot be read.
            ValueError: The iterator is closed, also by another thread; it was created before a fork; or
                Python code that it runs, such as `read_chunk`, calls the iterator.
            RuntimeError: Python code that it runs has raised `StopIteration`, which would look like the end.
        """

    def state_dict(self) -> dict[str, Any]:
        """Returns a checkpoint of the iteration after the last returned batch.

        Prefetched batches do not count.

        The checkpoint contains checksums of the file names and sizes, the options that determine the order,
        the seed, the epoch, the position in the epoch, and `report()`. It contains a checksum of the contents
        if rows are shuffled or sharded, if the files are local and at most 100, or if the dataset has an
        index. The checkpoint consists of numbers, strings, lists and dicts, so it can be saved as JSON. It
        takes about 6 bytes per file, and a shuffle does not make it larger. Its content may change between
        versions of arrowfeed.

        Returns:
            A new dict for `load_state_dict` of an iterator over the same files with the same options, in this
            or another process.

        Raises:
            OSError: A file cannot be found.
            ValueError: The iterator was created before a fork.

        Example:
            >>> batches.state_dict()["position"]["place"]
            {'row': {'file': 0, 'chunk': 3, 'offset': 49152, 'row': 24, 'fingerprint': '30313233343536...'}}
        """

    def load_state_dict(self, state: dict[str, Any], *, match: FileMatch = "names") -> None:
        """Resumes after the batch of a checkpoint. The current position of this iterator has no effect.

        The iterator seeks to the block of the next row and decodes no earlier block. With a shuffle, it
        decodes the blocks of one shuffle window. `threads` and `prefetch_bytes` may differ from those of the
        checkpoint. Checkpoints of `record_batches` and of `tensors` are interchangeable. The checkpoint
        contains the seed, also if it is random. `epochs` may differ if the position lies within.

        Args:
            state: The result of `state_dict`, also after a round trip through `json`.
            match: How the files are compared. "names": their names below the directory that all of them have
                in common, so that the directory may have moved, and their contents if the checkpoint has
                checksums of them. "contents": checksums of their contents alone. In both cases, the number of
                files, their order and sizes, and the values of partitions must be the same.

        Raises:
            ChangedError: The files are others, or their order, names, sizes or contents have changed.
            ValueError: The checkpoint has other options, another seed or another version, it has no checksums
                of contents with `match="contents"`, or `state` is not a checkpoint.
            TypeError: `state` is not a dict. Each of these errors leaves the iterator unchanged.
        """

    def report(self) -> Report:
        """Returns the counts of rows, blocks and bytes read so far, and the skipped parts.

        The counts include those of a loaded checkpoint.

        `rows` counts the rows of the returned batches in all epochs. `skipped` lists each skipped part once.
        `blocks` and `bytes` count the decoded data. These two counts can be ahead of `rows`, because of
        prefetching, or behind `rows`, while worker threads have not finished. A block that a resumed
        iteration decodes again counts again.

        Example:
            >>> batches.report()
            {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}
        """

    def stats(self) -> LoaderStats:
        """Returns the figures of the iteration: where its time went, and how long its caller waited.

        The figures begin with zeros after `load_state_dict`. The method does not wait for other threads, and
        works after the end, after `close` and after an error.

        Example:
            >>> print(batches.stats().verdict)
            the consumer is the bottleneck: it waited for batches for 0.4 % of the time
        """

    def close(self) -> None:
        """Stops the iteration and waits until its worker threads have ended. A second call does nothing.

        After that, `next` raises a `ValueError`, until `load_state_dict` is called.
        """

    def __len__(self) -> int:
        """Returns the number of batches of the whole iteration, in all epochs: that of `Dataset.num_batches`.

        The number includes the batches that were already returned, also those before a loaded checkpoint. It
        is known in any of these cases: the iteration is shuffled or sharded; the dataset selects rows with
        `skip` or `split`; an index is set; `num_rows` or `num_batches` was called before; there are at most
        100 files, they are local, and they have at most 64 MiB together or are Parquet files.

        Raises:
            TypeError: The iteration is endless, or the number is unknown. It is also unknown if `on_error` is
                not `"raise"`. `list(batches)` and `tqdm(batches)` work without the number.

        Example:
            >>> len(dataset.tensors(batch_size=1024, epochs=2))
            20
        """

    def __getitem__(self, number: object, /) -> NoReturn: ...
    def __bool__(self) -> Literal[True]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a capsule of an `ArrowArrayStream` of the remaining record batches.

        So libraries and the functions that write files accept an iterator of `Dataset.record_batches`. The
        consumer and the caller share the iterator: each batch goes to one of them.

        Args:
            requested_schema: As in `RecordBatchReader.__arrow_c_stream__`.

        Raises:
            TypeError: The batches are tensors.

        Example:
            >>> train, validation = dataset.split(0.9, seed=7)
            >>> arrowfeed.write_avro(train.record_batches(batch_size=4096), "train.avro")
            8996
        """

    def __enter__(self) -> BatchIterator[_Batch_co]: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
