"""Avro files."""

import os
from collections.abc import Mapping
from typing import Literal, final

from arrowfeed._stubs.dataset import Dataset
from arrowfeed._stubs.read import Limits, RecordBatchReader
from arrowfeed.types import (
    ArrowSchemaExportable,
    AvroSchemaLike,
    ColumnType,
    Encoding,
    FeatureLike,
    OnError,
    PredicateLike,
    RepresentationT,
    Source,
    StorageOptions,
    Store,
    StringType,
    Unions,
)

@final
class AvroDataset(Dataset):
    """A dataset over Avro files: a source of record batches and tensors for training.

    The constructor reads the header of the first file, so it raises an error for a wrong file, column,
    feature or schema. Worker threads start when an iterator is asked for its first batch. Datasets can be
    pickled; the copy opens the files again. The constructor reads file objects into memory, because they can
    be read only once.

    Args:
        source: A path, a glob, a directory (its `*.avro`), a URL (S3, Google Cloud Storage, Azure, HTTP and
            HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list of
            these. Files are read in the order of the list; the files of a glob or a directory are sorted by
            name.
        features: Dict of tensor names to features of `arrowfeed.features`, `tf.io`, tensorflow-io or ATDS.
            The name is the key expression, unless the feature has a `key`. Only the fields that the keys need
            are read.
        representations: An alternative to `features`: dict of tensor names to `Representation` objects, or to
            `TensorRepresentation` messages of TensorFlow Metadata or their bytes. If you pass neither
            argument, `infer_representations` determines the tensors.
        columns: Field paths to read, as in `read_avro`. None: the fields that the tensors need.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        reader_schema: The reader schema, as in `read_avro`; required if the files have different schemas.
            `"merge"`: the merged schema of all files, whose headers the constructor reads. Copies of the
            dataset in other processes have the merged schema, and read no headers for it.
        encoding: `"native"`, `"feature"` or `"tfx"`, as in `read_avro`.
        double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
        string_type: Arrow type of strings, as in `read_avro`.
        unions: `"dense"`, `"struct"` or `"json"`, as in `read_avro`. The key `u:string` selects a branch of a
            dense union, and the key `u.string` a field of a struct.
        fixed_lengths: Lengths of the arrays that become fixed-size lists, as in `read_avro`.
        raw: Whether to read each record as bytes into the single column `record`; see `read_avro`.
        limits: Upper bounds on the resources that one file may use. None: `Limits()`.
        index: Path of an index of these files that `save_index` wrote. With an index, `num_rows`, shuffles
            and shards read no block headers. None: block headers are read when needed.
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
        FormatError: The first file is not an Avro object container file, or `index` is not an index.
        ChangedError: `index` belongs to other files, or the length of a file has changed.
        SchemaError: A schema is invalid or cannot be converted to Arrow, or a column does not exist.
        RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
            name the tensor and its column.
        LimitError: The header exceeds `limits`.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.

    Example:
        >>> from arrowfeed import features
        >>> wanted = {"name.first": features.Dense([], default=b"?"), "friends[*].age": features.Ragged()}
        >>> dataset = arrowfeed.AvroDataset("part-*.avro", features=wanted)
        >>> dataset
        <arrowfeed.AvroDataset of 2 tensors>
          name.first: dense bytes [?]
          friends[*].age: ragged int32 [?, ?] (row splits int64)
        >>> for tensors in dataset.tensors(batch_size=1024):
        ...     train(tensors["name.first"].values, tensors["friends[*].age"].row_splits[0])
    """

    def __new__(
        cls,
        source: Source,
        *,
        features: dict[str, FeatureLike] | None = None,
        representations: dict[str, RepresentationT] | None = None,
        columns: list[str] | tuple[str, ...] | None = None,
        exclude: list[str] | tuple[str, ...] | None = None,
        reader_schema: AvroSchemaLike | None = None,
        encoding: Encoding = "native",
        double_as_float: bool = False,
        string_type: StringType = "utf8",
        unions: Unions = "dense",
        fixed_lengths: Mapping[str, int] | None = None,
        raw: bool = False,
        limits: Limits | None = None,
        index: str | os.PathLike[str] | None = None,
        partitioning: Literal["hive"] | ArrowSchemaExportable | Mapping[str, ColumnType] | None = None,
        file_column: str | None = None,
        row_column: str | None = None,
        storage_options: StorageOptions | None = None,
        store: Store | None = None,
        cache: str | os.PathLike[str] | None = None,
        cache_bytes: int | None = None,
    ) -> AvroDataset: ...

