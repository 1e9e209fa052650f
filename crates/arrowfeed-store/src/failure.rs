//! Classification of `object_store` errors: whether a retry may help, and what may appear in a message.
//!
//! The `object_store` types that contain the status of a response are private. Their texts are public; tests compare
//! them.

use std::error::Error as StdError;
use std::io;

use arrowfeed_source::{FeedError, FeedErrorKind};
use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};

/// Maximum characters of an external text in a message.
const MAX_CHARS: usize = 200;

/// Reason why an attempt has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A transient fault: another attempt may succeed.
    Transient(Reason),
    /// A permanent fault: no attempt will succeed.
    Permanent(Reason),
    /// The object has changed. The message says how, if that is known.
    Changed(Option<String>),
    /// The server does not support ranges.
    WithoutRanges,
    /// The range starts at or past the end of the object.
    PastEnd,
}

/// Description of a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    pub kind: io::ErrorKind,
    pub text: String,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
}

impl Reason {
    pub(crate) fn new(kind: io::ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), status: None }
    }
}

/// A cloneable error, for several waiting callers.
#[derive(Debug, Clone)]
pub(crate) struct Failed {
    pub kind: FeedErrorKind,
    pub io: io::ErrorKind,
    pub message: String,
}

impl Failed {
    pub(crate) fn io(kind: io::ErrorKind, message: String) -> Self {
        Self { kind: FeedErrorKind::Io, io: kind, message }
    }
}

impl From<Failed> for FeedError {
    fn from(failed: Failed) -> Self {
        match failed.kind {
            FeedErrorKind::Io => FeedError::io(io::Error::new(failed.io, failed.message)),
            kind => FeedError::new(kind, failed.message),
        }
    }
}

impl From<FeedError> for Failed {
    fn from(error: FeedError) -> Self {
        let io = error.io_error().map_or(io::ErrorKind::Other, io::Error::kind);
        Self { kind: error.kind(), io, message: error.message().to_owned() }
    }
}

/// Iterates over the error and its sources, innermost last.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| StdError::source(*error))
}

