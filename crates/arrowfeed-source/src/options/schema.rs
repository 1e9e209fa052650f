//! Arrow schemas: `[{"name": "id", "type": "Int64", "nullable": false}]`, or `{"id": "Int64"}`.

use arrow_schema::{Field, Schema, SchemaRef};
use serde::de::{Deserialize, Deserializer, Error};

use super::{data_type, list_or_object};
use crate::quoted;

/// Columns, in order.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use arrowfeed_source::options::Columns;
/// use serde::Deserialize;
/// use serde::de::value::{Error, MapDeserializer};
///
/// let given = MapDeserializer::<_, Error>::new([("id", "int64"), ("name", "Utf8")].into_iter());
/// let Columns(schema) = Columns::deserialize(given)?;
/// assert_eq!(schema.field(0).data_type().to_string(), "Int64");
/// # }
/// # Ok::<(), serde::de::value::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Columns(pub SchemaRef);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    data_type: String,
    #[serde(default = "yes")]
    nullable: bool,
}

fn yes() -> bool {
    true
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let of_entry = |name, data_type| Column { name, data_type, nullable: true };
        let expecting = "a list of columns, or an object of names and types";
        let columns = list_or_object(deserializer, of_entry, expecting)?.into_iter();
        Ok(Self(Schema::new(columns.map(field).collect::<Result<Vec<_>, _>>()?).into()))
    }
}

fn field<E: Error>(column: Column) -> Result<Field, E> {
    let Column { name, data_type: text, nullable } = column;
    let found = data_type(&text).map_err(|expected| {
        E::custom(format_args!("{name:?}: expected {expected}, found {}", quoted(&text)))
    });
    Ok(Field::new(name, found?, nullable))
}

/// Parses a schema, with null for none.
///
/// # Errors
/// A type is unknown or nested too deeply.
pub fn schema<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SchemaRef>, D::Error> {
    Ok(Option::<Columns>::deserialize(deserializer)?.map(|Columns(schema)| schema))
}