def read_avro(
    source: Source,
    *,
    columns: list[str] | tuple[str, ...] | None = None,
    exclude: list[str] | tuple[str, ...] | None = None,
    reader_schema: AvroSchemaLike | None = None,
    where: PredicateLike | None = None,
    batch_size: int | None = None,
    max_batch_bytes: int | None = None,
    encoding: Encoding = "native",
    double_as_float: bool = False,
    string_type: StringType = "utf8",
    unions: Unions = "dense",
    fixed_lengths: Mapping[str, int] | None = None,
    raw: bool = False,
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
    """Reads Avro object container files as Arrow record batches.

    This call reads the header of the first file, so it raises an error for a wrong file, column or schema.
    The other files are opened when they are needed, and must have the columns of the first file.

    Args:
        source: A path, a glob, a directory (its `*.avro`), a URL, the bytes of a file, a binary file object,
            or a list of these. URLs of S3, Google Cloud Storage, Azure, HTTP servers and HDFS need no other
            package; URLs of other schemes need fsspec. Files are read in the order of the list; the files of
            a glob or a directory are sorted by name. A file object is read from its current position in the
            calling thread, and stays open.
        columns: Field paths to read (`"id"`, `"user.scores"`, `"friends.name.first"`; also through arrays and
            maps). A quoted name is used literally: `"['a.b'].c"`. An unquoted path that matches several
            fields is an error. The nesting is kept: `user.scores` is read as a struct `user` with the field
            `scores`. The order of the paths determines the order of the top-level columns. None: all fields.
        exclude: Names of columns not to read, in place of `columns`. None: no column is excluded.
        reader_schema: The reader schema. The rules of the Avro specification resolve the values of the file
            to it: promotion, defaults, aliases, enum defaults. `"merge"`: the merged schema of all files, in
            their order, as the page "Files with different schemas" says. This call then reads the headers of
            all files, which must be files that can be read again; `schema_changes` is the report. None: the
            schema of the file.
        where: The predicate that the rows must pass, such as `arrowfeed.col("age") >= 18`, its text
            `"age >= 18"`, or an expression of pyarrow or polars. Its columns need not be among `columns`.
            Each batch but the last one then has `batch_size` rows. An expression needs files
            that can be read again. None: all rows.
        batch_size: Number of rows of a batch. A batch may have rows of several blocks. The last batch of a
            file may be shorter. None: 8,192, or fewer for long rows and for many columns: the least power of
            two from 256 on whose batch has 2 MiB, or 2 KiB for each column if that is more. The columns and
            the first file that can be opened determine the number.
        max_batch_bytes: Size in bytes at which a batch ends before it has `batch_size` rows. None:
            `limits.batch_bytes`.
        encoding: Conversion of Avro types to Arrow types. `"native"`: the natural Arrow type of each Avro
            type. `"feature"`: each column is wrapped in a list, and a missing value is a null list. `"tfx"`:
            the types that tfx_bsl and related libraries accept.
        double_as_float: With `encoding="tfx"`, rounds Avro doubles to Float32; those beyond the largest float
            become infinite. The other encodings keep doubles.
        string_type: Arrow type of strings; bytes have the matching binary type. `"utf8"`: 32-bit offsets.
            `"large_utf8"`: 64-bit offsets. `"utf8_view"`: views.
        unions: Arrow type of unions of several types other than null. `"dense"`: a dense union, which
            Parquet, polars and the encodings `"feature"` and `"tfx"` do not support. `"struct"`: a struct
            with one nullable field for each branch except null; only the field of the value's branch is not
            null. `"json"`: a string with the value as JSON, such as `{"string":"x"}`. In the last two, the
            value null becomes a null.
        fixed_lengths: Lengths of the arrays that become fixed-size lists, by column path:
            `{"embedding": 128}`. The path of an array inside other arrays or maps has one `[]` for each of
            them: `matrix[]`. A row of another length raises an error. The encoding `"tfx"` has no such lists.
            None: arrays become lists of any length.
        raw: Whether to read each record as bytes in Avro's binary encoding, into the single column `record`
            of type large_binary. The reader checks the structure of the bytes. It checks neither UTF-8 nor
            the content of array and map blocks that state their size in bytes. All files must have the schema
            of the first file; only aliases, defaults, documentation and logical types may differ.
            `reader_schema` is not allowed. Records with recursive types are supported.
        threads: Number of decoding threads. None: one per core that the process may use, according to its
            affinity and cgroup quota. 1: the calling thread decodes, and no thread is started.
        limits: Upper bounds on the resources that one file may use. None: `Limits()`.
        on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a block that
            cannot be read and continues after its sync marker; the batch is shorter by the skipped rows.
            `"skip_file"`: skips the rest of the file. `report()` lists the skipped parts.
        partitioning: Columns from the names of directories such as `dt=2026-01-01/country=de`. `"hive"`: all
            names; a column is int64 if all its values are integers, and otherwise a string. A schema: the
            columns with these names and types. With this argument, a directory in `source` stands for the
            files of all directories below. None: no such columns. The page "Partition columns" has the rules.
        file_column: Name of a column to add, with the path of the file, or its URL without secrets. It comes
            last, unless `columns` names it. None: no such column.
        row_column: Name of a column to add, with the number of the row in its file, from 0. It comes last,
            unless `columns` names it. None: no such column.
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
        FormatError: The file is not an Avro object container file.
        SchemaError: A schema is invalid or cannot be converted to Arrow, or a column does not exist.
        LimitError: The header exceeds `limits`.
        OptionError: A column of `where` does not exist, or has another type than its value.
        ValueError: An option has an invalid value.
        TypeError: An argument has the wrong type.
        ImportError: A URL needs fsspec or `progress` needs tqdm, and that package is not installed.

    Example:
        >>> reader = arrowfeed.read_avro("part-*.avro", columns=["id", "user.scores"], batch_size=1024)
        >>> table = pyarrow.table(reader)
    """
