//! Iterates over the shuffled batches of a dataset in smol, and resumes from a state.
//!
//! ```sh
//! cargo run --release --example async_smol -- FILE...
//! ```

#![allow(clippy::print_stdout, reason = "examples print")]

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions, asynchronous};
use arrowfeed_examples::run;

/// Counts the rows of an epoch. After `first` batches, another stream continues from the state.
async fn epoch(files: Vec<PathBuf>, first: usize) -> Result<usize, Box<dyn Error>> {
    let dataset = asynchronous::run(move || {
        let files = AvroFormat::files(arrowfeed::resolve(files)?, AvroOptions::default(), None)?;
        Dataset::open(files, DatasetOptions::default())
    });
    let dataset = dataset.await?;
    let options =
        IterationOptions { batch_size: 2, shuffle_buffer_size: 1000, seed: Some(7), ..Default::default() };
    let (mut batches, mut rows) = (dataset.record_batch_stream(options.clone())?, 0);
    for _ in 0..first {
        rows += batches.next().await.transpose()?.map_or(0, |batch| batch.num_rows());
    }
    let state = batches.iterator()?.state()?;
    let mut batches = dataset.record_batch_stream(options)?;
    batches.iterator()?.load_state(&state)?;
    while let Some(batch) = batches.next().await {
        rows += batch?.num_rows();
    }
    Ok(rows)
}

fn main() -> ExitCode {
    run(|| {
        let files = env::args_os().skip(1).map(PathBuf::from).collect();
        println!("{} rows", smol::block_on(epoch(files, 3))?);
        Ok(())
    })
}

#[test]
fn a_resumed_stream_has_the_rest_of_the_rows() {
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.avro"));
    let rows = [0, 1].map(|first| smol::block_on(epoch(vec![data.clone(); 3], first)).unwrap());
    assert!(rows[0] > 2);
    assert_eq!(rows[0], rows[1]);
}
