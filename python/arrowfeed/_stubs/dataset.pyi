"""Files as a source of batches: `Dataset`, and a class for each format that makes one."""

import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, final

from typing_extensions import Self

from arrowfeed._dataset import ChunkSource, Tfxio
from arrowfeed._frameworks.jax_iterator import JaxIterator
from arrowfeed._stubs.adapter import TensorAdapter, TensorSpec
from arrowfeed._stubs.arrow import RecordBatch, Schema
from arrowfeed._stubs.batch_iterator import BatchIterator
from arrowfeed._stubs.read import Limits, RecordBatchReader, Split
from arrowfeed._stubs.representation import Representation
from arrowfeed.types import (
    ArrowSchemaExportable,
    AvroSchemaLike,
    Encoding,
    ExampleSchemaLike,
    FeatureLike,
    OnError,
    RepresentationLike,
    SeekableFile,
    SequenceExampleSchemaLike,
    Source,
    StorageOptions,
    Store,
    Tensor,
)

class Dataset(Tfxio):
    """Files of one format, and the tensors that are made of them: a source of batches for training.

    The base class of `AvroDataset` and the classes of other formats, which make one. It has no constructor.
    No thread is started before the first batch is asked for. Datasets can be pickled; a copy opens the files
    again.

    Example:
        >>> dataset = arrowfeed.ParquetDataset("part-*.parquet")
        >>> isinstance(dataset, arrowfeed.Dataset)
        True
    """

    @property
    def arrow_schema(self) -> Schema:
        """The schema of the record batches: of the columns that are read."""

    @property
    def tensor_representations(self) -> dict[str, Representation] | dict[str, FeatureLike]:
        """What each tensor is made of, by name: representations, or the features as they were given."""

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """What is known of each tensor before any batch, by name."""

    @property
    def num_rows(self) -> int:
        """Rows of all files, by the heads of blocks or by footers; nothing is decompressed.

        Every file is opened, the first time; then the number is known.

        Raises:
            OSError: A file cannot be read. FormatError: one is not of the format, or ends inside a block.
        """

    @property
    def fingerprint(self) -> str:
        """Of the files' names and sizes and of `arrow_schema`: 16 hexadecimal digits.

        Raises:
            OSError: A file cannot be found.
        """

    def save_index(self, path: str | os.PathLike[str]) -> None:
        """Writes an index of the files: the identity of each, and where its blocks are.

        `AvroDataset(..., index=path)` then reads no block heads. The index takes some 25 bytes a block, 1 GiB
        at most. It appears under its name when it is whole, and replaces a file of that name. The heads of
        all blocks are read here, unless the dataset has read them before.

        Args:
            path: Of the index. It is read from the local file system.

        Raises:
            CorruptBlockError: A block has a fault: only files without one have an index. Other errors of
                files likewise.
            ChangedError: A file changed after it was first read, or after the index that is in use was saved.
            OSError: A file cannot be read, or the index cannot be written. TypeError: `path` is no path.

        Example:
            >>> arrowfeed.AvroDataset("part-*.avro").save_index("parts.index.json")
            >>> dataset = arrowfeed.AvroDataset("part-*.avro", index="parts.index.json")
            >>> dataset.num_rows
            2000
        """

    def plan_splits(self, *, target_bytes: int = 64 << 20) -> list[Split]:
        """Cuts the files into splits of about one size, in file order, for the workers of an engine.

        Opens each file and reads what stands beside its rows: the header of an Avro file, the footer of a
        Parquet file. Each split knows its file, so that a worker that finds another one raises an error.

        Args:
            target_bytes: Bytes of a split; the last one of a file may be smaller.

        Returns:
            Splits whose rows, read in this order, are the files' rows. A file without rows may have none.

        Raises:
            SchemaError: A file has no path, or other columns than the first one.
            ChangedError: A file changed after it was first read, or after the index that is in use was saved.
            OSError: A file cannot be opened. ArrowfeedError: it is not of the format.
            ValueError: `target_bytes` is less than 1. TypeError: it is no integer.

        Example:
            >>> splits = dataset.plan_splits(target_bytes=16 << 20)
            >>> sum(batch.num_rows for split in splits for batch in dataset.read_split(split))
            2000
        """

    def read_split(
        self,
        split: Split,
        *,
        claim: Callable[[int], bool] | None = None,
        file: SeekableFile | None = None,
        batch_size: int = 8192,
        on_error: OnError = "raise",
    ) -> RecordBatchReader:
        """Reads one split of the files as Arrow record batches, in the calling thread.

        The batches have the columns of the dataset. `tensor_adapter().convert(batch)` makes its tensors.

        Args:
            split: Of `plan_splits`, of this dataset or of a copy in another process.
            claim: Asked once for each chunk (an Avro block, a Parquet row group), in order, with its offset,
                as in `arrowfeed.read_split`. False ends the split before the chunk. None: all are read.
            file: Read in place of `split.path`: a binary file object whose position 0 is the first byte of
                the file. It is read at any offset, and not closed.
            batch_size: Most rows of a batch. A batch may end early, at the end of a chunk.
            on_error: What to do with chunks that cannot be read.

        Returns:
            A reader of the split's rows, which may be none.

        Raises:
            SchemaError: The split is of a file that the dataset has not.
            ChangedError: The file is not the one that the split was planned for, or ends before the split
                starts.
            ArrowfeedError: As by iterating over `record_batches`, and OSErrors likewise.
            TypeError: An argument has a wrong type; by the reader, the answer of `claim` is no bool.
            ValueError: An argument has a wrong value.

        Example:
            >>> rows = 0
            >>> for split in dataset.plan_splits(target_bytes=1 << 20):
            ...     rows += sum(batch.num_rows for batch in dataset.read_split(split, batch_size=1024))
        """

    def tensor_adapter(self) -> TensorAdapter:
        """What makes tensors of the record batches; each time an equal one."""

    def project(self, names: Iterable[str]) -> Self:
        """The dataset of some of the tensors, in the order of `names`; no other columns are read.

        Its specs are the same, and its batches have the same rows in the same order.

        Args:
            names: Of tensors.

        Raises:
            RepresentationError: A name is not known. TypeError: `names` is no list of str.

        Example:
            >>> dataset.project(["name.first"]).arrow_schema
        """

    def explain(self) -> str:
        """What is read, and of each tensor what is shared with the batches and what is copied, and why.

        Example:
            >>> print(dataset.explain())
            2 files, columns: x
            x: dense float32 [?, 2]
              values: shared
        """

    # Each option is named here, which pyright takes for fewer of them.
    def record_batches(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
    ) -> BatchIterator[RecordBatch]:
        """Record batches of exactly `batch_size` rows, but for the last one of each epoch.

        The batches are a function of the files and the options; `threads` and `prefetch_bytes` change
        nothing but speed and memory. Files are opened when their turn comes; a shuffle and shards look at
        the block heads of all files first.

        Args:
            batch_size: Rows of a batch, 1 or more.
            drop_remainder: Leaves out the last batch of an epoch where it has fewer rows.
            epochs: How often all rows are given, 1 or more. None: without end.
            across_epochs: Fills the last batch of an epoch with the first rows of the next one, so that only
                the very last batch may be short. False: no batch has rows of two epochs.
            shuffle_buffer_size: Rows that are shuffled with each other, at least. 0: file order.
            seed: Of the shuffle, 0 to 2**64 - 1. None: drawn by the system, another one for each iterator;
                its state has it. Shards of a shuffle must be given one that they share.
            shard: The number of this shard from 0 on, and how many there are. Shards are a row apart in
                size at most, and each row is in one of them.
            threads: Threads that decode and make tensors. None: as many as the process has cores (affinity
                and cgroup quota respected). 1: the calling thread, none is started.
            prefetch_bytes: Bytes of decoded rows and their tensors that may wait for the caller, where
                threads work ahead.
            on_error: `"raise"`; `"skip_block"` leaves out blocks that cannot be read; `"skip_file"` leaves
                out the rest of the file. Following rows move up. What is left out is in `report()`.

        Raises:
            ValueError: An option has a wrong value. TypeError: an option has a wrong type, is missing or
                not known.

        Example:
            >>> [batch.num_rows for batch in dataset.record_batches(batch_size=1000)]
            [1000, 1000, 500]
        """

    # Each option is named here, which pyright takes for fewer of them.
    def tensors(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
    ) -> BatchIterator[dict[str, Tensor]]:
        """The tensors of each batch of `record_batches`, by name, in the order of the specs.

        The first dimension of each tensor is that of the rows.

        Args:
            batch_size: As in `record_batches`; so are the options below.
            drop_remainder: Leaves out the last batch of an epoch where it has fewer rows.
            epochs: How often all rows are given. None: without end.
            across_epochs: Whether batches may have rows of two epochs.
            shuffle_buffer_size: Rows that are shuffled with each other, at least. 0: file order.
            seed: Of the shuffle. None: drawn by the system.
            shard: The number of this shard, and how many there are.
            threads: Threads that decode.
            prefetch_bytes: Bytes of decoded rows that may wait for the caller.
            on_error: What to do with blocks that cannot be read. Rows that do not fit a tensor are an error
                always.

        Raises:
            ValueError: An option has a wrong value. TypeError: an option has a wrong type, is missing or
                not known.

        Example:
            >>> tensors = next(dataset.tensors(batch_size=32, epochs=None, shuffle_buffer_size=10_000))
            >>> tensors["x"].shape
            (32, 2)
        """

    def __reduce__(self) -> tuple[Any, ...]: ...
    def to_tf(
        self,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
    ) -> Any:
        """A `tf.data.Dataset` of dicts of TensorFlow's tensors, fit for `model.fit`. Imports TensorFlow.

        Elements are what `arrowfeed.tensorflow.to_tensorflow` makes of those of `tensors`, and the
        `element_spec` says it before: `tf.TensorSpec`, `tf.SparseTensorSpec`, `tf.RaggedTensorSpec`, or a
        dict of these for a structured tensor. The first size is known where `drop_remainder` is set.

        An op of TensorFlow gives the batches, without the interpreter; numbers get to the graph without a
        copy where their memory is aligned. Each iteration over the dataset goes on with the next epochs of
        the seed: another order each time, the same ones in each run.

        `tf.train.Checkpoint(iterator=iter(...))` saves where an iterator stands. A graph takes the dataset
        to another process, as in tf.data service; that process imports `arrowfeed.tensorflow` first.

        Args:
            batch_size: As in `record_batches`; so are all options.
            drop_remainder: Leaves out short batches, so that all have one size, which the spec says.
            epochs: How often all rows are given in one iteration.
            across_epochs: Whether batches may have rows of two epochs.
            shuffle_buffer_size: Rows that are shuffled with each other, at least.
            seed: Of the shuffle.
            shard: The number of this shard, and how many there are. Either may be a tensor, in a function of
                a dataset.
            threads: Threads that decode and make tensors. 1: in a `for` loop of eager code, the calling
                thread does both; elsewhere, one thread decodes ahead, and TensorFlow's own makes the
                tensors.
            prefetch_bytes: Bytes of decoded rows that may wait.
            on_error: What to do with blocks that cannot be read.

        Returns:
            A `tf.data.Dataset`. Its method `set_epoch(epoch)` says which pass the next one is, from 0.

        Raises:
            ImportError: TensorFlow is not installed. RuntimeError: it has no C API for ops.
            ValueError: An option has a wrong value. TypeError: one has a wrong type, or is missing.
                What is wrong with a file or a row is a `tf.errors.InvalidArgumentError` of the iteration.

        Example:
            >>> batches = dataset.to_tf(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
            >>> model.fit(batches.map(lambda row: (row, row.pop("label"))), epochs=3)
        """

    def to_torch(
        self,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] = ...,
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
    ) -> Any:
        """A `torch.utils.data.IterableDataset` of dicts of PyTorch's tensors. Imports PyTorch.

        Elements are what `arrowfeed.torch.to_torch` makes of those of `tensors`: whole batches, so a
        `DataLoader` needs `batch_size=None`. Each worker of a `DataLoader` has a part of the rows; where
        `torch.distributed` is initialised, each rank has one. Parts are a row apart in size at most, so
        ranks may differ by a batch: train a fixed number of steps, or join uneven inputs.

        The dataset has `set_epoch(epoch)`, to be called before each pass where a seed is given;
        `state_dict()` and `load_state_dict(state)`, which torchdata's `StatefulDataLoader` calls in each
        worker; and can be pickled.

        Args:
            batch_size: As in `record_batches`; so are the options that are not explained here.
            drop_remainder: Leaves out the last batch of each worker where it has fewer rows.
            epochs: How often all rows are given in one pass.
            across_epochs: Whether batches may have rows of two epochs.
            shuffle_buffer_size: Rows that are shuffled with each other, at least.
            seed: Of the shuffle. None: drawn for each pass; not where there are several shards.
            shard: The part of this process, which workers share out. Default: that of its rank.
            threads: Threads that decode. None: one in a worker, else as many as cores.
            prefetch_bytes: Bytes of decoded rows that may wait, in each worker.
            on_error: What to do with blocks that cannot be read.

        Raises:
            ImportError: PyTorch is not installed.
            ValueError: An option has a wrong value. TypeError: one has a wrong type, or is missing.

        Example:
            >>> rows = dataset.to_torch(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
            >>> for batch in torch.utils.data.DataLoader(rows, batch_size=None, num_workers=2):
            ...     train(batch["x"])
        """

    def to_jax(
        self,
        *,
        batch_size: int,
        drop_remainder: bool = False,
        epochs: int | None = 1,
        shuffle_buffer_size: int = 0,
        seed: int | None = None,
        shard: tuple[int, int] | list[int] = (0, 1),
        threads: int | None = None,
        prefetch_bytes: int = 64 << 20,
        on_error: OnError = "raise",
        across_epochs: bool = False,
    ) -> JaxIterator:
        """An iterator over dicts of arrays of JAX. Imports JAX.

        Elements are what `arrowfeed.jax.to_jax` makes of those of `tensors`. It has `state_dict()`,
        `load_state_dict(state)`, `report()` and `close()` of `BatchIterator`.

        Args:
            batch_size: As in `record_batches`; so are all options.
            drop_remainder: Leaves out short batches, so that a compiled function sees one size.
            epochs: How often all rows are given.
            across_epochs: Whether batches may have rows of two epochs.
            shuffle_buffer_size: Rows that are shuffled with each other, at least.
            seed: Of the shuffle.
            shard: The number of this shard, and how many there are.
            threads: Threads that decode.
            prefetch_bytes: Bytes of decoded rows that may wait.
            on_error: What to do with blocks that cannot be read.

        Raises:
            ImportError: JAX is not installed.
            ValueError: An option has a wrong value. TypeError: one has a wrong type, or is missing.

        Example:
            >>> for batch in dataset.to_jax(batch_size=1024, drop_remainder=True, epochs=3):
            ...     params = step(params, batch["x"])
        """

