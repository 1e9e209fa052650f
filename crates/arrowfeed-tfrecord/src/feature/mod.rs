//! Conversion of feature maps to columns, and back. A map has entries, each with a name and a `Feature`.
//!
//! | file | content |
//! |---|---|
//! | `kind` | [`Feature`]: a name and the [`FeatureKind`] of its lists |
//! | `entry` | an entry of the map: its name and its value |
//! | `lists` | builders of columns of lists, and of lists of lists |
//! | `integers` | decoding of packed integers in blocks of bytes |
//! | `columns` | the columns of a map, by name |
//! | `encoding` | [`FeatureEncoding`]: the Arrow types of features |
//! | `inferred` | inference of the kinds of features |
//! | `encoded`, `encoded_column`, `encoded_map` | encoding of lists of one kind as features, of a column of several kinds, and of columns as a map |

mod columns;
mod encoded;
mod encoded_column;
mod encoded_map;
mod encoding;
mod entry;
mod inferred;
mod integers;
mod kind;
mod lists;

pub(crate) use columns::{Fault, FeatureColumns, each_entry};
pub(crate) use encoded::{FIRST, VALUE, WITHOUT_LIST, field_len};
pub(crate) use encoded_column::EncodedColumn;
pub(crate) use encoded_map::EncodedFeatures;
pub use encoding::FeatureEncoding;
pub(crate) use inferred::{Kinds, RecordKinds};
pub use kind::{Feature, FeatureKind, UnknownFeatures};
pub(crate) use lists::{Column, Steps};
