//! Rows by number: random access through the index of all chunks.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrowfeed_source::run::{
    BatchBoundaries, FileBatch, Part, PartOptions, PartReader, READER_PREFETCH_BYTES, Workers,
};
use arrowfeed_source::{
    Check, FeedError, ForkLock, Interrupt, OnError, check_threads, return_free_memory, thread_count,
};
use arrowfeed_tensor::{TensorAdapter, Tensors};

use super::chunk_cache::{ChunkCache, ChunkKey, Claims, DecodedChunk, Lookup};
use super::numbered_rows::{NumberedRows, RowPlaces};
use crate::dataset::files::chunk_index::ChunkIndex;
use crate::dataset::files::indexed::SelectedFiles;
use crate::dataset::joined::concatenated;
use crate::dataset::options::IterationOptions;
use crate::error::DatasetError;

/// Maximum bytes of the chunks that [`RowReader`] keeps by default: 64 MiB.
pub const ROW_CACHE_BYTES: usize = 64 << 20;

/// Minimum file bytes of chunks that one thread decodes together, and of a chunk of which only the rows from the first to the
/// last wanted one are decoded. Smaller chunks are decoded whole.
const GROUP_BYTES: u64 = 512 << 10;

/// Interval between two looks at a chunk that another thread decodes.
const WAIT: Duration = Duration::from_micros(200);

/// Options of a call that reads rows by number.
///
/// [`Dataset::rows`](crate::Dataset::rows) has an example.
#[derive(Clone, Default)]
pub struct RowOptions {
    /// Number of threads that decode, if rows of several chunks are read. `None`: one for each core that the process may use.
    /// 1: the calling thread decodes.
    pub threads: Option<NonZeroUsize>,
    /// Called periodically; the call stops when the function returns true. Default: none.
    pub interrupt: Option<Interrupt>,
}

impl fmt::Debug for RowOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowOptions").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Reads rows of a dataset by their numbers, and keeps decoded chunks for later calls. Created by [`Dataset::row_reader`](crate::Dataset::row_reader).
///
/// Several threads may use a reader at the same time. A chunk that one of them decodes is not decoded by another one.
#[derive(Debug)]
pub struct RowReader {
    files: SelectedFiles,
    adapter: TensorAdapter,
    cache: ChunkCache,
    /// Computed once.
    places: ForkLock<Option<Arc<RowPlaces>>>,
}

impl RowReader {
    /// See [`Dataset::row_reader`](crate::Dataset::row_reader).
    pub(crate) fn new(files: SelectedFiles, adapter: TensorAdapter, cache_bytes: usize) -> Self {
        Self { files, adapter, cache: ChunkCache::new(cache_bytes), places: ForkLock::default() }
    }

    /// Number of rows of the dataset. The first call scans the files, unless their index is known.
    ///
    /// # Errors
    /// A file cannot be read, or `interrupt` returned true.
    pub fn num_rows(&self, interrupt: Option<&Interrupt>) -> Result<u64, FeedError> {
        let rows = self.places(interrupt)?.rows();
        Ok(rows.end - rows.start)
    }

    /// See [`Dataset::rows`](crate::Dataset::rows).
    ///
    /// # Errors
    /// As [`Dataset::rows`](crate::Dataset::rows).
    pub fn rows(&self, numbers: &[i64], options: &RowOptions) -> Result<RecordBatch, DatasetError> {
        check_threads(options.threads)?;
        let batch = self.joined(numbers, options);
        return_free_memory();
        batch
    }

    fn joined(&self, numbers: &[i64], options: &RowOptions) -> Result<RecordBatch, DatasetError> {
        let places = self.places(options.interrupt.as_ref())?;
        let mut rows = NumberedRows::new(numbers, &places)?;
        self.read(&places.index, &mut rows, options)?;
        let files = &self.files.files.files;
        Ok(rows.into_batch(files.schema(), &places.index, |file| files.name(file))?)
    }

    /// Like [`rows`](Self::rows), as tensors by name.
    ///
    /// # Errors
    /// As [`Dataset::row_tensors`](crate::Dataset::row_tensors).
    pub fn row_tensors(&self, numbers: &[i64], options: &RowOptions) -> Result<Tensors, DatasetError> {
        Ok(self.adapter.convert(&self.rows(numbers, options)?)?)
    }

    fn places(&self, interrupt: Option<&Interrupt>) -> Result<Arc<RowPlaces>, FeedError> {
        if let Some(places) = self.places.with(|places| places.clone()).flatten() {
            return Ok(places);
        }
        let scan = IterationOptions {
            interrupt: interrupt.cloned(),
            rows: self.files.rows.clone(),
            ..Default::default()
        };
        let index = self.files.files.index(&scan)?.0;
        let rows = scan.selected_rows(index.rows());
        let places = Arc::new(RowPlaces::new(index, self.files.files.files.len(), rows));
        self.places.with(|known| *known = Some(places.clone()));
        Ok(places)
    }

