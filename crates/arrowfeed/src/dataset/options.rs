//! Options of an iteration.

use std::fmt;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::options::Words;
use arrowfeed_source::run::{BatchBoundaries, PartOptions, Pool, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, OnError, thousands};
use serde::{Serialize, Serializer};

/// Batches that several processes make together: batch number `k` is a function of the files, the options, the seed, the
/// epoch and `k` alone.
///
/// The order of an epoch is divided into `streams` equal parts. Each global batch has `size / streams` rows of each stream,
/// in the order of the streams. Shard `index` of `count` ([`IterationOptions::shard`]) reads `streams / count` consecutive
/// streams, so the batches of all shards, one after another, are the global batch.
///
/// [`IterationOptions`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct GlobalBatches {
    /// Rows of a batch of all processes together: a multiple of `streams`.
    pub size: usize,
    /// Number of streams: a multiple of the number of shards. Default 64.
    #[cfg_attr(feature = "serde", serde(default = "default_streams"))]
    pub streams: u64,
    /// How every process gets the same number of batches, all of the same size. Default `None`: the last batch of an epoch may
    /// have fewer rows, and none in some processes.
    #[serde(serialize_with = "optional_word")]
    pub even: Option<Even>,
    /// Yields the batch number `first`, counted from the start or from a loaded state, and then each batch after
    /// `every - 1` others. Processes that take turns use it. Default `(0, 1)`: all batches.
    #[cfg_attr(feature = "serde", serde(default = "every_turn"))]
    pub turn: (u64, u64),
}

/// How the files of a state are compared with those of the dataset that loads it.
///
/// In both cases, the number of files, their order and their lengths must be the same, and so must the values of partitions.
///
/// [`IterationOptions`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileMatch {
    /// By their names below the directory that all of them have in common, so that the directory may have moved. Their contents
    /// are compared too if the state has a checksum of them.
    #[default]
    Names,
    /// By checksums of their contents, whatever their names are. A state has them if it belongs to an order that needs the
    /// positions of all chunks, such as a shuffle or a shard; if there are at most 100 files, which are local; or if the dataset
    /// has an [index](super::Dataset::with_index). Other states are refused.
    Contents,
}

/// How every process gets the same number of batches, all of the same size.
///
/// [`IterationOptions`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Even {
    /// Drops the rows of an epoch that do not fill a global batch.
    Drop,
    /// Fills the last batch of an epoch with the first rows of each stream.
    Repeat,
}

arrowfeed_source::words! {
    FileMatch { "names" = Names, "contents" = Contents }
    Even { "drop" = Drop, "repeat" = Repeat }
}

/// Batches of rows of similar length.
///
/// A window of consecutive rows of the order of an epoch is divided into batches. A batch has at most
/// [`batch_size`](IterationOptions::batch_size) rows; `usize::MAX` means any number. So the batches are a function of the order
/// of the rows and of the window alone.
///
/// ```
/// use arrowfeed::IterationOptions;
/// use arrowfeed::dataset::LengthBatches;
///
/// let by_length = LengthBatches { boundaries: vec![64, 256], ..LengthBatches::new("tokens", 6400) };
/// let options = IterationOptions { batch_size: 64, by_length: Some(by_length), ..Default::default() };
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct LengthBatches {
    /// The column that has the length of each row: that of its list, the bytes of its string, or its integer. The length of a
    /// null is 0. `a.b` is the field `b` of column `a`.
    pub column: String,
    /// Boundaries of the buckets, in ascending order: a bucket has the rows from one boundary up to, but without, the next.
    /// Default: rows are sorted by length.
    #[cfg_attr(feature = "serde", serde(default))]
    pub boundaries: Vec<u64>,
    /// Maximum of the number of rows times the length of the longest row of a batch. Default: none.
    pub max_tokens: Option<NonZeroU64>,
    /// Packs the rows of a window, in their order, into sequences of this length, by [`FirstFit`](arrowfeed_tensor::FirstFit).
    /// [`batch_size`](IterationOptions::batch_size) is then the number of sequences of a batch. Default: none.
    pub pack_to: Option<NonZeroUsize>,
    /// Number of rows of a window, which are in memory together.
    pub window: usize,
    /// Lets each shard read all rows and take its batches in turn, so that the batches do not depend on the number of shards:
    /// of `count` shards, shard `index` yields batch `index` of each group of `count` batches. The last batches, which do not
    /// fill a group, are dropped. Default false: each shard has windows of its own rows.
    #[cfg_attr(feature = "serde", serde(default))]
    pub takes_turns: bool,
}

