//! Compilation of two types to a conversion.

use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrowfeed_source::quoted;

use super::ColumnConversion;
use super::rule::value_cast;
use crate::columns::{Named, by_name};
use crate::int96;

/// A type that cannot be converted, and the path of its field.
#[derive(Debug, PartialEq)]
pub(crate) struct Mismatch {
    /// Names of the nested fields, innermost first.
    pub(crate) path: Vec<String>,
    /// The expected and the found type.
    pub(crate) message: String,
}

impl Mismatch {
    fn new(message: String) -> Self {
        Self { path: Vec::new(), message }
    }

    fn in_field(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }
}

/// The rules of conversions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules {
    /// Whether doubles may be rounded to floats.
    pub(crate) rounds: bool,
    /// Whether the fields that are read may have other names than the types say.
    pub(crate) renames: bool,
}

/// The conversion of a column, or of a field of a struct.
///
/// # Errors
/// Values of the one type are not values of the other; a non-nullable field is missing.
pub(crate) fn compile(from: &DataType, to: &Field, rules: Rules) -> Result<ColumnConversion, Mismatch> {
    match (items(from), items(to.data_type())) {
        (None, Some(item)) if *from != DataType::Null => {
            let item = Box::new(of_value(from, item, rules)?);
            Ok(ColumnConversion::Singleton { to: to.data_type().clone(), item })
        }
        _ => of_value(from, to, rules),
    }
}

/// The conversion of a value at any position. Items of a list are not wrapped in lists, because it would be ambiguous
/// which level of a list of lists is the new one.
fn of_value(from: &DataType, to: &Field, rules: Rules) -> Result<ColumnConversion, Mismatch> {
    let is_named = !rules.renames || !from.is_nested();
    let is_equal = from == to.data_type() && *from != int96::EXACT;
    match is_equal && is_named && !has_dictionary(from) && !has_dependent(from) {
        true => Ok(ColumnConversion::Same),
        false => by_parts(from, to, rules),
    }
}

/// The conversion of a value, or of the values nested in it.
fn by_parts(from: &DataType, to: &Field, rules: Rules) -> Result<ColumnConversion, Mismatch> {
    let wanted = to.data_type();
    match (from, wanted) {
        (DataType::Null, wanted) if !has_dictionary(wanted) => Ok(ColumnConversion::Nulls(wanted.clone())),
        (DataType::Struct(found), DataType::Struct(wanted)) => of_struct(found, wanted, rules),
        (DataType::Map(found, _), DataType::Map(to, sorted)) => {
            let pairs = entry(found).zip(entry(to));
            let ((key, value), (to_key, to_value)) = pairs.ok_or_else(|| refused(from, wanted))?;
            let key =
                of_value(key.data_type(), to_key, rules).map_err(|error| error.in_field(to_key.name()))?;
            let value = of_value(value.data_type(), to_value, rules);
            let value = value.map_err(|error| error.in_field(to_value.name()))?;
            Ok(ColumnConversion::Map {
                to: to.clone(),
                sorted: *sorted,
                key: Box::new(key),
                value: Box::new(value),
            })
        }
        _ => match (items(from), items(wanted)) {
            (Some(found), Some(item)) => {
                let item = Box::new(of_value(found.data_type(), item, rules)?);
                Ok(ColumnConversion::List { to: wanted.clone(), item })
            }
            (None, None) => {
                let cast = value_cast(from, wanted, rules.rounds).ok_or_else(|| refused(from, wanted))?;
                Ok(ColumnConversion::Values(cast))
            }
            _ => Err(refused(from, wanted)),
        },
    }
}

/// The conversion of a column that keeps its type. Types that cannot be converted are read as they are.
pub(crate) fn stored(from: &DataType, to: &Field) -> ColumnConversion {
    of_value(from, to, Rules::default()).unwrap_or(ColumnConversion::Same)
}

fn of_struct(found: &Fields, wanted: &Fields, rules: Rules) -> Result<ColumnConversion, Mismatch> {
    let found = by_name(found);
    let fields = wanted.iter().map(|to| {
        let conversion = match found.get(to.name().as_str()).copied() {
            Some(Named { is_only: false, .. }) => {
                Err(Mismatch::new("expected one field of this name, found two".to_owned()))
            }
            Some(Named { at, field: from, .. }) => {
                let by_parts_only = is_dependent(from) && from.data_type() == to.data_type();
                let convert = if by_parts_only { by_parts } else { compile };
                let conversion = convert(from.data_type(), to, rules);
                conversion.map(|conversion| (Some(at), conversion))
            }
            None => missing(to).map(|conversion| (None, conversion)),
        };
        conversion.map_err(|error| error.in_field(to.name()))
    });
    Ok(ColumnConversion::Struct { to: wanted.clone(), fields: fields.collect::<Result<_, _>>()? })
}

/// The conversion for a field that the file does not have.
///
/// # Errors
/// The field is not nullable.
pub(crate) fn missing(to: &Field) -> Result<ColumnConversion, Mismatch> {
    let found = to.data_type();
    match to.is_nullable() && !has_dictionary(found) {
        true => Ok(ColumnConversion::Nulls(found.clone())),
        false if has_dictionary(found) => Err(refused(&DataType::Null, found)),
        false => {
            Err(Mismatch::new(format!("expected a field of type {found}, which may not be null, found none")))
        }
    }
}

/// The item of a list type whose items can be converted.
pub(super) fn items(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// The key and the value of a map.
pub(super) fn entry(entries: &Field) -> Option<(&FieldRef, &FieldRef)> {
    match entries.data_type() {
        DataType::Struct(fields) if fields.len() == 2 => Some((&fields[0], &fields[1])),
        _ => None,
    }
}

/// Whether a type has dictionaries. Each row group has its own ones, so batches have none.
fn has_dictionary(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_dictionary(field.data_type())),
        DataType::Map(entries, _) => has_dictionary(entries.data_type()),
        other => items(other).is_some_and(|item| has_dictionary(item.data_type())),
    }
}

/// Whether a field of structs is non-nullable and nested. If the struct is null, the reader of the `parquet` crate
/// makes a non-null value here, with fields or items that are null, and a concatenation rejects such a value.
fn is_dependent(field: &Field) -> bool {
    !field.is_nullable() && matches!(field.data_type(), DataType::Struct(_) | DataType::FixedSizeList(..))
}

/// Whether a type contains a struct with such a field.
fn has_dependent(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => {
            fields.iter().any(|field| is_dependent(field) || has_dependent(field.data_type()))
        }
        DataType::Map(entries, _) => {
            entry(entries).is_some_and(|(_, value)| has_dependent(value.data_type()))
        }
        other => items(other).is_some_and(|item| has_dependent(item.data_type())),
    }
}

#[cold]
fn refused(from: &DataType, to: &DataType) -> Mismatch {
    let hint = match (from, to) {
        (DataType::Float64 | DataType::Float32, DataType::Float32 | DataType::Float16) => {
            ", which is rounded only with double_as_float"
        }
        _ if has_dictionary(to) => ": a batch has no dictionaries",
        _ => "",
    };
    let (from, to) = (quoted(&int96::name_of(from)), quoted(&to.to_string()));
    Mismatch::new(format!("expected a type that converts to {to} without loss, found {from}{hint}"))
}
