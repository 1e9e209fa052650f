//! Files of cached chunks.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | CRC-32C of all following bytes |
//! | 4 | length of the key |
//! | 8 | number of the chunk |
//! | 8 | length of the bytes |
//! | | the key: the object and its version |
//! | | the bytes |
//!
//! Numbers are little-endian. The file name is a hash of the key and the number. If the hashes of two keys collide, the
//! key in the file is not the requested one, and the chunk counts as missing.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arrowfeed_source::crc32c;
use bytes::Bytes;

const MAGIC: &[u8; 8] = b"afchunk1";
const HEADER: usize = 32;

/// Suffix of the names of files that are being written.
pub(super) const PARTIAL: &str = ".partial";

/// Minimum time between two updates of the last use of a chunk.
const MARKED: Duration = Duration::from_secs(60);

/// A chunk of an object.
#[derive(Debug, Clone)]
pub(super) struct ChunkName {
    /// The object and its version.
    pub key: Arc<str>,
    pub number: u64,
    /// Number of bytes in the chunk.
    pub len: u64,
}

impl ChunkName {
    /// The path of its file.
    pub(super) fn path(&self, directory: &Path) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        hasher.write(self.key.as_bytes());
        hasher.write_u64(self.number);
        let name = format!("{:016x}", hasher.finish());
        directory.join(&name[..2]).join(&name[2..])
    }
}

/// Reads a chunk, if its file exists and is valid. An invalid file is removed.
pub(super) fn read(directory: &Path, name: &ChunkName) -> Option<Bytes> {
    let path = name.path(directory);
    let mut file = File::open(&path).ok()?;
    let mut content = Vec::new();
    let found = file.read_to_end(&mut content).ok().and_then(|_| checked(content, name));
    match &found {
        Some(_) => mark(&file),
        None => drop(fs::remove_file(&path)),
    }
    found
}

fn checked(content: Vec<u8>, name: &ChunkName) -> Option<Bytes> {
    let number = |at: usize| Some(u64::from_le_bytes(content.get(at..at + 8)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_le_bytes(content.get(at..at + 4)?.try_into().ok()?));
    let data = HEADER + name.key.len();
    let is_right = content.starts_with(MAGIC)
        && word(12)? as usize == name.key.len()
        && number(16)? == name.number
        && number(24)? == name.len
        && content.get(HEADER..data)? == name.key.as_bytes()
        && (content.len() - data) as u64 == name.len
        && word(8)? == crc32c(&content[12..]);
    is_right.then(|| Bytes::from(content).slice(data..))
}

/// Records the current time as the last use of a file.
fn mark(file: &File) {
    let used = file.metadata().and_then(|metadata| metadata.modified());
    if used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > MARKED)) {
        // Chunks in a read-only directory can be used all the same.
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Writes the file of a chunk. Returns its length.
pub(super) fn write(directory: &Path, name: &ChunkName, bytes: &[u8]) -> io::Result<u64> {
    let path = name.path(directory);
    let parent = path.parent().unwrap_or(directory);
    fs::create_dir_all(parent)?;
    let mut content = Vec::with_capacity(HEADER + name.key.len() + bytes.len());
    content.extend_from_slice(MAGIC);
    content.extend_from_slice(&[0; 4]);
    content.extend_from_slice(&(name.key.len() as u32).to_le_bytes());
    content.extend_from_slice(&name.number.to_le_bytes());
    content.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    content.extend_from_slice(name.key.as_bytes());
    content.extend_from_slice(bytes);
    let checksum = crc32c(&content[12..]);
    content[8..12].copy_from_slice(&checksum.to_le_bytes());
    let mut file = tempfile::Builder::new().prefix(".").suffix(PARTIAL).tempfile_in(parent)?;
    file.write_all(&content)?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(content.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(key: &str, number: u64, len: u64) -> ChunkName {
        ChunkName { key: key.into(), number, len }
    }

    #[test]
    fn a_chunk_is_returned_only_if_it_is_unchanged() {
        let directory = tempfile::tempdir().unwrap();
        let chunk = name("s3://b/a \"tag\"", 3, 5);
        assert_eq!(read(directory.path(), &chunk), None);
        write(directory.path(), &chunk, b"hello").unwrap();
        assert_eq!(read(directory.path(), &chunk).unwrap(), "hello");
        let path = chunk.path(directory.path());
        let right = fs::read(&path).unwrap();
        for at in 0..right.len() {
            let mut wrong = right.clone();
            wrong[at] ^= 1;
            fs::write(&path, &wrong).unwrap();
            assert_eq!(read(directory.path(), &chunk), None, "{at}");
            assert!(!path.exists());
        }
        for len in 0..right.len() {
            fs::write(&path, &right[..len]).unwrap();
            assert_eq!(read(directory.path(), &chunk), None, "{len}");
        }
    }

    #[test]
    fn another_key_with_the_same_hash_is_missing() {
        let directory = tempfile::tempdir().unwrap();
        let (a, b) = (name("a", 0, 1), name("b", 0, 1));
        write(directory.path(), &a, b"1").unwrap();
        fs::create_dir_all(b.path(directory.path()).parent().unwrap()).unwrap();
        fs::rename(a.path(directory.path()), b.path(directory.path())).unwrap();
        assert_eq!(read(directory.path(), &b), None);
    }

    #[test]
    fn a_chunk_that_is_read_is_marked_as_used() {
        let directory = tempfile::tempdir().unwrap();
        let chunk = name("a", 0, 1);
        write(directory.path(), &chunk, b"1").unwrap();
        let path = chunk.path(directory.path());
        let old = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        read(directory.path(), &chunk).unwrap();
        assert!(fs::metadata(&path).unwrap().modified().unwrap() > old + Duration::from_secs(3000));
    }
}
