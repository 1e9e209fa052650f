//! Access to the bytes of a file for the `parquet` crate.

use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrowfeed_source::io::{ByteSource, OpenFile, checked_read_at};
use arrowfeed_source::{FeedError, FeedErrorKind, ForkLock, panic_text};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

/// Size of the buffer for reading page headers.
const BUFFER: usize = 8 << 10;

/// Parts of the messages of the `parquet` crate, and of `number_lists`, about rows that do not fit into one array.
const OVERFLOWS: [&str; 2] = ["index overflow decoding byte array", "would overflow list array"];

/// Part of its message about the Arrow schema of a footer. It checks the nesting before it recurses.
const TOO_DEEP: &str = "DepthLimitReached";

/// A [`ByteSource`] of known length.
#[derive(Debug, Clone)]
pub(crate) struct SourceBytes {
    source: Arc<dyn ByteSource>,
    len: u64,
    failure: ReadFailure,
}

/// The error of a read. It is kept because the `parquet` crate converts it to a text that does not show its kind, and its
/// codecs report damage as I/O errors too. Each reader of rows has one of its own: a failed read of one thread says nothing
/// about the bytes that another thread has read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReadFailure(Arc<ForkLock<Option<FeedError>>>);

impl ReadFailure {
    /// Keeps the first error, and returns one with the same text for the `parquet` crate.
    fn keep(&self, error: io::Error) -> io::Error {
        let (kind, text) = (error.kind(), error.to_string());
        self.0.with(|kept| {
            kept.get_or_insert_with(|| FeedError::io(error));
        });
        io::Error::new(kind, text)
    }

    /// The error of the failed read, if any.
    pub(crate) fn take(&self) -> Option<FeedError> {
        self.0.with(Option::take).flatten()
    }
}

/// Reader that starts at an offset.
pub(crate) struct From {
    bytes: SourceBytes,
    offset: u64,
}

impl SourceBytes {
    pub(crate) fn new(file: &OpenFile, failure: ReadFailure) -> Self {
        Self { source: file.source().clone(), len: file.len(), failure }
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        checked_read_at(&*self.source, offset, into).map_err(|error| self.failure.keep(error))
    }
}

impl Read for From {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.len.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let n = into.len().min(left);
        let found = self.bytes.read_at(self.offset, &mut into[..n])?;
        self.offset += found as u64;
        Ok(found)
    }
}

impl Length for SourceBytes {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for SourceBytes {
    type T = BufReader<From>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::with_capacity(BUFFER, From { bytes: self.clone(), offset: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.len);
        if end.is_none() {
            let len = self.len;
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes at byte {start}, found the end of the file at byte {len}"
            )));
        }
        if let Some(memory) = self.source.memory()
            && let Ok(start) = usize::try_from(start)
        {
            return Ok(Bytes::from_owner(SharedBuffer(memory.slice_with_length(start, length))));
        }
        let mut bytes = vec![0; length];
        let found = self.read_at(start, &mut bytes).map_err(external)?;
        if found < length {
            return Err(ParquetError::EOF(format!(
                "expected {length} bytes at byte {start}, found the end of the file after {found}"
            )));
        }
        Ok(Bytes::from(bytes))
    }
}

/// A buffer that is shared with `Bytes`.
struct SharedBuffer(arrow_buffer::Buffer);

impl AsRef<[u8]> for SharedBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn external(error: io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

/// Runs the `parquet` crate on untrusted bytes. Converts its errors and panics to an error of kind `kind`.
pub(crate) fn guarded<T, E: Into<ParquetError>>(
    kind: FeedErrorKind,
    expected: &str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, FeedError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(feed_error(kind, expected, error.into())),
        Err(panic) => {
            let text = panic_text(&*panic).unwrap_or_default();
            let found = format!("bytes that cannot be read: {text}");
            Err(limit_reached(text)
                .unwrap_or_else(|| FeedError::new(kind, format!("expected {expected}, found {found}"))))
        }
    }
}

fn feed_error(kind: FeedErrorKind, expected: &str, error: ParquetError) -> FeedError {
    match error {
        ParquetError::External(error) => FeedError::new(kind, format!("expected {expected}, found {error}")),
        ParquetError::EOF(text) => FeedError::new(FeedErrorKind::Truncated, text),
        error => {
            let text = error.to_string();
            limit_reached(&text)
                .unwrap_or_else(|| FeedError::new(kind, format!("expected {expected}, found {text}")))
        }
    }
}

/// The error of a file that is not damaged but exceeds a limit of the `parquet` crate, which has no kind for it.
fn limit_reached(text: &str) -> Option<FeedError> {
    if OVERFLOWS.iter().any(|overflow| text.contains(overflow)) {
        let message = "expected values that fit into one array with offsets of 32 bits, found more";
        return Some(FeedError::limit_reached("batch_bytes", message));
    }
    text.contains(TOO_DEEP).then(|| {
        let message = "expected an Arrow schema nested less than 64 deep in the footer, found a deeper one";
        FeedError::limit_reached("schema_depth", message)
    })
}
