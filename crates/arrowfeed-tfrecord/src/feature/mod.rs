//! The features of a record: entries of a map, each with a name and a `Feature`, into columns.
//!
//! | file | what |
//! |---|---|
//! | `kind` | [`Feature`]: a name and the [`Kind`] of its lists |
//! | `entry` | an entry of the map: a name, and what stands in its value |
//! | `lists` | a column of lists, row after row, and of lists in lists |
//! | `integers` | packed integers, block after block |
//! | `columns` | the columns of a map, by name |
//! | `encoding` | [`Encoding`]: the Arrow types of features |
//! | `inferred` | the kinds of features that records have |
//! | `encoded`, `encoded_map` | the way back: lists of a column as features, and columns as a map |

mod columns;
mod encoded;
mod encoded_map;
mod encoding;
mod entry;
mod inferred;
mod integers;
mod kind;
mod lists;

pub(crate) use columns::{Fault, FeatureColumns, each_entry};
pub(crate) use encoded::{FIRST, FeatureLists, VALUE, WITHOUT_LIST, field_len};
pub(crate) use encoded_map::EncodedFeatures;
pub use encoding::Encoding;
pub(crate) use inferred::{Kinds, RecordKinds};
pub use kind::{Feature, Kind, Unlisted};
pub(crate) use lists::{Column, Steps};
