//! Test files of all formats with numbered rows, and checks of the rows that are read from them.

use std::cell::Cell;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, Int64Array, LargeListArray, ListArray, RecordBatch, RecordBatchIterator, StringArray,
    StructArray, cast::AsArray,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed::avro::{AvroFormat, AvroOptions, Codec, WriteOptions, write_avro};
use arrowfeed::ipc::{IpcFormat, IpcOptions};
use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use arrowfeed::source::format::{ChunkFormat, ChunkOptions};
use arrowfeed::source::run::FileSet;
use arrowfeed::text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};
use arrowfeed::tfrecord::example::{ExampleEncoder, Feature, FeatureKind};
use arrowfeed::tfrecord::sequence_example::{SEQUENCE_COLUMN, SequenceExampleEncoder, SequenceFeatures};
use arrowfeed::tfrecord::{Compression, RecordFormat, RecordKind, RecordOptions, RecordWriter};
use arrowfeed::{Dataset, DatasetError, DatasetOptions, IterationOptions};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use crate::chunks::Chunks;
use crate::{objects, random_run};

/// A directory that is removed with its files when dropped.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    /// A directory whose files are opened as objects of a store, for every third one of a test. The seed of the test says which.
    pub(crate) fn new() -> Self {
        thread_local! {
            // Each test has a thread.
            static NEXT: Cell<u64> = Cell::new(random_run::seed() % 3);
        }
        let number = NEXT.get();
        NEXT.set(number + 1);
        Self::marked(if number % 3 == 2 { objects::MARK } else { "" })
    }

    /// A directory whose files are always opened as local files.
    pub(crate) fn local() -> Self {
        Self::marked("")
    }

    /// A directory whose files are always opened as objects of a store.
    pub(crate) fn of_objects() -> Self {
        Self::marked(objects::MARK)
    }

    fn marked(mark: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("arrowfeed-{}-{}{mark}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The formats for which all properties of datasets are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Avro,
    Parquet,
    /// Arrow IPC files.
    Ipc,
    /// Arrow IPC streams.
    IpcStream,
    /// `tf.Example` messages.
    Example,
    /// The same, compressed: each file is one chunk.
    ExampleGzip,
    /// `tf.SequenceExample` messages. Their steps are the items of the column `list`.
    SequenceExample,
    /// CSV. The list is text, such as `5;6`.
    Csv,
    /// The same, compressed: each file is one chunk.
    CsvGzip,
    /// JSON lines.
    JsonLines,
    /// The same, compressed: each file is one chunk.
    JsonLinesGzip,
    /// Rows that are not in files; see `chunks`.
    Chunks,
}

impl Format {
    pub(crate) const ALL: [Self; 12] = [
        Self::Avro,
        Self::Parquet,
        Self::Ipc,
        Self::IpcStream,
        Self::Example,
        Self::ExampleGzip,
        Self::SequenceExample,
        Self::Csv,
        Self::CsvGzip,
        Self::JsonLines,
        Self::JsonLinesGzip,
        Self::Chunks,
    ];

    /// The formats of files, which can be split.
    pub(crate) const FILES: [Self; 11] = [
        Self::Avro,
        Self::Parquet,
        Self::Ipc,
        Self::IpcStream,
        Self::Example,
        Self::ExampleGzip,
        Self::SequenceExample,
        Self::Csv,
        Self::CsvGzip,
        Self::JsonLines,
        Self::JsonLinesGzip,
    ];
}

impl Format {
    /// Whether record starts cannot be recognised from the bytes of a file.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::CsvGzip | Self::JsonLines | Self::JsonLinesGzip)
    }
}

pub(crate) fn formats() -> impl Strategy<Value = Format> {
    proptest::sample::select(&Format::ALL)
}

pub(crate) fn file_formats() -> impl Strategy<Value = Format> {
    proptest::sample::select(&Format::FILES)
}

/// Writes Avro files with these numbers of rows, in blocks of about `block_bytes`. The rows are numbered from 0.
pub(crate) fn write(directory: &Directory, rows: &[usize], block_bytes: usize) -> Vec<PathBuf> {
    write_as(Format::Avro, directory, rows, block_bytes)
}

