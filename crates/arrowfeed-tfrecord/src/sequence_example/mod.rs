//! `tf.SequenceExample` to columns, and back, in the layout of tfx_bsl: the features of the context as in `tf.Example`, and
//! after them a struct of the sequences.
//!
//! | part of a message | column |
//! |---|---|
//! | a feature of `context` | a list of values, see [`example`](crate::example) |
//! | a feature list | a field of the struct: a list of steps, each a list of values |
//! | a message without the feature list | a null in the field of the struct; the struct itself is never null |
//! | a feature list without steps | an empty list |
//! | a step without a list | a null in the list of steps |
//!
//! Messages are accepted and interpreted as by protobuf's parsers.

// | file | content |
// |---|---|
// | `decoder` | `SequenceExampleDecoder`: from records to a batch |
// | `encoder` | `SequenceExampleEncoder`: from a batch to records |
// | `infer` | `InferredSequenceFeatures`: the features of records without a schema |
// | `select` | the features of field paths |

mod decoder;
mod encoder;
mod infer;
mod select;

pub use decoder::{SEQUENCE_COLUMN, SequenceExampleDecoder, SequenceFeatures};
pub use encoder::SequenceExampleEncoder;
pub use infer::{InferredSequenceFeatures, decode_inferred};