impl LengthBatches {
    /// Batches of rows sorted by length, without a budget.
    pub fn new(column: impl Into<String>, window: usize) -> Self {
        Self {
            column: column.into(),
            boundaries: Vec::new(),
            max_tokens: None,
            pack_to: None,
            window,
            takes_turns: false,
        }
    }

    /// The options of the iteration whose batches are the windows.
    pub(crate) fn windows(&self, options: &IterationOptions) -> IterationOptions {
        let shard = if self.takes_turns { (0, 1) } else { options.shard };
        IterationOptions { batch_size: self.window, by_length: None, shard, ..options.clone() }
    }

    fn check(&self, options: &IterationOptions) -> Result<(), FeedError> {
        let refuse = |message: &str| Err(FeedError::new(FeedErrorKind::Options, message.to_owned()));
        if self.window == 0 {
            return refuse("window: expected 1 or more, found 0");
        }
        if !self.boundaries.is_sorted_by(|one, next| one < next) || self.boundaries.first() == Some(&0) {
            let message =
                format!("boundaries: expected ascending integers above 0, found {:?}", self.boundaries);
            return refuse(&message);
        }
        if self.pack_to.is_some() && (self.max_tokens.is_some() || !self.boundaries.is_empty()) {
            return refuse(
                "pack_to: expected `batch_size` sequences, found bucket boundaries or max_tokens too",
            );
        }
        if options.global.is_some() {
            return refuse(
                "batches by length: expected batches of each shard, found global batches: the number of batches by length \
                 differs between shards",
            );
        }
        if options.drop_remainder {
            return refuse(
                "drop_remainder: expected batches of one size, found batches by length, whose sizes differ",
            );
        }
        Ok(())
    }
}

fn default_streams() -> u64 {
    64
}

fn every_turn() -> (u64, u64) {
    (0, 1)
}

impl GlobalBatches {
    /// Batches of `size` rows with default options.
    pub fn new(size: usize) -> Self {
        Self { size, streams: default_streams(), even: None, turn: every_turn() }
    }

    /// Rows of each stream in a batch.
    pub(crate) fn stream_rows(&self) -> u64 {
        self.size as u64 / self.streams.max(1)
    }

    /// The streams of a shard.
    pub(crate) fn streams_of(&self, (index, count): (u64, u64)) -> Range<u64> {
        let each = self.streams / count.max(1);
        index * each..(index + 1) * each
    }

    fn check(&self, (_, shards): (u64, u64)) -> Result<(), FeedError> {
        let refuse = |message: String| Err(FeedError::new(FeedErrorKind::Options, message));
        let (size, streams) = (self.size as u64, self.streams);
        if streams == 0 {
            return refuse("streams: expected 1 or more, found 0".to_owned());
        }
        if size == 0 || size % streams != 0 {
            let below = size / streams * streams;
            let nearest = match (below, below.checked_add(streams)) {
                (0, Some(above)) => format!("{above}"),
                (below, Some(above)) => format!("{below} or {above}"),
                (below, None) => format!("{below}"),
            };
            return refuse(format!(
                "global batch size: expected a multiple of streams ({streams}), such as {nearest}, found {size}"
            ));
        }
        if streams % shards != 0 {
            let fewer = (1..=shards.min(streams)).rev().find(|count| streams % count == 0).unwrap_or(1);
            let more = (shards..=streams).find(|count| streams % count == 0);
            let counts = match more {
                Some(more) if more != fewer => format!("{fewer} or {more}"),
                _ => format!("{fewer}"),
            };
            let below = streams / shards * shards;
            let streams_nearby = if below == 0 { shards } else { below };
            return refuse(format!(
                "shard: expected a number of shards that divides streams ({streams}), such as {counts}, found {shards}: use one \
                 of these, or another number of streams, such as {streams_nearby}"
            ));
        }
        if self.turn.0 >= u64::MAX / 2 || self.turn.1 == 0 {
            return refuse("turn: expected a number of processes of 1 or more, found 0".to_owned());
        }
        Ok(())
    }
}

/// The seed of the choices of a mixture, if none was given, for batches that do not depend on the number of processes. A random
/// one would differ between the processes, so that some rows come twice and others never.
pub(crate) const COMMON_SEED: u64 = 0;

/// All rows of a dataset.
pub(crate) const ALL_ROWS: Range<u64> = 0..u64::MAX;

