//! Tests of the rows that are read, of their batches, and of the memory that they share with the file.

use std::io::Write;

use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, cast::AsArray};
use arrow_ipc::writer::IpcWriteOptions;
use arrow_ipc::{CompressionType, MetadataVersion};
use arrow_schema::Schema;
use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{Part, Workers};
use arrowfeed_source::{Check, Limits, OnError};

use crate::support::{KINDS, Kind, all, columns, cut, ids, open, packed, read, reader, whole, words, write};

const ROWS: i64 = 1000;

fn file(kind: Kind) -> Vec<u8> {
    write(kind, &cut(&columns(0..ROWS), 130), IpcWriteOptions::default())
}

#[test]
fn rows_are_those_that_were_written_in_batches_of_the_size_asked_for() {
    let expected = columns(0..ROWS);
    let codecs = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    for (kind, codec) in KINDS.into_iter().flat_map(|kind| codecs.map(|codec| (kind, codec))) {
        let files = open(write(kind, &cut(&expected, 130), packed(codec)), IpcOptions::default()).unwrap();
        for (batch_size, workers) in
            [(1, Workers::Caller), (7, Workers::Own(2)), (130, Workers::Own(3)), (5000, Workers::Caller)]
        {
            let mut reader = reader(&files, Part::whole(0), batch_size, OnError::Raise, workers);
            let batches = all(&mut reader).unwrap();
            assert_eq!(reader.report().blocks, 8);
            let mut rows = 0;
            for batch in &batches {
                let n = batch.num_rows();
                for name in ["id", "list", "both"] {
                    assert_eq!(&batch[name], &expected[name].slice(rows, n));
                }
                let of_row = |row: usize| format!("word {}", (rows + row) % 11);
                assert_eq!(words(batch, "word"), (0..n).map(of_row).collect::<Vec<_>>());
                rows += n;
                assert!(rows % batch_size == 0 || rows % 130 == 0 || rows == ROWS as usize, "{rows}");
            }
            assert_eq!(rows, ROWS as usize);
        }
    }
}

