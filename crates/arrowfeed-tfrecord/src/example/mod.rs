//! `tf.Example` to columns, and back: large lists of int64, float32 or large binary, as tfx_bsl has them.
//!
//! A message is read once, from its bytes into the columns, without an object for it. What is accepted, and what it means, is
//! that of protobuf's parsers: fields in any order, packed or not, with unknown ones between them; parts of a message are merged;
//! the last of several entries with one name counts.
//!
//! | file | what |
//! |---|---|
//! | `decoder` | [`ExampleDecoder`]: from records to a batch |
//! | `encoder` | [`ExampleEncoder`]: from a batch to records |
//! | `infer` | [`InferredFeatures`]: the features of records without a schema |

mod decoder;
mod encoder;
mod infer;

pub use crate::feature::{Feature, Kind, Unlisted};
pub use decoder::ExampleDecoder;
pub use encoder::ExampleEncoder;
pub(crate) use infer::with_null_columns;
pub use infer::{InferredFeatures, decode_inferred};
