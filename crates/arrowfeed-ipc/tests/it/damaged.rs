//! Files that are cut or changed are values or errors, in bounded time and memory.

use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrowfeed_ipc::IpcOptions;
use arrowfeed_source::run::{Part, Workers};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, OnError, Report};

use crate::random_run;
use crate::support::{
    KINDS, Kind, all, columns, cut, hide_panics_of_dependencies, ids, open, packed, read, reader, seeds,
    write,
};

/// `make test-long` has ten times as many.
const MUTANTS: u64 = 2000;

/// The time of a mutant on a machine that does nothing else.
const MAX_TIME: Duration = Duration::from_secs(2);

fn limits() -> Limits {
    Limits {
        header_bytes: 1 << 20,
        decoded_block_bytes: 1 << 20,
        batch_bytes: 1 << 20,
        zero_byte_rows: 1 << 16,
        ..Limits::default()
    }
}

/// Reads the bytes in every way. Returns the batches of the readable record batches, or an error.
fn read_damaged(bytes: Vec<u8>) -> Result<(Vec<RecordBatch>, Report), FeedError> {
    let files = open(bytes, IpcOptions { limits: limits(), ..Default::default() })?;
    files.chunks(0, OnError::SkipBlock, &Check::never())?;
    for workers in [Workers::Caller, Workers::Own(2)] {
        let _ = all(&mut reader(&files, Part::whole(0), 64, OnError::Raise, workers));
    }
    if let Some(last) = files.schema().fields().last() {
        let column = arrowfeed_source::field_path::field_path([last.name()]);
        let last = files.with_columns(&[column])?;
        let _ = all(&mut reader(&last, Part::whole(0), 64, OnError::SkipBlock, Workers::Caller));
    }
    let mut skipping = reader(&files, Part::whole(0), 64, OnError::SkipBlock, Workers::Caller);
    let batches = all(&mut skipping)?;
    Ok((batches, skipping.report().clone()))
}

#[test]
fn damaged_files_are_values_or_errors() {
    all_within(30 * MAX_TIME);
}

#[test]
#[ignore = "compares times: make test-alone runs it"]
fn damaged_files_take_little_time() {
    all_within(MAX_TIME);
}

fn all_within(time: Duration) {
    hide_panics_of_dependencies();
    let seeds = seeds();
    let run = random_run::seed();
    let mutants = random_run::number("ARROWFEED_MUTANTS").unwrap_or(MUTANTS);
    let (mut values, mut skipped, mut errors) = (0, 0, 0);
    for number in 0..mutants {
        let mut state = random_run::mixed(run, number) | 1;
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        let mut bytes = seeds[random(seeds.len())].clone();
        let len = bytes.len();
        match number % 5 {
            0 => bytes.truncate(random(len)),
            1 => (0..=random(4)).for_each(|_| bytes[random(len)] = random(256) as u8),
            // Numbers of metadata.
            2 => {
                let at = random(len / 4) * 4;
                let value = [0, 1, -1, i32::MAX, i32::MIN, 1 << 20, len as i32][random(7)];
                bytes[at..(at + 4).min(len)].copy_from_slice(&value.to_le_bytes()[..4.min(len - at)]);
            }
            3 => {
                let at = random(len / 8) * 8;
                let value = [0, 1, -1, i64::MAX, i64::MIN, 1 << 40, len as i64][random(7)];
                bytes[at..(at + 8).min(len)].copy_from_slice(&value.to_le_bytes()[..8.min(len - at)]);
            }
            _ => bytes[random(len)] ^= 1 << random(8),
        }
        let start = Instant::now();
        let found = read_damaged(bytes);
        assert!(start.elapsed() < time, "mutant {number}: {:?}", start.elapsed());
        match found {
            Ok((batches, report)) => {
                values += 1;
                skipped += u64::from(!report.skipped.is_empty());
                for batch in &batches {
                    assert!(batch.get_array_memory_size() <= limits().batch_bytes, "mutant {number}");
                    for column in batch.columns() {
                        column
                            .to_data()
                            .validate_full()
                            .unwrap_or_else(|error| panic!("mutant {number}: {error}"));
                    }
                }
            }
            Err(error) => {
                errors += 1;
                assert_eq!(error.location().path.as_deref(), Some("file"), "mutant {number}: {error}");
                assert_ne!(error.kind(), FeedErrorKind::Internal, "mutant {number}: {error}");
            }
        }
    }
    assert!(
        values > mutants / 10 && skipped > mutants / 50 && errors > mutants / 10,
        "{values} {skipped} {errors}"
    );
}

