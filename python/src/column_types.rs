//! The argument `types`: Arrow types of some columns, by name.

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed::source::options;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::argument::{entries, wrong_type, wrong_value};
use crate::argument_types::Argument;
use crate::arrow_schema::Schema as PythonSchema;
use crate::foreign;

/// The types of some columns.
pub(crate) struct ColumnTypes(pub(crate) SchemaRef);

impl Argument for ColumnTypes {
    fn parse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        // Pickles of datasets keep a schema.
        if let Ok(schema) = value.cast::<PythonSchema>() {
            return Ok(Self(schema.get().0.clone()));
        }
        let field = |(column, value): (String, Bound<'_, PyAny>)| {
            let data_type = data_type(&format!("{name}[{column:?}]"), &value)?;
            Ok(Field::new(column, data_type, true))
        };
        let columns = entries(name, "a dict of names of columns to types", value)?.into_iter();
        Ok(Self(Schema::new(columns.map(field).collect::<PyResult<Vec<_>>>()?).into()))
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PythonSchema(self.0.clone()).into_pyobject(given.py())?.into_any())
    }
}

/// A type: its name, or an object of an Arrow library.
fn data_type(name: &str, value: &Bound<'_, PyAny>) -> PyResult<DataType> {
    const EXPECTED: &str = "an Arrow type, such as \"string\", \"int64\" or pyarrow.string()";
    if let Ok(text) = value.cast::<PyString>() {
        return options::data_type(&text.to_cow()?).map_err(|_| wrong_value(name, EXPECTED, value));
    }
    match value.hasattr("__arrow_c_schema__")? {
        true => foreign::data_type(value),
        false => Err(wrong_type(name, EXPECTED, value)),
    }
}
