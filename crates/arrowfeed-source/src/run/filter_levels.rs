//! The filters of a set of files, in the order in which they apply, and the columns that each of them needs.

use std::sync::Arc;

use arrowfeed_predicate::{Lists, Predicate, col};

use super::batch_columns::{Added, schema_of};
use super::file_set::FileSet;
use super::filter::{ChosenRows, Filter, FilterLevel};
use crate::FeedError;
use crate::format::{FileFormat, compiled};

impl FileSet {
    /// Returns the same files, of which only the rows that pass `predicate` are read. Its columns need not be selected. The
    /// rows of filtered files must pass both predicates. Each chunk has the rows that pass; [`chunks`](Self::chunks) counts
    /// all rows.
    ///
    /// # Errors
    /// The predicate names a column that does not exist, or compares one with a value of another type.
    pub fn filtered(&self, predicate: Predicate) -> Result<Self, FeedError> {
        let mut levels = self.levels.to_vec();
        match levels.last_mut() {
            Some(last) => {
                last.predicate = Some(match last.predicate.take() {
                    Some(before) => before & predicate,
                    None => predicate,
                });
            }
            None => levels.push(FilterLevel { predicate: Some(predicate), chosen: None }),
        }
        self.rebuilt(self.columns.clone(), levels.into())
    }

    /// Like [`filtered`](Self::filtered), of the rows that `chosen` chooses. If the files are filtered, it chooses among the
    /// rows that pass.
    ///
    /// # Errors
    /// As [`filtered`](Self::filtered).
    pub fn filtered_among(
        &self,
        predicate: Predicate,
        chosen: Arc<dyn ChosenRows>,
    ) -> Result<Self, FeedError> {
        self.with_level(FilterLevel { predicate: Some(predicate), chosen: Some(chosen) })
    }

    /// Returns the same files, of which only the rows are read that `chosen` chooses. Filters apply to these rows.
    ///
    /// # Errors
    /// The columns form no schema.
    pub fn choosing(&self, chosen: Arc<dyn ChosenRows>) -> Result<Self, FeedError> {
        self.with_level(FilterLevel { predicate: None, chosen: Some(chosen) })
    }

    /// The same files with all rows.
    ///
    /// # Errors
    /// The columns form no schema.
    pub fn unfiltered(&self) -> Result<Self, FeedError> {
        self.rebuilt(self.columns.clone(), Arc::default())
    }

    fn with_level(&self, level: FilterLevel) -> Result<Self, FeedError> {
        self.rebuilt(self.columns.clone(), self.levels.iter().cloned().chain([level]).collect())
    }

    /// The same files with other columns and filters.
    pub(super) fn rebuilt(
        &self,
        columns: Option<Arc<[String]>>,
        levels: Arc<[FilterLevel]>,
    ) -> Result<Self, FeedError> {
        // The columns of the rows before each level, the last one first.
        let mut before = Vec::with_capacity(levels.len() + 1);
        before.push(columns.as_ref().map(|columns| columns.to_vec()));
        for level in levels.iter().rev() {
            let after = before.last().and_then(Option::as_ref);
            before.push(after.map(|columns| match &level.predicate {
                Some(predicate) => with_needed(columns, predicate),
                None => columns.clone(),
            }));
        }
        let (mut format, added) = match before.pop().flatten() {
            Some(columns) => {
                self.projected(&columns).map_err(|error| self.unknown_column(&levels).unwrap_or(error))?
            }
            None => (self.format.clone(), self.added.clone()),
        };
        let is_stored =
            |path: &&str| added.as_ref().is_none_or(|added: &Arc<Added>| added.position(path).is_none());
        let selects = |chosen: &Option<Arc<dyn ChosenRows>>| match chosen {
            Some(chosen) => (0..self.len()).any(|file| chosen.chooses_all(file)),
            None => true,
        };
        if let Some(FilterLevel { predicate: Some(predicate), chosen }) = levels.first()
            && selects(chosen)
            && predicate.columns().iter().all(is_stored)
        {
            format = format.selecting(predicate)?.unwrap_or(format);
        }
        let lists = if format.lists_hold_one_value() { Lists::HoldOneValue } else { Lists::AreValues };
        let mut decoded = schema_of(&format, added.as_ref()).clone();
        let mut filter = None;
        for level in levels.iter() {
            let schema = match before.pop().flatten().as_deref() {
                None => decoded.clone(),
                Some(columns) => {
                    let (format, added) = self.projected(columns)?;
                    schema_of(&format, added.as_ref()).clone()
                }
            };
            filter = Some(Arc::new(Filter::new(level.clone(), (&decoded, lists), filter, schema.clone())?));
            decoded = schema;
        }
        let pruned = match &self.added {
            Some(added) => {
                added.pruned(levels.iter().filter_map(|level| level.predicate.as_ref()))?.map(Arc::from)
            }
            None => None,
        };
        Ok(Self { format, added, columns, levels, filter, pruned, remote: None, ..self.clone() })
    }

    /// The format and the added columns with another projection.
    fn projected(&self, columns: &[String]) -> Result<Decoded, FeedError> {
        let Some(added) = &self.added else { return Ok((self.format.with_columns(columns)?, None)) };
        let (format, added) = added.with_columns(&*self.format, columns)?;
        Ok((format, Some(Arc::new(added))))
    }

    /// The error of a predicate that names a column which the files do not have.
    fn unknown_column(&self, levels: &[FilterLevel]) -> Option<FeedError> {
        let all = self.format.all_columns().ok()?;
        let is_added = |path: &str| self.added.as_ref().is_some_and(|added| added.position(path).is_some());
        let mut paths =
            levels.iter().filter_map(|level| level.predicate.as_ref()).flat_map(Predicate::columns);
        let unknown = paths.find(|path| !is_added(path) && col(*path).find(&all).is_none())?;
        compiled(&col(unknown).is_null(), &all, Lists::AreValues).err()
    }

    /// The predicate of the last filter, if the rows are filtered.
    pub fn predicate(&self) -> Option<&Predicate> {
        self.levels.last()?.predicate.as_ref()
    }

    /// The predicate, if it alone determines which rows are read.
    pub fn only_predicate(&self) -> Option<&Predicate> {
        match &*self.levels {
            [FilterLevel { predicate, chosen: None }] => predicate.as_ref(),
            _ => None,
        }
    }

    /// The rows, if their place alone determines which are read.
    pub fn only_choice(&self) -> Option<&Arc<dyn ChosenRows>> {
        match &*self.levels {
            [FilterLevel { predicate: None, chosen }] => chosen.as_ref(),
            _ => None,
        }
    }

    /// Whether only some rows are read, see [`filtered`](Self::filtered).
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }
}

/// A format, and the columns that are added to its columns.
type Decoded = (Arc<dyn FileFormat>, Option<Arc<Added>>);

/// The columns with those that a predicate needs, as field paths. A path that contains others takes the place of the first.
pub fn with_needed(columns: &[String], predicate: &Predicate) -> Vec<String> {
    let mut all = columns.to_vec();
    for needed in predicate.columns() {
        if all.iter().any(|column| contains(column, needed)) {
            continue;
        }
        let place = all.iter().position(|column| contains(needed, column));
        all.retain(|column| !contains(needed, column));
        all.insert(place.unwrap_or(all.len()), needed.to_owned());
    }
    all
}

/// Whether the column with path `outer` has the one with path `inner`.
fn contains(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
