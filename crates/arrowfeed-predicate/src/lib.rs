//! Predicates over the rows of Arrow [`RecordBatch`](arrow_array::RecordBatch)es.
//!
//! A [`Predicate`] is a tree of comparisons. [`col`] builds one in Rust, and [`Predicate::parse`] reads one from text. Its
//! [`Display`](std::fmt::Display) is the canonical text, which the parser reads back. [`Predicate::compile`] checks the types
//! of a schema, and [`CompiledPredicate`] evaluates batches of this schema. [`Predicate::node`] gives the tree.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{Int64Array, RecordBatch};
//! use arrow_schema::{DataType, Field, Schema};
//! use arrowfeed_predicate::{Lists, Predicate};
//!
//! let schema = Schema::new(vec![Field::new("age", DataType::Int64, true)]);
//! let ages = Int64Array::from(vec![Some(17), Some(18), None]);
//! let batch = RecordBatch::try_new(Arc::new(schema.clone()), vec![Arc::new(ages)]).unwrap();
//! let predicate = Predicate::parse("age >= 18")?.compile(&schema, Lists::AreValues)?;
//! assert_eq!(predicate.evaluate(&batch)?, vec![Some(false), Some(true), None].into());
//! assert_eq!(predicate.keeps(&batch)?, vec![false, true, false].into());
//! # Ok::<(), arrowfeed_predicate::PredicateError>(())
//! ```
//!
//! # Text
//!
//! | text | meaning |
//! |---|---|
//! | `age >= 18`, also `== = != <> < <= >` | comparison of a column with a literal |
//! | `active` | `active == true` |
//! | `country in ["de", "fr"]`, `not in` | equal to one of the literals |
//! | `label is null`, `label is not null` | null, or a value |
//! | `name starts with "x"` | prefix of a string |
//! | `list_length(tags) >= 2` | the number of values of a list |
//! | `not p`, `p and q`, `p or q`, `(p)` | `not` binds before `and`, and `and` before `or` |
//! | `a.b`, `['a.b'].c`, `["any path"]` | paths of columns; the last form is the whole path as a JSON string |
//! | `18`, `-1.50`, `1e6`, `inf`, `-inf`, `nan` | numbers, which are exact |
//! | `"de"`, `x"00ff"`, `true`, `false` | a string with the escapes of JSON, bytes, booleans |
//! | `"2026-01-01"`, `"2026-01-01T12:00:00.5Z"`, `"12:00:00"`, `"PT1.5S"` | ISO 8601, for columns of temporal types; also `"2026-1-1"`, `"20260101"` and `"1:30 PM"` |
//!
//! Keywords have any case of letters. A column with the name of a keyword needs quotes.
//!
//! # Semantics
//!
//! | case | rule |
//! |---|---|
//! | null | a comparison, `in` and `starts with` are null for a null, and `is null` is never null |
//! | `and` `or` `not` | Kleene's logic: `false and null` is false, `true or null` is true, `not null` is null |
//! | `in` with an empty list | false for a value |
//! | fields of structs | null if the struct is null |
//! | floats | IEEE 754: `nan == nan` is false, `nan != 1` is true, and `-0.0 == 0.0`; also inside `in` |
//! | integers, decimals and floats | exact, also above 2^53. A number with a fraction stands for the nearest `f64` if the column has floats; a float with a fraction stands for its shortest decimal text if the column has integers or decimals |
//! | booleans | `false < true` |
//! | strings and bytes | by their bytes. A string is also compared with columns of bytes, and as a number with columns of decimals |
//! | dictionaries and run-end encoded arrays | as their values: enums as their text |
//! | timestamps | exact, with literals of any unit. A date is its midnight, of UTC if the column has a time zone. Otherwise a column with a time zone needs a literal with one, and a column without needs a literal without |
//! | dates, times, durations | compared with literals of the same kind only |
//! | lists | compared by [`Lists`]; `list_length` is null for a null |
//!
//! # Features
//!
//! `substrait` adds `Predicate::from_substrait`, which reads expressions of other libraries. It is not enabled by default.

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | module | contents |
// |---|---|
// | `predicate` | the tree, and the functions that build it |
// | `literal` `decimal` `temporal` | literals; exact decimal numbers; texts of dates, times, timestamps and durations |
// | `text` | the parser, and the canonical text that states store |
// | `path` | steps of field paths |
// | `position` | the position of a literal among the values of a type |
// | `compiled` | operands and literals of the types of a schema; tests of arrays; Kleene's logic |
// | `substrait` | predicates from expressions of Substrait; needs the feature of this name |
// | `error` | the error type |

mod compiled;
mod decimal;
mod error;
mod literal;
pub mod path;
mod position;
mod predicate;
#[cfg(feature = "substrait")]
mod substrait;
mod temporal;
mod text;

pub use compiled::{CompiledPredicate, Lists};
pub use decimal::Decimal;
pub use error::PredicateError;
pub use literal::Literal;
pub use predicate::{Comparison, MAX_DEPTH, Node, Operand, Predicate, col};
#[cfg(feature = "substrait")]
pub use substrait::NullInList;
