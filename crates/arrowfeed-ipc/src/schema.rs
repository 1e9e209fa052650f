//! A stored schema to an Arrow schema, and checks of its types: those for which the `arrow-ipc` crate or Arrow would panic.

use std::collections::{HashMap, HashSet};

use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, validate_decimal_precision_and_scale,
};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::{Endianness, Schema as StoredSchema};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::field_path::{joined, list_item};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, quoted, thousands};

use crate::message::guarded;
use crate::stored_types;

/// Converts a stored schema.
///
/// # Errors
/// It is invalid, nested too deeply, too large, or of values in big-endian order.
pub(crate) fn schema(stored: StoredSchema<'_>, limits: &Limits) -> Result<Schema, FeedError> {
    if stored.endianness() != Endianness::Little {
        let message = "expected values in little-endian order, found big-endian order";
        return Err(FeedError::new(FeedErrorKind::Format, message));
    }
    stored_types::check(&stored)?;
    let schema = guarded(FeedErrorKind::Format, "a schema of Arrow", || Ok(fb_to_schema(stored)))?;
    let depth = limits.schema_depth.min(Limits::MAX_SCHEMA_DEPTH);
    let mut left = limits.expanded_fields;
    let mut names = HashSet::new();
    for field in schema.fields() {
        if !names.insert(field.name()) {
            let message =
                format!("expected columns of different names, found two named {}", quoted(field.name()));
            return Err(FeedError::new(FeedErrorKind::Schema, message));
        }
        check(field, field.name(), depth, depth, &mut left)?;
    }
    Ok(schema)
}

/// Checks a field, and the fields in it. `depth` is the number of levels that may follow, `left` the number of fields.
fn check(field: &Field, path: &str, depth: usize, most: usize, left: &mut usize) -> Result<(), FeedError> {
    let Some(fewer) = left.checked_sub(1) else {
        return Err(FeedError::limit_reached(
            "expanded_fields",
            "expected fewer fields in the schema, found more",
        ));
    };
    *left = fewer;
    check_type(field.data_type(), path, depth, most, left)
}

fn check_type(
    data_type: &DataType,
    path: &str,
    depth: usize,
    most: usize,
    left: &mut usize,
) -> Result<(), FeedError> {
    let deeper = || {
        depth.checked_sub(1).ok_or_else(|| {
            let message = format!("expected types nested at most {most} deep, found more");
            FeedError::limit_reached("schema_depth", message)
        })
    };
    let wrong = |expected: &str| {
        let message = format!("expected {expected}, found {data_type}");
        Err(FeedError::new(FeedErrorKind::Format, message).in_field(path))
    };
    match data_type {
        DataType::FixedSizeBinary(size) if *size < 0 => wrong("values of 0 bytes or more"),
        DataType::FixedSizeList(_, size) if *size < 0 => wrong("lists of 0 items or more"),
        DataType::Decimal32(precision, scale) => {
            decimal(validate_decimal_precision_and_scale::<Decimal32Type>(*precision, *scale).is_ok(), wrong)
        }
        DataType::Decimal64(precision, scale) => {
            decimal(validate_decimal_precision_and_scale::<Decimal64Type>(*precision, *scale).is_ok(), wrong)
        }
        DataType::Decimal128(precision, scale) => {
            decimal(validate_decimal_precision_and_scale::<Decimal128Type>(*precision, *scale).is_ok(), wrong)
        }
        DataType::Decimal256(precision, scale) => {
            decimal(validate_decimal_precision_and_scale::<Decimal256Type>(*precision, *scale).is_ok(), wrong)
        }
        DataType::Struct(fields) => {
            let depth = deeper()?;
            fields.iter().try_for_each(|field| check(field, &joined(path, field.name()), depth, most, left))
        }
        DataType::Union(fields, _) if fields.is_empty() => wrong("a union of one type or more"),
        DataType::Union(fields, _) => {
            let depth = deeper()?;
            fields
                .iter()
                .try_for_each(|(_, field)| check(field, &joined(path, field.name()), depth, most, left))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            // The struct of the entries is a part of the map.
            DataType::Struct(fields) if fields.len() == 2 && !entries.is_nullable() => {
                check(entries, path, depth, most, left)
            }
            _ => wrong("a map whose entries are structs of a key and a value"),
        },
        DataType::RunEndEncoded(ends, values) => match ends.data_type() {
            DataType::Int16 | DataType::Int32 | DataType::Int64 if !ends.is_nullable() => {
                check(values, path, deeper()?, most, left)
            }
            _ => wrong("ends of runs of the type Int16, Int32 or Int64"),
        },
        DataType::Dictionary(_, values) => check_type(values, path, deeper()?, most, left),
        other => match list_item(other) {
            Some(item) => check(item, &format!("{path}[]"), deeper()?, most, left),
            None => Ok(()),
        },
    }
}

fn decimal(is_valid: bool, wrong: impl FnOnce(&str) -> Result<(), FeedError>) -> Result<(), FeedError> {
    if is_valid { Ok(()) } else { wrong("a decimal type of Arrow") }
}

/// The value types of the dictionaries of a field, and of the fields in it, by their numbers.
pub(crate) fn dictionaries(field: &Field, found: &mut HashMap<i64, DataType>) {
    if let DataType::Dictionary(_, values) = field.data_type() {
        #[expect(deprecated, reason = "the `arrow-ipc` crate keeps the numbers of dictionaries in fields")]
        let id = field.dict_id();
        if let Some(id) = id {
            found.entry(id).or_insert_with(|| (**values).clone());
        }
    }
    dictionaries_of_type(field.data_type(), found);
}

fn dictionaries_of_type(data_type: &DataType, found: &mut HashMap<i64, DataType>) {
    match data_type {
        DataType::Dictionary(_, values) => dictionaries_of_type(values, found),
        DataType::Struct(fields) => fields.iter().for_each(|field| dictionaries(field, found)),
        DataType::Union(fields, _) => fields.iter().for_each(|(_, field)| dictionaries(field, found)),
        DataType::Map(entries, _) => dictionaries(entries, found),
        DataType::RunEndEncoded(_, values) => dictionaries(values, found),
        other => list_item(other).into_iter().for_each(|item| dictionaries(item, found)),
    }
}

/// The error of metadata that is larger than `header_bytes`.
#[cold]
pub(crate) fn too_large(what: &str, most: usize, found: u64) -> FeedError {
    let message =
        format!("expected {what} of at most {} bytes, found {}", thousands(most as u64), thousands(found));
    FeedError::limit_reached("header_bytes", message)
}
