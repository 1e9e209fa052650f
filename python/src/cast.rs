//! Lossless casts to the type that a consumer of Arrow data requests.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array};
use arrow_cast::display::array_value_to_string;
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_schema::{ArrowError, DataType, FieldRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::foreign;

/// Raises an error for a value that does not fit the other type, instead of a null.
const STRICT: CastOptions<'static> =
    CastOptions { safe: false, format_options: arrow_cast::display::FormatOptions::new() };

/// Makes a null of a value that does not fit.
const LENIENT: CastOptions<'static> =
    CastOptions { safe: true, format_options: arrow_cast::display::FormatOptions::new() };

/// Maximum number of bytes of a text that is cast to a decimal, because `arrow-cast` parses one recursively.
const MOST_DIGITS: usize = 1000;

/// The field to cast to. `None`: no cast, which the C interface allows for any request.
pub(crate) fn requested(
    capsule: Option<&Bound<'_, PyCapsule>>,
    field: &FieldRef,
) -> PyResult<Option<FieldRef>> {
    let Some(capsule) = capsule else {
        return Ok(None);
    };
    let wanted = foreign::field(capsule)?;
    let (from, to) = (field.data_type(), wanted.data_type());
    Ok((from != to && can_cast_types(from, to)).then_some(wanted))
}

/// Casts the array to the type of the field.
pub(crate) fn cast(array: &dyn Array, to: &FieldRef) -> Result<ArrayRef, ArrowError> {
    cast_to(array, to.data_type())
}

/// Casts the array to another type. A value that does not fit is an error.
pub(crate) fn cast_to(array: &dyn Array, to: &DataType) -> Result<ArrayRef, ArrowError> {
    if has_decimals(to) && longest_text(array) > MOST_DIGITS {
        let message = format!("expected texts of at most {MOST_DIGITS} bytes for {to}, found a longer one");
        return Err(ArrowError::CastError(message));
    }
    let cast = || {
        let after = cast_with_options(array, to, &STRICT)?;
        match changed(array, &after)? {
            Some(message) => Err(ArrowError::CastError(message)),
            None => Ok(after),
        }
    };
    catch_unwind(AssertUnwindSafe(cast)).unwrap_or_else(|_| {
        Err(ArrowError::CastError(format!("expected a cast to {to}, found a panic in it")))
    })
}

/// The message of the first value that a cast has changed. `None`: all values are the same, except that floats may be rounded to
/// floats.
fn changed(before: &dyn Array, after: &dyn Array) -> Result<Option<String>, ArrowError> {
    let (from, to) = (before.data_type(), after.data_type());
    if let (Some(before), Some(after)) = (before.as_struct_opt(), after.as_struct_opt()) {
        for (field, column) in after.fields().iter().zip(after.columns()) {
            if let Some(before) = before.column_by_name(field.name())
                && let Some(message) = changed(before, column)?
            {
                return Ok(Some(format!("{}: {message}", field.name())));
            }
        }
        return Ok(None);
    }
    if let (Some(before), Some(after)) = (items(before), items(after))
        && before.len() == after.len()
    {
        return changed(before, after);
    }
    let wrong = match (from.is_floating(), to.is_floating()) {
        _ if is_exact(from, to) => None,
        // -0.0 and 0 are the same number.
        (true, false) if to.is_numeric() => {
            let (before, after) = (doubles(before)?, doubles(after)?);
            before.iter().zip(&after).position(|(before, after)| before != after)
        }
        (true, true) => {
            let (before, after) = (doubles(before)?, doubles(after)?);
            let is_finite = |value: Option<f64>| value.is_none_or(f64::is_finite);
            before.iter().zip(&after).position(|(before, after)| is_finite(before) && !is_finite(after))
        }
        _ => {
            let back = cast_with_options(after, from, &LENIENT)?;
            let same = |at| back.slice(at, 1).as_ref() == before.slice(at, 1).as_ref();
            if back.as_ref() == before { None } else { (0..before.len()).find(|at| !same(*at)) }
        }
    };
    let message = |at| {
        let found = array_value_to_string(before, at)?;
        Ok(format!("expected a value that {to} stores exactly, found {found}"))
    };
    wrong.map(message).transpose()
}

fn items(array: &dyn Array) -> Option<&ArrayRef> {
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().values()),
        DataType::LargeList(_) => Some(array.as_list::<i64>().values()),
        DataType::FixedSizeList(..) => Some(array.as_fixed_size_list().values()),
        _ => None,
    }
}

/// Whether a type has decimals, at any depth.
fn has_decimals(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => fields.iter().any(|field| has_decimals(field.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _)
        | DataType::RunEndEncoded(_, item) => has_decimals(item.data_type()),
        DataType::Dictionary(_, values) => has_decimals(values),
        other => other.is_decimal(),
    }
}

/// Bytes of the longest string in an array, at any depth.
fn longest_text(array: &dyn Array) -> usize {
    fn longest<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> usize {
        texts.flatten().map(str::len).max().unwrap_or(0)
    }
    match array.data_type() {
        DataType::Utf8 => longest(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => longest(array.as_string::<i64>().iter()),
        DataType::Utf8View => longest(array.as_string_view().iter()),
        DataType::Struct(_) => {
            array.as_struct().columns().iter().map(|column| longest_text(column)).max().unwrap_or(0)
        }
        DataType::Map(..) => longest_text(array.as_map().entries()),
        DataType::Dictionary(..) => longest_text(array.as_any_dictionary().values()),
        _ => items(array).map_or(0, |items| longest_text(items)),
    }
}

/// Whether a strict cast never changes a value.
fn is_exact(from: &DataType, to: &DataType) -> bool {
    let is_text = |data_type: &DataType| data_type.is_string() || data_type.is_binary();
    from == to
        || (from.is_integer() || *from == DataType::Boolean || is_text(from))
            && (to.is_integer() || is_text(to))
}

fn doubles(array: &dyn Array) -> Result<Float64Array, ArrowError> {
    Ok(cast_with_options(array, &DataType::Float64, &LENIENT)?.as_primitive::<Float64Type>().clone())
}
