//! `tf.SequenceExample` to columns: those of its context as of `tf.Example`, and behind them a struct of its sequences, as tfx_bsl
//! has it.
//!
//! | part of a message | column |
//! |---|---|
//! | a feature of `context` | a list of values, see [`example`](crate::example) |
//! | a feature list | a field of the struct: a list of steps, each a list of values |
//! | a message without the feature list | a null in the field of the struct; the struct itself is never null |
//! | a feature list without steps | an empty list |
//! | a step without a list | a null in the list of steps |
//!
//! What is accepted, and what it means, is that of protobuf's parsers.
//!
//! | file | what |
//! |---|---|
//! | `decoder` | [`SequenceExampleDecoder`]: from records to a batch |
//! | `encoder` | [`SequenceExampleEncoder`]: from a batch to records |
//! | `infer` | [`InferredSequenceFeatures`]: the features of records without a schema |
//! | `select` | field paths to features |

mod decoder;
mod encoder;
mod infer;
mod select;

pub use decoder::{SEQUENCE_COLUMN, SequenceExampleDecoder, SequenceFeatures};
pub use encoder::SequenceExampleEncoder;
pub use infer::{InferredSequenceFeatures, decode_inferred};
