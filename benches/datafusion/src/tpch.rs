//! The lineitem table of TPC-H as files, and two queries.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatchReader;
use arrowfeed::avro::{WriteOptions, write_avro};
use parquet::arrow::ArrowWriter;
use tpchgen::generators::LineItemGenerator;
use tpchgen_arrow::LineItemArrow;

use crate::Result;
use crate::queries::Query;

/// Queries 1 and 6, with the parameters of the validation run.
pub(crate) const QUERIES: &[Query] = &[
    Query::new(
        "TPC-H Q1",
        "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price, \
         sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price, \
         sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty, \
         avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order FROM {} \
         WHERE l_shipdate <= date '1998-12-01' - interval '90' day \
         GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
    ),
    Query::new(
        "TPC-H Q6",
        "SELECT sum(l_extendedprice * l_discount) AS revenue FROM {} WHERE l_shipdate >= date '1994-01-01' \
         AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24",
    ),
];

/// The same rows in two formats.
pub(crate) struct Lineitem {
    pub(crate) avro: PathBuf,
    pub(crate) parquet: PathBuf,
}

/// Writes the files that do not exist yet.
pub(crate) fn write(directory: &Path, scale: f64) -> Result<Lineitem> {
    let path = |extension| directory.join(format!("lineitem_{scale}.{extension}"));
    let files = Lineitem { avro: path("avro"), parquet: path("parquet") };
    let rows = || LineItemArrow::new(LineItemGenerator::new(scale, 1, 1));
    if !files.avro.exists() {
        write_avro(rows(), &files.avro, &WriteOptions::default())?;
    }
    if !files.parquet.exists() {
        let partial = path("parquet.partial");
        let mut writer = ArrowWriter::try_new(File::create(&partial)?, rows().schema(), None)?;
        for batch in rows() {
            writer.write(&batch?)?;
        }
        writer.close()?;
        fs::rename(partial, &files.parquet)?;
    }
    Ok(files)
}
