//! Docstrings of the compiled module, by the names of Python.
//!
//! `tools/native_docs.py` writes this file from `python/arrowfeed/_stubs`. Edit the stubs, then run it.

macro_rules! docs {
    (Array) => {
        r#"One column of a batch: its values, name and type.

Any Arrow library accepts an array without a copy: `pyarrow.array(array)`.

Example:
    >>> batch.column("id")
    <arrowfeed.Array id: Int64 of 8192 values, 0 nulls>"#
    };
    (Array.__array__) => {
        r#"Converts the values to a numpy array, for `numpy.asarray(array)`.

An array of numbers without nulls shares the memory of the column, so it is read-only. The conversion
rounds no value. The Arrow type determines the numpy type:

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
    copy: True: always copies. None: copies only if the conversion needs a copy. False: a needed copy
        is an error.

Raises:
    ImportError: The Arrow type is in the last row of the table, and pyarrow is not installed.
    ValueError: `copy` is False, and `dtype` needs a copy.

Example:
    >>> numpy.asarray(batch["id"])
    array([1, 2, 3])"#
    };
    (Array.__iter__) => {
        r#"Iterates over the values, as `numpy.asarray(array)` converts them.

`pandas.Series(array)` and `pandas.DataFrame({"id": array})` contain these values too.

Raises:
    ImportError: As in `__array__`.

Example:
    >>> [int(value) for value in batch["id"]]
    [1, 2, 3]"#
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
    reader_schema: The reader schema, as in `read_avro`; required if the files have different schemas.
    encoding: `"native"`, `"feature"` or `"tfx"`, as in `read_avro`.
    double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
    unions: `"dense"`, `"struct"` or `"json"`, as in `read_avro`. The key `u:string` selects a branch of a
        dense union, and the key `u.string` a field of a struct.
    raw: Whether to read each record as bytes into the single column `record`; see `read_avro`.
    limits: Upper bounds on the resources that one file may use. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. With an index, `num_rows`, shuffles
        and shards read no block headers. None: block headers are read when needed.
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
      friends[*].age: ragged int64 [?, ?], 1 ragged dimension
    >>> for tensors in dataset.tensors(batch_size=1024):
    ...     train(tensors["name.first"].values, tensors["friends[*].age"].row_splits[0])"#
    };
    (AvroRecordDecoder) => {
        r#"Decodes records without a file, such as messages of a stream, into record batches or tensors.

The decoder collects records one by one for a batch, or decodes several records into a separate batch.
Records are in Avro's binary encoding, without a file header. The records may have several writer schemas;
all batches have the same schema. Only one thread at a time may use a decoder.

Args:
    schema: The writer schema of the records. None: the header of each message identifies its schema, and
        the columns are those of `reader_schema` or, without it, those of the first schema in `schemas`.
    framing: The header of each message. `"bare"`: none. `"single_object"`: the bytes `c3 01` and the
        CRC-64-AVRO fingerprint of the schema (Avro specification, "Single-object encoding").
        `"confluent"`: a zero byte and the ID of the schema in a registry (Confluent Schema Registry,
        "Wire format").
    schemas: The schemas of framed messages: a dict of fingerprints (`AvroSchema.fingerprint`) or IDs to
        schemas; for `"single_object"` also a list of schemas. Alternatively, a function such as a
        registry client, which maps a fingerprint or ID to its schema, or to None if there is no such
        schema; the decoder calls the function once for each new fingerprint or ID. None: records without
        a framing.
    features: Features for `flush_tensors`, as in `AvroDataset`.
    representations: Representations for `flush_tensors`, as in `AvroDataset`. If you pass neither
        argument, `infer_representations` determines the tensors.
    columns: Field paths to read, in this order. None: the fields that `features` or `representations`
        need; without these arguments, all fields.
    reader_schema: The reader schema, as in `read_avro`. None: the writer schema.
    batch_size: Maximum number of rows of a batch, whatever the writer schemas of its rows. None: 8,192.
    max_batch_bytes: Size in bytes at which a batch ends before it has `batch_size` rows. None:
        `limits.batch_bytes`.
    encoding: How Avro types are converted to Arrow types; see `read_avro`.
    double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
    string_type: The Arrow type of strings and bytes; see `read_avro`.
    unions: The Arrow type of unions; see `read_avro`.
    limits: Upper bounds on the resources that a record may use. None: `Limits()`.
    name: A name for the source of the records, such as a topic, which is the attribute `path` of errors.
        None: errors have no path.

Raises:
    SchemaError: The schema is invalid, cannot be resolved, or cannot be converted to Arrow.
    RepresentationError: A tensor cannot be built from the columns.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

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

Args:
    schema: The writer schema, as in the constructor.

Returns:
    The number of the schema, for `decode` and `extend`. The first schema has the number 0. A schema
    that is already registered keeps its number.

Raises:
    SchemaError: The schema cannot be resolved, or its columns differ from those of the first schema.
    ValueError: The decoder already has 1,024 schemas.

Example:
    >>> decoder = arrowfeed.AvroRecordDecoder(old_schema, reader_schema=new_schema)
    >>> decoder.decode(record, writer=decoder.add_writer(new_schema))"#
    };
    (AvroRecordDecoder.decode) => {
        r#"Decodes one record for the next `flush`, or several records into a separate batch.

Args:
    records: The bytes of exactly one record, an iterable of records, or a pyarrow array of records.
        With a `framing`, messages with their headers.
    writer: Number of the writer schema of bare records, from `add_writer`. None: 0.

Returns:
    For several records, one batch of all rows, whatever `batch_size` is. For one record, None.

Raises:
    CorruptBlockError: A record is damaged, has excess bytes, or has another framing. `error.record`
        is the number of the record since the last `flush`, or its index in the list. If a single
        record fails, it adds no row, and the decoder remains usable. If one of several records fails,
        the decoder discards the rows of all of them.
    SchemaError: The schema of a message is unknown. `error.record` is the number of the message.
    LimitError: The record exceeds a limit.
    ValueError: Several records are passed while the decoder has rows that no flush has returned yet.
    Exception: Exceptions of a `schemas` function are passed on."#
    };
    (AvroRecordDecoder.extend) => {
        r#"Decodes records for the next `flush`, in order, up to the first damaged record.

The method releases the GIL while it decodes.

Args:
    records: Several records, as in `decode`.
    writer: Number of the writer schema of bare records, from `add_writer`. None: 0.

Raises:
    CorruptBlockError, SchemaError, LimitError: As in `decode`."#
    };
    (AvroRecordDecoder.flush) => {
        r#"Returns the next batch of at most `batch_size` decoded rows. None: no row is left."#
    };
    (AvroRecordDecoder.flush_tensors) => {
        r#"Returns the tensors of the next batch of decoded rows, by name. None: no row is left.

Raises:
    ConversionError: A row does not fit its tensors; `error.record` is its number in the batch. The
        decoder then discards the rows of the batch.
    LimitError: As in `TensorAdapter.convert`."#
    };
    (AvroRecordDecoder.rows) => {
        r#"Number of decoded rows that no flush has returned yet."#
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
        r#"A valid Avro schema and, if it was read from a file, the codec and the metadata of that file.

Schemas can be hashed and pickled. Two schemas are equal if they describe the same types: names, fields
with their aliases and defaults, symbols, sizes and logical types. The comparison ignores documentation,
the layout of the text, `codec` and `metadata`.

Args:
    schema: JSON text, its parsed form (a dict, or a list for a union), the path of an `.avsc` file, or
        another schema.
    codec: Name of the codec of the file. None: the codec is unknown.
    metadata: The metadata of the file. None: no entries.

Raises:
    SchemaError: The schema breaks a rule of the Avro specification.
    LimitError: The text of the schema exceeds 4 MiB.
    OSError: The `.avsc` file cannot be read.
    TypeError: An argument has the wrong type.

Example:
    >>> schema = arrowfeed.AvroSchema({"type": "array", "items": "int"})
    >>> schema.canonical
    '{"type":"array","items":"int"}'"#
    };
    (AvroSchema.arrow) => {
        r#"The Arrow schema of the batches that `read_avro` returns without options.

Raises:
    SchemaError: A type is recursive, or the types are nested too deeply for Arrow."#
    };
    (AvroSchema.canonical) => {
        r#"The Parsing Canonical Form of the Avro specification: full names, and only the attributes that
decoding needs."#
    };
    (AvroSchema.codec) => {
        r#"Compression codec of the blocks of the file. None: the schema was not read from a file."#
    };
    (AvroSchema.fingerprint) => {
        r#"The Rabin fingerprint (CRC-64-AVRO) of the canonical form, an unsigned integer of 64 bits."#
    };
    (AvroSchema.json) => {
        r#"The JSON text, as passed or as stored in the file."#
    };
    (AvroSchema.metadata) => {
        r#"Metadata of the file: `avro.schema`, `avro.codec` and user-defined entries. Empty if the schema was
not read from a file."#
    };
    (AvroSchema.warnings) => {
        r#"Descriptions of the parts of the schema that readers must ignore, such as unknown logical types."#
    };
    (AvroWriter) => {
        r#"A writer of an Avro object container file, batch by batch.

Use the writer as a context manager, or call `close()`. The file appears under its name when `close()` has
completed it. After an exception inside `with`, the incomplete file is removed. The writer buffers rows
before it encodes them, so `rows` does not count the latest rows.

Args:
    path: Path of the new file, URL of an object, or a binary file object with `write()`. A file object
        stays open.
    arrow_schema: The schema of the columns: an object with `__arrow_c_schema__`. None: the schema of the
        first batch. With a schema, a column that Avro does not support is an error of the constructor,
        and a file without rows can be written.
    codec: As in `write_avro`.
    level: As in `write_avro`.
    block_bytes: As in `write_avro`.
    schema: As in `write_avro`.
    metadata: As in `write_avro`.
    on_overflow: As in `write_avro`.
    threads: As in `write_avro`.
    append: As in `write_avro`.
    storage_options: As in `write_avro`.
    store: As in `write_avro`.

Raises:
    SchemaError: Avro does not support the type of a column, or a column does not fit `schema`.
    OSError: The file cannot be created.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

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
        r#"Closes the file or, after an exception, removes it."#
    };
    (AvroWriter.blocks) => {
        r#"Number of blocks written so far."#
    };
    (AvroWriter.bytes) => {
        r#"Number of bytes written so far, including the header of a new file."#
    };
    (AvroWriter.close) => {
        r#"Writes the remaining rows and renames the complete file. A second call does nothing.

Raises:
    OSError: The file cannot be written.
    ValueError: No batch was written, and `arrow_schema` was not passed."#
    };
    (AvroWriter.rows) => {
        r#"Number of rows in the blocks written so far."#
    };
    (AvroWriter.write) => {
        r#"Writes batches and returns the number of their rows.

After an error, the writer accepts no more batches.

Args:
    batches: As in `write_avro`, with the columns of the first batch.

Raises:
    SchemaError: The columns differ from those of the first batch.
    ConversionError: A value does not fit its Avro type.
    LimitError: A row is larger than readers accept.
    ValueError: The writer is closed or has failed."#
    };
    (BatchIterator) => {
        r#"An iterator over the batches of a dataset. `Dataset.record_batches` and `Dataset.tensors` create it.

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
    >>> batches.load_state_dict(json.loads(saved))  # continues with the next batch"#
    };
    (BatchIterator.__len__) => {
        r#"Returns the number of batches of the whole iteration, in all epochs: that of `Dataset.num_batches`.

The number includes the batches that were already returned, also those before a loaded checkpoint. It
is known in any of these cases: the iteration is shuffled or sharded; the dataset selects rows with
`skip` or `split`; an index is set; `num_rows` or `num_batches` was called before; there are at most
100 files, they are local, and they have at most 64 MiB together or are Parquet files.

Raises:
    TypeError: The iteration is endless, or the number is unknown. It is also unknown if `on_error` is
        not `"raise"`. `list(batches)` and `tqdm(batches)` work without the number.

Example:
    >>> len(dataset.tensors(batch_size=1024, epochs=2))
    20"#
    };
    (BatchIterator.__next__) => {
        r#"Returns the next batch.

Raises:
    ArrowfeedError: A file is damaged or invalid; the subclass states the kind of error.
    ConversionError: A row does not fit a tensor. The attributes `tensor`, `field` (the column) and
        `record` (the row of the batch) give the location.
    ChangedError: A file has changed since it was first read.
    OSError: A file cannot be read.
    ValueError: The iterator was created before a fork; or Python code that it runs, such as
        `read_chunk`, calls the iterator."#
    };
    (BatchIterator.close) => {
        r#"Stops the iteration and waits until its worker threads have ended. A second call does nothing."#
    };
    (BatchIterator.load_state_dict) => {
        r#"Resumes after the batch of a checkpoint. The current position of this iterator has no effect.

The iterator seeks to the block of the next row and decodes no earlier block. With a shuffle, it
decodes the blocks of one shuffle window. `threads` and `prefetch_bytes` may differ from those of the
checkpoint. Checkpoints of `record_batches` and of `tensors` are interchangeable. The checkpoint
contains the seed, also if it is random.

Args:
    state: The result of `state_dict`, also after a round trip through `json`.

Raises:
    ChangedError: The files are others, or their order, names, sizes or sync markers have changed.
    ValueError: The checkpoint has other options, another seed or another version, or `state` is not a
        checkpoint.
    TypeError: `state` is not a dict. Each of these errors leaves the iterator unchanged."#
    };
    (BatchIterator.report) => {
        r#"Returns the counts of rows, blocks and bytes read so far, and the skipped parts.

The counts include those of a loaded checkpoint.

`rows` counts the rows of the returned batches in all epochs. `skipped` lists each skipped part once.
`blocks` and `bytes` count the decoded data. These two counts can be ahead of `rows`, because of
prefetching, or behind `rows`, while worker threads have not finished. A block that a resumed
iteration decodes again counts again.

Example:
    >>> batches.report()
    {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}"#
    };
    (BatchIterator.state_dict) => {
        r#"Returns a checkpoint of the iteration after the last returned batch.

Prefetched batches do not count.

The checkpoint contains fingerprints of the file names and sizes, the options that determine the
order, the seed, the epoch, the position in the epoch, and `report()`. The checkpoint consists of
numbers, strings, lists and dicts, so it can be saved as JSON. It takes about 6 bytes per file, and a
shuffle does not make it larger. Its content may change between versions of arrowfeed.

Returns:
    A new dict for `load_state_dict` of an iterator over the same files with the same options, in this
    or another process.

Raises:
    OSError: A file cannot be found.
    ValueError: The iterator was created before a fork.

Example:
    >>> batches.state_dict()["place"]
    {'row': {'block': 3, 'file': 0, 'offset': 49152, 'row': 24, 'sync': '30313233343536373839...'}}"#
    };
    (ChunkDataset) => {
        r#"A dataset over the rows of a `ChunkSource`.

Python code provides the rows in chunks. Like a dataset over files, a `ChunkDataset` supports shuffles,
shards, epochs, checkpoints, `on_error`, and tensors that worker threads build. The thread that requests
batches calls `read_chunk`.

Args:
    source: A `ChunkSource`, or a list of them that is read in order.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. None: the columns that the tensors need.
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
    >>> batches = dataset.tensors(batch_size=32, shuffle_buffer_size=500, seed=7, threads=4)"#
    };
    (CsvDataset) => {
        r#"A dataset over CSV files: a source of record batches and tensors for training.

A record ends with `\n`, `\r` or `\r\n`. A cell may be quoted. In a quoted cell, delimiters and line ends
are ordinary characters, and a quote is written twice. In a cell that does not start with a quote, a quote
is an ordinary character. A UTF-8 byte order mark at the start of a file is skipped. The files may be
compressed with gzip; the dataset detects the compression from the first bytes. One thread reads a
compressed file from its start.

The records that start in the same 256 KiB of a file form a block, which is the unit of shuffling and of
parallel decoding. `on_error="skip_block"` skips only the invalid record. To find the first record after a
byte offset, the dataset reads the file from its start, because the preceding quotes decide whether a line
end ends a record.

The constructor reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.csv`), a URL (S3, Google Cloud Storage, Azure, HTTP and
        HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list of
        these. Files are read in the order of the list; the files of a glob or a directory are sorted by
        name. All files must have the same columns in the same order.
    schema: An Arrow schema of the columns that can be read, in any order. The files may have further
        columns. Supported types are booleans, numbers, decimals, dates, times, timestamps, `string` and
        `string_view`. None: all columns, each with the first of the types int64, float64 and string that
        fits all its cells; the constructor reads all files to infer the types. A column with an integer
        that does not fit into int64 has the type string, and a column of only empty cells has the type
        null.
    sample: Without `schema`: number of records, from the first one on, from which the types are inferred,
        at least 1. A later cell of another type raises an error when it is read. None: all records.
    skip_lines: Number of lines to skip at the start of each file, before the header, whatever they
        contain. These lines end with `\n`.
    header: Whether the first record of each file is a header with the names of the columns. With `names`,
        this record is skipped.
    names: The names of all columns, in order. None: the names in the header; without a header, the names
        in `schema`; without both, `column_1`, `column_2` and so on.
    delimiter: The ASCII character between cells.
    quote: The ASCII character around quoted cells.
    escape: The ASCII character that makes the next character of a quoted cell an ordinary one. None: no
        such character.
    skip_blank_lines: Whether to skip empty lines. False: an empty line is a record whose cells are all
        null.
    nulls: Texts of cells that are null, whether the cell is quoted or not. They replace the default, the
        empty text. None: `[""]`.
    multivalent_columns: Names of columns whose cells have several values. The types of these columns are
        lists, also in `schema`. In another column of a list type, each cell becomes a list of one value.
        Requires `secondary_delimiter`. None: no such columns.
    secondary_delimiter: The ASCII character between the values of a cell in `multivalent_columns`. Such a
        cell is split like a record, so a value may be quoted. Requires `multivalent_columns`.
    raw: Whether to read each record as bytes, without the line end, into the single column `record` of
        type large_binary. `schema`, `sample` and `names` then have no effect.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. The cells of other columns are not parsed. None: the
        columns that the tensors need.
    limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the header,
        `decoded_block_bytes` a record, `batch_bytes` a batch. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. None: a shuffled or sharded iteration
        first reads the files to find the ends of the records.
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
    FormatError: The first file has no record from which to take the columns, or `index` is not an index.
    CorruptBlockError: Without `schema`, a record has the wrong number of cells, or is not valid UTF-8.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: A column is not in the files, CSV does not support the type of a column, two columns have
        the same name, or the columns of a file differ from those of the first file.
    RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
        name the tensor and its column.
    LimitError: A record or the number of columns exceeds `limits`.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.CsvDataset("part-*.csv", columns=["age", "label"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["age"].values, tensors["label"].values)"#
    };
    (Dataset) => {
        r#"A dataset over files of one format: a source of record batches and tensors for training.

This is the base class of `AvroDataset` and of the datasets of other formats; it has no constructor.
Worker threads start when an iterator is asked for its first batch. Datasets can be pickled; the copy
opens the files again, and has the same columns without inferring them again.

Example:
    >>> dataset = arrowfeed.ParquetDataset("part-*.parquet")
    >>> isinstance(dataset, arrowfeed.Dataset)
    True"#
    };
    (Dataset._known_num_batches) => {
        r#"Like `num_batches`, but without a long scan of the files. None: unknown or endless."#
    };
    (Dataset.arrow_schema) => {
        r#"The schema of the record batches: the columns that are read."#
    };
    (Dataset.explain) => {
        r#"Explains which columns are read and, for each tensor, which memory is shared with the batch, which
is copied, and why.

Example:
    >>> print(dataset.explain())
    2 files, columns: x
    x: dense float32 [?, 2]
      values: shared"#
    };
    (Dataset.fingerprint) => {
        r#"Fingerprint of the dataset: 16 hexadecimal digits.

The fingerprint depends on the names and sizes of the files, on `arrow_schema`, and on the rows that
`take`, `skip` and `split` have selected.

Raises:
    OSError: A file cannot be found."#
    };
    (Dataset.num_batches) => {
        r#"Returns the number of batches that `record_batches` and `tensors` yield with the same options.

The first call reads the files as `num_rows` does. The number includes the rows that `on_error` skips.

Args:
    batch_size: Number of rows of a batch. `record_batches` explains the options in full.
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
    (10000, 10)"#
    };
    (Dataset.num_rows) => {
        r#"Number of rows of the dataset, without decoding a row.

The first access opens every file and reads block headers, footers or record lengths; it reads text
files and compressed files completely. Later accesses return the same number.

Raises:
    OSError: A file cannot be read.
    FormatError: A file does not have the format, or it ends inside a block."#
    };
    (Dataset.plan_splits) => {
        r#"Plans splits of about equal size over the files, in file order, for distributed workers.

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
    2000"#
    };
    (Dataset.project) => {
        r#"Returns a dataset of some of the tensors, in the order of `names`.

The new dataset reads only the columns of these tensors. The specs of the tensors, the rows and their
order stay the same.

Args:
    names: Names of tensors.

Raises:
    RepresentationError: A name is unknown.
    TypeError: `names` is not a list of str.

Example:
    >>> dataset.project(["name.first"]).arrow_schema"#
    };
    (Dataset.read_split) => {
        r#"Reads one split of the files as Arrow record batches, in the calling thread.

The batches have the columns of the dataset. `tensor_adapter().convert(batch)` converts a batch to
tensors.

Args:
    split: A split from `plan_splits` of this dataset or of its copy in another process.
    claim: A function that the reader calls with the offset of each chunk (an Avro block, a Parquet
        row group) before it reads the chunk, as in `arrowfeed.read_split`. If the function returns
        False, the reader stops before the chunk. None: all chunks are read.
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
    ChangedError: The split was planned for another file, or the file ends before the split starts.
    ArrowfeedError, OSError: As in the iteration over `record_batches`.
    TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a
        bool.
    ValueError: An argument has an invalid value.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> rows = 0
    >>> for split in dataset.plan_splits(target_bytes=1 << 20):
    ...     rows += sum(batch.num_rows for batch in dataset.read_split(split, batch_size=1024))"#
    };
    (Dataset.record_batches) => {
        r#"Iterates over batches of exactly `batch_size` rows; the last batch of an epoch may be shorter.

The files and the options determine the batches; `threads` and `prefetch_bytes` affect only speed and
memory. Files are opened when they are needed. A shuffled or sharded iteration first reads the block
headers of all files.

Args:
    batch_size: Number of rows of a batch, at least 1.
    drop_remainder: Drops the last batch of an epoch if it has fewer rows.
    epochs: Number of passes over all rows, at least 1. None: endless.
    across_epochs: Whether to fill the last batch of an epoch with the first rows of the next epoch,
        so that only the very last batch may be shorter. False: no batch has rows of two epochs.
    start_epoch: Number of the first epoch, from 0. The order of a shuffle depends on the number of
        the epoch. `epochs=2, start_epoch=3` iterates over the epochs 3 and 4.
    shuffle_buffer_size: Minimum number of rows that are shuffled together. 0: file order.
    seed: Seed of the shuffle, 0 to 2**64 - 1. Without `shuffle_buffer_size` it has no effect and
        Python warns, except in a mixture. None: a random seed of each iterator; its checkpoints
        contain it. A shuffle in shards requires a seed, which must be the same for all shards.
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
    progress: Whether to show a tqdm progress bar that counts the rows. The bar has a total if the
        number of rows is known without a long scan of the files. Closing the iterator closes the bar.

Raises:
    ValueError: An option has an invalid value.
    TypeError: An option has the wrong type, is missing or is unknown.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> [batch.num_rows for batch in dataset.record_batches(batch_size=1000)]
    [1000, 1000, 500]"#
    };
    (Dataset.report) => {
        r#"Sums the counts of all iterations of this process over the dataset, with the skipped parts.

The iterations of `to_tf`, `to_torch` and `to_jax` count too. A dataset and the datasets that
`project`, `take`, `skip` and `split` make of it have one sum in common. A mixed dataset has a sum of
its own. `skipped` lists each skipped part once. The rows of a loaded checkpoint are not counted,
because another iteration has read them; its skipped parts are listed. `read_split` is not counted.

Other processes, such as the workers of a `DataLoader`, have sums of their own, and a pickled dataset
begins with zeros. Each process warns with a `SkippedWarning` of the first skipped part of each file.

Returns:
    A dict as that of `BatchIterator.report`.

Example:
    >>> model.fit(dataset.to_tf(batch_size=64, on_error="skip_block"), shuffle=False)
    >>> [part["error"] for part in dataset.report()["skipped"]]
    ['part-3.avro: block 7 at byte 81207: expected a sync marker, found other bytes']"#
    };
    (Dataset.save_index) => {
        r#"Writes an index of the files: the identity of each file and the positions of its blocks.

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
    2000"#
    };
    (Dataset.skip) => {
        r#"Returns a dataset of the rows after the first `count` rows, in file order.

An iteration first reads the block headers of all files. It does not decode the blocks before the
first row of the result. See `take`.

Args:
    count: Number of rows, at least 0.

Raises:
    ValueError: `count` is negative.
    TypeError: `count` is not an int.

Example:
    >>> dataset.num_rows, dataset.skip(100).num_rows
    (10000, 9900)"#
    };
    (Dataset.specs) => {
        r#"Specs of the tensors by name, known before any batch is read."#
    };
    (Dataset.split) => {
        r#"Divides the rows at random into two datasets, for example for training and for tests.

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
    (9010, 990)"#
    };
    (Dataset.take) => {
        r#"Returns a dataset of the first `count` rows, in file order, or of all rows if there are fewer.

An iteration in file order stops after these rows. A shuffled or sharded iteration first reads the
block headers of all files, and shuffles or divides only these rows. `take` and `skip` can be
combined: `dataset.skip(10).take(5)` has the rows 10 to 14. The result does not support `plan_splits`.
An iteration over a `MixedDataset` after `take` or `skip` raises an error.

Args:
    count: Number of rows, at least 0.

Raises:
    ValueError: `count` is negative.
    TypeError: `count` is not an int.

Example:
    >>> dataset.take(100).num_rows
    100"#
    };
    (Dataset.tensor_adapter) => {
        r#"Returns the adapter that converts the record batches to tensors."#
    };
    (Dataset.tensor_representations) => {
        r#"Definitions of the tensors by name: representations, or the features that were passed."#
    };
    (Dataset.tensors) => {
        r#"Iterates over the batches of `record_batches`, each as a dict of tensors in the order of `specs`.

The first dimension of each tensor is the batch dimension.

Args:
    batch_size: Number of rows of a batch. `record_batches` explains all options.
    drop_remainder: Drops the last batch of an epoch if it has fewer rows.
    epochs: Number of passes over all rows. None: endless.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together. 0: file order.
    seed: Seed of the shuffle. None: random.
    shard: The index of this shard and the number of shards, or "auto", as in `record_batches`.
    threads: Number of decoding threads.
    prefetch_bytes: Maximum size in bytes of the prefetched rows.
    on_error: How to handle blocks that cannot be read. Rows that do not fit a tensor always raise an
        error.
    progress: Whether to show a tqdm progress bar that counts the rows. The bar has a total if the
        number of rows is known without a long scan of the files. Closing the iterator closes the bar.

Raises:
    ValueError: An option has an invalid value.
    TypeError: An option has the wrong type, is missing or is unknown.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> tensors = next(dataset.tensors(batch_size=32, epochs=None, shuffle_buffer_size=10_000))
    >>> tensors["x"].shape
    (32, 2)"#
    };
    (Dataset.to_jax) => {
        r#"Returns an iterator over dicts of JAX arrays. Imports JAX.

The elements are those of `tensors`, converted by `arrowfeed.jax.to_jax`. The iterator has the methods
`state_dict()`, `load_state_dict(state)`, `report()` and `close()` of `BatchIterator`, and its `len`.

Args:
    batch_size: Number of rows of a batch. `record_batches` explains the options in full.
    drop_remainder: Drops the last batch of an epoch if it has fewer rows, so that a compiled function
        sees one batch size.
    epochs: Number of passes over all rows.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together.
    seed: Seed of the shuffle.
    shard: The index of this shard and the number of shards, or "auto", as in `record_batches`.
    threads: Number of decoding threads.
    prefetch_bytes: Maximum size in bytes of the prefetched rows.
    on_error: How to handle blocks that cannot be read.

Raises:
    ImportError: JAX is not installed.
    ValueError: An option has an invalid value.
    TypeError: An option has the wrong type or is missing.

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
    drop_remainder: Drops the last batch of an epoch if it has fewer rows, so that all batches have
        the size that the `element_spec` states.
    epochs: Number of passes over all rows in one iteration.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
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
    label: Name of the label tensor, or a sequence of names. Each element is then a pair, which
        `model.fit` expects: a dict of the other tensors, and the label (for a sequence of names, a
        dict of the labels). None: each element is a dict of all tensors.

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
    >>> model.fit(batches, epochs=3, shuffle=False)  # the dataset shuffles, not Keras"#
    };
    (Dataset.to_torch) => {
        r#"Returns a `torch.utils.data.IterableDataset` of dicts of PyTorch tensors. Imports PyTorch.

The elements are those of `tensors`, converted by `arrowfeed.torch.to_torch`. Each element is a whole
batch, so a `DataLoader` needs `batch_size=None`. The rows are divided among the workers of a
`DataLoader` and, if `torch.distributed` is initialised, among the ranks. The sizes of the parts
differ by at most one row, so one rank may have one batch more than another. Train for a fixed number
of steps, or use `DistributedDataParallel.join()`. The result has no `len`, because the number of
batches depends on the number of workers.

If you set a seed, call `set_epoch(epoch)` on the result before each pass. The methods `state_dict()`
and `load_state_dict(state)` make and load checkpoints; torchdata's `StatefulDataLoader` calls them in
each worker. The result can be pickled.

Args:
    batch_size: Number of rows of a batch. `record_batches` explains the options in full.
    drop_remainder: Drops the last batch of each worker if it has fewer rows.
    epochs: Number of epochs in one pass.
    across_epochs: Whether a batch may have rows of two epochs.
    start_epoch: Number of the first epoch, from 0.
    shuffle_buffer_size: Minimum number of rows that are shuffled together.
    seed: Seed of the shuffle. None: a random seed for each pass; not allowed with several shards.
    shard: The index of the shard of this process and the number of shards; the workers of the process
        divide the shard. "auto": as in `record_batches`, when this method is called. Default: the
        rank and the number of ranks of `torch.distributed`.
    threads: Number of decoding threads. None: one in a worker, otherwise one per core.
    prefetch_bytes: Maximum size in bytes of the prefetched rows, in each worker.
    on_error: How to handle blocks that cannot be read.

Raises:
    ImportError: PyTorch is not installed.
    ValueError: An option has an invalid value.
    TypeError: An option has the wrong type or is missing.

Example:
    >>> rows = dataset.to_torch(batch_size=1024, shuffle_buffer_size=10_000, seed=7)
    >>> for batch in torch.utils.data.DataLoader(rows, batch_size=None, num_workers=2):
    ...     train(batch["x"])"#
    };
    (Dense) => {
        r#"A dense tensor `[batch, *shape]`: all rows have the same shape.

A row of the column is a flat list with as many values as the shape has elements, or is nested like the
shape.

Args:
    column: A column of values, lists, fixed-size lists, or nested lists.
    shape: Sizes of the dimensions after the batch. `()`: one value per row.
    default: The value for null rows: an int for integer columns (0, 1, False or True for bools), a float
        for floating-point columns, bytes or str for byte strings. None: a null row is an error.
    pad: Whether to pad rows that are too short, including empty rows, with `default`.

Raises:
    RepresentationError: `pad` is True and `default` is None, or the shape has more than 2^63 elements.
    ValueError: A size is negative.
    TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.Dense("pixels", [28, 28], default=0.0)
    Dense('pixels', (28, 28), default=0.0)"#
    };
    (Dense.column) => {
        r#"The column."#
    };
    (Dense.default) => {
        r#"The value for null rows. None: a null row is an error."#
    };
    (Dense.pad) => {
        r#"Whether short rows are padded."#
    };
    (Dense.shape) => {
        r#"Sizes of the dimensions after the batch."#
    };
    (DenseTensor) => {
        r#"A dense tensor, with the batch dimension first.

`numpy.asarray(tensor)` returns a read-only view; `torch.from_dlpack(tensor)` and similar functions share
the memory of the tensor. Tensors can be pickled; a pickle contains a copy.

Args:
    values: An object that numpy converts to an array of numbers, bools, bytes or str. The constructor
        copies the values; a `TensorAdapter` makes tensors without a copy.

Raises:
    ValueError: The values have a type that tensors do not support.
    TypeError: A value is neither a number, a bool, bytes nor a str.

Example:
    >>> tensor = adapter.convert(batch)["x"]
    >>> tensor.shape, tensor.dtype
    ((1024, 128), dtype('float32'))"#
    };
    (DenseTensor.__array__) => {
        r#"Implements `numpy.asarray` and `numpy.array`.

Raises:
    ValueError: `copy` is False, and the values must be converted."#
    };
    (DenseTensor.__dlpack__) => {
        r#"Returns a DLPack capsule, as specified by the Python array API standard.

Args:
    stream: Must be None, because CPU memory has no stream.
    max_version: (1, 0) or later: a versioned capsule, which marks the memory as read-only. Otherwise:
        an unversioned capsule without this mark, so the consumer must not write to the memory.
    dl_device: (1, 0), the CPU.
    copy: True: a writable copy, aligned to 64 bytes. False: no copy, or an error. None: copies bools
        and, for an unversioned capsule, memory that is not aligned to 64 bytes. (TensorFlow requests
        unversioned capsules.)

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
        r#"Returns the byte strings, joined by a byte that none of them contains, and this byte.

Some libraries split one string faster than they convert many `bytes` objects. The result is None if
each of the 256 bytes occurs in the values, if the values have more than 256 bytes on average, or if
they are not byte strings."#
    };
    (DenseTensor.numpy) => {
        r#"Returns `values`."#
    };
    (DenseTensor.shape) => {
        r#"Sizes of all dimensions, with the batch dimension first."#
    };
    (DenseTensor.values) => {
        r#"Read-only array of shape `[*shape]`, which shares the Arrow buffer if the layouts are the same.

Bools, which are bits in Arrow, are converted to bytes on first use. Byte strings are converted to
`bytes` objects on first use; `arrow` returns them without this conversion. The array keeps the shared
memory alive."#
    };
    (ExampleDataset) => {
        r#"A dataset over TFRecord files of `tf.Example` messages.

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
    encoding: The Arrow types of features. `"tfx"`: the types above. `"feature"`: `list` instead of
        `large_list`, and binary instead of large_binary, as in `read_avro` with this encoding.
    limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
        `batch_bytes` a batch. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. None: shuffles and shards read the
        lengths of the records first.
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
    ...     train(tensors["id"].values)"#
    };
    (ExampleRecordDecoder) => {
        r#"Decodes `tf.Example` messages without a file, such as messages of a queue, into record batches.

Each feature is a column of type `large_list` of int64, float or large_binary, with a null for each record
without the feature. A decoder can be pickled, and several threads may share it.

Args:
    schema: The features: a dict of names to `"int64"`, `"float"`, `"bytes"`, or `"null"` for a feature
        that never has a list, or a `tensorflow.metadata.v0.Schema` or its bytes. None: each batch has the
        features of its own records, sorted by name; a feature without a list of values in any of these
        records becomes a column of nulls.
    encoding: The Arrow types of features; see `ExampleDataset`.

Raises:
    RepresentationError: `schema` has a feature of an unsupported type, or its bytes are not a schema.
    ValueError: The encoding is unknown.
    TypeError: An argument has the wrong type.

Example:
    >>> decoder = arrowfeed.ExampleRecordDecoder({"id": "int64"})
    >>> messages = arrowfeed.encode_examples(pyarrow.record_batch({"id": [7, 8]}))
    >>> decoder.decode(messages).to_pyarrow()["id"].to_pylist()
    [[7], [8]]"#
    };
    (ExampleRecordDecoder.decode) => {
        r#"Decodes messages into a batch, and releases the GIL meanwhile.

Args:
    records: Messages, each of which becomes a row.

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
`\r\n`. For an object without a key, the column of this key is null. A UTF-8 byte order mark at the start
of a file is skipped. The files may be compressed with gzip; the dataset detects the compression from the
first bytes. One thread reads a compressed file from its start.

The records that start in the same 256 KiB of a file form a block, which is the unit of shuffling and of
parallel decoding. `on_error="skip_block"` skips only the invalid record.

The constructor reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.jsonl`), a URL (S3, Google Cloud Storage, Azure, HTTP and
        HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list of
        these. Files are read in the order of the list; the files of a glob or a directory are sorted by
        name.
    schema: An Arrow schema of the columns; other keys are ignored. In a string column, a number or a
        boolean becomes its text. A number with a fraction or an exponent is not an integer. None: the
        keys of all records, sorted by name, with types that can represent all their values: bool, int64,
        float64, string, lists and structs; the constructor reads all files to infer these types.
    sample: Without `schema`: number of records, from the first one on, from which the types are inferred,
        at least 1. A later value of another type raises an error when it is read, and a later new key is
        ignored. None: all records.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. None: the columns that the tensors need.
    limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
        `batch_bytes` a batch, `skipped_depth` the nesting of a record; without `schema`, `schema_depth`
        and `expanded_fields` bound the inferred types. None: `Limits()`.
    index: As in `CsvDataset`.
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
    FormatError: `index` is not an index.
    CorruptBlockError: Without `schema`, a line is not a JSON object.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: A column does not exist, or JSON does not support the type of a column. Without `schema`:
        the values of a key have incompatible types, or no record has any key.
    RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
        name the tensor and its column.
    LimitError: A record or the number of keys exceeds `limits`.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.JsonLinesDataset("part-*.jsonl", columns=["id", "scores"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["id"].values)"#
    };
    (Limits) => {
        r#"Upper bounds on the resources that one file may use. If a file exceeds a bound, `LimitError` names it.

The bounds hold even if a file declares wrong sizes or counts. Limits can be compared and pickled.

Args:
    header_bytes: Bytes of the file header, including its metadata. Default 16 MiB.
    schema_bytes: Bytes of the schema's JSON text. Default 4 MiB.
    schema_depth: Nesting depth of types in a schema. Default 64, at most 128.
    expanded_fields: Number of Arrow fields that a schema may expand to. Default 100,000.
    decoded_block_bytes: Bytes of one block, both on disk and after decompression. Default 256 MiB.
    skipped_depth: Nesting depth of skipped values of a recursive type, and of the values of a JSON line.
        Default 100,000.
    zero_byte_elements: Number of elements that take no bytes (such as those of `array<null>`) in one
        record. Default 10 million.
    zero_byte_rows: Number of rows that take no bytes in one block. Default 100 million.
    batch_bytes: Bytes of one record batch. An Avro or Parquet reader ends a batch before it exceeds this
        size; a TFRecord, CSV or JSON lines reader ends a batch after the row that exceeds this size. For
        a dataset without a shuffle, a larger batch is an error. Default 512 MiB.
    zstd_window_bytes: Window size of a zstandard frame in bytes. Default 128 MiB.
    xz_memory_bytes: Memory of the xz decoder in bytes. Default 128 MiB.

Raises:
    ValueError: A value is negative, or `schema_depth` is over 128.
    TypeError: A value is not an integer, or a name is not that of a limit.

Example:
    >>> arrowfeed.read_avro("part-0.avro", limits=arrowfeed.Limits(decoded_block_bytes=16 << 20))"#
    };
    (MixedDataset) => {
        r#"Several datasets whose rows are mixed at random, by weight.

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
    >>> for tensors in mixed.tensors(batch_size=1024, shuffle_buffer_size=10_000, seed=7, epochs=None):
    ...     train(tensors)"#
    };
    (ParquetDataset) => {
        r#"A dataset over Parquet files: a source of record batches and tensors for training.

A row group is the unit of shuffling, of parallel decoding and of `on_error`, like a block of an Avro
file. One thread decodes a row group. Files with row groups of 10,000 to 100,000 rows shuffle well. Only
the pages of the selected columns are read. A column with an Arrow dictionary type becomes a column of its
values.

The constructor reads the footer of the first file, so it raises an error for a wrong file, column or
feature. The constructor also reads file objects into memory, because they can be read only once.

Args:
    source: A path, a glob, a directory (its `*.parquet`), a URL (S3, Google Cloud Storage, Azure, HTTP
        and HDFS; URLs of other schemes need fsspec), the bytes of a file, a binary file object, or a list
        of these. Files are read in the order of the list; the files of a glob or a directory are sorted
        by name.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Field paths to read (`id`, `user.scores`; also through lists), in this order. A map is read
        as a whole. With a `schema`, the paths refer to it. None: the fields that the tensors need.
    schema: The Arrow schema of the batches: a pyarrow schema, or any object with `__arrow_c_schema__`.
        The names match the columns and fields of each file with those of the schema, in any order. A
        column of another type is converted if the conversion is lossless; the page "Parquet" has the
        table of types. A nullable column that a file does not have is null. None: the schema of the first
        file, which all files must have.
    double_as_float: With a `schema`, rounds doubles to floats; those beyond the largest float become
        infinite. False: a column of doubles that the schema declares as floats is an error.
    limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
        `batch_bytes` a batch. None: `Limits()`. The Rust crate `parquet`, which decodes the pages, may
        allocate up to 2 GiB for a page of a damaged file.
    index: Path of an index of these files that `save_index` wrote. With an index, `num_rows`, shuffles
        and shards read no footers in advance. None: footers are read when needed.
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
    FormatError: The first file is not a Parquet file, or `index` is not an index.
    ChangedError: `index` belongs to other files, or the length of a file has changed.
    SchemaError: The columns of the file cannot be converted to Arrow or to `schema`, or a column does not
        exist.
    RepresentationError: A tensor cannot be built from the columns. The attributes `tensor` and `field`
        name the tensor and its column.
    LimitError: The footer exceeds `limits`.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

Example:
    >>> dataset = arrowfeed.ParquetDataset("part-*.parquet", columns=["id", "user.scores"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["id"].values)"#
    };
    (Ragged) => {
        r#"A ragged tensor: one ragged dimension for each list on the path, then one for each partition.

Args:
    path: The path to the values: a column, or the steps from a column through structs (and lists of
        structs) to a field.
    partitions: How to divide the innermost lists, from the outside in. An int: into rows of this length.
        A str: into rows whose lengths are in the column or field of this name, a sibling of the values.
        Ints at the end of the sequence become inner dimensions, which are not ragged.
    row_splits_dtype: The integer type of the row splits: `"int64"` or `"int32"`. An `"int32"` tensor
        shares the offsets of `List` columns.

Raises:
    ValueError: A length is less than 1.
    TypeError: An argument has the wrong type.

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

If there are several row splits, each indexes the rows of the next one, and the last indexes
`flat_values`. Tensors can be pickled.

Args:
    flat_values: An object that numpy converts to an array `[values, *inner]`. The constructor copies
        values and row splits.
    row_splits: Row splits of the ragged dimensions, from the outside in. An int32 array remains int32;
        other arrays are converted to int64.

Raises:
    ConversionError: There are no row splits; or row splits do not start at 0, decrease, or do not end at
        the number of rows of the next level.
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
        r#"Returns the flat values and the row splits as dense tensors, which support DLPack."#
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
        r#"A dataset over the records of TFRecord files, as bytes that are not decoded.

Use it for records that are not `tf.Example` messages, or if you parse the records yourself. The files may
be compressed, as in `ExampleDataset`.

Args:
    source: As in `ExampleDataset`.
    column: The name of the column, which has the type large_binary.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`. If you pass neither argument, the tensor is `Dense`, with one
        byte string per row.
    limits: `decoded_block_bytes` bounds a record, `batch_bytes` a batch. None: `Limits()`.
    index: As in `ExampleDataset`.
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
    ...     parse(batch.to_pyarrow()["record"].to_pylist())"#
    };
    (RecordBatch) => {
        r#"A batch of rows: columns of equal length.

Any Arrow library accepts a batch without a copy: `pyarrow.record_batch(batch)`.

Example:
    >>> batch = next(arrowfeed.read_avro("part-0.avro"))
    >>> batch.num_rows, batch.schema.names
    (8192, ['id', 'name'])"#
    };
    (RecordBatch.__getitem__) => {
        r#"Returns the column with the given name, as `column` does.

Raises:
    KeyError: No column has this name.
    TypeError: The name is not a string."#
    };
    (RecordBatch.column) => {
        r#"Returns the column with the given name.

Args:
    name: Name of a top-level column. If several columns have this name, the first one is returned.

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

Columns of types that polars lacks are converted to an equal type: decimals of 256 bits with at most
38 digits, list views, run-end encoded values, and lists and bytes of the fixed size 0.

Raises:
    SchemaError: polars has no type for a column, such as a union, an interval or a decimal of more
        than 38 digits. `field` is its path.
    ImportError: polars is not installed."#
    };
    (RecordBatch.to_pyarrow) => {
        r#"Converts the batch to a `pyarrow.RecordBatch` without a copy.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (RecordBatchReader) => {
        r#"An iterator over the record batches of files, in file order.

`read_avro` and the other read functions create it. Iterate over the reader, or pass it to an Arrow
library once: `pyarrow.table(reader)`, `polars.DataFrame(reader)`, `duckdb.from_arrow(reader)`. Any number
of threads may iterate; each batch goes to one of them. If a file is damaged, the reader first returns the
rows before the damage, then raises the error, and then ends.

A reader belongs to the process that created it: after a fork, the child must create its own reader.

Example:
    >>> with arrowfeed.read_avro("part-*.avro") as reader:
    ...     for batch in reader:
    ...         print(batch.num_rows)
    8192
    1808"#
    };
    (RecordBatchReader.__arrow_c_stream__) => {
        r#"Returns a capsule of an `ArrowArrayStream`, from which a consumer reads the batches.

After this call, iterating over the reader raises ValueError.

Args:
    requested_schema: A capsule of the schema that the consumer prefers. Values are cast to its types.
        A value that the cast would change is an error, except that floats may be rounded to floats.
        None: the schema of the reader."#
    };
    (RecordBatchReader.__next__) => {
        r#"Returns the next batch.

Raises:
    ArrowfeedError: The file is damaged or invalid; the subclass states the kind of error.
    OSError: The file cannot be read.
    ValueError: The reader is closed, was consumed through `__arrow_c_stream__`, or was created before
        a fork."#
    };
    (RecordBatchReader.close) => {
        r#"Stops reading and waits until the worker threads have ended. A second call does nothing."#
    };
    (RecordBatchReader.report) => {
        r#"Returns the counts of rows, blocks and bytes read so far, and the skipped parts.

The method also works after the last batch, after `close`, and after the reader was passed to another
library. For files in stores, the key `requests` contains the counts of requests.

Example:
    >>> reader.report()
    {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}"#
    };
    (RecordBatchReader.schema) => {
        r#"The schema of all batches. All files of a reader have the same schema."#
    };
    (RecordBatchReader.to_pandas) => {
        r#"Reads the remaining rows into a `pandas.DataFrame`, with `pyarrow.Table.to_pandas`.

The reader is then consumed.

Raises:
    ArrowfeedError, OSError, ValueError: As in `to_pyarrow`.
    ImportError: pyarrow or pandas is not installed."#
    };
    (RecordBatchReader.to_polars) => {
        r#"Reads the remaining rows into a `polars.DataFrame`. The reader is then consumed.

Columns of types that polars lacks are converted as in `RecordBatch.to_polars`.

Raises:
    SchemaError: polars has no type for a column, such as a union, an interval or a decimal of more
        than 38 digits. `field` is its path. The reader is not consumed.
    ArrowfeedError, OSError: As in an iteration. The rows before the error are dropped.
    ValueError: The reader is closed or already consumed.
    ImportError: polars is not installed."#
    };
    (RecordBatchReader.to_pyarrow) => {
        r#"Reads the remaining rows into a `pyarrow.Table`. The reader is then consumed.

To read batch by batch, use `pyarrow.RecordBatchReader.from_stream(reader)`.

Raises:
    ArrowfeedError, OSError: As in an iteration. The rows before the error are dropped.
    ValueError: The reader is closed or already consumed.
    ImportError: pyarrow is not installed.

Example:
    >>> arrowfeed.read_avro("part-*.avro").to_pyarrow().num_rows
    10000"#
    };
    (Representation) => {
        r#"The base class of representations, each of which defines how columns become a tensor.

A column is named `"x"`, and a field of a struct `"user.age"`; a column whose name is `user.age` takes
precedence. Representations are immutable, and can be hashed and pickled. Two representations are equal if
their attributes have the same values and types, so a default of 0 differs from a default of 0.0. A field
that a message does not set has its default value, so the representation equals one for which this value
was passed."#
    };
    (Representation.from_proto) => {
        r#"Creates a representation from a message.

Args:
    data: The bytes of a `tensorflow.metadata.v0.TensorRepresentation`, the message itself, or the
        result of `to_proto`. Unknown fields are ignored. If the message does not set the type of the
        row splits, the type is int64; if it does not set a shape, the shape is `()`.

Raises:
    RepresentationError: The bytes are not a message, or the message is empty or invalid.

Example:
    >>> arrowfeed.Representation.from_proto(arrowfeed.VarLenSparse("tags").to_proto())
    VarLenSparse('tags')"#
    };
    (Representation.to_proto) => {
        r#"Serializes the representation to the bytes of a message.

For the result of `from_proto`, the message has the same fields as the original one, without unknown
fields. For a ragged tensor that `representations_from_tfmd` infers, the message sets no type of the
row splits, as in tfx_bsl. For any other representation, the message sets the shape and this type.

For `Dense` (without `pad`), `VarLenSparse`, `Sparse` and `Ragged`, the message is a
`tensorflow.metadata.v0.TensorRepresentation`. TensorFlow Metadata has no messages for the other
representations; only `from_proto` can read their bytes."#
    };
    (Schema) => {
        r#"The names and Arrow types of columns.

Any Arrow library accepts a schema: `pyarrow.schema(schema)`.

Two schemas are equal if their names, types, nullability and metadata are equal. Schemas can be pickled.

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
    encoding: As in `ExampleDataset`. `"feature"` also wraps the struct in a list of one element.
    limits: As in `ExampleDataset`.
    index: As in `ExampleDataset`.
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
        records, sorted by name. A context feature without a list of values in any record becomes a column
        of nulls. If no step of a feature list has a list of values, all steps are null. The struct exists
        if any record has a feature list, even an empty one.
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
        r#"Decodes messages into a batch, and releases the GIL meanwhile.

Args:
    records: Messages, each of which becomes a row.

Raises:
    CorruptBlockError: A record is not a message, or a feature has values of another type.
        `error.record` is the number of the record, `error.field` the feature."#
    };
    (SequenceExampleRecordDecoder.schema) => {
        r#"The schema of every batch. None: each batch has its own schema."#
    };
    (Sparse) => {
        r#"A sparse tensor `[batch, *dense_shape]` from index columns and a value column.

In each row, all columns must have the same number of entries.

Args:
    index_columns: One column of integer lists for each dimension.
    value_column: A column of lists.
    dense_shape: Sizes of the dimensions after the batch. -1 or None: the largest index of the batch plus
        1.
    already_sorted: Whether the entries of each row are already sorted by their indices. True: the adapter
        neither sorts the entries nor checks their order.

Raises:
    RepresentationError: The number of sizes differs from the number of index columns.
    ValueError: A size is less than -1.
    TypeError: An argument has the wrong type.

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
        r#"A sparse tensor: the coordinates and values of its stored elements, row by row.

Elements that are not stored are zero or empty. Tensors can be pickled.

Args:
    indices: Coordinates `[values, rank]`, with the row (the batch dimension) first. The constructor
        copies indices and values.
    values: An object that numpy converts to an array `[values]`.
    dense_shape: Sizes of all dimensions, with the batch dimension first.

Raises:
    ConversionError: An index is outside its dimension.
    ValueError: The arguments contradict each other.
    TypeError: An argument has the wrong type.

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
        r#"Read-only coordinates `[values, rank]`, with the row (the batch dimension) first."#
    };
    (SparseTensor.parts) => {
        r#"Returns the indices and the values as dense tensors, which support DLPack."#
    };
    (SparseTensor.to_scipy) => {
        r#"Converts a tensor of rank 2 to a `scipy.sparse.coo_array`, which shares the values.

Raises:
    ValueError: The tensor has another rank.
    TypeError: The values are byte strings.
    ImportError: scipy is not installed."#
    };
    (SparseTensor.values) => {
        r#"Read-only values `[values]`, which share the Arrow buffer if the layouts are the same."#
    };
    (Split) => {
        r#"A byte range of a file that one worker reads.

Splits can be pickled and hashed, and are ordered by path, start and end. A split from `plan_splits`
contains the identity of its file: the length and a fingerprint, which is the sync marker of an Avro file
or a checksum of the footer of a Parquet file. Reading the split raises `ChangedError` if either has
changed, so no row is lost without an error. A copy of a file has the same identity.

A chunk is an Avro block or a Parquet row group. A chunk belongs to the range that contains its offset.
Adjacent ranges that cover a file therefore contain each chunk exactly once, wherever the cuts are. The
offset of an Avro block is the byte right after the preceding sync marker; the offset of a Parquet row
group is the first byte of its pages.

Args:
    path: Path of the file.
    start: Offset of the first byte.
    end: Offset of the byte after the last byte, at least `start`.
    file_id: The `file_id` of a planned split, which the file must match. None: any file that does not end
        before `start`. Comparisons of splits ignore the `file_id`.

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
        r#"Path or URL of the file. A relative path stays relative."#
    };
    (Split.start) => {
        r#"Offset of the first byte."#
    };
    (Structured) => {
        r#"A structured tensor of several columns, nested like the columns.

The fields of one list of structs share their row splits.

Args:
    columns: Names of columns. A struct is included with all its fields.
    row_splits_dtype: The integer type of the row splits: `"int64"` or `"int32"`. An `"int32"` tensor
        shares the offsets of `List` columns.

Raises:
    RepresentationError: There are no columns.
    TypeError: An argument has the wrong type.

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
        r#"A structured tensor: named tensors with the same number of rows.

Tensors can be pickled; a pickle contains a copy.

Args:
    fields: The tensors by name.
    row_splits: Arrays of integers: the outer row splits that all tensors share, from the outside in.
    rows: Number of rows of the batch. None: the number of rows of the row splits or, without row splits,
        of the first field.

Raises:
    ConversionError: The fields have different numbers of rows or different row splits.
    TypeError: An argument has the wrong type.

Example:
    >>> tensor = adapter.convert(batch)["user"]
    >>> tensor.fields
    {'age': <arrowfeed.DenseTensor int64 [1024]>, 'id': <arrowfeed.DenseTensor bytes [1024]>}"#
    };
    (StructuredTensor.fields) => {
        r#"The tensors, in the order of the columns."#
    };
    (StructuredTensor.row_splits) => {
        r#"The outer row splits that all fields share, from the outside in. Empty: each row is one struct."#
    };
    (TensorAdapter) => {
        r#"Converts record batches of one schema to tensors.

The constructor compiles the representations; a representation that does not fit the schema is an error.
`convert` checks each row of a batch. Any number of threads may share an adapter. Adapters can be pickled.

Args:
    schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema,
        batch, table or reader of any Arrow library.
    representations: Dict of tensor names to `Representation` objects, or to `TensorRepresentation`
        messages of TensorFlow Metadata or their bytes.
    inner_nulls: How to treat null values inside a list: `"error"` raises, `"fill"` replaces them with the
        default value of the representation, or with 0, False or `b""` if it has no default.
    duplicates: How to treat two entries of a sparse tensor with the same coordinates: `"keep"` or
        `"error"`.
    limits: A `Limits`, of which only `batch_bytes` is used: it bounds the memory of a tensor that is
        built from a dictionary-encoded column (such as an Avro enum), because the tensor stores a value
        for each row, not an index. None: `Limits()`.

Raises:
    RepresentationError: A representation is invalid or does not fit the schema. The attributes `tensor`
        and `field` name the tensor and its column.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

Example:
    >>> representations = {"x": arrowfeed.Dense("x", [2]), "t": arrowfeed.VarLenSparse("t")}
    >>> adapter = arrowfeed.TensorAdapter(reader.schema, representations)
    >>> adapter.convert(next(reader))
    {'x': <arrowfeed.DenseTensor float32 [8, 2]>, 't': <arrowfeed.SparseTensor int64 [8, 5], 21 stored>}"#
    };
    (TensorAdapter.convert) => {
        r#"Converts a batch to a dict of tensors, in the order of the representations or of `names`.

The conversion releases the GIL, unless the batch is small. A tensor keeps alive the memory that it
shares with the batch. The adapter does not read columns that no tensor needs.

Args:
    batch: An object with `__arrow_c_array__`, or with an `__arrow_c_stream__` that yields exactly one
        batch (such as a data frame of one chunk). Its columns must be in the order of the schema;
        columns that no tensor needs may have other names and types.
    names: Names of the tensors to convert. None: all.

Raises:
    ConversionError: The schema of the batch differs from that of the adapter, a row does not fit its
        tensor, or a name is unknown. The attributes `tensor`, `field` (the column) and `record` (the
        row) give the location.
    LimitError: A tensor that is built from a dictionary-encoded column needs more than `batch_bytes`.
    ValueError: A stream has more than one batch.
    TypeError: An argument has the wrong type.

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
        expression, unless the feature has a `key`. The names of the classes identify features of
        other libraries: `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`,
        `SparseFeature` and `RaggedFeature` of `tf.io`, `VarLenFeatureWithRank` of tensorflow-io,
        `DenseFeature`, `SparseFeature` and `VarlenFeature` of ATDS.
    limits: As in `TensorAdapter`.

Raises:
    RepresentationError: A key is invalid or does not fit the schema, or a feature does not fit its
        key. The attribute `tensor` names the tensor.
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
        r#"The source over which the TensorFlow op iterates: a dataset and its options.

The op finds the source by its key as long as this object exists."#
    };
    (TensorFlowSource.batches) => {
        r#"Returns the batches of a pass for eager code, and the prefix of the op's state.

The state of the op is this prefix, followed by the state of the batches.

Args:
    state: State of the op. Empty: the start of the next pass.

Returns:
    The prefix, and the batches (None: there is nothing to iterate over)."#
    };
    (TensorFlowSource.made_by) => {
        r#"Creates a source that is built at the start of an iteration, from arguments of the graph.

Args:
    key: Key under which the op finds the source.
    make: Function of the arguments. It returns a source, or None if there is nothing to iterate over."#
    };
    (TensorFlowSource.of_records) => {
        r#"Creates a source of the records of a dataset in Avro's binary encoding: one string vector per
batch."#
    };
    (TensorFlowSource.set_next_pass) => {
        r#"Sets the number of the next pass."#
    };
    (TensorSpec) => {
        r#"The properties that all tensors of a representation share.

Specs can be compared, hashed and pickled.

Args:
    kind: `"dense"`, `"sparse"`, `"ragged"` or `"structured"`.
    dtype: The numpy dtype of the values; `object` for byte strings, None for structured tensors.
    shape: Sizes of all dimensions, with the batch dimension first. None: the size differs between batches
        or between rows.
    ragged_rank: Number of ragged dimensions, which follow the batch dimension: at least 1 for a ragged
        tensor, 0 for others.
    row_splits_dtype: The integer type of the row splits. None: `"int64"` for a tensor with row splits.
        Other tensors must have None.
    fields: The fields of a structured tensor, by name. None: the tensor is not structured.

Raises:
    ValueError: The arguments contradict each other.
    TypeError: An argument has the wrong type.

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
        r#"Sizes of all dimensions, with the batch dimension first. None: the size is not fixed."#
    };
    (TensorsToRecordBatch) => {
        r#"Converts tensors to record batches.

A `TensorAdapter` with the `representations` of this converter does the reverse.

| tensor | columns |
|---|---|
| dense | a large list with the values of the row |
| sparse `[batch, size]` | a large list with the values of the row |
| other sparse | a large list of values, and a large list of indices for each dimension |
| ragged | large lists, nested like the row splits; inner dimensions are flattened into the innermost |

Byte strings become large binary. The columns are sorted by the names of the tensors.

Args:
    specs: Dict of tensor names to `TensorSpec` objects, such as `TensorAdapter.specs`.
    sparse_value_column: Column name for the values of a sparse tensor; `{tensor_name}` stands for the
        name of the tensor.
    sparse_index_column: Column name for the indices of a sparse tensor; `{index}` stands for the
        dimension, from 0.
    generic_sparse: Names of sparse tensors `[batch, size]` that are written as indices and values. Other
        sparse tensors of this shape are written as lists without indices. After the conversion back to
        tensors, the entries of a row are at the positions 0, 1, 2, …

Raises:
    RepresentationError: A tensor is structured, is dense with an unknown size, or is ragged with an inner
        dimension of size 0; or two columns have the same name.
    TypeError: An argument has the wrong type.

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
        r#"A ragged tensor: one ragged dimension for each list level of the column, and at least one.

Args:
    column: A column of lists.
    row_splits_dtype: The integer type of the row splits: `"int64"` or `"int32"`. An `"int32"` tensor
        shares the offsets of `List` columns.

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
        r#"A sparse tensor `[batch, longest, ...]` with one dimension for each list level of the column, and at
least one.

A null row has no entries.

Args:
    column: A column of lists.

Example:
    >>> arrowfeed.VarLenSparse("tags")
    VarLenSparse('tags')"#
    };
    (VarLenSparse.column) => {
        r#"The column."#
    };
    (avro_columns) => {
        r#"Returns the Arrow schema of all columns of files with a schema.

Columns of recursive types are the last ones, and have the type list of null.

Args:
    schema: The schema of the files.
    reader_schema: As in `read_avro`.
    string_type: As in `read_avro`.
    unions: As in `read_avro`.
    limits: Upper bounds on the columns. None: `Limits()`.

Raises:
    SchemaError: The schemas do not resolve."#
    };
    (avro_schema) => {
        r#"Reads the schema, codec and metadata from the header of the first file of a source.

Args:
    source: As in `read_avro`. A file object is read from its current position to slightly past the
        header.
    limits: Upper bounds on the header and the schema. None: `Limits()`.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.

Raises:
    OSError: The file cannot be opened.
    FormatError: The file is not an Avro object container file.
    SchemaError: The schema of the file breaks a rule of the Avro specification.
    LimitError: The header or the schema exceeds a limit.

Example:
    >>> schema = arrowfeed.avro_schema("part-0.avro")
    >>> schema.codec, schema.arrow.names
    ('zstandard', ['id', 'name'])"#
    };
    (check_avro) => {
        r#"Checks that one of the files begins with the magic bytes of Avro. Reads only these bytes.

Args:
    source: As in `AvroDataset`.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.
    cache: As in `read_avro`.
    cache_bytes: As in `read_avro`.

Raises:
    OSError: No file can be opened.
    FormatError: The first file begins with other bytes, as do all others."#
    };
    (encode_examples) => {
        r#"Encodes rows as `tf.Example` messages, in the same way as `write_tfrecord`.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
    null_features: Whether to encode a null as a feature without a list, as tfx_bsl does, instead of
        omitting the feature. Readers treat both in the same way.

Raises:
    ConversionError: Features do not support the type of a column, a list has a null value, or an integer
        does not fit into a signed 64-bit integer.
    TypeError: `batches` has neither method.

Example:
    >>> arrowfeed.encode_examples(pyarrow.record_batch({"n": [7]}))[0].hex()
    '0a0c0a0a0a016e12051a030a0107'"#
    };
    (encode_records) => {
        r#"Encodes each row of a batch in Avro's binary encoding, without a file. `arrowfeed` does not export this
function.

Raises:
    SchemaError: A column does not fit the schema."#
    };
    (encode_sequence_examples) => {
        r###"Encodes rows as `tf.SequenceExample` messages.

Each field of the struct `sequence_column` is a feature list: a list of steps, where a step is a list of
values or one value. All other columns are context features, as in `encode_examples`. A null feature list
is omitted; a null step is encoded as a feature without a list.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
    sequence_column: Name of the struct column with the feature lists. If the column does not exist, the
        messages have no feature lists.

Raises:
    ConversionError: Features do not support the type of a column, a list has a null value, an integer
        does not fit into a signed 64-bit integer, or `sequence_column` is not a struct of lists.
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
    OSError: The request fails for another reason than a missing object."#
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

The representations depend only on the schema, not on the data.

Args:
    schema: An object with `__arrow_c_schema__`, or with a `schema` attribute that has it: a schema, batch
        or table of any Arrow library.

Returns:
    Representations by name, in the order of the schema. The attribute `left_out` of this dict contains
    the reason for each field without a representation; the `repr` shows these fields too.

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
    A list of the name and the length of each file (None: the length is unknown), and the bytes.

Raises:
    FileNotFoundError: The file does not exist. Other I/O errors are OSErrors too."#
    };
    (plan_splits) => {
        r#"Plans splits of about equal size over Avro files, in file order. Reads only the headers.

Args:
    source: A path, a glob, a directory (its `*.avro`), a URL, or a list of these.
    target_bytes: Target size of a split in bytes; the last split of a file may be smaller.
    storage_options: As in `read_avro`. The splits do not contain these options.
    store: As in `read_avro`. The splits do not contain the store.

Returns:
    Splits that together contain all rows of the files, in file order. A file without blocks has no split.

Raises:
    OSError: A file cannot be opened.
    FormatError: A file is not an Avro object container file.
    OptionError: Two URLs differ only in their queries, which splits do not contain.
    TypeError: The source contains bytes or file objects, which cannot be split.
    ValueError: `target_bytes` is less than 1.

Example:
    >>> arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
    [Split('part-0.avro', 213, 16777429), Split('part-0.avro', 16777429, 21482911)]"#
    };
    (polars_frame) => {
        r#"Converts columns of a batch to a `polars.DataFrame`, as `RecordBatch.to_polars`.

Args:
    batch: The batch.
    names: Names of the columns, in the order of the result.

Raises:
    SchemaError: polars has no type for a column.
    ValueError: There is no such column.
    ImportError: polars is not installed."#
    };
    (polars_schema) => {
        r#"Returns the `polars.DataType` of each column. None: polars has no type for the column.

Args:
    schema: An Arrow schema.

Raises:
    ImportError: polars is not installed."#
    };
    (read_avro) => {
        r#"Reads Avro object container files as Arrow record batches.

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
    reader_schema: The reader schema. The rules of the Avro specification resolve the values of the file
        to it: promotion, defaults, aliases, enum defaults. None: the schema of the file.
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
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.
    ImportError: A URL needs fsspec or `progress` needs tqdm, and that package is not installed.

Example:
    >>> reader = arrowfeed.read_avro("part-*.avro", columns=["id", "user.scores"], batch_size=1024)
    >>> table = pyarrow.table(reader)"#
    };
    (read_csv) => {
        r#"Reads CSV files as Arrow record batches.

`CsvDataset` describes the format of the records and the compression of the files.

Args:
    source: As in `CsvDataset`. This call reads file objects into memory.
    schema: As in `CsvDataset`. None: all columns, with inferred types.
    sample: As in `CsvDataset`. None: types are inferred from all records.
    skip_lines: Number of lines to skip at the start of each file.
    header: Whether the first record of each file names the columns.
    names: The names of all columns. None: as in `CsvDataset`.
    delimiter: The ASCII character between cells.
    quote: The ASCII character around quoted cells.
    escape: The ASCII character that makes the next character of a quoted cell an ordinary one. None: no
        such character.
    skip_blank_lines: Whether to skip empty lines. False: an empty line is a record whose cells are all
        null.
    nulls: Texts of cells that are null. None: `[""]`.
    multivalent_columns: As in `CsvDataset`.
    secondary_delimiter: As in `CsvDataset`.
    raw: As in `CsvDataset`.
    columns: Names of columns to read, in this order. The cells of other columns are not parsed. None: all
        columns.
    batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
        for many columns, as in `read_avro`.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: As in `CsvDataset`. None: `Limits()`.
    on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a single
        invalid record. `"skip_file"`: skips the rest of the file. `report()` lists the skipped parts.
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
    FormatError: The first file has no record from which to take the columns.
    CorruptBlockError: Without `schema`, a record has the wrong number of cells, or is not valid UTF-8.
    SchemaError: As in `CsvDataset`.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> reader = arrowfeed.read_csv("part-*.csv.gz", columns=["age", "label"])
    >>> table = pyarrow.table(reader)"#
    };
    (read_json_lines) => {
        r#"Reads JSON lines files as Arrow record batches.

Args:
    source: As in `JsonLinesDataset`. This call reads file objects into memory.
    schema: As in `JsonLinesDataset`. None: all keys, with inferred types.
    sample: As in `JsonLinesDataset`. None: types are inferred from all records.
    columns: Names of columns to read, in this order. None: all columns.
    batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
        for many columns, as in `read_avro`.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: As in `JsonLinesDataset`. None: `Limits()`.
    on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a single
        invalid record. `"skip_file"`: skips the rest of the file. `report()` lists the skipped parts.
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
    CorruptBlockError: Without `schema`, a line is not a JSON object.
    SchemaError: As in `JsonLinesDataset`.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> reader = arrowfeed.read_json_lines("part-*.jsonl", columns=["id", "scores"])
    >>> table = pyarrow.table(reader)"#
    };
    (read_parquet) => {
        r#"Reads Parquet files as Arrow record batches.

This call reads the footer of the first file, so it raises an error for a wrong file, column or schema.
The other files are opened when they are needed. A column with an Arrow dictionary type becomes a column
of its values.

Args:
    source: A path, a glob, a directory (its `*.parquet`), a URL,
        the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
    columns: Field paths to read (`"id"`, `"user.scores"`; also through lists), in this order. A map is
        read as a whole. With a `schema`, the paths refer to it. None: all columns.
    schema: The Arrow schema of the batches: a pyarrow schema, or any object with `__arrow_c_schema__`.
        The names match the columns and fields of each file with those of the schema, in any order. A
        column of another type is converted if the conversion is lossless; the page "Parquet" has the
        table of types. A nullable column that a file does not have is null. None: the schema of the first
        file, which all files must have.
    double_as_float: With a `schema`, rounds doubles to floats; those beyond the largest float become
        infinite. False: a column of doubles that the schema declares as floats is an error.
    batch_size: Number of rows of a batch. A batch may be shorter at the end of a row group. None: 8,192,
        or fewer for many columns, as in `read_avro`.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: Upper bounds on the resources that one file may use: `header_bytes` bounds the footer,
        `batch_bytes` a batch. None: `Limits()`.
    on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a row group
        that cannot be read. `"skip_file"`: skips the rest of the file. `report()` lists the skipped
        parts. A value that does not fit the `schema` always raises an error.
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
    FormatError: The first file is not a Parquet file.
    SchemaError: The columns of the first file cannot be converted to `schema`, or a column does not
        exist. While reading: a later file has other columns.
    ConversionError: While reading: a value does not fit the `schema`. The message names the file, row
        group, row and column.
    LimitError: The footer exceeds `limits`.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.large_list(pyarrow.binary())})
    >>> reader = arrowfeed.read_parquet("part-*.parquet", schema=schema)
    >>> table = pyarrow.table(reader)"#
    };
    (read_parquet_split) => {
        r#"Reads the row groups of one split of a Parquet file as Arrow record batches.

A row group belongs to the split that contains the offset of its first page.

Args:
    split: A split from `ParquetDataset.plan_splits`, or a `Split` of any byte range of a file. If the
        split has a `file_id`, the file must match it.
    claim: A function that the reader calls with this offset before each row group, in order, as in
        `read_split`. If the function returns False, the reader stops before the row group. None: all row
        groups are read.
    file: A binary file object to read instead of `split.path`, which is then only a name for messages.
        Position 0 of the object is the first byte of the file. The object must be seekable, and stays
        open. None: the file `split.path`.
    columns: Field paths to read. `read_parquet` explains this option and the following ones in full.
    schema: The Arrow schema of the batches.
    double_as_float: With a `schema`, rounds doubles to floats.
    batch_size: Number of rows of a batch. None: 8,192, or fewer for many columns, as in `read_avro`.
    threads: Has no effect, because the calling thread decodes a split. The option exists so that all read
        functions have the same options.
    limits: Upper bounds on the resources that the file may use.
    on_error: How to handle row groups that cannot be read.
    storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
        stores" lists the keys. Options that are not set come from the environment.
    store: An obstore store or an fsspec filesystem that contains the file of `split`. None: the URL
        determines the store.
    cache: Local directory in which the bytes of files in stores are cached. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.
    progress: Whether to show a tqdm progress bar that counts the rows as they are read, without a total.
        Closing the reader closes the bar.

Returns:
    A reader of the rows of the split, which may be empty.

Raises:
    ChangedError: The split was planned for another file, or the file ends before the split starts.
    ArrowfeedError, OSError: As in `read_parquet`.
    TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a bool.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> splits = arrowfeed.ParquetDataset("part-*.parquet").plan_splits(target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_parquet_split(split))
    10000"#
    };
    (read_split) => {
        r#"Reads the blocks of one split of a file as Arrow record batches.

A block belongs to the split that contains the offset right after the sync marker before it.

Args:
    split: A split from `plan_splits`, or a `Split` of any byte range of a file. If the split has a
        `file_id`, the file must match it.
    claim: A function that the reader calls with this offset before each block, in order, in the thread
        that requests batches. If the function returns True, the block is read. If it returns False, the
        reader stops before the block. If it raises an exception, the iteration returns the rows before
        the block and then raises the exception. A runner can use `claim` to split a range while it is
        read: if `claim` accepts only offsets below X, a reader of the range that starts at X reads
        exactly the remaining blocks. The reader does not call `claim` for corrupt bytes, which belong to
        the preceding block. None: all blocks are read.
    file: A binary file object to read instead of `split.path`, which is then only a name for messages.
        Position 0 of the object is the first byte of the file. The object must be seekable, and stays
        open. None: the file `split.path`.
    columns: Field paths to read. `read_avro` explains this option and the following ones in full.
    reader_schema: The reader schema.
    batch_size: Number of rows of a batch. None: as in `read_avro`.
    max_batch_bytes: Size in bytes at which a batch ends before it has `batch_size` rows.
    encoding: How Avro types are converted to Arrow types.
    double_as_float: With `encoding="tfx"`, rounds doubles to Float32.
    string_type: Arrow type of strings.
    unions: Arrow type of unions.
    raw: As in `read_avro`. `read_split` sees only the schema of this file, so the caller must check that
        all files have the same schema.
    threads: Has no effect, because the calling thread decodes a split. The option exists so that all read
        functions have the same options.
    limits: Upper bounds on the resources that the file may use.
    on_error: How to handle blocks that cannot be read.
    storage_options: Options of the store, such as `{"aws_region": "eu-west-1"}`; the page "Files in
        stores" lists the keys. Options that are not set come from the environment.
    store: An obstore store or an fsspec filesystem that contains the file of `split`. None: the URL
        determines the store.
    cache: Local directory in which the bytes of files in stores are cached. None: no cache.
    cache_bytes: Maximum size of the cache in bytes, at least 1. Requires `cache`. None: 100 GiB.
    progress: Whether to show a tqdm progress bar that counts the rows as they are read, without a total.
        Closing the reader closes the bar.

Returns:
    A reader of the rows of the split, which may be empty.

Raises:
    ChangedError: The split was planned for another file, or the file ends before the split starts.
    ArrowfeedError, OSError: As in `read_avro`.
    TypeError: An argument has the wrong type. While reading: `claim` returned a value that is not a bool.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> splits = arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_split(split))
    10000"#
    };
    (read_tfrecord) => {
        r#"Reads TFRecord files as Arrow record batches.

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
    encoding: The Arrow types of features; see `ExampleDataset`.
    batch_size: Number of rows of a batch; the last batch of a file may be shorter. None: 8,192, or fewer
        for many columns, as in `read_avro`.
    threads: Number of decoding threads. None: one per core of the process. 1: the calling thread.
    limits: Upper bounds on the resources that one file may use: `decoded_block_bytes` bounds a record,
        `batch_bytes` a batch. None: `Limits()`.
    on_error: How to handle damaged data. `"raise"`: raises an error. `"skip_block"`: skips a record that
        cannot be decoded and, after other damage, continues at the next intact record. `"skip_file"`:
        skips the rest of the file. `report()` lists the skipped parts.
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
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.
    ImportError: `progress` is True and tqdm is not installed.

Example:
    >>> reader = arrowfeed.read_tfrecord("part-*.tfrecord.gz", columns=["id", "tags"])
    >>> table = pyarrow.table(reader)"#
    };
    (register_tensorflow_ops) => {
        r#"Registers the TensorFlow ops. A second call does nothing.

Args:
    library: Path of `libtensorflow_framework`.

Raises:
    RuntimeError: The library does not have the functions of the C API."#
    };
    (representations_from_tfmd) => {
        r#"Derives the representations of a TensorFlow Metadata schema by the rules of tfx_bsl.

The default group contains the declared representations and, for each column that none of these uses, a
representation that follows from its feature. A sparse feature becomes `Sparse`; a feature with a shape
becomes `Dense`; each field of a struct becomes `Ragged`, named `struct.field`; any other feature becomes
`VarLenSparse`, or `Ragged` if the schema sets `represent_variable_length_as_ragged`. Features that are
deprecated or not in production have no representation.

Args:
    schema_proto: A `tensorflow.metadata.v0.Schema`, or its bytes.
    group: Name of a group of representations. Empty: the default group. Any other group contains only the
        declared representations.

Returns:
    Representations by name.

Raises:
    RepresentationError: `schema_proto` is not a schema, the group does not exist, or no representation
        follows from a feature.
    TypeError: An argument has the wrong type.

Example:
    >>> arrowfeed.representations_from_tfmd(schema_bytes)
    {'image': Dense('image', (784,)), 'tags': VarLenSparse('tags')}"#
    };
    (upload) => {
        r#"Copies a local file to an object in a store.

The object appears when it is complete, and replaces an existing object.

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

The file appears under its name when it is complete, and replaces an existing file. Until then, a hidden
file in the same directory contains the data; this file is removed after an error. All Arrow types that
have an Avro equivalent are supported, in any memory layout; the page "Arrow to Avro" has the table of
types.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
        polars or duckdb, a record batch, or a `RecordBatchReader`, which this call consumes.
    path: Path of the new file, URL of an object, or a binary file object with `write()`. A file object
        stays open.
    codec: Compression codec of the blocks, by its name in the Avro specification. `"zstd"` is the same as
        `"zstandard"`. With `append=True`, the default is the codec of the file, and another codec is an
        error.
    level: The compression level: 1 to 12 for deflate, -7 to 22 for zstandard, 1 to 9 for bzip2, 0 to 9
        for xz. The codecs null and snappy have no levels. None: 6 for deflate, 2 for zstandard, 6 for
        bzip2, 6 for xz.
    block_bytes: Size in bytes of the encoded rows at which a block ends, from 1 byte to 128 MiB.
    schema: The Avro schema to write. Names match the fields with the columns; a field without a column
        gets its default. None: the schema is derived from the Arrow schema, with nullable columns as
        unions with null.
    metadata: Additional entries of the file header, which `avro_schema` returns as `.metadata`, at most
        9,998. A key that begins with `avro.` is an error, because the Avro specification reserves these
        keys. None: no entries.
    on_overflow: How to write `uint64` columns if the schema is derived: `"decimal"` writes `decimal(20,
        0)`; `"error"` writes `long`, and a value above 2^63 - 1 is an error.
    threads: Number of threads that encode and compress. None: one per core of the process. 1: the calling
        thread.
    append: Whether to append the rows to an existing file, with the schema, codec and sync marker of this
        file. A copy of the file with the new rows replaces the file when the copy is complete. Objects
        and file objects do not support appending.
    storage_options: Options of the store of a URL, as in `read_avro`.
    store: An obstore store that contains the object `path`. None: the URL determines the store.

Returns:
    The number of rows written.

Raises:
    SchemaError: Avro does not support the type of a column, or a column does not fit `schema`.
    ConversionError: A value does not fit its Avro type, such as a null without a union with null.
    LimitError: A row is larger than readers accept.
    ArrowfeedError: The stream of batches raised an error. Errors of a `RecordBatchReader` are passed on
        unchanged.
    OSError: The file cannot be written, or another writer appends to it.
    ValueError: An option has an invalid value.
    TypeError: An argument has the wrong type.

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
        r#"Writes Arrow data to a new TFRecord file, one record for each row.

By default, a record is a `tf.Example` message, and each column is a feature. Integers and booleans become
an `int64_list`; floats and doubles become a `float_list`, with doubles rounded; text and bytes become a
`bytes_list`. A cell may be one value or a list of values. For a null, the message does not have the
feature; for an empty list, the message has the feature without values. The file appears under its name
when it is complete, and replaces an existing file.

Args:
    batches: An object with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
        polars or duckdb, a record batch, or a `RecordBatchReader`, which this call consumes.
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
    ['id', 'tags']"#
    };
}