/// The text of the innermost error, unless it may contain secrets.
pub(crate) fn innermost(error: &(dyn StdError + 'static)) -> String {
    innermost_without(error, &[])
}

/// The text of the innermost error without secrets. Each secret is replaced by its name.
pub(crate) fn innermost_without(error: &(dyn StdError + 'static), secrets: &[(String, String)]) -> String {
    let last = chain(error).last().map(ToString::to_string).unwrap_or_default();
    // Secrets first: they may span lines, or contain characters that the checks below look for.
    let last = without(last, secrets);
    // Java servers send a stack trace in the following lines.
    let last = last.lines().next().unwrap_or_default();
    if last.is_empty() || last.contains("://") || last.contains(['?', '=']) {
        return "an error that may contain secrets".to_owned();
    }
    let mut text: String = last.chars().take(MAX_CHARS).collect();
    if text.len() < last.len() {
        text.push('…');
    }
    text
}

/// Replaces secrets by their names. A secret may be written as it is, or in the escaped form of `Debug`.
fn without(mut text: String, secrets: &[(String, String)]) -> String {
    let mut written: Vec<(String, &str)> = Vec::new();
    for (name, secret) in secrets.iter().filter(|(_, secret)| !secret.is_empty()) {
        written.push((secret.clone(), name));
        let escaped = format!("{secret:?}");
        // Without the quotes around it.
        written.push((escaped[1..escaped.len() - 1].to_owned(), name));
    }
    // A secret may contain another one.
    written.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
    for (secret, name) in &written {
        text = text.replace(&format!("\"{secret}\""), name);
    }
    for (secret, name) in &written {
        text = without_word(&text, secret, name);
    }
    text
}

/// Replaces a secret where it is not a part of a word, because a short secret may occur in any word.
fn without_word(text: &str, secret: &str, name: &str) -> String {
    let (mut found, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(secret) {
        let (before, after) = (&rest[..at], &rest[at + secret.len()..]);
        let joins = |one: Option<char>, other: Option<char>| {
            one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
        };
        let previous = before.chars().next_back().or(found.chars().next_back());
        let is_part =
            joins(previous, secret.chars().next()) || joins(secret.chars().next_back(), after.chars().next());
        found.push_str(before);
        found.push_str(if is_part { secret } else { name });
        rest = after;
    }
    found + rest
}

/// Classifies an error of `object_store`.
pub(crate) fn classify(error: &Error) -> Fault {
    let texts: Vec<String> = chain(error).map(ToString::to_string).collect();
    let has = |part: &str| texts.iter().any(|text| text.contains(part));
    if has("Wanted range starting at") {
        return Fault::PastEnd;
    }
    let no_ranges = [
        "Range request not supported",
        "Received non-partial response when range requested",
        "Content-Range header not present in partial response",
        "Failed to parse value for CONTENT_RANGE header",
    ];
    if no_ranges.into_iter().any(has) {
        return Fault::WithoutRanges;
    }
    if let Some(response) = texts.iter().find_map(|text| Response::in_text(text)) {
        return response.fault(&texts);
    }
    if has("Content-Length Header missing") {
        return passing(io::ErrorKind::UnexpectedEof, "a response without Content-Length");
    }
    match error {
        Error::NotFound { .. } => lasting(io::ErrorKind::NotFound, "no such object"),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            lasting(io::ErrorKind::PermissionDenied, "no permission")
        }
        Error::Precondition { .. } => Fault::Changed(None),
        Error::NotImplemented { .. } | Error::NotSupported { .. } => {
            lasting(io::ErrorKind::Unsupported, "that the store does not support it")
        }
        _ => without_response(error, &texts),
    }
}

fn lasting(kind: io::ErrorKind, text: impl Into<String>) -> Fault {
    Fault::Permanent(Reason::new(kind, text))
}

fn passing(kind: io::ErrorKind, text: impl Into<String>) -> Fault {
    Fault::Transient(Reason::new(kind, text))
}

/// Classifies an error without a response from the server.
fn without_response(error: &Error, texts: &[String]) -> Fault {
    let text = format!("{}{}", transport_text(error), asked(texts));
    if texts.iter().any(|text| text.contains("java.io.FileNotFoundException")) {
        return lasting(io::ErrorKind::NotFound, "no such object");
    }
    if texts.iter().any(|text| text.contains("AccessControlException")) {
        return lasting(io::ErrorKind::PermissionDenied, "no permission (AccessControlException)");
    }
    if texts.iter().any(|text| text.contains("invalid peer certificate")) {
        return lasting(io::ErrorKind::Other, text);
    }
    if texts.iter().any(|text| text.contains("URL scheme is not allowed")) {
        let text = "a URL that is not https: set the option allow_http to allow it";
        return lasting(io::ErrorKind::Other, text);
    }
    if texts.iter().any(|text| text.starts_with("Requested ") && text.contains(", got ")) {
        return passing(io::ErrorKind::Other, "a range other than the requested one");
    }
    if texts.iter().any(|text| text.starts_with("Received redirect without LOCATION")) {
        return lasting(io::ErrorKind::Other, "a redirect without a target: the region may be wrong");
    }
    match chain(error).find_map(|error| error.downcast_ref::<HttpError>()).map(HttpError::kind) {
        Some(HttpErrorKind::Timeout) => passing(io::ErrorKind::TimedOut, text),
        Some(HttpErrorKind::Unknown) if io_kind(error).is_none() => lasting(io::ErrorKind::Other, text),
        Some(_) => passing(io::ErrorKind::Other, text),
        None => match io_kind(error) {
            Some(io::ErrorKind::TimedOut) => passing(io::ErrorKind::TimedOut, text),
            Some(kind) if is_of_connection(kind) => passing(io::ErrorKind::Other, text),
            _ => lasting(io::ErrorKind::Other, text),
        },
    }
}

fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    chain(error).filter_map(|error| error.downcast_ref::<io::Error>()).last().map(io::Error::kind)
}

fn is_of_connection(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
        NetworkUnreachable, NotConnected, UnexpectedEof,
    };
    matches!(
        kind,
        BrokenPipe
            | ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | NetworkUnreachable
            | NotConnected
            | UnexpectedEof
    )
}

