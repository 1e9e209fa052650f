//! How options are described: the words of their values, and their parsers, which serve every language.
//!
//! The options of a format are a struct with documented fields and a `Default`. With the feature `serde`, it is parsed from JSON,
//! from SQL and from configuration files, and an unknown name is an error that lists the names.
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! use arrowfeed_source::Limits;
//! use serde::Deserialize;
//! use serde::de::value::{Error, MapDeserializer};
//!
//! let given = MapDeserializer::<_, Error>::new([("schema_depth", 8_usize)].into_iter());
//! assert_eq!(Limits::deserialize(given)?, Limits { schema_depth: 8, ..Limits::default() });
//! let wrong = MapDeserializer::<_, Error>::new([("depth", 8_usize)].into_iter());
//! assert!(Limits::deserialize(wrong).unwrap_err().to_string().starts_with("unknown field `depth`, expected one of "));
//! # }
//! # Ok::<(), serde::de::value::Error>(())
//! ```

// | module | content |
// |---|---|
// | `data_type` | Arrow types in text |
// | `words` | types whose values have words |
// | `character` `object` `schema` | parsers of fields, with the feature `serde` |

#[cfg(feature = "serde")]
mod character;
mod data_type;
#[cfg(feature = "serde")]
mod object;
#[cfg(feature = "serde")]
mod schema;
mod words;

#[cfg(feature = "serde")]
pub use character::{character, optional_character};
pub use data_type::data_type;
#[cfg(feature = "serde")]
pub use object::{Object, Ordered, list_or_object, optional_object};
#[cfg(feature = "serde")]
pub use schema::{Columns, schema};
pub use words::Words;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use words::deserialize_word;

// For the macro `words`.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde;
