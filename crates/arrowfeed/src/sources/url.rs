//! URLs: which texts are one, the path of a `file://` one, and what of one may stand in a message.

use std::borrow::Cow;
use std::path::PathBuf;

use arrowfeed_source::{FeedError, FeedErrorKind};

/// The scheme of a URL, and nothing for a path: two characters at least (a drive has one), then `://`.
///
/// ```
/// use arrowfeed::sources::scheme;
/// assert_eq!(scheme("s3://bucket/part-0.avro"), Some("s3"));
/// assert_eq!(scheme("data/part-0.avro"), None);
/// ```
pub fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let mut characters = scheme.chars();
    let starts = characters.next().is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    (starts && goes_on && scheme.len() > 1).then_some(scheme)
}

/// A URL without what may be secret: user name, password, query and fragment. A path stays as it is.
///
/// ```
/// use arrowfeed::sources::redacted;
/// assert_eq!(redacted("https://me:word@host/a.avro?signature=abc"), "https://host/a.avro");
/// assert_eq!(redacted("what?.avro"), "what?.avro");
/// ```
pub fn redacted(text: &str) -> Cow<'_, str> {
    let Some(scheme) = scheme(text) else {
        return Cow::Borrowed(text);
    };
    let rest = &text[scheme.len() + 3..];
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // In a file URL these are characters of a glob or a name.
    let secrets: &[char] = if is_file(scheme) { &[] } else { &['?', '#'] };
    let path = &path[..path.find(secrets).unwrap_or(path.len())];
    Cow::Owned(format!("{scheme}://{host}{path}"))
}

fn is_file(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("file")
}

/// The path, or glob, of a `file://` URL.
pub(super) fn file_path(url: &str) -> Result<PathBuf, FeedError> {
    let refuse = |message: String| Err(FeedError::new(FeedErrorKind::Options, message));
    let scheme = scheme(url).unwrap_or_default();
    if !is_file(scheme) {
        return refuse(format!("expected a path or a file:// URL, found one of scheme {scheme:?}"));
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
        None => refuse("expected %XX escapes of UTF-8 text in a file:// URL, found others".to_owned()),
    }
}

fn percent_decoded(text: &str) -> Option<String> {
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
