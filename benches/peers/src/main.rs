//! Benchmark worker: arrow-avro with its defaults. See `bench_protocol` for the protocol.

mod write;

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader};

use arrow_avro::reader::{Reader, ReaderBuilder};
use bench_protocol::{Held, Job, Measured, measure, serve};

/// Buffer size that amortises the cost of a read(2) call. arrow-avro does not define one.
const READ_BYTES: usize = 1 << 20;

fn main() -> io::Result<()> {
    let held = Held::default();
    serve(|job| {
        if job.threads.get() != 1 {
            return Err(format!("expected 1 thread, found {}: arrow-avro has no threads", job.threads).into());
        }
        match &job.write {
            Some(codec) => write::run(&held, job, codec),
            None => run(job),
        }
    })
}

fn run(job: &Job) -> Result<Measured, Box<dyn Error>> {
    // Not measured, because a caller of arrow-avro knows the indices.
    let projection = projection(job)?;
    measure(|| read(job, projection))
}

fn reader(job: &Job) -> ReaderBuilder {
    match job.batch_size {
        Some(rows) => ReaderBuilder::new().with_batch_size(rows),
        None => ReaderBuilder::new(),
    }
}

fn read(job: &Job, projection: Option<Vec<usize>>) -> Result<usize, Box<dyn Error>> {
    let mut builder = reader(job);
    if let Some(indices) = projection {
        builder = builder.with_projection(indices);
    }
    let mut rows = 0;
    for batch in open(job, builder)? {
        rows += batch?.num_rows();
    }
    Ok(rows)
}

fn projection(job: &Job) -> Result<Option<Vec<usize>>, Box<dyn Error>> {
    let Some(columns) = &job.columns else { return Ok(None) };
    let schema = open(job, ReaderBuilder::new())?.schema();
    let indices: Result<Vec<_>, _> = columns.iter().map(|name| schema.index_of(name)).collect();
    Ok(Some(indices?))
}

fn open(job: &Job, builder: ReaderBuilder) -> Result<Reader<BufReader<File>>, Box<dyn Error>> {
    Ok(builder.build(BufReader::with_capacity(READ_BYTES, File::open(&job.file)?))?)
}
