//! Appending of rows to an existing file.

use std::path::Path;

use arrowfeed_source::io::Target;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits};

use super::locked::Locked;
use super::options::WriteOptions;
use crate::container::framing::SYNC;
use crate::reader::file::Container;
use crate::{AvroSchema, Codec, FileSource};

/// A growing copy of an existing file, which replaces the file once it is complete.
///
/// The file itself never changes, so it is intact if the process is killed.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) target: Target,
    pub(super) schema: AvroSchema,
    pub(super) codec: Codec,
    pub(super) sync: [u8; SYNC],
    /// Locks out other writers until the copy has replaced the file.
    pub(super) lock: Locked,
}

impl Appended {
    /// Copies the file. Its header determines how blocks are written.
    ///
    /// # Errors
    /// The file does not exist, is not an Avro file, has a codec that is not compiled in, or does not end with a complete block; another writer appends to it; the
    /// options specify another schema, or metadata.
    pub(super) fn open(path: &Path, options: &WriteOptions) -> Result<Self, FeedError> {
        let refuse = |message: &str| Err(FeedError::new(FeedErrorKind::Options, message));
        if !options.metadata.is_empty() {
            return refuse(
                "metadata: expected none when appending, because the header of the file does not change",
            );
        }
        let mut lock = Locked::open(path).map_err(FeedError::io)?;
        let limits = Limits::default();
        let source = FileSource::seekable(path.display().to_string(), lock.reader().map_err(FeedError::io)?);
        let file = Container::open(source, &limits, &Check::never())?;
        file.header.codec.check_compiled()?;
        let schema = file.schema(None, &limits)?;
        if options.schema.as_ref().is_some_and(|wanted| *wanted != schema) {
            return refuse("schema: expected the schema of the existing file, found a different schema");
        }
        let mut target = Target::create(path).map_err(FeedError::io)?;
        let len = lock.copy_to(&mut target).map_err(FeedError::io)?;
        let last: [u8; SYNC] = lock.last(len).map_err(FeedError::io)?;
        if len < file.header.len || last != file.header.sync {
            let message = "expected a file that ends with its sync marker, found other bytes: the file is truncated or damaged";
            return Err(FeedError::new(FeedErrorKind::Truncated, message));
        }
        Ok(Self { target, schema, codec: file.header.codec, sync: file.header.sync, lock })
    }
}
