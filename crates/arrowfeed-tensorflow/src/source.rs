//! Interfaces to the producers of tensors, for iterations and for records, and the errors that TensorFlow raises.

use std::sync::Arc;

use arrowfeed_tensor::Tensors;

/// A source of batches that the inputs of the op describe. It can be iterated over several times.
pub trait TensorSource: Send + Sync {
    /// Starts an iteration, or resumes after a state that another iteration returned. An empty state starts the next pass over
    /// the source.
    ///
    /// # Errors
    /// The error that TensorFlow raises: the state belongs to another source, or the source cannot be read.
    fn start(&self, state: &[u8]) -> Result<Box<dyn TensorStream>, Failure>;
}

/// An iteration over batches of tensors.
pub trait TensorStream: Send {
    /// Returns the named tensors of the next batch, or `None` at the end.
    ///
    /// # Errors
    /// The error that TensorFlow raises. The stream is not used after an error.
    fn next(&mut self) -> Result<Option<Tensors>, Failure>;

    /// Returns a checkpoint of the iteration after the last batch, from which another process can resume too. It is not empty.
    ///
    /// # Errors
    /// The error that TensorFlow raises.
    fn state(&mut self) -> Result<Vec<u8>, Failure>;
}

/// A parser of records. Several threads may call it at once.
pub trait Parser: Send + Sync {
    /// Returns the named tensors of all records.
    ///
    /// # Errors
    /// The error that TensorFlow raises.
    fn parse(&self, records: &mut dyn Iterator<Item = &[u8]>) -> Result<Tensors, Failure>;
}

/// Opens the sources and parsers that the inputs and attributes of the ops describe.
pub trait Opener: Send + Sync {
    /// Returns the source that this process has under a key, or opens the one that the configuration describes.
    ///
    /// # Errors
    /// The error that TensorFlow raises.
    fn source(&self, key: &str, config: &[u8]) -> Result<Arc<dyn TensorSource>, Failure>;

    /// Returns the parser that the configuration describes.
    ///
    /// # Errors
    /// The error that TensorFlow raises.
    fn parser(&self, config: &[u8]) -> Result<Arc<dyn Parser>, Failure>;
}

/// An error for TensorFlow: a class of `tf.errors` and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub code: Code,
    /// The message.
    pub message: String,
}

/// The classes of `tf.errors` that the ops raise, with the numbers of `tensorflow/c/tf_status.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are TensorFlow's")]
pub enum Code {
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    NotFound = 5,
    OutOfRange = 11,
    Internal = 13,
}

impl Failure {
    /// Creates an error of this class.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
