//! Output files that appear under their final name only when they are complete.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::regular_file;

/// Attempts to find an unused name.
const ATTEMPTS: usize = 100;

/// Maximum number of bytes of the final name in the temporary one. File names have at most 255 bytes.
const NAME_BYTES: usize = 100;

/// A new file or remote object that is not visible under its name until it is complete. Dropping it before
/// [`commit`](Self::commit) removes it.
///
/// ```
/// use std::io::Write;
///
/// use arrowfeed_source::io::{NewFile, Target};
///
/// # let path = std::env::temp_dir().join(format!("arrowfeed-doc-new-file-{}", std::process::id()));
/// let mut file: Box<dyn NewFile> = Box::new(Target::create(&path)?);
/// file.write_all(b"rows")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"rows");
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait NewFile: Write + Send {
    /// Publishes the file under its name.
    ///
    /// # Errors
    /// The system or the store reports an error.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

impl NewFile for Target {
    fn commit(self: Box<Self>) -> io::Result<()> {
        (*self).commit()
    }
}

/// A new local file under a temporary name. Dropping it before [`commit`](Self::commit) removes it.
///
/// The temporary file is created exclusively under a random name in the same directory, so that two writers of one path
/// do not interfere and no link is followed. Its name starts with a dot and ends with `.partial`: no glob or directory
/// listing of this library treats it as an input, even if the process is killed.
#[derive(Debug)]
pub struct Target {
    file: File,
    partial: PathBuf,
    path: PathBuf,
    /// The process that created the file. A forked child must not remove it.
    process: u32,
    committed: bool,
}

impl Target {
    /// Creates the temporary file for `path`.
    ///
    /// # Errors
    /// The path refers to something other than a regular file; the directory does not exist or is not writable.
    pub fn create(path: &Path) -> io::Result<Self> {
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

    /// Appends `file` from its position on, without copying through user space if the file system can.
    /// Returns the number of bytes.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn copy_from(&mut self, file: &mut File) -> io::Result<u64> {
        io::copy(file, &mut self.file)
    }

    /// Makes the file durable and renames it to its final name, replacing an existing file.
    ///
    /// # Errors
    /// The system reports an error; the path no longer refers to a regular file.
    pub fn commit(mut self) -> io::Result<()> {
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
            // `drop` cannot report an error. The temporary name alone shows that the file is incomplete.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}

/// An unpredictable temporary file name.
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

/// Rejects a path whose target a rename would replace although it is not a regular file, such as a pipe.
fn check_replaceable(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(metadata) => regular_file::check_regular(&metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the new name durable. Some file systems do not support that for directories; their error is ignored.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary directory of one test, removed at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("arrowfeed-target-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_has_its_name_when_it_is_committed_and_not_before() {
        let folder = Folder::new("commit");
        let path = folder.0.join("a.txt");
        std::fs::write(&path, "old").unwrap();
        let mut target = Target::create(&path).unwrap();
        target.write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        let partial = folder.names().into_iter().find(|name| name != "a.txt").unwrap();
        assert!(partial.starts_with(".a.txt.") && partial.ends_with(".partial"), "{partial}");
        target.commit().unwrap();
        assert_eq!(
            (std::fs::read(&path).unwrap(), folder.names()),
            (b"new".to_vec(), vec!["a.txt".to_owned()])
        );
    }

    #[test]
    fn a_file_that_is_not_committed_leaves_nothing() {
        let folder = Folder::new("drop");
        let mut target = Target::create(&folder.0.join("a.txt")).unwrap();
        target.write_all(b"new").unwrap();
        drop(target);
        assert_eq!(folder.names(), Vec::<String>::new());
    }
}