    /// Adds the chunks of all rows.
    fn read(
        &self,
        index: &ChunkIndex,
        rows: &mut NumberedRows,
        options: &RowOptions,
    ) -> Result<(), FeedError> {
        let check = Check::of(options.interrupt.as_ref());
        let mut waiting: Vec<ChunkKey> = rows.chunks().collect();
        while !waiting.is_empty() {
            let (found, claims) = self.cache.request(&waiting);
            let (mut to_decode, mut elsewhere) = (Vec::new(), Vec::new());
            for (key, found) in waiting.into_iter().zip(found) {
                match found {
                    Lookup::Kept(chunk) => chunk.iter().try_for_each(|piece| self.add(piece, index, rows))?,
                    Lookup::Claimed | Lookup::NotKept => to_decode.push(key),
                    Lookup::ClaimedElsewhere => elsewhere.push(key),
                }
            }
            if to_decode.is_empty() && !elsewhere.is_empty() {
                check.now()?;
                std::thread::sleep(WAIT);
            }
            self.decode(&to_decode, claims, index, rows, options)?;
            waiting = elsewhere;
        }
        Ok(())
    }

    fn add(&self, piece: &FileBatch, index: &ChunkIndex, rows: &mut NumberedRows) -> Result<(), FeedError> {
        rows.add(piece, index).map_err(|error| error.in_file(self.files.files.files.name(piece.file)))
    }

    /// Decodes chunks, and keeps the claimed ones.
    fn decode(
        &self,
        keys: &[ChunkKey],
        claims: Claims<'_>,
        index: &ChunkIndex,
        rows: &mut NumberedRows,
        options: &RowOptions,
    ) -> Result<(), FeedError> {
        if keys.is_empty() {
            return Ok(());
        }
        let files = &self.files.files.files;
        let parts = parts(keys, &claims, index, rows);
        let by_caller = parts.len() == 1 || files.format().is_decoded_by_caller();
        let options = PartOptions {
            // Chunks that are decoded together stay in one piece.
            batch_size: Some(usize::MAX),
            boundaries: BatchBoundaries::PerPart,
            on_error: OnError::Raise,
            workers: if by_caller { Workers::Caller } else { Workers::Own(thread_count(options.threads)) },
            prefetch_bytes: READER_PREFETCH_BYTES,
            interrupt: options.interrupt.clone(),
            claim: None,
        };
        let mut keeper = Keeper { claims, max_bytes: self.cache.max_bytes(), current: None };
        for piece in PartReader::new(files.clone(), parts, options)? {
            let piece = piece?;
            self.add(&piece, index, rows)?;
            let offset = piece.origins.first().map_or(0, |origin| origin.offset);
            keeper.add(index.nth_chunk(piece.file, offset).map(|nth_chunk| (piece.file, nth_chunk)), piece);
        }
        keeper.finish_chunk();
        Ok(())
    }
}

/// The parts of files with these chunks, in file order. A claimed chunk is a part of its own, with all rows.
fn parts(keys: &[ChunkKey], claims: &Claims<'_>, index: &ChunkIndex, rows: &NumberedRows) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut group, mut group_bytes) = (Vec::new(), 0);
    for (at, &key) in keys.iter().enumerate() {
        let (file, nth_chunk) = key;
        let chunk = index.chunks(file)[nth_chunk];
        let bytes = chunk.end - chunk.offset;
        if claims.contains(key) {
            parts.push(Part::of_chunks(file, [chunk]));
        } else if bytes >= GROUP_BYTES {
            let Range { start, end } = rows.range_of(key);
            parts.push(Part::of_chunks(file, [chunk]).with_dropped(start).with_kept(end - start));
        } else {
            group.push(chunk);
            group_bytes += bytes;
        }
        let is_last = keys.get(at + 1).is_none_or(|next| next.0 != file);
        if !group.is_empty() && (is_last || group_bytes >= GROUP_BYTES) {
            parts.push(Part::of_chunks(file, std::mem::take(&mut group)));
            group_bytes = 0;
        }
    }
    parts
}

/// Collects the pieces of claimed chunks, which come one chunk after another.
struct Keeper<'a> {
    claims: Claims<'a>,
    max_bytes: usize,
    current: Option<Current>,
}

/// The chunk whose pieces are being decoded.
struct Current {
    key: ChunkKey,
    pieces: Vec<FileBatch>,
    bytes: usize,
}

impl Keeper<'_> {
    fn add(&mut self, key: Option<ChunkKey>, mut piece: FileBatch) {
        if self.current.as_ref().map(|current| current.key) != key {
            self.finish_chunk();
        }
        let Some(key) = key.filter(|key| self.claims.contains(*key)) else { return };
        // The memory of decoders is larger than its contents. If the copy fails, the piece is kept as it is.
        if let Ok(copy) = concatenated(&[&piece.batch, &piece.batch.slice(0, 0)]) {
            piece.batch = copy;
        }
        let current = self.current.get_or_insert(Current { key, pieces: Vec::new(), bytes: 0 });
        current.bytes += piece.batch.get_array_memory_size();
        current.pieces.push(piece);
        if current.bytes > self.max_bytes {
            self.current = None;
            self.claims.keep(key, None);
        }
    }

    fn finish_chunk(&mut self) {
        if let Some(Current { key, pieces, bytes }) = self.current.take() {
            self.claims.keep(key, Some((DecodedChunk::new(pieces), bytes)));
        }
    }
}
