//! Decoded chunks that are kept for random access to rows, up to a number of bytes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::thread::ThreadId;

use arrowfeed_source::ForkLock;
use arrowfeed_source::run::FileBatch;

/// A file, and the number of a chunk among those of the index.
pub(crate) type ChunkKey = (usize, usize);

/// A decoded chunk: its pieces in order.
pub(crate) type DecodedChunk = Arc<Vec<FileBatch>>;

/// Chunks by their last use. Threads share the cache; each chunk is decoded by one of them. A forked child keeps the chunks, and
/// forgets which chunks the threads of its parent were decoding.
pub(crate) struct ChunkCache {
    /// Maximum bytes of all chunks. 0: nothing is kept.
    max_bytes: usize,
    state: ForkLock<State>,
}

#[derive(Default)]
struct State {
    process: u32,
    kept: HashMap<ChunkKey, Kept>,
    /// The kept chunks by the number of their last use.
    by_use: BTreeMap<u64, ChunkKey>,
    uses: u64,
    bytes: usize,
    /// Chunks that are being decoded, and the thread of this process that decodes them.
    claimed: HashMap<ChunkKey, ThreadId>,
    /// Chunks that take more than the maximum.
    too_large: HashSet<ChunkKey>,
}

struct Kept {
    chunk: DecodedChunk,
    bytes: usize,
    last_use: u64,
}

/// The result of a request for a chunk.
pub(crate) enum Lookup {
    Kept(DecodedChunk),
    /// The caller has claimed the chunk: it decodes the chunk, and passes it to [`Claims::keep`].
    Claimed,
    /// Another thread is decoding the chunk.
    ClaimedElsewhere,
    /// The chunk will not be kept.
    NotKept,
}

/// The chunks that a caller decodes. Dropping it ends the claims on those that it has not kept.
pub(crate) struct Claims<'a> {
    cache: &'a ChunkCache,
    /// The process of the claims. A claim that outlived its owner would make other threads wait forever.
    process: u32,
    /// Sorted.
    keys: Vec<ChunkKey>,
}

impl ChunkCache {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, state: ForkLock::default() }
    }

    pub(crate) fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Looks up chunks, and claims those that no thread has decoded. The keys are sorted.
    pub(crate) fn request(&self, keys: &[ChunkKey]) -> (Vec<Lookup>, Claims<'_>) {
        let mut claims = Claims { cache: self, process: std::process::id(), keys: Vec::new() };
        let found = match self.max_bytes {
            0 => None,
            _ => self.state.with(|state| {
                state.forget_other_processes(claims.process);
                keys.iter().map(|key| state.look_up(*key)).collect::<Vec<_>>()
            }),
        };
        let found = found.unwrap_or_else(|| keys.iter().map(|_| Lookup::NotKept).collect());
        let claimed = keys.iter().zip(&found).filter(|(_, found)| matches!(found, Lookup::Claimed));
        claims.keys.extend(claimed.map(|(key, _)| *key));
        (found, claims)
    }
}

impl Claims<'_> {
    pub(crate) fn contains(&self, key: ChunkKey) -> bool {
        self.keys.binary_search(&key).is_ok()
    }

    /// Keeps a decoded chunk, and drops the chunks that were not used for the longest time. `None`: the chunk takes more than
    /// the maximum.
    pub(crate) fn keep(&mut self, key: ChunkKey, chunk: Option<(DecodedChunk, usize)>) {
        if let Ok(at) = self.keys.binary_search(&key) {
            self.keys.remove(at);
        }
        let max_bytes = self.cache.max_bytes;
        // Chunks are dropped after the lock is free.
        let _dropped = self.cache.state.with_in(self.process, |state| {
            state.claimed.remove(&key);
            match chunk {
                Some((chunk, bytes)) if bytes <= max_bytes => state.keep(key, chunk, bytes, max_bytes),
                _ => {
                    state.too_large.insert(key);
                    Vec::new()
                }
            }
        });
    }
}

impl State {
    fn forget_other_processes(&mut self, process: u32) {
        if self.process != process {
            self.claimed.clear();
            self.process = process;
        }
    }

    fn look_up(&mut self, key: ChunkKey) -> Lookup {
        if let Some(kept) = self.kept.get_mut(&key) {
            self.by_use.remove(&kept.last_use);
            self.uses += 1;
            kept.last_use = self.uses;
            self.by_use.insert(self.uses, key);
            return Lookup::Kept(kept.chunk.clone());
        }
        if self.too_large.contains(&key) {
            return Lookup::NotKept;
        }
        let thread = std::thread::current().id();
        match self.claimed.get(&key) {
            // A source or a signal handler that asks for rows while its thread decodes the chunk must not wait for itself.
            Some(claimed) if *claimed == thread => Lookup::NotKept,
            Some(_) => Lookup::ClaimedElsewhere,
            None => {
                self.claimed.insert(key, thread);
                Lookup::Claimed
            }
        }
    }

