//! Opening of regular files only. A pipe would block, and a device may never end.
//!
//! The file at a path may change between a check and the open. So files are opened without blocking, and the opened
//! file is checked again.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::{Check, FeedError};

/// Maximum wait for another process to release its lease on a file. Linux gives that process less time.
const LEASE: Duration = Duration::from_secs(60);

/// Pause between two attempts to open such a file.
const PAUSE: Duration = Duration::from_millis(10);

/// Opens an existing file for reading.
pub(super) fn open(path: &Path, check: &Check<'_>) -> Result<File, FeedError> {
    // Checked before opening, because opening a device may change its state.
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

/// Opens the path without blocking, and returns the file if it is a regular file. For regular files, `O_NONBLOCK` has
/// no effect on later reads.
///
/// # Errors
/// The system reports an error; the path is not a regular file.
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

/// Checks that the metadata is of a regular file.
///
/// # Errors
/// It is of a directory, a pipe or a device.
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
