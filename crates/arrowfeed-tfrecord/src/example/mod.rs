//! `tf.Example` to columns, and back: large lists of int64, float32 or large binary, as tfx_bsl has them.
//!
//! A message is read once, from its bytes into the columns, without an object for it. What is accepted, and what it means, is
//! that of protobuf's parsers: fields in any order, packed or not, with unknown ones between them; parts of a message are merged;
//! the last of several entries with one name counts.
//!
//! | file | what |
//! |---|---|
//! | `decoder` | [`ExampleDecoder`]: from records to a batch |
//! | `entry` | a feature of a record: its name, and the lists of its values |
//! | `column` | the values of a feature, row after row |
//! | `encoder` | [`ExampleEncoder`]: from a batch to records |
//! | `infer` | [`InferredFeatures`]: the features of records without a schema |

mod column;
mod decoder;
mod encoder;
mod entry;
mod infer;

pub use decoder::{ExampleDecoder, Feature, Kind, Unlisted};
pub use encoder::ExampleEncoder;
pub use infer::{InferredFeatures, decode_inferred};
