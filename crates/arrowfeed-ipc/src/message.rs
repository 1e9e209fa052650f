//! The framing of messages, and access to the bytes of a file.
//!
//! A message is a marker (not in streams before Arrow 0.15), the length of its metadata, the metadata, and the body.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{Message, MetadataVersion, root_as_message_with_opts};
use arrow_schema::ArrowError;
use arrowfeed_source::io::{OpenFile, checked_read_at};
use arrowfeed_source::{
    FeedError, FeedErrorKind, Limits, MemoryExhausted, caught, out_of_memory, panic_text, thousands,
};
use flatbuffers::{InvalidFlatbuffer, VerifierOptions};

/// The first bytes of a message.
pub(crate) const MARKER: [u8; 4] = [0xff; 4];

/// The marker and the length. Old messages have only the length.
const PREFIX: usize = 8;

/// Number of bytes that are read at first for the metadata of a message: most are shorter.
const FIRST: usize = 4 << 10;

/// Tables around the fields of a schema, and those of a field that are not other fields.
const OTHER_TABLES: usize = 16;

/// The metadata of a message, and the position of its body.
#[derive(Debug, Clone)]
pub(crate) struct StoredMessage {
    metadata: Buffer,
    /// Offset of the body in the file.
    pub(crate) body: u64,
    pub(crate) body_len: u64,
}

impl StoredMessage {
    /// Reads the message at an offset; `None` at the end of a stream. `body_at` is the offset of its body, if the footer of a
    /// file has it. `end` is the end of all messages.
    ///
    /// # Errors
    /// The message is invalid or incomplete; a limit is reached; an I/O error.
    pub(crate) fn read(
        file: &OpenFile,
        at: u64,
        body_at: Option<u64>,
        end: u64,
        limits: &Limits,
    ) -> Result<Option<Self>, FeedError> {
        let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(None);
        }
        // A footer has the length of the metadata.
        let wanted = body_at.map_or(FIRST, |body| {
            let len = usize::try_from(body.saturating_sub(at)).unwrap_or(usize::MAX);
            len.clamp(PREFIX, PREFIX + limits.header_bytes)
        });
        let mut first = read(file, at, left.min(wanted))?;
        let Some((prefix, len)) = framing(&first) else {
            let message = format!("expected a message of {PREFIX} bytes or more, found {left} bytes");
            return Err(FeedError::new(FeedErrorKind::Truncated, message));
        };
        if len == 0 {
            return Ok(None);
        }
        let most = limits.header_bytes;
        let len = match usize::try_from(len) {
            Ok(len) if len <= most => len,
            Ok(len) => {
                let (most, found) = (thousands(most as u64), thousands(len as u64));
                let message = format!("expected metadata of at most {most} bytes, found {found}");
                return Err(FeedError::limit_reached("header_bytes", message));
            }
            Err(_) => {
                let message = format!("expected the length of the metadata of a message, found {len}");
                return Err(FeedError::new(FeedErrorKind::Format, message));
            }
        };
        let room =
            body_at.map_or(left, |body| usize::try_from(body.saturating_sub(at)).unwrap_or(usize::MAX));
        if prefix + len > room {
            let found = thousands(room.saturating_sub(prefix) as u64);
            let message = format!("expected metadata of {} bytes, found {found}", thousands(len as u64));
            return Err(FeedError::new(FeedErrorKind::Truncated, message));
        }
        if prefix + len > first.len() {
            first = read(file, at, prefix + len)?;
        }
        let metadata = first.slice_with_length(prefix, len);
        let found = parsed(&metadata, limits)?;
        let Ok(body_len) = u64::try_from(found.bodyLength()) else {
            let message = format!("expected a body of 0 bytes or more, found {}", found.bodyLength());
            return Err(FeedError::new(FeedErrorKind::Format, message));
        };
        let version = found.version();
        if version != MetadataVersion::V5 && version != MetadataVersion::V4 {
            let found = version.variant_name().map_or_else(|| version.0.to_string(), str::to_owned);
            let message = format!("expected metadata of version V4 or V5, found {found}");
            return Err(FeedError::new(FeedErrorKind::Format, message));
        }
        let body = body_at.unwrap_or(at + (prefix + len) as u64);
        if body_len > end.saturating_sub(body) {
            let (expected, found) = (thousands(body_len), thousands(end.saturating_sub(body)));
            let message = format!("expected a body of {expected} bytes, found {found}");
            return Err(FeedError::new(FeedErrorKind::Truncated, message));
        }
        Ok(Some(Self { metadata, body, body_len }))
    }

    /// The offset of the end.
    pub(crate) fn end(&self) -> u64 {
        self.body.saturating_add(self.body_len)
    }

    /// The metadata.
    ///
    /// # Errors
    /// None: the metadata was checked when it was read.
    pub(crate) fn get(&self, limits: &Limits) -> Result<Message<'_>, FeedError> {
        parsed(&self.metadata, limits)
    }
}

