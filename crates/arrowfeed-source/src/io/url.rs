//! Detection of URLs, and their redaction for messages.

use std::borrow::Cow;

/// Returns the scheme of a URL, or `None` for a path. A scheme is followed by `://` and has at least two characters,
/// because a drive has one.
///
/// ```
/// use arrowfeed_source::io::url::scheme;
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

/// Removes the parts of a URL that may be secret: user name, password, query and fragment. A path is returned unchanged.
///
/// ```
/// use arrowfeed_source::io::url::redacted;
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
    // In a file URL, these characters belong to a glob or a name.
    let secrets: &[char] = if scheme.eq_ignore_ascii_case("file") { &[] } else { &['?', '#'] };
    let path = &path[..path.find(secrets).unwrap_or(path.len())];
    Cow::Owned(format!("{scheme}://{host}{path}"))
}
