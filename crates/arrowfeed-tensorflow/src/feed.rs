//! What gives the tensors of an iteration and of records, and the errors that TensorFlow is told.

use std::sync::Arc;

use arrowfeed_tensor::Tensors;

/// What the attributes of the op describe: it is iterated over again and again.
pub trait Source: Send + Sync {
    /// Starts an iteration, or goes on after a state that another one gave. An empty state is the start of the next pass over the
    /// source.
    ///
    /// # Errors
    /// What TensorFlow raises: the state is of something else, or nothing can be read.
    fn start(&self, state: &[u8]) -> Result<Box<dyn Feed>, Failure>;
}

/// Tensors, batch after batch.
pub trait Feed: Send {
    /// The tensors of the next batch, by name. `None`: there are no more.
    ///
    /// # Errors
    /// What TensorFlow raises. Nothing is asked of the feed after it.
    fn next(&mut self) -> Result<Option<Tensors>, Failure>;

    /// Where the iteration stands after the last batch: what it takes to go on there, in another process too. Not empty.
    ///
    /// # Errors
    /// What TensorFlow raises.
    fn state(&mut self) -> Result<Vec<u8>, Failure>;
}

/// Tensors of records. Several threads may call at once.
pub trait Parser: Send + Sync {
    /// The tensors of all records, by name.
    ///
    /// # Errors
    /// What TensorFlow raises.
    fn parse(&self, records: &mut dyn Iterator<Item = &[u8]>) -> Result<Tensors, Failure>;
}

/// What the attributes of the ops describe.
pub trait Open: Send + Sync {
    /// Finds the source that this process holds under a key, or opens the one that the configuration describes.
    ///
    /// # Errors
    /// What TensorFlow raises.
    fn source(&self, key: &str, config: &[u8]) -> Result<Arc<dyn Source>, Failure>;

    /// What parses records as the configuration describes.
    ///
    /// # Errors
    /// What TensorFlow raises.
    fn parser(&self, config: &[u8]) -> Result<Arc<dyn Parser>, Failure>;
}

/// An error as TensorFlow has it: a class of `tf.errors` and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub code: Code,
    /// The message.
    pub message: String,
}

/// The classes of `tf.errors` that are raised, with the numbers of `tensorflow/c/tf_status.h`.
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
    /// An error of this class.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
