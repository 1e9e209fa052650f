//! Benchmark worker: arrowfeed with its defaults. See `bench_protocol` for the protocol.

mod write;

use std::error::Error;
use std::io;

use arrowfeed_avro::AvroReader;
use bench_protocol::{Held, Job, measure, serve};

fn main() -> io::Result<()> {
    let held = Held::default();
    serve(|job| match &job.write {
        Some(codec) => write::run(&held, job, codec),
        None => measure(|| read(job)),
    })
}

fn read(job: &Job) -> Result<usize, Box<dyn Error>> {
    let mut builder = AvroReader::builder().with_batch_size(job.batch_size).with_threads(job.threads);
    if let Some(columns) = &job.columns {
        builder = builder.with_columns(columns.iter().cloned());
    }
    let mut rows = 0;
    for batch in builder.open(&job.file)? {
        rows += batch?.num_rows();
    }
    Ok(rows)
}
