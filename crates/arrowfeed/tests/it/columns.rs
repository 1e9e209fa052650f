//! Columns that are read from files for tensors.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::builder::{Int64Builder, MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{Field, Schema};
use arrowfeed::avro::{AvroFormat, AvroOptions, ColumnEncoding, FileSource, WriteOptions, write_avro};
use arrowfeed::{Dataset, DatasetOptions, IterationOptions};

use crate::files::{Directory, write};

fn a_map() -> RecordBatch {
    let names = MapFieldNames { entry: "entries".into(), key: "key".into(), value: "value".into() };
    let mut map = MapBuilder::new(Some(names), StringBuilder::new(), Int64Builder::new());
    for row in 0..4 {
        map.keys().append_value("a");
        map.values().append_value(row);
        map.append(true).unwrap();
    }
    RecordBatch::try_from_iter([("counts", Arc::new(map.finish()) as ArrayRef)]).unwrap()
}

#[test]
fn the_entries_of_a_map_are_read_together() {
    let directory = Directory::new();
    let path = directory.0.join("map.avro");
    let batch = a_map();
    let schema = batch.schema();
    write_avro(RecordBatchIterator::new([Ok(batch)], schema), &path, &WriteOptions::default()).unwrap();
    for encoding in [ColumnEncoding::Native, ColumnEncoding::Feature, ColumnEncoding::Tfx] {
        let options = AvroOptions { encoding, ..Default::default() };
        let files = AvroFormat::files([&path], options, None).unwrap();
        let dataset = Dataset::open(files, DatasetOptions::default()).unwrap();
        assert_eq!(dataset.tensor_definitions().names(), ["counts.key", "counts.value"]);
        for names in [&["counts.key", "counts.value"][..], &["counts.value"]] {
            let dataset = dataset.project(names).unwrap();
            let [tensors] = &dataset.tensors(IterationOptions::default()).unwrap().collect::<Vec<_>>()[..]
            else {
                panic!("expected one batch")
            };
            let tensors = tensors.as_ref().unwrap();
            assert!(tensors.iter().map(|(name, _)| name.as_str()).eq(names.iter().copied()));
        }
    }
}

/// Counts how often its first bytes are read, which happens each time that it is opened.
struct Counted {
    bytes: Cursor<Vec<u8>>,
    headers: Arc<AtomicUsize>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.bytes.position() == 0 {
            self.headers.fetch_add(1, Ordering::Relaxed);
        }
        self.bytes.read(into)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.bytes.seek(to)
    }
}

#[test]
fn the_first_file_is_opened_once_for_its_schema_and_its_columns() {
    let directory = Directory::new();
    let bytes = std::fs::read(&write(&directory, &[10], 100)[0]).unwrap();
    let headers = Arc::new(AtomicUsize::new(0));
    let file = Counted { bytes: Cursor::new(bytes), headers: headers.clone() };
    let files =
        AvroFormat::files([FileSource::seekable("file", file)], AvroOptions::default(), None).unwrap();
    let dataset = Dataset::open(files, DatasetOptions::default()).unwrap();
    let projected = dataset.project(&["id"]).unwrap();
    assert_eq!(projected.arrow_schema().fields().len(), 1);
    assert_eq!(headers.load(Ordering::Relaxed), 1);
    let rows = projected.record_batches(IterationOptions::default()).unwrap();
    assert_eq!(rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 10);
}

#[test]
fn enums_keep_the_dictionary_that_all_batches_share() {
    let directory = Directory::new();
    let symbols: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let paths: Vec<_> = (0..2).map(|part| directory.0.join(format!("{part}.avro"))).collect();
    for path in &paths {
        let keys = Int32Array::from_iter_values((0..30).map(|row| row % 3));
        let column: ArrayRef = Arc::new(DictionaryArray::new(keys, symbols.clone()));
        let metadata = [("avro.enum.symbols".to_owned(), r#"["a","b","c"]"#.to_owned())];
        let field = Field::new("x", column.data_type().clone(), false).with_metadata(metadata.into());
        let schema = Arc::new(Schema::new(vec![field]));
        let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
        let options = WriteOptions { block_bytes: 8, ..Default::default() };
        write_avro(RecordBatchIterator::new([Ok(batch)], schema), path, &options).unwrap();
    }
    let files = AvroFormat::files(&paths, AvroOptions::default(), None).unwrap();
    let dataset = Dataset::open(files, DatasetOptions::default()).unwrap();
    for shuffle_buffer_size in [0, 20, 60] {
        let options =
            IterationOptions { batch_size: 7, shuffle_buffer_size, seed: Some(1), ..Default::default() };
        let mut counts = [0; 3];
        for batch in dataset.record_batches(options).unwrap() {
            let batch = batch.unwrap();
            let column = batch.column(0).as_dictionary::<Int32Type>();
            assert_eq!(column.values(), &symbols);
            column.keys().values().iter().for_each(|key| counts[*key as usize] += 1);
        }
        assert_eq!(counts, [20; 3]);
    }
}
