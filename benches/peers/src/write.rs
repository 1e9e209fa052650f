//! Writes the rows of a file. The rows are read once, and the reading is not measured.

use std::error::Error;

use arrow_array::RecordBatch;
use arrow_avro::compression::CompressionCodec;
use arrow_avro::writer::WriterBuilder;
use arrow_avro::writer::format::AvroOcfFormat;
use arrow_schema::SchemaRef;
use bench_protocol::{CountingSink, Held, Job, Measured, measure};

use crate::open;

/// The schema and the rows of a file.
pub type Rows = (SchemaRef, Vec<RecordBatch>);

/// Measures a write.
pub fn run(held: &Held<Rows>, job: &Job, codec: &str) -> Result<Measured, Box<dyn Error>> {
    let codec = match codec {
        "null" => None,
        "deflate" => Some(CompressionCodec::Deflate),
        "snappy" => Some(CompressionCodec::Snappy),
        "zstandard" => Some(CompressionCodec::ZStandard),
        other => return Err(format!("expected a codec of the benchmarks, found {other}").into()),
    };
    held.with(job, || read(job), |rows| measure(|| write(rows, codec)))
}

fn read(job: &Job) -> Result<Rows, Box<dyn Error>> {
    let reader = open(job, super::reader(job))?;
    Ok((reader.schema(), reader.collect::<Result<_, _>>()?))
}

/// Writes each batch as one block, because arrow-avro has no other option.
fn write((schema, batches): &Rows, codec: Option<CompressionCodec>) -> Result<usize, Box<dyn Error>> {
    let builder = WriterBuilder::new(schema.as_ref().clone()).with_compression(codec);
    let mut writer = builder.build::<_, AvroOcfFormat>(CountingSink::default())?;
    let mut rows = 0;
    for batch in batches {
        writer.write(batch)?;
        rows += batch.num_rows();
    }
    writer.finish()?;
    Ok(rows)
}
