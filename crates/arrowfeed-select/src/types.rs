//! The types for which the kernels of `arrow-select` are not used.

use arrow_schema::DataType;

/// Whether there are lists or values without bytes in the type, at any depth outside of dictionaries.
pub(crate) fn contains_list(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeBinary(0)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::Map(..) => true,
        other => any_child(other, contains_list),
    }
}

/// Whether interleaving loses slots, or takes memory out of proportion.
pub(crate) fn interleaves_by_ranges(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeList(_, 0) => true,
        DataType::List(items)
        | DataType::LargeList(items)
        | DataType::FixedSizeList(items, _)
        | DataType::Map(items, _) => {
            is_below_a_byte(items.data_type()) || interleaves_by_ranges(items.data_type())
        }
        other => any_child(other, interleaves_by_ranges),
    }
}

/// Whether a value takes less than a byte of memory.
fn is_below_a_byte(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null | DataType::Boolean | DataType::FixedSizeBinary(0) | DataType::FixedSizeList(_, 0) => {
            true
        }
        DataType::FixedSizeList(items, _) => is_below_a_byte(items.data_type()),
        DataType::Struct(fields) => fields.iter().all(|field| is_below_a_byte(field.data_type())),
        _ => false,
    }
}

fn any_child(data_type: &DataType, test: fn(&DataType) -> bool) -> bool {
    match data_type {
        DataType::Struct(fields) => fields.iter().any(|field| test(field.data_type())),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| test(field.data_type())),
        _ => false,
    }
}