    /// Returns the chunks that are dropped.
    fn keep(&mut self, key: ChunkKey, chunk: DecodedChunk, bytes: usize, max_bytes: usize) -> Vec<Kept> {
        let mut dropped = Vec::new();
        while self.bytes + bytes > max_bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            if let Some(kept) = self.kept.remove(&oldest) {
                self.bytes -= kept.bytes;
                dropped.push(kept);
            }
        }
        self.uses += 1;
        self.bytes += bytes;
        self.by_use.insert(self.uses, key);
        dropped.extend(self.kept.insert(key, Kept { chunk, bytes, last_use: self.uses }));
        dropped
    }
}

impl Drop for Claims<'_> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            self.cache
                .state
                .with_in(self.process, |state| state.claimed.retain(|key, _| !self.contains(*key)));
        }
    }
}

impl fmt::Debug for ChunkCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkCache").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> DecodedChunk {
        Arc::default()
    }

    fn kinds(cache: &ChunkCache, keys: &[ChunkKey]) -> Vec<&'static str> {
        let (found, _) = cache.request(keys);
        let kind = |found: &Lookup| match found {
            Lookup::Kept(_) => "kept",
            Lookup::Claimed => "claimed",
            Lookup::ClaimedElsewhere => "elsewhere",
            Lookup::NotKept => "not kept",
        };
        found.iter().map(kind).collect()
    }

    fn keep(cache: &ChunkCache, key: ChunkKey, bytes: usize) {
        let (_, mut claims) = cache.request(&[key]);
        assert!(claims.contains(key));
        claims.keep(key, Some((empty(), bytes)));
    }

    #[test]
    fn the_least_recently_used_chunks_are_dropped() {
        let cache = ChunkCache::new(100);
        for chunk in 0..3 {
            keep(&cache, (0, chunk), 30);
        }
        assert_eq!(kinds(&cache, &[(0, 0)]), ["kept"]);
        keep(&cache, (1, 0), 30);
        assert_eq!(kinds(&cache, &[(0, 0), (0, 1), (0, 2), (1, 0)]), ["kept", "claimed", "kept", "kept"]);
        keep(&cache, (1, 1), 100);
        assert_eq!(kinds(&cache, &[(0, 0), (1, 1)]), ["claimed", "kept"]);
    }

    #[test]
    fn a_chunk_that_is_too_large_is_not_claimed_again() {
        let cache = ChunkCache::new(100);
        keep(&cache, (0, 0), 101);
        let (_, mut claims) = cache.request(&[(0, 1)]);
        claims.keep((0, 1), None);
        assert_eq!(kinds(&cache, &[(0, 0), (0, 1)]), ["not kept"; 2]);
        assert_eq!(kinds(&ChunkCache::new(0), &[(0, 0)]), ["not kept"]);
    }

    #[test]
    fn a_claim_ends_when_it_is_dropped() {
        let cache = ChunkCache::new(100);
        let (_, claims) = cache.request(&[(0, 0)]);
        assert_eq!(kinds(&cache, &[(0, 0), (0, 1)]), ["not kept", "claimed"]);
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| kinds(&cache, &[(0, 0)])).join().unwrap());
        assert_eq!(elsewhere, ["elsewhere"]);
        drop(claims);
        assert_eq!(kinds(&cache, &[(0, 0), (0, 1)]), ["claimed"; 2]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test does not fork")]
    fn a_claim_ends_on_a_busy_machine_too() {
        let cache = ChunkCache::new(100);
        for keeps in [false, true] {
            let (_, mut claims) = cache.request(&[(0, 0)]);
            let (send, locked) = std::sync::mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    cache.state.with(|_| {
                        send.send(()).unwrap();
                        // Longer than a thread waits in a forked child.
                        std::thread::sleep(std::time::Duration::from_millis(100));
                    })
                });
                locked.recv().unwrap();
                if keeps {
                    claims.keep((0, 0), Some((empty(), 30)));
                }
                drop(claims);
            });
            let wanted = if keeps { "kept" } else { "claimed" };
            assert_eq!(kinds(&cache, &[(0, 0)]), [wanted]);
        }
    }
}