/// Options of an iteration over a dataset.
///
/// The batches are a function of the files and of these options; `threads`, `decodes_ahead` and `prefetch_bytes` do not
/// affect them.
///
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use std::num::NonZeroU64;
///
/// use arrowfeed::avro::{AvroFormat, AvroOptions};
/// use arrowfeed::{Dataset, DatasetOptions, IterationOptions};
///
/// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
/// let dataset = Dataset::open(files, DatasetOptions::default())?;
/// let options = IterationOptions {
///     batch_size: 2,
///     shuffle_buffer_size: 1000,
///     seed: Some(7),
///     epochs: NonZeroU64::new(2),
///     ..Default::default()
/// };
/// let mut rows = Vec::new();
/// for batch in dataset.record_batches(options)? {
///     rows.push(batch?.num_rows());
/// }
/// assert_eq!(rows, [2, 1, 2, 1]); // The file has three rows.
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct IterationOptions {
    /// Rows of a batch. Default 8192. It has no effect on [`global`](Self::global) batches.
    pub batch_size: usize,
    /// Batches that the processes of all shards make together, from an order that does not depend on the number of
    /// processes. Default `None`: each shard makes its own batches.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::optional_object"))]
    pub global: Option<GlobalBatches>,
    /// Makes batches of rows of similar length. Default `None`: batches have consecutive rows.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "arrowfeed_source::options::optional_object"))]
    pub by_length: Option<LengthBatches>,
    /// Drops the last batch of an epoch if it has fewer rows. Default false.
    pub drop_remainder: bool,
    /// Fills the last batch of an epoch with the first rows of the next one, so that only the very last batch may be
    /// short. Default false: all rows of a batch are from one epoch.
    pub across_epochs: bool,
    /// Number of passes over all rows. `None`: infinite. Default 1.
    pub epochs: Option<NonZeroU64>,
    /// Number of the first epoch. The order of a shuffle depends on the number of the epoch. Default 0.
    pub start_epoch: u64,
    /// The rows to iterate over, by their numbers in file order before a shuffle. Numbers past the last row are
    /// ignored. Default: all rows.
    #[serde(serialize_with = "first_and_end")]
    #[cfg_attr(feature = "serde", serde(deserialize_with = "rows"))]
    pub rows: Range<u64>,
    /// Minimum number of rows that are shuffled together. 0: file order. Default 0.
    pub shuffle_buffer_size: usize,
    /// Seed of the shuffle, and of the choices of a mixture. `None`: random, and stored in the state. A shuffle in shards, or with
    /// [turns](GlobalBatches::turn), requires a seed, which must be the same for all processes. Without a shuffle, `None` stands for
    /// 0 if processes make the batches of a mixture together ([`global`](Self::global)) or
    /// [take turns](LengthBatches::takes_turns) with them: their choices must be the same.
    pub seed: Option<u64>,
    /// Index of this shard, and number of shards. Each row is in exactly one shard, and the sizes of the shards differ
    /// by at most one row. Default `(0, 1)`: all rows.
    pub shard: (u64, u64),
    /// Number of threads that decode, gather the rows of a shuffle, and make tensors. `None`: one for each core that
    /// the process may use. 1: the calling thread does the work.
    pub threads: Option<NonZeroUsize>,
    /// With one thread, starts a worker thread that decodes ahead, while the caller's thread makes the tensors. Default
    /// false: the caller's thread does both. It has no effect with more threads.
    pub decodes_ahead: bool,
    /// Maximum bytes of decoded rows and their tensors that threads prepare ahead of the caller. A shuffle may use the
    /// same amount again for gathered rows. Default 64 MiB.
    pub prefetch_bytes: usize,
    /// Handling of blocks and files that cannot be read. Default [`OnError::Raise`].
    #[serde(serialize_with = "word")]
    pub on_error: OnError,
    /// How the files of a loaded state are compared with those of the dataset. Default [`FileMatch::Names`].
    #[serde(serialize_with = "word")]
    pub file_match: FileMatch,
    /// Called periodically; the iteration stops when the function returns true. Default: none.
    #[serde(skip)]
    pub interrupt: Option<Interrupt>,
}

fn word<T: Words, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.word())
}

fn optional_word<T: Words, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(T::word).serialize(serializer)
}

/// The first row, and the row after the last one.
fn first_and_end<S: Serializer>(rows: &Range<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    (rows.start, rows.end).serialize(serializer)
}

/// Parses the first row, and the row after the last one.
#[cfg(feature = "serde")]
fn rows<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Range<u64>, D::Error> {
    let rows: Option<(u64, u64)> = serde::Deserialize::deserialize(deserializer)?;
    Ok(rows.map_or(ALL_ROWS, |(first, end)| first..end))
}

