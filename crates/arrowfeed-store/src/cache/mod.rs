//! Bytes of objects that are kept on disk, for later readers and other processes.
//!
//! Objects are divided into chunks of [`CHUNK`] bytes. A chunk is a file, which is written under another name and then
//! renamed. So processes share a directory without locks, and a reader sees whole files. It checks them all the same.
//!
//! | file | content |
//! |---|---|
//! | `chunk` | the file of a chunk: its name, header and checksum |
//! | `sweep` | what is removed: the chunks that were not used for longest |
//! | `object` | an object whose bytes are looked up before they are requested |

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

/// Bytes of a chunk.
pub(crate) const CHUNK: u64 = 1 << 20;

/// A directory with chunks of objects. Clones are the same cache.
#[derive(Clone)]
pub struct Cache(Arc<Inner>);

struct Inner {
    directory: PathBuf,
    max_bytes: u64,
    /// Bytes that this process has written since it last removed chunks.
    written: AtomicU64,
    /// The process in which a thread removes chunks; zero: none.
    sweeping: AtomicU32,
    /// Chunks that could not be written.
    failures: AtomicU64,
}

impl Cache {
    /// A cache in a directory, which is made if it does not exist. Chunks are removed where there are more than
    /// `max_bytes`; for a short time there may be some more.
    ///
    /// # Errors
    /// There is no such directory, and it cannot be made.
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

    /// An object whose bytes are looked up in this cache.
    pub fn object(&self, object: Arc<StoreObject>) -> CachedObject {
        CachedObject::new(self.clone(), object)
    }

    /// Chunks that could not be written, because the disk was full or the directory is read-only. Reading goes on.
    pub fn failures(&self) -> u64 {
        self.0.failures.load(Ordering::Relaxed)
    }

    /// The bytes of a chunk.
    fn get(&self, name: &ChunkName) -> Option<Bytes> {
        chunk::read(&self.0.directory, name)
    }

    /// Keeps a chunk, unless it is there.
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

    /// Removes chunks by another thread, unless one does that already.
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
            // Chunks that are written meanwhile may be too many again.
            while inner.written.swap(0, Ordering::Relaxed) > 0 {
                sweep::sweep(&inner.directory, inner.max_bytes);
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
