//! Writes the rows of a file, which are read once and not measured.

use std::cell::RefCell;
use std::error::Error;

use arrow_array::RecordBatch;
use arrow_avro::compression::CompressionCodec;
use arrow_avro::reader::ReaderBuilder;
use arrow_avro::writer::WriterBuilder;
use arrow_avro::writer::format::AvroOcfFormat;
use arrow_schema::SchemaRef;
use bench_protocol::{CountingSink, Job, Measured, measure};

use crate::open;

/// The batches of the last file.
#[derive(Default)]
pub struct Held(RefCell<Option<Batches>>);

struct Batches {
    file: String,
    batch_size: usize,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Held {
    /// Measures a write.
    pub fn write(&self, job: &Job, codec: &str) -> Result<Measured, Box<dyn Error>> {
        let mut held = self.0.borrow_mut();
        if !held.as_ref().is_some_and(|held| held.file == job.file && held.batch_size == job.batch_size) {
            *held = None;
            let reader = open(job, ReaderBuilder::new().with_batch_size(job.batch_size))?;
            let (file, schema) = (job.file.clone(), reader.schema());
            let batches = reader.collect::<Result<_, _>>()?;
            *held = Some(Batches { file, batch_size: job.batch_size, schema, batches });
        }
        let Some(held) = held.as_ref() else { return Err("expected batches".into()) };
        let codec = match codec {
            "null" => None,
            "deflate" => Some(CompressionCodec::Deflate),
            "snappy" => Some(CompressionCodec::Snappy),
            "zstandard" => Some(CompressionCodec::ZStandard),
            other => return Err(format!("expected a codec of the benchmarks, found {other}").into()),
        };
        measure(|| write(held, codec))
    }
}

/// Each batch becomes one block: arrow-avro has no other way.
fn write(held: &Batches, codec: Option<CompressionCodec>) -> Result<usize, Box<dyn Error>> {
    let builder = WriterBuilder::new(held.schema.as_ref().clone()).with_compression(codec);
    let mut writer = builder.build::<_, AvroOcfFormat>(CountingSink::default())?;
    let mut rows = 0;
    for batch in &held.batches {
        writer.write(batch)?;
        rows += batch.num_rows();
    }
    writer.finish()?;
    Ok(rows)
}
