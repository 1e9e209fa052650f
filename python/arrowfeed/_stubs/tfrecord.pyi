"""TFRecord files."""

import os
from collections.abc import Mapping
from typing import Literal, final

from arrowfeed._stubs.dataset import Dataset
from arrowfeed._stubs.read import Limits, RecordBatchReader
from arrowfeed.types import (
    ArrowSchemaExportable,
    ColumnType,
    ExampleSchemaLike,
    FeatureLike,
    OnError,
    PredicateLike,
    RepresentationT,
    Rows,
    SequenceExampleSchemaLike,
    Source,
    StorageOptions,
    Store,
)

@final
class ExampleDataset(Dataset):
    """A dataset over TFRecord files of `tf.Example` messages.

    Each feature is a column of type `large_list` of int64, float or large_binary, as in tfx_bsl. For a record
    without the feature, the column has a null; for a feature without values, an empty list. The decoder
    writes the values of a record directly into the columns and skips the features that are not read.

    The files may be compressed with gzip or zlib; the dataset detects the compression from the first bytes.
    One thread reads a compressed file from its start; several files are read in parallel. The dataset
    verifies the checksums. `on_error="skip_block"` skips only the record that cannot be decoded.

    The constructor reads file objects into memory, because they can be read only once.

    Args:
        source: A path, a glob, a directory (its `*.tfrecord`), a URL (S3, Google Cloud Storage, Azure, HTTP
            and HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list
            of these. Files are read in the order of the list; the files of a glob or a directory are sorted
            by name.
        schema: The features: a dict of names to `"int64"`, `"float"`, `"bytes"`, or `"null"` for a feature
            that never has a list, or a `tensorflow.metadata.v0.Schema` or its bytes. With a `Schema`, and
            without `features`, `representations` and `columns`, the tensors are those of
            `representations_from_tfmd`. None: all features of the records, sorted by name; the constructor
            reads all files to find them.
        sample: Without `schema`: number of records, from the first one on, that are searched for features, at
            least 1. A feature that occurs only in later records is not read. None: all records.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Names of features to read, in this order. None: the features that the tensors need.
        exclude: Names of features not to read, in place of `columns`. None: no feature is excluded.
        encoding: The Arrow types of features. `"tfx"`: the types above. `"feature"`: `list` instead of
            `large_list`, and binary instead of large_binary, as in `read_avro` with this encoding.
        chunk_bytes: As in `CsvDataset`.
        limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
            `batch_bytes` a batch. None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote. None: shuffles and shards read the
            lengths of the records first.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
            stores" lists the keys. Options that are not set come from the environment. A pickle of the
            dataset contains these options.
        store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
            determines the store.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
            too.
        FormatError: The first file is not a TFRecord file, or `index` is not an index.
        CorruptBlockError: Without `schema`, a record cannot be decoded, or a feature has values of several
            types.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        SchemaError: A column is not in the schema, or no record has any feature.
        RepresentationError: A tensor cannot be built from the columns, or `schema` has a feature of an
            unsupported type.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

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
        representations: dict[str, RepresentationT] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        exclude: list[str] | tuple[str, ...] | None = None,
        encoding: Literal["tfx", "feature"] = "tfx",
        chunk_bytes: int = 262144,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
        file_column: str | None = None,
        row_column: str | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> ExampleDataset: ...

@final
class SequenceExampleDataset(Dataset):
    """A dataset over TFRecord files of `tf.SequenceExample` messages.

    Each context feature is a column of lists, as in `ExampleDataset`. The last column, `##SEQUENCE##`, is a
    struct with a field for each feature list. The field is a list of steps, and each step is a list of
    values. For a record without the feature list, the field is null. A step is null if its `tf.Feature`
    message contains no list; a step is empty if the list is empty. The struct itself is never null. These are
    the types of tfx_bsl, except that integers keep all 64 bits.

    Compression, checksums, threads and `on_error` are as in `ExampleDataset`.

    Args:
        source: As in `ExampleDataset`.
        schema: The features: a dict of names to kinds, as in `ExampleDataset`, with a dict of the same
            form for the feature lists under the key `"##SEQUENCE##"`. Or a `tensorflow.metadata.v0.Schema` or
            its bytes, with the feature lists in a STRUCT feature `##SEQUENCE##`. The default tensors and the
            meaning of None are as in `ExampleDataset`.
        sample: As in `ExampleDataset`.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`.
        columns: Field paths to read, such as `user` and `##SEQUENCE##.token`, in this order. None: the fields
            that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        encoding: As in `ExampleDataset`. `"feature"` also wraps the struct in a list of one element.
        chunk_bytes: As in `CsvDataset`.
        limits: As in `ExampleDataset`.
        index: As in `ExampleDataset`.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
            stores" lists the keys. Options that are not set come from the environment. A pickle of the
            dataset contains these options.
        store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
            determines the store.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.

    Raises:
        ArrowfeedError: As in `ExampleDataset`.
        ValueError: A context feature is named `##SEQUENCE##`, or an option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> schema = {"user": "int64", "##SEQUENCE##": {"token": "int64"}}
        >>> tensors = {"tokens": representations.Ragged(["##SEQUENCE##", "token"])}
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
        representations: dict[str, RepresentationT] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        exclude: list[str] | tuple[str, ...] | None = None,
        encoding: Literal["tfx", "feature"] = "tfx",
        chunk_bytes: int = 262144,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
        file_column: str | None = None,
        row_column: str | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> SequenceExampleDataset: ...

