//! Benchmark worker: arrowfeed with its defaults. See `bench_protocol` for the protocol.

mod write;

use std::error::Error;
use std::io;

use arrow_select::filter::filter_record_batch;
use arrowfeed_avro::{AvroFormat, AvroOptions, FileReader, ReadOptions};
use arrowfeed_predicate::{Lists, Predicate};
use bench_protocol::{Held, Job, measure, serve};

fn main() -> io::Result<()> {
    let held = Held::default();
    serve(|job| match &job.write {
        Some(codec) => write::run(&held, job, codec),
        None => measure(|| read(job)),
    })
}

fn open(job: &Job, filter: Option<Predicate>) -> Result<FileReader, Box<dyn Error>> {
    let options = AvroOptions { columns: job.columns.clone(), ..AvroOptions::default() };
    let (batch_size, threads) = (job.batch_size, Some(job.threads));
    let reading = ReadOptions { batch_size, threads, filter, ..ReadOptions::default() };
    Ok(AvroFormat::read([&job.file], options, reading)?)
}

fn read(job: &Job) -> Result<usize, Box<dyn Error>> {
    if let Some(filter) = &job.filter {
        let filter = filter.parse()?;
        return if job.way.is_some() { decode_all(job, &filter) } else { select(job, filter) };
    }
    let mut rows = 0;
    for batch in open(job, None)? {
        rows += batch?.num_rows();
    }
    Ok(rows)
}

/// Reads the rows that pass, and returns the number of all rows.
fn select(job: &Job, filter: Predicate) -> Result<usize, Box<dyn Error>> {
    let mut reader = open(job, Some(filter))?;
    for batch in reader.by_ref() {
        drop(batch?);
    }
    let report = reader.report();
    Ok(usize::try_from(report.rows + report.rejected)?)
}

/// Reads all rows, and filters the batches with the kernels of Arrow. Returns the number of all rows.
fn decode_all(job: &Job, filter: &Predicate) -> Result<usize, Box<dyn Error>> {
    let reader = open(job, None)?;
    let filter = filter.compile(&reader.schema(), Lists::AreValues)?;
    let mut rows = 0;
    for batch in reader {
        let batch = batch?;
        rows += batch.num_rows();
        drop(filter_record_batch(&batch, &filter.keeps(&batch)?)?);
    }
    Ok(rows)
}
