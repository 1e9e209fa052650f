//! Key expressions: paths that select values from each record of a batch, whatever the format of its file.
//!
//! ```text
//! text ──parse──> KeyExpression ──compile (schema)──> ExpressionPlan ──evaluate (batch)──> KeyValues
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `key` `parse` | the expression, from and to its text |
//! | `plan` | an expression compiled against a schema: the entry point |
//! | `compile` | compilation of steps to operations by type, and the columns that they read |
//! | `operation` | operations on whole columns |
//! | `filter` `compare` | evaluation of filters, and equality of values |
//! | `row_selection` | the state of an evaluation: an array and a selection vector |

mod compare;
mod compile;
mod filter;
mod key;
mod operation;
mod parse;
mod plan;
mod row_selection;

pub(crate) use compile::and_how_to_enter;
pub use key::KeyExpression;
pub(crate) use key::StepKind;
pub use plan::{ExpressionPlan, KeyValues};
