//! Opening of regular files only: a pipe would block, a device never end.
//!
//! A path may become another file between a look at it and the open. So files are opened without blocking, and what was
//! opened is looked at again.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{Check, FeedError};

/// How long a file whose lease another process has to give back is waited for: more than Linux gives that process.
const LEASE: Duration = Duration::from_secs(60);

/// Time between two attempts to open such a file.
const PAUSE: Duration = Duration::from_millis(10);

/// Opens an existing file for reading.
pub(super) fn open(path: &Path, check: &Check<'_>) -> Result<File, FeedError> {
    // First, since opening a device may change it.
    let metadata = std::fs::metadata(path).map_err(FeedError::io)?;
    check_regular(&metadata).map_err(FeedError::io)?;
    let started = Instant::now();
    loop {
        match open_now(path) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && started.elapsed() < LEASE => {
                check.now()?;
                std::thread::sleep(PAUSE);
            }
            opened => return opened.map_err(FeedError::io),
        }
    }
}

/// Opens whatever is at the path without waiting, and keeps it if it is a regular file. For those, the flag means nothing
/// to later reads.
///
/// # Errors
/// The system refuses; it is no regular file.
pub fn open_now(path: &Path) -> io::Result<File> {
    let file = without_blocking(OpenOptions::new().read(true)).open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

#[cfg(unix)]
fn without_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK | libc::O_NOCTTY)
}

#[cfg(not(unix))]
fn without_blocking(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// An error for what is no regular file.
///
/// # Errors
/// A folder, a pipe, a device.
pub fn check_regular(metadata: &Metadata) -> io::Result<()> {
    match metadata {
        m if m.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        m if m.is_file() => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected a regular file, found a pipe or a device",
        )),
    }
}

#[cfg(all(test, unix))]
mod tests;
