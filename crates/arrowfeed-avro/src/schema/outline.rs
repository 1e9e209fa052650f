//! A validated schema, split into a half that apache-avro parses and a half that it would reject or drop.

use serde_json::Value;

use super::json::object;

/// A valid schema. The [`Shape`]s are JSON for apache-avro; names, aliases, symbols and defaults are stored beside them,
/// unchanged.
///
/// Each named type is separate: apache-avro keeps a copy of every named type that it parses, also inside the copies of
/// the enclosing types, so the cost of nested definitions would be their size times their depth.
pub(super) struct Outline {
    /// In order of definition; a [`placeholder`] contains an index into this list.
    pub(super) named: Vec<Named>,
    pub(super) root: Shape,
}

/// JSON of a type for apache-avro, with a [`placeholder`] or a [`stand_in`] for each named type.
pub(super) type Shape = Value;

pub(super) struct Named {
    /// Full name.
    pub(super) name: String,
    /// Full names.
    pub(super) aliases: Vec<String>,
    pub(super) body: Body,
}

pub(super) enum Body {
    Record(Vec<OutlineField>),
    Enum {
        symbols: Vec<String>,
        /// Index into `symbols`.
        default: Option<usize>,
    },
    /// The size and the logical type, as JSON for apache-avro.
    Fixed(Shape),
}

pub(super) struct OutlineField {
    pub(super) name: String,
    pub(super) column: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) default: Option<Value>,
    pub(super) shape: Shape,
}

/// The name of the named type `index` in shapes.
pub(super) fn placeholder(index: usize) -> String {
    format!("t{index}")
}

/// The `index` of a [`placeholder`].
pub(super) fn placeholder_index(name: &str) -> Option<usize> {
    name.strip_prefix('t')?.parse().ok()
}

/// Defines the named type `index` for apache-avro at its first mention in a shape, as a fixed type whatever it really is.
pub(super) fn stand_in(index: usize) -> Shape {
    object([("type", "fixed".into()), ("name", placeholder(index).into()), ("size", 0.into())])
}
