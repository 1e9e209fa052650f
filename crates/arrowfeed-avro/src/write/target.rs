//! A file that appears under its name only when it is whole.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arrowfeed_source::io::regular_file;

/// Attempts to find a name that no file has.
const ATTEMPTS: usize = 100;

/// Bytes of the final name that the temporary one begins with: names have 255 bytes at most.
const NAME_BYTES: usize = 100;

/// A new file beside its final name. Dropped before [`commit`](Self::commit), it is removed.
///
/// The temporary file is created exclusively under a random name in the same folder, so that two writers of one path do
/// not disturb each other and no link is followed. Its name begins with a dot and ends with `.partial`: no glob or folder
/// listing of this library takes it for a file, even if the process is killed.
#[derive(Debug)]
pub(super) struct Target {
    file: File,
    partial: PathBuf,
    path: PathBuf,
    /// The process that made the file: a child of it must not remove it.
    process: u32,
    committed: bool,
}

impl Target {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// What the path leads to is no regular file; the folder is not there or cannot be written.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        check_replaceable(path)?;
        for _ in 0..ATTEMPTS {
            let partial = path.with_file_name(partial_name(path)?);
            match OpenOptions::new().write(true).create_new(true).open(&partial) {
                Ok(file) => {
                    let (path, process) = (path.to_owned(), std::process::id());
                    return Ok(Self { file, partial, path, process, committed: false });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "expected a free name for a temporary file, found none",
        ))
    }

    /// Makes the file durable and gives it its final name, replacing what has it.
    pub(super) fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.sync_all()?;
        check_replaceable(&self.path)?;
        std::fs::rename(&self.partial, &self.path)?;
        self.committed = true;
        sync_folder(&self.path)
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.committed && self.process == std::process::id() {
            // There is nobody to tell: the name alone says that the file is not whole.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// The file that a writer appends to, locked so that no other one does so at the same time.
#[derive(Debug)]
pub(super) struct Locked(File);

impl Locked {
    /// Opens the file and locks it. The lock ends with the value.
    ///
    /// # Errors
    /// There is no such file, or another writer appends to it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = regular_file::open_now(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => {
                let message =
                    "expected a file that nothing else appends to, found another writer at work on it";
                io::Error::new(io::ErrorKind::ResourceBusy, message)
            }
        })?;
        if !is_same_file(&file.metadata()?, &std::fs::metadata(path)?) {
            let message = "expected the file to stay in its place, found that another writer replaced it";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
        }
        Ok(Self(file))
    }

    /// The same file for a reader, which may move the position.
    pub(super) fn reader(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    /// Copies the file to the start of a target; where the file system can, without reading it.
    pub(super) fn copy_to(&mut self, target: &mut Target) -> io::Result<u64> {
        self.0.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.0, &mut target.file)
    }

    /// The bytes before the end of a file of `len` bytes.
    pub(super) fn last<const N: usize>(&mut self, len: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.seek(SeekFrom::Start(len.saturating_sub(N as u64)))?;
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    (a.len(), a.created().ok()) == (b.len(), b.created().ok())
}

/// A name in the same folder that nobody can guess.
fn partial_name(path: &Path) -> io::Result<OsString> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected the path of a file, found one without a file name",
        )
    })?;
    let start: String = name.to_string_lossy().chars().take(NAME_BYTES / 4).collect();
    let random = RandomState::new().hash_one(path);
    Ok(format!(".{start}.{random:016x}.partial").into())
}

/// Refuses what a rename would replace although it is no regular file, such as a pipe.
fn check_replaceable(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) => regular_file::check_regular(&metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the new name durable. Some file systems cannot do that for folders: then there is nothing to wait for.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        result => result,
    }
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
