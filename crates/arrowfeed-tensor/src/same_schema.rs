//! Check that a batch has the columns that a plan was compiled for.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};

use crate::error::{ConversionError, ConversionErrorKind, count};
use crate::lists;

/// Fails unless the columns of a plan have the same positions, names and types as in `expected`. Other columns may differ.
pub(crate) fn check(
    expected: &Schema,
    batch: &RecordBatch,
    columns: &[usize],
) -> Result<(), ConversionError> {
    let found: &Schema = batch.schema_ref();
    if std::ptr::eq(found, expected) {
        return Ok(());
    }
    for &index in columns {
        let expected = expected.field(index);
        let error = |found: String| {
            let expected_type = format!("{} in column {index}", expected.data_type());
            let error = ConversionError::new(ConversionErrorKind::Schema, expected_type, found);
            error.in_column(expected.name())
        };
        let Some(field) = found.fields().get(index) else {
            return Err(error(format!("a batch of {}", count(found.fields().len(), "column"))));
        };
        if field.name() != expected.name() {
            return Err(error(format!("the column {:?}", field.name())));
        }
        if !same(field.data_type(), expected.data_type()) {
            return Err(error(field.data_type().to_string()));
        }
    }
    Ok(())
}

/// Whether arrays of two types have the same layout. Names of list items, nullability and metadata do not matter.
fn same(a: &DataType, b: &DataType) -> bool {
    match (a, b) {
        (DataType::Struct(a), DataType::Struct(b)) => {
            let alike = |(a, b): (&arrow_schema::FieldRef, &arrow_schema::FieldRef)| {
                a.name() == b.name() && same(a.data_type(), b.data_type())
            };
            a.len() == b.len() && a.iter().zip(b).all(alike)
        }
        (DataType::FixedSizeList(_, a_size), DataType::FixedSizeList(_, b_size)) if a_size != b_size => false,
        _ => match (lists::items(a), lists::items(b)) {
            (Some(a_items), Some(b_items)) => {
                std::mem::discriminant(a) == std::mem::discriminant(b)
                    && same(a_items.data_type(), b_items.data_type())
            }
            _ => a == b,
        },
    }
}