#[test]
fn a_part_has_its_rows_and_no_others() {
    for kind in KINDS {
        let files = open(file(kind), IpcOptions::default()).unwrap();
        let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
        let rows: Vec<u64> = chunks.iter().map(|chunk| chunk.rows).collect();
        assert_eq!(rows, [130, 130, 130, 130, 130, 130, 130, 90]);
        assert!(chunks.windows(2).all(|pair| pair[0].end == pair[1].offset));
        for (first, dropped, kept) in [(0, 0, 1), (1, 129, 3), (3, 5, 400), (7, 89, 10), (7, 90, 10)] {
            let part = Part::after(0, first as u64, chunks[first].offset, dropped).with_kept(kept);
            let batches = all(&mut reader(&files, part, 50, OnError::Raise, Workers::Own(2))).unwrap();
            let start = 130 * first as i64 + dropped as i64;
            assert_eq!(ids(&batches), (start..ROWS.min(start + kept as i64)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn columns_come_in_the_order_asked_for() {
    for (kind, codec) in
        KINDS.map(|kind| (kind, None)).into_iter().chain([(Kind::File, Some(CompressionType::ZSTD))])
    {
        let columns = Some(["both.text", "id"].map(str::to_owned).to_vec());
        let bytes = write(kind, &cut(&self::columns(0..ROWS), 130), packed(codec));
        let files = open(bytes, IpcOptions { columns, ..Default::default() }).unwrap();
        let expected = self::columns(0..ROWS).project(&[3, 0]).unwrap();
        assert_eq!(whole(files.clone(), 300, 2).unwrap(), expected);
        let none = files.with_columns(&[]).unwrap();
        assert_eq!(
            read(none, 300, 1, OnError::Raise).0.iter().map(RecordBatch::num_rows).sum::<usize>(),
            1000
        );
        let error = files.with_columns(&["id.x".to_owned()]).unwrap_err().to_string();
        assert_eq!(error, "file: id.x: expected a path to a field of the column \"id\", found none");
    }
}

/// Where the values of the column `id`, and those of the field of the same name, are.
fn addresses(batch: &RecordBatch) -> [usize; 2] {
    let of = |ids: &dyn Array| ids.as_primitive::<Int64Type>().values().as_ptr().addr();
    [of(&batch["id"]), of(batch["both"].as_struct().column(0))]
}

#[test]
fn arrays_share_the_memory_of_the_file_or_of_one_read() {
    for kind in KINDS {
        let bytes = file(kind);
        let range = bytes.as_ptr_range();
        let range = range.start.addr()..range.end.addr();
        let files = open(bytes, IpcOptions::default()).unwrap();
        let (batches, _) = read(files, 130, 1, OnError::Raise);
        assert_eq!(batches.len(), 8);
        for batch in &batches {
            assert!(addresses(batch).iter().all(|address| range.contains(address)), "{kind:?}");
        }
        // A file on disk is read into one buffer for each record batch.
        let mut stored = tempfile::NamedTempFile::new().unwrap();
        stored.write_all(&file(kind)).unwrap();
        let files = IpcFormat::files([stored.path()], IpcOptions::default(), None).unwrap();
        let body = 20 << 10;
        for batch in read(files, 130, 1, OnError::Raise).0 {
            let [first, second] = addresses(&batch);
            assert_eq!((first % 64, second % 8), (0, 0));
            assert!(first < second && second < first + body);
            // The memory of a batch is counted once.
            assert!(batch.get_array_memory_size() < body, "{}", batch.get_array_memory_size());
        }
    }
}

#[test]
fn bytes_at_any_address_are_read() {
    let expected = columns(0..ROWS);
    for kind in KINDS {
        let bytes = file(kind);
        for shift in 0..8 {
            let moved = [vec![0; shift], bytes.clone()].concat();
            let buffer = arrow_buffer::Buffer::from_vec(moved).slice(shift);
            let source = FileSource::bytes(buffer).with_name("file");
            let files = IpcFormat::files([source], IpcOptions::default(), None).unwrap();
            assert_eq!(whole(files, 130, 1).unwrap(), expected, "{kind:?} {shift}");
        }
    }
}

#[test]
fn versions_alignments_and_old_streams_are_read() {
    let expected = columns(0..ROWS);
    for kind in KINDS {
        for (alignment, is_old, version) in [
            (8, false, MetadataVersion::V5),
            (16, false, MetadataVersion::V5),
            (64, false, MetadataVersion::V4),
            (8, true, MetadataVersion::V4),
        ] {
            let options = IpcWriteOptions::try_new(alignment, is_old, version).unwrap();
            let bytes = write(kind, &cut(&expected, 130), options);
            let files = open(bytes, IpcOptions::default()).unwrap();
            assert_eq!(whole(files, 200, 2).unwrap(), expected, "{kind:?} {alignment} {is_old} {version:?}");
        }
    }
}

#[test]
fn the_schema_keeps_its_metadata() {
    let batch = columns(0..3);
    let metadata = [("info".to_owned(), "datasets".to_owned())].into();
    let fields: Vec<_> = batch
        .schema()
        .fields()
        .iter()
        .map(|field| {
            let of_field = [("ARROW:extension:name".to_owned(), "own".to_owned())].into();
            field.as_ref().clone().with_metadata(of_field)
        })
        .collect();
    let batch = batch.with_schema(Schema::new_with_metadata(fields, metadata).into());
    // The metadata of a field may only be added.
    let batch = batch.unwrap_or_else(|error| panic!("{error}"));
    for kind in KINDS {
        let files =
            open(write(kind, std::slice::from_ref(&batch), packed(None)), IpcOptions::default()).unwrap();
        assert_eq!(*files.schema(), batch.schema());
        assert_eq!(whole(files, 10, 1).unwrap(), batch);
    }
}

#[test]
fn record_batches_without_rows_are_counted() {
    let batches = [0..5, 0..0, 5..9].map(|rows| columns(rows).project(&[0, 2]).unwrap());
    for kind in KINDS {
        let files = open(write(kind, &batches, packed(None)), IpcOptions::default()).unwrap();
        let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
        assert_eq!(chunks.iter().map(|chunk| chunk.rows).collect::<Vec<_>>(), [5, 0, 4]);
        for on_error in [OnError::Raise, OnError::SkipBlock] {
            let (batches, error) = read(files.clone(), 3, 2, on_error);
            assert!(error.is_none());
            assert_eq!(ids(&batches), (0..9).collect::<Vec<_>>());
        }
    }
}

/// A record batch that takes more than `batch_bytes` is returned in smaller batches, whose memory is their own.
#[test]
fn batches_end_early_at_the_limit() {
    let limits = Limits { batch_bytes: 4 << 10, ..Limits::default() };
    let bytes = write(Kind::Stream, &[columns(0..ROWS)], packed(None));
    let columns = Some(vec!["id".to_owned(), "both".to_owned()]);
    let files = open(bytes, IpcOptions { columns, limits, ..Default::default() }).unwrap();
    let (batches, error) = read(files, 1000, 2, OnError::Raise);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(ids(&batches), (0..ROWS).collect::<Vec<_>>());
    assert!(batches.iter().all(|batch| batch.get_array_memory_size() <= 4 << 10));
}
