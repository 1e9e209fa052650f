//! Serialised checkpoint of an iteration over global batches, which an iteration of any shard can load.

use std::ops::Range;

use arrowfeed_source::Report;
use serde::{Deserialize, Serialize};

use super::counted_files::CountedFiles;
use super::options::{ALL_ROWS, Even, FileMatch, GlobalBatches, IterationOptions};
use super::state::{
    Counts, check_epoch, check_version, difference_of_rows, difference_of_splits, name_of, same_option,
    within_epochs,
};
use super::state_files::SavedFiles;
use crate::error::{DatasetError, StateError, StateErrorKind};

/// The version of the state format and of the order: see [`State`](super::state::State).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GlobalState {
    version: u32,
    /// Number of batches before the position: of the epoch, or of all epochs if batches have rows of several ones.
    pub(super) global_batch: u64,
    pub(super) epoch: u64,
    /// The epoch with which batches are counted that may have rows of several epochs.
    pub(super) first_epoch: u64,
    pub(super) seed: Option<u64>,
    options: SavedGlobalOptions,
    /// The files of each dataset.
    sources: Vec<Source>,
    report: Counts,
}

/// The options that the order depends on. The shard is not one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedGlobalOptions {
    global_batch_size: usize,
    streams: u64,
    even: Option<String>,
    drop_remainder: bool,
    across_epochs: bool,
    epochs: Option<u64>,
    start_epoch: u64,
    shuffle_buffer_size: usize,
    on_error: String,
    /// The weights of a mixture as text, which keeps every digit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
}

/// The files of a dataset, and the rows of them that it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    files: SavedFiles,
    /// Checksum of the file fingerprints and chunks.
    chunks: u32,
    /// `None`: all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<(u64, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    split: Option<String>,
}

impl Source {
    pub(super) fn new(files: SavedFiles, chunks: u32, rows: Range<u64>, split: Option<String>) -> Self {
        let rows = (rows != ALL_ROWS).then_some((rows.start, rows.end));
        Self { files, chunks, rows, split }
    }

    fn check(&self, own: &Self, files: &CountedFiles<'_>, how: FileMatch) -> Result<(), StateError> {
        difference_of_rows(own.rows, self.rows)?;
        difference_of_splits(own.split.as_ref(), self.split.as_ref())?;
        self.files.check(&own.files, files, how, Some(self.chunks == own.chunks))
    }
}

impl GlobalState {
    /// The state at the first row.
    pub(super) fn new(
        options: &IterationOptions,
        global: &GlobalBatches,
        weights: Option<String>,
        seed: Option<u64>,
        sources: Vec<Source>,
    ) -> Self {
        let saved = SavedGlobalOptions {
            global_batch_size: global.size,
            streams: global.streams,
            even: global.even.map(|even| match even {
                Even::Drop => "drop".to_owned(),
                Even::Repeat => "repeat".to_owned(),
            }),
            drop_remainder: options.drop_remainder,
            across_epochs: options.across_epochs,
            epochs: options.epochs.map(Into::into),
            start_epoch: options.start_epoch,
            shuffle_buffer_size: options.shuffle_buffer_size,
            on_error: name_of(options.on_error).to_owned(),
            weights,
        };
        Self {
            version: super::state::VERSION,
            global_batch: 0,
            epoch: options.start_epoch,
            first_epoch: options.start_epoch,
            seed,
            options: saved,
            sources,
            report: Counts::default(),
        }
    }

    /// The state at another position.
    pub(super) fn at(self, (epoch, global_batch): (u64, u64), first_epoch: u64, report: &Report) -> Self {
        Self { epoch, global_batch, first_epoch, report: report.into(), ..self }
    }

