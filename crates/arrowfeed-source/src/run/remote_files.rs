//! The remote files that one reading has open, and their requests.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

use crate::format::FileFormat;
use crate::io::remote::{ReadAhead, RemoteFile, RemoteObject};
use crate::{Check, FeedError, ForkLock};

/// The requests of one reading, and its open files by index.
#[derive(Debug, Default)]
pub(super) struct RemoteFiles {
    pub(super) read_ahead: ReadAhead,
    open: ForkLock<BTreeMap<usize, Weak<RemoteFile>>>,
}

impl RemoteFiles {
    /// Returns the open file with this index and announces `ranges` in it. For a new file, the ranges that the format
    /// opens it with are announced first, so that one request may fetch both.
    ///
    /// # Errors
    /// The requests belong to the parent process.
    pub(super) fn file(
        &self,
        number: usize,
        object: &Arc<dyn RemoteObject>,
        format: &dyn FileFormat,
        ranges: impl Iterator<Item = Range<u64>>,
        check: &Check<'_>,
    ) -> Result<Arc<RemoteFile>, FeedError> {
        let known = self.open.with(|open| open.get(&number).and_then(Weak::upgrade)).flatten();
        if let Some(file) = known {
            file.announce(ranges);
            return Ok(file);
        }
        let file = RemoteFile::new(object.clone(), self.read_ahead.clone(), check).map_err(FeedError::io)?;
        let file = Arc::new(file);
        let opening = format.opening_ranges(file.known_len());
        if opening.is_empty() {
            file.ask_version();
        }
        file.announce(opening.into_iter().chain(ranges));
        self.open.with(|open| {
            open.retain(|_, known| known.strong_count() > 0);
            open.insert(number, Arc::downgrade(&file));
        });
        Ok(file)
    }
}
