//! Serialised checkpoint of an iteration, validated when it is loaded.

use arrowfeed_source::{FeedError, OnError, Report, Skipped};
use serde::{Deserialize, Serialize};

use super::chunk_index::ChunkIndex;
use super::counted_files::CountedFiles;
use super::length_state::of_other_batches;
use super::options::{ALL_ROWS, FileMatch, IterationOptions, shown_rows};
use super::pieces::RowPosition;
use super::shuffled::{AfterShuffled, window_sizes};
use super::state_files::SavedFiles;
use crate::error::{DatasetError, StateError, StateErrorKind};

/// Version of the state format and of the order that positions refer to. States of other versions are rejected.
pub(super) const VERSION: u32 = 4;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) version: u32,
    pub(super) files: SavedFiles,
    pub(super) options: SavedOptions,
    pub(super) seed: Option<u64>,
    /// Checksum of the file fingerprints and chunks, if the order depends on them.
    pub(super) chunks: Option<u32>,
    pub(super) epoch: u64,
    pub(super) place: SavedPosition,
    pub(super) report: Counts,
}

/// The options that the order depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedOptions {
    batch_size: usize,
    drop_remainder: bool,
    #[serde(default)]
    across_epochs: bool,
    epochs: Option<u64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    start_epoch: u64,
    /// `None`: all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<(u64, u64)>,
    /// The filter, and the parts that `split` made. `None`: neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) split: Option<String>,
    shuffle_buffer_size: usize,
    shard: (u64, u64),
    on_error: String,
}

/// The next row in the epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedPosition {
    /// The first row of the epoch.
    Start,
    /// A row in file order. `fingerprint` is that of its file.
    Row { file: usize, chunk: u64, offset: u64, row: u64, fingerprint: String },
    /// The rows of a window after the first `passed` entries of its order.
    Window { window: u64, passed: usize, left_out: Vec<usize> },
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    rows: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    rejected: u64,
    blocks: u64,
    bytes: u64,
    skipped: Vec<SavedSkipped>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedSkipped {
    path: String,
    block: Option<u64>,
    offset: Option<u64>,
    rows: Option<u64>,
    error: String,
}

