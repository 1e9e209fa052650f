"""Datasets: `Dataset`, and its subclasses without a file format. The stubs of the formats have the others."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NoReturn, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, Unpack

from arrowfeed._dataset import ChunkSource, Tfxio
from arrowfeed._dataset.samples import Samples
from arrowfeed._frameworks.jax_iterator import JaxIterator
from arrowfeed._frameworks.torch_dataset import TorchDataset
from arrowfeed._statistics import Description
from arrowfeed._stubs.adapter import TensorAdapter, TensorSpec
from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.batch_iterator import BatchIterator
from arrowfeed._stubs.by_length import ByLength
from arrowfeed._stubs.loader_stats import LoaderStats
from arrowfeed._stubs.predicate import Predicate
from arrowfeed._stubs.read import Limits, RecordBatchReader, SchemaChange, Split
from arrowfeed._stubs.representation import Representation
from arrowfeed._tensorflow.wrapped import TensorFlowDataset
from arrowfeed.types import (
    AnyTensor,
    FeatureLike,
    FileMatch,
    IterationOptions,
    JaxRaggedForm,
    KeyedJagged,
    OnError,
    PredicateLike,
    RaggedForm,
    Report,
    RepresentationT,
    SeekableFile,
)

class Dataset(Tfxio):
    """A dataset over files of one format: a source of record batches and tensors for training.

    This is the base class of `AvroDataset` and of the datasets of other formats; it has no constructor.
    Worker threads start when an iterator is asked for its first batch. Datasets can be pickled; the copy
    opens the files again, and has the same columns without inferring them again.

    Example:
        >>> dataset = arrowfeed.ParquetDataset("part-*.parquet")
        >>> isinstance(dataset, arrowfeed.Dataset)
        True
    """

    _extension: ClassVar[str]
    """Extension of the files in a directory, without the dot. Only the classes of files have it."""

    @property
    def arrow_schema(self) -> Schema:
        """The schema of the record batches: the columns that are read."""

    @property
    def schema_changes(self) -> list[SchemaChange]:
        """The changes that the files made to the merged schema, in file order.

        Each change names the first file that needs it. Empty if the dataset did not merge the schemas of its
        files: without `"merge"` as the schema, for a mixed dataset, and in a copy in another process, which
        has the merged schema itself.
        """

    @property
    def tensor_representations(self) -> dict[str, Representation] | dict[str, FeatureLike]:
        """Definitions of the tensors by name: representations, or the features that were passed."""

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """Specs of the tensors by name, known before any batch is read."""

    @property
    def num_rows(self) -> int:
        """Number of rows of the dataset, without decoding a row.

        The first access opens every file and reads block headers, footers or record lengths; it reads text
        files and compressed files completely. Later accesses return the same number.

        Raises:
            OSError: A file cannot be read.
            FormatError: A file does not have the format, or it ends inside a block.
        """

    def report(self) -> Report:
        """Sums the counts of all iterations of this process over the dataset, with the skipped parts.

        The iterations of `to_tf`, `to_torch` and `to_jax` count too. A dataset and the datasets that
        `project`, `take`, `skip` and `split` make of it have one sum in common. A mixed dataset has a sum of
        its own. `skipped` lists each skipped part once. The rows of a loaded checkpoint are not counted,
        because another iteration has read them; its skipped parts are listed. `read_split`, `rows`,
        `row_tensors` and `samples` are not counted.

        Other processes, such as the workers of a `DataLoader`, have sums of their own, and a pickled dataset
        begins with zeros. Each process warns with a `SkippedWarning` of the first skipped part of each file.

        Returns:
            A dict as that of `BatchIterator.report`.

        Example:
            >>> model.fit(dataset.to_tf(batch_size=64, on_error="skip_block"), shuffle=False)
            >>> [part["error"] for part in dataset.report()["skipped"]]
            ['part-3.avro: block 7 at byte 81207: expected a sync marker, found other bytes']
        """

    def stats(self) -> LoaderStats | None:
        """Returns the figures of the iteration of this process that began last.

        The iterations are those that `report` counts. So those of `to_tf` have figures too, of which only
        TensorFlow has the iterator. The method does not wait for other threads.

        Returns:
            The figures as of now. None: no iteration has begun.

        Example:
            >>> model.fit(dataset.to_tf(batch_size=64), shuffle=False)
            >>> print(dataset.stats())
        """

    def num_batches(
        self,
        *,
        batch_size: int | None = None,
        global_batch_size: int | None = None,
        batches: ByLength | None = None,
        streams: int = 64,
        even: Literal["drop", "repeat", "auto"] | None = "auto",
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] | Literal["auto"] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
        start_epoch: int = 0,
    ) -> int | None:
        """Returns the number of batches that `record_batches` and `tensors` yield with the same options.

        The first call reads the files as `num_rows` does. The number includes the rows that `on_error` skips.

        Args:
            batch_size: Number of rows of a batch. `record_batches` explains the options in full.
            global_batch_size: In place of `batch_size`: number of rows of a batch of all shards together, a
                multiple of `streams`.
            batches: A `ByLength`, which makes batches of rows of similar length. None: batches have
                consecutive rows.
            streams: With `global_batch_size`: number of equal parts of an epoch, a multiple of the number of
                shards.
            even: With `global_batch_size`: how each shard gets the same number of batches of the same size.
                "auto": "drop" for `shard="auto"`, otherwise None.
            drop_remainder: Drops the last batch of an epoch if it has fewer rows.
            epochs: Number of passes over all rows. None: endless.
            shuffle_buffer_size: Does not affect the number.
            seed: Does not affect the number.
            shard: The index of this shard and the number of shards, or "auto", as in `record_batches`.
            threads: Does not affect the number.
            prefetch_bytes: Does not affect the number.
            on_error: Does not affect the number.
            across_epochs: Whether a batch may have rows of two epochs.
            start_epoch: Does not affect the number.

        Returns:
            The number of batches. None: the iteration is endless.

        Raises:
            ArrowfeedError, OSError: As in `num_rows`.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type or is missing.

        Example:
            >>> dataset.num_rows, dataset.num_batches(batch_size=1024)
            (10000, 10)
        """

    def _known_num_batches(self, **options: Any) -> int | None:
        """Like `num_batches`, but without a long scan of the files. None: unknown or endless."""

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the dataset: 16 hexadecimal digits.

        The fingerprint depends on the names and sizes of the files, on `arrow_schema`, and on the rows that
        `take`, `skip` and `split` have selected.

        Raises:
            OSError: A file cannot be found.
        """

    def save_index(self, path: str | os.PathLike[str]) -> None:
        """Writes an index of the files: the identity of each file and the positions of its blocks.

        A dataset of the same files with `index=path` reads no block headers. The index takes about 25 bytes
        per block and at most 1 GiB. The file appears under its name when it is complete, and replaces an
        existing file. This method reads the headers of all blocks, unless the dataset has already read them.

        Args:
            path: Path of the index, in the local file system.

        Raises:
            ArrowfeedError: A file is damaged; a corrupt block raises the subclass CorruptBlockError. Only
                intact files can have an index.
            OptionError: The dataset is a `MixedDataset`.
            ChangedError: A file has changed since it was first read, or since the index in use was saved.
            OSError: A file cannot be read, or the index cannot be written.
            TypeError: `path` is not a path.

        Example:
            >>> arrowfeed.AvroDataset("part-*.avro").save_index("parts.index.json")
            >>> dataset = arrowfeed.AvroDataset("part-*.avro", index="parts.index.json")
            >>> dataset.num_rows
            10000
        """

    def plan_splits(self, *, target_bytes: int = 64 << 20) -> list[Split]:
        """Plans splits of about equal size over the files, in file order, for distributed workers.

        The call opens each file and reads only its metadata, such as the header of an Avro file or the footer
        of a Parquet file. Each split contains the identity of its file (see `Split`), so a worker that finds
        a different file raises an error.

        Args:
            target_bytes: Target size of a split in bytes; the last split of a file may be smaller.

        Returns:
            Splits that together contain all rows of the files, in file order. A file without rows may have no
            split.

        Raises:
            OptionError: A source has no path, such as bytes or a file object; two URLs differ only in their
                queries, which splits do not contain; or the dataset is a `MixedDataset` or the result of
                `take`, `skip` or `split`.
            SchemaError: The columns of a file differ from those of the first file.
            ChangedError: A file has changed since it was first read, or since the index in use was saved.
            OSError: A file cannot be opened.
            ArrowfeedError: A file does not have the format of the dataset.
            ValueError: `target_bytes` is less than 1.
            TypeError: `target_bytes` is not an integer.

        Example:
            >>> splits = dataset.plan_splits(target_bytes=16 << 20)
            >>> sum(batch.num_rows for split in splits for batch in dataset.read_split(split))
            10000
        """

    def read_split(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
        batch_size: int | None = None,
        on_error: OnError = "raise",
        progress: bool = False,
    ) -> RecordBatchReader:
        """Reads one split of the files as Arrow record batches, in the calling thread.

        The batches have the columns of the dataset. `tensor_adapter().convert(batch)` converts a batch to
        tensors.

        Args:
            split: A split from `plan_splits` of this dataset or of its copy in another process, or a `Split`
                of any byte range of a file of the dataset that starts no later than the last chunk ends. If
                the split has a `file_id`, the file must match it.
            claim: A function that the reader calls with the offset of each chunk (an Avro block, a Parquet
                row group) before it reads the chunk, in order, in the thread that requests batches. If the
                function returns True, the chunk is read. If it returns False, the reader stops before the
                chunk. If it raises an exception, the iteration returns the rows before the chunk and then
                raises the exception. A runner can use `claim` to split a range while it is read: if `claim`
                accepts only offsets below X, a reader of the range that starts at X reads exactly the
                remaining chunks. The reader does not call `claim` for corrupt bytes, which belong to the
                preceding chunk. None: all chunks are read.
            file: A binary file object to read instead of `split.path`. Position 0 of the object is the first
                byte of the file. The object must be seekable, and stays open. None: the file `split.path`.
            batch_size: Maximum number of rows of a batch. A batch may be shorter at the end of a chunk. None:
                as in the function that reads such files.
            on_error: How to handle chunks that cannot be read, as in `record_batches`.
            progress: Whether to show a tqdm progress bar that counts the rows as they are read.

        Returns:
            A reader of the rows of the split, which may be empty.

        Raises:
            OptionError: The split belongs to a file that is not in the dataset, or to one of several URLs
                that differ only in their queries; or the dataset is a `MixedDataset`.
            ChangedError: The split was planned for another file, or the last chunk ends before the split
                starts.
            ArrowfeedError, OSError: As in the iteration over `record_batches`.
            TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a
                bool.
            ValueError: An argument has an invalid value.
            ImportError: `progress` is True and tqdm is not installed.

        Example:
            >>> rows = 0
            >>> for split in dataset.plan_splits(target_bytes=1 << 20):
            ...     rows += sum(batch.num_rows for batch in dataset.read_split(split, batch_size=1024))
        """

    def tensor_adapter(self) -> TensorAdapter:
        """Returns the adapter that converts the record batches to tensors."""

    def project(self, names: Iterable[str]) -> Self:
        """Returns a dataset of some of the tensors, in the order of `names`.

        The new dataset reads only the columns of these tensors. The specs of the tensors, the rows and their
        order stay the same.

        Args:
            names: Names of tensors.

        Raises:
            RepresentationError: A name is unknown.
            TypeError: `names` is not a list of str.

        Example:
            >>> dataset.project(["name.first"]).arrow_schema.names
            ['name']
        """

    def filter(self, predicate: PredicateLike) -> Self:
        """Returns a dataset of the rows for which a predicate is true.

        Batches are full, because rows are left out before batches are cut. The columns of the predicate need
        not be among those that are read. Filters of filters are joined by "and". `take`, `skip`, `split`,
        `rows`, shuffles, shards and global batches count only the rows that pass.

        An iteration in file order filters while it reads. The first `num_rows`, shuffle, shard or global
        batch first reads the columns of the predicate in all files, to count the rows that pass; so until
        then, the number of batches is unknown, and progress bars have no total. Files that the predicate
        rules out by their partition columns are not opened, unless rows were selected before the filter. A
        checkpoint contains the predicate. `report()["rejected"]` counts the rows that do not pass.

        Args:
            predicate: Such as `arrowfeed.col("age") >= 18`, its text `"age >= 18"`, or an expression of
                pyarrow or polars.

        Raises:
            OptionError: A column does not exist, or has another type than its value.
            ValueError: The text does not have the grammar, or an expression has a part that predicates do not
                have.
            TypeError: `predicate` has the wrong type.

        Example:
            >>> adults = dataset.filter(af.col("age") >= 18).filter("label is not null")
            >>> for tensors in adults.tensors(batch_size=1024, shuffle_buffer_size=100_000, seed=1):
            ...     train(tensors["id"].values)
        """

    def map(
        self,
        function: Callable[[RecordBatch], object],
        *,
        schema: object | None = None,
        workers: int = 0,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
    ) -> Self:
        """Returns a dataset whose batches are the results of a function of each batch.

        `record_batches`, `tensors`, `to_tf`, `to_torch` and `to_jax` call the function. Checkpoints,
        shuffles, shards and epochs are those of the batches before the function, so that an iteration
        resumes exactly. An exception of the function is raised unchanged. The checkpoint is then that of the
        batch before it.

        The function has the columns of this dataset: `project` before `map` reads fewer of them, and `filter`
        before `map` leaves out rows. After `map`, `project` selects tensors of the result, and `take`, `skip`
        and `split` select rows before the function. `num_rows`, `num_batches` and `report` count these rows.
        `filter`, `rows`, `row_tensors`, `samples`, `plan_splits`, `read_split` and `to_hf` need a dataset
        without `map`.

        Args:
            function: A function of a `RecordBatch` that returns a batch or a table: a `RecordBatch`, or any
                object with `__arrow_c_array__` or `__arrow_c_stream__`, such as those of pyarrow and polars.
                It may change the columns and the number of rows. All of its batches must have the same
                columns. A column, list or field of nulls that has no type gets the type of `schema`.
            schema: The schema of the results: an object with `__arrow_c_schema__`. None: the function is
                called with the first rows, at most 100, of which each column must then have a value.
            workers: Number of processes that call the function. They start with the first batch, which takes
                seconds, because each imports the main program; they stay for later iterations, and end with
                the dataset. The function is pickled when this method is called, so it is one of the top level
                of a module; pyarrow must be installed. A worker of a `DataLoader` calls the function itself.
                0: the thread that requests batches calls the function.
            features: Definitions of the tensors of the results, as in `AvroDataset`.
            representations: Definitions of the tensors of the results, as in `AvroDataset`. None, also for
                `features`: the tensors of this dataset if the function keeps its columns and their types,
                otherwise those that `infer_representations` finds.

        Raises:
            RepresentationError: A tensor cannot be built from the results.
            SchemaError: During the iteration, the function returns a batch with other columns.
            TypeError: `function` is not callable, it cannot be pickled for `workers`, it returns no batch, or
                an argument has the wrong type.
            ValueError: An argument has an invalid value.
            RuntimeError: The function has raised `StopIteration`; a worker has ended; or the main program
                starts workers while they import it.
            Exception: Other exceptions of the function are raised unchanged.

        Example:
            >>> def with_parity(batch):
            ...     table = pyarrow.table(batch)
            ...     is_odd = [number % 2 == 1 for number in table["id"].to_pylist()]
            ...     return table.append_column("odd", pyarrow.array(is_odd))
            >>> dataset.map(with_parity).arrow_schema.names
            ['id', 'name', 'odd']
        """

    @property
    def predicate(self) -> Predicate | None:
        """The predicate of `filter`. None: the dataset is not filtered."""

    def take(self, count: int) -> Self:
        """Returns a dataset of the first `count` rows, in file order, or of all rows if there are fewer.

        An iteration in file order stops after these rows. A shuffled or sharded iteration first reads the
        block headers of all files, and shuffles or divides only these rows. `take` and `skip` can be
        combined: `dataset.skip(10).take(5)` has the rows 10 to 14. The result does not support `plan_splits`.
        The rows of a `MixedDataset` have no numbers: take and skip rows of the datasets before you mix them.

        Args:
            count: Number of rows, at least 0.

        Raises:
            OptionError: This is a `MixedDataset`.
            ValueError: `count` is negative.
            TypeError: `count` is not an int.

        Example:
            >>> dataset.take(100).num_rows
            100
        """

    def skip(self, count: int) -> Self:
        """Returns a dataset of the rows after the first `count` rows, in file order.

        An iteration first reads the block headers of all files. It does not decode the blocks before the
        first row of the result. See `take`.

        Args:
            count: Number of rows, at least 0.

        Raises:
            OptionError: This is a `MixedDataset`.
            ValueError: `count` is negative.
            TypeError: `count` is not an int.

        Example:
            >>> dataset.num_rows, dataset.skip(100).num_rows
            (10000, 9900)
        """

    def split(self, fraction: float, *, seed: int) -> tuple[Self, Self]:
        """Divides the rows at random into two datasets, for example for training and for tests.

        Each row belongs to the first dataset with the probability `fraction`, and otherwise to the second. So
        the first dataset has this fraction of the rows approximately, not exactly. The division depends only
        on `seed` and the files: it is the same in each run, for any shuffle, shard and batch size. Both
        datasets keep the order of the files.

        An iteration first reads the block headers of all files. It decodes all rows of a block, and drops the
        rows of the other dataset. `take`, `skip` and `split` can be combined in any order. The results do not
        support `plan_splits`.

        Args:
            fraction: Probability that a row belongs to the first dataset, from 0 to 1.
            seed: Seed of the random numbers, at least 0.

        Raises:
            ValueError: `fraction` or `seed` is out of range.
            TypeError: `fraction` is not a number, or `seed` is not an int.
            OptionError: The dataset is a `MixedDataset`.

        Example:
            >>> train, test = dataset.split(0.9, seed=42)
            >>> train.num_rows, test.num_rows
            (8999, 1001)
        """

    def head(self, count: int = 5) -> RecordBatch:
        """Returns the first rows in file order, whose text shows the first values of each column.

        The batch has fewer rows if the dataset has fewer, or if more rows exceed the limit `batch_bytes`.

        Args:
            count: Number of rows, at least 0.

        Raises:
            ArrowfeedError, OSError: As in `record_batches`.
            ValueError: `count` is below 0.
            TypeError: `count` is not an integer.

        Example:
            >>> dataset.head(3)
            <arrowfeed.RecordBatch of 3 rows and 2 columns>
              id: Int64 not null = 1, 2, 3
              name: Utf8 = Ada, null, Emmy
        """

    def describe(
        self, *, threads: int | None = None, on_error: OnError = "raise", progress: bool = False
    ) -> Description:
        """Reads all rows, and computes statistics of each column and of its nested fields.

        The statistics are those of the command `arrowfeed stats`: nulls, the smallest and the largest value,
        lengths, distinct and frequent values, bytes. The columns are those of `arrow_schema`. The memory does
        not depend on the number of rows.

        Args:
            threads: Number of threads that decode, as in `record_batches`.
            on_error: How to handle parts that cannot be read, as in `record_batches`.
            progress: Whether to show a tqdm progress bar that counts the rows as they are read.

        Raises:
            ArrowfeedError, OSError: As in the iteration over `record_batches`.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type.
            ImportError: pyarrow is not installed, or `progress` is True and tqdm is not installed.

        Example:
            >>> description = dataset.describe()
            >>> description["age"].min, description["age"].max, description["age"].nulls
            (18, 97, 3)
            >>> description.write_html("rows.html")
        """

    def rows(
        self, numbers: Iterable[SupportsIndex] | npt.NDArray[np.integer[Any]], *, threads: int | None = None
    ) -> RecordBatch:
        """Reads rows by their numbers, in the order of `numbers`.

        Row 0 is the first row of the dataset in file order, after `take`, `skip` and `split`. As in a list, a
        number may occur several times, and -1 is the last row.

        The first call reads the block headers of all files, unless the dataset has an index or `num_rows` was
        called before. Each block that contains some of the rows is decoded once. The call keeps no decoded
        block for the next call: for many calls with few rows each, use `samples`.

        Args:
            numbers: A list, tuple, range, one-dimensional array or other iterable of integers.
            threads: Number of threads that decode, if the rows are in several blocks. None: one per core that
                the process may use. 1: the calling thread decodes.

        Returns:
            A batch with a row for each number. Its schema is `arrow_schema`.

        Raises:
            IndexError: The dataset has no row of this number. No row is read.
            OptionError: The dataset is a `MixedDataset`.
            ChangedError: A file has changed since it was first read, or since the index in use was saved.
            LimitError: The rows do not fit into one batch.
            ArrowfeedError: A block with some of the rows is damaged. Damage elsewhere is an error only if the
                index of the file cannot be read.
            OSError: A file cannot be read.
            ValueError: `threads` is less than 1.
            TypeError: `numbers` is not an iterable of integers, or `threads` is not an integer.

        Example:
            >>> dataset.rows([12345, 99, 99, -1]).num_rows
            4
        """

    def row_tensors(
        self, numbers: Iterable[SupportsIndex] | npt.NDArray[np.integer[Any]], *, threads: int | None = None
    ) -> dict[str, AnyTensor]:
        """Reads rows by their numbers, as a dict of tensors in the order of `specs`.

        The tensors have the kinds and types of those of `tensors`. The first dimension has a row for each
        number.

        Args:
            numbers: Numbers of rows, as in `rows`.
            threads: Number of decoding threads, as in `rows`.

        Raises:
            ConversionError: A row does not fit its tensors.
            IndexError, ArrowfeedError, OSError, ValueError, TypeError: As in `rows`.

        Example:
            >>> dataset.row_tensors([12345, 99, 99, -1])["x"].shape
            (4, 2)
        """

    def rows_of(
        self,
        numbers: SupportsIndex | Iterable[SupportsIndex] | npt.NDArray[np.integer[Any]],
        /,
        *,
        epoch: int = 0,
        **options: Unpack[IterationOptions],
    ) -> RecordBatch:
        """Returns the file and the number of each row of some batches, without decoding the other columns.

        The order of an iteration is a function of the files, the options and the seed. So this call knows
        which rows a batch has, or had in a training of last year. Filters, mixtures, shards and global
        batches count.

        Args:
            numbers: The number of a batch, or several. The first batch of the epoch has number 0. With a
                `shard`, they are the batches of this shard.
            epoch: The number of the epoch, in place of `start_epoch`. The batches of a mixture, and those of
                `ByLength` with `even="drop"`, go on from one epoch to the next: for them, leave it out, and
                give the `epochs` of the training.
            **options: The options of the iteration, as in `record_batches`. A shuffle and a mixture need the
                `seed`. Damaged values, and files with other columns, may not be noticed, because no values
                are decoded: if `on_error` skipped them in the training, the batches after them differ.

        Returns:
            A batch with the columns `batch` (int64), `file` (a dictionary of string) and `row` (int64), in
            the order of the batches. Each file has the name that `file_column` shows, and a row the number
            that `row_column` shows: counted from the first row of its file, whatever is left out. After
            `map`, the rows are those that the function receives.

        Raises:
            OptionError: There is no such batch, or the seed is missing.
            ArrowfeedError, OSError: As in `record_batches`.
            ValueError: An option or a number has an invalid value.
            TypeError: An option or a number has the wrong type, or an option is missing.

        Example:
            >>> rows = dataset.rows_of(range(2), batch_size=2, shuffle_buffer_size=1000, seed=7)
            >>> rows.num_rows, rows.schema.names
            (4, ['batch', 'file', 'row'])
        """

    def batches_of(
        self,
        file: str | os.PathLike[str],
        rows: SupportsIndex | Iterable[SupportsIndex] | npt.NDArray[np.integer[Any]],
        **options: Unpack[IterationOptions],
    ) -> RecordBatch:
        """Returns the batches that have some of the rows of a file: did a training see these rows, and when?

        It is the reverse of `rows_of`, for each of the `epochs` from `start_epoch` on.

        Args:
            file: The name of a file of the dataset, as `file_column` shows it.
            rows: The number of a row in the file, or several, counted from 0.
            **options: The options of the iteration, as in `record_batches`. A shuffle and a mixture need the
                `seed`. `epochs` must be a number, and 1 for a mixture and for `ByLength` with
                `even="drop"`; `across_epochs` must be False.

        Returns:
            A batch with the columns `epoch`, `batch` and `row` (int64), in the order of the batches. The
            batches of each epoch are numbered from 0. A row that no batch has is missing: one that a filter
            leaves out, or one of another shard.

        Raises:
            OptionError: The dataset does not have the file, the seed is missing, or `epochs` is None.
            ArrowfeedError, OSError: As in `record_batches`.
            ValueError: An option or a number has an invalid value.
            TypeError: An option or a number has the wrong type, or an option is missing.

        Example:
            >>> seen = dataset.batches_of("part-0.avro", [17, 18], batch_size=1024, epochs=2)
            >>> print(seen.num_rows)
            4
        """

    def samples(self, *, cache_bytes: int = 64 << 20, threads: int | None = 1) -> Samples:
        """Returns the rows as a sequence of samples, for a `torch.utils.data.DataLoader` with a sampler, and
        for `grain.MapDataset.source` and other loaders that ask for rows by number.

        A sample is a dict of NumPy values by tensor name: the row of each tensor, without the batch
        dimension. The arrays are writable copies. A padded dimension is as long as the longest row of the
        same call.

        | tensor | value in a sample |
        |---|---|
        | dense, one value per row | a NumPy scalar; for a string, `bytes` |
        | dense, with more dimensions | an array; for strings, an array of `bytes` objects. |
        | ragged | an array of the values of the row; with several ragged dimensions, lists of arrays |
        | sparse | a `SparseRow` of indices, values and shape, without the batch dimension |
        | structured | a dict of the values of its fields |

        The object has `__len__`, `__getitem__` and `__getitems__`. `len` and the first row read the block
        headers of all files, unless the dataset has an index; so a copy in another process is fast with
        `index=`. Several threads may use the object at the same time. It can be pickled, and used after a
        fork; the copy in another process has a cache of its own.

        The order of a sampler decides how fast this is: each block that is not in the cache is decoded for
        the rows that are asked for in one call. In random order over many files, `record_batches` with a
        shuffle decodes each block once and is much faster.

        Args:
            cache_bytes: Maximum size in bytes of the decoded blocks that are kept for later rows; those that
                were not used for the longest time are dropped. A block that is larger is not kept. 0: no
                cache.
            threads: Number of threads that decode, if a call reads rows of several blocks. 1: the calling
                thread decodes, because loaders have threads or processes of their own. None: one per core.

        Raises:
            OptionError: The dataset is a `MixedDataset`.
            ValueError: An argument has an invalid value.
            TypeError: An argument has the wrong type.

        Example:
            >>> samples = dataset.samples()
            >>> samples[7]["x"]
            array([0.5, 1.5], dtype=float32)
            >>> loader = torch.utils.data.DataLoader(samples, batch_size=32, shuffle=True)
        """

    def explain(self) -> str:
        """Explains which columns are read and, for each tensor, which memory is shared with the batch, which
        is copied, and why.

        Example:
            >>> print(dataset.explain())
            2 files, columns: x
            x: dense float32 [?, 2]
              values: shared
        """

    def record_batches(
        self,
        *,
        batch_size: int | None = None,
        global_batch_size: int | None = None,
        batches: ByLength | None = None,
        streams: int = 64,
        even: Literal["drop", "repeat", "auto"] | None = "auto",
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] | Literal["auto"] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
        start_epoch: int = 0,
        progress: bool = False,
    ) -> BatchIterator[RecordBatch]:
        """Iterates over batches of exactly `batch_size` rows; the last batch of an epoch may be shorter.

        The files and the options determine the batches; `threads` and `prefetch_bytes` affect only speed and
        memory. Files are opened when they are needed. A shuffled or sharded iteration first reads the block
        headers of all files.

        Args:
            batch_size: Number of rows of a batch, at least 1. Required, unless `global_batch_size` is given.
            global_batch_size: In place of `batch_size`: number of rows of a batch of all shards together, a
                multiple of `streams`. Each global batch depends only on the files, the options, the seed, the
                epoch and its number, not on the number of shards. Shard `(index, count)` gets
                `global_batch_size / count` consecutive rows of it. A checkpoint of any shard can be loaded
                with any other number of shards.
            batches: A `ByLength`, which makes batches of rows of similar length, also of sequences into which
                rows are packed. None: batches have consecutive rows.
            streams: With `global_batch_size`: number of equal parts into which the order of an epoch is
                divided. Each global batch has the same number of rows of each of them. The number of shards
                must divide it.
            even: With `global_batch_size`: how each shard gets the same number of batches of the same size,
                so that no process waits for another one. "drop": drops the rows of an epoch that do not fill
                a global batch. "repeat": fills the last global batch with the first rows of each stream.
                None: the last batch of an epoch may have fewer rows, and none in some shards. "auto": "drop"
                for `shard="auto"`, otherwise None. With `batches`, "drop": each shard reads all rows, and the
                shards take turns with their batches, so that the batches do not depend on the number of
                shards, and a checkpoint can be loaded with any number of them; drops the last batches, of
                which there are fewer than shards.
            drop_remainder: Drops the last batch of an epoch if it has fewer rows.
            epochs: Number of passes over all rows, at least 1. None: endless.
            shuffle_buffer_size: Minimum number of rows that are shuffled together. 0: file order.
            seed: Seed of the shuffle, 0 to 2**64 - 1. Without `shuffle_buffer_size` it has no effect and
                Python warns, except in a mixture. None: a random seed of each iterator; its checkpoints
                contain it. A shuffle in shards requires a seed, which must be the same for all shards.
                Without a shuffle, None is 0 for a mixture with `global_batch_size`, or with `batches` and
                `even="drop"`: the choices of all processes are the same.
            shard: The index of this shard, from 0, and the number of shards. Each row is in exactly one
                shard, and the sizes of the shards differ by at most one row. "auto": the number of this
                process and the number of processes, from `torch.distributed`, `jax.distributed` or mpi4py if
                it is initialized, otherwise from the environment variables of torchrun, TensorFlow
                (`TF_CONFIG`), Open MPI or MPICH; (0, 1) without any of these.
            threads: Number of threads that decode blocks and build tensors. None: one per core that the
                process may use, according to its affinity and cgroup quota. 1: the calling thread does the
                work, and no thread is started.
            prefetch_bytes: Maximum size in bytes of the decoded rows and tensors that the worker threads
                prefetch. A shuffle may use the same amount again.
            on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a block
                that cannot be read. `"skip_file"`: skips the rest of the file. Batches keep their size,
                because the rows after a skipped part take its place. `report()` lists the skipped parts.
            across_epochs: Whether to fill the last batch of an epoch with the first rows of the next epoch,
                so that only the very last batch may be shorter. False: no batch has rows of two epochs.
            start_epoch: Number of the first epoch, from 0. The order of a shuffle depends on the number of
                the epoch. `epochs=2, start_epoch=3` iterates over the epochs 3 and 4.
            progress: Whether to show a tqdm progress bar that counts the rows. The bar has a total if the
                number of rows is known without a long scan of the files. Closing the iterator closes the bar.

        Raises:
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type, is missing or is unknown.
            ImportError: `progress` is True and tqdm is not installed.

        Example:
            >>> [batch.num_rows for batch in dataset.record_batches(batch_size=1000)]
            [1000, 1000, 500]
        """

    # The base class takes `**options`; pyright reports the named options as an incompatible override.
    @overload
    def tensors(
        self,
        *,
        batch_size: int | None = None,
        global_batch_size: int | None = None,
        batches: ByLength | None = None,
        streams: int = 64,
        even: Literal["drop", "repeat", "auto"] | None = "auto",
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] | Literal["auto"] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
        start_epoch: int = 0,
        progress: bool = False,
        label: None = None,
        weight: None = None,
    ) -> BatchIterator[dict[str, AnyTensor]]:
        """Iterates over the batches of `record_batches`, each as a dict of tensors in the order of `specs`.

        The first dimension of each tensor is the batch dimension.

        Args:
            batch_size: Number of rows of a batch. `record_batches` explains all options.
            global_batch_size: In place of `batch_size`: number of rows of a batch of all shards together, a
                multiple of `streams`.
            batches: A `ByLength`, which makes batches of rows of similar length. None: batches have
                consecutive rows.
            streams: With `global_batch_size`: number of equal parts of an epoch, a multiple of the number of
                shards.
            even: With `global_batch_size`: how each shard gets the same number of batches of the same size.
                "auto": "drop" for `shard="auto"`, otherwise None.
            drop_remainder: Drops the last batch of an epoch if it has fewer rows.
            epochs: Number of passes over all rows. None: endless.
            shuffle_buffer_size: Minimum number of rows that are shuffled together. 0: file order.
            seed: Seed of the shuffle. None: random.
            shard: The index of this shard and the number of shards, or "auto", as in `record_batches`.
            threads: Number of decoding threads.
            prefetch_bytes: Maximum size in bytes of the prefetched rows.
            on_error: How to handle blocks that cannot be read. Rows that do not fit a tensor always raise an
                error.
            across_epochs: Whether a batch may have rows of two epochs.
            start_epoch: Number of the first epoch, from 0.
            progress: Whether to show a tqdm progress bar that counts the rows. The bar has a total if the
                number of rows is known without a long scan of the files. Closing the iterator closes the bar.
            label: Name of the label tensor, or a sequence of names. Each element is then a pair: a dict of
                the other tensors, and the label (for a sequence of names, a dict of the labels). None: each
                element is a dict of all tensors.
            weight: With `label`: name of the tensor of the sample weights, which each element then has as a
                third item. None: no weights.

        Raises:
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type, is missing or is unknown.
            ImportError: `progress` is True and tqdm is not installed.

        Example:
            >>> tensors = next(dataset.tensors(batch_size=32, epochs=None, shuffle_buffer_size=10_000))
            >>> tensors["x"].shape
            (32, 2)
        """

    @overload
    def tensors(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        progress: bool = False,
        label: str | Sequence[str],
        weight: str | None = None,
        **options: Unpack[IterationOptions],
    ) -> BatchIterator[tuple[Any, ...]]: ...
    def __len__(self) -> NoReturn: ...
    def __bool__(self) -> Literal[True]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def to_tf(
        self,
        *,
        batch_size: int | None = None,
        global_batch_size: int | None = None,
        batches: ByLength | None = None,
        streams: int = 64,
        even: Literal["drop", "repeat", "auto"] | None = "auto",
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] | Literal["auto"] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
        start_epoch: int = 0,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
        match: FileMatch = "names",
    ) -> TensorFlowDataset:
        """Returns a `tf.data.Dataset` of dicts of tensors, usable with `model.fit`. Imports TensorFlow.

        The elements are those of `tensors`, converted by `arrowfeed.tensorflow.to_tensorflow`. The
        `element_spec` describes them: `tf.TensorSpec`, `tf.SparseTensorSpec`, `tf.RaggedTensorSpec`, or a
        dict of these for a structured tensor. With `drop_remainder`, the batch dimension has a fixed size.

        A TensorFlow op produces the batches without the Python interpreter. Numbers enter the graph without a
        copy if their memory is aligned. With a `seed`, each iteration over the dataset continues with the
        next epochs. So each iteration has a different order, and each run of the program has the same orders.

        Keras shows the number of batches as the length of an epoch. The dataset knows this number in any of
        these cases: the iteration is shuffled or sharded; the dataset selects rows with `skip` or `split`; an
        index is set; `num_rows` or `num_batches` was called before; there are at most 100 files, they are
        local, and they have at most 64 MiB together or are Parquet files. Otherwise the number is unknown,
        because counting would need a scan of the files.

        `tf.train.Checkpoint(iterator=iter(...))` saves the position of an iterator. A graph can transfer the
        dataset to another process, as in tf.data service; that process must import `arrowfeed.tensorflow`
        first.

        Args:
            batch_size: Number of rows of a batch. `record_batches` explains the options in full.
            global_batch_size: In place of `batch_size`: number of rows of a batch of all shards together, a
                multiple of `streams`.
            batches: A `ByLength`, which makes batches of rows of similar length. None: batches have
                consecutive rows.
            streams: With `global_batch_size`: number of equal parts of an epoch, a multiple of the number of
                shards.
            even: With `global_batch_size`: how each shard gets the same number of batches of the same size.
                "auto": "drop" for `shard="auto"`, otherwise None.
            drop_remainder: Drops the last batch of an epoch if it has fewer rows, so that all batches have
                the size that the `element_spec` states.
            epochs: Number of passes over all rows in one iteration.
            shuffle_buffer_size: Minimum number of rows that are shuffled together.
            seed: Seed of the shuffle.
            shard: The index of this shard and the number of shards, or "auto", as in `record_batches`. Inside
                a function that `tf.data` calls, the index and the number may be tensors.
            threads: Number of threads that decode blocks and build tensors. 1: in a `for` loop of eager code,
                the calling thread does both; otherwise one thread decodes ahead, and a TensorFlow thread
                builds the tensors.
            prefetch_bytes: Maximum size in bytes of the prefetched rows.
            on_error: How to handle blocks that cannot be read. The number of batches is known only with
                `"raise"`.
            across_epochs: Whether a batch may have rows of two epochs.
            start_epoch: Number of the first epoch, from 0.
            label: Name of the label tensor, or a sequence of names. Each element is then a pair, which
                `model.fit` expects: a dict of the other tensors, and the label (for a sequence of names, a
                dict of the labels). None: each element is a dict of all tensors.
            weight: With `label`: name of the tensor of the sample weights, which each element then has as a
                third item. None: no weights.
            match: How `tf.train.Checkpoint` compares the files of a checkpoint, as in
                `BatchIterator.load_state_dict`.

        Returns:
            A `tf.data.Dataset`. Its method `set_epoch(epoch)` sets the number of the next pass, from 0.

        Raises:
            ImportError: TensorFlow is not installed.
            RuntimeError: This build of TensorFlow has no C API for ops.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type or is missing.
            tf.errors.InvalidArgumentError: During the iteration, a file is damaged, or a row does not fit a
                tensor.

        Example:
            >>> batches = dataset.to_tf(batch_size=1024, shuffle_buffer_size=10_000, seed=7, label="clicked")
            >>> model.fit(batches, epochs=3, shuffle=False)  # the dataset shuffles, not Keras
        """

    def to_torch(
        self,
        *,
        batch_size: int | None = None,
        global_batch_size: int | None = None,
        batches: ByLength | None = None,
        streams: int = 64,
        even: Literal["drop", "repeat", "auto"] | None = "auto",
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] | Literal["auto"] | None = None,
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
        start_epoch: int = 0,
        ragged: RaggedForm | Mapping[str, RaggedForm] = "parts",
        keyed_jagged: KeyedJagged | None = None,
        pin_memory: bool = False,
        device: Any = None,
        copies_ahead: int = 2,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
        match: FileMatch = "names",
    ) -> TorchDataset:
        """Returns a `torch.utils.data.IterableDataset` of dicts of PyTorch tensors. Imports PyTorch.

        The elements are those of `tensors`, converted by `arrowfeed.torch.to_torch`. Each element is a whole
        batch, so a `DataLoader` needs `batch_size=None`. The rows are divided among the workers of a
        `DataLoader` and, if `torch.distributed` is initialised, among the ranks. The sizes of the parts
        differ by at most one row, so one rank may have one batch more than another. Train for a fixed number
        of steps, or use `DistributedDataParallel.join()`. The result has no `len`, because the number of
        batches depends on the number of workers.

        With `global_batch_size`, all ranks have the same batches for any number of ranks and of workers, and
        make the same number of steps. Workers take turns with whole batches, and each decodes the rows of the
        others too. A checkpoint fits any number of ranks and workers; `state_after(count)` makes one in the
        process of a `DataLoader` with workers.

        If you set a seed, call `set_epoch(epoch)` on the result before each pass. The methods `state_dict()`
        and `load_state_dict(state)` make and load checkpoints; torchdata's `StatefulDataLoader` calls them in
        each worker. The result can be pickled.

        Args:
            batch_size: Number of rows of a batch. `record_batches` explains the options in full.
            global_batch_size: In place of `batch_size`: number of rows of a batch of all shards together, a
                multiple of `streams`.
            batches: A `ByLength`, which makes batches of rows of similar length. None: batches have
                consecutive rows.
            streams: With `global_batch_size`: number of equal parts of an epoch, a multiple of the number of
                shards.
            even: With `global_batch_size`: how each process gets the same number of batches of the same size.
                "auto": "drop" for `shard="auto"` and for the ranks of `torch.distributed`, otherwise None.
            drop_remainder: Drops the last batch of each worker if it has fewer rows.
            epochs: Number of epochs in one pass.
            shuffle_buffer_size: Minimum number of rows that are shuffled together.
            seed: Seed of the shuffle. None: a random seed for each pass; not allowed with several shards.
            shard: The index of the shard of this process and the number of shards; the workers of the process
                divide the shard. "auto": as in `record_batches`, when this method is called. None: the rank
                and the number of ranks of `torch.distributed` if it is initialised, otherwise (0, 1).
            threads: Number of decoding threads. None: one in a worker, otherwise one per core.
            prefetch_bytes: Maximum size in bytes of the prefetched rows, in each worker.
            on_error: How to handle blocks that cannot be read.
            across_epochs: Whether a batch may have rows of two epochs.
            start_epoch: Number of the first epoch, from 0.
            ragged: The form of ragged tensors, or a dict of the forms of some of them: `"parts"`, `"nested"`,
                `"offsets"` or `"lengths"`, as in `arrowfeed.torch.to_torch`.
            keyed_jagged: A dict of names to lists of names of tensors. Each list becomes one
                `KeyedJaggedTensor` of TorchRec, which replaces its tensors.
            pin_memory: Whether a thread copies each batch to page-locked memory of the pool of PyTorch, from
                which copies to a GPU are fast. Without CUDA: a `RuntimeWarning`, and no copy. With workers,
                pass `pin_memory=True` to the `DataLoader` instead.
            device: A `torch.device`, or its name: a thread copies the next batches to it, on CUDA through
                page-locked memory and in a stream of its own. Not with workers. None: no copy.
            copies_ahead: With `pin_memory` or `device`: number of batches that are copied and not yet
                returned, at least 1.
            label: Name of the label tensor, or a sequence of names. Each element is then a pair: a dict of
                the other tensors, and the label (for a sequence of names, a dict of the labels). None: each
                element is a dict of all tensors.
            weight: With `label`: name of the tensor of the sample weights, which each element then has as a
                third item. None: no weights.
            match: How the files of a checkpoint are compared, as in `BatchIterator.load_state_dict`.

        Raises:
            ImportError: PyTorch or, for `keyed_jagged`, TorchRec is not installed.
            RuntimeError: PyTorch does not know the `device`.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type or is missing.

        Example:
            >>> rows = dataset.to_torch(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
            >>> for batch in torch.utils.data.DataLoader(rows, batch_size=None, num_workers=2):
            ...     train(batch["x"])
        """

    def to_jax(
        self,
        *,
        batch_size: int | None = None,
        global_batch_size: int | None = None,
        batches: ByLength | None = None,
        streams: int = 64,
        even: Literal["drop", "repeat", "auto"] | None = "auto",
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] | Literal["auto"] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
        start_epoch: int = 0,
        ragged: JaxRaggedForm | Mapping[str, JaxRaggedForm] = "parts",
        device: Any = None,
        sharding: Any = None,
        copies_ahead: int = 2,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
    ) -> JaxIterator:
        """Returns an iterator over dicts of JAX arrays. Imports JAX.

        The elements are those of `tensors`, converted by `arrowfeed.jax.to_jax`. The iterator has the methods
        `state_dict()`, `load_state_dict(state)`, `report()` and `close()` of `BatchIterator`, and its `len`.

        Args:
            batch_size: Number of rows of a batch. `record_batches` explains the options in full.
            global_batch_size: In place of `batch_size`: number of rows of a batch of all shards together, a
                multiple of `streams`.
            batches: A `ByLength`, which makes batches of rows of similar length. None: batches have
                consecutive rows.
            streams: With `global_batch_size`: number of equal parts of an epoch, a multiple of the number of
                shards.
            even: With `global_batch_size`: how each shard gets the same number of batches of the same size.
                "auto": "drop" for `shard="auto"`, otherwise None.
            drop_remainder: Drops the last batch of an epoch if it has fewer rows, so that a compiled function
                sees one batch size.
            epochs: Number of passes over all rows.
            shuffle_buffer_size: Minimum number of rows that are shuffled together.
            seed: Seed of the shuffle.
            shard: The index of this shard and the number of shards, or "auto", as in `record_batches`.
            threads: Number of decoding threads.
            prefetch_bytes: Maximum size in bytes of the prefetched rows.
            on_error: How to handle blocks that cannot be read.
            across_epochs: Whether a batch may have rows of two epochs.
            start_epoch: Number of the first epoch, from 0.
            ragged: The form of ragged tensors, or a dict of the forms of some of them: `"parts"`, `"padded"`
                or `"segments"`, as in `arrowfeed.jax.to_jax`.
            device: A `jax.Device`: a thread copies the next batches to it. None: no copy.
            sharding: A `jax.sharding.Sharding` of dense tensors, or a dict of those of some of them: a thread
                makes global arrays, of which the batch of this process is a part, as
                `jax.make_array_from_process_local_data`. All processes must make batches of one size and
                equally many, as `global_batch_size` with `even` does. None: no global arrays.
            copies_ahead: With `device` or `sharding`: number of batches that are copied and not yet returned,
                at least 1.
            label: Name of the label tensor, or a sequence of names. Each element is then a pair: a dict of
                the other tensors, and the label (for a sequence of names, a dict of the labels). None: each
                element is a dict of all tensors.
            weight: With `label`: name of the tensor of the sample weights, which each element then has as a
                third item. None: no weights.

        Raises:
            ImportError: JAX is not installed.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type or is missing.

        Example:
            >>> for batch in dataset.to_jax(batch_size=1024, drop_remainder=True, epochs=3):
            ...     params = step(params, batch["x"])
        """

    def to_keras(
        self,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        label: str | Sequence[str] | None = None,
        weight: str | None = None,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
    ) -> Any:
        """Returns a `keras.utils.PyDataset` of dicts of numpy arrays, for every backend of Keras.

        Batch `i` has the rows `i * batch_size` and following, as `row_tensors` reads them. `fit` shuffles the
        batches, but not the rows of a batch: pass `shuffle=False`, or shuffle rows with `to_tf` (backends
        TensorFlow and JAX) or a `DataLoader` of `to_torch` (backend PyTorch). Imports Keras.

        Args:
            batch_size: Number of rows of a batch.
            drop_remainder: Drops the last batch if it has fewer rows.
            label: Name of the label tensor, or a sequence of names. Each batch is then a pair: a dict of the
                other tensors, and the label (for a sequence of names, a dict of the labels). None: each batch
                is a dict of all tensors.
            weight: With `label`: name of the tensor of the sample weights, which each batch then has as a
                third item. None: no weights.
            workers: Number of threads or processes of Keras, as in `PyDataset`.
            use_multiprocessing: Whether the workers are processes, as in `PyDataset`.
            max_queue_size: Maximum number of batches that wait, as in `PyDataset`.

        Raises:
            ConversionError: A tensor is not dense: not every backend has sparse and ragged tensors.
            ImportError: Keras is not installed.
            OptionError: The dataset is a `MixedDataset`.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type or is missing.

        Example:
            >>> rows = dataset.to_keras(batch_size=1024, label="clicked", weight="importance")
            >>> model.fit(rows, epochs=3, shuffle=False)
        """

    def to_hf(
        self, *, target_bytes: int = 64 << 20, batch_size: int = 1000, on_error: OnError = "raise"
    ) -> Any:
        """Returns the rows as a `datasets.IterableDataset` of Hugging Face. Imports its package datasets.

        Each split of `plan_splits` is a shard: the workers of a `DataLoader` divide the shards, and `shuffle`
        shuffles them. Rows without splits, such as those of `take`, of bytes or of a mixture, are one shard.
        The order of a mixture is that of seed 0 in each pass and in each process. The `state_dict` of the
        result has the shard and the number of its rows, so an iteration that resumes reads the shard again up
        to the position.

        | column | feature |
        |---|---|
        | numbers, booleans, text, bytes, decimals, dates, times, structs, lists | the same |
        | dictionaries and enums | their values |
        | extension types | the storage type |
        | maps | a list of structs with the fields `key` and `value` |
        | unions, intervals | `ConversionError` |

        Args:
            target_bytes: Target size of a shard in bytes, as in `plan_splits`.
            batch_size: Maximum number of rows of a table, which the methods of Hugging Face divide further.
            on_error: How to handle blocks that cannot be read: `"raise"` or `"skip_block"`.

        Raises:
            ConversionError: A column has a type that Hugging Face does not have.
            ImportError: datasets or pyarrow is not installed.
            ArrowfeedError, OSError: As in `plan_splits`.
            ValueError: An option has an invalid value.
            TypeError: An option has the wrong type.

        Example:
            >>> rows = dataset.to_hf().with_format("torch").shuffle(seed=7, buffer_size=10_000)
        """

