//! Writes the rows of a file. The rows are read once, and the reading is not measured.

use std::error::Error;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_avro::{AvroFormat, AvroOptions, AvroWriter, Codec, ReadOptions, WriteOptions};
use bench_protocol::{CountingSink, Held, Job, Measured, measure};

/// The schema and the rows of a file.
pub type Rows = (SchemaRef, Vec<RecordBatch>);

/// Measures a write.
pub fn run(held: &Held<Rows>, job: &Job, codec: &str) -> Result<Measured, Box<dyn Error>> {
    let codec = Codec::from_name(codec.as_bytes())?;
    held.with(job, || read(job), |rows| measure(|| write(rows, codec, job)))
}

fn read(job: &Job) -> Result<Rows, Box<dyn Error>> {
    let reading = ReadOptions { batch_size: job.batch_size, ..ReadOptions::default() };
    let reader = AvroFormat::read([&job.file], AvroOptions::default(), reading)?;
    Ok((reader.schema(), reader.collect::<Result<_, _>>()?))
}

fn write((schema, batches): &Rows, codec: Codec, job: &Job) -> Result<usize, Box<dyn Error>> {
    let options = WriteOptions { codec, threads: Some(job.threads), ..WriteOptions::default() };
    let mut writer = AvroWriter::to_sink(CountingSink::default(), schema.clone(), options)?;
    for batch in batches {
        writer.write(batch)?;
    }
    Ok(writer.finish()?.rows as usize)
}
