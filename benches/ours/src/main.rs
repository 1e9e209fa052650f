//! Benchmark worker: arrowfeed with its defaults. See `bench_protocol` for the protocol.

mod write;

use std::error::Error;
use std::io;

use arrow_select::filter::filter_record_batch;
use arrowfeed_avro::AvroReaderBuilder;
use arrowfeed_predicate::{Lists, Predicate};
use bench_protocol::{Held, Job, measure, serve};

fn main() -> io::Result<()> {
    let held = Held::default();
    serve(|job| match &job.write {
        Some(codec) => write::run(&held, job, codec),
        None => measure(|| read(job)),
    })
}

fn reader(job: &Job) -> AvroReaderBuilder {
    match job.batch_size {
        Some(rows) => AvroReaderBuilder::new().with_batch_size(rows),
        None => AvroReaderBuilder::new(),
    }
}

fn read(job: &Job) -> Result<usize, Box<dyn Error>> {
    let mut builder = reader(job).with_threads(job.threads);
    if let Some(columns) = &job.columns {
        builder = builder.with_columns(columns.iter().cloned());
    }
    if let Some(filter) = &job.filter {
        let filter = filter.parse()?;
        return if job.way.is_some() {
            decode_all(job, builder, &filter)
        } else {
            select(job, builder, filter)
        };
    }
    let mut rows = 0;
    for batch in builder.open(&job.file)? {
        rows += batch?.num_rows();
    }
    Ok(rows)
}

/// Reads the rows that pass, and returns the number of all rows.
fn select(job: &Job, builder: AvroReaderBuilder, filter: Predicate) -> Result<usize, Box<dyn Error>> {
    let mut reader = builder.with_filter(filter).open(&job.file)?;
    for batch in reader.by_ref() {
        drop(batch?);
    }
    let report = reader.report();
    Ok(usize::try_from(report.rows + report.rejected)?)
}

/// Reads all rows, and filters the batches with the kernels of Arrow. Returns the number of all rows.
fn decode_all(job: &Job, builder: AvroReaderBuilder, filter: &Predicate) -> Result<usize, Box<dyn Error>> {
    let reader = builder.open(&job.file)?;
    let filter = filter.compile(&reader.schema(), Lists::AreValues)?;
    let mut rows = 0;
    for batch in reader {
        let batch = batch?;
        rows += batch.num_rows();
        drop(filter_record_batch(&batch, &filter.keeps(&batch)?)?);
    }
    Ok(rows)
}
