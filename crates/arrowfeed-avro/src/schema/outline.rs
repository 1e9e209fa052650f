//! A checked schema taken apart into the half that apache-avro parses and the half that it would refuse or lose.

use serde_json::Value;

use super::json::object;

/// A schema that breaks no rule. The [`Shape`]s are JSON for apache-avro; names, aliases, symbols and defaults
/// are beside them, as the schema has them.
///
/// Each named type stands alone: apache-avro keeps a copy of every named type that it parses, inside the copies
/// of the types around it too, so that nested definitions would cost their size times their depth.
pub(super) struct Outline {
    /// In the order of their definitions; [`placeholder`]s count through them.
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
    /// The size and the logical type, as apache-avro takes them.
    Fixed(Shape),
}

pub(super) struct OutlineField {
    pub(super) name: String,
    pub(super) column: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) default: Option<Value>,
    pub(super) shape: Shape,
}

/// What apache-avro knows the named type `index` as.
pub(super) fn placeholder(index: usize) -> String {
    format!("t{index}")
}

/// The `index` of a [`placeholder`].
pub(super) fn placeholder_index(name: &str) -> Option<usize> {
    name.strip_prefix('t')?.parse().ok()
}

/// Makes the named type `index` known to apache-avro, whatever it is, where a shape mentions it first.
pub(super) fn stand_in(index: usize) -> Shape {
    object([("type", "fixed".into()), ("name", placeholder(index).into()), ("size", 0.into())])
}
