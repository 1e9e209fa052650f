//! The argument `types`: Arrow types of some columns, by name.

use std::str::FromStr;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::argument::{wrong_type, wrong_value};
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
        let wrong = |value: &Bound<'_, PyAny>| wrong_type(name, "a dict of names of columns to types", value);
        let mut fields = Vec::new();
        for pair in value.cast::<PyMapping>().map_err(|_| wrong(value))?.items()? {
            let (key, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let column: String = key.extract().map_err(|_| wrong(&key))?;
            let data_type = data_type(&format!("{name}[{column:?}]"), &value)?;
            fields.push(Field::new(column, data_type, true));
        }
        Ok(Self(Schema::new(fields).into()))
    }

    fn picklable<'py>(&self, given: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PythonSchema(self.0.clone()).into_pyobject(given.py())?.into_any())
    }
}

/// A type: its name, or an object of an Arrow library.
fn data_type(name: &str, value: &Bound<'_, PyAny>) -> PyResult<DataType> {
    const EXPECTED: &str = "an Arrow type, such as \"string\", \"int64\" or pyarrow.string()";
    if let Ok(text) = value.cast::<PyString>() {
        return named(&text.to_cow()?).ok_or_else(|| wrong_value(name, EXPECTED, value));
    }
    match value.hasattr("__arrow_c_schema__")? {
        true => foreign::data_type(value),
        false => Err(wrong_type(name, EXPECTED, value)),
    }
}

/// The type of a name of pyarrow, such as `timestamp[us]`, or of a text form such as `Timestamp(µs)`.
fn named(name: &str) -> Option<DataType> {
    if let Ok(data_type) = DataType::from_str(name) {
        return Some(data_type);
    }
    Some(match name {
        "bool" => DataType::Boolean,
        "string" => DataType::Utf8,
        "large_string" => DataType::LargeUtf8,
        "string_view" => DataType::Utf8View,
        "large_binary" => DataType::LargeBinary,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        // `int8` is `Int8`, `uint8` is `UInt8`, and `time32[s]` is `Time32(s)`.
        _ => {
            let (digits, unsigned) = match name.strip_prefix('u') {
                Some(signed) => (signed, "U"),
                None => (name, ""),
            };
            let (first, rest) = digits.split_at_checked(1)?;
            let text = format!("{unsigned}{}{rest}", first.to_ascii_uppercase());
            DataType::from_str(&text.replace('[', "(").replace(']', ")")).ok()?
        }
    })
}

#[cfg(test)]
mod tests {
    use arrow_schema::TimeUnit;

    use super::*;

    #[test]
    fn names_are_those_of_pyarrow_and_of_columns() {
        let timestamp = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let cases = [
            ("string", DataType::Utf8),
            ("Utf8", DataType::Utf8),
            ("bool", DataType::Boolean),
            ("int16", DataType::Int16),
            ("uint64", DataType::UInt64),
            ("float", DataType::Float32),
            ("float64", DataType::Float64),
            ("date32", DataType::Date32),
            ("time32[s]", DataType::Time32(TimeUnit::Second)),
            ("timestamp[us]", timestamp(None)),
            ("Timestamp(µs, \"UTC\")", timestamp(Some("UTC"))),
            ("decimal128(9, 2)", DataType::Decimal128(9, 2)),
            ("List(Utf8)", DataType::new_list(DataType::Utf8, true)),
        ];
        for (name, expected) in cases {
            assert_eq!(named(name), Some(expected), "{name}");
        }
        for name in ["", "u", "text", "integer", "uint7", "ustring", "é"] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
