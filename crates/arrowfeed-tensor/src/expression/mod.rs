//! Key expressions: paths that select values from each record of a batch, whatever file it came from.
//!
//! ```text
//! text ──parse──> KeyExpression ──compile (schema)──> ExpressionPlan ──evaluate (batch)──> KeyValues
//! ```
//!
//! | file | what |
//! |---|---|
//! | `key` `parse` | the expression, from and to its text |
//! | `plan` | an expression compiled against a schema: the entry |
//! | `compile` | steps to operations, type by type; which columns are needed |
//! | `operation` | operations on whole columns |
//! | `filter` `compare` | which elements a filter keeps |
//! | `place` | where an evaluation stands: an array, and the positions that were picked |

mod compare;
mod compile;
mod filter;
mod key;
mod operation;
mod parse;
mod place;
mod plan;

pub(crate) use compile::and_how_to_enter;
pub use key::KeyExpression;
pub(crate) use key::StepKind;
pub use plan::{ExpressionPlan, KeyValues};
