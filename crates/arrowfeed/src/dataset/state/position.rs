//! The positions of checkpoints.

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use crate::dataset::files::chunk_index::RowPosition;
use crate::dataset::files::counted_files::CountedFiles;
use crate::error::{DatasetError, StateError, StateErrorKind};

/// The position after a batch, in each kind of order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Position {
    /// Epochs of files, one after another.
    Epochs(EpochPlace),
    /// Datasets whose rows are drawn at random.
    Mixture {
        /// The epoch with which the datasets began.
        first_epoch: u64,
        /// Number of draws before the position.
        draws: u64,
        datasets: Vec<DrawnPlace>,
    },
    /// Batches that several processes make together.
    Global {
        epoch: u64,
        /// The epoch with which batches are counted that may have rows of several epochs.
        first_epoch: u64,
        /// Number of batches before the position: of the epoch, or of all epochs if batches have rows of several ones.
        batch: u64,
    },
    /// Batches of rows of similar length.
    Length {
        /// The position before the window.
        window: Box<Position>,
        /// Number of rows before the window.
        rows: u64,
        /// Number of batches of the window before the position.
        batches: usize,
    },
}

/// A position in an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpochPlace {
    pub(crate) epoch: u64,
    pub(crate) place: Place,
}

/// The next row in an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Place {
    /// The first row of the epoch.
    Start,
    /// A row in file order. `fingerprint` is that of its file.
    Row {
        file: usize,
        chunk: u64,
        offset: u64,
        row: u64,
        fingerprint: String,
    },
    Window(WindowPlace),
}

/// The rows of a window of a shuffle after the first `passed` entries of its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowPlace {
    pub(crate) window: u64,
    pub(crate) passed: usize,
    /// The files that had been skipped before the window.
    pub(crate) left_out: Vec<usize>,
}

/// The position in one dataset of a mixture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrawnPlace {
    /// The position before the current batch.
    pub(crate) before: EpochPlace,
    /// Number of rows of the current batch that have been drawn.
    pub(crate) drawn: usize,
    pub(crate) has_ended: bool,
    pub(crate) report: Counts,
}

impl Position {
    /// Checks that the iteration can count on, and that the files at the positions are the same ones. `files`: those of each
    /// dataset.
    pub(crate) fn check(&self, files: &[CountedFiles<'_>]) -> Result<(), DatasetError> {
        match self {
            Self::Epochs(at) => files.iter().try_for_each(|files| at.place.check(files)),
            Self::Mixture { datasets, .. } => datasets.iter().zip(files).try_for_each(|(at, files)| {
                at.report.check()?;
                at.before.place.check(files)
            }),
            Self::Global { .. } => Ok(()),
            Self::Length { window, .. } => window.check(files),
        }
    }

    /// The error for a position of another kind than that of the options.
    #[cold]
    pub(crate) fn other_kind() -> StateError {
        let (expected, found) = ("a position in this order", "a position in a different order");
        StateError::new(StateErrorKind::Invalid, expected, found)
    }
}

impl Place {
    pub(crate) fn row(after: RowPosition, files: &CountedFiles<'_>) -> Result<Self, DatasetError> {
        let identity = files.files.identity(after.file)?;
        let RowPosition { file, chunk, offset, row } = after;
        let (file, fingerprint) = (files.number_of(file), identity.fingerprint_digits());
        Ok(Self::Row { file, chunk, offset, row, fingerprint })
    }

    pub(crate) fn window(after: WindowPlace, files: &CountedFiles<'_>) -> Self {
        let left_out = after.left_out.into_iter().map(|file| files.number_of(file)).collect();
        Self::Window(WindowPlace { left_out, ..after })
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
