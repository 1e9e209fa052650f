//! What is to be read, in order: whole files, or parts of them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrowfeed_source::{Check, FeedError, Report};

use super::file::FileReading;
use super::files::{Files, may_skip_file, note};
use super::parts::Parts;
use super::prepare::Prepared;
use super::unit::Unit;
use crate::decode::origin::{LocatedBatch, RowOrigin};
use crate::options::ReadOptions;

/// Gives work until there is none.
pub(crate) enum Supply {
    /// Files, each once. With a unit, that part of the only one.
    Files(Files, Option<Unit>),
    /// Parts of files, in any order.
    Parts(Parts),
}

/// The next rows of a file.
pub(crate) struct Work {
    pub(crate) reading: Arc<FileReading>,
    pub(crate) unit: Unit,
    /// Whether threads may share it: it has one run.
    pub(crate) may_be_cut: bool,
}

/// A batch, the file that its rows are of, and where they stand in it.
#[derive(Debug)]
pub struct FileBatch {
    /// The rows.
    pub batch: RecordBatch,
    /// Number of the file.
    pub file: usize,
    /// Where the rows come from, by row; the first is of row 0.
    pub origins: Vec<RowOrigin>,
    /// What the thread that decoded it made of it, see [`PartOptions::prepare`](crate::PartOptions::prepare).
    pub prepared: Option<Prepared>,
}

impl FileBatch {
    pub(crate) fn new(reading: &FileReading, located: LocatedBatch, prepared: Option<Prepared>) -> Self {
        Self { batch: located.batch, file: reading.number, origins: located.origins, prepared }
    }
}

impl Supply {
    pub(crate) fn options(&self) -> &Arc<ReadOptions> {
        match self {
            Self::Files(files, _) => &files.options,
            Self::Parts(parts) => parts.options(),
        }
    }

    pub(crate) fn next(&mut self, report: &mut Report, check: &Check<'_>) -> Result<Option<Work>, FeedError> {
        match self {
            Self::Files(files, part) => Ok(files.next(report, check)?.map(|reading| {
                let may_be_cut = part.is_none();
                let unit = part.clone().unwrap_or_else(|| Unit::whole(reading.file.body()));
                Work { reading, unit, may_be_cut }
            })),
            Self::Parts(parts) => parts.next(report, check),
        }
    }

    /// Rows that are on their way to the caller.
    pub(crate) fn count(&mut self, rows: u64) {
        if let Self::Parts(parts) = self {
            parts.count(rows);
        }
    }

    /// What is left of a file is left out, where the caller wants that for such an error.
    pub(crate) fn leave_out(
        &mut self,
        reading: &FileReading,
        error: FeedError,
        report: &mut Report,
    ) -> Result<(), FeedError> {
        if !may_skip_file(self.options(), &error) {
            return Err(error);
        }
        note(report, &reading.file.name, &error);
        match self {
            Self::Files(files, _) => files.left_out = Some(reading.number),
            Self::Parts(parts) => parts.leave_out(reading.number),
        }
        Ok(())
    }

    /// Whether nothing of a file is wanted any more.
    pub(crate) fn is_left_out(&self, reading: &FileReading) -> bool {
        match self {
            Self::Files(files, _) => files.left_out == Some(reading.number),
            Self::Parts(parts) => parts.is_left_out(reading.number),
        }
    }

    /// Files of which nothing is wanted any more.
    pub(crate) fn left_out(&self) -> Vec<usize> {
        match self {
            Self::Files(files, _) => files.left_out.into_iter().collect(),
            Self::Parts(parts) => parts.left_out(),
        }
    }
}