/// Writes the same files in another format, in chunks of about `chunk_bytes`.
pub(crate) fn write_as(
    format: Format,
    directory: &Directory,
    rows: &[usize],
    chunk_bytes: usize,
) -> Vec<PathBuf> {
    let mut next = 0;
    let one = |(i, rows): (usize, &usize)| {
        let numbers = next..next + *rows as i64;
        next = numbers.end;
        match format {
            Format::Avro => {
                let path = directory.0.join(format!("part-{i:05}.avro"));
                write_avro_file(&path, numbers, chunk_bytes);
                path
            }
            Format::Parquet => {
                let path = directory.0.join(format!("part-{i:05}.parquet"));
                write_parquet_file(&path, numbers, chunk_bytes);
                path
            }
            Format::Ipc | Format::IpcStream => {
                let extension = if format == Format::Ipc { "arrow" } else { "arrows" };
                let path = directory.0.join(format!("part-{i:05}.{extension}"));
                write_ipc_file(format, &path, numbers, chunk_bytes);
                path
            }
            Format::Example => {
                let path = directory.0.join(format!("part-{i:05}.tfrecord"));
                write_examples(&path, numbers, Compression::None);
                path
            }
            Format::ExampleGzip => {
                let path = directory.0.join(format!("part-{i:05}.gz"));
                write_examples(&path, numbers, Compression::Gzip);
                path
            }
            Format::SequenceExample => {
                let path = directory.0.join(format!("part-{i:05}.sequences"));
                write_sequence_examples(&path, numbers);
                path
            }
            Format::Csv | Format::CsvGzip | Format::JsonLines | Format::JsonLinesGzip => {
                let path = directory.0.join(format!("part-{i:05}.{}", text_extension(format)));
                write_text(format, &path, numbers);
                path
            }
            Format::Chunks => {
                let path = directory.0.join(format!("part-{i:05}.chunks"));
                Chunks::new(&path, numbers, chunk_bytes).write();
                path
            }
        }
    };
    rows.iter().enumerate().map(one).collect()
}

fn write_avro_file(path: &Path, numbers: Range<i64>, block_bytes: usize) {
    let batch = batch(numbers);
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    let options = WriteOptions { codec: Codec::Deflate, block_bytes, ..Default::default() };
    write_avro(batches, path, &options).unwrap();
}

/// A row takes about ten bytes; a page has a few rows.
fn write_parquet_file(path: &Path, numbers: Range<i64>, chunk_bytes: usize) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some((chunk_bytes / 10).max(1)))
        .set_data_page_row_count_limit(7)
        .set_write_batch_size(5)
        .build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), schema(), Some(properties)).unwrap();
    writer.write(&batch(numbers)).unwrap();
    writer.close().unwrap();
}

/// A row takes about ten bytes.
fn write_ipc_file(format: Format, path: &Path, numbers: Range<i64>, chunk_bytes: usize) {
    let (file, batch) = (File::create(path).unwrap(), batch(numbers));
    let rows = (chunk_bytes / 10).max(1);
    let starts = (0..batch.num_rows()).step_by(rows);
    let mut batches = starts.map(|start| batch.slice(start, rows.min(batch.num_rows() - start)));
    if format == Format::Ipc {
        let mut writer = FileWriter::try_new(file, &schema()).unwrap();
        batches.try_for_each(|batch| writer.write(&batch)).and_then(|()| writer.finish()).unwrap();
    } else {
        let mut writer = StreamWriter::try_new(file, &schema()).unwrap();
        batches.try_for_each(|batch| writer.write(&batch)).and_then(|()| writer.finish()).unwrap();
    }
}

/// A row takes about 70 bytes. The reader chooses the size of chunks.
fn write_examples(path: &Path, numbers: Range<i64>, compression: Compression) {
    let mut writer = RecordWriter::new(File::create(path).unwrap(), compression);
    let batch = batch(numbers);
    let mut encoder = ExampleEncoder::new(&batch).unwrap();
    (0..batch.num_rows()).for_each(|row| writer.write(encoder.encode(row)).unwrap());
    writer.finish().unwrap();
}

/// Like `write_examples`.
fn write_sequence_examples(path: &Path, numbers: Range<i64>) {
    let mut writer = RecordWriter::new(File::create(path).unwrap(), Compression::None);
    let batch = batch(numbers);
    let steps = StructArray::try_from(vec![("list", batch.column(2).clone())]).unwrap();
    let columns: [(&str, ArrayRef); 3] = [
        ("id", batch.column(0).clone()),
        ("text", batch.column(1).clone()),
        (SEQUENCE_COLUMN, Arc::new(steps)),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut encoder = SequenceExampleEncoder::new(&batch, SEQUENCE_COLUMN).unwrap();
    (0..batch.num_rows()).for_each(|row| writer.write(encoder.encode(row)).unwrap());
    writer.finish().unwrap();
}

fn sequence_examples() -> RecordOptions {
    let feature = |name: &str, kind| Feature { name: name.to_owned(), kind };
    let features = SequenceFeatures {
        context: vec![feature("id", FeatureKind::Int64), feature("text", FeatureKind::Bytes)],
        sequence: vec![feature("list", FeatureKind::Int64)],
        ..Default::default()
    };
    let kind = RecordKind::SequenceExample { features: Some(features), sample: None };
    RecordOptions { chunk_bytes: 300, ..RecordOptions::new(kind) }
}

/// The extension for a format and its compression.
fn text_extension(format: Format) -> &'static str {
    match format {
        Format::Csv => "csv",
        Format::CsvGzip => "csvgz",
        Format::JsonLines => "jsonl",
        _ => "jsonlgz",
    }
}

