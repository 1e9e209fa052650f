//! The error type of all formats: the expected and found input, and its location.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use arrow_schema::ArrowError;

use crate::{MemoryExhausted, printable};

/// The kind of an error, for callers that act on errors without parsing the message.
///
/// [`FeedError`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FeedErrorKind {
    /// An I/O error: missing file, permission, device error. `source()` is the [`io::Error`].
    Io,
    /// The file is not of the expected format, or its header violates the specification.
    Format,
    /// The file ends inside a header or a block.
    Truncated,
    /// A block violates the specification, in its framing or in a value.
    CorruptBlock,
    /// Compressed data cannot be decompressed, or its checksum is wrong; or the codec is unknown or not compiled in.
    Codec,
    /// The schema is invalid, cannot be resolved against the reader schema, or cannot be converted to Arrow.
    Schema,
    /// An option is invalid or names something that does not exist.
    Options,
    /// A valid value does not fit the requested tensor, for example a row of the wrong length.
    Conversion,
    /// A limit of [`Limits`](crate::Limits) was exceeded; [`FeedError::limit`] names it.
    Limit,
    /// The file changed while it was read.
    Changed,
    /// The caller cancelled the operation.
    Interrupted,
    /// A bug in this library: a caught panic, or a violated invariant.
    Internal,
}

/// The location of an error. Each part is set if it is known.
///
/// [`FeedError`] has an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, as the caller named it.
    pub path: Option<String>,
    /// Zero-based index of the block in the file, or in the byte range that is read.
    pub block: Option<u64>,
    /// Byte offset in the file: of the block, or of the value if the block is not compressed.
    pub offset: Option<u64>,
    /// Zero-based index of the record in its block.
    pub record: Option<u64>,
    /// Path of the field from the schema root: `user.scores[4]`.
    pub field: Option<String>,
}

#[derive(Debug)]
struct Inner {
    kind: FeedErrorKind,
    message: String,
    location: Location,
    limit: Option<&'static str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// An error while reading or writing files. One word wide, so that `Result`s stay small on the hot path.
///
/// ```
/// use arrowfeed_source::{FeedError, FeedErrorKind};
///
/// let error = FeedError::new(FeedErrorKind::Truncated, "expected 26 bytes, found the end of the file after 6");
/// let error = error.in_block(4, 169).in_file("part-3.avro");
/// assert_eq!(error.kind(), FeedErrorKind::Truncated);
/// assert_eq!(error.location().block, Some(4));
/// assert_eq!(
///     error.to_string(),
///     "part-3.avro: block 4 at byte 169: expected 26 bytes, found the end of the file after 6"
/// );
/// ```
#[derive(Debug)]
pub struct FeedError(Box<Inner>);

const _: () = assert!(size_of::<FeedError>() == size_of::<usize>());

impl FeedError {
    /// Creates an error of `kind`. `message` states what was expected and what was found, without the location.
    #[cold]
    #[inline(never)]
    pub fn new(kind: FeedErrorKind, message: impl Into<String>) -> Self {
        let (message, location) = (message.into(), Location::default());
        Self(Box::new(Inner { kind, message, location, limit: None, source: None }))
    }

    /// Creates an error for an exceeded limit. `limit` is the name of the field of [`Limits`](crate::Limits).
    #[cold]
    #[inline(never)]
    pub fn limit_reached(limit: &'static str, message: impl Into<String>) -> Self {
        let mut error = Self::new(FeedErrorKind::Limit, message);
        error.0.limit = Some(limit);
        error
    }

    /// Creates an error of kind [`Codec`](FeedErrorKind::Codec) for a codec that is not compiled in: the Cargo feature
    /// `feature` of the crate `package` adds it.
    #[cold]
    #[inline(never)]
    pub fn codec_not_compiled(codec: &str, feature: &str, package: &str) -> Self {
        let message = format!(
            "expected a codec of this build, found {codec}: enable the feature \"{feature}\" of {package}"
        );
        Self::new(FeedErrorKind::Codec, message)
    }

    /// Converts an [`io::Error`]. A `FeedError` wrapped in it by [`into_io`](Self::into_io) is returned unchanged.
    #[cold]
    #[inline(never)]
    pub fn io(error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => error,
            Err(error) => Self::new(FeedErrorKind::Io, error.to_string()).with_source(error),
        }
    }

    /// Wraps the error in an [`io::Error`], for traits of `std::io`. [`io`](Self::io) unwraps it.
    #[cold]
    pub fn into_io(self) -> io::Error {
        let kind = self.io_error().map_or(io::ErrorKind::Other, io::Error::kind);
        io::Error::new(kind, self)
    }

    /// Adds the underlying error as the [`source`](StdError::source).
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Sets the file name, unless it is already set.
    pub fn in_file(mut self, path: &str) -> Self {
        self.0.location.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Sets the block index and the byte offset, unless they are already set.
    pub fn in_block(mut self, block: u64, offset: u64) -> Self {
        self.0.location.block.get_or_insert(block);
        self.0.location.offset.get_or_insert(offset);
        self
    }

    /// Sets the block index, unless it is already set.
    pub fn in_numbered_block(mut self, block: u64) -> Self {
        self.0.location.block.get_or_insert(block);
        self
    }

    /// Sets the byte offset, unless it is already set.
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.0.location.offset.get_or_insert(offset);
        self
    }

