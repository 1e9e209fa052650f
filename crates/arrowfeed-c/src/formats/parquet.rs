//! Options of Parquet in JSON.

use arrowfeed::parquet::ParquetOptions;
use serde::Deserialize;

use super::Common;
use crate::error::Error;
use crate::options::columns::Columns;

/// The fields of [`ParquetOptions`].
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Given {
    schema: Option<Columns>,
    merge_schemas: bool,
    double_as_float: bool,
}

pub(super) fn options(given: Given, common: Common) -> Result<ParquetOptions, Error> {
    let Common { columns, exclude, limits } = common;
    let Given { schema, merge_schemas, double_as_float } = given;
    let schema = schema.map(|schema| schema.schema("schema")).transpose()?;
    Ok(ParquetOptions { columns, exclude, schema, merge_schemas, double_as_float, field_ids: None, limits })
}
