//! A file that appears under its name only when it is whole.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::regular_file;

/// Attempts to find a name that no file has.
const ATTEMPTS: usize = 100;

/// Bytes of the final name that the temporary one begins with: names have 255 bytes at most.
const NAME_BYTES: usize = 100;

/// A new file or object that nobody sees under its name before it is whole. Dropped before
/// [`commit`](Self::commit), it leaves nothing.
pub trait NewFile: Write + Send {
    /// Gives the file its name.
    ///
    /// # Errors
    /// The system or the store refuses.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

impl NewFile for Target {
    fn commit(self: Box<Self>) -> io::Result<()> {
        (*self).commit()
    }
}

/// A new file beside its final name. Dropped before [`commit`](Self::commit), it is removed.
///
/// The temporary file is created exclusively under a random name in the same folder, so that two writers of one path do
/// not disturb each other and no link is followed. Its name begins with a dot and ends with `.partial`: no glob or folder
/// listing of this library takes it for a file, even if the process is killed.
#[derive(Debug)]
pub struct Target {
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

    /// Appends a file from its position on; where the file system can, without reading it. Gives the number of bytes.
    ///
    /// # Errors
    /// The system refuses.
    pub fn copy_from(&mut self, file: &mut File) -> io::Result<u64> {
        io::copy(file, &mut self.file)
    }

    /// Makes the file durable and gives it its final name, replacing what has it.
    ///
    /// # Errors
    /// The system refuses; what the path leads to is no regular file any more.
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
            // There is nobody to tell: the name alone says that the file is not whole.
            let _ = std::fs::remove_file(&self.partial);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of one test, removed at its end.
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
