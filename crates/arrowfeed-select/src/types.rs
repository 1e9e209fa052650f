//! Predicates for the types whose `arrow-select` kernels are not used.

use arrow_array::Array;
use arrow_schema::{DataType, UnionMode};

/// Whether the type contains lists or zero-byte values, at any depth outside dictionaries.
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

/// The type of all arrays; `None` if there is no array, or their types differ.
pub(crate) fn type_of_all<'a>(arrays: &[&'a dyn Array]) -> Option<&'a DataType> {
    let (first, others) = arrays.split_first()?;
    others.iter().all(|other| other.data_type() == first.data_type()).then(|| first.data_type())
}

/// Whether the type is or contains a dictionary, at any depth.
pub(crate) fn contains_dictionary(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(..) => true,
        DataType::List(items)
        | DataType::LargeList(items)
        | DataType::ListView(items)
        | DataType::LargeListView(items)
        | DataType::FixedSizeList(items, _)
        | DataType::Map(items, _)
        | DataType::RunEndEncoded(_, items) => contains_dictionary(items.data_type()),
        other => any_child(other, contains_dictionary),
    }
}

/// Whether the type is or contains a dense union, at any depth outside dictionaries.
pub(crate) fn contains_dense_union(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(_, UnionMode::Dense) => true,
        DataType::List(items)
        | DataType::LargeList(items)
        | DataType::FixedSizeList(items, _)
        | DataType::Map(items, _) => contains_dense_union(items.data_type()),
        other => any_child(other, contains_dense_union),
    }
}

/// Whether copies of all slots take the same memory. Values of dictionaries and of views do not count, as they are shared.
pub(crate) fn has_one_width(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::Map(..)
        | DataType::Union(..) => false,
        DataType::Struct(fields) => fields.iter().all(|field| has_one_width(field.data_type())),
        DataType::FixedSizeList(items, _) => has_one_width(items.data_type()),
        _ => true,
    }
}

/// Whether the `interleave` kernel loses slots of this type, or takes disproportionate memory.
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
