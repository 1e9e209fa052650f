//! `tf.Example` to columns, and back: large lists of int64, float32 or large binary, as in tfx_bsl.
//!
//! A message is decoded in one pass from its bytes into the columns, without an intermediate object. Messages are accepted
//! and interpreted as by protobuf's parsers: fields are in any order, packed or not, with unknown fields between them; parts
//! of a message are merged; the last of several entries with the same name counts.

// | file | content |
// |---|---|
// | `decoder` | `ExampleDecoder`: from records to a batch |
// | `encoder` | `ExampleEncoder`: from a batch to records |
// | `infer` | `InferredFeatures`: the features of records without a schema |

mod decoder;
mod encoder;
mod infer;

pub use crate::feature::{Feature, FeatureKind, UnknownFeatures};
pub use decoder::ExampleDecoder;
pub use encoder::ExampleEncoder;
pub use infer::{InferredFeatures, decode_inferred};
