//! Reads Avro files in tokio, each in a task of its own, and writes the rows of all of them into one file.
//!
//! ```sh
//! cargo run --release --example async_tokio -- NEW_FILE FILE...
//! ```

#![allow(clippy::print_stdout, reason = "examples print")]

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use arrowfeed::asynchronous::AsyncAvroWriter;
use arrowfeed::avro::{AvroWriter, WriteOptions};
use arrowfeed_examples::run;
use tokio::sync::mpsc;

/// Batches that wait for the writer.
const WAITING: usize = 4;

/// Writes the rows of `files`, which have the columns of the first one, to `path`. Returns their number.
async fn join(path: PathBuf, files: Vec<PathBuf>) -> Result<u64, Box<dyn Error>> {
    let schema = arrowfeed::open(&files[0]).stream().await?.schema();
    let mut writer = AsyncAvroWriter::new(AvroWriter::create(path, schema, WriteOptions::default())?);
    let (send, mut receive) = mpsc::channel(WAITING);
    for file in files {
        let send = send.clone();
        tokio::spawn(async move {
            let mut batches = match arrowfeed::open(file).stream().await {
                Ok(batches) => batches,
                Err(error) => return drop(send.send(Err(error)).await),
            };
            while let Some(batch) = batches.next().await {
                // The receiver ends after an error. Dropping the stream cancels the reading.
                if send.send(batch).await.is_err() {
                    return;
                }
            }
        });
    }
    drop(send);
    while let Some(batch) = receive.recv().await {
        writer.write(batch?).await?;
    }
    Ok(writer.finish().await?.rows)
}

fn joined(path: PathBuf, files: Vec<PathBuf>) -> Result<u64, Box<dyn Error>> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(join(path, files))
}

fn main() -> ExitCode {
    run(|| {
        let mut paths = env::args_os().skip(1).map(PathBuf::from);
        let path = paths.next().ok_or("usage: async_tokio NEW_FILE FILE...")?;
        println!("{} rows", joined(path, paths.collect())?);
        Ok(())
    })
}

#[test]
fn the_rows_of_all_files_are_in_one() {
    let data = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.avro"));
    let path = env::temp_dir().join(format!("arrowfeed-tokio-{}.avro", std::process::id()));
    let count = |path: &PathBuf| -> Result<usize, arrowfeed::FeedError> {
        arrowfeed::open(path).read()?.map(|batch| Ok(batch?.num_rows())).sum()
    };
    let rows = joined(path.clone(), vec![data.clone(), data.clone(), data.clone()]).unwrap();
    assert_eq!(rows as usize, 3 * count(&data).unwrap());
    assert_eq!(rows as usize, count(&path).unwrap());
    std::fs::remove_file(path).unwrap();
}