impl Default for IterationOptions {
    fn default() -> Self {
        Self {
            batch_size: 8192,
            global: None,
            by_length: None,
            drop_remainder: false,
            across_epochs: false,
            epochs: Some(NonZeroU64::MIN),
            start_epoch: 0,
            rows: ALL_ROWS,
            shuffle_buffer_size: 0,
            seed: None,
            shard: (0, 1),
            threads: None,
            decodes_ahead: false,
            prefetch_bytes: 64 << 20,
            on_error: OnError::default(),
            file_match: FileMatch::default(),
            interrupt: None,
        }
    }
}

impl IterationOptions {
    pub(crate) fn check(&self) -> Result<(), FeedError> {
        let refuse = |message: String| Err(FeedError::new(FeedErrorKind::Options, message));
        if self.batch_size == 0 {
            return refuse("batch_size: expected 1 or more, found 0".to_owned());
        }
        arrowfeed_source::check_threads(self.threads)?;
        if self.start_epoch == u64::MAX {
            let message = format!("start_epoch: expected a number below {0}, found {0}", thousands(u64::MAX));
            return refuse(message);
        }
        let most = u64::MAX - self.start_epoch;
        if let Some(epochs) = self.epochs.filter(|epochs| epochs.get() > most) {
            let (most, start, found) =
                (thousands(most), thousands(self.start_epoch), thousands(epochs.get()));
            return refuse(format!("epochs: expected at most {most} from epoch {start} on, found {found}"));
        }
        let (index, count) = self.shard;
        if index >= count {
            let message = format!("shard: expected an index below the count, found ({index}, {count})");
            return refuse(message);
        }
        if let Some(global) = &self.global {
            global.check(self.shard)?;
        }
        if let Some(by_length) = &self.by_length {
            by_length.check(self)?;
        }
        if self.shuffles() && self.shares_order() && self.seed.is_none() {
            return refuse("seed: expected an integer, the same for all shards, found none".to_owned());
        }
        Ok(())
    }

    /// Whether other processes read other rows of the order, or of the batches, that this one reads.
    fn shares_order(&self) -> bool {
        self.is_sharded() || self.global.is_some_and(|global| global.turn.1 > 1)
    }

    /// The options with rows that are numbered from the first row of `selected`, which are rows of the files.
    pub(crate) fn in_file_rows(self, selected: &Range<u64>) -> Self {
        let row = |row: u64| selected.start.saturating_add(row).min(selected.end);
        Self { rows: row(self.rows.start)..row(self.rows.end), ..self }
    }

    /// Number of batches of `rows` rows in a sequence.
    pub(crate) fn batches_of(&self, rows: u64) -> u64 {
        let size = (self.batch_size as u64).max(1);
        if self.drop_remainder { rows / size } else { rows.div_ceil(size) }
    }

    /// Number of batches of `rows` rows of each epoch. `None`: infinite.
    pub(crate) fn num_batches_of(&self, rows: u64, across_epochs: bool) -> Option<u64> {
        if rows == 0 {
            return Some(0);
        }
        let epochs = self.epochs?.get();
        Some(match across_epochs {
            true => self.batches_of(rows.saturating_mul(epochs)),
            false => self.batches_of(rows).saturating_mul(epochs),
        })
    }

    /// Number of batches that all processes make together of `rows` rows.
    pub(crate) fn num_global_batches(&self, global: &GlobalBatches, rows: u64) -> u64 {
        let size = (global.size as u64).max(1);
        match global.even {
            Some(Even::Drop) => rows / size,
            Some(Even::Repeat) => rows.div_ceil(size),
            None if self.drop_remainder => rows / size,
            None => rows.div_ceil(size),
        }
    }

    /// The rows of the shard in file order, among `rows` rows in all files.
    pub(crate) fn own_rows(&self, rows: u64) -> Range<u64> {
        let selected = self.selected_rows(rows);
        let own = shard_rows(selected.end - selected.start, self.shard);
        selected.start + own.start..selected.start + own.end
    }

    /// The rows of all shards, among `rows` rows in all files.
    pub(crate) fn selected_rows(&self, rows: u64) -> Range<u64> {
        let end = self.rows.end.min(rows);
        self.rows.start.min(end)..end
    }

    /// Whether these options need the positions of all blocks.
    pub(crate) fn needs_index(&self) -> bool {
        // The rows of skipped blocks have numbers, which only the index has.
        let skips = self.ends_early() && self.on_error != OnError::Raise;
        self.shuffles() || self.is_sharded() || self.global.is_some() || self.rows.start > 0 || skips
    }

    /// Whether the last rows are not selected.
    pub(crate) fn ends_early(&self) -> bool {
        self.rows.end < ALL_ROWS.end
    }

