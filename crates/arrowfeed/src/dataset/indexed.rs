//! Files and what is known of them: made once for all iterations over them.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrowfeed_avro::{AvroError, AvroFiles};

use super::index::BlockIndex;
use super::options::IterationOptions;
use super::state::FileMarks;

#[derive(Debug)]
pub(super) struct Indexed {
    pub(super) files: Arc<AvroFiles>,
    /// Of files without a fault: then it is the same whatever is done about faults.
    index: Mutex<Option<Arc<BlockIndex>>>,
    marks: OnceLock<FileMarks>,
}

impl Indexed {
    pub(super) fn new(files: Arc<AvroFiles>) -> Self {
        Self { files, index: Mutex::default(), marks: OnceLock::new() }
    }

    pub(super) fn index(&self, options: &IterationOptions) -> Result<Arc<BlockIndex>, AvroError> {
        if let Some(index) = &*self.index.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(index.clone());
        }
        let index = Arc::new(BlockIndex::build(&self.files, options)?);
        if index.skipped.is_empty() {
            *self.index.lock().unwrap_or_else(PoisonError::into_inner) = Some(index.clone());
        }
        Ok(index)
    }

    pub(super) fn marks(&self) -> Result<FileMarks, AvroError> {
        if let Some(marks) = self.marks.get() {
            return Ok(marks.clone());
        }
        let marks = FileMarks::of(&self.files)?;
        Ok(self.marks.get_or_init(|| marks).clone())
    }
}
