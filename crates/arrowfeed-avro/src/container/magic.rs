//! Checks the first bytes of a file for Avro's magic, and guesses the format of other files.

use arrowfeed_source::{FeedError, FeedErrorKind, hex};

/// The first bytes of every object container file.
pub(crate) const MAGIC: [u8; 4] = *b"Obj\x01";

/// Number of bytes that the error message shows if they are not [`MAGIC`].
pub(crate) const SHOWN: usize = 16;

/// Checks the first bytes of a file: at least [`SHOWN`] of them, or all bytes of a shorter file.
pub(crate) fn check(first: &[u8]) -> Result<(), FeedError> {
    if first.starts_with(&MAGIC) {
        return Ok(());
    }
    if first.is_empty() {
        let message = "expected an Avro object container file, found an empty file";
        return Err(FeedError::new(FeedErrorKind::Truncated, message));
    }
    if MAGIC.starts_with(first) {
        let message = format!("expected the 4 magic bytes of an Avro file, found {}", first.len());
        return Err(FeedError::new(FeedErrorKind::Truncated, message));
    }
    let first = &first[..first.len().min(SHOWN)];
    let guess = guess(first).map(|what| format!(" ({what})")).unwrap_or_default();
    let message =
        format!("expected the magic bytes {} of an Avro file, found {}{guess}", hex(&MAGIC), hex(first));
    Err(FeedError::new(FeedErrorKind::Format, message))
}

fn guess(first: &[u8]) -> Option<&'static str> {
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    Some(match first {
        [0x1f, 0x8b, ..] => "gzip",
        [b'P', b'A', b'R', b'1', ..] => "Parquet",
        [b'P', b'K', 3, 4, ..] => "zip",
        [b'O', b'b', b'j', ..] => "another version of Avro's container",
        _ if first.iter().all(|&byte| byte == 0) => "zeros",
        _ if text.starts_with(b"<") => "HTML or XML",
        _ if text.starts_with(b"{") || text.starts_with(b"[") => "JSON",
        _ => return None,
    })
}
