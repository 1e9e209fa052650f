//! Benchmark worker: arrowfeed with its defaults. See `bench_protocol` for the protocol.

mod write;

use std::error::Error;
use std::io;

use arrowfeed_avro::AvroReaderBuilder;
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
    let mut rows = 0;
    for batch in builder.open(&job.file)? {
        rows += batch?.num_rows();
    }
    Ok(rows)
}
