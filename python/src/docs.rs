//! Docstrings of the compiled module, by the names of Python.
//!
//! `tools/native_docs.py` writes this file from `python/arrowfeed/_stubs`. Edit the stubs, then run it.

macro_rules! docs {
    (Array) => {
        r#"One column of a batch: values and their field. Every Arrow library accepts it: `pyarrow.array(array)`.

Example:
    >>> batch.column("id")
    <arrowfeed.Array id: Int64 of 8192 values, 0 nulls>"#
    };
    (Array.__array__) => {
        r#"Converts the values to a numpy array, for `numpy.asarray(array)`.

Numbers without nulls share the memory of the column, so the array is read-only. No value is rounded.
The Arrow type determines the numpy type:

| Arrow | numpy |
|---|---|
| integers, floats | the same type; a null float is NaN |
| Boolean | bool |
| Date, Timestamp, Duration | datetime64 or timedelta64; a null is NaT |
| Utf8, Binary, FixedSizeBinary | `object`: `str` or `bytes` |
| integers or Boolean with nulls | `object`: a null is `None` |
| Dictionary | the values |
| all others | `object`, as `pyarrow.Array.to_pylist` converts them |

Args:
    dtype: The numpy type to convert to, as in `numpy.ndarray.astype`. None: the type in the table
        above.
    copy: True: always copies. None: copies only if the conversion needs a copy.

Raises:
    ImportError: The Arrow type is in the last row of the table, and pyarrow is not installed.
    ValueError: `copy` is False, and `dtype` needs a copy.

Example:
    >>> numpy.asarray(batch["id"])
    array([1, 2, 3])"#
    };
    (Array.name) => {
        r#"Name of the column."#
    };
    (Array.null_count) => {
        r#"Number of null values."#
    };
    (Array.to_pyarrow) => {
        r#"Converts the array to a `pyarrow.Array` without a copy.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (Array.type) => {
        r#"Text form of the Arrow type, such as `List(Float32)`."#
    };
    (AvroDataset) => {
        r#"A dataset over Avro files: a source of record batches and tensors for training.

The constructor reads the header of the first file, so it raises an error for a wrong file, column,
feature or schema. Worker threads start when an iterator is asked for its first batch. Datasets can be
pickled; a copy opens the files again. The constructor reads file objects into memory, because they can be
read only once.

Args:
    source: A path, a glob, a directory (its `*.avro`), a URL (S3, Google Cloud Storage, Azure, HTTP and
        HDFS; other schemes need fsspec), the bytes of a file, a binary file object, or a list of these.
        Files are read in the order of the list; the files of a glob or a directory are sorted by name.
    features: Dict of tensor names to features of `arrowfeed.features`, `tf.io`, tensorflow-io or ATDS.
        The name is a key expression, unless the feature has a `key`. Only the fields that the keys need
        are read.
    representations: An alternative to `features`: dict of tensor names to `Representation` objects, or to
        `TensorRepresentation` messages of TensorFlow Metadata or their bytes. If neither argument is
        passed: the result of `infer_representations`.
    columns: Field paths to read, as in `read_avro`. None: the fields that the tensors need.
    reader_schema: The schema to resolve the values to; required if the files have different schemas.
    encoding: `"native"`, `"feature"` or `"tfx"`, as in `read_avro`.
    double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
    unions: `"dense"`, `"struct"` or `"json"`, as in `read_avro`. The key `u:string` selects the branch
        of a dense union, `u.string` the field of a struct.
    raw: Whether to read each record as bytes into the single column `record`; see `read_avro`.
    limits: Upper bounds on the resources that one file may use. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. With it, `num_rows`, shuffles and
        shards read no block headers. None: block headers are read when needed.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file is not an Avro object container file, or `index` is not an index.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: A schema is invalid or cannot be converted to Arrow, or a column is not in it.
    RepresentationError: A tensor cannot be built from the columns; `tensor` and `field` name it.
    LimitError: The header exceeds `limits`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> from arrowfeed import features
    >>> wanted = {"name.first": features.Dense([], default=b"?"), "friends[*].age": features.Ragged()}
    >>> dataset = arrowfeed.AvroDataset("part-*.avro", features=wanted)
    >>> dataset
    <arrowfeed.AvroDataset of 2 tensors>
      name.first: dense bytes [?]
      friends[*].age: ragged int64 [?, ?], 1 ragged dimension
    >>> for tensors in dataset.tensors(batch_size=1024):
    ...     train(tensors["name.first"].values, tensors["friends[*].age"].row_splits[0])"#
    };
    (AvroRecordDecoder) => {
        r#"Decodes records without a file, such as messages of a stream, into record batches or tensors.

It takes records one by one, or converts a list of records to a batch. Records are in Avro's binary
encoding, without a file header. They may have several writer schemas; all batches have one schema. Only
one thread at a time may use a decoder.

Args:
    schema: The writer schema of the records. None: the framing of each message names its schema. The
        columns are then those of `reader_schema` or, without it, those of the first schema in `schemas`.
    framing: The header of each message. `"bare"`: none. `"single_object"`: the bytes `c3 01` and the
        CRC-64-AVRO fingerprint of the schema (Avro specification, "Single-object encoding").
        `"confluent"`: a zero byte and the ID of the schema in a registry (Confluent Schema Registry,
        "Wire format").
    schemas: The schemas of framed messages: a dict of fingerprints (`AvroSchema.fingerprint`) or IDs to
        schemas; for `"single_object"` also a list of schemas. Alternatively a function of a fingerprint
        or ID, such as a registry client, which returns a schema, or None if there is no such schema. It
        is called once for each new fingerprint or ID.
    features: Features for `flush_tensors`, as in `AvroDataset`.
    representations: Representations for `flush_tensors`, as in `AvroDataset`. If neither argument is
        passed: the result of `infer_representations`.
    columns: Field paths to read, in this order. None: the fields that `features` or `representations`
        need; without these arguments, all fields.
    reader_schema: The schema to resolve the records to. None: the writer schema.
    batch_size: Maximum number of rows of a batch, over all writer schemas.
    max_batch_bytes: Size in bytes at which a batch ends early, over all writer schemas. None:
        `limits.batch_bytes`.
    encoding: How Avro types are converted to Arrow types; see `read_avro`.
    double_as_float: With `encoding="tfx"`, rounds doubles to float32.
    string_type: The Arrow type of strings and bytes.
    unions: The Arrow type of unions; see `read_avro`.
    limits: Upper bounds on the resources that a record may use.
    name: A name for the source of the records, such as a topic. It is the attribute `path` of errors.
        None: errors have no path.

Raises:
    SchemaError: The schema is invalid, cannot be resolved, or cannot be converted to Arrow.
    RepresentationError: A tensor cannot be built from the columns.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> schema = {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}
    >>> decoder = arrowfeed.AvroRecordDecoder(schema)
    >>> decoder.extend([bytes([2]), bytes([4])])
    >>> decoder.flush().to_pyarrow()["id"].to_pylist()
    [1, 2]
    >>> decoder = arrowfeed.AvroRecordDecoder(framing="confluent", schemas={7: schema})
    >>> decoder.decode([bytes([0, 0, 0, 0, 7, 2])]).num_rows
    1
    >>> decoder = arrowfeed.AvroRecordDecoder(schema, features={"id": arrowfeed.features.Dense()})
    >>> decoder.decode(bytes([2]))
    >>> decoder.flush_tensors()["id"].values
    array([1])"#
    };
    (AvroRecordDecoder.add_writer) => {
        r#"Registers another writer schema.

Returns:
    The number of the schema, for `decode` and `extend`. The first schema has the number 0. A schema
    that is already registered keeps its number.

Raises:
    SchemaError: The schema cannot be resolved, or its columns differ from those of the first schema.
    ValueError: The decoder already has 1,024 schemas."#
    };
    (AvroRecordDecoder.decode) => {
        r#"Decodes one record for the next `flush`, or several records into a separate batch.

Args:
    records: The bytes of exactly one record, an iterable of records, or a pyarrow array of records.
        With a `framing`, messages instead of records.
    writer: The number of the schema of bare records. None: 0.

Returns:
    For several records, one batch of all of them, whatever `batch_size` is. For one record, None.

Raises:
    CorruptBlockError: A record is damaged, has excess bytes, or has another framing. `error.record`
        is the number of the record since the last `flush`, or its index in the list. A single record
        that fails adds no row, and the decoder remains usable. If one of several records fails, the
        rows of all of them are discarded.
    SchemaError: The schema of a message is unknown. `error.record` is the number of the message.
    LimitError: The record exceeds a limit.
    ValueError: Several records are passed while there are decoded rows that are not yet flushed.
        Exceptions of a `schemas` function are passed on."#
    };
    (AvroRecordDecoder.extend) => {
        r#"Decodes records for the next `flush`, in order, up to the first damaged one.

The method releases the GIL while it decodes.

Args:
    records: Several records, as in `decode`.
    writer: The number of the schema of bare records. None: 0.

Raises:
    CorruptBlockError, SchemaError, LimitError: As in `decode`."#
    };
    (AvroRecordDecoder.flush) => {
        r#"Returns the next batch of decoded rows, with at most `batch_size` rows, or None if no row is
left."#
    };
    (AvroRecordDecoder.flush_tensors) => {
        r#"Returns the tensors of the next batch of decoded rows by name, or None if no row is left.

Raises:
    ConversionError: A row does not fit its tensors; `error.record` is its number in the batch. The
        decoder discards the rows of the batch.
    LimitError: As in `TensorAdapter.convert`."#
    };
    (AvroRecordDecoder.rows) => {
        r#"Number of decoded rows that are not yet flushed."#
    };
    (AvroRecordDecoder.schema) => {
        r#"The schema of every batch."#
    };
    (AvroRecordDecoder.specs) => {
        r#"Specs of the tensors by name, known before any record is decoded."#
    };
    (AvroRecordDecoder.tensor_adapter) => {
        r#"Returns the adapter that converts the batches of `flush` to tensors."#
    };
    (AvroSchema) => {
        r#"A valid Avro schema and, for the schema of a file, the codec and metadata of the header. Hashable and
picklable.

Two schemas are equal if they describe the same types: names, fields with their aliases and defaults,
symbols, sizes and logical types. The comparison ignores documentation, the layout of the text, `codec`
and `metadata`.

Args:
    schema: JSON text, its parsed form (a dict, or a list for a union), or another schema.
    codec: Name of the codec of the file.
    metadata: The metadata of the file.

Raises:
    SchemaError: The schema breaks a rule of the Avro specification.

Example:
    >>> schema = arrowfeed.AvroSchema({"type": "array", "items": "int"})
    >>> schema.canonical
    '{"type":"array","items":"int"}'"#
    };
    (AvroSchema.arrow) => {
        r#"The Arrow schema of the batches that `read_avro` returns without options.

Raises:
    SchemaError: A type is recursive, or is nested too deeply for Arrow."#
    };
    (AvroSchema.canonical) => {
        r#"The Parsing Canonical Form of the Avro specification, with full names and only the attributes that
decoding needs."#
    };
    (AvroSchema.codec) => {
        r#"Compression codec of the blocks of the file; None if the schema is not from a file."#
    };
    (AvroSchema.fingerprint) => {
        r#"The Rabin fingerprint (CRC-64-AVRO) of the canonical form, unsigned 64 bits."#
    };
    (AvroSchema.json) => {
        r#"The JSON text, as passed or as stored in the file."#
    };
    (AvroSchema.metadata) => {
        r#"Metadata of the file: `avro.schema`, `avro.codec` and user-defined entries. Empty if the schema is
not from a file."#
    };
    (AvroSchema.warnings) => {
        r#"Parts of the schema that the Avro specification tells readers to ignore, such as unknown logical
types."#
    };
    (AvroWriter) => {
        r#"Writes an Avro object container file batch by batch. A context manager.

The file appears under its name when `close()` has completed it. After an exception inside `with`, the
incomplete file is removed. The writer buffers rows until it has enough to encode, so `rows` does not
include the latest rows.

Args:
    path: Path of the new file, URL of an object, or a binary file object with `write()`, which stays
        open.
    arrow_schema: The schema of the columns: an object with `__arrow_c_schema__`. None: the schema of the
        first batch. With a schema, the constructor rejects columns that Avro does not support, and a file
        without rows can be written.

The other arguments are those of `write_avro`.

Raises:
    SchemaError: A column has a type that Avro does not support, or it does not fit `schema`.
    OSError: The file cannot be created.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> with arrowfeed.AvroWriter("ids.avro", codec="deflate") as writer:
    ...     for start in (0, 3):
    ...         writer.write(pyarrow.table({"id": range(start, start + 3)}))
    3
    3
    >>> writer.rows
    6"#
    };
    (AvroWriter.__exit__) => {
        r#"Closes the file, or removes it after an exception."#
    };
    (AvroWriter.blocks) => {
        r#"Number of blocks written so far."#
    };
    (AvroWriter.bytes) => {
        r#"Number of bytes written so far, including the header of a new file."#
    };
    (AvroWriter.close) => {
        r#"Writes the remaining rows and gives the file its name. A second call does nothing.

Raises:
    OSError: The file cannot be written.
    ValueError: No batch was written, and `arrow_schema` was not passed."#
    };
    (AvroWriter.rows) => {
        r#"Number of rows in the blocks written so far."#
    };
    (AvroWriter.write) => {
        r#"Writes batches and returns the number of their rows. After an error the writer accepts no more
batches.

Raises:
    SchemaError: The columns differ from those of the first batch.
    ConversionError: A value does not fit its Avro type.
    LimitError: A row is larger than readers accept.
    ValueError: The writer is closed or has failed."#
    };
    (BatchIterator) => {
        r#"An iterator over the batches of a dataset. `Dataset.record_batches` and `Dataset.tensors` create it.

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
    >>> batches.load_state_dict(json.loads(saved))  # goes on with the next batch"#
    };
    (BatchIterator.__next__) => {
        r#"Returns the next batch.

Raises:
    ArrowfeedError: A file is damaged or invalid; the subclass states the kind of fault.
    ConversionError: Rows do not fit a tensor; `tensor`, `field` and `record` (the row of the batch)
        give the location.
    ChangedError: A file has changed since it was first read.
    OSError: A file cannot be read.
    ValueError: The iterator was created before a fork, or one of its own calls, which is still
        running, calls it again."#
    };
    (BatchIterator.close) => {
        r#"Ends the iteration and waits for its worker threads. A second call does nothing."#
    };
    (BatchIterator.load_state_dict) => {
        r#"Resumes after the batch of a checkpoint. The current position of this iterator has no effect.

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
    TypeError: `state` is not a dict. After any of these errors, the iterator is unchanged."#
    };
    (BatchIterator.report) => {
        r#"Reports what has been read and skipped so far, including the work before a loaded checkpoint.

`rows` counts the rows of the returned batches in all epochs. `skipped` lists each skipped part once.
`blocks` and `bytes` count the decoded data. They can be ahead of `rows`, because of prefetching, or
behind it, while worker threads have not finished. Blocks that a resumed iteration decodes again count
again.

Example:
    >>> batches.report()
    {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}"#
    };
    (BatchIterator.state_dict) => {
        r#"Returns a checkpoint of the iteration after the last returned batch, without prefetched batches.

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
    {'row': {'block': 3, 'file': 0, 'offset': 49152, 'row': 24, 'sync': '30313233343536373839...'}}"#
    };
    (ChunkDataset) => {
        r#"A dataset over the rows of a `ChunkSource`.

Python code provides the rows in chunks. The dataset supports what file datasets support: shuffles,
shards, epochs, checkpoints, `on_error`, and tensors that worker threads build. `read_chunk` is called in
the thread that asks for batches.

Args:
    source: A `ChunkSource`, or a list of them that is read in order.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. None: the columns that the tensors need.
    limits: `batch_bytes` bounds a batch. None: `Limits()`.
    index: Path of an index of these sources that `save_index` wrote. None: no index.

Raises:
    SchemaError: A column does not exist, the schema of a source differs from that of the first one, or
        the list is empty.
    RepresentationError: A tensor cannot be built from the columns.
    ChangedError: `index` belongs to other sources, or the rows of the sources have changed.
    ValueError: An argument has an invalid value. TypeError: An argument has the wrong type. Exceptions of
        the properties of the source are passed on.

Example:
    >>> dataset = arrowfeed.ChunkDataset(Squares(), columns=["n"])
    >>> dataset.num_rows
    500
    >>> batches = dataset.tensors(batch_size=32, shuffle_buffer_size=500, seed=7, threads=4)"#
    };
    (CsvDataset) => {
        r#"A dataset over CSV files: a source of record batches and tensors for training.

A record ends with `\n`, `\r` or `\r\n`. A cell may be quoted. In a quoted cell, delimiters and line ends
are ordinary characters, and a quote is written twice. A quote in a cell that does not start with a quote
is an ordinary character. A UTF-8 byte order mark at the start of a file is skipped. Files may be
compressed with gzip, which is detected from their first bytes. One thread reads a compressed file from
its start.

The records that start in the same 256 KiB of a file form a block, which is the unit of shuffling and of
parallel decoding. `on_error="skip_block"` skips only the invalid record. To find the first record after a
byte offset, the file is read from its start, because a quote decides whether a line end ends a record.

The constructor reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.csv`), a URL (S3, Google Cloud Storage, Azure, HTTP and
        HDFS; other schemes need fsspec), the bytes of a file, a binary file object, or a list of these.
        Files are read in the order of the list; the files of a glob or a directory are sorted by name.
        All files must have the same columns in the same order.
    schema: An Arrow schema of the columns that can be read, in any order; the files may have other
        columns too. Supported types are booleans, numbers, decimals, dates, times, timestamps, `string`
        and `string_view`. None: all columns, each with the first of the types int64, float64 and string
        that fits all its cells. A column with an integer that does not fit into int64 has the type
        string, and a column of only empty cells has the type null. The constructor reads all files to
        infer the types.
    sample: Without `schema`: number of records at the start from which types are inferred. A later cell
        of another type raises an error when it is read. None: all records.
    skip_lines: Number of lines to skip at the start of each file, whatever they contain. Each ends with
        `\n`. The header follows them.
    header: Whether the first record of each file names the columns. With `names`, that record is skipped.
    names: The names of all columns, in order. None: the names in the header; without a header, the names
        in `schema`; without both, `column_1`, `column_2` and so on.
    delimiter: The ASCII character between cells.
    quote: The ASCII character around quoted cells.
    escape: The escape character: in a quoted cell, it makes the next character an ordinary one. None: no
        escape character.
    skip_blank_lines: Whether to skip empty lines. False: an empty line is a record whose cells are all
        null.
    nulls: Cell texts that mean null, whether the cell is quoted or not. They replace the default, the
        empty text. None: `[""]`.
    multivalent_columns: Names of columns whose cells have several values. Their types are lists, also in
        `schema`. In other columns of a list type, a cell is a list of one value. Requires
        `secondary_delimiter`.
    secondary_delimiter: The ASCII character between the values of a cell in `multivalent_columns`. Such a
        cell is split like a record, so a value may be quoted.
    raw: Whether to read each record as bytes, without the line end, into the single column `record`.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. The cells of other columns are not parsed. None: the
        columns that the tensors need.
    limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the header,
        `decoded_block_bytes` a record, `batch_bytes` a batch. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. None: shuffles and shards read the
        files first to find the ends of the records.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file has no header, or `index` is not an index.
    CorruptBlockError: Without `schema`: a record has the wrong number of cells, or is not valid UTF-8.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: A column is not in the files, or CSV does not support its type; two columns have the same
        name; the columns of a file differ from those of the first file.
    RepresentationError: A tensor cannot be built from the columns; `tensor` and `field` name it.
    LimitError: A record or the number of columns exceeds `limits`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.CsvDataset("part-*.csv", columns=["age", "label"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["age"].values, tensors["label"].values)"#
    };
    (Dataset) => {
        r#"A dataset over files of one format: a source of record batches and tensors for training.

This is the base class of `AvroDataset` and the datasets of other formats; it has no constructor. Worker
threads start when an iterator is asked for its first batch. Datasets can be pickled; a copy opens the
files again.

Example:
    >>> dataset = arrowfeed.ParquetDataset("part-*.parquet")
    >>> isinstance(dataset, arrowfeed.Dataset)
    True"#
    };
    (Dataset._known_num_batches) => {
        r#"Like `num_batches`, but without a long scan of the files. None: unknown or infinite."#
    };
    (Dataset.arrow_schema) => {
        r#"The schema of the record batches, with the columns that are read."#
    };
    (Dataset.explain) => {
        r#"Explains which columns are read, and what each tensor shares with the batches or copies, and why.

Example:
    >>> print(dataset.explain())
    2 files, columns: x
    x: dense float32 [?, 2]
      values: shared"#
    };
    (Dataset.fingerprint) => {
        r#"Fingerprint of the file names, the file sizes and `arrow_schema`: 16 hexadecimal digits.

Raises:
    OSError: A file cannot be found."#
    };
    (Dataset.num_batches) => {
        r#"Returns the number of batches that `record_batches` or `tensors` yields with the same options.

The first call scans the files, like `num_rows`. Rows that `on_error` skips are counted too.

Args:
    batch_size: As in `record_batches`, like all options.
    drop_remainder: Drops short batches.
    epochs: Number of passes over all rows. None: infinite.
    shuffle_buffer_size: Does not affect the number.
    seed: Does not affect the number.
    shard: The index of this shard and the number of shards.
    threads: Does not affect the number.
    prefetch_bytes: Does not affect the number.
    on_error: Does not affect the number.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Does not affect the number.

Returns:
    The number of batches. None: infinite.

Raises:
    ArrowfeedError, OSError: As in `num_rows`.
    ValueError: An option has an invalid value. TypeError: An option has the wrong type or is missing.

Example:
    >>> dataset.num_rows, dataset.num_batches(batch_size=1024)
    (10000, 10)"#
    };
    (Dataset.num_rows) => {
        r#"Number of rows in all files, taken from block headers or footers without decompression.

The first access opens every file; later ones reuse the number.

Raises:
    OSError: A file cannot be read. FormatError: A file does not have the format, or it ends inside a
        block."#
    };
    (Dataset.plan_splits) => {
        r#"Plans splits of about equal size over the files, in file order, for distributed workers.

It opens each file and reads only its metadata: the header of an Avro file, the footer of a Parquet
file. Each split contains the identity of its file (see `Split`), so a worker that finds a different
file raises an error.

Args:
    target_bytes: Target size of a split in bytes; the last split of a file may be smaller.

Returns:
    Splits that contain all rows of the files, in order. A file without rows may have no split.

Raises:
    SchemaError: A source has no path, such as bytes or a file object, or the columns of a file differ
        from those of the first file.
    ChangedError: A file has changed since it was first read, or since the index in use was saved.
    OSError: A file cannot be opened. ArrowfeedError: A file does not have the format of the dataset.
    ValueError: `target_bytes` is less than 1. TypeError: `target_bytes` is not an integer.

Example:
    >>> splits = dataset.plan_splits(target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in dataset.read_split(split))
    2000"#
    };
    (Dataset.project) => {
        r#"Returns a dataset of some of the tensors, in the order of `names`.

It reads only the columns of these tensors. Their specs stay the same, and the batches have the same
rows in the same order.

Args:
    names: Names of tensors.

Raises:
    RepresentationError: A name is unknown. TypeError: `names` is not a list of str.

Example:
    >>> dataset.project(["name.first"]).arrow_schema"#
    };
    (Dataset.read_split) => {
        r#"Reads one split of the files as Arrow record batches, in the calling thread.

The batches have the columns of the dataset. `tensor_adapter().convert(batch)` converts a batch to
tensors.

Args:
    split: A split from `plan_splits` of this dataset or of its copy in another process.
    claim: A function that is called once for each chunk (an Avro block, a Parquet row group), in
        order, with the offset of the chunk, as in `arrowfeed.read_split`. If it returns False, the
        reader stops before the chunk. None: all chunks are read.
    file: A binary file object to read instead of `split.path`. Its position 0 is the first byte of
        the file. It must support reads at any offset, and it is not closed.
    batch_size: Maximum number of rows of a batch. A batch may end early, at the end of a chunk.
    on_error: How to handle chunks that cannot be read, as in `record_batches`.
    progress: Whether to show a tqdm bar that counts the rows as they are read.

Returns:
    A reader of the rows of the split, which may be empty.

Raises:
    SchemaError: The split belongs to a file that is not in the dataset.
    ChangedError: The file is not the one that the split was planned for, or it ends before the split
        starts.
    ArrowfeedError, OSError: As in the iteration over `record_batches`.
    TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a
        bool.
    ValueError: An argument has an invalid value.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> rows = 0
    >>> for split in dataset.plan_splits(target_bytes=1 << 20):
    ...     rows += sum(batch.num_rows for batch in dataset.read_split(split, batch_size=1024))"#
    };
    (Dataset.record_batches) => {
        r#"Iterates over batches of exactly `batch_size` rows; the last batch of an epoch may be shorter.

The files and the options determine the batches; `threads` and `prefetch_bytes` affect only speed and
memory. Files are opened when they are needed; a shuffle or sharding reads the block headers of all
files first.

Args:
    batch_size: Number of rows of a batch, at least 1.
    drop_remainder: Drops the last batch of an epoch if it has fewer rows.
    epochs: Number of passes over all rows, at least 1. None: endless.
    across_epochs: Fills the last batch of an epoch with the first rows of the next epoch, so only the
        very last batch may be short. False: no batch has rows of two epochs.
    start_epoch: Number of the first epoch, from 0. The order of a shuffle depends on the number of
        the epoch. `epochs=2, start_epoch=3` iterates over the epochs 3 and 4.
    shuffle_buffer_size: Minimum number of rows that are shuffled together. 0: file order.
    seed: Seed of the shuffle, 0 to 2**64 - 1. None: a random seed for each iterator, stored in its
        state. With a shuffle, all shards must have the same seed.
    shard: The index of this shard, from 0, and the number of shards. The sizes of the shards differ
        by at most one row, and each row is in exactly one shard.
    threads: Number of threads that decode blocks and build tensors. None: one per core of the process
        (affinity and cgroup quota respected). 1: uses the calling thread and starts no thread.
    prefetch_bytes: Maximum size in bytes of the decoded rows and tensors that the worker threads
        prefetch.
    on_error: `"raise"`; `"skip_block"` skips blocks that cannot be read; `"skip_file"` skips the rest
        of the file. Batches keep their size: the rows after a skipped part fill the gap. `report()`
        lists what is skipped.
    progress: Whether to show a tqdm bar that counts the rows. The bar has a total if the number of
        rows is known without a long scan of the files. Closing the iterator closes the bar.

Raises:
    ValueError: An option has an invalid value. TypeError: An option has the wrong type, is missing or
        is unknown.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> [batch.num_rows for batch in dataset.record_batches(batch_size=1000)]
    [1000, 1000, 500]"#
    };
    (Dataset.save_index) => {
        r#"Writes an index of the files: the identity of each file and the positions of its blocks.

`AvroDataset(..., index=path)` then reads no block headers. The index takes about 25 bytes per block
and at most 1 GiB. It is written under a temporary name and renamed when it is complete; a file with
the same name is replaced. This method reads the headers of all blocks, unless the dataset has already
read them.

Args:
    path: Path of the index, in the local file system.

Raises:
    CorruptBlockError: A block is corrupt; only files without faults can have an index. Other faults
        of a file raise other subclasses of `ArrowfeedError`.
    ChangedError: A file has changed since it was first read, or since the index in use was saved.
    OSError: A file cannot be read, or the index cannot be written. TypeError: `path` is not a path.

Example:
    >>> arrowfeed.AvroDataset("part-*.avro").save_index("parts.index.json")
    >>> dataset = arrowfeed.AvroDataset("part-*.avro", index="parts.index.json")
    >>> dataset.num_rows
    2000"#
    };
    (Dataset.skip) => {
        r#"Returns a dataset of the rows after the first `count` rows, in file order.

An iteration first reads the block headers of all files, and does not decode the blocks of the skipped
rows. See `take`.

Args:
    count: Number of rows, at least 0.

Raises:
    ValueError: `count` is negative. TypeError: It is not an int.

Example:
    >>> dataset.num_rows, dataset.skip(100).num_rows
    (10000, 9900)"#
    };
    (Dataset.specs) => {
        r#"Specs of the tensors by name, known before any batch is read."#
    };
    (Dataset.split) => {
        r#"Divides the rows at random into two datasets, such as for training and for tests.

Each row belongs to the first dataset with the probability `fraction`, and otherwise to the second.
So the first one has about, not exactly, this fraction of the rows. The division is a function of
`seed` and the files. It is the same in every run, and for every shuffle, shard and batch size. Both
datasets keep the order of the files.

An iteration first reads the block headers of all files. It decodes all rows of a block, and drops
those of the other dataset. `take` and `skip` apply before or after, and parts can be divided again.
`plan_splits` needs a dataset of all rows, and a `MixedDataset` cannot be divided.

Args:
    fraction: Probability of a row to belong to the first dataset, from 0 to 1.
    seed: Seed of the random numbers, at least 0.

Raises:
    ValueError: `fraction` or `seed` is out of range. TypeError: One of them has the wrong type.

Example:
    >>> train, test = dataset.split(0.9, seed=42)
    >>> train.num_rows, test.num_rows
    (9010, 990)"#
    };
    (Dataset.take) => {
        r#"Returns a dataset of the first `count` rows, in file order, or of all rows if there are fewer.

An iteration in file order stops after these rows. A shuffle or a shard first reads the block headers
of all files, and orders or divides only these rows. `take` and `skip` can be combined:
`dataset.skip(10).take(5)` has the rows 10 to 14. `plan_splits` needs a dataset of all rows. Reading
a `MixedDataset` after `take` or `skip` is an error.

Args:
    count: Number of rows, at least 0.

Raises:
    ValueError: `count` is negative. TypeError: It is not an int.

Example:
    >>> dataset.take(100).num_rows
    100"#
    };
    (Dataset.tensor_adapter) => {
        r#"Returns an adapter that converts the record batches to tensors. All calls return equal adapters."#
    };
    (Dataset.tensor_representations) => {
        r#"Definitions of the tensors by name: representations, or the features that were passed."#
    };
    (Dataset.tensors) => {
        r#"Iterates over the tensors of the batches of `record_batches`, as dicts in the order of the specs.

The first dimension of each tensor is the batch dimension.

Args:
    batch_size: As in `record_batches`, like all options below.
    drop_remainder: Drops the last batch of an epoch if it has fewer rows.
    epochs: Number of passes over all rows. None: endless.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together. 0: file order.
    seed: Seed of the shuffle. None: random.
    shard: The index of this shard and the number of shards.
    threads: Number of decoding threads.
    prefetch_bytes: Maximum size in bytes of the prefetched rows.
    on_error: How to handle blocks that cannot be read. Rows that do not fit a tensor always raise an
        error.
    progress: Whether to show a tqdm bar that counts the rows. The bar has a total if the number of
        rows is known without a long scan of the files. Closing the iterator closes the bar.

Raises:
    ValueError: An option has an invalid value. TypeError: An option has the wrong type, is missing or
        is unknown.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> tensors = next(dataset.tensors(batch_size=32, epochs=None, shuffle_buffer_size=10_000))
    >>> tensors["x"].shape
    (32, 2)"#
    };
    (Dataset.to_jax) => {
        r#"Returns an iterator over dicts of JAX arrays. Imports JAX.

The elements are those of `tensors`, converted by `arrowfeed.jax.to_jax`. The iterator has the methods
`state_dict()`, `load_state_dict(state)`, `report()` and `close()` of `BatchIterator`.

Args:
    batch_size: As in `record_batches`, like all options.
    drop_remainder: Drops short batches, so a compiled function sees one batch size.
    epochs: Number of passes over all rows.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together.
    seed: Seed of the shuffle.
    shard: The index of this shard and the number of shards.
    threads: Number of decoding threads.
    prefetch_bytes: Maximum size in bytes of the prefetched rows.
    on_error: How to handle blocks that cannot be read.

Raises:
    ImportError: JAX is not installed.
    ValueError: An option has an invalid value. TypeError: An option has the wrong type or is missing.

Example:
    >>> for batch in dataset.to_jax(batch_size=1024, drop_remainder=True, epochs=3):
    ...     params = step(params, batch["x"])"#
    };
    (Dataset.to_tf) => {
        r#"Returns a `tf.data.Dataset` of dicts of tensors, usable with `model.fit`. Imports TensorFlow.

The elements are those of `tensors`, converted by `arrowfeed.tensorflow.to_tensorflow`. The
`element_spec` describes them: `tf.TensorSpec`, `tf.SparseTensorSpec`, `tf.RaggedTensorSpec`, or a
dict of these for a structured tensor. With `drop_remainder`, the batch dimension has a fixed size.

A TensorFlow op produces the batches without the Python interpreter. Numbers enter the graph without a
copy if their memory is aligned. With a `seed`, each iteration over the dataset continues with the
next epochs, so each iteration has a different order, and every run of the program repeats these
orders.

The dataset knows its number of batches, which Keras shows as the length of an epoch, in any of these
cases: the iteration is shuffled or sharded; an index is set; `num_rows` or `num_batches` was called
before; the files are local and small (at most 100 files and 64 MiB). Otherwise the number is unknown,
because counting would need a scan of the files.

`tf.train.Checkpoint(iterator=iter(...))` saves the position of an iterator. A graph can transfer the
dataset to another process, as in tf.data service; that process must import `arrowfeed.tensorflow`
first.

Args:
    batch_size: As in `record_batches`, like all options.
    drop_remainder: Drops short batches, so all batches have the same size, and the spec states it.
    epochs: Number of passes over all rows in one iteration.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together.
    seed: Seed of the shuffle.
    shard: The index of this shard and the number of shards. Inside a function of a `tf.data.Dataset`,
        either may be a tensor.
    threads: Number of threads that decode blocks and build tensors. 1: in a `for` loop of eager code,
        the calling thread does both; otherwise one thread decodes ahead, and a TensorFlow thread
        builds the tensors.
    prefetch_bytes: Maximum size in bytes of the prefetched rows.
    on_error: How to handle blocks that cannot be read. The number of batches is known only with
        `"raise"`.
    label: Name of the label tensor, or a sequence of names. Each element is then a pair, as
        `model.fit` expects it: a dict of the other tensors, and the label (for a sequence of names, a
        dict of the labels). None: each element is a dict of all tensors.

Returns:
    A `tf.data.Dataset`. Its method `set_epoch(epoch)` sets the number of the next pass, from 0.

Raises:
    ImportError: TensorFlow is not installed. RuntimeError: This build of TensorFlow has no C API for
        ops.
    ValueError: An option has an invalid value. TypeError: An option has the wrong type or is missing.
        Faults of a file or a row raise `tf.errors.InvalidArgumentError` during the iteration.

Example:
    >>> batches = dataset.to_tf(batch_size=1024, shuffle_buffer_size=10_000, seed=7, label="clicked")
    >>> model.fit(batches, epochs=3)"#
    };
    (Dataset.to_torch) => {
        r#"Returns a `torch.utils.data.IterableDataset` of dicts of PyTorch tensors. Imports PyTorch.

The elements are those of `tensors`, converted by `arrowfeed.torch.to_torch`. They are whole batches,
so a `DataLoader` needs `batch_size=None`. The rows are divided among the workers of a `DataLoader`
and, if `torch.distributed` is initialised, among the ranks. The sizes of the parts differ by at most
one row, so one rank may have one batch more than another: train for a fixed number of steps, or use
`DistributedDataParallel.join()`.

The dataset has `set_epoch(epoch)`, which you call before each pass if you set a seed, and
`state_dict()` and `load_state_dict(state)`, which torchdata's `StatefulDataLoader` calls in each
worker. The dataset can be pickled.

Args:
    batch_size: As in `record_batches`, like all options that are not explained here.
    drop_remainder: Drops the last batch of each worker if it has fewer rows.
    epochs: Number of epochs in one pass.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together.
    seed: Seed of the shuffle. None: a random seed for each pass; not allowed with several shards.
    shard: The index of the shard of this process and the number of shards; the workers of the process
        divide the shard. Default: the rank of the process and the number of ranks.
    threads: Number of decoding threads. None: one in a worker, otherwise one per core.
    prefetch_bytes: Maximum size in bytes of the prefetched rows, in each worker.
    on_error: How to handle blocks that cannot be read.

Raises:
    ImportError: PyTorch is not installed.
    ValueError: An option has an invalid value. TypeError: An option has the wrong type or is missing.

Example:
    >>> rows = dataset.to_torch(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
    >>> for batch in torch.utils.data.DataLoader(rows, batch_size=None, num_workers=2):
    ...     train(batch["x"])"#
    };
    (Dense) => {
        r#"A dense tensor `[batch, *shape]`, whose rows have the same shape.

A row is a flat list with as many values as the shape has elements, or lists that are nested like the
shape.

Args:
    column: A column of values, lists, fixed-size lists, or nested lists.
    shape: Sizes of the dimensions after the batch. `()`: one value per row.
    default: The value for missing (null) rows. None: missing rows are errors. An int for integer columns
        (0, 1, False or True for bools), a float for floating-point columns, bytes or str for byte
        strings.
    pad: Whether to pad rows that are too short, including empty ones, with `default`.

Raises:
    RepresentationError: `pad` without `default`, or a shape with more than 2^63 values.
    ValueError: A size is negative. TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.Dense("pixels", [28, 28], default=0.0)
    Dense('pixels', (28, 28), default=0.0)"#
    };
    (Dense.column) => {
        r#"The column."#
    };
    (Dense.default) => {
        r#"The value for missing rows."#
    };
    (Dense.pad) => {
        r#"Whether short rows are padded."#
    };
    (Dense.shape) => {
        r#"Sizes of the dimensions after the batch."#
    };
    (DenseTensor) => {
        r#"A dense tensor, with the batch dimension first.

`numpy.asarray(tensor)` is a read-only view; `torch.from_dlpack(tensor)` and similar functions share its
memory. Picklable; a pickle contains a copy.

Args:
    values: An object that numpy converts to an array of numbers, bools, bytes or str. The constructor
        copies the values; adapters make tensors without a copy.

Raises:
    ValueError: The values have a type that tensors do not support.

Example:
    >>> tensor = adapter.convert(batch)["x"]
    >>> tensor.shape, tensor.dtype
    ((1024, 128), dtype('float32'))"#
    };
    (DenseTensor.__array__) => {
        r#"Implements `numpy.asarray` and `numpy.array`.

Raises:
    ValueError: `copy` is False and the values have to be converted."#
    };
    (DenseTensor.__dlpack__) => {
        r#"Returns a DLPack capsule, as specified by the Python array API standard.

Args:
    stream: Must be None, because CPU memory has no stream.
    max_version: (1, 0) or later: the capsule is versioned and marks the memory as read-only.
        Otherwise: the capsule is unversioned and has no such mark, so the consumer must not write to
        the memory.
    dl_device: (1, 0), the CPU.
    copy: True: a writable copy, aligned to 64 bytes. False: no copy, or an error. None: copies only
        bools and, for an unversioned capsule, which TensorFlow requests, memory that is not aligned
        to 64 bytes.

Raises:
    BufferError: The values are byte strings, another device is requested, or bools are requested
        without a copy.
    TypeError: An argument has the wrong type."#
    };
    (DenseTensor.__dlpack_device__) => {
        r#"Returns (1, 0), the CPU."#
    };
    (DenseTensor.aligned) => {
        r#"Returns this tensor if its memory is aligned to 64 bytes, otherwise an aligned copy.

Raises:
    TypeError: The values are byte strings."#
    };
    (DenseTensor.arrow) => {
        r#"The values as a flat Arrow array, without a copy."#
    };
    (DenseTensor.dtype) => {
        r#"The numpy dtype of the values; `object` for byte strings."#
    };
    (DenseTensor.joined) => {
        r#"Returns the byte strings, joined by a byte that none of them contains, and this separator.

Some libraries split one string faster than they convert many `bytes` objects. Returns None if every
byte occurs in the values, if the values are long (more than 256 bytes on average), or if they are not
byte strings."#
    };
    (DenseTensor.numpy) => {
        r#"Returns `values`."#
    };
    (DenseTensor.shape) => {
        r#"Sizes of all dimensions, with the batch dimension first."#
    };
    (DenseTensor.values) => {
        r#"Read-only array `[*shape]`, which shares the Arrow buffer if the layouts are the same.

Arrow stores bools as bits; they are converted to bytes on first use. Byte strings become an array of
`bytes` objects on first use; `arrow` returns them without this conversion. The array keeps the memory
alive."#
    };
    (ExampleDataset) => {
        r#"A dataset over TFRecord files of `tf.Example` messages.

Each feature is a column of lists: `large_list` of int64, float or large_binary, as in tfx_bsl. A feature
that is missing in a record is a null row; a feature without values is an empty list. The decoder writes
the values of a record directly into the columns and skips the features that are not read.

Files may be compressed with gzip or zlib, which is detected from their first bytes. One thread reads a
compressed file from its start; several files are read in parallel. Checksums are verified.
`on_error="skip_block"` skips only the record that cannot be decoded.

The constructor reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.tfrecord`), a URL (S3, Google Cloud Storage, Azure, HTTP
        and HDFS; other schemes need fsspec), the bytes of a file, a binary file object, or a list of
        these. Files are read in the order of the list; the files of a glob or a directory are sorted by
        name.
    schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
        `tensorflow.metadata.v0.Schema` or its bytes. With a `Schema`, and without `features`,
        `representations` and `columns`, the tensors are those of `representations_from_tfmd`. None: the
        features of the records, sorted by name; the constructor reads all files to find them.
    sample: Without `schema`: number of records at the start that are searched for features. A feature
        that occurs only in later records is left out. None: all records.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of features to read, in this order. None: the features that the tensors need.
    encoding: The Arrow types of features. `"tfx"`: as above. `"feature"`: `list` instead of `large_list`
        and binary instead of large_binary, as in `read_avro` with this encoding.
    limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
        `batch_bytes` a batch. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. None: shuffles and shards read the
        lengths of the records first.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file is not a TFRecord file, or `index` is not an index.
    CorruptBlockError: Without `schema`: a record cannot be decoded, or a feature has values of different
        types.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: A column is not in the schema, or no record has any feature.
    RepresentationError: A tensor cannot be built from the columns, or `schema` has a feature of an
        unsupported type.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> schema = {"id": "int64", "tags": "bytes"}
    >>> dataset = arrowfeed.ExampleDataset("part-*.tfrecord", schema=schema)
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["id"].values)"#
    };
    (ExampleRecordDecoder) => {
        r#"Decodes `tf.Example` messages without a file, such as messages of a queue, into record batches.

Each feature is a column of lists, `large_list` of int64, float or large_binary, with a null where a
record does not have the feature. A decoder can be pickled, and several threads may share it.

Args:
    schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
        `tensorflow.metadata.v0.Schema` or its bytes. None: each batch has the features of its own
        records, sorted by name; a feature that has no list in any of them becomes a column of nulls.
    encoding: The Arrow types of features; see `ExampleDataset`.

Raises:
    RepresentationError: `schema` has a feature of an unsupported type, or its bytes are not a schema.
    ValueError: The encoding is unknown. TypeError: An argument has the wrong type.

Example:
    >>> decoder = arrowfeed.ExampleRecordDecoder({"id": "int64"})
    >>> messages = arrowfeed.encode_examples(pyarrow.record_batch({"id": [7, 8]}))
    >>> decoder.decode(messages).to_pyarrow()["id"].to_pylist()
    [[7], [8]]"#
    };
    (ExampleRecordDecoder.decode) => {
        r#"Decodes messages into a batch. It releases the GIL while it decodes.

Args:
    records: Messages; each one becomes a row.

Raises:
    CorruptBlockError: A record is not a message, or a feature has values of another type.
        `error.record` is the number of the record, `error.field` the feature."#
    };
    (ExampleRecordDecoder.schema) => {
        r#"The schema of every batch. None: each batch has its own schema."#
    };
    (JsonLinesDataset) => {
        r#"A dataset over JSON lines files: a source of record batches and tensors for training.

Each line is a JSON object, whose keys are the columns. Empty lines are skipped. A line ends with `\n` or
`\r\n`. A key that is missing in an object is null. A UTF-8 byte order mark at the start of a file is
skipped. Files may be compressed with gzip, which is detected from their first bytes. One thread reads a
compressed file from its start.

The records that start in the same 256 KiB of a file form a block, which is the unit of shuffling and of
parallel decoding. `on_error="skip_block"` skips only the invalid record.

The constructor reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.jsonl`), a URL (S3, Google Cloud Storage, Azure, HTTP and
        HDFS; other schemes need fsspec), the bytes of a file, a binary file object, or a list of these.
        Files are read in the order of the list; the files of a glob or a directory are sorted by name.
    schema: An Arrow schema of the columns; other keys are ignored. In a string column, a number or a
        boolean becomes its text. A number with a fraction or an exponent is not an integer. None: the
        keys of all records, sorted by name, with types that can represent all their values: bool, int64,
        float64, string, lists and structs. The constructor reads all files to infer them.
    sample: Without `schema`: number of records at the start from which types are inferred. A later value
        of another type raises an error when it is read, and a new key is ignored. None: all records.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. None: the columns that the tensors need.
    limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
        `batch_bytes` a batch; without `schema`, `header_bytes` also bounds a record. None: `Limits()`.
    index: As in `CsvDataset`.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: `index` is not an index.
    CorruptBlockError: Without `schema`: a line is not a JSON object.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: A column is not in the schema, or JSON does not support its type. Without `schema`: the
        values of a key have incompatible types, or no record has any key.
    RepresentationError: A tensor cannot be built from the columns; `tensor` and `field` name it.
    LimitError: A record or the number of keys exceeds `limits`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.JsonLinesDataset("part-*.jsonl", columns=["id", "scores"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["id"].values)"#
    };
    (Limits) => {
        r#"Upper bounds on the resources that one file may use. Exceeding one raises `LimitError`, which names it.

Files can declare wrong sizes and counts; these bounds hold in any case. Comparable and picklable.

Args:
    header_bytes: Bytes of the file header, metadata included. Default 16 MiB.
    schema_bytes: Bytes of the schema's JSON text. Default 4 MiB.
    schema_depth: Nesting of types in a schema. Default 64, at most 128.
    expanded_fields: Number of Arrow fields that a schema may expand to. Default 100,000.
    decoded_block_bytes: Bytes of one block, both on disk and after decompression. Default 256 MiB.
    skipped_depth: Nesting depth of skipped values of a recursive type. Default 100,000.
    zero_byte_elements: Number of elements that take no bytes (such as those of `array<null>`) in one
        record. Default 10 million.
    zero_byte_rows: Number of rows that take no bytes in one block. Default 100 million.
    batch_bytes: Bytes of one record batch; a batch ends before it exceeds this size. Default 512 MiB.
    zstd_window_bytes: Window size of a zstandard frame. Default 128 MiB.
    xz_memory_bytes: Memory of the xz decoder. Default 128 MiB.

Raises:
    ValueError: A value is negative, or `schema_depth` is over 128.
    TypeError: A value is not an integer, or the limit does not exist.

Example:
    >>> arrowfeed.read_avro("part-0.avro", limits=arrowfeed.Limits(decoded_block_bytes=16 << 20))"#
    };
    (MixedDataset) => {
        r#"Several datasets whose rows are mixed at random, by weight.

Each row of an iteration comes from the dataset that a random number chooses, with a probability that is
proportional to its weight. Each dataset keeps the order that it has alone with the same options. A
dataset without more rows drops out, and the iteration ends after the last row of all. To keep the ratio
of the weights, iterate with `epochs=None`, and stop after a number of batches.

Options of an iteration apply to each dataset, such as a shuffle, a shard and the number of epochs. `seed`
is also the seed of the mixture. Batches have rows of several datasets and epochs. States resume a mixture
exactly, as they do for the datasets of files.

Use `take`, `skip` and `split` before you mix the datasets. `save_index` and `plan_splits` are methods of
the datasets that are mixed.

Args:
    datasets: The datasets, in a list or tuple, with equal columns and tensors. They may have different
        formats.
    weights: A number above 0 for each dataset. None: the same weight for all.

Raises:
    ValueError: There is no dataset; a dataset is a `MixedDataset`; the columns, their types or the
        tensors differ; or a weight is not above 0. TypeError: An argument has the wrong type.

Example:
    >>> mixed = arrowfeed.MixedDataset([clicks, views], weights=[0.8, 0.2])
    >>> for tensors in mixed.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7, epochs=None):
    ...     train(tensors)"#
    };
    (ParquetDataset) => {
        r#"A dataset over Parquet files: a source of record batches and tensors for training.

A row group corresponds to a block of an Avro file: it is the unit of shuffling, of parallel decoding and
of `on_error`. One thread decodes a row group. Files with row groups of 10,000 to 100,000 rows shuffle
well. Only the pages of the selected columns are read. Columns with an Arrow dictionary type are decoded
to their values.

The constructor reads the footer of the first file, so it raises an error for a wrong file, column or
feature. It also reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.parquet`), a URL (S3, Google Cloud Storage, Azure, HTTP
        and HDFS; other schemes need fsspec), the bytes of a file, a binary file object, or a list of
        these. Files are read in the order of the list; the files of a glob or a directory are sorted by
        name.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Field paths to read (`id`, `user.scores`; also through lists), in this order. A map is read
        as a whole. None: the fields that the tensors need. With a `schema`, they are paths in the schema.
    schema: The Arrow schema of the batches: a pyarrow schema, or any object with `__arrow_c_schema__`.
        Columns and fields of each file are matched by name, in any order, and converted if the conversion
        is lossless; docs/parquet.md has the table of types. A column that is missing in a file is null,
        if the schema allows nulls. None: the schema of the first file, which all files must have.
    double_as_float: With a `schema`, rounds doubles to floats. If False, a column of doubles that the
        schema declares as floats is an error.
    limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
        `batch_bytes` a batch. None: `Limits()`. The Rust crate `parquet`, which decodes the pages, may
        allocate up to 2 GiB for a page of a damaged file.
    index: Path of an index of these files that `save_index` wrote. With it, `num_rows`, shuffles and
        shards read no footers in advance. None: footers are read when needed.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file is not a Parquet file, or `index` is not an index.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: The columns of the file cannot be converted to Arrow or to `schema`, or a column does not
        exist.
    RepresentationError: A tensor cannot be built from the columns; `tensor` and `field` name it.
    LimitError: The footer exceeds `limits`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.ParquetDataset("part-*.parquet", columns=["id", "user.scores"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["id"].values)"#
    };
    (Ragged) => {
        r#"A ragged tensor: one ragged dimension per list on the path, then one per partition.

Args:
    path: The path to the values: a column, or the steps from a column through structs (and lists of
        structs) to a field.
    partitions: How to divide the innermost lists, from the outside in. An int: into rows of this length.
        A str: into rows whose lengths are in the column or field of this name, which has the same parent
        as the values. Ints at the end become inner dimensions, which are not ragged.
    row_splits_dtype: `"int64"` or `"int32"`. `List` columns have int32 offsets, which an `"int32"` tensor
        shares.

Raises:
    ValueError: A length is less than 1. TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.Ragged(["user", "scores"], partitions=["lengths", 2])
    Ragged(('user', 'scores'), partitions=('lengths', 2))"#
    };
    (Ragged.partitions) => {
        r#"Partitions of the innermost lists, from the outside in."#
    };
    (Ragged.path) => {
        r#"The column, or the steps if there are several."#
    };
    (Ragged.row_splits_dtype) => {
        r#"The integer type of the row splits."#
    };
    (RaggedTensor) => {
        r#"A ragged tensor: flat values and row splits. Row `i` is `flat_values[splits[i]:splits[i + 1]]`.

With several levels, the splits of a level index the rows of the next level, and the last splits index
`flat_values`. Picklable.

Args:
    flat_values: An object that numpy converts to an array `[values, *inner]`. The constructor copies
        values and row splits.
    row_splits: Row splits of the ragged dimensions, from the outside in. An int32 array remains int32;
        other arrays are converted to int64.

Raises:
    ConversionError: The row splits do not start at 0, decrease, or do not end at the length of the next
        level.
    TypeError: An argument has the wrong type.

Example:
    >>> tensor = adapter.convert(batch)["words"]
    >>> tensor.flat_values, tensor.row_splits, tensor.to_list()
    (array([1, 2, 3]), (array([0, 1, 1, 3]),), [[1], [], [2, 3]])"#
    };
    (RaggedTensor.arrow) => {
        r#"The values as a flat Arrow array, without a copy."#
    };
    (RaggedTensor.dtype) => {
        r#"The numpy dtype of the values; `object` for byte strings."#
    };
    (RaggedTensor.flat_values) => {
        r#"Read-only values `[values, *inner]`, which share the Arrow buffer if the layouts are the same."#
    };
    (RaggedTensor.parts) => {
        r#"Returns flat values and row splits as dense tensors, which support DLPack."#
    };
    (RaggedTensor.ragged_rank) => {
        r#"Number of row splits."#
    };
    (RaggedTensor.row_splits) => {
        r#"Read-only row splits, from the outside in, each `[rows + 1]`."#
    };
    (RaggedTensor.to_list) => {
        r#"Converts the rows to nested lists of Python objects."#
    };
    (RawRecordDataset) => {
        r#"A dataset over the records of TFRecord files as bytes, without decoding.

Use it for records that are not `tf.Example` messages, or if you parse the records yourself. Files may be
compressed, as in `ExampleDataset`.

Args:
    source: As in `ExampleDataset`.
    column: The name of the column, which has the type large_binary.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`. If neither argument is passed: `Dense`, with one byte string per
        row.
    limits: `decoded_block_bytes` bounds a record, `batch_bytes` a batch. None: `Limits()`.
    index: As in `ExampleDataset`.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file is not a TFRecord file, or `index` is not an index.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    RepresentationError: A tensor cannot be built from the column.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.RawRecordDataset("part-*.tfrecord")
    >>> for batch in dataset.record_batches(batch_size=64, shuffle_buffer_size=10_000):
    ...     parse(batch.to_pyarrow()["record"].to_pylist())"#
    };
    (RecordBatch) => {
        r#"A batch of rows: columns of equal length.

Every Arrow library accepts it without a copy: `pyarrow.record_batch(batch)`.

Example:
    >>> batch = next(arrowfeed.read_avro("part-0.avro"))
    >>> batch.num_rows, batch.schema.names
    (8192, ['id', 'name'])"#
    };
    (RecordBatch.__getitem__) => {
        r#"Returns a column: `batch["id"]` is `batch.column("id")`.

Raises:
    KeyError: No column has this name.
    TypeError: The name is not a string."#
    };
    (RecordBatch.column) => {
        r#"Returns the column with a name.

Args:
    name: Name of a top-level column. If several columns have it, the first one is returned.

Raises:
    KeyError: No column has this name.

Example:
    >>> numpy.asarray(batch.column("id"))
    array([1, 2, 3])"#
    };
    (RecordBatch.num_columns) => {
        r#"Number of columns. A batch without columns can still have rows."#
    };
    (RecordBatch.num_rows) => {
        r#"Number of rows."#
    };
    (RecordBatch.schema) => {
        r#"Names and types of the columns."#
    };
    (RecordBatch.to_pandas) => {
        r#"Converts the batch to a `pandas.DataFrame`, with `pyarrow.RecordBatch.to_pandas`.

Raises:
    ImportError: pyarrow or pandas is not installed."#
    };
    (RecordBatch.to_polars) => {
        r#"Converts the batch to a `polars.DataFrame`.

Raises:
    ImportError: polars is not installed."#
    };
    (RecordBatch.to_pyarrow) => {
        r#"Converts the batch to a `pyarrow.RecordBatch` without a copy.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (RecordBatchReader) => {
        r#"A reader of record batches from files, in file order. `read_avro` and the other read functions create
it.

Iterate over it, or pass it to an Arrow library once: `pyarrow.table(reader)`, `polars.DataFrame(reader)`,
`duckdb.from_arrow(reader)`. Any number of threads may iterate; each batch goes to one of them. If a file
has a fault, the reader first returns the rows before the fault, then raises the error, and then ends.

A reader belongs to the process that created it: after a fork, the child must create its own reader.

Example:
    >>> with arrowfeed.read_avro("part-*.avro") as reader:
    ...     for batch in reader:
    ...         print(batch.num_rows)
    8192
    1808"#
    };
    (RecordBatchReader.__arrow_c_stream__) => {
        r#"Returns a capsule whose consumer takes the batches. After that, iterating raises ValueError.

Args:
    requested_schema: A capsule of the schema that the consumer prefers. Values are cast if the cast
        is lossless; a value that does not fit is an error. None: the schema of the reader."#
    };
    (RecordBatchReader.__next__) => {
        r#"Returns the next batch.

Raises:
    ArrowfeedError: The file is damaged or invalid; the subclass states the kind of fault.
    OSError: The file cannot be read.
    ValueError: The reader is closed, was consumed through `__arrow_c_stream__`, or was created before
        a fork."#
    };
    (RecordBatchReader.close) => {
        r#"Ends the reading and waits for the worker threads. A second call does nothing."#
    };
    (RecordBatchReader.report) => {
        r#"Reports what has been read and skipped so far; also works after the last batch and after `close`.

It also works after the reader was passed to another library. For files in stores, the key `requests`
contains the counts of requests.

Example:
    >>> reader.report()
    {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}"#
    };
    (RecordBatchReader.schema) => {
        r#"The schema of every batch, which is the same for all files of a reader."#
    };
    (RecordBatchReader.to_pandas) => {
        r#"Reads the remaining rows into a `pandas.DataFrame`, with `pyarrow.Table.to_pandas`. Consumes the
reader.

Raises:
    ArrowfeedError, OSError: As in the iteration.
    ImportError: pyarrow or pandas is not installed."#
    };
    (RecordBatchReader.to_polars) => {
        r#"Reads the remaining rows into a `polars.DataFrame`. Consumes the reader.

Raises:
    ArrowfeedError, OSError: As in the iteration.
    ImportError: polars is not installed."#
    };
    (RecordBatchReader.to_pyarrow) => {
        r#"Reads the remaining rows into a `pyarrow.Table`. Consumes the reader.

`pyarrow.RecordBatchReader.from_stream(reader)` reads batch by batch instead.

Raises:
    ArrowfeedError, OSError: As in the iteration.
    ImportError: pyarrow is not installed.

Example:
    >>> arrowfeed.read_avro("part-*.avro").to_pyarrow().num_rows
    10000"#
    };
    (Representation) => {
        r#"The base class of representations, which define how columns become a tensor.

A column is written as `"x"`, and a field of a struct as `"user.age"`; a column with the name `user.age`
takes precedence. Representations are frozen, hashable and picklable. Two representations are equal if
their attributes have the same values and types, so a default of 0 differs from a default of 0.0. Fields
that a message does not set have defaults: a representation made from it equals one with these values."#
    };
    (Representation.from_proto) => {
        r#"Creates a representation from a message.

Args:
    data: The bytes of a `tensorflow.metadata.v0.TensorRepresentation`, the message itself, or the
        result of `to_proto`. Unknown fields are ignored. Row splits whose type is not set are int64,
        and a shape that is not set is `()`.

Raises:
    RepresentationError: The bytes are not such a message, or the message is empty or invalid.

Example:
    >>> arrowfeed.Representation.from_proto(arrowfeed.VarLenSparse("tags").to_proto())
    VarLenSparse('tags')"#
    };
    (Representation.to_proto) => {
        r#"Serializes the representation to the bytes of a message.

A representation that `from_proto` made gives the same message back, without unknown fields: fields
that were not set stay unset. Any other representation sets its shape and the type of its row splits.

For `Dense` (without `pad`), `VarLenSparse`, `Sparse` and `Ragged`, the message is a
`tensorflow.metadata.v0.TensorRepresentation`. The other representations do not exist in TensorFlow
Metadata; only `from_proto` can read their messages."#
    };
    (Schema) => {
        r#"Names and Arrow types of columns. Every Arrow library accepts it: `pyarrow.schema(schema)`.

Two schemas are equal if their names, types, nullability and metadata are equal. Picklable.

Example:
    >>> arrowfeed.read_avro("part-0.avro").schema
    <arrowfeed.Schema of 2 columns>
      id: Int64 not null
      name: Utf8"#
    };
    (Schema.metadata) => {
        r#"Key-value metadata of the schema."#
    };
    (Schema.names) => {
        r#"Names of the columns, in order."#
    };
    (Schema.to_pyarrow) => {
        r#"Converts the schema to a `pyarrow.Schema`.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (SequenceExampleDataset) => {
        r###"A dataset over TFRecord files of `tf.SequenceExample` messages.

Each context feature is a column of lists, as in `ExampleDataset`. The last column, `##SEQUENCE##`, is a
struct with a field for each feature list. The field is a list of steps, and each step is a list of
values. The field is null in a row whose record does not have the feature list. A step is null if its
`tf.Feature` message contains no list; an empty list is an empty step. The struct itself is never null.
These are the types of tfx_bsl, except that integers keep all 64 bits.

Compression, checksums, threads and `on_error` are as in `ExampleDataset`.

Args:
    source: As in `ExampleDataset`.
    schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, in which the key
        `"##SEQUENCE##"` has such a dict of the feature lists as its value; or a
        `tensorflow.metadata.v0.Schema` or its bytes, whose feature `##SEQUENCE##` is a STRUCT of the
        feature lists. The default tensors and the meaning of None are as in `ExampleDataset`.
    sample: As in `ExampleDataset`.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Field paths to read, such as `user` and `##SEQUENCE##.token`, in this order. None: the fields
        that the tensors need.
    encoding: As in `ExampleDataset`. `"feature"` also wraps the struct in a list of one element.
    limits: As in `ExampleDataset`.
    index: As in `ExampleDataset`.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment. A pickle of the dataset
        contains them.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.

Raises:
    ArrowfeedError: As in `ExampleDataset`.
    ValueError: A context feature is named `##SEQUENCE##`, or an option has an invalid value.
    TypeError: An argument has the wrong type.

Example:
    >>> schema = {"user": "int64", "##SEQUENCE##": {"token": "int64"}}
    >>> tensors = {"tokens": arrowfeed.Ragged(["##SEQUENCE##", "token"])}
    >>> dataset = arrowfeed.SequenceExampleDataset("*.tfrecord", schema=schema, representations=tensors)
    >>> for tensors in dataset.tensors(batch_size=128):
    ...     train(tensors["tokens"])"###
    };
    (SequenceExampleRecordDecoder) => {
        r###"Decodes `tf.SequenceExample` messages without a file into record batches.

The columns are those of `SequenceExampleDataset`. A decoder can be pickled, and several threads may share
it.

Args:
    schema: The features, as in `SequenceExampleDataset`. None: each batch has the features of its own
        records, sorted by name. A context feature that has no list in any record becomes a column of
        nulls. If no step of a feature list has a list of values, all its steps are null. The struct
        exists if any record has feature lists, even empty ones.
    sequence_column: The name of the struct.
    encoding: The Arrow types of features; see `SequenceExampleDataset`.

Raises:
    RepresentationError: `schema` has a feature of an unsupported type, or its bytes are not a schema.
    ValueError: A context feature has the name of the struct.
    TypeError: An argument has the wrong type.

Example:
    >>> steps = pyarrow.array([{"token": [[7], [8, 9]]}])
    >>> messages = arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))
    >>> decoder = arrowfeed.SequenceExampleRecordDecoder({"##SEQUENCE##": {"token": "int64"}})
    >>> decoder.decode(messages).to_pyarrow()["##SEQUENCE##"].to_pylist()
    [{'token': [[7], [8, 9]]}]"###
    };
    (SequenceExampleRecordDecoder.decode) => {
        r#"Decodes messages into a batch. It releases the GIL while it decodes.

Args:
    records: Messages; each one becomes a row.

Raises:
    CorruptBlockError: A record is not a message, or a feature has values of another type.
        `error.record` is the number of the record, `error.field` the feature."#
    };
    (SequenceExampleRecordDecoder.schema) => {
        r#"The schema of every batch. None: each batch has its own schema."#
    };
    (Sparse) => {
        r#"A sparse tensor `[batch, *dense_shape]` from index columns and a value column.

All columns have the same number of entries in a row.

Args:
    index_columns: One column of integer lists for each dimension.
    value_column: A column of lists.
    dense_shape: Sizes of the dimensions after the batch. -1 or None: one more than the largest index of
        the batch.
    already_sorted: Whether the entries of each row are already sorted by their indices. True: they are
        neither sorted nor checked.

Raises:
    RepresentationError: The number of sizes differs from the number of index columns.
    ValueError: A size is less than -1. TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.Sparse(["row", "column"], "value", [100, -1])
    Sparse(('row', 'column'), 'value', (100, -1))"#
    };
    (Sparse.already_sorted) => {
        r#"Whether the entries of each row are assumed to be sorted."#
    };
    (Sparse.dense_shape) => {
        r#"Sizes of the dimensions after the batch; -1 for an unknown size."#
    };
    (Sparse.index_columns) => {
        r#"The index columns, one for each dimension."#
    };
    (Sparse.value_column) => {
        r#"The value column."#
    };
    (SparseTensor) => {
        r#"A sparse tensor: the coordinates and values of its elements, row by row. Elements that are not stored
are zero or empty. Picklable.

Args:
    indices: Coordinates `[values, rank]`, with the row first. The constructor copies indices and values.
    values: An object that numpy converts to an array `[values]`.
    dense_shape: Sizes of all dimensions, with the batch dimension first.

Raises:
    ConversionError: An index is outside its dimension.
    ValueError: The parts do not fit together. TypeError: An argument has the wrong type.

Example:
    >>> tensor = adapter.convert(batch)["tags"]
    >>> tensor.indices, tensor.values, tensor.dense_shape
    (array([[0, 0], [0, 1], [2, 0]]), array([7, 8, 9]), (3, 2))"#
    };
    (SparseTensor.arrow) => {
        r#"The values as an Arrow array, without a copy."#
    };
    (SparseTensor.dense_shape) => {
        r#"Sizes of all dimensions, with the batch dimension first."#
    };
    (SparseTensor.dtype) => {
        r#"The numpy dtype of the values; `object` for byte strings."#
    };
    (SparseTensor.indices) => {
        r#"Read-only coordinates `[values, rank]`, with the row first."#
    };
    (SparseTensor.parts) => {
        r#"Returns indices and values as dense tensors, which support DLPack."#
    };
    (SparseTensor.to_scipy) => {
        r#"Converts the tensor, which must have rank 2, to a `scipy.sparse.coo_array` that shares its values.

Raises:
    ValueError: The tensor has another rank.
    TypeError: The values are byte strings.
    ImportError: scipy is not installed."#
    };
    (SparseTensor.values) => {
        r#"Read-only values `[values]`, which share the Arrow buffer if the layouts are the same."#
    };
    (Split) => {
        r#"A byte range of a file that one worker reads. Picklable, hashable, ordered by path, start and end.

Splits from `plan_splits` contain the identity of their file. Reading a split raises `ChangedError` if the
length or the fingerprint of the file has changed, so rows are never lost without an error. The
fingerprint is the sync marker of an Avro file, or a checksum of the footer of a Parquet file. A copy of a
file has the same identity.

A chunk belongs to the range that contains its offset. Adjacent ranges that cover a file therefore read
each chunk exactly once, wherever the cuts are. The offset of an Avro block is the byte right after the
preceding sync marker; the offset of a Parquet row group is the first byte of its pages.

Args:
    path: Path of the file.
    start: Offset of the first byte.
    end: Offset of the byte after the last byte.
    file_id: The `file_id` of a planned split, which the file must match. None: any file that does not end
        before `start`. Comparisons of splits ignore it.

Raises:
    TypeError: An argument has the wrong type.
    ValueError: An argument has an invalid value.

Example:
    >>> arrowfeed.Split("part-0.avro", 0, 1000)
    Split('part-0.avro', 0, 1000)"#
    };
    (Split.end) => {
        r#"Offset of the byte after the last byte."#
    };
    (Split.file_id) => {
        r#"Length and fingerprint of the file that the split was planned for. None: any file is accepted."#
    };
    (Split.path) => {
        r#"The file, as the caller of `plan_splits` named it."#
    };
    (Split.start) => {
        r#"Offset of the first byte."#
    };
    (Structured) => {
        r#"A structured tensor of several columns, nested like the columns. Fields of one list of structs share
row splits.

Args:
    columns: Names of columns. A struct is included with all its fields.
    row_splits_dtype: `"int64"` or `"int32"`. `List` columns have int32 offsets, which an `"int32"` tensor
        shares.

Raises:
    RepresentationError: There are no columns. TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.Structured(["user", "items"])
    Structured(('user', 'items'))"#
    };
    (Structured.columns) => {
        r#"The columns."#
    };
    (Structured.row_splits_dtype) => {
        r#"The integer type of the row splits."#
    };
    (StructuredTensor) => {
        r#"A structured tensor: named tensors with equal numbers of rows. Picklable; a pickle contains a copy.

Args:
    fields: The tensors by name.
    row_splits: The outer row splits that all tensors share, from the outside in, as arrays of integers.
    rows: Number of rows of the batch. None: the number of rows of the row splits or of the first field.

Raises:
    ConversionError: A field has another number of rows, or other row splits. TypeError: An argument has
        the wrong type.

Example:
    >>> tensor = adapter.convert(batch)["user"]
    >>> tensor.fields
    {'age': <arrowfeed.DenseTensor int64 [1024]>, 'id': <arrowfeed.DenseTensor bytes [1024]>}"#
    };
    (StructuredTensor.fields) => {
        r#"The tensors, in the order of the columns."#
    };
    (StructuredTensor.row_splits) => {
        r#"The outer row splits that all fields share, from the outside in; empty for a plain struct."#
    };
    (TensorAdapter) => {
        r#"Turns record batches of one schema into tensors.

The constructor compiles the representations and raises an error for one that does not fit the schema.
`convert` checks each row of a batch. Any number of threads may share an adapter. Picklable.

Args:
    schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema,
        batch, table or reader of any Arrow library.
    representations: Dict of tensor names to `Representation` objects, or to `TensorRepresentation`
        messages of TensorFlow Metadata or their bytes.
    inner_nulls: How to treat null values inside a list: `"error"` raises, `"fill"` replaces them with the
        default value of the representation, or with 0, False or `b""` if it has no default.
    duplicates: How to treat two entries of a sparse tensor with the same coordinates: `"keep"` or
        `"error"`.
    limits: A `Limits`. Its `batch_bytes` bounds the memory of one tensor that is built from a
        dictionary-encoded column (such as an Avro enum), because the tensor stores the value of each row
        instead of an index.

Raises:
    RepresentationError: A representation is invalid or does not fit the schema; `tensor` and `field` name
        it.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> representations = {"x": arrowfeed.Dense("x", [2]), "t": arrowfeed.VarLenSparse("t")}
    >>> adapter = arrowfeed.TensorAdapter(reader.schema, representations)
    >>> adapter.convert(next(reader))
    {'x': <arrowfeed.DenseTensor float32 [8, 2]>, 't': <arrowfeed.SparseTensor int64 [8, 5], 21 stored>}"#
    };
    (TensorAdapter.convert) => {
        r#"Converts a batch to a dict of tensors, in the order of the representations or of `names`.

The conversion releases the GIL unless the batch is small. A tensor keeps alive the memory that it
shares with the batch. Columns that no tensor needs are not read.

Args:
    batch: An object with `__arrow_c_array__`, or with an `__arrow_c_stream__` that yields exactly one
        batch (such as a data frame of one chunk). Its columns must be in the order of the schema;
        columns that no tensor needs may have other names and types.
    names: Names of the tensors to convert. None: all.

Raises:
    ConversionError: The schema of the batch differs from that of the adapter, a row does not fit its
        tensor, or a name is unknown; `tensor`, `field` (the column) and `record` (the row) give the
        location.
    LimitError: The values of a dictionary-encoded column, stored for each row, take more than
        `batch_bytes`.
    ValueError: A stream has more than one batch. TypeError: An argument has the wrong type.

Example:
    >>> adapter.convert(batch, ["x"])["x"].values
    array([[0., 1.],
           [2., 3.]], dtype=float32)"#
    };
    (TensorAdapter.explain) => {
        r#"Explains for each tensor which memory is shared with the batch, which is copied, and why.

Example:
    >>> print(adapter.explain())
    x: dense float32 [?, 2]
      values: shared
    t: sparse int64 [?, ?]
      values: shared; copied where a null list has stored values
      indices: computed, from the lengths of the lists"#
    };
    (TensorAdapter.from_features) => {
        r#"Creates an adapter from features, which select their values by key expressions.

Args:
    schema: As in `TensorAdapter`.
    features: Dict of tensor names to features of `arrowfeed.features`. The name is the key
        expression, unless the feature has a `key`. Features of other libraries are recognised by the
        names of their classes: `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`,
        `SparseFeature` and `RaggedFeature` of `tf.io`, `VarLenFeatureWithRank` of tensorflow-io,
        `DenseFeature`, `SparseFeature` and `VarlenFeature` of ATDS.
    limits: As in `TensorAdapter`.

Raises:
    RepresentationError: A key is invalid or does not fit the schema, or a feature does not fit its
        key; `tensor` names the tensor.
    ValueError: A feature of another library has an attribute that arrowfeed does not support.
    TypeError: An argument has the wrong type. For a feature, the message lists the accepted classes.

Example:
    >>> wanted = {"friends[*].name.first": features.VarLen("bytes")}
    >>> arrowfeed.TensorAdapter.from_features(reader.schema, wanted)
    <arrowfeed.TensorAdapter of 1 tensor>
      friends[*].name.first: sparse bytes [?, ?]"#
    };
    (TensorAdapter.schema) => {
        r#"The schema that batches must have."#
    };
    (TensorAdapter.specs) => {
        r#"Specs of the tensors by name, known before any batch is read."#
    };
    (TensorFlowSource) => {
        r#"The source that the TensorFlow op iterates over: a dataset and its options.

The op finds the source under its key as long as this object exists."#
    };
    (TensorFlowSource.batches) => {
        r#"Returns the batches of a pass, for eager code, and the prefix before their state in the state of
the op.

Args:
    state: State of the op. Empty: the next pass begins.

Returns:
    The prefix of the state, and the batches, or None if there is nothing to iterate over."#
    };
    (TensorFlowSource.made_by) => {
        r#"Creates a source that is built at the start of an iteration, from arguments of the graph.

Args:
    key: Key under which the op finds the source.
    make: Function of the arguments. It returns a source, or None if there is nothing to iterate over."#
    };
    (TensorFlowSource.of_records) => {
        r#"Creates a source of the records of a dataset in Avro's binary encoding, one string vector per
batch."#
    };
    (TensorFlowSource.set_next_pass) => {
        r#"Sets the number of the next pass."#
    };
    (TensorSpec) => {
        r#"The properties that all tensors of a representation share. Comparable, hashable and picklable.

Args:
    kind: `"dense"`, `"sparse"`, `"ragged"` or `"structured"`.
    dtype: The numpy dtype of the values; `object` for byte strings, None for structured tensors.
    shape: Sizes of all dimensions, with the batch dimension first. None: the size differs between batches
        or between rows.
    ragged_rank: Number of ragged dimensions, which follow the batch dimension; at least 1 for ragged
        tensors.
    row_splits_dtype: The integer type of the row splits. None: `"int64"`. Allowed only for tensors that
        have row splits.
    fields: The fields of a structured tensor, by name. Required for structured tensors, and allowed only
        for them.

Raises:
    ValueError: The parts do not fit together. TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.TensorSpec("dense", "float32", [None, 3])
    <arrowfeed.TensorSpec dense float32 [?, 3]>"#
    };
    (TensorSpec.dtype) => {
        r#"The numpy dtype of the values; `object` for byte strings, None for structured tensors."#
    };
    (TensorSpec.fields) => {
        r#"The fields of a structured tensor, by name."#
    };
    (TensorSpec.kind) => {
        r#"`"dense"`, `"sparse"`, `"ragged"` or `"structured"`."#
    };
    (TensorSpec.ragged_rank) => {
        r#"Number of ragged dimensions, which is the number of row splits."#
    };
    (TensorSpec.row_splits_dtype) => {
        r#"The integer type of the row splits; None for tensors without row splits."#
    };
    (TensorSpec.shape) => {
        r#"Sizes of all dimensions, with the batch dimension first; None for a dimension without a fixed
size."#
    };
    (TensorsToRecordBatch) => {
        r#"Turns tensors into record batches. A `TensorAdapter` with its `representations` does the reverse.

| tensor | columns |
|---|---|
| dense | a large list with the values of the row |
| sparse `[batch, size]` | a large list with the values of the row |
| other sparse | a large list of values, and a large list of indices for each dimension |
| ragged | large lists, nested like the row splits; inner dimensions are flattened into the innermost |

Byte strings become large binary. Columns are in the order of the tensors' names.

Args:
    specs: Dict of tensor names to `TensorSpec` objects, such as `TensorAdapter.specs`.
    sparse_value_column: Column name for the values of a sparse tensor; `{tensor_name}` stands for the
        name of the tensor.
    sparse_index_column: Column name for the indices of a sparse tensor; `{index}` stands for the
        dimension, from 0.
    generic_sparse: Names of sparse tensors `[batch, size]` that are written as indices and values. Other
        sparse tensors of this shape are written as lists without indices, so their entries are at the
        positions 0, 1, 2, … of the row after the conversion back to tensors.

Raises:
    RepresentationError: A tensor cannot be stored in columns because it is structured, because it is
        dense and has an unknown size, or because it is ragged and has an inner dimension of size 0; or
        two columns have the same name. TypeError: An argument has the wrong type.

Example:
    >>> converter = arrowfeed.TensorsToRecordBatch(adapter.specs)
    >>> arrowfeed.write_avro(converter.convert(adapter.convert(batch)), "tensors.avro")
    1024"#
    };
    (TensorsToRecordBatch.convert) => {
        r#"Converts tensors to a record batch. The tensors may be in any order.

Args:
    tensors: Tensors by name, exactly those of the specs.

Raises:
    ConversionError: A tensor is missing, unknown, or does not match its spec; the tensors have
        different numbers of rows; or the entries of a sparse tensor are not sorted.
    TypeError: `tensors` is not a dict of tensors."#
    };
    (TensorsToRecordBatch.representations) => {
        r#"The representations that convert the batches back to the same tensors."#
    };
    (TensorsToRecordBatch.schema) => {
        r#"The schema of the batches."#
    };
    (VarLenRagged) => {
        r#"A ragged tensor: one ragged dimension per list level of the column, and at least one.

Args:
    column: A column of lists.
    row_splits_dtype: `"int64"` or `"int32"`. `List` columns have int32 offsets, which an `"int32"` tensor
        shares.

Example:
    >>> arrowfeed.VarLenRagged("tokens", row_splits_dtype="int32")
    VarLenRagged('tokens', row_splits_dtype='int32')"#
    };
    (VarLenRagged.column) => {
        r#"The column."#
    };
    (VarLenRagged.row_splits_dtype) => {
        r#"The integer type of the row splits."#
    };
    (VarLenSparse) => {
        r#"A sparse tensor `[batch, longest, ...]` with one dimension per list level, and at least one.

Null rows are empty.

Args:
    column: A column of lists.

Example:
    >>> arrowfeed.VarLenSparse("tags")
    VarLenSparse('tags')"#
    };
    (VarLenSparse.column) => {
        r#"The column."#
    };
    (avro_schema) => {
        r#"Reads the schema, codec and metadata from the header of the first file of a source.

Args:
    source: As in `read_avro`. A file object is read from its current position to slightly past the
        header.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.

Raises:
    OSError: The file cannot be opened.
    FormatError: The file is not an Avro object container file.
    SchemaError: The schema of the file breaks a rule of the Avro specification.

Example:
    >>> schema = arrowfeed.avro_schema("part-0.avro")
    >>> schema.codec, schema.arrow.names
    ('zstandard', ['id', 'name'])"#
    };
    (encode_examples) => {
        r#"Encodes rows as `tf.Example` messages, in the same way as `write_tfrecord`.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
    null_features: Whether a null row is encoded as a feature without a list, as in tfx_bsl, instead of no
        feature. Readers treat it as a missing feature.

Raises:
    ConversionError: A column has a type that features do not support, a list has a null value, or an
        integer does not fit into a signed 64-bit integer.
    TypeError: `batches` has neither of these methods.

Example:
    >>> arrowfeed.encode_examples(pyarrow.record_batch({"n": [7]}))[0].hex()
    '0a0c0a0a0a016e12051a030a0107'"#
    };
    (encode_records) => {
        r#"Encodes each row of a batch in Avro's binary encoding, without a file. Not exported by `arrowfeed`.

Raises:
    SchemaError: A column does not fit the schema."#
    };
    (encode_sequence_examples) => {
        r###"Encodes rows as `tf.SequenceExample` messages.

Each field of the struct is a feature list: a list of steps, where a step is a list of values or one
value. All other columns are context features, as in `encode_examples`. A null feature list is left out; a
null step is encoded as a feature without a list.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
    sequence_column: The name of the struct. If the column does not exist, messages have no feature lists.

Raises:
    ConversionError: A column has a type that features do not support, a list has a null value, an integer
        does not fit into a signed 64-bit integer, or the sequence column is not a struct of lists.
    TypeError: An argument has the wrong type.

Example:
    >>> steps = pyarrow.array([{"t": [[7]]}])
    >>> arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))[0].hex()
    '120e0a0c0a017412070a051a030a0107'"###
    };
    (exists) => {
        r#"Returns whether an object exists in a store. Sends one request.

Args:
    url: URL of the object.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.

Raises:
    OSError: The request fails, other than because the object does not exist."#
    };
    (infer_representations) => {
        r#"Infers a representation for each column from its type.

| column | representation |
|---|---|
| a value | `Dense` of shape `()` |
| fixed-size lists of values, of any depth | `Dense` of their sizes |
| one list of values | `VarLenSparse` |
| lists of lists of values | `Ragged` |
| a struct | each field separately, named `struct.field`, by these rules |
| lists of structs, maps | each field separately, named `list.field`, `Ragged` |
| other types: null, decimal, interval, union | none |

The representations depend only on the schema; no data is read.

Args:
    schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema, batch
        or table of any Arrow library.

Returns:
    Representations by name, in the order of the schema. The dict has an attribute `left_out`, a dict of
    the fields without a representation and the reasons; its `repr` shows them too.

Raises:
    TypeError: `schema` is not a schema.

Example:
    >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.list_(pyarrow.int32())})
    >>> arrowfeed.infer_representations(schema)
    {'id': Dense('id'), 'tags': VarLenSparse('tags')}
    >>> arrowfeed.infer_representations(pyarrow.schema({"id": pyarrow.int64(), "none": pyarrow.null()}))
    {'id': Dense('id')}
    left out:
      'none': no tensor has values of type Null"#
    };
    (peek) => {
        r#"Lists the files of a URL, and reads the first bytes of the first file.

Args:
    url: URL of a file, a glob or a directory, or a name in the store of the caller.
    extension: Extension of the files to list in a directory, without the dot.
    count: Maximum number of bytes to read. 0: none; only the requests of a listing are sent.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.
    cache: As in `read_avro`.
    cache_bytes: As in `read_avro`.

Returns:
    The name of each file and its length, if a listing contains it; and the bytes.

Raises:
    FileNotFoundError: The file does not exist. Other I/O errors are OSErrors too."#
    };
    (plan_splits) => {
        r#"Plans splits of about equal size over Avro files, in file order. Reads only the headers.

Args:
    source: Paths, globs, directories or URLs, or a list of these.
    target_bytes: Target size of a split in bytes; the last split of a file may be smaller.
    storage_options: As in `read_avro`. Splits do not contain them.
    store: As in `read_avro`. Splits do not contain it.

Returns:
    Splits that contain all rows of the files, in order. A file without blocks has no split.

Raises:
    OSError: A file cannot be opened.
    FormatError: A file is not an Avro object container file.
    TypeError: The source contains bytes or file objects, which cannot be split.
    ValueError: `target_bytes` is less than 1.

Example:
    >>> arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
    [Split('part-0.avro', 213, 16777429), Split('part-0.avro', 16777429, 21482911)]"#
    };
    (read_avro) => {
        r#"Reads Avro object container files as Arrow record batches.

This call reads the header of the first file, so it raises an error for a wrong file, column or schema.
Other files are opened when they are needed; they must have the columns of the first file.

Args:
    source: A path, a glob, a directory (its `*.avro`), a URL, the bytes of a file, a binary file object,
        or a list of these. URLs of S3, Google Cloud Storage, Azure, HTTP servers and HDFS need no other
        package; other schemes need fsspec. Files are read in the order of the list; the files of a glob
        or a directory are sorted by name. A file object is read from its current position, in the calling
        thread, and is not closed.
    columns: Field paths to read (`"id"`, `"user.scores"`, `"friends.name.first"`; also through arrays and
        maps). A quoted name is used literally: `"['a.b'].c"`; an unquoted path that matches several
        fields is an error. Nesting is kept: `user` becomes a struct of the selected fields. Top-level
        columns are in the order in which the paths first mention them. None: all fields.
    reader_schema: The schema to resolve the values to, by the rules of the Avro specification: promotion,
        defaults, aliases, enum defaults. None: the schema of the file.
    batch_size: Number of rows of a batch. A batch may span blocks; the last batch of a file may be
        shorter.
    max_batch_bytes: Size in bytes at which a batch ends early. None: `limits.batch_bytes`.
    encoding: `"native"`: the natural Arrow type of each Avro type. `"feature"`: each column is wrapped in
        a list, and a missing value is a null list. `"tfx"`: the types that tfx_bsl and related libraries
        accept.
    double_as_float: With `encoding="tfx"`, rounds Avro doubles to Float32. Other encodings keep doubles.
    string_type: Arrow type of strings, with the matching type for bytes. `"utf8"` has 32-bit offsets,
        `"large_utf8"` has 64-bit offsets, and `"utf8_view"` is the view type.
    unions: Arrow type of unions, other than of null and one type. `"dense"`: a dense union, which
        Parquet and polars do not have; the encodings `"feature"` and `"tfx"` refuse it. `"struct"`: a
        struct with one nullable field for each branch except null; all fields but that of the branch are
        null. `"json"`: a string with the value as JSON, `{"string":"x"}`. A value of the branch null is
        null.
    raw: Whether to read each record as bytes in Avro's binary encoding, into the single column `record`
        of type large_binary. The reader checks the bytes in the same way as a field that is not read: it
        does not check UTF-8, nor the content of array blocks that state their size in bytes. All files
        must have the schema of the first file; only aliases, defaults, documentation and logical types
        may differ. `reader_schema` is not allowed. Records with recursive types can be read this way.
    threads: Number of decoding threads. None: one per core of the process (affinity and cgroup quota
        respected). 1: decodes in the calling thread and starts no thread.
    limits: Upper bounds on the resources that one file may use. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` skips blocks that cannot be read and continues after their sync
        marker; `"skip_file"` skips the rest of the file. `report()` lists what is skipped.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader that iterates over batches and has `__arrow_c_stream__`.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The file is not an Avro object container file.
    SchemaError: A schema is invalid or cannot be converted to Arrow, or a column is not in it.
    LimitError: The header exceeds `limits`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.
    ImportError: A URL needs fsspec, or `progress` needs tqdm, which is not installed.

Example:
    >>> reader = arrowfeed.read_avro("part-*.avro", columns=["id", "user.scores"], batch_size=1024)
    >>> table = pyarrow.table(reader)"#
    };
    (read_csv) => {
        r#"Reads CSV files as Arrow record batches.

`CsvDataset` describes the format of the records, and which files only one thread can read.

Args:
    source: As in `CsvDataset`. File objects are read into memory by this call.
    schema: As in `CsvDataset`. None: all columns, with inferred types.
    sample: As in `CsvDataset`. None: types are inferred from all records.
    skip_lines: Number of lines to skip at the start of each file.
    header: Whether the first record of each file names the columns.
    names: The names of all columns. None: as in `CsvDataset`.
    delimiter: The ASCII character between cells.
    quote: The ASCII character around quoted cells.
    escape: The escape character: in a quoted cell, it makes the next character an ordinary one. None: no
        escape character.
    skip_blank_lines: Whether to skip empty lines. False: an empty line is a record whose cells are all
        null.
    nulls: Cell texts that mean null. None: `[""]`.
    multivalent_columns: As in `CsvDataset`.
    secondary_delimiter: As in `CsvDataset`.
    raw: As in `CsvDataset`.
    columns: Names of columns to read, in this order. The cells of other columns are not parsed. None: all
        columns.
    batch_size: Number of rows of a batch; the last batch of a file may be shorter.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: As in `CsvDataset`. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` skips single invalid records; `"skip_file"` skips the rest of the
        file. `report()` lists what is skipped.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader that iterates over batches and has `__arrow_c_stream__`.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file has no header.
    CorruptBlockError: Without `schema`: a record has the wrong number of cells, or is not valid UTF-8.
    SchemaError: As in `CsvDataset`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> reader = arrowfeed.read_csv("part-*.csv.gz", columns=["age", "label"])
    >>> table = pyarrow.table(reader)"#
    };
    (read_json_lines) => {
        r#"Reads JSON lines files as Arrow record batches.

Args:
    source: As in `JsonLinesDataset`. File objects are read into memory by this call.
    schema: As in `JsonLinesDataset`. None: all keys, with inferred types.
    sample: As in `JsonLinesDataset`. None: types are inferred from all records.
    columns: Names of columns to read, in this order. None: all columns.
    batch_size: Number of rows of a batch; the last batch of a file may be shorter.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: As in `JsonLinesDataset`. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` skips single invalid records; `"skip_file"` skips the rest of the
        file. `report()` lists what is skipped.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader that iterates over batches and has `__arrow_c_stream__`.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    CorruptBlockError: Without `schema`: a line is not a JSON object.
    SchemaError: As in `JsonLinesDataset`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> reader = arrowfeed.read_json_lines("part-*.jsonl", columns=["id", "scores"])
    >>> table = pyarrow.table(reader)"#
    };
    (read_parquet) => {
        r#"Reads Parquet files as Arrow record batches.

This call reads the footer of the first file, so it raises an error for a wrong file, column or schema.
Other files are opened when they are needed. Columns with an Arrow dictionary type are decoded to their
values.

Args:
    source: A path, a glob, a directory (its `*.parquet`), a URL,
        the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
    columns: Field paths to read (`"id"`, `"user.scores"`; also through lists), in this order. A map is
        read as a whole. None: all columns. With a `schema`, they are paths in the schema.
    schema: The Arrow schema of the batches: a pyarrow schema, or any object with `__arrow_c_schema__`.
        Columns and fields of each file are matched by name, in any order, and converted if the conversion
        is lossless; docs/parquet.md has the table of types. A column that is missing in a file is null,
        if the schema allows nulls. None: the schema of the first file, which all files must have.
    double_as_float: With a `schema`, rounds doubles to floats. If False, a column of doubles that the
        schema declares as floats is an error.
    batch_size: Number of rows of a batch. A batch may end early, at the end of a row group.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
        `batch_bytes` a batch. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` skips row groups that cannot be read; `"skip_file"` skips the rest
        of the file. `report()` lists what is skipped. A value that does not fit the `schema` always
        raises an error.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader that iterates over batches and has `__arrow_c_stream__`.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file is not a Parquet file.
    SchemaError: The columns of the first file cannot be converted to `schema`, or a column is not in it.
        While reading: a later file has other columns.
    ConversionError: While reading: a value does not fit the `schema`. The message names the file, row
        group, row and column.
    LimitError: The footer exceeds `limits`.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.large_list(pyarrow.binary())})
    >>> reader = arrowfeed.read_parquet("part-*.parquet", schema=schema)
    >>> table = pyarrow.table(reader)"#
    };
    (read_parquet_split) => {
        r#"Reads the row groups of one split of a Parquet file as Arrow record batches.

A row group belongs to the split that contains the offset of its first page.

Args:
    split: A split from `ParquetDataset.plan_splits`, or any byte range of a file. If it has a `file_id`,
        the file must match it.
    claim: A function that is called once for each row group, in order, with this offset, as in
        `read_split`. If it returns False, the reader stops before the row group. None: all row groups are
        read.
    file: A binary file object to read instead of `split.path`, which is then only a name for messages.
        Its position 0 is the first byte of the file. It must support reads at any offset, and it is not
        closed.
    columns: As in `read_parquet`, like all options below.
    schema: The Arrow schema of the batches.
    double_as_float: With a `schema`, rounds doubles to floats.
    batch_size: Number of rows of a batch.
    threads: Has no effect, because the calling thread decodes a split. It exists so that all read
        functions have the same options.
    limits: Upper bounds on the resources that the file may use.
    on_error: How to handle row groups that cannot be read.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the file of `split`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader of the rows of the split, which may be empty.

Raises:
    ChangedError: The file is not the one that the split was planned for, or it ends before the split
        starts.
    ArrowfeedError, OSError: As in `read_parquet`.
    TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a bool.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> splits = arrowfeed.ParquetDataset("part-*.parquet").plan_splits(target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_parquet_split(split))
    10000"#
    };
    (read_split) => {
        r#"Reads the blocks of one split of a file as Arrow record batches.

A block belongs to the split that contains the offset right after the sync marker before it.

Args:
    split: A split from `plan_splits`, or any byte range of a file. If it has a `file_id`, the file must
        match it.
    claim: A function that is called once for each block, in order, with this offset, in the thread that
        asks for batches. If it returns True, the block is read; if it returns False, the reader stops
        before the block. If it raises an exception, the iteration returns the rows before the block and
        then raises the exception. A runner can use `claim` to split a range while it is being read: if
        `claim` accepts only offsets below some byte, a reader of the range that starts at this byte reads
        exactly the remaining blocks. `claim` is not called for corrupt bytes; they belong to the
        preceding block. None: all blocks are read.
    file: A binary file object to read instead of `split.path`, which is then only a name for messages.
        Its position 0 is the first byte of the file. It must support reads at any offset, and it is not
        closed.
    columns: As in `read_avro`, like all options below.
    reader_schema: The schema to resolve the values to.
    batch_size: Number of rows of a batch.
    max_batch_bytes: Size in bytes at which a batch ends early.
    encoding: How Avro types are converted to Arrow types.
    double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
    string_type: Arrow type of strings.
    unions: Arrow type of unions.
    raw: As in `read_avro`. The function sees only the schema of this file, so the caller must check that
        all files have the same schema.
    threads: Has no effect, because the calling thread decodes a split. It exists so that all read
        functions have the same options.
    limits: Upper bounds on the resources that the file may use.
    on_error: How to handle blocks that cannot be read.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the file of `split`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader of the rows of the split, which may be empty.

Raises:
    ChangedError: The file is not the one that the split was planned for, or it ends before the split
        starts.
    ArrowfeedError, OSError: As in `read_avro`.
    TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a bool.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> splits = arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_split(split))
    10000"#
    };
    (read_tfrecord) => {
        r#"Reads TFRecord files as Arrow record batches.

Files may be compressed with gzip or zlib, which is detected from their first bytes. Only one thread reads
a compressed file. Checksums are verified.

Args:
    source: A path, a glob, a directory (its `*.tfrecord`), a URL,
        the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
    format: The format of the records. `"example"`: `tf.Example` messages; each feature is a column of
        lists, `large_list` of int64, float or large_binary, with a null where a record does not have the
        feature. `"sequence_example"`: `tf.SequenceExample` messages; `SequenceExampleDataset` describes
        the columns. `"raw"`: bytes, in the column `record`.
    schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
        `tensorflow.metadata.v0.Schema` or its bytes; for sequences, see `SequenceExampleDataset`. None:
        the features of the records, sorted by name; this call reads all files to find them.
    sample: Without `schema`: number of records at the start that are searched for features. A feature
        that occurs only in later records is left out. None: all records.
    columns: Names of features to read, in this order. Other features are skipped. None: all features.
    encoding: The Arrow types of features; see `ExampleDataset`.
    batch_size: Number of rows of a batch; the last batch of a file may be shorter.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
        `batch_bytes` a batch. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` skips a record that cannot be decoded and, after other damage,
        continues at the next intact record; `"skip_file"` skips the rest of the file. `report()` lists
        what is skipped.
    storage_options: Settings of the store, such as `{"aws_region": "eu-west-1"}`; the page "Stores" lists
        the keys. None: the store takes its settings from the environment.
    store: An obstore store or an fsspec filesystem that contains the files of `source`. None: the URL
        determines the store.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. None: 100 GiB.
    progress: Whether to show a tqdm bar that counts the rows as they are read, without a total. Closing
        the reader closes the bar.

Returns:
    A reader that iterates over batches and has `__arrow_c_stream__`.

Raises:
    FileNotFoundError: A path does not exist, or no file matches a glob. Other I/O errors are OSErrors
        too.
    FormatError: The first file is not a TFRecord file.
    CorruptBlockError: Without `schema`: a record cannot be decoded, or a feature has values of different
        types.
    SchemaError: A column is not in the schema, or no record has any feature.
    RepresentationError: `schema` has a feature of an unsupported type, or its bytes are not a schema.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.
    ImportError: `progress` needs tqdm, which is not installed.

Example:
    >>> reader = arrowfeed.read_tfrecord("part-*.tfrecord.gz", columns=["id", "tags"])
    >>> table = pyarrow.table(reader)"#
    };
    (register_tensorflow_ops) => {
        r#"Registers the TensorFlow ops, once.

Args:
    library: Path of `libtensorflow_framework`.

Raises:
    RuntimeError: The library does not have the functions of the C API."#
    };
    (representations_from_tfmd) => {
        r#"Derives the representations of a TensorFlow Metadata schema by the rules of tfx_bsl.

For the default group, the result contains the declared representations. For columns that no declared
representation uses, the representation follows from the feature. A sparse feature becomes `Sparse`; a
feature with a shape becomes `Dense`; each field of a struct becomes `Ragged`, named `struct.field`; any
other feature becomes `VarLenSparse`, or `Ragged` if the schema sets
`represent_variable_length_as_ragged`. Features that are deprecated or not in production are left out.

Args:
    schema_proto: A `tensorflow.metadata.v0.Schema`, or its bytes.
    group: Name of a group of representations. A group other than the default contains only the declared
        representations.

Returns:
    Representations by name.

Raises:
    RepresentationError: The bytes are not a schema, the group does not exist, or no representation
        follows from a feature.
    TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.representations_from_tfmd(schema_bytes)
    {'image': Dense('image', (784,)), 'tags': VarLenSparse('tags')}"#
    };
    (upload) => {
        r#"Copies a local file to an object, which becomes visible when it is complete. An existing object is
replaced.

Args:
    path: The file.
    url: URL of the object.
    storage_options: As in `write_avro`.
    store: As in `write_avro`.

Returns:
    The number of bytes copied.

Raises:
    OSError: The file cannot be read, or the object cannot be written.
    ValueError: The store does not support writing."#
    };
    (write_avro) => {
        r#"Writes Arrow data to a new Avro object container file.

The file appears under its name when it is complete, and replaces an existing file. Until then, the data
is in a hidden file in the same directory, which is removed after an error. Every Arrow type that has an
Avro equivalent is supported, in every memory layout; the page "Arrow to Avro" has the table.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
        polars or duckdb, a record batch, or a `RecordBatchReader`, which this call consumes.
    path: Path of the new file, URL of an object, or a binary file object with `write()`, which stays
        open.
    codec: Compression codec of the blocks, by its name in the Avro specification. With `append=True` and
        no `codec`, the codec of the file is used.
    level: The compression level: 1 to 12 for deflate, -7 to 22 for zstandard, 1 to 9 for bzip2, 0 to 9
        for xz. None: the default of the codec: 6 for deflate, 2 for zstandard, 6 for bzip2, 6 for xz.
    block_bytes: Size of the encoded rows in bytes at which a block ends; at most 128 MiB.
    schema: The Avro schema to write. Fields are matched to columns by name, and a field without a column
        gets its default. None: the schema is derived from the Arrow schema, with nullable columns as
        unions with null.
    metadata: Additional entries of the file header, which `avro_schema` returns as `.metadata`. Keys that
        begin with `avro.` are rejected, because the Avro specification reserves them. At most 9,998
        entries.
    on_overflow: How to write `uint64` columns with a derived schema: `"decimal"` writes `decimal(20, 0)`;
        `"error"` writes `long`, and a value above 2^63 - 1 is an error.
    threads: Number of threads that encode and compress. None: one per core of the process. 1: the calling
        thread.
    append: Whether to append to the rows of an existing file, with its schema, codec and sync marker. A
        copy of the file with the new rows replaces the file when the copy is complete. Objects in stores
        do not support appending.
    storage_options: Keys and values for the store of a URL, as in `read_avro`.
    store: An obstore store that contains the object `path`. None: the URL determines the store.

Returns:
    The number of rows written.

Raises:
    SchemaError: A column has a type that Avro does not support, or it does not fit `schema`.
    ConversionError: A value does not fit its Avro type, such as a null without a union with null.
    LimitError: A row is larger than readers accept.
    ArrowfeedError: The stream of batches failed. Errors of a `RecordBatchReader` are passed on unchanged.
    OSError: The file cannot be written, or another writer is appending to it.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> table = pyarrow.table({"id": [1, 2, 3]})
    >>> arrowfeed.write_avro(table, "ids.avro", codec="deflate", metadata={"source": b"sensor 7"})
    3
    >>> arrowfeed.avro_schema("ids.avro").metadata["source"]
    b'sensor 7'
    >>> arrowfeed.write_avro(table, "ids.avro", append=True)
    3"#
    };
    (write_tfrecord) => {
        r#"Writes Arrow data to a new TFRecord file, with each row as a `tf.Example` message.

Each column is a feature. Integers and booleans, or lists of them, become an `int64_list`; floats and
doubles become a `float_list`, with doubles rounded; text and bytes become a `bytes_list`. For a null, the
message does not have the feature; for an empty list, it has the feature without values. The file appears
under its name when it is complete, and replaces an existing file.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
        polars or duckdb, a record batch, or a `RecordBatchReader`, which this call consumes.
    path: Path of the new file, or URL of an object.
    format: The format of a record. `"example"`: as above. `"sequence_example"`: a `tf.SequenceExample`
        message. The struct column `##SEQUENCE##` contains its feature lists: each field is a list of
        steps, and a step has the form of a column value in `"example"`. All other columns are context
        features. `"raw"`: the only column contains the record as bytes or text.
    compression: Compression of the whole file. None: `"gzip"` if the name ends with `.gz`, otherwise
        `"none"`.
    storage_options: Keys and values for the store of a URL, as in `read_avro`.
    store: An obstore store that contains the object `path`. None: the URL determines the store.

Returns:
    The number of rows written.

Raises:
    ConversionError: A column has a type that features do not support, a list has a null value, an integer
        does not fit into a signed 64-bit integer, or `##SEQUENCE##` is not a struct of lists. With
        `"raw"`: there are several columns, or a null.
    ArrowfeedError: The stream of batches failed. Errors of a `RecordBatchReader` are passed on unchanged.
    OSError: The file cannot be written.
    ValueError: An option has an invalid value. TypeError: An argument has the wrong type.

Example:
    >>> table = pyarrow.table({"id": [1, 2, 3], "tags": [["a", "b"], [], None]})
    >>> arrowfeed.write_tfrecord(table, "rows.tfrecord")
    3
    >>> arrowfeed.read_tfrecord("rows.tfrecord").schema.names
    ['id', 'tags']"#
    };
}
