//! The rows of the batches of an iteration, and the batches of rows, without their values.
//!
//! Iterates over the same rows, but reads only the names of their files and their numbers.

use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use arrowfeed_source::run::FileSet;
use arrowfeed_source::{FeedError, FeedErrorKind, quoted, thousands};

use super::batches::BatchIterator;
use super::length::row_lengths::LengthColumn;
use super::options::IterationOptions;
use super::sources::Sources;
use crate::error::DatasetError;

/// See [`Dataset::rows_of`](crate::Dataset::rows_of). `traced`: the batches of the iteration, of [`sources`].
pub(crate) fn rows_of(batches: &[u64], mut traced: BatchIterator) -> Result<RecordBatch, DatasetError> {
    let wanted: BTreeSet<u64> = batches.iter().copied().collect();
    let (mut numbers, mut files, mut rows) =
        (Vec::new(), StringDictionaryBuilder::<Int32Type>::new(), Vec::new());
    let last = wanted.last().copied();
    for number in 0..last.map_or(0, |last| last.saturating_add(1)) {
        let Some(batch) = traced.next().transpose()? else {
            let last = thousands(last.unwrap_or_default());
            let message = match number {
                0 => format!("batches: expected no numbers, because there is no batch, found {last}"),
                count => format!(
                    "batches: expected numbers below {}, the number of batches, found {last}",
                    thousands(count)
                ),
            };
            return Err(refused(message).into());
        };
        if wanted.contains(&number) {
            let (names, of_batch) = columns(&batch);
            numbers.extend(std::iter::repeat_n(number as i64, of_batch.len()));
            files.extend(names);
            rows.extend_from_slice(of_batch);
        }
    }
    let files: ArrayRef = Arc::new(files.finish());
    let columns = [("batch", integers(numbers)), ("file", files), ("row", integers(rows))];
    RecordBatch::try_from_iter(columns).map_err(defect)
}

/// The epochs of [`batches_of`].
///
/// # Errors
/// As [`Dataset::batches_of`](crate::Dataset::batches_of).
pub(crate) fn epochs_of(
    sources: &Sources,
    file: &str,
    options: &IterationOptions,
) -> Result<Range<u64>, FeedError> {
    let is_known = |files: &FileSet| (0..files.len()).any(|number| files.name(number) == file);
    if !sources.datasets.iter().any(|dataset| is_known(&dataset.files.files)) {
        let message = format!("file: expected the name of a file of the dataset, found {}", quoted(file));
        return Err(refused(message));
    }
    if options.across_epochs {
        let message = "across_epochs: expected batches of one epoch each, found batches across epochs";
        return Err(refused(message.to_owned()));
    }
    let Some(end) = options.end_epoch() else {
        return Err(refused("epochs: expected a number of epochs, found none".to_owned()));
    };
    if i64::try_from(end).is_err() {
        let message =
            format!("start_epoch: expected epochs up to {}, found later ones", thousands(i64::MAX as u64));
        return Err(refused(message));
    }
    let going_on = match takes_turns(options) {
        true => Some("batches that shards take in turn"),
        false => sources.is_mixed().then_some("a mixture"),
    };
    if let (Some(what), epochs @ 2..) = (going_on, end - options.start_epoch) {
        let found = thousands(epochs);
        let message = format!(
            "epochs: expected 1 for {what}, whose batches go on from one epoch to the next, found {found}: use rows_of"
        );
        return Err(refused(message));
    }
    Ok(options.start_epoch..end)
}

/// See [`Dataset::batches_of`](crate::Dataset::batches_of). `iterate` returns the batches of an iteration over [`sources`].
pub(crate) fn batches_of(
    file: &str,
    rows: &[u64],
    options: &IterationOptions,
    searched: Range<u64>,
    iterate: impl Fn(IterationOptions) -> Result<BatchIterator, DatasetError>,
) -> Result<RecordBatch, DatasetError> {
    let wanted: HashSet<i64> = rows.iter().filter_map(|row| i64::try_from(*row).ok()).collect();
    let (mut epochs, mut batches, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for epoch in searched {
        let options =
            IterationOptions { start_epoch: epoch, epochs: Some(NonZeroU64::MIN), ..options.clone() };
        let mut has_batches = false;
        for (number, batch) in iterate(options)?.enumerate() {
            let batch = batch?;
            has_batches = true;
            let (names, of_batch) = columns(&batch);
            let found = of_batch.iter().enumerate().filter(|(_, row)| wanted.contains(row));
            for (_, row) in found.filter(|(at, _)| names.value(*at) == file) {
                epochs.push(epoch as i64);
                batches.push(number as i64);
                rows.push(*row);
            }
        }
        if !has_batches {
            // No later epoch has some either.
            break;
        }
    }
    let columns = [("epoch", epochs), ("batch", batches), ("row", rows)];
    let columns = columns.map(|(name, numbers)| (name, integers(numbers)));
    RecordBatch::try_from_iter(columns).map_err(defect)
}

/// The same rows in the order of an iteration, with the name of the file and the number of the row as the last two columns.
pub(crate) fn sources(sources: &Sources, options: &IterationOptions) -> Result<Sources, FeedError> {
    options.check()?;
    let shares_seed = options.global.is_some() || takes_turns(options);
    if options.seed.is_none() && (options.shuffles() || sources.is_mixed() && !shares_seed) {
        let message = "seed: expected the seed of the order, which is random without one, found none";
        return Err(refused(message.to_owned()));
    }
    let kept: Vec<String> = options.by_length.iter().map(|batches| batches.column.clone()).collect();
    for dataset in &sources.datasets {
        if let Some(column) = kept.first() {
            // Only columns that the dataset reads have lengths.
            LengthColumn::find(column, dataset.schema())?;
        }
        let in_files = dataset.in_file_rows(options.clone());
        if dataset.files.needs_index(&in_files) {
            // The files of this dataset keep the index.
            dataset.files.index(&in_files)?;
        }
    }
    let [file, row] = &unused_names(sources)?;
    sources.traced([file, row], &kept)
}

/// Names of two columns that no column of the files has.
fn unused_names(sources: &Sources) -> Result<[String; 2], FeedError> {
    let mut taken = HashSet::new();
    for dataset in &sources.datasets {
        taken.extend(dataset.files.files.column_names()?);
    }
    Ok(["file", "row"].map(|name| {
        let mut name = name.to_owned();
        while taken.contains(&name) {
            name.insert(0, '_');
        }
        name
    }))
}

/// Whether batches by length are divided among the shards, and go on from one epoch to the next.
fn takes_turns(options: &IterationOptions) -> bool {
    options.by_length.as_ref().is_some_and(|batches| batches.takes_turns)
}

/// The names of the files and the numbers of the rows of a batch.
fn columns(batch: &RecordBatch) -> (&StringArray, &[i64]) {
    let (files, rows) = (batch.num_columns() - 2, batch.num_columns() - 1);
    (batch.column(files).as_string::<i32>(), batch.column(rows).as_primitive::<Int64Type>().values())
}

fn integers(numbers: Vec<i64>) -> ArrayRef {
    Arc::new(Int64Array::from(numbers))
}

fn defect(error: ArrowError) -> DatasetError {
    FeedError::defect(error.to_string()).into()
}

fn refused(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}