/// A row takes about 20 bytes of CSV, or 40 of JSON. The reader chooses the size of chunks.
fn write_text(format: Format, path: &Path, numbers: Range<i64>) {
    let is_csv = matches!(format, Format::Csv | Format::CsvGzip);
    let mut text = if is_csv { "id,text,list\n".to_owned() } else { String::new() };
    for n in numbers {
        let items: Vec<String> = (0..n % 4).map(|i| (n + i).to_string()).collect();
        let row = match (is_csv, n % 3 > 0) {
            // A line end in quotes does not end the record.
            (true, true) => format!("{n},\"row\n{n}\",{}\n", items.join(";")),
            (true, false) => format!("{n},,{}\n", items.join(";")),
            (false, true) => format!("{{\"id\":{n},\"text\":\"row {n}\",\"list\":[{}]}}\n", items.join(",")),
            (false, false) => format!("{{\"id\":{n},\"list\":[{}]}}\n\n", items.join(",")),
        };
        text.push_str(&row);
    }
    let bytes = match format {
        Format::CsvGzip | Format::JsonLinesGzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        }
        _ => text.into_bytes(),
    };
    std::fs::write(path, bytes).unwrap();
}

fn csv() -> CsvOptions {
    let column = |name, data_type| Field::new(name, data_type, true);
    let columns = [("id", DataType::Int64), ("text", DataType::Utf8), ("list", DataType::Utf8)];
    let schema = Schema::new(columns.map(|(name, data_type)| column(name, data_type)).to_vec());
    CsvOptions { schema: Some(Arc::new(schema)), chunk_bytes: 300, ..Default::default() }
}

fn json_lines() -> JsonLinesOptions {
    JsonLinesOptions { schema: Some(schema()), chunk_bytes: 300, ..Default::default() }
}

fn examples() -> RecordOptions {
    let features = [("id", FeatureKind::Int64), ("text", FeatureKind::Bytes), ("list", FeatureKind::Int64)];
    let features = features.map(|(name, kind)| Feature { name: name.to_owned(), kind });
    let kind = RecordKind::Example { features: Some(features.to_vec()), sample: None };
    RecordOptions { chunk_bytes: 300, ..RecordOptions::new(kind) }
}

pub(crate) fn schema() -> SchemaRef {
    let items = Arc::new(Field::new("item", DataType::Int64, false));
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("text", DataType::Utf8, true),
        Field::new("list", DataType::List(items), false),
    ]))
}

/// Makes rows whose other columns are derived from their number.
pub(crate) fn batch(numbers: Range<i64>) -> RecordBatch {
    let text = numbers.clone().map(|n| (n % 3 > 0).then(|| format!("row {n}")));
    let lists = numbers.clone().map(|n| Some((0..n % 4).map(|i| Some(n + i)).collect::<Vec<_>>()));
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>(lists);
    let (_, offsets, values, nulls) = list.into_parts();
    let items = Arc::new(Field::new("item", DataType::Int64, false));
    let list = ListArray::new(items, offsets, values, nulls);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(numbers)),
        Arc::new(StringArray::from_iter(text)),
        Arc::new(list),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

/// Opens files of one format, which is recognised by their extension.
pub(crate) fn dataset(paths: &[PathBuf]) -> Dataset {
    Dataset::open(file_set(paths), DatasetOptions::default()).unwrap()
}

/// The files of such a dataset.
pub(crate) fn file_set(paths: &[PathBuf]) -> FileSet {
    let sources = paths.iter().map(|path| objects::source(path));
    let files = match paths[0].extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => ParquetFormat::files(sources, ParquetOptions::default(), None),
        Some("arrow" | "arrows") => IpcFormat::files(sources, IpcOptions::default(), None),
        Some("tfrecord" | "gz") => RecordFormat::files(sources, examples(), None),
        Some("sequences") => RecordFormat::files(sources, sequence_examples(), None),
        Some("csv" | "csvgz") => CsvFormat::files(sources, csv(), None),
        Some("jsonl" | "jsonlgz") => JsonLinesFormat::files(sources, json_lines(), None),
        Some("chunks") => ChunkFormat::files(Chunks::sources(paths), ChunkOptions::default()),
        Some("avro") => AvroFormat::files(sources, AvroOptions::default(), None),
        other => panic!("expected the extension of a format, found {other:?}"),
    };
    files.unwrap()
}

