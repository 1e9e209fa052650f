//! Arguments of columns that are not stored in files: `partitioning`, `file_column` and `row_column`.

use arrow_schema::SchemaRef;
use arrowfeed::Partitioning;
use arrowfeed::formats::AddedToFiles;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::argument::{wrong_type, wrong_value};
use crate::argument_types::Argument;

/// The values of the arguments. None stands for the default of each.
pub(crate) struct AddedKeywords<'py> {
    pub(crate) partitioning: Option<Bound<'py, PyAny>>,
    pub(crate) file_column: Option<Bound<'py, PyAny>>,
    pub(crate) row_column: Option<Bound<'py, PyAny>>,
}

/// Parses the arguments.
pub(crate) fn added_columns(keywords: &AddedKeywords<'_>) -> PyResult<AddedToFiles> {
    let AddedKeywords { partitioning, file_column, row_column } = keywords;
    let (partitioning, file_column) = (partitioning.as_ref(), file_column.as_ref());
    let row_column = row_column.as_ref();
    Ok(parsed!(AddedToFiles { partitioning, file_column, row_column }))
}

impl Argument for Partitioning {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "\"hive\" or a schema of the partition columns";
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str()? {
                "hive" => Ok(Self::Hive),
                _ => Err(wrong_value(name, EXPECTED, value)),
            };
        }
        match value.is_instance_of::<PyMapping>() || value.hasattr("__arrow_c_schema__")? {
            true => SchemaRef::parse(name, value).map(Self::Schema),
            false => Err(wrong_type(name, EXPECTED, value)),
        }
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Hive => Ok(given),
            Self::Schema(schema) => schema.picklable(given),
        }
    }
}
