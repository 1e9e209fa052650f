//! Writes the rows of a file, which are read once and not measured.

use std::cell::RefCell;
use std::error::Error;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed_avro::{AvroReader, AvroWriter, Codec, WriteOptions};
use bench_protocol::{CountingSink, Job, Measured, measure};

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
            let reader = AvroReader::builder().with_batch_size(job.batch_size).open(&job.file)?;
            let (file, schema) = (job.file.clone(), reader.schema());
            let batches = reader.collect::<Result<_, _>>()?;
            *held = Some(Batches { file, batch_size: job.batch_size, schema, batches });
        }
        let Some(held) = held.as_ref() else { return Err("expected batches".into()) };
        let codec = Codec::from_name(codec.as_bytes())?;
        measure(|| write(held, codec, job))
    }
}

fn write(held: &Batches, codec: Codec, job: &Job) -> Result<usize, Box<dyn Error>> {
    let options = WriteOptions { codec, threads: Some(job.threads), ..WriteOptions::default() };
    let mut writer = AvroWriter::to_sink(CountingSink::default(), held.schema.clone(), options)?;
    for batch in &held.batches {
        writer.write(batch)?;
    }
    Ok(writer.finish()?.rows as usize)
}