/// The number of bytes before the metadata, and the number of its bytes; `None` if there are too few bytes.
pub(crate) fn framing(bytes: &[u8]) -> Option<(usize, i32)> {
    let number = |at: usize| Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    match bytes.get(..4)? == MARKER {
        true => Some((PREFIX, number(4)?)),
        false => Some((4, number(0)?)),
    }
}

fn parsed<'a>(metadata: &'a [u8], limits: &Limits) -> Result<Message<'a>, FeedError> {
    let found = root_as_message_with_opts(&verifier(limits), metadata);
    found.map_err(|error| invalid("a message of Arrow IPC", &error))
}

/// The bounds on the tables of metadata. A field of a schema may refer to tables that other fields also refer to; each reference
/// counts.
pub(crate) fn verifier(limits: &Limits) -> VerifierOptions {
    let depth = limits.schema_depth.min(Limits::MAX_SCHEMA_DEPTH);
    VerifierOptions {
        // A map has a field for its entries, and one for its values.
        max_depth: 2 * depth + OTHER_TABLES,
        max_tables: limits.expanded_fields.saturating_mul(OTHER_TABLES),
        ..VerifierOptions::default()
    }
}

/// The error of metadata that the verifier refuses.
#[cold]
pub(crate) fn invalid(expected: &str, error: &InvalidFlatbuffer) -> FeedError {
    let limit = match error {
        InvalidFlatbuffer::DepthLimitReached => Some("schema_depth"),
        InvalidFlatbuffer::TooManyTables => Some("expanded_fields"),
        _ => None,
    };
    match limit {
        Some(limit) => FeedError::limit_reached(limit, format!("expected {expected}, found {error}")),
        None => {
            let text = error.to_string();
            let text = text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
            FeedError::new(
                FeedErrorKind::Format,
                format!("expected {expected}, found invalid metadata: {text}"),
            )
        }
    }
}

/// Reads bytes of a file, or shares those of a file in memory.
///
/// # Errors
/// The file is shorter; an I/O error.
pub(crate) fn read(file: &OpenFile, at: u64, len: usize) -> Result<Buffer, FeedError> {
    if let Some(shared) = shared(file, at, len) {
        return Ok(shared);
    }
    let mut bytes = zeroed(len)?;
    read_into(file, at, &mut bytes)?;
    Ok(bytes.into())
}

/// Bytes of a file in memory.
pub(crate) fn shared(file: &OpenFile, at: u64, len: usize) -> Option<Buffer> {
    let memory = file.source().memory()?;
    let at = usize::try_from(at).ok()?;
    at.checked_add(len).filter(|end| *end <= memory.len())?;
    Some(memory.slice_with_length(at, len))
}

/// Fills `into` with the bytes at an offset.
///
/// # Errors
/// The file is shorter; an I/O error.
pub(crate) fn read_into(file: &OpenFile, at: u64, into: &mut [u8]) -> Result<(), FeedError> {
    let found = checked_read_at(&**file.source(), at, into).map_err(FeedError::io)?;
    if found == into.len() {
        return Ok(());
    }
    let (expected, found) = (thousands(into.len() as u64), thousands(found as u64));
    let message = format!("expected {expected} bytes at byte {}, found {found}", thousands(at));
    Err(FeedError::new(FeedErrorKind::Truncated, message))
}

/// Zeroed memory, aligned to 64 bytes.
///
/// # Errors
/// Out of memory.
pub(crate) fn zeroed(len: usize) -> Result<MutableBuffer, FeedError> {
    // The buffer ends the process if its allocation fails. Its length is a multiple of 64.
    let rounded = len.checked_next_multiple_of(64);
    if rounded.is_none_or(|len| arrowfeed_select::check_memory(len).is_err()) {
        return caught(|| MemoryExhausted::unwind(len));
    }
    // The system provides zeroed pages when they are written, so bytes that are not read take no memory.
    Ok(MutableBuffer::from_len_zeroed(len))
}

/// Runs the `arrow-ipc` crate on untrusted bytes. Converts its errors and panics to an error of kind `kind`. The crate indexes
/// slices by numbers of the file. The checks of this crate find those that would allocate too much; the others are caught here.
///
/// # Errors
/// The bytes are invalid.
pub(crate) fn guarded<T>(
    kind: FeedErrorKind,
    expected: &str,
    work: impl FnOnce() -> Result<T, ArrowError>,
) -> Result<T, FeedError> {
    let found = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(error)) => match out_of_memory(&error) {
            Some(error) => return Err(error),
            None => error.to_string(),
        },
        Err(panic) => format!("bytes that cannot be read: {}", panic_text(&*panic).unwrap_or_default()),
    };
    Err(FeedError::new(kind, format!("expected {expected}, found {found}")))
}
