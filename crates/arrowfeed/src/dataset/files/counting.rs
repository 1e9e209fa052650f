//! The numbers of rows that pass a filter, of each chunk.

use std::sync::Arc;

use arrowfeed_source::format::Chunk;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Workers};
use arrowfeed_source::{Check, FeedError, Requests};

use super::chosen_rows::stretches;
use super::chunk_index::ChunkIndex;
use super::row_errors::other_chunk;
use crate::dataset::options::IterationOptions;

/// Counts the rows of each chunk of `index` that pass the filter of `files`. Also returns the counts of the requests to stores.
///
/// # Errors
/// A file cannot be read, or differs from the index.
pub(crate) fn counted(
    index: &ChunkIndex,
    files: &FileSet,
    options: &IterationOptions,
) -> Result<(ChunkIndex, Requests), FeedError> {
    let zeros = |file: usize| vec![0; index.chunks(file).len()];
    if let Some(chosen) = files.only_choice() {
        let check = Check::of(options.interrupt.as_ref());
        let rows = |file: usize, chunk: &Chunk| {
            if chosen.chooses_all(file) {
                return Ok(chunk.rows);
            }
            let chosen = chosen.choose(file, chunk.offset, 0..chunk.rows, &check)?;
            Ok(chosen.count_set_bits() as u64)
        };
        let counts =
            (0..index.files()).map(|file| index.chunks(file).iter().map(|chunk| rows(file, chunk)).collect());
        let counts: Vec<Vec<u64>> = counts.collect::<Result<_, FeedError>>()?;
        return Ok((index.with_counts(files, &counts, Vec::new()), Requests::default()));
    }
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
    let is_read = |file: &usize| !files.is_pruned(*file) && !index.chunks(*file).is_empty();
    let parts: Vec<Part> = (0..files.len()).filter(is_read).map(Part::whole).collect();
    let mut reader = PartReader::new(files.clone(), parts, options)?;
    let mut counts: Vec<Vec<u64>> = (0..index.files()).map(zeros).collect();
    for piece in &mut reader {
        let piece = piece?;
        for (origin, rows) in stretches(&piece) {
            let nth_chunk = index.nth_chunk(piece.file, origin.offset);
            let nth_chunk = nth_chunk.ok_or_else(|| other_chunk(origin).in_file(files.name(piece.file)))?;
            counts[piece.file][nth_chunk] += rows.len() as u64;
        }
    }
    let report = reader.take_report();
    Ok((index.with_counts(&files, &counts, report.skipped), report.requests))
}
