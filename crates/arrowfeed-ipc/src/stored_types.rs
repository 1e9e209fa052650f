//! Checks of the types of a stored schema, before the `arrow-ipc` crate converts them: it panics on types that Arrow does not have.

use std::collections::HashSet;

use arrow_ipc::{DateUnit, Field, Int, IntervalUnit, Precision, Schema, TimeUnit, Type, UnionMode};
use arrowfeed_source::field_path::joined;
use arrowfeed_source::{FeedError, FeedErrorKind};

/// Checks all fields of a schema. Its verifier bounds their nesting and their number.
///
/// # Errors
/// A type is unknown, or its parameters or its children are not those of a type of Arrow.
pub(crate) fn check(schema: &Schema<'_>) -> Result<(), FeedError> {
    let Some(fields) = schema.fields() else {
        return Err(FeedError::new(FeedErrorKind::Format, "expected the fields of a schema, found none"));
    };
    fields.iter().try_for_each(|field| check_field(&field, field.name().unwrap_or_default()))
}

fn check_field(field: &Field<'_>, path: &str) -> Result<(), FeedError> {
    if let Some(expected) = fault(field) {
        let found = match field.type_type().variant_name() {
            Some("NONE") => "none".to_owned(),
            Some(name) => format!("the type {name} with other parameters"),
            None => format!("the type with the number {}", field.type_type().0),
        };
        let message = format!("expected {expected}, found {found}");
        return Err(FeedError::new(FeedErrorKind::Format, message).in_field(path));
    }
    let children = field.children().into_iter().flatten();
    children
        .into_iter()
        .try_for_each(|child| check_field(&child, &joined(path, child.name().unwrap_or_default())))
}

/// What is expected instead of the type of a field; `None` if Arrow has the type.
fn fault(field: &Field<'_>) -> Option<&'static str> {
    if field.dictionary().is_some_and(|dictionary| !dictionary.indexType().is_some_and(is_integer)) {
        return Some("indices of a dictionary of 8, 16, 32 or 64 bits");
    }
    let has_children = |count| field.children().is_some_and(|children| children.len() == count);
    let is_unit = |unit: TimeUnit| unit.variant_name().is_some();
    let (is_valid, expected) = match field.type_type() {
        Type::Null
        | Type::Bool
        | Type::Binary
        | Type::BinaryView
        | Type::LargeBinary
        | Type::Utf8
        | Type::Utf8View
        | Type::LargeUtf8
        | Type::Struct_ => return None,
        Type::Int => (field.type_as_int().is_some_and(is_integer), "an integer of 8, 16, 32 or 64 bits"),
        Type::FixedSizeBinary => (field.type_as_fixed_size_binary().is_some(), "bytes with a size"),
        Type::FloatingPoint => (
            field.type_as_floating_point().is_some_and(|float| {
                [Precision::HALF, Precision::SINGLE, Precision::DOUBLE].contains(&float.precision())
            }),
            "a float of 16, 32 or 64 bits",
        ),
        Type::Date => (
            field
                .type_as_date()
                .is_some_and(|date| [DateUnit::DAY, DateUnit::MILLISECOND].contains(&date.unit())),
            "a date in days or milliseconds",
        ),
        Type::Time => (
            field.type_as_time().is_some_and(|time| match time.bitWidth() {
                32 => [TimeUnit::SECOND, TimeUnit::MILLISECOND].contains(&time.unit()),
                64 => [TimeUnit::MICROSECOND, TimeUnit::NANOSECOND].contains(&time.unit()),
                _ => false,
            }),
            "a time in seconds or milliseconds with 32 bits, or in microseconds or nanoseconds with 64 bits",
        ),
        Type::Timestamp => (
            field.type_as_timestamp().is_some_and(|timestamp| is_unit(timestamp.unit())),
            "a timestamp in seconds, milliseconds, microseconds or nanoseconds",
        ),
        Type::Duration => (
            field.type_as_duration().is_some_and(|duration| is_unit(duration.unit())),
            "a duration in seconds, milliseconds, microseconds or nanoseconds",
        ),
        Type::Interval => (
            field.type_as_interval().is_some_and(|interval| {
                [IntervalUnit::YEAR_MONTH, IntervalUnit::DAY_TIME, IntervalUnit::MONTH_DAY_NANO]
                    .contains(&interval.unit())
            }),
            "an interval of months, of days and milliseconds, or of months, days and nanoseconds",
        ),
        Type::List | Type::LargeList | Type::ListView | Type::LargeListView => {
            (has_children(1), "a list with the type of its items")
        }
        Type::FixedSizeList => (
            has_children(1) && field.type_as_fixed_size_list().is_some(),
            "a list with a size and the type of its items",
        ),
        Type::Map => (has_children(1) && field.type_as_map().is_some(), "a map with the type of its entries"),
        Type::RunEndEncoded => (has_children(2), "runs with the types of their ends and values"),
        Type::Decimal => (
            field.type_as_decimal().is_some_and(|decimal| {
                [32, 64, 128, 256].contains(&decimal.bitWidth())
                    && u8::try_from(decimal.precision()).is_ok()
                    && i8::try_from(decimal.scale()).is_ok()
            }),
            "a decimal of 32, 64, 128 or 256 bits",
        ),
        Type::Union => (is_union(field), "a union with a number from 0 to 127 for each of its types"),
        _ => (false, "a type of Arrow"),
    };
    (!is_valid).then_some(expected)
}

fn is_integer(int: Int<'_>) -> bool {
    [8, 16, 32, 64].contains(&int.bitWidth())
}

fn is_union(field: &Field<'_>) -> bool {
    let Some(union) = field.type_as_union() else { return false };
    let types = field.children().map_or(0, |children| children.len());
    let mut numbers = HashSet::new();
    let are_numbers = union.typeIds().is_none_or(|ids| {
        ids.len() == types
            && ids.iter().all(|id| i8::try_from(id).is_ok_and(|id| id >= 0) && numbers.insert(id))
    });
    // Without numbers, they are those of the fields.
    are_numbers && types <= 128 && [UnionMode::Sparse, UnionMode::Dense].contains(&union.mode())
}