impl State {
    pub(super) fn new(
        files: SavedFiles,
        options: &IterationOptions,
        seed: Option<u64>,
        chunks: Option<u32>,
    ) -> Self {
        let (options, report) = (SavedOptions::from(options), Counts::default());
        Self { version: VERSION, files, options, seed, chunks, epoch: 0, place: SavedPosition::Start, report }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn from_json(text: &str) -> Result<Self, StateError> {
        check_version(text, false)?;
        let state: Self = serde_json::from_str(text).map_err(invalid)?;
        state.report.check()?;
        Ok(state)
    }

    /// Checks that this state and `own` belong to the same iteration. `seed`: the one that the caller has set.
    pub(super) fn check(
        &self,
        own: &Self,
        seed: Option<u64>,
        files: &CountedFiles<'_>,
        how: FileMatch,
    ) -> Result<(), DatasetError> {
        self.options.check(&own.options)?;
        self.check_epochs(&own.options)?;
        match (seed, self.seed) {
            (Some(seed), Some(found)) if seed != found => {
                let expected = format!("seed {seed}, as requested");
                return Err(
                    StateError::new(StateErrorKind::Options, expected, format!("seed {found}")).into()
                );
            }
            _ => {}
        }
        if self.seed.is_none() && own.options.shuffle_buffer_size > 0 {
            return Err(StateError::new(StateErrorKind::Invalid, "a seed", "none").into());
        }
        let same_chunks = self.chunks.map(|chunks| Some(chunks) == own.chunks);
        self.files.check(&own.files, files, how, same_chunks)?;
        self.place.check(files)?;
        Ok(self.files.check_contents(&own.files)?)
    }

    /// Checks that the position lies within the number of epochs, which may differ.
    fn check_epochs(&self, own: &SavedOptions) -> Result<(), StateError> {
        if self.options.epochs == own.epochs {
            return Ok(());
        }
        let needed = self.epoch.saturating_sub(own.start_epoch);
        let needed = if self.place == SavedPosition::Start { needed } else { needed.saturating_add(1) };
        within_epochs(own.epochs, needed, self.epoch)
    }
}

/// Checks the version of a state, and whether it is one of global batches.
pub(super) fn check_version(text: &str, is_global: bool) -> Result<(), StateError> {
    #[derive(Deserialize)]
    struct Kind {
        by_length: Option<u32>,
        mixture: Option<u32>,
        global_batch: Option<u64>,
    }
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Kind { by_length, mixture, global_batch } = serde_json::from_str(text).map_err(invalid)?;
    if by_length.is_some() {
        return Err(of_other_batches("without batches by length", "with them"));
    }
    if mixture.is_none() {
        let Version { version } = serde_json::from_str(text).map_err(invalid)?;
        if version != VERSION {
            let found = format!(
                "version {version}: start without the state, or resume with the version of arrowfeed that saved it"
            );
            return Err(StateError::new(StateErrorKind::Invalid, format!("version {VERSION}"), found));
        }
    }
    if is_global == global_batch.is_some() {
        return Ok(());
    }
    let of = |is_global| if is_global { "with global batches" } else { "with batches of each shard" };
    Err(of_other_batches(of(is_global), of(!is_global)))
}

#[cold]
pub(super) fn invalid(error: impl std::fmt::Display) -> StateError {
    StateError::new(StateErrorKind::Invalid, "a saved state of an iteration", format!("other data: {error}"))
}

/// Checks that an iteration has an epoch, or ends before it.
pub(super) fn check_epoch(epoch: u64, options: &IterationOptions) -> Result<(), StateError> {
    let end = options.end_epoch().unwrap_or(u64::MAX);
    if (options.start_epoch..=end).contains(&epoch) {
        return Ok(());
    }
    let expected = format!("an epoch from {} to {end}", options.start_epoch);
    Err(StateError::new(StateErrorKind::Invalid, expected, epoch))
}

/// Checks that a position, which needs `needed` epochs, lies within the requested number of epochs. `epoch` is its epoch.
pub(super) fn within_epochs(own: Option<u64>, needed: u64, epoch: u64) -> Result<(), StateError> {
    match own.filter(|own| *own < needed) {
        None => Ok(()),
        Some(own) => {
            let expected = format!("epochs {own}, as requested");
            let found =
                format!("a position in epoch {epoch}, counted from 0, which needs epochs {needed} or more");
            Err(StateError::new(StateErrorKind::Options, expected, found))
        }
    }
}

/// Checks that an option is the same.
pub(super) fn same_option<T: PartialEq + Serialize>(
    name: &str,
    own: &T,
    found: &T,
) -> Result<(), StateError> {
    if own == found {
        return Ok(());
    }
    let expected = format!("{name} {}, as requested", shown(own));
    Err(StateError::new(StateErrorKind::Options, expected, format!("{name} {}", shown(found))))
}

/// Checks that the shard is the same. The rows of a shard depend on the number of shards.
fn same_shard(own: (u64, u64), found: (u64, u64)) -> Result<(), StateError> {
    same_option("shard", &own, &found).map_err(|error| match own.1 == found.1 {
        true => error,
        false => error.with_advice(
            "to change the number of shards, begin a later epoch with `start_epoch` and no state; states of \
             global batches can be loaded by any number of processes",
        ),
    })
}

/// Checks that the selected rows are the same.
pub(super) fn difference_of_rows(
    own: Option<(u64, u64)>,
    found: Option<(u64, u64)>,
) -> Result<(), StateError> {
    if own == found {
        return Ok(());
    }
    let shown = |rows: Option<(u64, u64)>| shown_rows(&rows.map_or(ALL_ROWS, |(start, end)| start..end));
    let expected = format!("{}, as requested", shown(own));
    Err(StateError::new(StateErrorKind::Options, expected, shown(found)))
}

/// Checks that the splits are the same.
pub(super) fn difference_of_splits(own: Option<&String>, found: Option<&String>) -> Result<(), StateError> {
    if own == found {
        return Ok(());
    }
    let is_filter = |split: &&String| split.contains("filter(");
    let none = if own.or(found).is_some_and(|split| is_filter(&split)) { "no filter" } else { "no split" };
    let shown = |split: Option<&String>| split.cloned().unwrap_or_else(|| none.to_owned());
    let expected = format!("{}, as requested", shown(own));
    Err(StateError::new(StateErrorKind::Options, expected, shown(found)))
}

pub(super) fn name_of(on_error: OnError) -> &'static str {
    match on_error {
        OnError::Raise => "raise",
        OnError::SkipBlock => "skip_block",
        OnError::SkipFile => "skip_file",
    }
}

impl Counts {
    /// Checks that an iteration can add to the counts.
    pub(super) fn check(&self) -> Result<(), StateError> {
        let most = i64::MAX as u64;
        match [self.rows, self.rejected, self.blocks, self.bytes].into_iter().find(|count| *count > most) {
            Some(found) => {
                let expected = format!("counts of a report up to {most}");
                Err(StateError::new(StateErrorKind::Invalid, expected, found))
            }
            None => Ok(()),
        }
    }
}

