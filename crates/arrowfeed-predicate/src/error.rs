//! The error type.

use arrow_schema::{ArrowError, DataType};

/// Error of a text, a compilation or an evaluation of a predicate.
///
/// [`Predicate`](crate::Predicate) has an example.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredicateError {
    /// The text is not a predicate.
    #[error("position {position}: expected {expected}, found {found}")]
    Syntax {
        /// The number of the character at which the parser stopped; the first is 1.
        position: usize,
        /// What the grammar allows there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The tree is nested too deeply.
    #[error("expected a predicate with at most {} levels, found {depth}", crate::MAX_DEPTH)]
    Depth {
        /// The levels of the tree.
        depth: usize,
    },
    /// An `And` or `Or` of the tree has no parts.
    #[error("expected at least two predicates that \"{operator}\" joins, found none")]
    NoParts {
        /// The operator, as in the text.
        operator: &'static str,
    },
    /// The schema has no such column.
    #[error("column {path}: expected a column of this name, one of {columns}, found none")]
    UnknownColumn {
        /// The path in the predicate.
        path: String,
        /// The names of the columns of the schema.
        columns: String,
    },
    /// The type of the column does not have this operation, or the literal has another type.
    #[error("column {path} is {data_type}: expected {expected}, found {found}")]
    Type {
        /// The path in the predicate.
        path: String,
        /// The type of the column.
        data_type: DataType,
        /// What fits the type.
        expected: &'static str,
        /// The literal or the operation.
        found: String,
    },
    /// A list that is compared by its one value has several values.
    #[error("column {path}, row {row}: expected a list with at most one value, found {values} values")]
    SeveralValues {
        /// The path in the predicate.
        path: String,
        /// The row in the batch; the first is 0.
        row: usize,
        /// The length of the list.
        values: usize,
    },
    /// The batch does not have the schema for which the predicate was compiled.
    #[error("column {path}: expected the type {expected} of the compiled schema, found {found}")]
    Schema {
        /// The path in the predicate.
        path: String,
        /// The type of the column in the schema.
        expected: DataType,
        /// The type in the batch.
        found: String,
    },
    /// An expression of Substrait has a part that predicates do not have.
    #[error("expected {expected}, found {found}")]
    Substrait {
        /// What predicates have there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A kernel failed.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}