    /// Sets the byte offset, replacing an earlier one.
    pub fn with_offset(mut self, offset: u64) -> Self {
        self.0.location.offset = Some(offset);
        self
    }

    /// Sets the record index, unless it is already set.
    pub fn in_record(mut self, record: u64) -> Self {
        self.0.location.record.get_or_insert(record);
        self
    }

    /// Sets the record index, replacing an earlier one.
    pub fn with_record(mut self, record: u64) -> Self {
        self.0.location.record = Some(record);
        self
    }

    /// Sets the field path, unless it is already set.
    pub fn in_field(mut self, field: impl Into<String>) -> Self {
        self.0.location.field.get_or_insert_with(|| field.into());
        self
    }

    /// Sets the field path, replacing an earlier one.
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.0.location.field = Some(field.into());
        self
    }

    /// Appends what the caller can do to the message.
    pub fn with_advice(mut self, advice: &str) -> Self {
        self.0.message.push_str(": ");
        self.0.message.push_str(advice);
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> FeedErrorKind {
        self.0.kind
    }

    /// The message, without the location.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The location of the error.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// The name of the exceeded limit, for [`FeedErrorKind::Limit`].
    pub fn limit(&self) -> Option<&'static str> {
        self.0.limit
    }

    /// The underlying I/O error, for [`FeedErrorKind::Io`].
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.source.as_ref()?.downcast_ref()
    }

    /// Whether the error is specific to the file, so that skipping the file may help.
    pub fn is_file_error(&self) -> bool {
        use FeedErrorKind::{Conversion, Internal, Interrupted, Options};
        !matches!(self.0.kind, Options | Conversion | Interrupted | Internal) && !self.is_out_of_memory()
    }

    /// Whether the bytes of the file cause the error, and not the system or the caller.
    pub fn is_damage(&self) -> bool {
        self.is_file_error() && !matches!(self.0.kind, FeedErrorKind::Io | FeedErrorKind::Changed)
    }

    /// Whether a read would have blocked on a remote request, see
    /// [`without_waiting`](crate::io::remote::without_waiting).
    pub fn would_wait(&self) -> bool {
        self.io_error().is_some_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Whether the process ran out of memory.
    pub fn is_out_of_memory(&self) -> bool {
        self.io_error().is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory)
    }

    /// Creates the error for a caught panic.
    #[cold]
    pub fn from_panic(panic: &(dyn std::any::Any + Send)) -> Self {
        if let Some(exhausted) = panic.downcast_ref::<MemoryExhausted>() {
            return exhausted.error();
        }
        Self::defect(panic_text(panic).unwrap_or("no message"))
    }

    /// Creates the error for a defect of this library. The message asks for a report.
    #[cold]
    pub fn defect(text: impl fmt::Display) -> Self {
        Self::new(FeedErrorKind::Internal, format!("a defect of this library, please report it: {text}"))
    }

    /// Copies the error without its source, for a reader that returns the same error again.
    pub fn clone_without_source(&self) -> Self {
        let Inner { kind, message, location, limit, .. } = &*self.0;
        let (kind, message, location, limit) = (*kind, message.clone(), location.clone(), *limit);
        Self(Box::new(Inner { kind, message, location, limit, source: None }))
    }
}

/// Returns the message of a caught panic, if its payload is a string.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { location, message, .. } = &*self.0;
        let mut parts = Vec::new();
        match (location.block, location.offset) {
            (Some(block), Some(offset)) => {
                parts.push(format!("block {block} at byte {}", crate::thousands(offset)))
            }
            (Some(block), None) => parts.push(format!("block {block}")),
            (None, Some(offset)) => parts.push(format!("byte {}", crate::thousands(offset))),
            (None, None) => {}
        }
        if let Some(record) = location.record {
            parts.push(format!("record {record}"));
        }
        if let Some(path) = &location.path {
            write!(f, "{}: ", printable(path))?;
        }
        if !parts.is_empty() {
            write!(f, "{}: ", parts.join(", "))?;
        }
        if let Some(field) = &location.field {
            write!(f, "{}: ", printable(field))?;
        }
        f.write_str(&printable(message))
    }
}

impl StdError for FeedError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<FeedError> for ArrowError {
    fn from(error: FeedError) -> Self {
        ArrowError::ExternalError(Box::new(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_says_where_then_what() {
        let error = FeedError::new(FeedErrorKind::CorruptBlock, "expected a double, 3 bytes left")
            .in_field("user.scores[4]")
            .in_record(203)
            .in_block(17, 51_882)
            .in_file("part-3.avro");
        let text = "part-3.avro: block 17 at byte 51,882, record 203: user.scores[4]: expected a double, 3 bytes left";
        assert_eq!(error.to_string(), text);
        assert_eq!(error.clone_without_source().to_string(), text);
    }

    #[test]
    fn nothing_in_a_message_acts_on_a_terminal() {
        let hostile = "\0\n\t\u{1b}[31m\u{7f}\u{9b}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0001}";
        let escaped = r"\0\n\t\u{1b}[31m\u{7f}\u{9b}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}\u{202e}\u{2066}\u{feff}\u{e0001}";
        assert_eq!(printable(hostile), escaped);
        let error = FeedError::new(FeedErrorKind::Io, hostile).in_field(hostile).in_file(hostile);
        assert_eq!(error.to_string(), format!("{escaped}: {escaped}: {escaped}"));
        assert_eq!(error.location().path.as_deref(), Some(hostile));
    }
}
