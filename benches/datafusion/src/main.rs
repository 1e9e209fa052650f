//! Runs queries over Avro files, with the tables of arrowfeed and with those of DataFusion in turns, and prints both times.
//!
//! Usage: `bench-datafusion DIRECTORY [--rounds 5] [--partitions N] [--tpch 1]`. The directory has the files of
//! `benches/generate.py`. With `--tpch`, the lineitem table of this scale is written to the directory, once, and TPC-H Q1 and Q6
//! read it as Avro; the answers are compared with those over a Parquet file of the same rows.

mod queries;
mod tpch;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{AvroReadOptions, SessionConfig, SessionContext};

use queries::{FILES, Query};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Arguments {
    directory: PathBuf,
    rounds: usize,
    partitions: Option<usize>,
    tpch: Option<f64>,
}

impl Arguments {
    fn read() -> Result<Self> {
        let mut arguments = std::env::args().skip(1);
        let usage = "usage: bench-datafusion DIRECTORY [--rounds 5] [--partitions N] [--tpch 1]";
        let mut found = Self { directory: PathBuf::new(), rounds: 5, partitions: None, tpch: None };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(usage);
            match argument.as_str() {
                "--rounds" => found.rounds = value()?.parse()?,
                "--partitions" => found.partitions = Some(value()?.parse()?),
                "--tpch" => found.tpch = Some(value()?.parse()?),
                directory if !directory.starts_with('-') => found.directory = directory.into(),
                _ => return Err(usage.into()),
            }
        }
        if found.directory.as_os_str().is_empty() { Err(usage.into()) } else { Ok(found) }
    }

    fn session(&self) -> Result<SessionContext> {
        let mut config = SessionConfig::new();
        if let Some(partitions) = self.partitions {
            config = config.with_target_partitions(partitions);
        }
        let context = SessionContext::new_with_config(config);
        arrowfeed_datafusion::register(&context)?;
        Ok(context)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::read()?;
    println!("| file | query | arrowfeed ms | DataFusion ms | ratio |\n|---|---|---:|---:|---:|");
    for (file, queries) in FILES {
        let path = arguments.directory.join(format!("{file}.null.avro"));
        let context = arguments.session()?;
        register(&context, &path).await?;
        for query in queries {
            compare(&context, file, query, arguments.rounds).await?;
        }
    }
    if let Some(scale) = arguments.tpch {
        let context = arguments.session()?;
        let files = tpch::write(&arguments.directory, scale)?;
        register(&context, &files.avro).await?;
        context.register_parquet("parquet", &files.parquet.display().to_string(), Default::default()).await?;
        for query in tpch::QUERIES {
            let expected = answer(&context, &query.of("parquet")).await?;
            let found = answer(&context, &query.of("arrowfeed")).await?;
            if found != expected {
                return Err(format!("expected the answer over Parquet:\n{expected}\nfound:\n{found}").into());
            }
            compare(&context, "lineitem", query, arguments.rounds).await?;
        }
    }
    Ok(())
}

/// Registers a file as the tables `arrowfeed` and `datafusion`.
async fn register(context: &SessionContext, path: &Path) -> Result<()> {
    let path = path.display().to_string();
    let create = format!("CREATE EXTERNAL TABLE arrowfeed STORED AS ARROWFEED_AVRO LOCATION '{path}'");
    context.sql(&create).await?;
    context.register_avro("datafusion", &path, AvroReadOptions::default()).await?;
    Ok(())
}

/// Runs a query with both tables in turns, and prints the medians.
async fn compare(context: &SessionContext, file: &str, query: &Query, rounds: usize) -> Result<()> {
    let tables = ["arrowfeed", "datafusion"];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        let mut answers = Vec::new();
        for (table, times) in tables.iter().zip(&mut times) {
            let begin = Instant::now();
            match answer(context, &query.of(table)).await {
                Ok(found) => answers.push(found),
                // DataFusion cannot read some files.
                Err(error) if *table == "datafusion" && round == 0 => {
                    println!("| {file} | {} | | {error} | |", query.name);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            // The first round warms up.
            if round > 0 {
                times.push(begin.elapsed().as_secs_f64() * 1000.0);
            }
        }
        if answers[0] != answers[1] {
            return Err(format!("expected equal answers, found:\n{}\n{}", answers[0], answers[1]).into());
        }
    }
    let [ours, theirs] = times.map(median);
    println!("| {file} | {} | {ours:.1} | {theirs:.1} | {:.1} |", query.name, theirs / ours);
    Ok(())
}

async fn answer(context: &SessionContext, sql: &str) -> Result<String> {
    let batches = context.sql(sql).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
