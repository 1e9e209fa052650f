//! Runs a query of SQL over files.
//!
//! ```sh
//! cargo run --release --package arrowfeed-datafusion --example sql -- ARROWFEED_AVRO data/demo/events.snappy.avro "SELECT count(*) FROM t"
//! ```

#![allow(clippy::print_stdout, reason = "examples print")]

use std::error::Error;

use datafusion::prelude::SessionContext;

async fn answer(format: &str, location: &str, sql: &str) -> Result<String, Box<dyn Error>> {
    let context = SessionContext::new();
    arrowfeed_datafusion::register(&context)?;
    let location = location.replace('\'', "''");
    context.sql(&format!("CREATE EXTERNAL TABLE t STORED AS {format} LOCATION '{location}'")).await?;
    Ok(context.sql(sql).await?.to_string().await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [format, location, sql] = &arguments[..] else {
        return Err("expected the name of a format, a path or URL, and a query of the table t".into());
    };
    answer(format, location, sql).await.map(|text| println!("{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_query_is_answered() -> Result<(), Box<dyn Error>> {
        let location = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.avro");
        let table = answer("ARROWFEED_AVRO", location, "SELECT count(*) AS n FROM t").await?;
        assert!(table.contains("| n "), "{table}");
        Ok(())
    }
}