fn transport_text(error: &Error) -> String {
    match io_kind(error) {
        Some(kind) if is_of_connection(kind) || kind == io::ErrorKind::TimedOut => kind.to_string(),
        _ => innermost(error),
    }
}

/// Suffix of a message for requests that were sent to a credential service instead of the store.
fn asked(texts: &[String]) -> &'static str {
    let hosts = ["169.254.", "metadata.google.internal", "//sts.", "oauth2", "login.microsoftonline"];
    let is_for_credentials = texts.iter().any(|text| hosts.iter().any(|host| text.contains(host)));
    if is_for_credentials { " from the credential service" } else { "" }
}

/// Status of an error response, and the code in its body.
struct Response {
    status: u16,
    /// The status code with its name.
    text: String,
    code: Option<String>,
}

impl Response {
    /// Parses the response from an error text of `object_store`.
    fn in_text(text: &str) -> Option<Self> {
        if let Some((_, found)) = text.split_once("Server returned non-2xx status code: ") {
            let (text, body) = found.split_once(':').unwrap_or((found, ""));
            let status = text.split(' ').next()?.parse().ok()?;
            let text = text.trim().trim_end_matches(" <unknown status code>").to_owned();
            return Some(Self { status, text, code: code(body) });
        }
        let (_, body) = text.split_once("Server returned error response: ")?;
        Some(Self { status: 200, text: "200 OK with an error".to_owned(), code: code(body) })
    }

