//! Reads the rows of an Avro file into structs, and writes structs as Avro: the program of docs/from-apache-avro.md.
//!
//! ```sh
//! cargo run --release --manifest-path examples/serde/Cargo.toml
//! ```

use std::error::Error;
use std::path::Path;

use arrowfeed::arrow::array::RecordBatchIterator;
use arrowfeed::arrow::schema::FieldRef;
use arrowfeed::avro::{WriteOptions, write_avro};
use serde::{Deserialize, Serialize};
use serde_arrow::schema::{SchemaLike, TracingOptions};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Click {
    user: String,
    price: Option<f64>,
    tags: Vec<String>,
    device: Device,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Device {
    name: String,
    width: i32,
}

fn write_clicks(clicks: &[Click], path: &Path) -> Result<(), Box<dyn Error>> {
    let fields = Vec::<FieldRef>::from_type::<Click>(TracingOptions::default())?;
    let batch = serde_arrow::to_record_batch(&fields, &clicks)?;
    let schema = batch.schema();
    write_avro(RecordBatchIterator::new([Ok(batch)], schema), path, &WriteOptions::default())?;
    Ok(())
}

fn read_clicks(path: &Path) -> Result<Vec<Click>, Box<dyn Error>> {
    let mut clicks = Vec::new();
    for batch in arrowfeed::open(path).columns(["user", "price", "tags", "device"]).read()? {
        clicks.extend(serde_arrow::from_record_batch::<Vec<Click>>(&batch?)?);
    }
    Ok(clicks)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("clicks-{}.avro", std::process::id()));
    let clicks = [("a", Some(0.5), 360), ("b", None, 1024)].map(|(user, price, width)| Click {
        user: user.to_owned(),
        price,
        tags: vec!["new".to_owned(); width as usize / 500],
        device: Device { name: "phone".to_owned(), width },
    });
    write_clicks(&clicks, &path)?;
    let found = read_clicks(&path)?;
    std::fs::remove_file(&path)?;
    if found != clicks {
        return Err(format!("expected {clicks:?}, found {found:?}").into());
    }
    println!("{} clicks", found.len());
    Ok(())
}

#[test]
fn structs_are_written_and_read() -> Result<(), Box<dyn Error>> {
    main()
}
