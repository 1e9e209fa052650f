//! Conversions of columns from the types of a file to those of a promised schema, without loss.
//!
//! | file | content |
//! |---|---|
//! | `rule` | the pairs of value types that convert, and how a loss is found |
//! | `compile` | two types to a [`Conversion`], or the error that names the field |
//! | `apply` | the conversion of an array |
//! | `fault` | the value that does not convert |
//!
//! `compile` decides by types alone, when a file is opened. Values that the promised type cannot hold are errors of `apply`.

mod apply;
mod compile;
mod fault;
mod rule;

use arrow_schema::{DataType, FieldRef, Fields};

pub(crate) use apply::check_nulls;
pub(crate) use compile::{Mismatch, compile, missing, stored};
pub(crate) use fault::{Unfit, first_that};

/// Converts arrays of one type into arrays of another one. Every value is equal before and after; only floats that the
/// caller allows to round differ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Conversion {
    /// Keeps the array.
    Same,
    /// Makes nulls: the file has no such field, or only nulls.
    Nulls(DataType),
    /// Casts values by `arrow-cast`.
    Values(ValueCast),
    /// Converts the items of a list.
    List { to: DataType, item: Box<Conversion> },
    /// Puts each value into a list of its own. A null becomes a null list.
    Singleton { to: DataType, item: Box<Conversion> },
    /// Picks the fields of structs, each from the number of a field of the file.
    Struct { to: Fields, fields: Vec<(Option<usize>, Conversion)> },
    /// Converts the keys and the values of maps.
    Map { to: FieldRef, sorted: bool, key: Box<Conversion>, value: Box<Conversion> },
}

/// A cast of values between two types.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueCast {
    from: DataType,
    to: DataType,
    /// Whether `arrow-cast` drops digits without an error. The result is then cast back and compared.
    compared: bool,
}