@final
class ChunkDataset(Dataset):
    """A dataset over the rows of a `ChunkSource`.

    Python code provides the rows in chunks. Like a dataset over files, a `ChunkDataset` supports shuffles,
    shards, epochs, checkpoints, `on_error`, and tensors that worker threads build. The thread that requests
    batches calls `read_chunk`.

    Args:
        source: A `ChunkSource`, or a list of them that is read in order.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of columns to read, in this order. None: the columns that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        limits: `batch_bytes` bounds a batch. None: `Limits()`.
        index: Path of an index of these sources that `save_index` wrote. None: no index.

    Raises:
        SchemaError: A column does not exist, or the schema of a source differs from that of the first one.
        OptionError: The list is empty.
        RepresentationError: A tensor cannot be built from the columns.
        ChangedError: `index` belongs to other sources, or the rows of the sources have changed.
        ValueError: An argument has an invalid value.
        TypeError: An argument has the wrong type.
        Exception: Exceptions of the properties of a source are passed on.

    Example:
        >>> dataset = arrowfeed.ChunkDataset(Squares(), columns=["n"])
        >>> dataset.num_rows
        500
        >>> batches = dataset.tensors(batch_size=32, shuffle_buffer_size=500, seed=7, threads=4)
    """

    def __new__(
        cls,
        source: ChunkSource | list[ChunkSource] | tuple[ChunkSource, ...],
        *,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        exclude: list[str] | tuple[str, ...] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
    ) -> ChunkDataset: ...