    pub(super) fn report(&self) -> Report {
        self.report.clone().into()
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn from_json(text: &str) -> Result<Self, StateError> {
        check_version(text, true)?;
        let state: Self = serde_json::from_str(text).map_err(super::state::invalid)?;
        state.report.check()?;
        Ok(state)
    }

    /// Checks that this state and `own` belong to the same iteration, of any shard. `files` has those of each dataset.
    pub(super) fn check<'a>(
        &self,
        own: &Self,
        seed: Option<u64>,
        files: impl Iterator<Item = CountedFiles<'a>>,
        how: FileMatch,
    ) -> Result<(), DatasetError> {
        macro_rules! same {
            ($($name:ident),*) => {$(
                same_option(stringify!($name), &own.options.$name, &self.options.$name)?;
            )*};
        }
        same!(
            global_batch_size,
            streams,
            even,
            drop_remainder,
            across_epochs,
            start_epoch,
            shuffle_buffer_size,
            on_error,
            weights
        );
        if seed.is_some() {
            same_option("seed", &seed, &self.seed)?;
        }
        if self.seed.is_none() && own.seed.is_some() {
            return Err(StateError::new(StateErrorKind::Invalid, "a seed", "none").into());
        }
        if self.sources.len() != own.sources.len() {
            let (expected, found) = (own.sources.len(), self.sources.len());
            let expected = format!("number of datasets {expected}, as requested");
            let found = format!("number of datasets {found}");
            return Err(StateError::new(StateErrorKind::Options, expected, found).into());
        }
        for ((saved, own), files) in self.sources.iter().zip(&own.sources).zip(files) {
            saved.check(own, &files, how)?;
        }
        Ok(())
    }

    /// Checks that the position is not after the end. `most`: the number of batches of an epoch, or of all epochs if batches
    /// have rows of several ones; `None`: without end. `epoch`: the epoch of the position, and `rows`: the number of rows of an
    /// epoch, if batches are counted over all epochs.
    pub(super) fn check_position(
        &self,
        options: &IterationOptions,
        most: Option<u64>,
        epoch: Option<u64>,
        rows: Option<u64>,
    ) -> Result<(), StateError> {
        self.check_epochs(options, rows)?;
        check_epoch(self.epoch, options)?;
        check_epoch(self.first_epoch, options)?;
        let most = match (epoch, options.end_epoch()) {
            // After the last epoch there is no batch.
            (None, Some(end)) if self.epoch == end => Some(0),
            _ => most,
        };
        if let Some(most) = most.filter(|most| self.global_batch > *most) {
            let expected = format!("a global batch up to {most}");
            return Err(StateError::new(StateErrorKind::Invalid, expected, self.global_batch));
        }
        if let Some(epoch) = epoch.filter(|epoch| *epoch != self.epoch) {
            let expected = format!("epoch {epoch}, in which global batch {} lies", self.global_batch);
            return Err(StateError::new(StateErrorKind::Invalid, expected, format!("epoch {}", self.epoch)));
        }
        Ok(())
    }

    /// Checks that the batches before the position are the same for the requested number of epochs, which may differ.
    fn check_epochs(&self, options: &IterationOptions, rows: Option<u64>) -> Result<(), StateError> {
        let (own, saved) = (options.epochs.map(u64::from), self.options.epochs);
        if own == saved {
            return Ok(());
        }
        let shown = |epochs: Option<u64>| epochs.map_or("unlimited".to_owned(), |epochs| epochs.to_string());
        let (expected, saved_epochs) = (format!("epochs {}, as requested", shown(own)), shown(saved));
        if self.options.weights.is_some() {
            // The datasets that have rows left depend on it, and so do the choices.
            let found = format!(
                "epochs {saved_epochs} in the state of a mixture with global batches: load it with epochs {saved_epochs}"
            );
            return Err(StateError::new(StateErrorKind::Options, expected, found));
        }
        let before = |epoch: u64| epoch.saturating_sub(options.start_epoch);
        let Some(rows) = rows else {
            let needed = before(self.epoch).saturating_add(u64::from(self.global_batch > 0));
            return within_epochs(own, needed, self.epoch);
        };
        let passed = u128::from(self.global_batch) * self.options.global_batch_size as u128;
        let needed = u64::try_from(passed.div_ceil(u128::from(rows.max(1)))).unwrap_or(u64::MAX);
        let needed = needed.saturating_add(before(self.first_epoch));
        if saved.is_some_and(|saved| saved < needed) {
            let found = format!(
                "a position after the last batch of epochs {saved_epochs}, which has too few rows: load it with \
                 epochs {saved_epochs}"
            );
            return Err(StateError::new(StateErrorKind::Options, expected, found));
        }
        within_epochs(own, needed, self.epoch)
    }
}
