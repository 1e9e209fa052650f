//! Tests of the streams and writers of asynchronous programs: they give what those of blocking programs give.

use std::future::Future;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrowfeed::asynchronous::{self, AsyncAvroWriter};
use arrowfeed::avro::{AvroFormat, AvroOptions, AvroWriter, WriteOptions};
use arrowfeed::predicate::Predicate;
use arrowfeed::source::Interrupt;
use arrowfeed::source::run::ReadOptions;
use arrowfeed::tensor::{Dense, Representation, Tensors};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions, TensorDefinitions};
use futures_executor::block_on;
use proptest::prelude::*;

use crate::files::{Directory, all, dataset, formats, numbers, write, write_as};
use crate::objects::slow_source;

proptest! {
    #![proptest_config(crate::random_config::config(10))]

    #[test]
    fn a_stream_of_a_dataset_has_the_batches_of_its_iterator(
        format in formats(),
        rows in proptest::collection::vec(0_usize..80, 1..5),
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30)],
        shard in prop_oneof![Just((0_u64, 1_u64)), Just((1, 3))],
        threads in 1_usize..3,
        resumes_after in 0_usize..4,
    ) {
        let directory = Directory::new();
        let dataset = dataset(&write_as(format, &directory, &rows, 300));
        let options = IterationOptions {
            batch_size, shuffle_buffer_size, shard, seed: Some(5), epochs: NonZeroU64::new(2),
            threads: NonZeroUsize::new(threads), ..Default::default()
        };
        let whole = all(&dataset, &options);
        let (mut stream, mut found, mut state) =
            (dataset.record_batch_stream(options.clone()).unwrap(), Vec::new(), String::new());
        loop {
            if found.len() == resumes_after {
                state = stream.iterator().unwrap().state().unwrap();
            }
            let Some(batch) = block_on(stream.next()) else { break };
            found.push(numbers(&batch.unwrap()));
        }
        prop_assert_eq!(&found, &whole);
        prop_assert!(block_on(stream.next()).is_none());
        if whole.len() >= resumes_after {
            let mut resumed = dataset.record_batch_stream(options).unwrap();
            resumed.iterator().unwrap().load_state(&state).unwrap();
            let mut rest = Vec::new();
            while let Some(batch) = block_on(resumed.next()) {
                rest.push(numbers(&batch.unwrap()));
            }
            prop_assert_eq!(&rest, &whole[resumes_after..]);
        }
    }
}

#[test]
fn the_tensors_of_a_stream_are_those_of_the_iterator() {
    let directory = Directory::new();
    let paths = write(&directory, &[20, 7], 300);
    let id = Dense { column: "id".into(), ..Default::default() };
    let tensors = TensorDefinitions::Representations(vec![("id".into(), Representation::Dense(id))]);
    let files = AvroFormat::files(paths, AvroOptions::default(), None).unwrap();
    let dataset =
        Dataset::open(files, DatasetOptions { tensors: Some(tensors), ..Default::default() }).unwrap();
    let options = IterationOptions { batch_size: 10, ..Default::default() };
    let expected: Vec<Tensors> = dataset.tensors(options.clone()).unwrap().map(Result::unwrap).collect();
    let mut stream = dataset.tensor_stream(options).unwrap();
    for expected in expected {
        assert_eq!(format!("{:?}", block_on(stream.next()).unwrap().unwrap()), format!("{expected:?}"));
    }
    assert!(block_on(stream.next()).is_none());
}

#[test]
fn a_stream_of_filtered_rows_has_the_batches_of_its_reader() {
    let directory = Directory::new();
    let paths = write(&directory, &[500, 0, 700], 300);
    let reader = || {
        let files = AvroFormat::files(arrowfeed::resolve(&paths)?, AvroOptions::default(), None)?;
        let filter = Some(Predicate::parse("id > 20").expect("a predicate"));
        files.read_files(ReadOptions { batch_size: Some(64), filter, ..Default::default() })
    };
    let expected: Vec<Vec<i64>> = reader().unwrap().map(|batch| numbers(&batch.unwrap())).collect();
    let mut stream = reader().unwrap().into_stream().unwrap();
    let mut found = Vec::new();
    while let Some(batch) = block_on(stream.next()) {
        found.push(numbers(&batch.unwrap()));
    }
    assert_eq!(found, expected);
}

