//! Display names of types in messages, and Avro's names of types.

use arrow_schema::{DataType, Fields};

use crate::column::listed;
use crate::lists;

/// Avro's name of a type. A union of null and this type becomes a nullable column of the type.
pub(super) fn primitive_name(data_type: &DataType) -> Option<&'static str> {
    Some(match data_type {
        DataType::Null => "null",
        DataType::Boolean => "boolean",
        DataType::Int32 => "int",
        DataType::Int64 => "long",
        DataType::Float32 => "float",
        DataType::Float64 => "double",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "string",
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "bytes",
        DataType::Map(..) => "map",
        other if lists::items(other).is_some() => "array",
        _ => return None,
    })
}

/// Describes a type and, if it is a container, the steps that lead into it.
pub(crate) fn and_how_to_enter(data_type: &DataType) -> String {
    let found = described(data_type);
    match data_type {
        DataType::Struct(fields) => format!("{found}: its fields are {}", listed(fields)),
        DataType::Map(..) => format!("{found}: select all values with [*] or one with ['...']"),
        DataType::Union(..) => format!("{found}: select one branch with :..."),
        other if lists::items(other).is_some() => {
            format!("{found}: select all elements with [*] or one with [0]")
        }
        _ => found,
    }
}

/// Describes a type in a message.
pub(super) fn described(data_type: &DataType) -> String {
    match data_type {
        DataType::Struct(_) => "a record".to_owned(),
        DataType::Map(..) => "a map".to_owned(),
        DataType::Union(fields, _) => {
            let names: Fields = fields.iter().map(|(_, field)| field.clone()).collect();
            format!("a union of {}", listed(&names))
        }
        other if lists::items(other).is_some() => "an array".to_owned(),
        other => other.to_string(),
    }
}
