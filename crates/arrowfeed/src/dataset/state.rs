//! Serialised checkpoint of an iteration, validated when it is loaded.

use arrowfeed_source::run::FileSet;
use arrowfeed_source::{Check, FeedError, Interrupt, OnError, Report, Skipped};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use super::options::{ALL_ROWS, IterationOptions, ask, shown_rows};
use super::pieces::RowPosition;
use super::shuffled::AfterShuffled;
use crate::error::{DatasetError, StateError, StateErrorKind};

/// Version of the state format and of the order that positions refer to. States of other versions are rejected.
const VERSION: u32 = 2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) version: u32,
    pub(super) files: FileChecksums,
    pub(super) options: SavedOptions,
    pub(super) seed: Option<u64>,
    /// Checksum of the file fingerprints and chunks, if the order depends on them.
    pub(super) chunks: Option<u32>,
    pub(super) epoch: u64,
    pub(super) place: SavedPosition,
    pub(super) report: Counts,
}

/// One checksum for each file, of its name and length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FileChecksums {
    count: usize,
    marks: String,
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
    /// The parts that `split` made. `None`: no split.
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
        files: FileChecksums,
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
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let invalid = |error: serde_json::Error| {
            StateError::new(
                StateErrorKind::Invalid,
                "the result of state_dict()",
                format!("other data: {error}"),
            )
        };
        let Version { version } = serde_json::from_str(text).map_err(invalid)?;
        if version != VERSION {
            let expected = format!("version {VERSION}");
            let found = format!(
                "version {version}: start without the state, or resume with the version of arrowfeed that saved it"
            );
            return Err(StateError::new(StateErrorKind::Invalid, expected, found));
        }
        let state: Self = serde_json::from_str(text).map_err(invalid)?;
        let Counts { rows, blocks, bytes, .. } = &state.report;
        // The iteration adds to these counts.
        let most = i64::MAX as u64;
        match [*rows, *blocks, *bytes].into_iter().find(|count| *count > most) {
            Some(found) => {
                let expected = format!("counts of a report up to {most}");
                Err(StateError::new(StateErrorKind::Invalid, expected, found))
            }
            None => Ok(state),
        }
    }

    /// Checks that this state and `own` belong to the same iteration.
    pub(super) fn check(&self, own: &Self, seed: Option<u64>, files: &FileSet) -> Result<(), DatasetError> {
        self.options.check(&own.options)?;
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
        self.files.check(&own.files, files)?;
        if self.chunks != own.chunks {
            let error = StateError::new(
                StateErrorKind::Files,
                "files with the same blocks",
                "files with different blocks",
            );
            return Err(error.into());
        }
        self.place.check(files)
    }
}

impl FileChecksums {
    pub(super) fn of(files: &FileSet, interrupt: Option<&Interrupt>) -> Result<Self, FeedError> {
        let mut marks = Vec::with_capacity(4 * files.len());
        for file in 0..files.len() {
            ask(interrupt)?;
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(files.name(file).as_bytes());
            hasher.update(&files.file_len(file, &Check::of(interrupt))?.to_le_bytes());
            marks.extend(hasher.finalize().to_le_bytes());
        }
        Ok(Self { count: files.len(), marks: BASE64_STANDARD.encode(marks) })
    }

    /// One checksum for all files.
    pub(super) fn digest(&self) -> u32 {
        crc32fast::hash(self.marks.as_bytes())
    }

    fn check(&self, own: &Self, files: &FileSet) -> Result<(), StateError> {
        let error =
            |expected: String, found: String| Err(StateError::new(StateErrorKind::Files, expected, found));
        if self.count != own.count {
            let s = if own.count == 1 { "" } else { "s" };
            return error(format!("{} file{s}", own.count), format!("a state of {}", self.count));
        }
        let (Ok(found), Ok(expected)) =
            (BASE64_STANDARD.decode(&self.marks), BASE64_STANDARD.decode(&own.marks))
        else {
            return Err(StateError::new(StateErrorKind::Invalid, "checksums of files", "different text"));
        };
        let same = found.chunks(4).zip(expected.chunks(4)).take_while(|(found, own)| found == own).count();
        if found.len() == expected.len() && same == own.count {
            return Ok(());
        }
        let name = files.name(same.min(own.count - 1));
        error(
            format!("{name} as file {same} of the list"),
            "a state of a file with a different name or size".to_owned(),
        )
    }
}

impl SavedOptions {
    fn check(&self, own: &Self) -> Result<(), StateError> {
        let differs = |name: &str, own: String, found: String| {
            let expected = format!("{name} {own}, as requested");
            Err(StateError::new(StateErrorKind::Options, expected, format!("{name} {found}")))
        };
        macro_rules! same {
            ($($name:ident),*) => {$(
                if self.$name != own.$name {
                    return differs(stringify!($name), shown(&own.$name), shown(&self.$name));
                }
            )*};
        }
        same!(
            batch_size,
            drop_remainder,
            across_epochs,
            epochs,
            start_epoch,
            shuffle_buffer_size,
            shard,
            on_error
        );
        if self.rows != own.rows {
            let shown =
                |rows: Option<(u64, u64)>| shown_rows(&rows.map_or(ALL_ROWS, |(start, end)| start..end));
            let expected = format!("{}, as requested", shown(own.rows));
            return Err(StateError::new(StateErrorKind::Options, expected, shown(self.rows)));
        }
        if self.split != own.split {
            let shown = |split: &Option<String>| split.clone().unwrap_or_else(|| "no split".to_owned());
            let expected = format!("{}, as requested", shown(&own.split));
            return Err(StateError::new(StateErrorKind::Options, expected, shown(&self.split)));
        }
        Ok(())
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
            on_error: match options.on_error {
                OnError::Raise => "raise",
                OnError::SkipBlock => "skip_block",
                OnError::SkipFile => "skip_file",
            }
            .to_owned(),
        }
    }
}

impl SavedPosition {
    pub(super) fn row(after: RowPosition, files: &FileSet) -> Result<Self, FeedError> {
        let RowPosition { file, chunk, offset, row } = after;
        let fingerprint = files.identity(file)?.fingerprint_digits();
        Ok(Self::Row { file, chunk, offset, row, fingerprint })
    }

    pub(super) fn window(after: AfterShuffled) -> Self {
        let AfterShuffled { window, passed, left_out } = after;
        Self::Window { window, passed, left_out }
    }

    /// Checks that the file at this position is the same one.
    fn check(&self, files: &FileSet) -> Result<(), DatasetError> {
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

impl From<&Report> for Counts {
    fn from(report: &Report) -> Self {
        let Report { rows, blocks, bytes, skipped, .. } = report.clone();
        let skipped = skipped.into_iter().map(|it| {
            let Skipped { path, block, offset, rows, error } = it;
            SavedSkipped { path, block, offset, rows, error }
        });
        Self { rows, blocks, bytes, skipped: skipped.collect() }
    }
}

/// Requests are not part of a state.
impl From<Counts> for Report {
    fn from(counts: Counts) -> Self {
        let Counts { rows, blocks, bytes, skipped } = counts;
        let skipped = skipped.into_iter().map(|it| {
            let SavedSkipped { path, block, offset, rows, error } = it;
            Skipped { path, block, offset, rows, error }
        });
        Self { rows, blocks, bytes, skipped: skipped.collect(), ..Self::default() }
    }
}