@final
class AvroDataset(Dataset):
    """Avro files, and the tensors that are made of them: a source of batches for training.

    The first file's header is read here, so wrong files, columns, features and schemas are errors of this
    call. No thread is started before the first batch is asked for. Datasets can be pickled; a copy opens
    the files again. What can be read only once, a file object or a URL, is read into memory here.

    Args:
        source: A path, a glob, a directory (its `*.avro`), a URL (other schemes than `file://` need fsspec),
            the bytes of a file, a binary file object, or a list of these. File order: as listed, globs and
            directories sorted.
        features: Dict of the tensors' names to features: of `arrowfeed.features`, `tf.io`, tensorflow-io or
            ATDS. A name is a key expression, unless the feature has a `key`. Only the fields that keys need
            are read.
        representations: Or dict of the tensors' names to `Representation`s, TensorFlow Metadata's
            `TensorRepresentation` messages, or the bytes of such. None of both: what
            `infer_representations` finds.
        columns: Field paths to read, as in `read_avro`. None: those that the tensors need.
        reader_schema: The schema to resolve the values to; needed where the files have different ones.
        encoding: `"native"`, `"feature"` or `"tfx"`, as in `read_avro`.
        double_as_float: With `encoding="tfx"`, doubles as Float32.
        raw: Whether a record is the only value of its row, as its bytes, in the column `record`; see
            `read_avro`.
        limits: What one file may ask of this process. None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote: `num_rows`, shuffles and shards then
            read no block heads. None: they are read where they are needed.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: The first file is no Avro object container file, or `index` is no index.
        ChangedError: `index` is one of other files, or a file has another length now.
        SchemaError: A schema is not valid or cannot become Arrow, or a column is not in it.
        RepresentationError: A tensor cannot be made of the columns; `tensor` and `field` say which.
        LimitError: The header asks for more than `limits` allows.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> from arrowfeed import features
        >>> wanted = {"name.first": features.Dense([], default=b"?"), "friends[*].age": features.Ragged()}
        >>> dataset = arrowfeed.AvroDataset("part-*.avro", features=wanted)
        >>> dataset
        <arrowfeed.AvroDataset of 2 tensors>
          name.first: dense bytes [?]
          friends[*].age: ragged int64 [?, ?], 1 ragged dimension
        >>> for tensors in dataset.tensors(batch_size=1024):
        ...     train(tensors["name.first"].values, tensors["friends[*].age"].row_splits[0])
    """

    def __new__(
        cls,
        source: Source,
        *,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        reader_schema: AvroSchemaLike | None = None,
        encoding: Encoding = "native",
        double_as_float: bool = False,
        raw: bool = False,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> AvroDataset: ...

@final
class ParquetDataset(Dataset):
    """Parquet files, and the tensors that are made of them: a source of batches for training.

    A row group is what a block is in Avro: a unit of shuffling, of threads and of `on_error`. Files with
    row groups of 10,000 to 100,000 rows shuffle well; a row group is decoded by one thread. Only the pages of
    the columns that are read are read. Dictionaries of Arrow come as their values.

    The first file's footer is read here, so wrong files, columns and features are errors of this call. What
    can be read only once, a file object or a URL, is read into memory here.

    Args:
        source: A path, a glob, a directory (its `*.parquet`), a URL (other schemes than `file://` need
            fsspec), the bytes of a file, a binary file object, or a list of these. File order: as listed,
            globs and directories sorted.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Field paths to read (`id`, `user.scores`, through lists too), in the order of the columns. A
            map is read as a whole. None: those that the tensors need. With a `schema`, they are paths in it.
        schema: The Arrow schema of the batches: a schema of pyarrow, or of any library that has
            `__arrow_c_schema__`. Columns and fields are found in each file by their names, in any order, and
            converted where no value is lost: docs/parquet.md has the table of types. A column that a file
            does not have is null, if the schema allows it. None: the schema of the first file, which all
            files must have.
        double_as_float: With a `schema`, rounds doubles to floats. Otherwise a column of doubles that the
            schema has as floats is an error.
        limits: What one file may ask of this process: `header_bytes` bounds the footer, `batch_bytes` a
            batch. None: `Limits()`. The `parquet` crate, which decodes, may allocate up to 2 GiB for a page
            of a damaged file.
        index: Path of an index of these files that `save_index` wrote: `num_rows`, shuffles and shards then
            read no footers before the files are read. None: they are read where they are needed.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: The first file is no Parquet file, or `index` is no index.
        ChangedError: `index` is one of other files, or a file has another length now.
        SchemaError: The file's columns cannot become Arrow, or those of `schema`; or a column is not in it.
        RepresentationError: A tensor cannot be made of the columns; `tensor` and `field` say which.
        LimitError: The footer asks for more than `limits` allows.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> dataset = arrowfeed.ParquetDataset("part-*.parquet", columns=["id", "user.scores"])
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["id"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        schema: ArrowSchemaExportable | None = None,
        double_as_float: bool = False,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> ParquetDataset: ...

@final
class ExampleDataset(Dataset):
    """Messages of `tf.Example` in files of TFRecord, and the tensors that are made of them.

    Each feature is a column of lists: `large_list` of int64, float or large_binary, as tfx_bsl has them. A
    feature that a record does not have is a null row; a list without values is an empty one. Records are
    decoded from their bytes into the columns; those of features that are not read are stepped over.

    Files may be compressed by gzip or zlib, which their first bytes say. Such a file is read by one thread,
    and from its start: several files are read by several threads. Checksums are checked. A record that
    cannot be decoded is left out alone by `on_error="skip_block"`.

    What can be read only once, a file object or a URL, is read into memory here.

    Args:
        source: A path, a glob, a directory (its `*.tfrecord`), a URL (other schemes than `file://` need
            fsspec), the bytes of a file, a binary file object, or a list of these. File order: as listed,
            globs and directories sorted.
        schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
            `tensorflow.metadata.v0.Schema` or its bytes. Without `features`, `representations` and `columns`,
            the tensors are those of `representations_from_tfmd`. None: the features that the records have,
            by name, for which all files are read here.
        sample: Without `schema`: records that are looked at for their features, from the first one on. A
            feature that none of them has is left out. None: all.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of features to read, in the order of the columns. None: those that the tensors need.
        encoding: The Arrow types of features. `"tfx"`: as above. `"feature"`: `list` in place of
            `large_list`, and binary in place of large_binary, as `read_avro` has them in this encoding.
        limits: What one file may ask of this process: `decoded_block_bytes` bounds a record, `batch_bytes` a
            batch. None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote. None: lengths of records are read
            where an index is needed, for shuffles and shards.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: The first file is no file of TFRecord, or `index` is no index.
        CorruptBlockError: Without `schema`: a record cannot be decoded, or a feature has values of two kinds.
        ChangedError: `index` is one of other files, or a file has another length now.
        SchemaError: A column is not in the schema, or no record has a feature.
        RepresentationError: A tensor cannot be made of the columns, or `schema` has another type of feature.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> schema = {"id": "int64", "tags": "bytes"}
        >>> dataset = arrowfeed.ExampleDataset("part-*.tfrecord", schema=schema)
        >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
        ...     train(tensors["id"].values)
    """

    def __new__(
        cls,
        source: Source,
        *,
        schema: ExampleSchemaLike | None = None,
        sample: int | None = None,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        encoding: Literal["tfx", "feature"] = "tfx",
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> ExampleDataset: ...

@final
class SequenceExampleDataset(Dataset):
    """Messages of `tf.SequenceExample` in files of TFRecord, and the tensors that are made of them.

    Each feature of the context is a column of lists, as in `ExampleDataset`. The last column, `##SEQUENCE##`,
    is a struct with a field for each feature list: a list of steps, each of which is a list of values. A row
    is null there if its record does not have the feature list; a step is null if it has no values of any
    kind. The struct itself is never null. These are the types of tfx_bsl, and integers have all 64 bits.

    Compression, checksums, threads and `on_error` are as in `ExampleDataset`.

    Args:
        source: As in `ExampleDataset`.
        schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, and of `"##SEQUENCE##"` to
            such a dict of the feature lists; or a `tensorflow.metadata.v0.Schema` or its bytes, whose feature
            `##SEQUENCE##` is a STRUCT of them. What the tensors are, and what None means: as in
            `ExampleDataset`.
        sample: As in `ExampleDataset`.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Field paths to read, such as `user` and `##SEQUENCE##.token`, in the order of the columns.
            None: those that the tensors need.
        encoding: As in `ExampleDataset`. `"feature"`: the struct also stands in a list of one.
        limits: As in `ExampleDataset`.
        index: As in `ExampleDataset`.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        ArrowfeedError: As in `ExampleDataset`.
        ValueError: A feature of the context is named `##SEQUENCE##`, or an option has a wrong value.
        TypeError: An argument has a wrong type.

    Example:
        >>> schema = {"user": "int64", "##SEQUENCE##": {"token": "int64"}}
        >>> tensors = {"tokens": arrowfeed.Ragged(["##SEQUENCE##", "token"])}
        >>> dataset = arrowfeed.SequenceExampleDataset("*.tfrecord", schema=schema, representations=tensors)
        >>> for tensors in dataset.tensors(batch_size=128):
        ...     train(tensors["tokens"])
    """

    def __new__(
        cls,
        source: Source,
        *,
        schema: SequenceExampleSchemaLike | None = None,
        sample: int | None = None,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        encoding: Literal["tfx", "feature"] = "tfx",
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> SequenceExampleDataset: ...

@final
class RawRecordDataset(Dataset):
    """The records of files of TFRecord as bytes, which are not looked into.

    For records that are no `tf.Example`, and for those who parse them themselves. Files may be compressed, as
    in `ExampleDataset`.

    Args:
        source: As in `ExampleDataset`.
        column: The name of the column, of large_binary.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`. None of both: `Dense`, a string for each row.
        limits: `decoded_block_bytes` bounds a record, `batch_bytes` a batch. None: `Limits()`.
        index: As in `ExampleDataset`.
        storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
            lists them. None: the environment says what the store needs. A pickle of the dataset has them.
        store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
            says it.
        cache: Directory of a local cache for files of stores. None: no cache.
        cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
        FormatError: The first file is no file of TFRecord, or `index` is no index.
        ChangedError: `index` is one of other files, or a file has another length now.
        RepresentationError: A tensor cannot be made of the column.
        ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

    Example:
        >>> dataset = arrowfeed.RawRecordDataset("part-*.tfrecord")
        >>> for batch in dataset.record_batches(batch_size=64, shuffle_buffer_size=10_000):
        ...     parse(batch.to_pyarrow()["record"].to_pylist())
    """

    def __new__(
        cls,
        source: Source,
        *,
        column: str = "record",
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationLike] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> RawRecordDataset: ...

@final
class ChunkDataset(Dataset):
    """Rows that a `ChunkSource` gives, and the tensors that are made of them.

    Any rows that Python code can read in chunks get what files have: shuffles, shards, epochs, states,
    `on_error`, tensors on worker threads. `read_chunk` is called in the thread that asks for batches.

    Args:
        source: A `ChunkSource` or a list of these, which are read one after the other.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of columns to read, in the order of the batches. None: those that the tensors need.
        limits: `batch_bytes` bounds a batch. None: `Limits()`.
        index: Path of an index of these sources that `save_index` wrote. None: there is none.

    Raises:
        SchemaError: A column is not there, or a source has another schema than the first one; there is no
            source.
        RepresentationError: A tensor cannot be made of the columns.
        ChangedError: `index` is of other sources, or of sources whose rows have changed.
        ValueError: An argument has a wrong value. TypeError: an argument has a wrong type.
            Whatever a property of the source raises.

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
        representations: dict[str, RepresentationLike] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
    ) -> ChunkDataset: ...
