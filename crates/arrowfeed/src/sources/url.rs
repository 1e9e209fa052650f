//! Conversion of `file://` URLs to paths.

use std::path::PathBuf;

pub use arrowfeed_source::io::url::{redacted, scheme};
use arrowfeed_source::{FeedError, FeedErrorKind};

fn is_file(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("file")
}

/// Whether a text is a URL of a store, as opposed to a path or a `file://` URL.
///
/// ```
/// use arrowfeed::sources::is_remote;
///
/// assert!(is_remote("s3://bucket/a.avro"));
/// assert!(!is_remote("FILE:///a.avro") && !is_remote("a.avro"));
/// ```
pub fn is_remote(text: &str) -> bool {
    scheme(text).is_some_and(|scheme| !is_file(scheme))
}

/// The path or glob of a `file://` URL.
pub(super) fn file_path(url: &str) -> Result<PathBuf, FeedError> {
    let refuse = |message: String| Err(FeedError::new(FeedErrorKind::Options, message));
    let scheme = scheme(url).unwrap_or_default();
    if !is_file(scheme) {
        let expected = "expected a path or a file:// URL";
        return refuse(format!(
            "{expected}, found one of scheme {scheme:?}: `arrowfeed::store::resolve` takes URLs of stores"
        ));
    }
    let rest = &url[scheme.len() + 3..];
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return refuse(
            "expected a file:// URL of this machine (file:///path), found another host".to_owned(),
        );
    }
    match percent_decoded(path) {
        Some(path) if !path.is_empty() => Ok(PathBuf::from(path)),
        Some(_) => refuse("expected a path after file://, found none".to_owned()),
        None => {
            refuse("expected a file:// URL with %XX escapes of UTF-8 text, found invalid escapes".to_owned())
        }
    }
}

/// Replaces the `%XX` escapes of a text. `None`: an escape is invalid, or the result is not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'%' {
            bytes.push(byte);
            rest = after;
            continue;
        }
        let digit = |at: usize| after.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        let value = digit(0)? * 16 + digit(1)?;
        bytes.push(u8::try_from(value).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}
