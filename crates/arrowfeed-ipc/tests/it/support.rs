//! Helpers: Arrow files and streams in memory that are read through the engine.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Arc, Once};

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    cast::AsArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, SchemaRef};
use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, ReadOptions, Workers};
use arrowfeed_source::{FeedError, OnError};

/// The two kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Stream,
}

pub(crate) const KINDS: [Kind; 2] = [Kind::File, Kind::Stream];

/// No codec, and each codec.
pub(crate) const CODECS: [Option<CompressionType>; 3] =
    [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];

/// Writes batches with these options.
pub(crate) fn write(kind: Kind, batches: &[RecordBatch], options: IpcWriteOptions) -> Vec<u8> {
    let schema = batches[0].schema();
    let mut bytes = Vec::new();
    match kind {
        Kind::File => {
            let mut writer = FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
        Kind::Stream => {
            let mut writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }
    bytes
}

/// Options with a codec.
pub(crate) fn packed(codec: Option<CompressionType>) -> IpcWriteOptions {
    IpcWriteOptions::default().try_with_compression(codec).unwrap()
}

/// Rows with these numbers: numbers, words of a dictionary, lists, structs.
pub(crate) fn columns(rows: std::ops::Range<i64>) -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.clone()));
    let words: Vec<String> = rows.clone().map(|i| format!("word {}", i % 11)).collect();
    let word: ArrayRef =
        Arc::new(words.iter().map(|word| Some(word.as_str())).collect::<DictionaryArray<Int32Type>>());
    let lists = rows.clone().map(|i| (i % 5 > 0).then(|| (0..i % 4).map(Some).collect::<Vec<_>>()));
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
    let text: ArrayRef = Arc::new(StringArray::from_iter(rows.map(|i| (i % 3 > 0).then(|| i.to_string()))));
    let both: ArrayRef = Arc::new(StructArray::from(vec![
        (Arc::new(Field::new("id", DataType::Int64, false)), id.clone()),
        (Arc::new(Field::new("text", DataType::Utf8, true)), text),
    ]));
    RecordBatch::try_from_iter([("id", id), ("word", word), ("list", list), ("both", both)]).unwrap()
}

/// Cuts a batch into batches of so many rows. Each has the dictionaries of the whole.
pub(crate) fn cut(batch: &RecordBatch, rows: usize) -> Vec<RecordBatch> {
    let starts = (0..batch.num_rows()).step_by(rows);
    starts.map(|start| batch.slice(start, rows.min(batch.num_rows() - start))).collect()
}

/// Small valid files and streams: each codec, and dictionaries that grow.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let batches = cut(&columns(0..200), 40);
    let delta = || IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
    let growing = [columns(0..5), columns(0..9), columns(0..20)];
    let mut seeds = Vec::new();
    for kind in KINDS {
        for codec in CODECS {
            seeds.push(write(kind, &batches, packed(codec)));
        }
        seeds.push(write(kind, &growing, delta()));
    }
    seeds
}

/// Opens a file under the name `file`.
pub(crate) fn open(bytes: Vec<u8>, options: IpcOptions) -> Result<FileSet, FeedError> {
    IpcFormat::files([FileSource::bytes(bytes).with_name("file")], options, None)
}

/// Reads all batches. Also returns the error that ended the reading, if any.
pub(crate) fn read(
    files: FileSet,
    batch_size: usize,
    threads: usize,
    on_error: OnError,
) -> (Vec<RecordBatch>, Option<FeedError>) {
    let threads = threads.try_into().ok();
    let options = ReadOptions { batch_size: Some(batch_size), threads, on_error, ..ReadOptions::default() };
    let mut batches = Vec::new();
    for found in files.read_files(options).unwrap() {
        match found {
            Ok(batch) => batches.push(batch),
            Err(error) => return (batches, Some(error)),
        }
    }
    (batches, None)
}

/// Reads all rows as one batch, which has the schema of the files.
pub(crate) fn whole(files: FileSet, batch_size: usize, threads: usize) -> Result<RecordBatch, FeedError> {
    let schema: SchemaRef = files.schema().clone();
    let (batches, error) = read(files, batch_size, threads, OnError::Raise);
    match error {
        Some(error) => Err(error),
        None => Ok(arrow_select::concat::concat_batches(&schema, &batches).unwrap()),
    }
}

pub(crate) fn reader(
    files: &FileSet,
    part: Part,
    batch_size: usize,
    on_error: OnError,
    workers: Workers,
) -> PartReader {
    let options = PartOptions {
        batch_size: Some(batch_size),
        boundaries: BatchBoundaries::Continue(0),
        on_error,
        workers,
        prefetch_bytes: 1 << 20,
        interrupt: None,
        claim: None,
    };
    PartReader::new(Arc::new(files.clone()), [part], options).unwrap()
}

pub(crate) fn all(reader: &mut PartReader) -> Result<Vec<RecordBatch>, FeedError> {
    reader.map(|found| found.map(|found| found.batch)).collect()
}

/// The values of the column `id`.
pub(crate) fn ids(batches: &[RecordBatch]) -> Vec<i64> {
    let ids = |batch: &RecordBatch| batch["id"].as_primitive::<Int64Type>().values().to_vec();
    batches.iter().flat_map(ids).collect()
}

/// The values of a column of words.
pub(crate) fn words(batch: &RecordBatch, column: &str) -> Vec<String> {
    let word = batch[column].as_dictionary::<Int32Type>();
    let word = word.downcast_dict::<StringArray>().unwrap();
    (0..word.len()).map(|row| arrow_array::ArrayAccessor::value(&word, row).to_owned()).collect()
}

thread_local! {
    static PANICS: Cell<usize> = const { Cell::new(0) };
}

/// Number of panics of other crates in this thread since the last call.
pub(crate) fn panics_of_dependencies() -> usize {
    hide_panics_of_dependencies();
    PANICS.take()
}

/// Stops printing the panics of other crates, which the format converts to errors, and counts them.
pub(crate) fn hide_panics_of_dependencies() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let printing = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.location().is_none_or(|location| Path::new(location.file()).is_relative()) {
                printing(panic);
            } else {
                PANICS.set(PANICS.get() + 1);
            }
        }));
    });
}