#[test]
fn a_damaged_record_batch_is_left_out_and_named() {
    for kind in KINDS {
        let mut bytes = write(kind, &cut(&columns(0..1000), 130), packed(None));
        let files = open(bytes.clone(), IpcOptions::default()).unwrap();
        let chunk = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0[2];
        // The last bytes are offsets and text of the last column.
        let middle = (chunk.end as usize - 900)..(chunk.end as usize - 100);
        bytes[middle].fill(0xff);
        let files = open(bytes, IpcOptions::default()).unwrap();
        let error = read(files.clone(), 64, 1, OnError::Raise).1.unwrap();
        assert_eq!(error.kind(), FeedErrorKind::CorruptBlock, "{error}");
        assert_eq!((error.location().block, error.location().offset), (Some(2), Some(chunk.offset)));
        for workers in [Workers::Caller, Workers::Own(2)] {
            let mut reader = reader(&files, Part::whole(0), 64, OnError::SkipBlock, workers);
            let found = ids(&all(&mut reader).unwrap());
            assert_eq!(found, (0..260).chain(390..1000).collect::<Vec<_>>());
            let [skipped] = &reader.report().skipped[..] else { panic!("{:?}", reader.report()) };
            assert_eq!((skipped.block, skipped.rows), (Some(2), Some(130)));
        }
    }
}

#[test]
fn a_stream_may_end_after_any_message_but_not_inside_of_one() {
    let bytes = write(Kind::Stream, &cut(&columns(0..30), 10), packed(None));
    let files = open(bytes.clone(), IpcOptions::default()).unwrap();
    let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
    let ends: Vec<usize> = chunks.iter().map(|chunk| chunk.end as usize).collect();
    for len in 8..bytes.len() {
        let found = open(bytes[..len].to_vec(), IpcOptions::default());
        let rows = ends.iter().filter(|end| **end <= len).count() * 10;
        match found {
            Ok(files) => {
                let is_end = ends.contains(&len) || len < ends[0] && len.is_multiple_of(8);
                assert!(is_end || len == bytes.len() - 4, "{len}");
                assert_eq!(ids(&read(files, 100, 1, OnError::Raise).0).len(), rows);
            }
            Err(error) => assert_eq!(error.kind(), FeedErrorKind::Truncated, "{len}: {error}"),
        }
    }
}

#[test]
fn a_small_file_that_decompresses_to_more_than_the_limit_is_an_error() {
    let zeros: arrow_array::ArrayRef = std::sync::Arc::new(arrow_array::Int64Array::from(vec![0; 1 << 20]));
    let batch = RecordBatch::try_from_iter([("id", zeros)]).unwrap();
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let bytes = write(Kind::File, std::slice::from_ref(&batch), packed(Some(codec)));
        assert!(bytes.len() < 64 << 10);
        let files = open(bytes, IpcOptions { limits: limits(), ..Default::default() });
        let error =
            files.and_then(|files| read(files, 100, 1, OnError::Raise).1.map_or(Ok(()), Err)).unwrap_err();
        assert_eq!(error.limit(), Some("decoded_block_bytes"), "{error}");
    }
}

#[test]
fn a_damaged_record_batch_without_rows_is_not_read() {
    let batches = [columns(0..0), columns(0..3), columns(0..0)].map(|batch| batch.project(&[0]).unwrap());
    let bytes = write(Kind::Stream, &batches, packed(None));
    let clean = open(bytes.clone(), IpcOptions::default()).unwrap();
    let chunks = clean.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
    let mut damaged = 0;
    for chunk in chunks.iter().filter(|chunk| chunk.rows == 0) {
        for at in (chunk.offset as usize + 8..chunk.end as usize - 8).step_by(4) {
            let mut bytes = bytes.clone();
            bytes[at..at + 8].copy_from_slice(&(1_i64 << 40).to_le_bytes());
            let Ok(files) = open(bytes, IpcOptions::default()) else { continue };
            for on_error in [OnError::Raise, OnError::SkipBlock, OnError::SkipFile] {
                let mut reader = reader(&files, Part::whole(0), 64, on_error, Workers::Caller);
                assert_eq!(ids(&all(&mut reader).unwrap()), [0, 1, 2], "{at}");
                assert_eq!(reader.report().skipped.len(), 0, "{at}");
            }
            damaged += 1;
        }
    }
    assert!(damaged > 20, "{damaged}");
}

#[test]
fn rows_that_a_record_batch_cannot_have_are_not_counted() {
    let rows = 77_i64;
    let bytes = write(Kind::Stream, &[columns(0..rows).project(&[0]).unwrap()], packed(None));
    let lengths = (0..bytes.len() - 8).filter(|at| bytes[*at..*at + 8] == rows.to_le_bytes());
    // The rows of the batch, and the slots of its column.
    let lengths: Vec<usize> = lengths.take(2).collect();
    let message = [
        "file: block 0 at byte 128: id: expected 268000000 slots, as many as rows, found 77",
        "file: block 0 at byte 128: id: expected a buffer of 2,144,000,000 bytes or more, found 616",
    ];
    for (changed, message) in [&lengths[..1], &lengths[..]].into_iter().zip(message) {
        let mut bytes = bytes.clone();
        for at in changed {
            bytes[*at..*at + 8].copy_from_slice(&268_000_000_i64.to_le_bytes());
        }
        let files = open(bytes, IpcOptions::default()).unwrap();
        let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
        assert!(chunks[0].rows < 10_000, "{}", chunks[0].rows);
        assert_eq!(read(files, 100, 1, OnError::Raise).1.unwrap().to_string(), message);
    }
}
