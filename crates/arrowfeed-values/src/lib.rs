//! Exact conversion of texts to values of Arrow types: of cells of CSV, values of JSON, names of directories, and literals of
//! predicates.
//!
//! A text is an error if its type cannot store it: nothing is cut, and no number becomes infinite. Floats are rounded to the
//! nearest value of their type. The time and memory of a conversion are linear in the length of the text.
//!
//! | type | texts |
//! |---|---|
//! | integers, durations | `12`, `-12`, `+12`, with ASCII whitespace around them |
//! | floats | also `1.5`, `.5`, `5.`, `1e-3`, `inf`, `nan`, with ASCII whitespace around them |
//! | decimals | `12`, `1.50`, `.5`, `5.`, `15e-1` |
//! | booleans | `true` and `false` in letters of any case |
//! | dates | `2024-01-31`, `2024-1-31`, `20240131`, `+12024-01-31`; also timestamps at midnight of UTC |
//! | times | `12:30`, `12:30:00`, `12:30:00.5`, `1:30 PM` |
//! | timestamps | a date with hyphens; with a `T` or a space, and a time with hours of two digits or `123000`; with a zone: `Z`, `+02`, `+0200`, `+02:00`, or its name |
//! | strings, bytes | any |

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "arrays"), allow(dead_code, reason = "predicates use a part of the grammar"))]

// | module | contents |
// |---|---|
// | `arrays` | texts, and numbers of JSON, as arrays of a type |
// | `numbers` | the grammar and the values of numbers and booleans |
// | `temporal` | the grammar and the values of dates, times, timestamps and offsets |

#[cfg(feature = "arrays")]
mod arrays;
mod numbers;
mod temporal;

#[cfg(feature = "arrays")]
pub use arrays::{Cell, array, encoded, holds_texts, of_texts};
pub use numbers::{DecimalText, boolean};
#[cfg(feature = "arrays")]
pub use numbers::{float64, int64};
pub use temporal::{DateTime, date, offset, time};
