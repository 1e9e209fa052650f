//! File identity: distinguishes a file from a later one of the same name.

use std::fmt;
use std::str::FromStr;

use crate::{FeedError, FeedErrorKind, hex, quoted, thousands};

/// Bytes of a [`Fingerprint`].
const BYTES: usize = 16;

/// A fingerprint that distinguishes files of the same length. For Avro, it is the sync marker, which
/// each writer draws at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The bytes.
    pub bytes: [u8; BYTES],
    /// The name in messages: `sync marker`.
    pub name: &'static str,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.bytes))
    }
}

/// Length and fingerprint of a file. The identity distinguishes a file from another one of the same name, and from the same
/// file after rows were appended or removed. A copy of a file has the same identity, because times are not part of it.
///
/// As text, the identity is the length and the fingerprint: `1024-000102030405060708090a0b0c0d0e0f`.
///
/// ```
/// use arrowfeed_source::io::FileIdentity;
///
/// let identity: FileIdentity = "1024-000102030405060708090a0b0c0d0e0f".parse()?;
/// assert_eq!((identity.len, identity.fingerprint[15]), (1024, 15));
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// Length in bytes.
    pub len: u64,
    /// The bytes of its [`Fingerprint`].
    pub fingerprint: [u8; BYTES],
}

impl FileIdentity {
    /// Formats the fingerprint as 32 hexadecimal digits.
    pub fn fingerprint_digits(&self) -> String {
        self.fingerprint.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Display for FileIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.len, self.fingerprint_digits())
    }
}

impl FromStr for FileIdentity {
    type Err = FeedError;

    fn from_str(text: &str) -> Result<Self, FeedError> {
        parsed(text).ok_or_else(|| {
            let expected = "expected the length and the sync marker of a file, such as 1024-000102030405060708090a0b0c0d0e0f";
            FeedError::new(FeedErrorKind::Options, format!("{expected}, found {}", quoted(text)))
        })
    }
}

fn parsed(text: &str) -> Option<FileIdentity> {
    let (len, marker) = text.split_once('-')?;
    let digits =
        |text: &str, valid: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|byte| valid(&byte));
    if !digits(len, u8::is_ascii_digit) || !digits(marker, u8::is_ascii_hexdigit) || marker.len() != 2 * BYTES
    {
        return None;
    }
    let mut fingerprint = [0; BYTES];
    for (byte, at) in fingerprint.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(marker.get(at..at + 2)?, 16).ok()?;
    }
    Some(FileIdentity { len: len.parse().ok()?, fingerprint })
}

/// The identity that a file must have, and the time when it had it.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// The identity.
    pub identity: FileIdentity,
    /// Description of that time for messages: `its splits were planned`.
    pub when: &'static str,
}

impl Expected {
    /// Checks the length of the file.
    ///
    /// # Errors
    /// It differs: [`Changed`](FeedErrorKind::Changed).
    pub fn check_len(&self, found: u64) -> Result<(), FeedError> {
        let Self { identity, when } = self;
        if identity.len == found {
            return Ok(());
        }
        let (was, is) = (thousands(identity.len), thousands(found));
        Err(changed(format!(
            "expected the file to be unchanged since {when} ({was} bytes), found {is} bytes"
        )))
    }

    /// Checks the fingerprint of the file.
    ///
    /// # Errors
    /// It differs: [`Changed`](FeedErrorKind::Changed).
    pub fn check_fingerprint(&self, found: &Fingerprint) -> Result<(), FeedError> {
        let Self { identity, when } = self;
        if identity.fingerprint == found.bytes {
            return Ok(());
        }
        let was = Fingerprint { bytes: identity.fingerprint, name: found.name };
        let name = found.name;
        Err(changed(format!("expected the file to be unchanged since {when} ({name} {was}), found {found}")))
    }
}

/// Checks that a byte range does not start after the end of the file. If it does, the file was longer
/// when the range was planned.
///
/// # Errors
/// It starts after the end: [`Changed`](FeedErrorKind::Changed).
pub fn check_start(start: u64, len: u64) -> Result<(), FeedError> {
    if start <= len {
        return Ok(());
    }
    let (start, len) = (thousands(start), thousands(len));
    Err(changed(format!("expected a file of {start} bytes or more, found its end at byte {len}")))
}

#[cold]
fn changed(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Changed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_read_back_from_its_text() {
        for (len, first) in [(0, 0), (17, 0xf0), (u64::MAX, 0xff)] {
            let mut fingerprint = [7; BYTES];
            fingerprint[0] = first;
            let identity = FileIdentity { len, fingerprint };
            assert_eq!(identity.to_string().parse::<FileIdentity>().unwrap(), identity);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let marker = "000102030405060708090a0b0c0d0e0f";
        let good = format!("12-{marker}");
        assert!(good.parse::<FileIdentity>().is_ok());
        let wrong = [
            String::new(),
            "12".to_owned(),
            marker.to_owned(),
            format!("-{marker}"),
            format!("+12-{marker}"),
            format!("18446744073709551616-{marker}"),
            format!("12-{marker}0"),
            format!("12-+{}", &marker[1..]),
            format!("12-é{}", &marker[2..]),
        ];
        for text in wrong {
            let message = text.parse::<FileIdentity>().unwrap_err().to_string();
            let expected = "expected the length and the sync marker of a file, such as \
                1024-000102030405060708090a0b0c0d0e0f, found";
            assert_eq!(message, format!("{expected} \"{text}\""));
        }
    }
}
