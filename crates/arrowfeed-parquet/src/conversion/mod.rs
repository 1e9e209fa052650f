//! Lossless conversion of columns from the types of a file to those of a requested schema.
//!
//! | file | content |
//! |---|---|
//! | `rule` | the pairs of value types that can be converted, and the detection of losses |
//! | `compile` | compilation of two types to a [`ColumnConversion`], or an error that names the field |
//! | `apply` | conversion of arrays |
//! | `fault` | errors of values that cannot be converted |
//!
//! `compile` decides by types alone, when a file is opened. Values that the requested type cannot represent are errors
//! of `apply`.

mod apply;
mod compile;
mod fault;
mod rule;

use arrow_schema::{DataType, FieldRef, Fields};

pub(crate) use apply::check_nulls;
pub(crate) use compile::{Mismatch, Rules, compile, missing, stored};
pub(crate) use fault::{Unfit, first_that};

/// Converts arrays of one type to arrays of another. Every value is equal before and after, except for floats that the
/// caller allows to be rounded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ColumnConversion {
    /// Keeps the array.
    Same,
    /// Makes nulls, because the file has no such field or only nulls.
    Nulls(DataType),
    /// Casts values with `arrow-cast`.
    Values(ValueCast),
    /// Converts the items of a list.
    List { to: DataType, item: Box<ColumnConversion> },
    /// Wraps each value in a list. A null becomes a null list.
    Singleton { to: DataType, item: Box<ColumnConversion> },
    /// Selects the fields of structs. Each has the number of the field in the file, if that has it.
    Struct { to: Fields, fields: Vec<(Option<usize>, ColumnConversion)> },
    /// Converts the keys and the values of maps.
    Map { to: FieldRef, sorted: bool, key: Box<ColumnConversion>, value: Box<ColumnConversion> },
}

/// A cast of values between two types.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueCast {
    from: DataType,
    to: DataType,
    /// Whether `arrow-cast` may drop digits without an error. The result is then compared with the original.
    compared: bool,
}