    /// Number of the epoch after the last one. `None`: infinite.
    pub(crate) fn end_epoch(&self) -> Option<u64> {
        self.epochs.map(|epochs| self.start_epoch.saturating_add(epochs.get()))
    }

    pub(crate) fn shuffles(&self) -> bool {
        self.shuffle_buffer_size > 0
    }

    /// See [`thread_count`](arrowfeed_source::thread_count).
    pub(crate) fn thread_count(&self) -> usize {
        arrowfeed_source::thread_count(self.threads)
    }

    /// The threads that decode. `by_caller`: only the thread of the caller may decode the format. `pool` has the worker threads.
    pub(crate) fn workers(
        &self,
        by_caller: bool,
        pool: impl FnOnce() -> Result<Arc<Pool>, FeedError>,
    ) -> Result<Workers, FeedError> {
        let is_alone = self.thread_count() == 1 && !self.decodes_ahead;
        Ok(if by_caller || is_alone { Workers::Caller } else { Workers::Pool(pool()?) })
    }

    pub(crate) fn is_sharded(&self) -> bool {
        self.shard.1 > 1
    }

    /// Options for reading an epoch that is started ahead of its turn, in pieces of `batch_size` rows that end at
    /// `boundaries`.
    pub(crate) fn reading(
        &self,
        batch_size: usize,
        boundaries: BatchBoundaries,
        workers: Workers,
    ) -> PartOptions {
        let (on_error, interrupt) = (self.on_error, self.interrupt.clone());
        let prefetch_bytes = self.following_bytes();
        PartOptions {
            batch_size: Some(batch_size),
            boundaries,
            on_error,
            workers,
            prefetch_bytes,
            interrupt,
            claim: None,
        }
    }

    /// Maximum bytes of decoded rows of the next epoch that may wait.
    fn following_bytes(&self) -> usize {
        if self.epochs == Some(NonZeroU64::MIN) { 0 } else { self.prefetch_bytes / 8 }
    }

    /// Maximum bytes of converted batches that may wait. In a shuffle this is in addition to the decoded rows.
    pub(crate) fn in_flight_bytes(&self) -> usize {
        if self.shuffles() { self.prefetch_bytes } else { self.prefetch_bytes / 2 }
    }

    /// Maximum bytes of decoded rows of the current epoch that may wait. `converts`: batches are converted ahead of the
    /// caller.
    pub(crate) fn decoded_bytes(&self, converts: bool) -> usize {
        let in_flight = if converts && !self.shuffles() { self.in_flight_bytes() } else { 0 };
        self.prefetch_bytes - in_flight - self.following_bytes()
    }

    /// Returns an error if `interrupt` returns true.
    pub(crate) fn ask(&self) -> Result<(), FeedError> {
        ask(self.interrupt.as_ref())
    }
}

/// The range of rows of a shard, among `rows` rows in any fixed order.
pub(crate) fn shard_rows(rows: u64, (index, count): (u64, u64)) -> Range<u64> {
    let border = |index: u64| {
        let border = u128::from(rows) * u128::from(index) / u128::from(count);
        u64::try_from(border).unwrap_or(rows)
    };
    border(index)..border(index + 1)
}

/// Names selected rows: `rows 5 to 25`, where 25 is the row after the last one.
pub(crate) fn shown_rows(rows: &Range<u64>) -> String {
    match (thousands(rows.start), rows.end) {
        _ if *rows == ALL_ROWS => "all rows".to_owned(),
        (start, u64::MAX) => format!("rows from {start} on"),
        (start, end) => format!("rows {start} to {}", thousands(end)),
    }
}

/// Returns an error if `interrupt` returns true.
pub(crate) fn ask(interrupt: Option<&Interrupt>) -> Result<(), FeedError> {
    match interrupt {
        Some(interrupt) if interrupt() => {
            Err(FeedError::new(FeedErrorKind::Interrupted, "the caller asked to stop"))
        }
        _ => Ok(()),
    }
}

impl fmt::Debug for IterationOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterationOptions")
            .field("batch_size", &self.batch_size)
            .field("global", &self.global)
            .field("by_length", &self.by_length)
            .field("drop_remainder", &self.drop_remainder)
            .field("across_epochs", &self.across_epochs)
            .field("epochs", &self.epochs)
            .field("start_epoch", &self.start_epoch)
            .field("rows", &self.rows)
            .field("shuffle_buffer_size", &self.shuffle_buffer_size)
            .field("seed", &self.seed)
            .field("shard", &self.shard)
            .field("threads", &self.threads)
            .field("prefetch_bytes", &self.prefetch_bytes)
            .field("on_error", &self.on_error)
            .finish_non_exhaustive()
    }
}