#[test]
fn a_dropped_future_loses_no_batch_of_a_dataset() {
    let directory = Directory::new();
    let dataset = dataset(&write(&directory, &[20], 300));
    // No batch is made before the poll has ended.
    let may_go_on = Arc::new(AtomicBool::new(true));
    let polled = may_go_on.clone();
    let waits: Interrupt = Arc::new(move || {
        while !polled.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    });
    let options = IterationOptions { batch_size: 10, interrupt: Some(waits), ..Default::default() };
    let whole = all(&dataset, &options);
    may_go_on.store(false, Ordering::SeqCst);
    let mut stream = dataset.record_batch_stream(options).unwrap();
    assert!(pin!(stream.next()).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    may_go_on.store(true, Ordering::SeqCst);
    let message = "expected no batch in flight, found one that the stream has not returned yet";
    assert_eq!(stream.iterator().unwrap_err().to_string(), message);
    let mut found = Vec::new();
    while let Some(batch) = block_on(stream.next()) {
        found.push(numbers(&batch.unwrap()));
    }
    assert_eq!(found, whole);
}

#[test]
fn a_stream_of_objects_is_dropped_while_it_waits() {
    let directory = Directory::new();
    let paths = write(&directory, &[500], 300);
    let path = paths[0].clone();
    let open = move || {
        let source = slow_source(&path, Duration::from_millis(5));
        AvroFormat::read([source], AvroOptions::default(), ReadOptions::default())
    };
    for polls in 0..3 {
        let mut stream = block_on(asynchronous::open(open.clone())).unwrap();
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            // The batch takes longer, unless other work holds this thread up.
            let _ = pin!(stream.next()).poll(&mut context);
        }
    }
    let mut stream = block_on(asynchronous::open(open)).unwrap();
    let mut rows = 0;
    while let Some(batch) = block_on(stream.next()) {
        rows += batch.unwrap().num_rows();
    }
    assert_eq!(rows, 500);
}

/// All batches of files.
fn read(paths: impl IntoIterator<Item = PathBuf>) -> Vec<RecordBatch> {
    let reader = AvroFormat::read(paths, AvroOptions::default(), ReadOptions::default()).unwrap();
    reader.map(Result::unwrap).collect()
}

#[test]
fn the_file_of_an_asynchronous_writer_is_that_of_the_blocking_one() {
    let directory = Directory::new();
    let source = write(&directory, &[500], 300);
    let reading = ReadOptions { batch_size: Some(50), ..Default::default() };
    let reader = AvroFormat::read(source, AvroOptions::default(), reading).unwrap();
    let batches: Vec<_> = reader.map(Result::unwrap).collect();
    let created = |name: &str| {
        let path = directory.0.join(name);
        (AvroWriter::create(&path, batches[0].schema(), WriteOptions::default()).unwrap(), path)
    };
    let (mut blocking, first) = created("blocking.avro");
    for batch in &batches {
        blocking.write(batch).unwrap();
    }
    let expected = blocking.finish().unwrap();

    let (writer, second) = created("asynchronous.avro");
    let mut writer = AsyncAvroWriter::new(writer);
    for (number, batch) in batches.iter().enumerate() {
        let mut write = pin!(writer.write(batch.clone()));
        if number % 4 > 1 {
            // The batch is written although the future is dropped, perhaps while an earlier one is being written.
            let _ = write.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            continue;
        }
        block_on(write).unwrap();
    }
    assert!(!second.exists());
    assert_eq!(block_on(writer.finish()).unwrap().rows, expected.rows);
    assert_eq!(read([second]), read([first]));

    let (writer, third) = created("dropped.avro");
    let mut writer = AsyncAvroWriter::new(writer);
    block_on(writer.write(batches[0].clone())).unwrap();
    drop(writer);
    assert!(!third.exists());
}

#[test]
fn a_batch_that_does_not_fit_is_an_error_of_its_write() {
    let directory = Directory::new();
    let batches = read(write(&directory, &[5], 300));
    let other = batches[0].project(&[]).unwrap();
    let path = directory.0.join("new.avro");
    let writer = AvroWriter::create(&path, batches[0].schema(), WriteOptions::default()).unwrap();
    let expected = {
        let path = directory.0.join("blocking.avro");
        let mut writer = AvroWriter::create(path, batches[0].schema(), WriteOptions::default()).unwrap();
        writer.write(&other).unwrap_err().to_string()
    };
    let mut writer = AsyncAvroWriter::new(writer);
    let error = block_on(writer.write(other)).unwrap_err().to_string();
    assert_eq!(error.replace("new.avro", "blocking.avro"), expected);
}
