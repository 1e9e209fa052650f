//! A source of tensors for another format in one `impl`: CSV files of numbers with a header line.
//!
//! ```sh
//! cargo run --release --example csv_source -- FILE
//! ```

#![allow(clippy::print_stdout, reason = "examples print")]

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float32Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed::{DatasetError, IterationOptions, RecordBatches, TensorDefinitions, Tfxio};
use arrowfeed_examples::run;

struct Csv {
    path: PathBuf,
    schema: SchemaRef,
    tensors: TensorDefinitions,
}

impl Csv {
    fn open(path: PathBuf) -> Result<Self, DatasetError> {
        let names =
            lines(&path)?.next().ok_or_else(|| DatasetError::of_source("expected a line of names"))?;
        let names = names.map_err(DatasetError::of_source)?;
        let fields = names.split(',').map(|name| Field::new(name.trim(), DataType::Float32, false));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(Self { path, tensors: TensorDefinitions::inferred(&schema), schema })
    }
}

fn lines(path: &PathBuf) -> Result<Lines<BufReader<File>>, DatasetError> {
    Ok(BufReader::new(File::open(path).map_err(DatasetError::of_source)?).lines())
}

fn batch(schema: &SchemaRef, lines: &[String]) -> Result<RecordBatch, DatasetError> {
    let mut columns = vec![Vec::with_capacity(lines.len()); schema.fields().len()];
    for line in lines {
        let mut numbers = line.split(',').map(|text| text.trim().parse::<f32>());
        for column in &mut columns {
            let number =
                numbers.next().ok_or_else(|| DatasetError::of_source("expected a number a column"))?;
            column.push(number.map_err(DatasetError::of_source)?);
        }
    }
    let columns =
        columns.into_iter().map(|column| Arc::new(Float32Array::from(column)) as ArrayRef).collect();
    RecordBatch::try_new(schema.clone(), columns).map_err(DatasetError::of_source)
}

impl Tfxio for Csv {
    fn arrow_schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn tensor_definitions(&self) -> TensorDefinitions {
        self.tensors.clone()
    }

    fn record_batches(&self, options: IterationOptions) -> Result<RecordBatches, DatasetError> {
        options.check_heeded(&["drop_remainder"])?;
        let (schema, mut lines) = (self.schema.clone(), lines(&self.path)?.skip(1));
        let least = if options.drop_remainder { options.batch_size } else { 1 };
        Ok(Box::new(std::iter::from_fn(move || {
            match lines.by_ref().take(options.batch_size).collect::<Result<Vec<_>, _>>() {
                Ok(rows) => (rows.len() >= least).then(|| batch(&schema, &rows)),
                Err(error) => Some(Err(DatasetError::of_source(error))),
            }
        })))
    }

    fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        let tensors = self.tensors.project(self.schema.clone(), names)?;
        Ok(Self { path: self.path.clone(), schema: self.schema.clone(), tensors })
    }
}

fn main() -> ExitCode {
    run(|| {
        let path = env::args().nth(1).ok_or("usage: csv_source FILE")?;
        for tensors in Csv::open(path.into())?.tensors(IterationOptions::default())? {
            println!("{:?}", tensors?);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
