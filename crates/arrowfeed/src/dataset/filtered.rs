//! Files of which only the rows that pass a predicate are read.
//!
//! An epoch in file order filters while it reads. A shuffle, a shard, global batches, rows by number and the number of rows
//! need the number of passing rows of each chunk, which a reading of the predicate's columns counts once.

use std::sync::Arc;

use arrowfeed_predicate::Predicate;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Requests};

use super::chosen_rows::stretches;
use super::chunk_index::ChunkIndex;
use super::dataset::{Content, Dataset};
use super::indexed::Indexed;
use super::mixed::Mixed;
use super::options::{ALL_ROWS, IterationOptions};
use super::row_errors::other_chunk;
use super::selected_files::SelectedFiles;
use crate::error::DatasetError;

impl Dataset {
    /// Returns a dataset of the rows for which `predicate` is true. Its columns need not be among those that are read. The
    /// rows of a filtered dataset must pass both predicates. Each dataset of a [`mixed`](Self::mixed) one is filtered.
    ///
    /// An iteration in file order filters while it reads. The first shuffle, shard, global batch or number of rows first reads
    /// the columns of the predicate of all files, to count the rows that pass.
    ///
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::predicate::col;
    /// use arrowfeed::{AvroFormat, AvroOptions, Dataset, DatasetOptions};
    ///
    /// let files = AvroFormat::files([path], AvroOptions::default(), None)?;
    /// let dataset = Dataset::open(files, DatasetOptions::default())?;
    /// let (few, none) = (dataset.filter(&col("id").lt(2))?, dataset.filter(&"id > 1000".parse()?)?);
    /// assert_eq!(few.num_rows()?, 2);
    /// assert_eq!(none.num_rows()?, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The predicate names a column that does not exist, or compares one with a value of another type; the dataset is one
    /// after [`take`](Self::take), [`skip`](Self::skip) or [`split`](Self::split).
    pub fn filter(&self, predicate: &Predicate) -> Result<Self, DatasetError> {
        let content = match &self.content {
            Content::Files(files) if self.rows == ALL_ROWS => {
                Content::Files(Arc::new(filtered(files, predicate)?))
            }
            Content::Files(_) => return Err(after_selection().into()),
            Content::Mixed(mixed) => {
                let datasets = mixed.datasets.iter().map(|dataset| match dataset.rows == ALL_ROWS {
                    true => {
                        let files = Arc::new(filtered(&dataset.files, predicate)?);
                        Ok(SelectedFiles { files, rows: ALL_ROWS })
                    }
                    false => Err(after_selection()),
                });
                let datasets = datasets.collect::<Result<Vec<_>, _>>()?;
                let datasets = datasets.into_iter().map(|dataset| Ok((dataset, &self.definitions)));
                Content::Mixed(Arc::new(Mixed::new(datasets, mixed.weights.clone())?))
            }
        };
        let all = match &self.predicate {
            Some(before) => before.clone() & predicate.clone(),
            None => predicate.clone(),
        };
        Ok(Self { content, predicate: Some(all), ..self.clone() })
    }

    /// The predicate of [`filter`](Self::filter). `None`: the dataset is not filtered. A mixed dataset does not have the
    /// predicates of the datasets that are mixed.
    pub fn predicate(&self) -> Option<&Predicate> {
        self.predicate.as_ref()
    }
}

/// The same files, of which only the rows that pass are read.
fn filtered(files: &Arc<Indexed>, predicate: &Predicate) -> Result<Indexed, FeedError> {
    match files.splits.is_empty() {
        true => Ok(Indexed::filtered(files, files.files.filtered(predicate.clone())?)),
        false => Err(after_selection()),
    }
}

#[cold]
fn after_selection() -> FeedError {
    let message = "filter: expected a dataset of all rows, found one after take, skip or split: filter the dataset before";
    FeedError::new(FeedErrorKind::Options, message)
}

/// Counts the rows of each chunk of `index` that pass the filter of `files`. Also returns the counts of the requests to stores.
///
/// # Errors
/// A file cannot be read, or differs from the index.
pub(super) fn counted(
    index: &ChunkIndex,
    files: &FileSet,
    options: &IterationOptions,
) -> Result<(ChunkIndex, Requests), FeedError> {
    let files = Arc::new(files.with_columns(&[])?).for_reading();
    let by_caller = files.format().is_decoded_by_caller();
    let options = PartOptions {
        batch_size: None,
        boundaries: BatchBoundaries::PerPart,
        on_error: options.on_error,
        workers: if by_caller { Workers::Caller } else { Workers::Own(options.thread_count()) },
        prefetch_bytes: options.prefetch_bytes,
        interrupt: options.interrupt.clone(),
        claim: None,
    };
    // Files without chunks may be unreadable.
    let parts: Vec<Part> =
        (0..files.len()).filter(|file| !index.chunks(*file).is_empty()).map(Part::whole).collect();
    let mut reader = PartReader::new(files.clone(), parts, options)?;
    let mut counts: Vec<Vec<u64>> =
        (0..index.files()).map(|file| vec![0; index.chunks(file).len()]).collect();
    for piece in &mut reader {
        let piece = piece?;
        for (origin, rows) in stretches(&piece) {
            let nth_chunk = index.nth_chunk(piece.file, origin.offset);
            let nth_chunk = nth_chunk.ok_or_else(|| other_chunk(origin).in_file(files.name(piece.file)))?;
            counts[piece.file][nth_chunk] += rows.len() as u64;
        }
    }
    let report = reader.take_report();
    Ok((index.with_counts(&counts, report.skipped), report.requests))
}
