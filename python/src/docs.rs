//! Docstrings of the compiled module, by the names of Python.
//!
//! `tools/native_docs.py` writes this file from `python/arrowfeed/_stubs`. Edit the stubs, then run it.

macro_rules! docs {
    (Array) => {
        r#"One column of a batch: values and their field. Any Arrow library takes it: `pyarrow.array(array)`.

Example:
    >>> batch.column("id")
    <arrowfeed.Array id: Int64 of 8192 values, 0 nulls>"#
    };
    (Array.name) => {
        r#"Name of the column."#
    };
    (Array.null_count) => {
        r#"Number of null values."#
    };
    (Array.to_pyarrow) => {
        r#"The same array as a `pyarrow.Array`; it is not copied.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (Array.type) => {
        r#"Text form of the Arrow type, as `List(Float32)`."#
    };
    (AvroDataset) => {
        r#"Avro files, and the tensors that are made of them: a source of batches for training.

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
    ...     train(tensors["name.first"].values, tensors["friends[*].age"].row_splits[0])"#
    };
    (AvroRecordDecoder) => {
        r#"Decodes records without a file, such as messages of a stream, into record batches or tensors.

Records are pushed one by one, or a list of them becomes a batch. They are in Avro's binary encoding,
without the header of a file. They may be of several writer's schemas; all batches have one schema. One
thread uses a decoder at a time.

Args:
    schema: The schema that the records were written with. None: `framing` says it. The columns are then
        those of `reader_schema`, or else those of the first one of `schemas`.
    framing: What stands before a record in a message. `"bare"`: nothing. `"single_object"`: the bytes
        `c3 01` and the CRC-64-AVRO fingerprint of its schema (Avro specification, "Single-object
        encoding"). `"confluent"`: a zero byte and the number of its schema in a registry (Confluent
        Schema Registry, "Wire format").
    schemas: The schemas of framed messages: a dict of fingerprints (`AvroSchema.fingerprint`) or numbers
        to schemas; for `"single_object"` also a list of schemas. Or a function of a fingerprint or
        number, such as the client of a registry, which is called once for each that is not known; None
        says that there is no such schema.
    features: Features for `flush_tensors`, as in `AvroDataset`.
    representations: Representations for `flush_tensors`, as in `AvroDataset`. None of both: what
        `infer_representations` finds.
    columns: Field paths to read, in the order of the columns. None: those that `features` or
        `representations` need; without these, every field.
    reader_schema: The schema to resolve the records to. None: as written.
    batch_size: Most rows of a batch, of all writer's schemas together.
    max_batch_bytes: Bytes after which a batch ends early, of all writer's schemas together. None:
        `limits.batch_bytes`.
    encoding: How Avro types become Arrow types, see `read_avro`.
    double_as_float: With `encoding="tfx"`, doubles as float32.
    string_type: The Arrow type of strings and bytes.
    limits: Upper bounds on what a record may ask for.
    name: A name of the records, such as a topic. Errors have it as `path`. None: errors have no path.

Raises:
    SchemaError: The schema is invalid, cannot be resolved, or cannot become Arrow.
    RepresentationError: A tensor cannot be made of the columns.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

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
        r#"Prepares for records of another writer's schema.

Returns:
    The number of the schema for `decode` and `extend`. The first schema has the number 0, and a
    schema that is known keeps its number.

Raises:
    SchemaError: The schema cannot be resolved, or its columns are not those of the first one.
    ValueError: There are 1,024 schemas."#
    };
    (AvroRecordDecoder.decode) => {
        r#"Decodes a record for the next `flush`, or several records into a batch of their own.

Args:
    records: A record, all of whose bytes belong to it; or an iterable of records, or an array of
        pyarrow. With a `framing`, messages.
    writer: The number of their schema, if they are bare. None: 0.

Returns:
    Of several records, their batch, whatever `batch_size` is. Of one, None.

Raises:
    CorruptBlockError: A record is damaged, has more bytes, or another framing. `error.record` is its
        number since the last `flush`, or in the list. A single record adds no row, and the decoder
        goes on; of several, none is kept.
    SchemaError: The schema of a message is not known. `error.record` is its number.
    LimitError: The record asks for more than a limit.
    ValueError: Several records are given while rows wait for `flush`.
        Whatever a function of `schemas` raises."#
    };
    (AvroRecordDecoder.extend) => {
        r#"Decodes records for the next `flush`, in their order, up to the first that is damaged.

The interpreter is free while records are decoded.

Args:
    records: As several records of `decode`.
    writer: The number of their schema, if they are bare. None: 0.

Raises:
    CorruptBlockError, SchemaError, LimitError: As `decode`."#
    };
    (AvroRecordDecoder.flush) => {
        r#"The next batch of the decoded rows, of `batch_size` rows at most. None: no row is left."#
    };
    (AvroRecordDecoder.flush_tensors) => {
        r#"The tensors of the next batch of the decoded rows, by name. None: no row is left.

Raises:
    ConversionError: A row does not fit its tensors; `error.record` is its number in the batch. The
        rows of the batch are lost.
    LimitError: As `TensorAdapter.convert`."#
    };
    (AvroRecordDecoder.rows) => {
        r#"Rows that have been decoded and not been flushed."#
    };
    (AvroRecordDecoder.schema) => {
        r#"The schema of every batch."#
    };
    (AvroRecordDecoder.specs) => {
        r#"What is known of each tensor before any record, by name."#
    };
    (AvroRecordDecoder.tensor_adapter) => {
        r#"What makes the tensors of the batches that `flush` gives."#
    };
    (AvroSchema) => {
        r#"A valid Avro schema and, where it is a file's, what else the header says. Hashable and picklable.

Two schemas are equal when they describe the same types: names, fields with their aliases and defaults,
symbols, sizes and logical types. Documentation and the layout of the text do not count, nor do `codec`
and `metadata`.

Args:
    schema: JSON text, the dict (for a union, the list) that it stands for, or another schema.
    codec: Name of the file's codec.
    metadata: The file's metadata.

Raises:
    SchemaError: The schema breaks a rule of the Avro specification.

Example:
    >>> schema = arrowfeed.AvroSchema({"type": "array", "items": "int"})
    >>> schema.canonical
    '{"type":"array","items":"int"}'"#
    };
    (AvroSchema.arrow) => {
        r#"The Arrow schema of what `read_avro` gives without options.

Raises:
    SchemaError: A type contains itself, or is too deep for Arrow."#
    };
    (AvroSchema.canonical) => {
        r#"The Parsing Canonical Form of the Avro specification: full names, and only what decoding needs."#
    };
    (AvroSchema.codec) => {
        r#"How the file's blocks are compressed; None where the schema is not a file's."#
    };
    (AvroSchema.fingerprint) => {
        r#"The Rabin fingerprint (CRC-64-AVRO) of the canonical form, unsigned 64 bits."#
    };
    (AvroSchema.json) => {
        r#"The JSON text, as it was given or as it stands in the file."#
    };
    (AvroSchema.metadata) => {
        r#"The file's metadata: `avro.schema`, `avro.codec` and the user's. Empty where there is no file."#
    };
    (AvroSchema.warnings) => {
        r#"What the Avro specification tells readers to ignore: unknown logical types and the like."#
    };
    (AvroWriter) => {
        r#"Writes an Avro object container file batch by batch; a context manager.

The file appears under its name when `close()` has made it whole; after an exception inside `with`,
nothing is left of it. Batches are encoded when enough rows have come together, so that `rows` lags
behind.

Args:
    path: The file to make, the URL of an object, or a binary file object with `write()`, which stays
        open.
    arrow_schema: The columns: anything with `__arrow_c_schema__`. None: those of the first batch. With
        it, columns without a form in Avro are refused here, and a file without rows can be written.

The other arguments are those of `write_avro`.

Raises:
    SchemaError: A column has a type that Avro has not, or does not fit `schema`.
    OSError: The file cannot be made.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

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
        r#"Closes the file; after an exception, drops it."#
    };
    (AvroWriter.blocks) => {
        r#"Blocks that were written so far."#
    };
    (AvroWriter.bytes) => {
        r#"Bytes that were written so far, the header of a new file included."#
    };
    (AvroWriter.close) => {
        r#"Writes what is left and gives the file its name. Closing twice does nothing.

Raises:
    OSError: The file cannot be written.
    ValueError: No batch has come, and `arrow_schema` was not given."#
    };
    (AvroWriter.rows) => {
        r#"Rows of the blocks that were written so far."#
    };
    (AvroWriter.write) => {
        r#"Writes batches and gives the number of their rows. After an error the writer takes nothing more.

Raises:
    SchemaError: The columns are not those of the first batch.
    ConversionError: A value cannot be written as its Avro type.
    LimitError: A row is larger than readers take.
    ValueError: The writer is closed or has failed."#
    };
    (BatchIterator) => {
        r#"Batches of a dataset, one after the other. Made by `Dataset.record_batches` and `.tensors`.

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
    >>> batches.load_state_dict(json.loads(saved))  # goes on with the next batch"#
    };
    (BatchIterator.__next__) => {
        r#"The next batch.

Raises:
    ArrowfeedError: One of its kinds, for what is wrong with a file.
    ConversionError: Rows do not fit a tensor; `tensor`, `field` and `record` (the row of the batch)
        say which.
    ChangedError: A file is not what it was when it was first read.
    OSError: A file cannot be read.
    ValueError: The iterator was made before a fork, or is used from inside a call of it."#
    };
    (BatchIterator.close) => {
        r#"Ends the iteration and waits for the threads that decode ahead. A second call does nothing."#
    };
    (BatchIterator.load_state_dict) => {
        r#"Goes on after the batch that a state is of, whatever this iterator has given so far.

It seeks to the block and decodes no other one before it; of a shuffle, the blocks of one window.
`threads` and `prefetch_bytes` may be others than those of the state, and so may `record_batches` and
`tensors`. A state with a seed that was drawn brings it.

Args:
    state: Of `state_dict`, also by way of `json`.

Raises:
    ChangedError: The files are others, or have another order, name, size or sync marker.
    ValueError: It is a state of other options, of another seed or version, or none at all.
    TypeError: It is no dict. In each case the iterator stays as it was."#
    };
    (BatchIterator.report) => {
        r#"What has been read and what was left out so far, also before a state that was loaded.

`rows` counts the rows of the batches given, in all epochs; what is left out is there once. `blocks`
and `bytes` count what was decoded: ahead of the rows, or behind them while threads have not ended
their pieces of work, and again what a resumed iteration decodes again.

Example:
    >>> batches.report()
    {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}"#
    };
    (BatchIterator.state_dict) => {
        r#"Where the iteration stands: after the last batch that was given, whatever was read ahead.

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
    {'row': {'block': 3, 'file': 0, 'offset': 49152, 'row': 24, 'sync': '30313233343536373839...'}}"#
    };
    (ChunkDataset) => {
        r#"Rows that a `ChunkSource` gives, and the tensors that are made of them.

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
    >>> batches = dataset.tensors(batch_size=32, shuffle_buffer_size=500, seed=7, threads=4)"#
    };
    (CsvDataset) => {
        r#"CSV files, and the tensors that are made of them: a source of batches for training.

A record ends with `\n`, `\r` or `\r\n`. A cell may be in quotes; then delimiters and line ends are
characters of the cell, and a quote in it is written twice. A quote inside of a cell that does not start
with one is a character of it. A byte order mark of UTF-8 at the start of a file is passed over. Files may
be compressed by gzip, which their first bytes say; one thread reads such a file, from its start.

The records that start in the same 256 KiB of a file are a block: a unit of shuffling and of threads. A
record that is wrong is left out alone by `on_error="skip_block"`. To find the first record behind a byte
of a file, the file is read from its start, since a quote decides whether a line end ends a record.

What can be read only once, a file object or a URL, is read into memory here.

Args:
    source: A path, a glob, a directory (its `*.csv`), a URL (other schemes than `file://` need fsspec),
        the bytes of a file, a binary file object, or a list of these. File order: as listed, globs and
        directories sorted. All files have the same columns in the same order.
    schema: An Arrow schema of the columns that can be read, in any order; the files may have others.
        Types are booleans, numbers, decimals, dates, times, timestamps, `string` and `string_view`.
        None: all columns, with the first type that all their cells have: int64, float64, string. An
        integer that does not fit into int64 makes the column one of strings; a column with no cell but
        empty ones has the type null. For this, all files are read here.
    sample: Without `schema`: records from which types are inferred, from the first one on. A later cell
        of another type is an error when it is read. None: all.
    skip_lines: Lines at the start of each file that are passed over, whatever is in them. Each ends with
        `\n`. The header comes behind them.
    header: Whether the first record of each file names the columns. Where `names` are given, it is passed
        over.
    names: The names of all columns, in their order. None: those of the header; without one those of
        `schema`, or else `column_1`, `column_2` and so on.
    delimiter: The character between cells, of ASCII.
    quote: The character around cells, of ASCII.
    escape: In a quoted cell, a character that takes the meaning from the one behind it. None: there is
        none.
    skip_blank_lines: Whether empty lines are passed over. False: a record whose cells are all null.
    nulls: Texts of cells that are null, in place of the empty text, quoted or not. None: `[""]`.
    multivalent_columns: Names of columns whose cells have several values. Their types are lists, in
        `schema` too. In other columns whose type is a list, a cell is a list of one value. Goes with
        `secondary_delimiter`.
    secondary_delimiter: The character between the values of such a cell, of ASCII. A cell is split as a
        record is: a value may be in quotes.
    raw: Whether a record is the only value of its row, as bytes without the line end, in the column
        `record`.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. The cells of others are not parsed. None: those that
        the tensors need.
    limits: What one file may ask of this process: `header_bytes` bounds the header, `decoded_block_bytes`
        a record, `batch_bytes` a batch. None: `Limits()`.
    index: Path of an index of these files that `save_index` wrote. None: the files are read for the ends
        of their records where an index is needed, for shuffles and shards.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs. A pickle of the dataset has them.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    FormatError: The first file has no header, or `index` is no index.
    CorruptBlockError: Without `schema`: a record has another number of cells, or is not in UTF-8.
    ChangedError: `index` is one of other files, or a file has another length now.
    SchemaError: A column is not in the files, or CSV has no values of its type; two columns have one
        name; a file has other columns than the first one.
    RepresentationError: A tensor cannot be made of the columns; `tensor` and `field` say which.
    LimitError: A record, or the number of columns, is more than `limits` allows.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> dataset = arrowfeed.CsvDataset("part-*.csv", columns=["age", "label"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["age"].values, tensors["label"].values)"#
    };
    (Dataset) => {
        r#"Files of one format, and the tensors that are made of them: a source of batches for training.

The base class of `AvroDataset` and the classes of other formats, which make one. It has no constructor.
No thread is started before the first batch is asked for. Datasets can be pickled; a copy opens the files
again.

Example:
    >>> dataset = arrowfeed.ParquetDataset("part-*.parquet")
    >>> isinstance(dataset, arrowfeed.Dataset)
    True"#
    };
    (Dataset.arrow_schema) => {
        r#"The schema of the record batches: of the columns that are read."#
    };
    (Dataset.explain) => {
        r#"What is read, and of each tensor what is shared with the batches and what is copied, and why.

Example:
    >>> print(dataset.explain())
    2 files, columns: x
    x: dense float32 [?, 2]
      values: shared"#
    };
    (Dataset.fingerprint) => {
        r#"Of the files' names and sizes and of `arrow_schema`: 16 hexadecimal digits.

Raises:
    OSError: A file cannot be found."#
    };
    (Dataset.num_rows) => {
        r#"Rows of all files, by the heads of blocks or by footers; nothing is decompressed.

Every file is opened, the first time; then the number is known.

Raises:
    OSError: A file cannot be read. FormatError: one is not of the format, or ends inside a block."#
    };
    (Dataset.plan_splits) => {
        r#"Cuts the files into splits of about one size, in file order, for the workers of an engine.

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
    2000"#
    };
    (Dataset.project) => {
        r#"The dataset of some of the tensors, in the order of `names`; no other columns are read.

Its specs are the same, and its batches have the same rows in the same order.

Args:
    names: Of tensors.

Raises:
    RepresentationError: A name is not known. TypeError: `names` is no list of str.

Example:
    >>> dataset.project(["name.first"]).arrow_schema"#
    };
    (Dataset.read_split) => {
        r#"Reads one split of the files as Arrow record batches, in the calling thread.

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
    ...     rows += sum(batch.num_rows for batch in dataset.read_split(split, batch_size=1024))"#
    };
    (Dataset.record_batches) => {
        r#"Record batches of exactly `batch_size` rows, but for the last one of each epoch.

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
    [1000, 1000, 500]"#
    };
    (Dataset.save_index) => {
        r#"Writes an index of the files: the identity of each, and where its blocks are.

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
    2000"#
    };
    (Dataset.specs) => {
        r#"What is known of each tensor before any batch, by name."#
    };
    (Dataset.tensor_adapter) => {
        r#"What makes tensors of the record batches; each time an equal one."#
    };
    (Dataset.tensor_representations) => {
        r#"What each tensor is made of, by name: representations, or the features as they were given."#
    };
    (Dataset.tensors) => {
        r#"The tensors of each batch of `record_batches`, by name, in the order of the specs.

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
    (32, 2)"#
    };
    (Dataset.to_jax) => {
        r#"An iterator over dicts of arrays of JAX. Imports JAX.

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
    ...     params = step(params, batch["x"])"#
    };
    (Dataset.to_tf) => {
        r#"A `tf.data.Dataset` of dicts of TensorFlow's tensors, fit for `model.fit`. Imports TensorFlow.

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
    >>> model.fit(batches.map(lambda row: (row, row.pop("label"))), epochs=3)"#
    };
    (Dataset.to_torch) => {
        r#"A `torch.utils.data.IterableDataset` of dicts of PyTorch's tensors. Imports PyTorch.

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
    ...     train(batch["x"])"#
    };
    (Dense) => {
        r#"Tensor `[batch, *shape]`: every row has the same shape.

A row has as many values as the shape has places, or lists that are nested like the shape.

Args:
    column: A column of values, lists, fixed-size lists, or lists of them.
    shape: Sizes of the dimensions after the batch. `()`: one value in each row.
    default: Takes the place of missing (null) rows. None: they are errors. An int for columns of integers
        (0, 1, False or True for bools), a float for floating point, bytes or str for byte strings.
    pad: Fill up rows that are too short, empty ones too, with `default`.

Raises:
    RepresentationError: `pad` without `default`, or a shape with more than 2^63 values.
    ValueError: A size is negative. TypeError: an argument has a wrong type.

Example:
    >>> arrowfeed.Dense("pixels", [28, 28], default=0.0)
    Dense('pixels', (28, 28), default=0.0)"#
    };
    (Dense.column) => {
        r#"The column."#
    };
    (Dense.default) => {
        r#"What takes the place of missing rows."#
    };
    (Dense.pad) => {
        r#"Whether short rows are filled up."#
    };
    (Dense.shape) => {
        r#"Sizes of the dimensions after the batch."#
    };
    (DenseTensor) => {
        r#"Values in the order of a shape, the batch first.

`numpy.asarray(tensor)` is its read-only view; `torch.from_dlpack(tensor)` and the like share its memory.
Picklable; a pickle holds a copy.

Args:
    values: What numpy makes an array of: numbers, bools, bytes or str. Copied. Adapters need no copy.

Raises:
    ValueError: The values are of a type that tensors do not have.

Example:
    >>> tensor = adapter.convert(batch)["x"]
    >>> tensor.shape, tensor.dtype
    ((1024, 128), dtype('float32'))"#
    };
    (DenseTensor.__array__) => {
        r#"For `numpy.asarray` and `numpy.array`.

Raises:
    ValueError: `copy` is False and the values have to be converted."#
    };
    (DenseTensor.__dlpack__) => {
        r#"A DLPack capsule, as the Python array API standard has it.

Args:
    stream: None: there is none for the processor's memory.
    max_version: From (1, 0) on, a versioned capsule, which says that the memory is read-only. Else
        the old form, which cannot say so: do not write to it.
    dl_device: (1, 0), the processor.
    copy: True: a copy, which may be written to, aligned to 64 bytes. False: no copy, or an error.

Raises:
    BufferError: The values are byte strings, another device is asked for, or bools without a copy.
    TypeError: An argument has a wrong type."#
    };
    (DenseTensor.__dlpack_device__) => {
        r#"(1, 0): the processor's memory."#
    };
    (DenseTensor.aligned) => {
        r#"The tensor itself where its memory begins at a multiple of 64 bytes, else a copy that does.

Raises:
    TypeError: The values are byte strings."#
    };
    (DenseTensor.arrow) => {
        r#"The values as a flat Arrow array, without a copy."#
    };
    (DenseTensor.dtype) => {
        r#"The type of the values; `object` for byte strings."#
    };
    (DenseTensor.joined) => {
        r#"Byte strings in one, with a byte between them that none of them has, and that byte.

For libraries that cut strings faster than they take objects. None where there is no such byte, where
the values are long (more than 256 bytes each, on average), or where they are no byte strings."#
    };
    (DenseTensor.numpy) => {
        r#"The same as `values`."#
    };
    (DenseTensor.shape) => {
        r#"Sizes of all dimensions, the batch first."#
    };
    (DenseTensor.values) => {
        r#"Read-only array `[*shape]`, over the Arrow buffer where it has the numbers as they are.

Bools are bits in Arrow: bytes are made of them on first use. Byte strings are an array of `bytes`
objects, made on first use; `arrow` has them without. The array keeps the memory alive."#
    };
    (ExampleDataset) => {
        r#"Messages of `tf.Example` in files of TFRecord, and the tensors that are made of them.

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
    ...     train(tensors["id"].values)"#
    };
    (ExampleRecordDecoder) => {
        r#"Decodes messages of `tf.Example` that have no file, such as those of a queue, into record batches.

Each feature is a column of lists, `large_list` of int64, float or large_binary, null where a record does
not have it. A decoder can be pickled, and used by several threads.

Args:
    schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
        `tensorflow.metadata.v0.Schema` or its bytes. None: each batch has the features of its own
        records, in the order of their names; one without a list in any of them is a column of nulls.
    encoding: The Arrow types of features, see `ExampleDataset`.

Raises:
    RepresentationError: `schema` has a feature of another type, or its bytes are no schema.
    ValueError: There is no such encoding. TypeError: An argument has a wrong type.

Example:
    >>> decoder = arrowfeed.ExampleRecordDecoder({"id": "int64"})
    >>> messages = arrowfeed.encode_examples(pyarrow.record_batch({"id": [7, 8]}))
    >>> decoder.decode(messages).to_pyarrow()["id"].to_pylist()
    [[7], [8]]"#
    };
    (ExampleRecordDecoder.decode) => {
        r#"The batch of some messages. The interpreter is free while they are decoded.

Args:
    records: A row each.

Raises:
    CorruptBlockError: A record is no message, or a feature has values of another kind.
        `error.record` is its number, `error.field` the feature."#
    };
    (ExampleRecordDecoder.schema) => {
        r#"The schema of every batch. None: each batch has its own."#
    };
    (JsonLinesDataset) => {
        r#"Files of JSON lines, and the tensors that are made of them: a source of batches for training.

Each line is a JSON object, whose keys are the columns; empty lines are passed over. A line ends with
`\n`, also after `\r`. A key that an object does not have is null. A byte order mark of UTF-8 at the start
of a file is passed over. Files may be compressed by gzip, which their first bytes say; one thread reads
such a file, from its start.

The records that start in the same 256 KiB of a file are a block: a unit of shuffling and of threads. A
record that is wrong is left out alone by `on_error="skip_block"`.

What can be read only once, a file object or a URL, is read into memory here.

Args:
    source: A path, a glob, a directory (its `*.jsonl`), a URL (other schemes than `file://` need fsspec),
        the bytes of a file, a binary file object, or a list of these. File order: as listed, globs and
        directories sorted.
    schema: An Arrow schema of the columns; other keys are passed over. In a column of strings, a number
        or a boolean is its text. A number with a fraction or an exponent is no integer. None: the keys of
        all records, by name, with types that have room for all their values: bool, int64, float64,
        string, lists and structs. For this, all files are read here.
    sample: Without `schema`: records from which types are inferred, from the first one on. A later value
        of another type is an error when it is read, and a new key is passed over. None: all.
    features: As in `AvroDataset`.
    representations: As in `AvroDataset`.
    columns: Names of columns to read, in this order. None: those that the tensors need.
    limits: What one file may ask of this process: `decoded_block_bytes` bounds a record, `batch_bytes` a
        batch; without `schema`, `header_bytes` bounds a record too. None: `Limits()`.
    index: As in `CsvDataset`.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs. A pickle of the dataset has them.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    FormatError: `index` is no index.
    CorruptBlockError: Without `schema`: a line is no JSON object.
    ChangedError: `index` is one of other files, or a file has another length now.
    SchemaError: A column is not in the schema, or JSON has no values of its type. Without `schema`: the
        values of a key have types that exclude each other, or no record has a key.
    RepresentationError: A tensor cannot be made of the columns; `tensor` and `field` say which.
    LimitError: A record, or the number of keys, is more than `limits` allows.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> dataset = arrowfeed.JsonLinesDataset("part-*.jsonl", columns=["id", "scores"])
    >>> for tensors in dataset.tensors(batch_size=1024, shuffle_buffer_size=100_000):
    ...     train(tensors["id"].values)"#
    };
    (Limits) => {
        r#"Upper bounds on what one file may make a reader do. Reaching one raises `LimitError`, which names it.

Files can lie about sizes and counts; these bounds hold whatever they say. Comparable and picklable.

Args:
    header_bytes: Bytes of the file header, metadata included. Default 16 MiB.
    schema_bytes: Bytes of the schema's JSON text. Default 4 MiB.
    schema_depth: Nesting of types in a schema. Default 64, at most 128.
    expanded_fields: Arrow fields that a schema may expand to. Default 100,000.
    decoded_block_bytes: Bytes of one block after decompression, and on disk. Default 256 MiB.
    skipped_depth: Nesting of values of a recursive type that is not read. Default 100,000.
    zero_byte_elements: Elements that take no bytes (of `array<null>` and the like) in one record.
        Default 10 million.
    zero_byte_rows: Rows that take no bytes in one block. Default 100 million.
    batch_bytes: Bytes of one record batch; a batch is cut before it grows past this. Default 512 MiB.
    zstd_window_bytes: Window of a zstandard frame. Default 128 MiB.
    xz_memory_bytes: Memory of the xz decoder. Default 128 MiB.

Raises:
    ValueError: A value is negative, or `schema_depth` is over 128.
    TypeError: A value is no integer, or there is no such limit.

Example:
    >>> arrowfeed.read_avro("part-0.avro", limits=arrowfeed.Limits(decoded_block_bytes=16 << 20))"#
    };
    (ParquetDataset) => {
        r#"Parquet files, and the tensors that are made of them: a source of batches for training.

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
    ...     train(tensors["id"].values)"#
    };
    (Ragged) => {
        r#"Ragged tensor: one ragged dimension for each list on the path, then one for each partition.

Args:
    path: The values: a column, or the steps from a column through structs (and lists of them) to a field.
    partitions: How the innermost lists are divided, from the outside in. An int: into rows of this
        length. A
        str: into rows of the lengths that the column of this name has, beside the values. Ints at the end
            make
        inner dimensions, which are not ragged.
    row_splits_dtype: `"int64"`, or `"int32"`: what Arrow's `List` has, and shares.

Raises:
    ValueError: A length is less than 1. TypeError: an argument has a wrong type.

Example:
    >>> arrowfeed.Ragged(["user", "scores"], partitions=["lengths", 2])
    Ragged(('user', 'scores'), partitions=('lengths', 2))"#
    };
    (Ragged.partitions) => {
        r#"How the innermost lists are divided, from the outside in."#
    };
    (Ragged.path) => {
        r#"The column or, where there are more steps than one, the steps."#
    };
    (Ragged.row_splits_dtype) => {
        r#"The integers of the row splits."#
    };
    (RaggedTensor) => {
        r#"Flat values and the row splits over them: row `i` is `flat_values[splits[i]:splits[i + 1]]`.

With several levels, the splits of one level are over the rows of the next, the last over `flat_values`.
Picklable.

Args:
    flat_values: What numpy makes an array of, `[values, *inner]`. Copied, as the row splits are.
    row_splits: From the outside in, int64 or, where an array has it, int32.

Raises:
    ConversionError: The row splits do not start at 0, decrease, or do not end where they must.
    TypeError: An argument has a wrong type.

Example:
    >>> tensor = adapter.convert(batch)["words"]
    >>> tensor.flat_values, tensor.row_splits, tensor.to_list()
    (array([1, 2, 3]), (array([0, 1, 1, 3]),), [[1], [], [2, 3]])"#
    };
    (RaggedTensor.arrow) => {
        r#"The values as a flat Arrow array, without a copy."#
    };
    (RaggedTensor.dtype) => {
        r#"The type of the values; `object` for byte strings."#
    };
    (RaggedTensor.flat_values) => {
        r#"Read-only values `[values, *inner]`, over the Arrow buffer where it has them as they are."#
    };
    (RaggedTensor.parts) => {
        r#"Flat values and row splits as dense tensors, which have DLPack."#
    };
    (RaggedTensor.ragged_rank) => {
        r#"Number of row splits."#
    };
    (RaggedTensor.row_splits) => {
        r#"Read-only row splits, from the outside in, each `[rows + 1]`."#
    };
    (RaggedTensor.to_list) => {
        r#"The rows as nested lists of Python's own objects."#
    };
    (RawRecordDataset) => {
        r#"The records of files of TFRecord as bytes, which are not looked into.

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
    ...     parse(batch.to_pyarrow()["record"].to_pylist())"#
    };
    (RecordBatch) => {
        r#"Rows in columns of one length.

Any Arrow library takes it without a copy: `pyarrow.record_batch(batch)`.

Example:
    >>> batch = next(arrowfeed.read_avro("part-0.avro"))
    >>> batch.num_rows, batch.schema.names
    (8192, ['id', 'name'])"#
    };
    (RecordBatch.column) => {
        r#"The column of a name.

Args:
    name: Of a top-level column; the first one where several have it.

Raises:
    KeyError: No column has this name.

Example:
    >>> numpy.asarray(batch.column("id").to_pyarrow())
    array([1, 2, 3])"#
    };
    (RecordBatch.num_columns) => {
        r#"Number of columns. A batch without columns still has rows."#
    };
    (RecordBatch.num_rows) => {
        r#"Number of rows."#
    };
    (RecordBatch.schema) => {
        r#"Names and types of the columns."#
    };
    (RecordBatch.to_pyarrow) => {
        r#"The same batch as a `pyarrow.RecordBatch`; it is not copied.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (RecordBatchReader) => {
        r#"Record batches of files, in file order. Made by `read_avro` and its kin.

Iterate over it, or hand it to an Arrow library, once: `pyarrow.table(reader)`,
`polars.DataFrame(reader)`, `duckdb.from_arrow(reader)`. Any number of threads may iterate; each batch
goes to one of them. Rows before a fault are given first, then the error, then nothing more.

A reader belongs to the process that made it: after a fork, the child makes its own.

Example:
    >>> with arrowfeed.read_avro("part-*.avro") as reader:
    ...     for batch in reader:
    ...         print(batch.num_rows)
    8192
    1808"#
    };
    (RecordBatchReader.__arrow_c_stream__) => {
        r#"Hands the batches over to who takes the capsule; from then on, iterating raises ValueError.

Args:
    requested_schema: A capsule of the schema that the consumer would like. Values are cast where that
        loses none; a value that does not fit is an error. Otherwise the schema is the reader's."#
    };
    (RecordBatchReader.__next__) => {
        r#"The next batch.

Raises:
    ArrowfeedError: One of its kinds, for what is wrong with the file.
    OSError: The file cannot be read.
    ValueError: The reader is closed, was handed over, or was made before a fork."#
    };
    (RecordBatchReader.close) => {
        r#"Ends the reading and waits for the threads that decode ahead. A second call does nothing."#
    };
    (RecordBatchReader.report) => {
        r#"What has been read and what was left out so far; also after the end, `close` or a hand-over.

A reader of files of stores has the counts of its requests beside these, as `requests`.

Example:
    >>> reader.report()
    {'rows': 10000, 'blocks': 12, 'bytes': 581202, 'skipped': []}"#
    };
    (RecordBatchReader.schema) => {
        r#"The schema of every batch. The files of one reader have one schema."#
    };
    (Representation) => {
        r#"What a tensor is made of, and of which columns: the base of the kinds.

A column is named as `"x"`, a field of a struct as `"user.age"`; where a column is called `user.age`, it
is that one. Frozen, hashable, picklable. Two are equal when their messages are: a default of 0 is not one
of 0.0."#
    };
    (Representation.from_proto) => {
        r#"The representation of a message.

Args:
    data: The bytes of a `tensorflow.metadata.v0.TensorRepresentation`, the message itself, or what
        `to_proto` gave. Fields that are not known are left out, names of dimensions too.

Raises:
    RepresentationError: The bytes are no such message, or it says nothing, or something impossible.

Example:
    >>> arrowfeed.Representation.from_proto(arrowfeed.VarLenSparse("tags").to_proto())
    VarLenSparse('tags')"#
    };
    (Representation.to_proto) => {
        r#"The bytes of the message.

They are those of a `tensorflow.metadata.v0.TensorRepresentation` for `Dense` (without `pad`),
`VarLenSparse`, `Sparse` and `Ragged`; TensorFlow Metadata does not have the others."#
    };
    (Schema) => {
        r#"Names and Arrow types of columns. Any Arrow library takes it: `pyarrow.schema(schema)`.

Two schemas are equal when names, types, nullability and metadata are. Picklable.

Example:
    >>> arrowfeed.read_avro("part-0.avro").schema
    <arrowfeed.Schema of 2 columns>
      id: Int64 not null
      name: Utf8"#
    };
    (Schema.metadata) => {
        r#"The schema's own key-value pairs."#
    };
    (Schema.names) => {
        r#"Names of the columns, in order."#
    };
    (Schema.to_pyarrow) => {
        r#"The same schema as a `pyarrow.Schema`.

Raises:
    ImportError: pyarrow is not installed."#
    };
    (SequenceExampleDataset) => {
        r###"Messages of `tf.SequenceExample` in files of TFRecord, and the tensors that are made of them.

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
    ...     train(tensors["tokens"])"###
    };
    (SequenceExampleRecordDecoder) => {
        r###"Decodes messages of `tf.SequenceExample` that have no file into record batches.

The columns are those of `SequenceExampleDataset`. A decoder can be pickled, and used by several threads.

Args:
    schema: The features, as in `SequenceExampleDataset`. None: each batch has the features of its own
        records, in the order of their names. A feature of the context without a list in any of them is a
        column of nulls, and one of the steps has null steps; the struct is there if a record has feature
        lists, even empty ones.
    sequence_column: The name of the struct.
    encoding: The Arrow types of features, see `SequenceExampleDataset`.

Raises:
    RepresentationError: `schema` has a feature of another type, or its bytes are no schema.
    ValueError: A feature of the context has the name of the struct.
    TypeError: An argument has a wrong type.

Example:
    >>> steps = pyarrow.array([{"token": [[7], [8, 9]]}])
    >>> messages = arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))
    >>> decoder = arrowfeed.SequenceExampleRecordDecoder({"##SEQUENCE##": {"token": "int64"}})
    >>> decoder.decode(messages).to_pyarrow()["##SEQUENCE##"].to_pylist()
    [{'token': [[7], [8, 9]]}]"###
    };
    (SequenceExampleRecordDecoder.decode) => {
        r#"The batch of some messages. The interpreter is free while they are decoded.

Args:
    records: A row each.

Raises:
    CorruptBlockError: A record is no message, or a feature has values of another kind.
        `error.record` is its number, `error.field` the feature."#
    };
    (SequenceExampleRecordDecoder.schema) => {
        r#"The schema of every batch. None: each batch has its own."#
    };
    (Sparse) => {
        r#"Sparse tensor `[batch, *dense_shape]` of columns with indices and a column with values.

In each row all columns have the same number of entries.

Args:
    index_columns: For each dimension a column of lists of integers.
    value_column: A column of lists.
    dense_shape: Sizes of the dimensions after the batch. -1 or None: one more than the batch's largest
        index.
    already_sorted: The entries of each row are sorted by their indices: they are not sorted again, nor
        checked.

Raises:
    RepresentationError: There are more or fewer sizes than index columns.
    ValueError: A size is less than -1. TypeError: an argument has a wrong type.

Example:
    >>> arrowfeed.Sparse(["row", "column"], "value", [100, -1])
    Sparse(('row', 'column'), 'value', (100, -1))"#
    };
    (Sparse.already_sorted) => {
        r#"Whether the entries of each row are taken to be sorted."#
    };
    (Sparse.dense_shape) => {
        r#"Sizes of the dimensions after the batch, -1 where not known."#
    };
    (Sparse.index_columns) => {
        r#"One column of indices for each dimension."#
    };
    (Sparse.value_column) => {
        r#"The column of values."#
    };
    (SparseTensor) => {
        r#"Coordinates and values, row after row; what has no coordinates is zero, or empty. Picklable.

Args:
    indices: Coordinates `[values, rank]`, the row first. Copied, as the values are.
    values: What numpy makes an array `[values]` of.
    dense_shape: Sizes of all dimensions, the batch first.

Raises:
    ConversionError: An index is outside of its dimension.
    ValueError: The parts do not fit together. TypeError: an argument has a wrong type.

Example:
    >>> tensor = adapter.convert(batch)["tags"]
    >>> tensor.indices, tensor.values, tensor.dense_shape
    (array([[0, 0], [0, 1], [2, 0]]), array([7, 8, 9]), (3, 2))"#
    };
    (SparseTensor.arrow) => {
        r#"The values as an Arrow array, without a copy."#
    };
    (SparseTensor.dense_shape) => {
        r#"Sizes of all dimensions, the batch first."#
    };
    (SparseTensor.dtype) => {
        r#"The type of the values; `object` for byte strings."#
    };
    (SparseTensor.indices) => {
        r#"Read-only coordinates `[values, rank]`, the row first."#
    };
    (SparseTensor.parts) => {
        r#"Indices and values as dense tensors, which have DLPack."#
    };
    (SparseTensor.to_scipy) => {
        r#"A `scipy.sparse.coo_array` over the same values. Rank 2 only.

Raises:
    ValueError: The tensor has another rank.
    TypeError: The values are byte strings.
    ImportError: scipy is not installed."#
    };
    (SparseTensor.values) => {
        r#"Read-only values `[values]`, over the Arrow buffer where it has them as they are."#
    };
    (Split) => {
        r#"A byte range of a file: what one worker reads. Picklable, hashable, ordered by path, start and end.

Splits of `plan_splits` know their file. Reading one raises a `ChangedError` if its file has another
length or fingerprint since then (of an Avro file, its sync marker; of a Parquet file, a checksum of its
footer), so no row is missing without an error. A copy of the file is the same file.

A chunk belongs to the range that contains its offset, so ranges that cover a file cover each of its
chunks exactly once, wherever they are cut. The offset of an Avro block is the byte right after the sync
marker before it; that of a Parquet row group, the first byte of its pages.

Args:
    path: The file.
    start: First byte.
    end: The byte after the last.
    file_id: The `file_id` of a planned split: the file must be that one. None: any file that does not end
        before `start`. Splits compare without it.

Raises:
    TypeError: An argument has a wrong type.
    ValueError: An argument has a wrong value.

Example:
    >>> arrowfeed.Split("part-0.avro", 0, 1000)
    Split('part-0.avro', 0, 1000)"#
    };
    (Split.end) => {
        r#"The byte after the last."#
    };
    (Split.file_id) => {
        r#"Length and fingerprint of the file that the split was planned for. None: any file will do."#
    };
    (Split.path) => {
        r#"The file, as the caller of `plan_splits` named it."#
    };
    (Split.start) => {
        r#"First byte."#
    };
    (Structured) => {
        r#"Tensors of several columns, in the columns' own nesting; fields of one list of structs share row
splits.

Args:
    columns: Columns; of a struct, all fields.
    row_splits_dtype: `"int64"`, or `"int32"`: what Arrow's `List` has, and shares.

Raises:
    RepresentationError: There are no columns. TypeError: an argument has a wrong type.

Example:
    >>> arrowfeed.Structured(["user", "items"])
    Structured(('user', 'items'))"#
    };
    (Structured.columns) => {
        r#"The columns."#
    };
    (Structured.row_splits_dtype) => {
        r#"The integers of the row splits."#
    };
    (StructuredTensor) => {
        r#"Tensors by name, all of them with the same rows: those of the innermost of `row_splits`, or of the
batch. Picklable; a pickle holds a copy.

Args:
    fields: The tensors by name.
    row_splits: The row splits that all of them begin with, from the outside in: arrays of integers.
    rows: Number of rows of the batch; None: as many as the row splits or the first field have.

Raises:
    ConversionError: A field has other rows, or other row splits. TypeError: an argument has a wrong type.

Example:
    >>> tensor = adapter.convert(batch)["user"]
    >>> tensor.fields
    {'age': <arrowfeed.DenseTensor int64 [1024]>, 'id': <arrowfeed.DenseTensor bytes [1024]>}"#
    };
    (StructuredTensor.fields) => {
        r#"The tensors, in the order of the columns."#
    };
    (StructuredTensor.row_splits) => {
        r#"Row splits that all fields begin with, from the outside in; none for a plain struct."#
    };
    (TensorAdapter) => {
        r#"Turns record batches of one schema into tensors.

Representations are compiled once: one that does not fit the schema is an error here, before any data.
Batches are checked row by row. Any number of threads may share an adapter. Picklable.

Args:
    schema: Anything with `__arrow_c_schema__`, or with a `schema` that has it: a schema, batch, table or
        reader of any Arrow library.
    representations: Dict of the tensors' names to `Representation`s, TensorFlow Metadata's
        `TensorRepresentation` messages, or the bytes of such.
    inner_nulls: Of nulls among the values of a list: `"error"`, or `"fill"` for the representation's
        default value, else 0, False or `b""`.
    duplicates: Of two entries of a sparse tensor with the same coordinates: `"keep"` or `"error"`.
    limits: A `Limits`. Its `batch_bytes` holds for the values of a dictionary (the symbols of an enum)
        that are written out for each row of one tensor.

Raises:
    RepresentationError: A representation is invalid or does not fit the schema; `tensor` and `field` say
        which.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> representations = {"x": arrowfeed.Dense("x", [2]), "t": arrowfeed.VarLenSparse("t")}
    >>> adapter = arrowfeed.TensorAdapter(reader.schema, representations)
    >>> adapter.convert(next(reader))
    {'x': <arrowfeed.DenseTensor float32 [8, 2]>, 't': <arrowfeed.SparseTensor int64 [8, 5], 21 stored>}"#
    };
    (TensorAdapter.convert) => {
        r#"The tensors of a batch, by name, in the order of the representations or of `names`.

The interpreter is free meanwhile, unless the batch is small. Tensors hold the memory that they share
with the batch. Columns that no tensor needs are not looked at.

Args:
    batch: Anything with `__arrow_c_array__`, or with an `__arrow_c_stream__` of one batch (a data
        frame of one chunk). Its columns are where the schema has them; what the tensors do not need
        may differ.
    names: Only these tensors. None: all.

Raises:
    ConversionError: The batch has another schema, a row does not fit, or a name is not known;
        `tensor`, `field` (the column) and `record` (the row) say where.
    LimitError: The values of a dictionary, written out for each row, take more than `batch_bytes`.
    ValueError: A stream has more than one batch. TypeError: an argument has a wrong type.

Example:
    >>> adapter.convert(batch, ["x"])["x"].values
    array([[0., 1.],
           [2., 3.]], dtype=float32)"#
    };
    (TensorAdapter.explain) => {
        r#"Of each tensor, what is shared with the batch and what is copied, and why.

Example:
    >>> print(adapter.explain())
    x: dense float32 [?, 2]
      values: shared
    t: sparse int64 [?, ?]
      values: shared; copied where a null list stands over stored values
      indices: computed, from the lengths of the lists"#
    };
    (TensorAdapter.from_features) => {
        r#"An adapter of features over key expressions.

Args:
    schema: As of the class.
    features: Dict of the tensors' names to features of `arrowfeed.features`. A name is the key
        expression, unless the feature has a `key`. Those of other libraries are taken as they are,
        by the names of their classes: `FixedLenFeature`, `FixedLenSequenceFeature`,
        `VarLenFeature`, `SparseFeature` and `RaggedFeature` of `tf.io`, `VarLenFeatureWithRank` of
        tensorflow-io, `DenseFeature`, `SparseFeature` and `VarlenFeature` of ATDS.
    limits: As of the class.

Raises:
    RepresentationError: A key is wrong or does not fit the schema, or a feature does not fit its key;
        `tensor` says which.
    ValueError: A feature of another library has a part that means nothing here.
    TypeError: An argument has a wrong type; of features, the message has those that are taken.

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
        r#"What is known of each tensor before any batch, by name."#
    };
    (TensorFlowSource) => {
        r#"What the op of TensorFlow iterates over: a dataset and its options.

The op finds it under its key as long as this object lives."#
    };
    (TensorFlowSource.batches) => {
        r#"The tensors of a pass, for eager code, and what stands before their state in that of the op.

Args:
    state: As of the op: empty, the next pass begins.

Returns:
    The prefix of the state, and the batches. None: there is nothing to iterate over."#
    };
    (TensorFlowSource.made_by) => {
        r#"A source that is made when an iteration begins, of arguments that only the graph knows.

Args:
    key: Under which the op finds it.
    make: Called with the arguments. Gives a source, or None where there is nothing to iterate over."#
    };
    (TensorFlowSource.of_records) => {
        r#"The records of a dataset, each in Avro's binary encoding, a vector of strings for each batch."#
    };
    (TensorFlowSource.set_next_pass) => {
        r#"Gives the next pass this number."#
    };
    (TensorSpec) => {
        r#"What every tensor of a representation has in common. Comparable, hashable and picklable.

Args:
    kind: `"dense"`, `"sparse"`, `"ragged"` or `"structured"`.
    dtype: The type of the values, as numpy has it; `object` for byte strings, None for structured
        tensors.
    shape: Sizes of all dimensions, the batch first. None: differs from batch to batch, or from row to
        row.
    ragged_rank: Number of ragged dimensions, which follow the batch; at least 1 for ragged tensors.
    row_splits_dtype: The integers of the row splits; None: `"int64"`. Where there are any only.
    fields: The fields of a structured tensor, by name. For these only, and always.

Raises:
    ValueError: The parts do not fit together. TypeError: an argument has a wrong type.

Example:
    >>> arrowfeed.TensorSpec("dense", "float32", [None, 3])
    <arrowfeed.TensorSpec dense float32 [?, 3]>"#
    };
    (TensorSpec.dtype) => {
        r#"The type of the values; `object` for byte strings, None for structured tensors."#
    };
    (TensorSpec.fields) => {
        r#"The fields of a structured tensor, by name."#
    };
    (TensorSpec.kind) => {
        r#"`"dense"`, `"sparse"`, `"ragged"` or `"structured"`."#
    };
    (TensorSpec.ragged_rank) => {
        r#"Number of ragged dimensions: of row splits."#
    };
    (TensorSpec.row_splits_dtype) => {
        r#"The integers of the row splits; None where there are none."#
    };
    (TensorSpec.shape) => {
        r#"Sizes of all dimensions, the batch first; None where they are not fixed."#
    };
    (TensorsToRecordBatch) => {
        r#"Turns tensors into record batches, from which `representations` make the same tensors again.

| tensor | columns |
|---|---|
| dense | a large list with the values of the row |
| sparse `[batch, size]` | a large list with the values of the row |
| other sparse | a large list of values, and one of indices for each dimension |
| ragged | large lists, nested like the row splits; inner dimensions are in the innermost |

Byte strings become large binary. Columns are in the order of the tensors' names.

Args:
    specs: Dict of the tensors' names to what is known of them, as `TensorAdapter.specs`.
    sparse_value_column: Column of a sparse tensor's values; `{tensor_name}` stands for the tensor's name.
    sparse_index_column: Column of a sparse tensor's indices; `{index}` stands for the dimension, from 0.
    generic_sparse: Names of sparse tensors `[batch, size]` that are written as indices and values. Others
        are written as lists, so that the entries of a row have the positions 0, 1, 2, … again.

Raises:
    RepresentationError: A tensor has no columns: structured, or dense of unknown size; or two columns
        have one name. TypeError: an argument has a wrong type.

Example:
    >>> converter = arrowfeed.TensorsToRecordBatch(adapter.specs)
    >>> arrowfeed.write_avro(converter.convert(adapter.convert(batch)), "tensors.avro")
    1024"#
    };
    (TensorsToRecordBatch.convert) => {
        r#"The batch of these tensors, which may be in any order.

Args:
    tensors: By name, all of the specs' and no others.

Raises:
    ConversionError: A tensor is missing or not known, of another spec or another number of rows, or
        the entries of a sparse tensor are not in order.
    TypeError: `tensors` is no dict of tensors."#
    };
    (TensorsToRecordBatch.representations) => {
        r#"What makes the same tensors from the batches."#
    };
    (TensorsToRecordBatch.schema) => {
        r#"The schema of the batches."#
    };
    (VarLenRagged) => {
        r#"Ragged tensor: one ragged dimension for each list of the column, and at least one.

Args:
    column: A column of lists.
    row_splits_dtype: `"int64"`, or `"int32"`: what Arrow's `List` has, and shares.

Example:
    >>> arrowfeed.VarLenRagged("tokens", row_splits_dtype="int32")
    VarLenRagged('tokens', row_splits_dtype='int32')"#
    };
    (VarLenRagged.column) => {
        r#"The column."#
    };
    (VarLenRagged.row_splits_dtype) => {
        r#"The integers of the row splits."#
    };
    (VarLenSparse) => {
        r#"Sparse tensor `[batch, longest]` of lists: one dimension for each list of the column, and at least one.

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
        r#"The schema, codec and metadata in the header of the first file of a source.

Args:
    source: As in `read_avro`. A file object is read from where it stands, a little past its header.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.

Raises:
    OSError: The file cannot be opened.
    FormatError: It is no Avro object container file.
    SchemaError: Its schema breaks a rule of the Avro specification.

Example:
    >>> schema = arrowfeed.avro_schema("part-0.avro")
    >>> schema.codec, schema.arrow.names
    ('zstandard', ['id', 'name'])"#
    };
    (encode_examples) => {
        r#"Encodes rows as messages of `tf.Example`, as `write_tfrecord` writes them.

Args:
    batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
    null_features: Whether a null row has a feature without a list, as tfx_bsl writes it. Readers take it
        for none.

Raises:
    ConversionError: A column has a type that no feature has, a list has a null value, or an integer does
        not fit into 64 bits with a sign.
    TypeError: `batches` is something else.

Example:
    >>> arrowfeed.encode_examples(pyarrow.record_batch({"n": [7]}))[0].hex()
    '0a0c0a0a0a016e12051a030a0107'"#
    };
    (encode_records) => {
        r#"Each row of a batch in Avro's binary encoding, without a file around it. Not in `arrowfeed`.

Raises:
    SchemaError: A column does not fit the schema."#
    };
    (encode_sequence_examples) => {
        r###"Encodes rows as messages of `tf.SequenceExample`.

Each field of the struct is a feature list: a list of steps, each a list of values or one value. All other
columns are features of the context, as in `encode_examples`. A null list is left out; a null step has no
list.

Args:
    batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`, as in `write_tfrecord`.
    sequence_column: The name of the struct. Without such a column, messages have no feature lists.

Raises:
    ConversionError: A column has a type that no feature has, a list has a null value, an integer does not
        fit into 64 bits with a sign, or the column of sequences is no struct of lists.
    TypeError: An argument has a wrong type.

Example:
    >>> steps = pyarrow.array([{"t": [[7]]}])
    >>> arrowfeed.encode_sequence_examples(pyarrow.record_batch({"##SEQUENCE##": steps}))[0].hex()
    '120e0a0c0a017412070a051a030a0107'"###
    };
    (exists) => {
        r#"Whether a store has an object. Sends one request.

Args:
    url: Of the object.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.

Raises:
    OSError: The store does not say."#
    };
    (infer_representations) => {
        r#"The representation that each column asks for by its type.

| column | representation |
|---|---|
| a value | `Dense` of shape `()` |
| fixed-size lists of values, of any depth | `Dense` of their sizes |
| one list of values | `VarLenSparse` |
| lists of lists of values | `Ragged` |
| a struct | each field by itself, named `struct.field`, by these rules |
| lists of structs, maps | each field by itself, named `list.field`, `Ragged` |
| other types: null, decimal, interval, union | none |

The same schema always gives the same representations: no data is looked at.

Args:
    schema: Anything with `__arrow_c_schema__`, or with a `schema` that has it: a schema, batch or table
        of any Arrow library.

Returns:
    Representations by name, in the order of the schema.

Raises:
    TypeError: `schema` is no schema.

Example:
    >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.list_(pyarrow.int32())})
    >>> arrowfeed.infer_representations(schema)
    {'id': Dense('id'), 'tags': VarLenSparse('tags')}"#
    };
    (peek) => {
        r#"The files of a URL, and the first bytes of the first one.

Args:
    url: Of a file, a glob or a directory; or a name in the store of the caller.
    extension: Of the files of a directory, without the dot.
    count: Bytes to read at most. 0: none, and no request but those of a listing is sent.
    storage_options: As in `read_avro`.
    store: As in `read_avro`.
    cache: As in `read_avro`.
    cache_bytes: As in `read_avro`.

Returns:
    The name of each file and its length, where a listing has told it; and the bytes.

Raises:
    FileNotFoundError: There is no such file. Other OSErrors likewise."#
    };
    (plan_splits) => {
        r#"Cuts files into splits of about one size, in file order. Only headers are read.

Args:
    source: Paths, globs, directories or URLs, or a list of these.
    target_bytes: Bytes of a split; the last one of a file may be smaller.
    storage_options: As in `read_avro`. A split does not have them.
    store: As in `read_avro`. A split does not have it.

Returns:
    Splits whose rows, read in this order, are the files' rows. A file without blocks has none.

Raises:
    OSError: A file cannot be opened.
    FormatError: A file is no Avro object container file.
    TypeError: The source has bytes or file objects, which cannot be split.
    ValueError: `target_bytes` is less than 1.

Example:
    >>> arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
    [Split('part-0.avro', 213, 16777429), Split('part-0.avro', 16777429, 21482911)]"#
    };
    (read_avro) => {
        r#"Reads Avro object container files as Arrow record batches.

The first header is read at once, so wrong files, columns and schemas are errors of this call. Other files
are opened when their turn comes; their columns must be the first file's.

Args:
    source: A path, a glob, a directory (its `*.avro`), a URL, the bytes of a file, a binary file object,
        or a list of these. URLs of S3, Google Cloud Storage, Azure, HTTP servers and HDFS need no other
        package; other schemes need fsspec. File order: as listed, globs and directories sorted. File
        objects are read from where they stand, in the calling thread, and not closed.
    columns: Field paths to read (`"id"`, `"user.scores"`, `"friends.name.first"`; through arrays and maps
        too). A name in quotes is taken as it is: `"['a.b'].c"`; a path without quotes that fits several
        fields is an error. Nesting is kept: `user` comes as a struct of the fields asked for. Top-level
        order is that of first mention. None: all fields.
    reader_schema: The schema to resolve the values to, by the rules of the Avro specification: promotion,
        defaults, aliases, enum defaults. None: as written.
    batch_size: Rows of a batch; a batch may span blocks, and the last one of a file is shorter.
    max_batch_bytes: Bytes after which a batch is closed early. None: `limits.batch_bytes`.
    encoding: `"native"`, the natural Arrow type of each Avro type; `"feature"`, a list around every
        column, with missing values as null lists; `"tfx"`, the types that tfx_bsl and its kin accept.
    double_as_float: With `encoding="tfx"`, Avro doubles as Float32, rounded. Other encodings keep them.
    string_type: Arrow type of strings; bytes follow it. `"utf8"` has 32-bit offsets, `"large_utf8"`
        64-bit ones, `"utf8_view"` is the view type.
    raw: Whether a record is the only value of its row, as its bytes in Avro's binary encoding, in the
        column `record` of large_binary. The reader checks them like those of a field that is not read:
        it does not check UTF-8, nor array blocks that state their size. All files must have the schema
        of the first one; only aliases, defaults, documentation and logical types may differ.
        `reader_schema` is refused. Recursive types can be read this way.
    threads: Threads that decode. None: as many as the process has cores (affinity and cgroup quota
        respected). 1: the calling thread, none is started.
    limits: What one file may ask of this process. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` leaves out blocks that cannot be read and goes on after their sync
        marker; `"skip_file"` leaves out the rest of the file. What is left out is in `report()`.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader with `__arrow_c_stream__`, which iterates batches.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    FormatError: The file is no Avro object container file.
    SchemaError: A schema is not valid or cannot become Arrow, or a column is not in it.
    LimitError: The header asks for more than `limits` allows.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.
    ImportError: A URL needs fsspec, which is not installed.

Example:
    >>> reader = arrowfeed.read_avro("part-*.avro", columns=["id", "user.scores"], batch_size=1024)
    >>> table = pyarrow.table(reader)"#
    };
    (read_csv) => {
        r#"Reads CSV files as Arrow record batches.

`CsvDataset` says what a record is, and which files are read by several threads.

Args:
    source: As in `CsvDataset`. File objects and URLs are read into memory here.
    schema: As in `CsvDataset`. None: all columns, with inferred types.
    sample: As in `CsvDataset`. None: types are inferred from all records.
    skip_lines: Lines at the start of each file that are passed over.
    header: Whether the first record of each file names the columns.
    names: The names of all columns. None: as in `CsvDataset`.
    delimiter: The character between cells, of ASCII.
    quote: The character around cells, of ASCII.
    escape: In a quoted cell, a character that takes the meaning from the one behind it. None: there is
        none.
    skip_blank_lines: Whether empty lines are passed over. False: a record whose cells are all null.
    nulls: Texts of cells that are null. None: `[""]`.
    multivalent_columns: As in `CsvDataset`.
    secondary_delimiter: As in `CsvDataset`.
    raw: As in `CsvDataset`.
    columns: Names of columns to read, in this order. The cells of others are not parsed. None: all.
    batch_size: Rows of a batch; the last one of a file is shorter.
    threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
    limits: As in `CsvDataset`. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` leaves out single records that are wrong; `"skip_file"` leaves out
        the rest of the file. What is left out is in `report()`.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader with `__arrow_c_stream__`, which iterates batches.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    FormatError: The first file has no header.
    CorruptBlockError: Without `schema`: a record has another number of cells, or is not in UTF-8.
    SchemaError: As in `CsvDataset`.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> reader = arrowfeed.read_csv("part-*.csv.gz", columns=["age", "label"])
    >>> table = pyarrow.table(reader)"#
    };
    (read_json_lines) => {
        r#"Reads files of JSON lines as Arrow record batches.

Args:
    source: As in `JsonLinesDataset`. File objects and URLs are read into memory here.
    schema: As in `JsonLinesDataset`. None: all keys, with inferred types.
    sample: As in `JsonLinesDataset`. None: types are inferred from all records.
    columns: Names of columns to read, in this order. None: all.
    batch_size: Rows of a batch; the last one of a file is shorter.
    threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
    limits: As in `JsonLinesDataset`. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` leaves out single records that are wrong; `"skip_file"` leaves out
        the rest of the file. What is left out is in `report()`.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader with `__arrow_c_stream__`, which iterates batches.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    CorruptBlockError: Without `schema`: a line is no JSON object.
    SchemaError: As in `JsonLinesDataset`.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> reader = arrowfeed.read_json_lines("part-*.jsonl", columns=["id", "scores"])
    >>> table = pyarrow.table(reader)"#
    };
    (read_parquet) => {
        r#"Reads Parquet files as Arrow record batches.

The first file's footer is read here, so wrong files, columns and schemas are errors of this call. Other
files are opened when their turn comes. Dictionaries of Arrow come as their values.

Args:
    source: A path, a glob, a directory (its `*.parquet`), a URL,
        the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
    columns: Field paths to read (`"id"`, `"user.scores"`; through lists too), in the order of the
        columns. A map is read as a whole. None: all columns. With a `schema`, they are paths in it.
    schema: The Arrow schema of the batches: a schema of pyarrow, or of any library that has
        `__arrow_c_schema__`. Columns and fields are found in each file by their names, in any order, and
        converted where no value is lost: docs/parquet.md has the table of types. A column that a file
        does not have is null, if the schema allows it. None: the schema of the first file, which all
        files must have.
    double_as_float: With a `schema`, rounds doubles to floats. Otherwise a column of doubles that the
        schema has as floats is an error.
    batch_size: Rows of a batch. A batch may end early, at the end of a row group.
    threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
    limits: What one file may ask of this process: `header_bytes` bounds the footer, `batch_bytes` a
        batch. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` leaves out row groups that cannot be read; `"skip_file"` leaves
        out the rest of the file. What is left out is in `report()`. A value that the `schema` cannot
        hold is an error in each case.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader with `__arrow_c_stream__`, which iterates batches.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    FormatError: The first file is no Parquet file.
    SchemaError: The columns of the first file do not convert to `schema`, or a column is not in it. By
        the reader: a later file has other columns.
    ConversionError: By the reader: `schema` cannot hold a value. The message names file, row group, row
        and column.
    LimitError: The footer asks for more than `limits` allows.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> schema = pyarrow.schema({"id": pyarrow.int64(), "tags": pyarrow.large_list(pyarrow.binary())})
    >>> reader = arrowfeed.read_parquet("part-*.parquet", schema=schema)
    >>> table = pyarrow.table(reader)"#
    };
    (read_parquet_split) => {
        r#"Reads the row groups of one split of a Parquet file as Arrow record batches.

A row group belongs to the split that contains the offset of its first page.

Args:
    split: Of `ParquetDataset.plan_splits`, or any byte range of a file. With a `file_id`, the file must
        be that one.
    claim: Asked once for each row group, in order, with that offset, as in `read_split`. False ends the
        split before it. None: all row groups are read.
    file: Read in place of `split.path`, which is then a name for messages only: a binary file object
        whose position 0 is the first byte of the file. It is read at any offset, and not closed.
    columns: As in `read_parquet`; so are the options below.
    schema: The Arrow schema of the batches.
    double_as_float: With a `schema`, rounds doubles to floats.
    batch_size: Rows of a batch.
    threads: Taken for the sake of one set of options: a split is decoded in the calling thread.
    limits: What the file may ask of this process.
    on_error: What to do with row groups that cannot be read.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader of the split's rows, which may be none.

Raises:
    ChangedError: The file is not the one that the split was planned for, or ends before the split starts.
    ArrowfeedError: As `read_parquet`, and OSErrors likewise.
    TypeError: An argument has a wrong type; by the reader, the answer of `claim` is no bool.

Example:
    >>> splits = arrowfeed.ParquetDataset("part-*.parquet").plan_splits(target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_parquet_split(split))
    10000"#
    };
    (read_split) => {
        r#"Reads the blocks of one split of a file as Arrow record batches.

A block belongs to the split that contains the offset right after the sync marker before it.

Args:
    split: Of `plan_splits`, or any byte range of a file. With a `file_id`, the file must be that one.
    claim: Asked once for each block, in order and in the thread that asks for batches, with that offset:
        True reads the block, False ends the split before it. What it raises is raised to who asks for
        the batch, after the rows before. So a runner can take the rest of a running split away: who
        reads from any byte on has the blocks that a claim of offsets below it refuses. Bytes that are no
        block are not claimed: they go with the block before them. None: all blocks are read.
    file: Read in place of `split.path`, which is then a name for messages only: a binary file object
        whose position 0 is the first byte of the file. It is read at any offset, and not closed.
    columns: As in `read_avro`; so are the options below.
    reader_schema: The schema to resolve the values to.
    batch_size: Rows of a batch.
    max_batch_bytes: Bytes after which a batch is closed early.
    encoding: How Avro types become Arrow types.
    double_as_float: With `encoding="tfx"`, doubles as Float32.
    string_type: Arrow type of strings.
    raw: As in `read_avro`. Only the schema of this file is known: compare the schemas of the files
        yourself.
    threads: Taken for the sake of one set of options: a split is decoded in the calling thread.
    limits: What the file may ask of this process.
    on_error: What to do with blocks that cannot be read.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader of the split's rows, which may be none.

Raises:
    ChangedError: The file is not the one that the split was planned for, or ends before the split starts.
    ArrowfeedError: As `read_avro`, and OSErrors likewise.
    TypeError: An argument has a wrong type; by the reader, the answer of `claim` is no bool.

Example:
    >>> splits = arrowfeed.plan_splits("part-*.avro", target_bytes=16 << 20)
    >>> sum(batch.num_rows for split in splits for batch in arrowfeed.read_split(split))
    10000"#
    };
    (read_tfrecord) => {
        r#"Reads files of TFRecord as Arrow record batches.

Files may be compressed by gzip or zlib, which their first bytes say; one thread reads such a file.
Checksums are checked.

Args:
    source: A path, a glob, a directory (its `*.tfrecord`), a URL,
        the bytes of a file, a binary file object, or a list of these. File objects are read into memory.
    format: What the records are. `"example"`: messages of `tf.Example`; each feature is a column of
        lists, `large_list` of int64, float or large_binary, null where a record does not have it.
        `"sequence_example"`: messages of `tf.SequenceExample`, see `SequenceExampleDataset` for the
        columns. `"raw"`: bytes, in the column `record`.
    schema: The features: a dict of names to `"int64"`, `"float"` or `"bytes"`, or a
        `tensorflow.metadata.v0.Schema` or its bytes; see `SequenceExampleDataset` for those of sequences.
        None: the features that the records have, by name, for which all files are read here.
    sample: Without `schema`: records that are looked at for their features, from the first one on. A
        feature that none of them has is left out. None: all.
    columns: Names of features to read, in the order of the columns; others are stepped over. None: all.
    encoding: The Arrow types of features, see `ExampleDataset`.
    batch_size: Rows of a batch; the last one of a file is shorter.
    threads: Threads that decode. None: as many as the process has cores. 1: the calling thread.
    limits: What one file may ask of this process: `decoded_block_bytes` bounds a record, `batch_bytes` a
        batch. None: `Limits()`.
    on_error: `"raise"`; `"skip_block"` leaves out records that cannot be decoded, and goes on behind
        other damage at the next record; `"skip_file"` leaves out the rest of the file. What is left out
        is in `report()`.
    storage_options: Keys and values for a store, such as `{"aws_region": "eu-west-1"}`; the page "Stores"
        lists them. None: the environment says what the store needs.
    store: A store of obstore or a filesystem of fsspec, in which the source names files. None: the URL
        says it.
    cache: Directory of a local cache for files of stores. None: no cache.
    cache_bytes: Bytes that the cache may take, at least 1. None: 100 GiB.

Returns:
    A reader with `__arrow_c_stream__`, which iterates batches.

Raises:
    FileNotFoundError: A path does not exist, or nothing matches a glob. Other OSErrors likewise.
    FormatError: The first file is no file of TFRecord.
    CorruptBlockError: Without `schema`: a record cannot be decoded, or a feature has values of two kinds.
    SchemaError: A column is not in the schema, or no record has a feature.
    RepresentationError: `schema` has a feature of another type, or its bytes are no schema.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> reader = arrowfeed.read_tfrecord("part-*.tfrecord.gz", columns=["id", "tags"])
    >>> table = pyarrow.table(reader)"#
    };
    (register_tensorflow_ops) => {
        r#"Registers the ops of TensorFlow, once.

Args:
    library: Path of `libtensorflow_framework`.

Raises:
    RuntimeError: The library has not the functions of the C API."#
    };
    (representations_from_tfmd) => {
        r#"The representations that a schema of TensorFlow Metadata declares or implies, by the rules of tfx_bsl.

For the default group: those that it declares, and for the columns that none of them takes, what follows
from the features. A sparse feature is `Sparse`; a feature with a shape is `Dense`; a struct gives
`Ragged` for each of its fields, named `struct.field`; any other feature is `VarLenSparse`, or `Ragged`
where the schema represents variable length as ragged. Features that are deprecated or not in production
are left out.

Args:
    schema_proto: A `tensorflow.metadata.v0.Schema`, or its bytes.
    group: Name of a group of representations. Another than the default gives exactly what it declares.

Returns:
    Representations by name.

Raises:
    RepresentationError: The bytes are no schema, the group is not there, or no representation follows
        from a feature.
    TypeError: An argument has a wrong type.

Example:
    >>> arrowfeed.representations_from_tfmd(schema_bytes)
    {'image': Dense('image', (784,)), 'tags': VarLenSparse('tags')}"#
    };
    (upload) => {
        r#"Copies a local file to an object, which is visible when it is whole. One of the same name is replaced.

Args:
    path: The file.
    url: Of the object.
    storage_options: As in `write_avro`.
    store: As in `write_avro`.

Returns:
    The number of bytes.

Raises:
    OSError: The file cannot be read, or the object cannot be written.
    ValueError: The store takes no new objects."#
    };
    (write_avro) => {
        r#"Writes Arrow data to a new Avro object container file.

The file appears under its name when it is whole; one that was there is replaced. Until then the data is
in a hidden file beside it, which is removed after an error. Every Arrow type with a form in Avro is
written in every layout; the page "Arrow to Avro" has the table.

Args:
    batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
        polars or duckdb, a record batch, a `RecordBatchReader`, which is then used up.
    path: The file to make, the URL of an object, or a binary file object with `write()`, which stays
        open.
    codec: How blocks are compressed: a name of the Avro specification. With `append=True` and no codec
        given, that of the file.
    level: The level of the compression: 1 to 12 for deflate, -7 to 22 for zstandard, 1 to 9 for bzip2,
        0 to 9 for xz. None: the default of the codec: 6, 2, 6 and 6.
    block_bytes: Bytes of encoded rows at which a block ends; at most 128 MiB.
    schema: The Avro schema to write; fields find their columns by name, and a field without a column has
        its default. None: derived from the Arrow schema, nullable columns as unions with null.
    metadata: Entries of the file's header, which `avro_schema` gives back as `.metadata`, beside those of
        the Avro specification. Keys that begin with `avro.` are refused: it reserves them. At most 9,998.
    on_overflow: Columns of `uint64` in a derived schema: `"decimal"` writes them as `decimal(20, 0)`;
        `"error"` writes `long`, with an error for a value above 2^63 - 1.
    threads: Threads that encode and compress. None: all cores given to the process; 1: the calling
        thread.
    append: Writes behind the rows of an existing file, with its schema, codec and sync marker. The file
        is replaced by a longer copy when that is whole. Objects of stores cannot grow.
    storage_options: Keys and values for the store of a URL, as in `read_avro`.
    store: A store of obstore, in which `path` names an object. None: the URL says it.

Returns:
    The number of rows written.

Raises:
    SchemaError: A column has a type that Avro has not, or does not fit `schema`.
    ConversionError: A value cannot be written as its Avro type, such as a null without a union with null.
    LimitError: A row is larger than readers take.
    ArrowfeedError: The stream of batches failed; errors of a `RecordBatchReader` stay what they are.
    OSError: The file cannot be written, or another writer appends to it.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

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
        r#"Writes Arrow data to a new file of TFRecord, each row as a message of `tf.Example`.

Each column is a feature: integers and booleans, or lists of them, an `int64_list`; floats and doubles a
`float_list`, doubles rounded; text and bytes a `bytes_list`. A null row has no feature; an empty list has
one without values. The file appears under its name when it is whole; one that was there is replaced.

Args:
    batches: Anything with `__arrow_c_stream__` or `__arrow_c_array__`: a table or data frame of pyarrow,
        polars or duckdb, a record batch, a `RecordBatchReader`, which is then used up.
    path: The file to make, or the URL of an object.
    format: What a row becomes. `"sequence_example"`: a message of `tf.SequenceExample`. The column
        `##SEQUENCE##`, a struct, has its feature lists: each field is a list of steps, and a step is what
        a column is in a row of `"example"`. All other columns are features of the context. `"raw"`: the
        value of the only column, bytes or text, which is the record.
    compression: Of the file as a whole. None: `"gzip"` if the name ends with `.gz`, else `"none"`.
    storage_options: Keys and values for the store of a URL, as in `read_avro`.
    store: A store of obstore, in which `path` names an object. None: the URL says it.

Returns:
    The number of rows written.

Raises:
    ConversionError: A column has a type that no feature has, a list has a null value, or an integer does
        not fit into 64 bits with a sign; `##SEQUENCE##` is no struct of lists. Of `"raw"`: there are
        several columns, or a null.
    ArrowfeedError: The stream of batches failed; errors of a `RecordBatchReader` stay what they are.
    OSError: The file cannot be written.
    ValueError: An option has a wrong value. TypeError: an argument has a wrong type.

Example:
    >>> table = pyarrow.table({"id": [1, 2, 3], "tags": [["a", "b"], [], None]})
    >>> arrowfeed.write_tfrecord(table, "rows.tfrecord")
    3
    >>> arrowfeed.read_tfrecord("rows.tfrecord").schema.names
    ['id', 'tags']"#
    };
}
