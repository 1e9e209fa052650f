//! Work on fixed inputs, for callgrind: `bench-instructions WORK FOLDER` does the work once and prints its number of rows.
//!
//! `benches/instructions.py` configures callgrind so that it counts only the calls in [`counted_work`]. All work runs on one
//! thread.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::DataType;
use arrowfeed::avro::{AvroFormat, AvroOptions, AvroWriter, Codec, WriteOptions};
use arrowfeed::dataset::GlobalBatches;
use arrowfeed::ipc::{IpcFormat, IpcOptions};
use arrowfeed::predicate::Predicate;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{FileReader, FileSet, ReadOptions};
use arrowfeed::tensor::{TensorAdapter, infer_representations};
use arrowfeed::text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};
use arrowfeed::tfrecord::{Compression, ExampleWriter, RecordFormat, RecordKind, RecordOptions};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions};

/// A function that does the work and returns a number of rows.
type Work = Box<dyn FnOnce() -> Result<usize, Box<dyn Error>>>;

const ONE_THREAD: NonZeroUsize = NonZeroUsize::MIN;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder] = &arguments[..] else {
        return Err("usage: bench-instructions WORK FOLDER".into());
    };
    let (kind, file) = name.split_once(' ').ok_or("expected a kind of work and a file")?;
    let work = prepared(kind, &Path::new(folder).join(format!("{file}.null.avro")))?;
    println!("{}", counted_work(work)?);
    Ok(())
}

/// The counted part of the work. It contains no closure, because callgrind would match the name of the closure too.
#[inline(never)]
fn counted_work(work: Work) -> Result<usize, Box<dyn Error>> {
    work()
}

/// Reads the input of the work, and returns the work.
fn prepared(kind: &str, path: &Path) -> Result<Work, Box<dyn Error>> {
    let path = path.to_path_buf();
    Ok(match kind {
        "decode" => Box::new(move || rows(reader(&path, 8192, None)?)),
        "project" => {
            let columns = columns_of(&path)?;
            Box::new(move || rows(reader(&path, 8192, Some(columns))?))
        }
        "filter_1" => filtered(path, "score > 2.3263")?,
        "filter_100" => filtered(path, "score is not null")?,
        "tensors" => {
            let batches = batches(&path, 1024)?;
            let schema = batches[0].schema();
            let adapter = TensorAdapter::try_new(schema.clone(), infer_representations(&schema))?;
            Box::new(move || {
                let mut rows = 0;
                for batch in &batches {
                    adapter.convert(batch)?;
                    rows += batch.num_rows();
                }
                Ok(rows)
            })
        }
        "dataset" => dataset(path, 0, None)?,
        "shuffle" => dataset(path, 4096, None)?,
        "global" => dataset(path, 0, Some(GlobalBatches::new(1024)))?,
        "global_shuffle" => dataset(path, 4096, Some(GlobalBatches::new(1024)))?,
        "write" => {
            let batches = batches(&path, 8192)?;
            Box::new(move || {
                let options =
                    WriteOptions { codec: Codec::Null, threads: Some(ONE_THREAD), ..WriteOptions::default() };
                let mut writer = AvroWriter::to_sink(std::io::sink(), batches[0].schema(), options)?;
                batches.iter().try_for_each(|batch| writer.write(batch))?;
                Ok(writer.finish()?.rows as usize)
            })
        }
        "csv" | "json_lines" | "examples" | "ipc" => {
            let files = files_of(kind, &path)?;
            let reading = reading(8192);
            Box::new(move || rows(files.read_files(reading)?))
        }
        other => return Err(format!("expected a kind of work, found {other}").into()),
    })
}

