//! What is read of the files for tensors.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, MapBuilder, MapFieldNames, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use arrowfeed::avro::{AvroSource, Encoding, WriteOptions, write_avro};
use arrowfeed::{AvroDataset, AvroDatasetOptions, IterationOptions};

use crate::files::Directory;

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
    for encoding in [Encoding::Native, Encoding::Feature, Encoding::Tfx] {
        let options = AvroDatasetOptions { encoding, ..Default::default() };
        let dataset = AvroDataset::open([AvroSource::from(&path)], options).unwrap();
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