impl SavedOptions {
    fn check(&self, own: &Self) -> Result<(), StateError> {
        macro_rules! same {
            ($($name:ident),*) => {$(
                same_option(stringify!($name), &own.$name, &self.$name)?;
            )*};
        }
        same!(batch_size, drop_remainder, across_epochs, start_epoch, shuffle_buffer_size);
        same_shard(own.shard, self.shard)?;
        same!(on_error);
        difference_of_rows(own.rows, self.rows)?;
        difference_of_splits(own.split.as_ref(), self.split.as_ref())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Formats an option as JSON.
fn shown(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl From<&IterationOptions> for SavedOptions {
    fn from(options: &IterationOptions) -> Self {
        Self {
            batch_size: options.batch_size,
            drop_remainder: options.drop_remainder,
            across_epochs: options.across_epochs,
            epochs: options.epochs.map(Into::into),
            start_epoch: options.start_epoch,
            rows: (options.rows != ALL_ROWS).then_some((options.rows.start, options.rows.end)),
            split: None,
            shuffle_buffer_size: options.shuffle_buffer_size,
            shard: options.shard,
            on_error: name_of(options.on_error).to_owned(),
        }
    }
}

impl SavedPosition {
    pub(super) fn row(after: RowPosition, files: &CountedFiles<'_>) -> Result<Self, FeedError> {
        let identity = files.files.identity(after.file)?;
        let RowPosition { file, chunk, offset, row } = files.numbered(after);
        let fingerprint = identity.fingerprint_digits();
        Ok(Self::Row { file, chunk, offset, row, fingerprint })
    }

    pub(super) fn window(after: AfterShuffled, files: &CountedFiles<'_>) -> Self {
        let AfterShuffled { window, passed, left_out } = after;
        let left_out = left_out.into_iter().map(|file| files.number_of(file)).collect();
        Self::Window { window, passed, left_out }
    }

    /// Checks that the file at this position is the same one.
    fn check(&self, files: &CountedFiles<'_>) -> Result<(), DatasetError> {
        let Self::Row { file, offset, fingerprint, .. } = self else {
            return Ok(());
        };
        if *file >= files.len() {
            let expected = format!("a file number below {}", files.len());
            return Err(StateError::new(StateErrorKind::Invalid, expected, file).into());
        }
        let identity = files.identity(*file)?;
        let found = identity.fingerprint_digits();
        if found != *fingerprint || *offset > identity.len {
            let expected = format!("{} unchanged, with the fingerprint {fingerprint}", files.name(*file));
            let found = format!("the fingerprint {found}");
            return Err(StateError::new(StateErrorKind::Files, expected, found).into());
        }
        Ok(())
    }
}

impl SavedPosition {
    /// The position with the numbers that its files have in the set. It must have been checked.
    pub(super) fn in_set(self, files: &CountedFiles<'_>) -> Self {
        let in_set = |file: usize| files.in_set().get(file).copied();
        match self {
            Self::Start => Self::Start,
            Self::Row { file, chunk, offset, row, fingerprint } => {
                Self::Row { file: in_set(file).unwrap_or(file), chunk, offset, row, fingerprint }
            }
            Self::Window { window, passed, left_out } => {
                Self::Window { window, passed, left_out: left_out.into_iter().filter_map(in_set).collect() }
            }
        }
    }

    /// Checks that the position is one of the order of an epoch.
    pub(super) fn check_in(
        &self,
        index: &ChunkIndex,
        options: &IterationOptions,
        order: (u64, u64),
    ) -> Result<(), StateError> {
        let beyond =
            |expected: String, found: String| Err(StateError::new(StateErrorKind::Invalid, expected, found));
        match self {
            Self::Start => Ok(()),
            Self::Row { file, chunk, offset, row, .. } => {
                let nth_chunk = index.nth_chunk(*file, *offset);
                let found = nth_chunk.map(|nth_chunk| index.chunks(*file)[nth_chunk]);
                match found.filter(|found| found.number == *chunk && *row <= found.rows) {
                    Some(_) => Ok(()),
                    None => beyond(
                        "a row of a block of the index".to_owned(),
                        format!("row {row} of block {chunk} at byte {offset} of file {file}"),
                    ),
                }
            }
            Self::Window { window, passed, .. } => {
                let sizes = window_sizes(index, options, order);
                let rows = usize::try_from(*window).ok().and_then(|window| sizes.get(window));
                match rows {
                    Some(rows) if *passed as u64 <= *rows => Ok(()),
                    Some(rows) => {
                        beyond(format!("a position of up to {rows} rows in a window"), passed.to_string())
                    }
                    None => beyond(format!("a window below {}", sizes.len()), window.to_string()),
                }
            }
        }
    }
}

impl From<&Report> for Counts {
    fn from(report: &Report) -> Self {
        let Report { rows, rejected, blocks, bytes, skipped, .. } = report.clone();
        let skipped = skipped.into_iter().map(|it| {
            let Skipped { path, block, offset, rows, error } = it;
            SavedSkipped { path, block, offset, rows, error }
        });
        Self { rows, rejected, blocks, bytes, skipped: skipped.collect() }
    }
}

/// Requests are not part of a state.
impl From<Counts> for Report {
    fn from(counts: Counts) -> Self {
        let Counts { rows, rejected, blocks, bytes, skipped } = counts;
        let skipped = skipped.into_iter().map(|it| {
            let SavedSkipped { path, block, offset, rows, error } = it;
            Skipped { path, block, offset, rows, error }
        });
        Self { rows, rejected, blocks, bytes, skipped: skipped.collect(), ..Self::default() }
    }
}
