//! Runs SQL over Avro files in S3: on a small server of this program, which stands for any server with the interface of S3.
//!
//! ```sh
//! cargo run --release --package arrowfeed-datafusion --example s3
//! ```

#![allow(clippy::print_stdout, reason = "examples print")]

mod server;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use arrowfeed::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrowfeed::avro::{WriteOptions, write_avro};
use datafusion::prelude::SessionContext;

use server::Server;

/// Writes a file for each of three days.
fn write(bucket: &Path) -> Result<(), Box<dyn Error>> {
    for day in 1..=3_i64 {
        let directory = bucket.join(format!("clicks/dt=2026-01-0{day}"));
        std::fs::create_dir_all(&directory)?;
        let users: ArrayRef = Arc::new(Int64Array::from_iter_values(0..20_000));
        let pages = (0..20_000).map(|row| ["home", "search", "cart"][row % (day as usize)]);
        let pages: ArrayRef = Arc::new(StringArray::from_iter_values(pages));
        let batch = RecordBatch::try_from_iter([("user", users), ("page", pages)])?;
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        write_avro(batches, directory.join("part-0.avro"), &WriteOptions::default())?;
    }
    Ok(())
}

/// The visits of each page, without the first day, whose file is not read.
async fn visits(endpoint: &str) -> Result<String, Box<dyn Error>> {
    let context = SessionContext::new();
    arrowfeed_datafusion::register(&context)?;
    // Without such options, the credentials come from the environment.
    let create = format!(
        "CREATE EXTERNAL TABLE clicks STORED AS ARROWFEED_AVRO PARTITIONED BY (dt) LOCATION 's3://bucket/clicks/'
         OPTIONS ('store.aws_endpoint' '{endpoint}', 'store.aws_allow_http' 'true', 'store.aws_region' 'us-east-1',
                  'store.aws_access_key_id' 'any', 'store.aws_secret_access_key' 'any')"
    );
    context.sql(&create).await?;
    let sql = "SELECT page, count(*) AS visits, max(dt) AS last FROM clicks
               WHERE dt > '2026-01-01' AND user < 15000 GROUP BY page ORDER BY page";
    Ok(context.sql(sql).await?.to_string().await?)
}

async fn example() -> Result<(String, Server), Box<dyn Error>> {
    let bucket = tempfile::tempdir()?;
    write(bucket.path())?;
    let server = Server::start(bucket.path().to_owned())?;
    let table = visits(&server.endpoint).await?;
    Ok((table, server))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (table, server) = example().await?;
    println!("{table}\n{} bytes of {} files were read", server.bytes(), server.files());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pages_of_two_days_are_counted() -> Result<(), Box<dyn Error>> {
        let (table, server) = example().await?;
        let rows: Vec<String> = table
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.split_whitespace().filter(|cell| *cell != "|").collect::<Vec<_>>().join(" "))
            .collect();
        let expected =
            ["page visits last", "cart 5000 2026-01-03", "home 12500 2026-01-03", "search 12500 2026-01-03"];
        assert_eq!(rows, expected);
        assert_eq!(server.files(), 3, "the header of the first day has the schema of its file");
        Ok(())
    }
}
