//! Cache of object bytes on disk, for later readers and other processes.
//!
//! Objects are divided into chunks of [`CHUNK`] bytes. Each chunk is a file, which is written under a temporary name
//! and then renamed. So processes share a directory without locks, and readers see only complete files. They verify
//! them all the same.
//!
//! | file | content |
//! |---|---|
//! | `chunk` | the file of a chunk: its name, header and checksum |
//! | `sweep` | removal of the least recently used chunks |
//! | `object` | an object whose bytes are looked up in the cache before they are requested |

mod chunk;
mod object;
mod sweep;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use arrowfeed_source::FeedError;
use bytes::Bytes;

pub use object::CachedObject;

use crate::object::StoreObject;
use crate::runtime;
use chunk::ChunkName;

/// Number of bytes in a chunk.
pub(crate) const CHUNK: u64 = 1 << 20;

/// A directory with chunks of objects. Clones share the cache.
///
/// [`Store`](crate::Store) has an example.
#[derive(Clone)]
pub struct Cache(Arc<Inner>);

struct Inner {
    directory: PathBuf,
    max_bytes: u64,
    /// Bytes that this process has written since the last sweep.
    written: AtomicU64,
    /// The process in which a thread sweeps; zero if none does.
    sweeping: AtomicU32,
    /// Number of chunks that could not be written.
    failures: AtomicU64,
}

impl Cache {
    /// Opens a cache in a directory, which is created if it does not exist. Chunks are removed when the cache exceeds
    /// `max_bytes`; it may exceed them for a short time.
    ///
    /// # Errors
    /// The directory does not exist and cannot be created.
    pub fn open(directory: impl AsRef<Path>, max_bytes: u64) -> Result<Self, FeedError> {
        let directory = directory.as_ref().to_path_buf();
        if let Err(error) = fs::create_dir_all(&directory)
            && !directory.is_dir()
        {
            return Err(FeedError::io(error).in_file(&directory.display().to_string()));
        }
        let (written, sweeping, failures) = (AtomicU64::new(0), AtomicU32::new(0), AtomicU64::new(0));
        let cache = Self(Arc::new(Inner { directory, max_bytes, written, sweeping, failures }));
        cache.sweep_in_background();
        Ok(cache)
    }

    /// Wraps an object so that its bytes are looked up in this cache.
    pub fn object(&self, object: Arc<StoreObject>) -> CachedObject {
        CachedObject::new(self.clone(), object)
    }

    /// Number of chunks that could not be written, because the disk is full or the directory is read-only. Reading
    /// continues without them.
    pub fn failures(&self) -> u64 {
        self.0.failures.load(Ordering::Relaxed)
    }

    /// Reads a chunk from the cache.
    fn get(&self, name: &ChunkName) -> Option<Bytes> {
        chunk::read(&self.0.directory, name)
    }

    /// Stores a chunk, unless it exists.
    fn put(&self, name: &ChunkName, bytes: &[u8]) {
        if bytes.len() as u64 > self.0.max_bytes || name.path(&self.0.directory).exists() {
            return;
        }
        match chunk::write(&self.0.directory, name, bytes) {
            Ok(written) => {
                let before = self.0.written.fetch_add(written, Ordering::Relaxed);
                if before + written >= self.0.sweeps_after() {
                    self.sweep_in_background();
                }
            }
            Err(_) => drop(self.0.failures.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// Starts a sweep in another thread, unless one is running.
    fn sweep_in_background(&self) {
        let (process, running) = (std::process::id(), self.0.sweeping.load(Ordering::Relaxed));
        let starts = |running| {
            let swap =
                self.0.sweeping.compare_exchange(running, process, Ordering::Relaxed, Ordering::Relaxed);
            swap.is_ok()
        };
        // The thread of a parent process does not run in this one.
        if running == process || !starts(running) {
            return;
        }
        let inner = self.0.clone();
        let work = move || {
            loop {
                inner.written.store(0, Ordering::Relaxed);
                sweep::sweep(&inner.directory, inner.max_bytes);
                // Chunks that were written in the meantime may exceed the limit again.
                if inner.written.load(Ordering::Relaxed) == 0 {
                    break;
                }
            }
            inner.sweeping.store(0, Ordering::Relaxed);
        };
        match runtime::handle() {
            Ok(runtime) => drop(runtime.spawn_blocking(work)),
            Err(_) => self.0.sweeping.store(0, Ordering::Relaxed),
        }
    }
}

impl Inner {
    /// Bytes that are written between two sweeps.
    fn sweeps_after(&self) -> u64 {
        (self.max_bytes / 16).min(CHUNK)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { directory, max_bytes, .. } = &*self.0;
        f.debug_struct("Cache")
            .field("directory", directory)
            .field("max_bytes", max_bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_cache_that_is_opened_with_fewer_bytes_removes_chunks() {
        let directory = tempfile::tempdir().unwrap();
        let chunk = directory.path().join("ab/00000000000001");
        fs::create_dir_all(chunk.parent().unwrap()).unwrap();
        fs::write(&chunk, [0; 100]).unwrap();
        let _cache = Cache::open(directory.path(), 50).unwrap();
        let start = Instant::now();
        while chunk.exists() {
            assert!(start.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
