//! Filters of rows: row groups and pages that have no row that passes are not read, and only the columns of the predicate are
//! decoded for all other rows.
//!
//! | file | content |
//! |---|---|
//! | `outcomes` | what a predicate may be for rows of which only bounds are known |
//! | `bounds` | the bounds of the columns of row groups and of pages, and which of them are trusted |
//! | `null_counts` | numbers of nulls, where they are reliable |
//! | `column_bounds` | the bounds of the columns of a whole file |
//! | `pages` | the page index of a row group |
//! | `bloom` | bloom filters |
//! | `selective` | the rows of a row group that pass |

mod bloom;
mod bounds;
mod column_bounds;
mod null_counts;
mod outcomes;
mod pages;
mod selective;

use std::sync::Arc;

use arrow_buffer::BooleanBuffer;
use arrowfeed_predicate::{CompiledPredicate, Lists, Predicate};
use arrowfeed_source::format::{Chunk, FileFormat};
use arrowfeed_source::run::with_needed;
use arrowfeed_source::{FeedError, Limits};

use crate::file::{Footer, ParquetFile};
use crate::format::ParquetFormat;
use bounds::{Bounds, Place};
use outcomes::Outcomes;

pub(crate) use selective::SelectiveFile;

/// The filter of the rows of a format.
#[derive(Debug)]
pub(crate) struct RowFilter {
    /// The format with the columns of the predicate.
    format: ParquetFormat,
    /// The predicate for these columns.
    of_columns: CompiledPredicate,
    /// The predicate for the columns that are read.
    of_all: CompiledPredicate,
    outcomes: Outcomes,
}

/// The filter of the rows of a file.
#[derive(Debug)]
pub(crate) struct FileFilter {
    filter: Arc<RowFilter>,
    /// The file with the columns of the predicate.
    file: ParquetFile,
    /// The place in the file of each column of the predicate, and its bounds in the row groups.
    places: Vec<Place>,
    bounds: Vec<Option<Bounds>>,
    /// Whether a row may pass, for each row group.
    may_pass: BooleanBuffer,
}

impl RowFilter {
    /// Returns `None` if the predicate does not fit the columns.
    pub(crate) fn new(format: &ParquetFormat, predicate: &Predicate) -> Option<Self> {
        let compiled = |format: &ParquetFormat| predicate.compile(format.schema(), Lists::AreValues).ok();
        let of_all = compiled(format)?;
        let format = format.of_columns(&with_needed(&[], predicate)).ok()?;
        let of_columns = compiled(&format)?;
        let outcomes = Outcomes::new(predicate, format.schema());
        Some(Self { format, of_columns, of_all, outcomes })
    }
}

impl FileFilter {
    /// # Errors
    /// The columns cannot be read.
    pub(crate) fn new(
        filter: Arc<RowFilter>,
        footer: &Arc<Footer>,
        limits: &Limits,
    ) -> Result<Self, FeedError> {
        let columns = filter.format.columns_of(footer)?;
        let file = ParquetFile::new(footer.clone(), columns, None, limits.clone())?;
        let paths = || filter.outcomes.columns().iter();
        let places: Vec<Place> =
            paths().map(|column| file.columns.place(file.read.schema(), &column.fields)).collect();
        let bounds: Vec<_> = places
            .iter()
            .zip(paths())
            .map(|(place, column)| Bounds::of_groups(place, &column.data_type, footer.metadata()))
            .collect();
        let groups = footer.metadata().num_row_groups();
        let may_pass = filter.outcomes.may_pass(&bounds, groups, &|_, _| false);
        Ok(Self { filter, file, places, bounds, may_pass })
    }

    /// The file with the columns of the predicate.
    pub(crate) fn file(&self) -> &ParquetFile {
        &self.file
    }

    /// Whether the statistics say that a row of the row group may pass.
    pub(crate) fn may_pass(&self, chunk: &Chunk) -> bool {
        usize::try_from(chunk.number).is_ok_and(|group| self.may_pass.value(group))
    }
}
