//! What is made of a batch by the thread that decoded it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;

/// Called with each batch that a thread has decoded ahead of the caller.
pub type Prepare = Arc<dyn Fn(&RecordBatch) -> Prepared + Send + Sync>;

/// What came of it.
pub struct Prepared {
    /// The caller knows the type.
    pub value: Box<dyn Any + Send>,
    /// Bytes that it takes beside the batch, which count as bytes that wait.
    pub bytes: usize,
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
