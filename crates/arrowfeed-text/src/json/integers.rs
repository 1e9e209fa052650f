//! Reading of integer columns without truncation of fractions.
//!
//! `arrow-json` reads 1.5 as the integer 1. The numbers of integer columns are therefore read as text first, and the text is
//! then cast to integers.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};

/// The type with which values are read: text instead of integers, at any depth.
pub(super) fn read_type(data_type: &DataType) -> DataType {
    match data_type {
        integer if integer.is_integer() => DataType::Utf8,
        DataType::List(item) => DataType::List(read_field(item)),
        DataType::LargeList(item) => DataType::LargeList(read_field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(read_field(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(read_field(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(read_fields(fields)),
        other => other.clone(),
    }
}

/// The fields with the types of [`read_type`].
pub(super) fn read_fields(fields: &Fields) -> Fields {
    fields.iter().map(read_field).collect()
}

fn read_field(field: &FieldRef) -> FieldRef {
    let read = read_type(field.data_type());
    if read == *field.data_type() {
        return field.clone();
    }
    Arc::new(Field::new(field.name(), read, field.is_nullable()).with_metadata(field.metadata().clone()))
}