    fn fault(self, texts: &[String]) -> Fault {
        let code = self.code.as_deref().unwrap_or_default();
        let shown = if code.is_empty() { String::new() } else { format!(" ({code})") };
        let kind = match self.status {
            401 | 403 => io::ErrorKind::PermissionDenied,
            404 | 410 => io::ErrorKind::NotFound,
            408 | 504 => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        let text = format!("status {}{shown}{}", self.text, asked(texts));
        let reason = Reason { kind, text, status: Some(self.status) };
        match self.status {
            412 => Fault::Changed(None),
            416 => Fault::PastEnd,
            501 | 505 => Fault::Permanent(reason),
            408 | 425 | 429 | 500.. => Fault::Transient(reason),
            _ if matches!(code, "InternalError" | "RequestTimeout" | "SlowDown") => Fault::Transient(reason),
            _ => Fault::Permanent(reason),
        }
    }
}

/// The error code in the body of a response: `<Code>SlowDown</Code>`.
fn code(body: &str) -> Option<String> {
    let (_, rest) = body.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_code = !code.is_empty() && code.len() <= 64 && code.chars().all(|c| c.is_ascii_alphanumeric());
    is_code.then(|| code.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> Error {
        Error::Generic { store: "S3", source: text.to_owned().into() }
    }

    fn of_status(status: &str) -> Fault {
        classify(&generic(&format!(
            "Server returned non-2xx status code: {status}: <Error><Code>Bad</Code></Error>"
        )))
    }

    #[test]
    fn transient_errors_are_known_by_status() {
        for status in
            ["408 Request Timeout", "425 Too Early", "429 Too Many Requests", "503 Service Unavailable"]
        {
            let Fault::Transient(reason) = of_status(status) else { panic!("{status}") };
            assert_eq!(reason.text, format!("status {status} (Bad)"));
        }
        let Fault::Transient(reason) = of_status("599 <unknown status code>") else { panic!() };
        assert_eq!((reason.text.as_str(), reason.status), ("status 599 (Bad)", Some(599)));
        for (status, kind) in [
            ("400 Bad Request", io::ErrorKind::Other),
            ("401 Unauthorized", io::ErrorKind::PermissionDenied),
            ("403 Forbidden", io::ErrorKind::PermissionDenied),
            ("404 Not Found", io::ErrorKind::NotFound),
            ("501 Not Implemented", io::ErrorKind::Other),
        ] {
            let Fault::Permanent(reason) = of_status(status) else { panic!("{status}") };
            assert_eq!(reason.kind, kind);
        }
        assert_eq!(of_status("412 Precondition Failed"), Fault::Changed(None));
        assert_eq!(of_status("416 Range Not Satisfiable"), Fault::PastEnd);
    }

    #[test]
    fn transient_errors_are_known_by_code() {
        let slow = "Server returned error response: <Error><Code>SlowDown</Code><Message>m</Message></Error>";
        let Fault::Transient(reason) = classify(&generic(slow)) else { panic!() };
        assert_eq!(reason.text, "status 200 OK with an error (SlowDown)");
        let timeout = "Server returned non-2xx status code: 400 Bad Request: <Code>RequestTimeout</Code>";
        assert!(matches!(classify(&generic(timeout)), Fault::Transient(_)));
    }

    #[test]
    fn a_text_that_may_be_secret_is_not_shown() {
        let Fault::Permanent(reason) = classify(&generic("no https://host/?token=hush")) else { panic!() };
        assert_eq!(reason.text, "an error that may contain secrets");
        let credentials = "Server returned non-2xx status code: 500 Internal Server Error: oauth2";
        let Fault::Transient(reason) = classify(&generic(credentials)) else { panic!() };
        assert_eq!(reason.text, "status 500 Internal Server Error from the credential service");
    }

    #[test]
    fn secrets_are_replaced_by_their_names() {
        let shown = |text: &str, pairs: &[(&str, &str)]| {
            let secrets = pairs.iter().map(|(name, secret)| ((*name).to_owned(), (*secret).to_owned()));
            innermost_without(&generic(text), &secrets.collect::<Vec<_>>())
        };
        let expected = "failed to parse the value of k as boolean";
        for secret in ["hush\n", "hu\"s'h\n", "hu\\sh", "a?b=c", "https://u:p@h/", "e"] {
            let pairs = [("the value of k", secret)];
            assert_eq!(shown(&format!("failed to parse \"{secret}\" as boolean"), &pairs), expected);
            assert_eq!(shown(&format!("failed to parse {secret:?} as boolean"), &pairs), expected);
        }
        let pairs = [("A", "hush"), ("B", "hush-hush"), ("C", "a")];
        assert_eq!(shown("no 'hush-hush' and hush in a bucket", &pairs), "no 'B' and A in C bucket");
        assert_eq!(shown("hushed a\nsecond line", &pairs[..1]), "hushed a");
    }

    #[test]
    fn the_library_has_its_own_kinds_of_errors() {
        let reset = io::Error::from(io::ErrorKind::ConnectionReset);
        let error = HttpError::new(HttpErrorKind::Interrupted, reset);
        let fault = classify(&Error::Generic { store: "HTTP", source: Box::new(error) });
        assert_eq!(fault, passing(io::ErrorKind::Other, "connection reset"));
        let timeout = HttpError::new(HttpErrorKind::Timeout, io::Error::from(io::ErrorKind::TimedOut));
        let fault = classify(&Error::Generic { store: "HTTP", source: Box::new(timeout) });
        assert_eq!(fault, passing(io::ErrorKind::TimedOut, "timed out"));
        let missing = Error::NotFound { path: "a".to_owned(), source: "hidden".into() };
        assert_eq!(classify(&missing), lasting(io::ErrorKind::NotFound, "no such object"));
    }
}