/// The row numbers of a batch. Checks the columns that are derived from them.
pub(crate) fn numbers(batch: &RecordBatch) -> Vec<i64> {
    let batch = match batch.column(0).data_type() {
        DataType::LargeList(_) => &of_features(batch),
        _ if batch.column(2).data_type() == &DataType::Utf8 => &of_cells(batch),
        _ => batch,
    };
    let numbers = batch.column(0).as_primitive::<Int64Type>().values().to_vec();
    let (text, list) = (batch.column(1).as_string::<i32>(), batch.column(2).as_list::<i32>());
    for (row, n) in numbers.iter().enumerate() {
        assert_eq!(
            text.is_valid(row).then(|| text.value(row)),
            (n % 3 > 0).then(|| format!("row {n}")).as_deref()
        );
        let items = list.value(row);
        let expected: Vec<i64> = (0..n % 4).map(|i| n + i).collect();
        assert_eq!(items.as_primitive::<Int64Type>().values()[..], expected);
    }
    numbers
}

/// Converts features of `tf.Example`, which are lists, to the original columns.
fn of_features(batch: &RecordBatch) -> RecordBatch {
    let items = match batch.column(2).as_struct_opt() {
        // Each step has one value.
        Some(steps) => {
            let steps = steps.column(0).as_list::<i64>();
            let values = steps.values().as_list::<i64>();
            assert!((0..values.len()).all(|step| values.value_length(step) == 1));
            let item = Arc::new(Field::new("item", DataType::Int64, true));
            let (ends, nulls) = (steps.offsets().clone(), steps.nulls().cloned());
            &LargeListArray::new(item, ends, values.values().clone(), nulls)
        }
        None => batch.column(2).as_list::<i64>(),
    };
    let lists = |column: usize| batch.column(column).as_list::<i64>();
    let text = lists(1).iter().map(|list| {
        let list = list?;
        let text = list.as_binary::<i64>();
        assert_eq!(text.len(), 1);
        Some(String::from_utf8(text.value(0).to_vec()).unwrap())
    });
    let numbers = |list: &ArrayRef| list.as_primitive::<Int64Type>().values().to_vec();
    let ids = lists(0).iter().map(|list| {
        let [id] = numbers(&list.unwrap())[..] else { panic!("one number a row") };
        id
    });
    let list =
        items.iter().map(|list| Some(numbers(&list.unwrap()).into_iter().map(Some).collect::<Vec<_>>()));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(ids.collect::<Int64Array>())),
        ("text", Arc::new(text.collect::<StringArray>())),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(list))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Converts CSV cells, in which lists are texts, to the original columns.
fn of_cells(batch: &RecordBatch) -> RecordBatch {
    let texts = |column: usize| batch.column(column).as_string::<i32>();
    let text = texts(1).iter().map(|text| text.map(|text| text.replace('\n', " ")));
    let number = |text: &str| Some(text.parse::<i64>().unwrap());
    let list =
        texts(2).iter().map(|list| Some(list.map_or(vec![], |list| list.split(';').map(number).collect())));
    let columns: [(&str, arrow_array::ArrayRef); 3] = [
        ("id", batch.column(0).clone()),
        ("text", Arc::new(text.collect::<StringArray>())),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(list))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The row numbers of all batches.
pub(crate) fn all(dataset: &Dataset, options: &IterationOptions) -> Vec<Vec<i64>> {
    let batches = dataset.record_batches(options.clone()).unwrap();
    batches.map(|batch| Ok::<_, DatasetError>(numbers(&batch?))).collect::<Result<_, _>>().unwrap()
}

/// Checks that an iteration that is resumed after any of its batches yields the batches that follow.
pub(crate) fn check_resumes(
    dataset: &Dataset,
    options: &IterationOptions,
    batches: &[Vec<i64>],
) -> Result<(), TestCaseError> {
    let mut iterator = dataset.record_batches(options.clone()).unwrap();
    for passed in 0..=batches.len() {
        let state = iterator.state().unwrap();
        let mut resumed = dataset.record_batches(options.clone()).unwrap();
        resumed.load_state(&state).unwrap();
        let rest: Vec<Vec<i64>> = resumed.map(|batch| numbers(&batch.unwrap())).collect();
        prop_assert_eq!(&rest, &batches[passed..]);
        iterator.next().transpose().unwrap();
    }
    Ok(())
}