@final
class MixedDataset(Dataset):
    """Several datasets whose rows are mixed at random, by weight.

    For each row of an iteration, a random number chooses the dataset, with a probability proportional to its
    weight. The rows of each dataset have the same order as in an iteration over that dataset alone. A dataset
    whose rows are used up is not chosen any more; the iteration ends after the last row of the last dataset.
    To keep the ratio of the weights, iterate with `epochs=None`, and stop after a number of batches.

    The options of an iteration, such as the shuffle, the shard and the number of epochs, apply to each
    dataset. `seed` is also the seed of the mixture. A batch may have rows of several datasets and epochs. A
    checkpoint resumes the mixture exactly.

    Call `take`, `skip`, `split`, `save_index`, `plan_splits` and `read_split` on the single datasets, because
    a `MixedDataset` does not support them.

    Args:
        datasets: A list or tuple of datasets with equal columns and tensors. The formats may differ.
        weights: A number greater than 0 for each dataset. None: equal weights.

    Raises:
        ValueError: There is no dataset; a dataset is a `MixedDataset`; the columns, their types or the
            tensors differ; or a weight is not above 0.
        TypeError: An argument has the wrong type.

    Example:
        >>> mixed = arrowfeed.MixedDataset([clicks, views], weights=[0.8, 0.2])
        >>> batches = mixed.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7, epochs=None)
        >>> for _, tensors in zip(range(100), batches):
        ...     train(tensors)
    """

    def __new__(
        cls,
        datasets: list[Dataset] | tuple[Dataset, ...],
        *,
        weights: list[float] | tuple[float, ...] | None = None,
    ) -> MixedDataset: ...

class RowReader:
    """Reads rows of a dataset by number, and keeps decoded blocks, for `Samples`."""

    def __new__(cls, dataset: Dataset, cache_bytes: int, threads: int | None) -> Self: ...
    def num_rows(self) -> int:
        """Returns the number of rows of the dataset."""

    def tensors(self, numbers: Iterable[SupportsIndex]) -> dict[str, AnyTensor]:
        """Returns the tensors of rows, as `Dataset.row_tensors`."""