@final
class RawRecordDataset(Dataset):
    """A dataset over the records of TFRecord files, as bytes that are not decoded.

    Use it for records that are not `tf.Example` messages, or if you parse the records yourself. The files may
    be compressed, as in `ExampleDataset`.

    Args:
        source: As in `ExampleDataset`.
        column: The name of the column, which has the type large_binary.
        features: As in `AvroDataset`.
        representations: As in `AvroDataset`. If you pass neither argument, the tensor is `Dense`, with one
            byte string per row.
        chunk_bytes: As in `CsvDataset`.
        limits: `decoded_block_bytes` bounds a record, `batch_bytes` a batch. None: `Limits()`.
        index: As in `ExampleDataset`.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
            stores" lists the keys. Options that are not set come from the environment. A pickle of the
            dataset contains these options.
        store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
            determines the store.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.

    Raises:
        FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
            too.
        FormatError: The first file is not a TFRecord file, or `index` is not an index.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        RepresentationError: A tensor cannot be built from the column.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

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
        chunk_bytes: int = 262144,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
        file_column: str | None = None,
        row_column: str | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> RawRecordDataset: ...

def read_tfrecord(
    source: Source,
    *,
    format: Literal["example", "sequence_example", "raw"] = "example",  # noqa: A002 - the word that fits
    schema: ExampleSchemaLike | SequenceExampleSchemaLike | None = None,
    sample: int | None = None,
    columns: list[str] | tuple[str, ...] | None = None,
    exclude: list[str] | tuple[str, ...] | None = None,
    encoding: Literal["tfx", "feature"] = "tfx",
    chunk_bytes: int = 262144,
    where: PredicateLike | None = None,
    batch_size: int | None = None,
    threads: int | None = None,
    limits: Limits | None = None,
    on_error: OnError = "raise",
    partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
    file_column: str | None = None,
    row_column: str | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_bytes: int | None = None,
    progress: bool = False,
) -> RecordBatchReader:
    """Reads TFRecord files as Arrow record batches.

    The files may be compressed with gzip or zlib; the reader detects the compression from the first bytes.
    One thread reads a compressed file. The reader verifies the checksums.

    Args:
        source: A path, a glob, a directory (its `*.tfrecord`), a URL,
            the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
        format: The format of the records. `"example"`: `tf.Example` messages; each feature becomes a column
            of type `large_list` of int64, float or large_binary, with a null for each record without the
            feature. `"sequence_example"`: `tf.SequenceExample` messages; `SequenceExampleDataset` describes
            the columns. `"raw"`: bytes, in the column `record`; `schema`, `sample` and `encoding` are not
            allowed.
        schema: The features: a dict of names to `"int64"`, `"float"`, `"bytes"`, or `"null"` for a feature
            that never has a list, or a `tensorflow.metadata.v0.Schema` or its bytes; for sequences, see
            `SequenceExampleDataset`. None: all features of the records, sorted by name; this call reads all
            files to find them.
        sample: Without `schema`: number of records, from the first one on, that are searched for features, at
            least 1. A feature that occurs only in later records is not read. None: all records.
        columns: Names of features to read, in this order. Other features are skipped. None: all features.
        exclude: Names of features not to read, in place of `columns`. None: no feature is excluded.
        encoding: The Arrow types of features; see `ExampleDataset`.
        where: The predicate that the rows must pass, such as `arrowfeed.col("age") >= 18`, its text
            `"age >= 18"`, or an expression of pyarrow or polars. Its columns need not be among `columns`.
            Each batch but the last one then has `batch_size` rows. None: all rows.
        batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
            for many columns, as in `read_avro`.
        threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
        chunk_bytes: As in `CsvDataset`.
        limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
            `batch_bytes` a batch. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a record that
            cannot be decoded and, after other damage, continues at the next intact record. `"skip_file"`:
            skips the rest of the file. `report()` lists the skipped parts.
        partitioning: As in `read_avro`.
        file_column: As in `read_avro`.
        row_column: As in `read_avro`.
        storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
            stores" lists the keys. Options that are not set come from the environment.
        store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
            determines the store.
        cache: Local directory in which the bytes of files in stores are cached. None: no cache.
        cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.
        progress: Whether to show a tqdm progress bar that counts the rows as they are read, without a total.
            Closing the reader closes the bar.

    Returns:
        A reader that iterates over batches and has `__arrow_c_stream__`.

    Raises:
        FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
            too.
        FormatError: The first file is not a TFRecord file.
        CorruptBlockError: Without `schema`, a record cannot be decoded, or a feature has values of several
            types.
        SchemaError: A column is not in the schema, or no record has any feature.
        RepresentationError: `schema` has a feature of an unsupported type, or is not a valid message.
        OptionError: A column of `where` does not exist, or has another type than its value.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: `progress` is True and tqdm is not installed.

    Example:
        >>> reader = arrowfeed.read_tfrecord("part-*.tfrecord.gz", columns=["id", "tags"])
        >>> table = pyarrow.table(reader)
    """

def write_tfrecord(
    batches: Rows,
    path: str | os.PathLike[str],
    *,
    format: Literal["example", "sequence_example", "raw"] = "example",  # noqa: A002 - the word that fits
    compression: Literal["none", "gzip", "zlib"] | None = None,
    storage_options: StorageOptions | None = None,
    store: Store | None = None,
) -> int:
    """Writes Arrow data to a new TFRecord file, one record for each row.

    By default, a record is a `tf.Example` message, and each column is a feature. Integers and booleans become
    an `int64_list`; floats and doubles become a `float_list`, with doubles rounded; text and bytes become a
    `bytes_list`. A cell may be one value or a list of values; a cell of a union has the feature of its
    branch. For a null, the message does not have the
    feature; for an empty list, the message has the feature without values. The file appears under its name
    when it is complete, and replaces an existing file.

    Args:
        batches: Rows, as in `write_avro`.
        path: Path of the new file, or URL of an object.
        format: The format of a record. `"example"`: as above. `"sequence_example"`: a `tf.SequenceExample`
            message. The struct column `##SEQUENCE##` contains its feature lists: each field is a list of
            steps, and a step is one value or a list of values. All other columns are context features.
            `"raw"`: the only column contains the records as bytes or text.
        compression: Compression of the whole file. None: `"gzip"` if the name ends with `.gz`, otherwise
            `"none"`.
        storage_options: Options of the store of a URL, as in `read_avro`.
        store: An obstore store that contains the object `path`. None: the URL determines the store.

    Returns:
        The number of rows written.

    Raises:
        ConversionError: Features do not support the type of a column, a list has a null value, an integer
            does not fit into a signed 64-bit integer, or `##SEQUENCE##` is not a struct of lists. With
            `"raw"`: there are several columns, or there is a null.
        ArrowfeedError: The stream of batches raised an error. Errors of a `RecordBatchReader` are passed on
            unchanged.
        OSError: The file cannot be written.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> table = pyarrow.table({"id": [1, 2, 3], "tags": [["a", "b"], [], None]})
        >>> arrowfeed.write_tfrecord(table, "rows.tfrecord")
        3
        >>> arrowfeed.read_tfrecord("rows.tfrecord").schema.names
        ['id', 'tags']
    """