/// Writes the rows of an Avro file in another format, and opens the result.
fn files_of(kind: &str, path: &Path) -> Result<FileSet, Box<dyn Error>> {
    let mut batches = batches(path, 8192)?;
    let mut bytes = Vec::new();
    if kind == "examples" {
        let path = path.with_extension("tfrecord");
        let mut writer = ExampleWriter::create(&path, Compression::None)?;
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        writer.finish()?;
        let kind = RecordKind::Example { features: None, sample: Some(1000) };
        return Ok(RecordFormat::files([path], RecordOptions::new(kind), None)?);
    }
    if kind == "ipc" {
        let mut writer = FileWriter::try_new(&mut bytes, &batches[0].schema())?;
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        writer.finish()?;
        drop(writer);
        return Ok(IpcFormat::files([FileSource::bytes(bytes)], IpcOptions::default(), None)?);
    }
    // Text has no columns of bytes.
    let fields = batches[0].schema_ref().fields().iter().enumerate();
    let texts = fields.filter(|(_, field)| *field.data_type() != DataType::Binary).map(|(at, _)| at);
    let texts: Vec<usize> = texts.collect();
    batches = batches.iter().map(|batch| batch.project(&texts)).collect::<Result<_, _>>()?;
    let schema = Some(batches[0].schema());
    if kind == "csv" {
        let mut writer = arrow_csv::Writer::new(&mut bytes);
        batches.iter().try_for_each(|batch| writer.write(batch))?;
        drop(writer);
        let options = CsvOptions { schema, ..CsvOptions::default() };
        return Ok(CsvFormat::files([FileSource::bytes(bytes)], options, None)?);
    }
    let mut writer = arrow_json::LineDelimitedWriter::new(&mut bytes);
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()?;
    drop(writer);
    let options = JsonLinesOptions { schema, ..JsonLinesOptions::default() };
    Ok(JsonLinesFormat::files([FileSource::bytes(bytes)], options, None)?)
}

fn reading(batch_size: usize) -> ReadOptions {
    ReadOptions { batch_size: Some(batch_size), threads: Some(ONE_THREAD), ..ReadOptions::default() }
}

fn reader(
    path: &Path,
    batch_size: usize,
    columns: Option<Vec<String>>,
) -> Result<FileReader, Box<dyn Error>> {
    Ok(AvroFormat::read([path], AvroOptions { columns, ..AvroOptions::default() }, reading(batch_size))?)
}

/// Returns work that reads the rows that pass a predicate.
fn filtered(path: PathBuf, predicate: &str) -> Result<Work, Box<dyn Error>> {
    let predicate: Predicate = predicate.parse()?;
    Ok(Box::new(move || {
        let reading = ReadOptions { filter: Some(predicate), ..reading(8192) };
        rows(AvroFormat::read([&path], AvroOptions::default(), reading)?)
    }))
}

fn rows(reader: FileReader) -> Result<usize, Box<dyn Error>> {
    let mut rows = 0;
    for batch in reader {
        rows += batch?.num_rows();
    }
    Ok(rows)
}

fn batches(path: &Path, batch_size: usize) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    Ok(reader(path, batch_size, None)?.collect::<Result<_, _>>()?)
}

/// Every fifth column, from the first one on.
fn columns_of(path: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let schema = reader(path, 1, None)?.schema();
    Ok(schema.fields().iter().step_by(5).map(|field| field.name().clone()).collect())
}

/// Returns work that reads tensors of batches of 1,024 rows, in file order or shuffled.
fn dataset(
    path: PathBuf,
    shuffle_buffer_size: usize,
    global: Option<GlobalBatches>,
) -> Result<Work, Box<dyn Error>> {
    let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    let dataset = Dataset::open(files, DatasetOptions::default())?;
    Ok(Box::new(move || {
        let options = IterationOptions {
            batch_size: 1024,
            global,
            shuffle_buffer_size,
            seed: Some(7),
            threads: Some(ONE_THREAD),
            ..IterationOptions::default()
        };
        let mut steps = 0;
        for tensors in dataset.tensors(options)? {
            tensors?;
            steps += 1;
        }
        Ok(steps)
    }))
}
